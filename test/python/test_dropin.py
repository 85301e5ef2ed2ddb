"""Scripts that say `import mindspore`: the programs here print what MindSpore 2.10 printed.

`test/oracles/programs.py --record` has run them there. They are written in the styles of its
tutorials; random numbers are the same, so whole trainings are.
"""

import re
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAMS = sorted((Path(__file__).parent / "programs").glob("*.py"))
sys.path.insert(0, str(Path(__file__).parents[1] / "oracles"))
import programs  # noqa: E402


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.stem)
def test_a_program_prints_what_mindspore_prints(program):
    assert (
        programs.differences(programs.ours(program), program.with_suffix(".out").read_text()) == ""
    )


def test_the_comparison_notices():
    assert programs.differences("a 1.0 [2. 3.]", "a 1.00001 [2.\n 3.]") == ""
    assert "1.0 instead of 1.1" in programs.differences("a 1.0", "a 1.1")
    assert "'b' instead of 'a'" in programs.differences("b 1.0", "a 1.0")
    assert "(end)" in programs.differences("a", "a b")


def run(tmp_path, text, *arguments):
    path = tmp_path / "script.py"
    path.write_text(text)
    command = [sys.executable, "-m", "cellgrad", "run", str(path), *arguments]
    return subprocess.run(command, capture_output=True, text=True)


MISSING = {
    "from mindspore.ops import sofmax": "'mindspore.ops.sofmax' is not part of cellgrad|softmax",
    "from mindspore import Tensr": "'mindspore.Tensr' is not part|Tensor",
    "from mindspore.nn import CelList": "'mindspore.nn.CelList' is not part|CellList",
    "import mindspore.datasets": "'mindspore.datasets' is not part of cellgrad|dataset",
    "from mindspore.optims import SGD": "'mindspore.optims' is not part of cellgrad|nearest",
    "import mindspore as ms\nms.nn.Dens(1, 1)": "'mindspore.nn.Dens' is not part|Dense",
    "import mindspore as ms\nms.quuxify": "'mindspore.quuxify' is not part|nothing like it",
}


@pytest.mark.parametrize("text", MISSING)
def test_what_is_missing_is_an_error_where_it_is_asked_for(tmp_path, text):
    result = run(tmp_path, "first = 1\n" + text)
    kind = "AttributeError" if "as ms" in text else "ModuleNotFoundError|ImportError"
    assert result.returncode == 1
    assert any(k in result.stderr for k in kind.split("|"))
    for words in MISSING[text].split("|"):
        assert words in result.stderr
    assert f'script.py", line {len(text.splitlines()) + 1}' in result.stderr
    assert "_dropin" not in result.stderr


def test_its_defaults_begin_with_its_import(tmp_path):
    text = """
import cellgrad
print(cellgrad.get_context("mode") == cellgrad.GRAPH_MODE, repr(cellgrad.float32))
import mindspore.nn
print(mindspore.get_context("mode") == mindspore.PYNATIVE_MODE, repr(mindspore.float32))
"""
    result = run(tmp_path, text)
    assert result.stdout.split() == ["True", "cellgrad.float32", "True", "mindspore.float32"]


def test_names_lead_to_the_same_objects(tmp_path):
    text = """
import sys, pickle
import mindspore as ms
import mindspore
import mindspore.nn as nn
import mindspore.ops.operations as P
import mindspore.common.dtype as mstype
from mindspore import Tensor, ops, context
from mindspore.ops import composite as C, functional as F
from mindspore.common.initializer import Normal
from mindspore.train.callback import Callback
from mindspore.train.serialization import save_checkpoint
from mindspore.nn import *
from mindspore.ops import value_and_grad, grad
from mindspore.common.api import _pynative_executor, jit
from mindspore.common.sparse_tensor import COOTensor
from mindspore.nn.layer.activation import ReLU
from mindspore.ops.function.math_func import cummax
from mindspore.ops.operations.math_ops import AddV2, Lerp
from mindspore.mint.distributed.distributed import get_rank
from mindspore.train.serialization import export
import mindspore.ops.operations.array_ops as A
from mindspore.ops.operations import _grad_ops as G
from mindspore.ops.auto_generate import ReluGrad
from mindspore.ops.auto_generate.gen_ops_prim import Gather
import cellgrad
assert G.ReluGrad is ReluGrad is ops.auto_generate.ReluGrad and Gather is P.Gather
assert jit is ms.jit and _pynative_executor.sync() is None and COOTensor is ms.COOTensor
assert ReLU is nn.ReLU and cummax is ops.cummax and Lerp is ops.Lerp and A.Gather is P.Gather
assert export is ms.export and AddV2 is P.Add and get_rank is ms.mint.distributed.get_rank
assert ms is mindspore and ms.nn is nn and ms.Tensor is Tensor is cellgrad.Tensor
assert Dense is nn.Dense is cellgrad.nn.Dense and mstype.float32 is ms.float32
assert ms.ops is ops and grad is ms.grad and C.GradOperation is ops.GradOperation
assert not hasattr(ms, "nothing") and getattr(ms, "nothing", 3) == 3
assert "Tensor" in dir(ms) and ms.__version__
assert repr(ms.float32) == "mindspore.float32" and ms.get_context("mode") == ms.PYNATIVE_MODE
assert __name__ == "__main__" and sys.argv[1:] == ["--flag", "x"]
class Point:
    def __init__(self):
        self.t = Tensor([1.0])
assert float(pickle.loads(pickle.dumps(Point())).t) == 1.0
raise SystemExit(7)
"""
    result = run(tmp_path, text, "--flag", "x")
    assert (result.returncode, result.stderr) == (7, "")


def test_a_failing_script_shows_its_own_lines_only(tmp_path):
    result = run(tmp_path, "def f():\n    return 1 / 0\nf()\n")
    assert result.returncode == 1
    assert 'script.py", line 2, in f' in result.stderr and "cellgrad" not in result.stderr


@pytest.mark.parametrize("text", ["def f(:\n", None])
def test_a_script_that_cannot_be_read(tmp_path, text):
    if text is None:
        command = [sys.executable, "-m", "cellgrad", "run", str(tmp_path / "none.py")]
        result = subprocess.run(command, capture_output=True, text=True)
    else:
        result = run(tmp_path, text)
    assert result.returncode == 2 and result.stderr.startswith("cellgrad: ")


def test_names_of_files_and_inner_modules(tmp_path):
    """Where MindSpore's own scripts import from: functions of files, `mint` as classes, settings of processors."""
    text = """
import mindspore as ms
import mindspore.runtime
from mindspore import Tensor, ops
from mindspore.common import dtype as mstype
from mindspore.common.parameter import Parameter, _is_parameter_generated
from mindspore.communication._comm_helper import GlobalComm
from mindspore.communication.management import get_rank
from mindspore._extends.parse.standard_method import argmax, list_append, ms_len, tensor_bool
from mindspore.device_context.cpu.op_tuning import threads_num
from mindspore.ops.auto_generate import AddExt, OnesLikeExt, SumExt, tanh_grad_op
from mindspore.ops.auto_generate import InplaceAddExt, add_ext, inplace_add_ext_op
from mindspore.ops._utils.arg_dtype_cast import ListToTuple, TupleToList
from mindspore.ops.operations._inner_ops import TopTypeof
from mindspore.ops.operations.comm_ops import AllReduce, ReduceOp
from mindspore.ops.function.array_func import min_ext, new_ones, new_zeros
from mindspore.ops.function.math_func import F, P
from mindspore.ops.function.nn_func import interpolate_ext
from mindspore.scipy.fft import dct

x = Tensor([[1.0, 2.0], [3.0, 4.0]])
print(SumExt()(x, 0), OnesLikeExt()(x).shape, AddExt()(x, x, 2)[0])
assert ListToTuple()([1, 2]) == (1, 2) and TupleToList()((1,)) == [1] and ReduceOp.SUM == 'sum'
y = InplaceAddExt()(x.copy(), x, 2)
assert (inplace_add_ext_op(y, x) == add_ext(x, x, alpha=3)).all() and (y == add_ext(x, x, 3)).all()
print(min_ext(x), new_ones(x, (2,)), new_zeros(x, (1,)))
print(tanh_grad_op(Tensor([0.5]), Tensor([2.0])), ops.operations.manually_defined.rank(x))
assert ops.operations.manually_defined.shape_(x) == (2, 2)
print(dct(x)[0].shape, callable(get_rank), interpolate_ext(x[None], 4).shape)
assert GlobalComm is ms.communication.GlobalComm and F.grad is ms.grad and P.Abs is ops.Abs
assert ms.jit(lambda x: x * ms_len([1, 2, 3]))(Tensor(2)) == 6 and argmax(x, None) == 3
assert list_append([1], 2) == [1, 2] and tensor_bool(x).all()
ms.runtime.launch_blocking()
ms.runtime.synchronize()
threads_num(2)
print(ms.get_context("runtime_num_threads"))
print(*[TopTypeof()(v) for v in (x, 1, 1.5, True, (1,), [1], 'a', None)])
add = ms.jit(lambda x: x + 1 if isinstance(TopTypeof()(x), mstype.TensorType) else x)
print(isinstance(mstype.float32, mstype.TensorType), add(x)[0])
print(*[_is_parameter_generated(p.name) for p in (Parameter(x), Parameter(x, name='w'))])
"""
    result = run(tmp_path, text)
    assert result.stderr == ""
    assert result.stdout.splitlines() == [
        "[4. 6.] (2, 2) [3. 6.]",
        "1.0 [1. 1.] [0.]",
        "[1.5] 2",
        "(2,) True (1, 2, 4)",
        "2",
        "Tensor Int Float32 Bool Tuple List String None",
        "False [2. 3.]",
        "True False",
    ]


def test_settings_of_its_compiler_are_kept(tmp_path):
    text = """
import numpy as np
from mindspore import Tensor, nn, ops
from mindspore._extends import cell_attr_register
from mindspore._extends.parse import compile_config
import mindspore._extends.parse.compile_config as same

class Net(nn.Cell):
    @cell_attr_register
    def __init__(self, n):
        super().__init__()
        self.n = n

    @cell_attr_register(attrs=["n"])
    def add(self, n):
        self.n += n

    def construct(self, x):
        return x * self.n

    def bprop(self, x, out, dout):
        return (Tensor(np.array([7.0], np.float16)),)

assert same is compile_config and compile_config.GRAD_FOR_SCALAR == ''
compile_config.CHECK_BPROP = 1
net = Net(2)
net.add(1)
grad = ops.GradOperation(get_all=True)(net)(Tensor([1.0]))
print(net(Tensor([1.0])), grad[0], same.CHECK_BPROP)
"""
    result = run(tmp_path, text)
    assert (result.stderr, result.stdout) == ("", "[3.] [7.] 1\n")


@pytest.mark.parametrize(
    "text",
    [
        "from mindspore.ops.auto_generate import NoSuchExt",
        "from mindspore.ops.auto_generate import no_such_op",
        "from mindspore.ops.function.array_func import no_such_ext",
    ],
)
def test_inner_names_that_are_missing(tmp_path, text):
    result = run(tmp_path, text)
    assert result.returncode == 1
    assert f"{text.split()[-1]}' is not part of cellgrad" in result.stderr


def test_what_is_refused_may_be_imported_and_not_used(tmp_path):
    text = """
from mindspore.train import Model, TrainFaultTolerance
from mindspore.train.callback import _set_cur_net
from mindspore.train.callback._checkpoint import _chg_ckpt_file_name_if_same_exist as free
from mindspore import Event
import mindspore as ms
print(TrainFaultTolerance, hasattr(ms, "Event"), isinstance(Model, type), free(".", "net"))
for use in (
    lambda: Event(),
    lambda: Event.record,
    lambda: isinstance(1, Event),
    lambda: type("Own", (Model,), {}) and Event[0],
):
    try:
        use()
    except NotImplementedError as e:
        print(str(e).splitlines()[0], "no streams" in str(e), "script.py" in str(e))
class Own(TrainFaultTolerance):
    pass
"""
    result = run(tmp_path, text)
    first, *others = result.stdout.splitlines()
    named = "<mindspore.train.TrainFaultTolerance, which is not part of cellgrad>"
    assert first == f"{named} False True net"
    assert others == ["'mindspore.Event' is not part of cellgrad. True True"] * 4
    assert "NotImplementedError: 'mindspore.train.TrainFaultTolerance'" in result.stderr
    assert re.search(r'script.py", line 1\d, in <module>', result.stderr)
