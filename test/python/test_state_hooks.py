"""Extra state of Cells, and hooks of `state_dict` and `load_state_dict`; what happens is what MindSpore
2.10 does for the same program.
"""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import cellgrad as ms
from cellgrad import Parameter, Tensor, nn, ops


class Counted(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Dense(2, 1)
        self.k = 3

    def get_extra_state(self) -> Any:
        return {"k": self.k}

    def set_extra_state(self, state: Any) -> None:
        self.k = state["k"]

    def construct(self, x: Tensor) -> Tensor:
        return self.fc(x)


class Outer(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.n = Counted()


def test_extra_state_goes_with_the_state() -> None:
    source, target = Outer(), Outer()
    source.n.k = 9
    state = source.state_dict()
    assert list(state) == ["n._extra_state", "n.fc.weight", "n.fc.bias"]
    assert str(target.load_state_dict(state)) == "<All keys matched successfully>"
    assert target.n.k == 9
    assert list(pickle.loads(pickle.dumps(source)).state_dict()) == list(state)
    del state["n._extra_state"]
    with pytest.raises(RuntimeError, match=r'Missing key.s. in state_dict: "n._extra_state"'):
        target.load_state_dict(state)
    found = target.load_state_dict(state, strict=False)
    assert str(found) == ("_IncompatibleKeys(missing_keys=['n._extra_state'], unexpected_keys=[])")


def test_extra_state_needs_both_methods() -> None:
    class Half(nn.Cell):
        def get_extra_state(self) -> Any:
            return 1

    with pytest.raises(RuntimeError, match="Half has no method 'set_extra_state'"):
        Half().load_state_dict({"_extra_state": 2})


def test_hooks_see_what_mindspores_see() -> None:
    log: list[Any] = []
    o = Outer()
    first = o.register_state_dict_pre_hook(
        lambda cell, prefix, keep: log.append(("pre", prefix, keep))
    )
    o.n.register_state_dict_post_hook(
        lambda cell, state, prefix, meta: log.append(("post", prefix, sorted(state)))
    )
    o.n.register_load_state_dict_pre_hook(
        lambda cell, state, prefix, meta, strict, missing, unexpected, errors: log.append(
            ("load pre", prefix, strict)
        )
    )
    o.register_load_state_dict_post_hook(lambda cell, keys: log.append(("load post", str(keys))))
    o.load_state_dict(o.state_dict())
    first.remove()
    first.remove()
    o.state_dict()
    names = ["n._extra_state", "n.fc.bias", "n.fc.weight"]
    assert log == [
        ("pre", "", False),
        ("post", "n.", names),
        ("load pre", "n.", True),
        ("load post", "<All keys matched successfully>"),
        ("post", "n.", names),
    ]


def test_a_hook_may_change_the_state_and_refuse_it() -> None:
    o = Outer()
    o.register_state_dict_post_hook(lambda cell, state, prefix, meta: state.pop("n.fc.bias"))
    assert "n.fc.bias" not in o.state_dict()
    o.register_load_state_dict_pre_hook(
        lambda cell, state, prefix, meta, strict, missing, unexpected, errors: errors.append("no")
    )
    with pytest.raises(RuntimeError, match="loading state_dict for Outer:\n\tno"):
        o.load_state_dict(Outer().state_dict())
    with pytest.raises(TypeError, match="must be a function, but got int"):
        o.register_state_dict_pre_hook(3)  # type: ignore[arg-type]


def test_a_shared_cell_has_each_of_its_names() -> None:
    class Shared(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.a = nn.Dense(2, 2)
            self.b = self.a

    net = Shared()
    state = net.state_dict()
    assert list(state) == ["a.weight", "a.bias", "b.weight", "b.bias"]
    assert str(net.load_state_dict(state)) == "<All keys matched successfully>"


def test_settings_that_scripts_make() -> None:
    net = nn.Dense(2, 1)
    config = ms.JitConfig(jit_level="O1", opt="x")
    net.set_jit_config(config)
    assert config.jit_config_dict["jit_level"] == "O1" and config.jit_config_dict["opt"] == "x"
    with pytest.raises(ValueError, match="'jit_level' must be one of"):
        ms.JitConfig(jit_level="O7")
    with pytest.raises(TypeError, match="must be a JitConfig, but got str"):
        net.set_jit_config("O1")
    ms.set_deterministic(True)
    ms.set_recursion_limit(2000)
    for call in (ms.set_deterministic, ms.set_recursion_limit, ms.jit_class):
        with pytest.raises(TypeError, match=r"must be|only be used"):
            call("x")  # type: ignore[operator]
    assert ms.is_tensor(Tensor(1)) and not ms.is_tensor(1)
    assert ms.from_numpy(np.ones(2)).dtype == ms.float64
    names = ["bool", "byte", "float", "int", "long", "short"]
    dtypes = [ms.bool_, ms.int8, ms.float32, ms.int32, ms.int64, ms.int16]
    assert [getattr(ms, n) for n in names] == dtypes


@pytest.mark.parametrize(
    ("data", "dtype"),
    [
        ([np.float64(1), 2], ms.float32),
        ([np.float32(1), 2.5], ms.float32),
        ([[np.float64(1)], [2]], ms.float32),
        ([np.array([1.0, 2.0])], ms.float32),
        ((np.array([1.0]), np.array([2.0])), ms.float32),
        ([Tensor(1.0, ms.float64), 2.0], ms.float32),
        ([np.float16(1)], ms.float16),
        ([np.array([1], np.int32)], ms.int64),
        ([np.array([1], np.int8)], ms.int8),
        ([np.bool_(True)], ms.bool_),
        (np.array([1.0]), ms.float64),
        (np.float64(1), ms.float64),
    ],
)
def test_dtypes_of_lists_of_numpys_numbers(data: Any, dtype: Any) -> None:
    assert Tensor(data).dtype == dtype
    assert ms.tensor(data).dtype == dtype
    assert Parameter(data, name="p").dtype == dtype


def test_dtypes_of_sums_and_round() -> None:
    assert Tensor([1, 2], ms.int8).cumsum(0).dtype == ms.int32
    assert Tensor([1, 2], ms.int16).cumsum(dim=0).dtype == ms.int32
    assert Tensor([200, 100], ms.uint8).cumsum(0).asnumpy().tolist() == [200, 300]
    assert Tensor([1, 2]).cumsum(0).dtype == ms.int64
    assert ms.nn.L1Regularizer(0.5)(Tensor([1.0, 2.0], ms.float16)).dtype == ms.float32
    assert round(Tensor([1.5, 2.5])).asnumpy().tolist() == [2, 2]
    assert ms.jit(lambda x: round(ops.exp(x)))(Tensor([0.0])).asnumpy().tolist() == [1]
