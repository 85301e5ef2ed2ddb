"""Cells, initial values, loss scalers, and the export of a whole step."""

import math
import subprocess
from pathlib import Path

import numpy as np
import pytest
from on_gpu import assert_same_sums

import cellgrad as ms
from cellgrad import Parameter, Tensor, nn, ops
from cellgrad.amp import DynamicLossScaler, StaticLossScaler, all_finite
from cellgrad.common.initializer import HeNormal, HeUniform, Normal, Uniform, XavierUniform


def test_dense_starts_as_mindspore_says():
    """He-uniform with slope sqrt(5) is uniform on ±1/sqrt(fan_in), as is the bias."""
    ms.set_seed(1)
    layer = nn.Dense(400, 300)
    bound = 1 / math.sqrt(400)
    for p in (layer.weight, layer.bias):
        a = p.asnumpy()
        assert np.abs(a).max() <= bound
        assert a.std() == pytest.approx(bound / math.sqrt(3), rel=0.1)
    ms.set_seed(1)
    np.testing.assert_array_equal(nn.Dense(400, 300).weight.asnumpy(), layer.weight.asnumpy())
    ms.set_seed(2)
    assert (nn.Dense(400, 300).weight.asnumpy() != layer.weight.asnumpy()).any()


@pytest.mark.parametrize(
    "init, deviation",
    [
        (Normal(0.3, 0.0), 0.3),
        (Uniform(0.6), 0.6 / math.sqrt(3)),
        (XavierUniform(2.0), 2 * math.sqrt(6 / 700) / math.sqrt(3)),
        (HeUniform(), math.sqrt(2 / 300)),
        (HeNormal(mode="fan_out"), math.sqrt(2 / 400)),
    ],
    ids=lambda v: type(v).__name__,
)
def test_initializers(init, deviation):
    ms.set_seed(5)
    assert init.sample((400, 300)).std() == pytest.approx(deviation, rel=0.02)


def test_containers():
    cells = [nn.ReLU(), nn.Tanh(), nn.Sigmoid()]
    seq, lst = nn.SequentialCell(*cells), nn.CellList(cells)
    assert list(seq) == list(lst) == cells
    assert len(lst) == 3 and lst[-1] is cells[2] and list(lst[1:]) == cells[1:]
    lst.append(nn.ReLU())
    seq[0] = nn.Tanh()
    assert len(lst) == 4 and isinstance(seq[0], nn.Tanh)
    x = Tensor([0.5])
    wanted = 1 / (1 + np.exp(-np.tanh(np.tanh(0.5))))
    np.testing.assert_allclose(seq(x).asnumpy(), [wanted], rtol=1e-6)


def test_apply_and_deepcopies_keep_values_and_names():
    net = nn.SequentialCell(nn.Dense(2, 3), nn.Dense(3, 1))
    seen = []
    net.apply(lambda c: seen.append(type(c).__name__))
    assert seen == ["Dense", "Dense", "SequentialCell"]
    import copy

    other = copy.deepcopy(net)
    x = Tensor([[1.0, 2.0]])
    np.testing.assert_array_equal(net(x).asnumpy(), other(x).asnumpy())
    net[0].weight.set_data(net[0].weight * 0)
    assert other[0].weight.asnumpy().any()
    assert [p.name for p in other.get_parameters()] == [p.name for p in net.get_parameters()]


def test_parameters_clone_with_prefix_and_fill():
    group = ms.ParameterTuple(nn.Dense(2, 2).trainable_params())
    zeros = group.clone("moments", init="zeros")
    assert [p.name for p in zeros] == ["moments.weight", "moments.bias"]
    assert not zeros[0].asnumpy().any()
    np.testing.assert_array_equal(group.clone("c")[0].asnumpy(), group[0].asnumpy())


def test_static_scaler_in_compiled_code():
    scaler, w = StaticLossScaler(1024.0), Parameter(Tensor([2.0], ms.float16), name="w")

    def loss(x):
        return scaler.scale((w * x).sum())

    value, (g,) = ms.value_and_grad(loss, None, [w])(Tensor([3.0], ms.float16))
    assert float(value) == 6144 and g.dtype is ms.float16
    (g,) = scaler.unscale((g,))
    assert float(g) == 3
    assert scaler.adjust(all_finite([g])) is False


def test_dynamic_scaler_follows_overflow():
    """The sequence of MindSpore 2.10 for the same flags: scale, counter."""
    scaler = DynamicLossScaler(4.0, 2, 2)
    got = []
    for finite in (True, True, False, True, False, False, False):
        assert scaler.adjust(Tensor(finite)) is True
        got.append((float(scaler.scale_value), int(scaler.counter)))
    assert got == [(4, 1), (8, 0), (4, 0), (4, 1), (2, 0), (1, 0), (1, 0)]


def test_dynamic_scaler_inside_a_compiled_step():
    scaler = DynamicLossScaler(4.0, 2, 1)
    w = Parameter(Tensor([1.0]), name="w")

    @ms.jit
    def step(x):
        _, (g,) = ms.value_and_grad(lambda v: scaler.scale((w * v).sum()), None, [w])(x)
        (g,) = scaler.unscale((g,))
        finite = all_finite(g)
        ops.assign(w, ops.where(finite, w - 0.1 * g, w))
        scaler.adjust(finite)
        return finite

    assert bool(step(Tensor([1.0]))) is True
    assert float(scaler.scale_value) == 8
    np.testing.assert_allclose(w.asnumpy(), [0.9], rtol=1e-6)
    assert bool(step(Tensor([np.inf]))) is False
    assert float(scaler.scale_value) == 4
    np.testing.assert_allclose(w.asnumpy(), [0.9], rtol=1e-6)


def test_all_finite_of_nested_gradients():
    good, bad = Tensor([1.0, 2.0]), Tensor([1.0, np.nan])
    assert bool(all_finite((good, [good, good]))) is True
    assert bool(all_finite((good, [good, bad]))) is False
    assert all_finite(good).shape == () and all_finite(good).dtype is ms.bool_


class Classifier(nn.Cell):
    def __init__(self):
        super().__init__()
        self.body = nn.SequentialCell(nn.Dense(3, 4, activation="tanh"), nn.Dense(4, 2))

    def construct(self, x):
        return self.body(x)


def make_step(net):
    loss = nn.MSELoss()
    params = net.trainable_params()
    gradient = ms.value_and_grad(lambda x, y: loss(net(x), y), None, params)

    def step(x, y):
        value, grads = gradient(x, y)
        for p, g in zip(params, grads):
            ops.assign(p, p - 0.5 * g)
        return value

    return gradient, step


def test_an_exported_step_is_the_compiled_step(tmp_path):
    ms.set_seed(0)
    net = Classifier()
    gradient, step = make_step(net)
    rng = np.random.default_rng(0)
    x = Tensor(rng.normal(size=(5, 3)).astype(np.float32))
    y = Tensor(rng.normal(size=(5, 2)).astype(np.float32))
    files = ms.export(
        net,
        x,
        file_name=str(tmp_path / "net"),
        value_and_grad=(gradient, x, y),
        step=(step, x, y),
        device="cuda" if ms.get_context("device_target") == "GPU" else "cpu",
    )
    assert [f.rsplit(".", 1)[1] for f in files] == ["so", "h", "safetensors"]

    from safetensors.numpy import load_file

    weights = load_file(files[2])
    assert set(weights) == {p.name for p in net.get_parameters()}
    for p in net.get_parameters():
        np.testing.assert_array_equal(weights[p.name], p.asnumpy())

    model, compiled = ms.load(files[0]), ms.jit(step)
    same = lambda a, b: assert_same_sums(a.asnumpy(), b.asnumpy(), rtol=1e-5, atol=1e-6)
    same(model.forward(x), net(x))
    value, grads = gradient(x, y)
    for a, b in zip(model.value_and_grad(x, y), (value, *grads), strict=True):
        same(a, b)
    losses = [(model.train_step(x, y), compiled(x, y)) for _ in range(5)]
    for a, b in losses:
        same(a, b)
    assert float(losses[-1][0]) < float(losses[0][0])
    for p in net.get_parameters():
        same(model.parameters[p.name], p)

    header = tmp_path / "use.c"
    header.write_text('#include "net.h"\nint main(void) { return cg_net_abi_version() == 0; }\n')
    subprocess.run(["cc", "-Wall", "-Werror", "-fsyntax-only", header], check=True)

    with pytest.raises(TypeError, match=r"forward\(\) takes 1 inputs \(x\) but 2"):
        model.forward(x, x)
    with pytest.raises(ValueError, match=r"'x' as float32\[5, 3\], but got Float32\[2, 3\]"):
        model.forward(x[:2])


def test_captured_tensors_are_constants_of_an_exported_model(tmp_path):
    table = Tensor([1.0, 2.0])
    ms.export(lambda x: x * table, Tensor([3.0, 4.0]), file_name=str(tmp_path / "m"))
    model = ms.load(str(tmp_path / "m"))
    np.testing.assert_allclose(model.forward(Tensor([3.0, 4.0])).asnumpy(), [3, 8])
    assert model.parameters == {}


@pytest.mark.parametrize("damage", ["truncated", "empty", "text", "weights", "no weights"])
def test_damaged_files_are_refused(tmp_path, damage):
    net = nn.Dense(2, 1)
    so, _, weights = ms.export(net, Tensor([[1.0, 2.0]]), file_name=str(tmp_path / "m"))
    content = Path(so).read_bytes()
    if damage in ("truncated", "empty", "text"):
        part = {"truncated": content[: len(content) // 2], "empty": b"", "text": b"hello"}[damage]
        Path(so).write_bytes(part)
        with pytest.raises(RuntimeError, match="cannot be loaded"):
            ms.load(so)
    elif damage == "weights":
        stored = Path(weights).read_bytes()
        Path(weights).write_bytes(stored[:-3])
        with pytest.raises(ValueError, match=r"truncated, damaged or not a \.safetensors file"):
            ms.load(so)
    else:
        Path(weights).unlink()
        with pytest.raises(ValueError, match=r"'weight' .* has no value"):
            ms.load(so)


def test_two_parameters_of_one_name_cannot_be_exported(tmp_path):
    a, b = (Parameter(Tensor([k]), name="same") for k in (1.0, 2.0))
    with pytest.raises(ValueError, match="Two Parameters are named 'same'"):
        ms.export(lambda x: x * a + b, Tensor([1.0]), file_name=str(tmp_path / "m"))


@pytest.mark.parametrize("dtype", [ms.float16, ms.bfloat16, ms.float64, ms.int8, ms.bool_], ids=str)
def test_safetensors_of_every_dtype(tmp_path, dtype):
    from cellgrad.checkpoints import safetensors as _safetensors

    path = str(tmp_path / "t.safetensors")
    t = Tensor([[1, 0], [2, 3]], dtype)
    _safetensors.save({"a.b": t, "none": Tensor(np.zeros((0, 2)), dtype)}, path)
    back = _safetensors.load(path)
    assert back["a.b"].dtype is dtype and back["none"].shape == (0, 2)
    np.testing.assert_array_equal(back["a.b"].float().asnumpy(), t.float().asnumpy())


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
def test_a_cell_list_is_indexed_by_tensors(mode):
    class Chosen(nn.Cell):
        def __init__(self):
            super().__init__()
            self.layers = nn.CellList([nn.ReLU(), nn.Tanh()])
            self.first = Tensor(0, ms.int32)

        def construct(self, x, i):
            return self.layers[self.first](x), self.layers[i](x)

    ms.set_context(mode=mode)
    try:
        net = Chosen()
        first, other = net(Tensor([-1.0]), Tensor(1))
        assert float(first[0]) == 0 and float(other[0]) == pytest.approx(np.tanh(-1.0))
        net.first = Tensor(1)
        assert float(net(Tensor([-1.0]), Tensor(0))[0][0]) == pytest.approx(np.tanh(-1.0))
    finally:
        ms.set_context(mode=ms.GRAPH_MODE)


def test_lists_of_parameters_share_no_names():
    """As in MindSpore, where one list of a Cell has the Parameter `x`, and another a second one."""

    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            first = Parameter(Tensor(1.0), name="x")
            self.first = [first, Parameter(Tensor(2.0), name="y")]
            self.again = (first,)
            self.first = [Parameter(Tensor(3.0), name="y"), first]

    net = Net()
    with pytest.raises(ValueError, match="its name 'y' already exists"):
        net.second = (Parameter(Tensor(4.0), name="y"),)
    with pytest.raises(ValueError, match="its name 'z' already exists"):
        net.third = [Parameter(Tensor(4.0), name="z"), Parameter(Tensor(5.0), name="z")]
