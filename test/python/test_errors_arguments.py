"""Arguments that functions, Cells and optimizers do not take, in the form of `test_errors.py`."""

import pytest
import test_errors

OPTIM = "from cellgrad.experimental import optim\np = Parameter(v, name='p')\n"
SCHEDULE = OPTIM + "s = optim.SGD([p], 0.1)\nlr = optim.lr_scheduler\n"
DATA = "from cellgrad import dataset as ds\nrows = ds.NumpySlicesDataset(np.ones((4, 2)), ['c'])\n"

CASES = {
    # Functions
    "arange": ("ops.arange(3, 1)", ValueError, "'step' must lead from 'start' to 'end'.*start=3"),
    "bernoulli": (
        "key = ms.random.key(0)\nms.random.bernoulli(key, v, (1,))",
        ValueError,
        r"'p' of shape \[3\] does not broadcast to \[1\]",
    ),
    "bool as index": ("x[False]", IndexError, "indexed by a bool object, the value only support"),
    "images": (
        "ops.lrn(x)",
        ValueError,
        r"floating-point Tensor of shape \(N, C, H, W\), but got Float32 \[2, 3\]",
    ),
    "clip by norm": (
        "ops.clip_by_norm(v * float('inf'), 1.0, error_if_nonfinite=True)",
        RuntimeError,
        "total norm of order 2.0 from input is non-finite",
    ),
    "dropout of channels": (
        "ops.dropout2d(v)",
        ValueError,
        r"must have .*4 dimensions, but got shape \[3\]",
    ),
    "einsum": ("ops.einsum('i1->i', x)", ValueError, "labels are letters .*'i1->i' has '1'"),
    "ellipses": ("x[..., ...]", IndexError, "an index can only have a single ellipsis"),
    "embedding": (
        "ops.embedding(Tensor([0]), v)",
        ValueError,
        "the weight must be a matrix, but has rank 1",
    ),
    "flatten, order": ("ops.flatten(x, 1)", TypeError, "'order' must be a str, but got int"),
    "flatten, dimensions": (
        "ops.flatten(x, start_dim=1, end_dim=0)",
        ValueError,
        "'start_dim' 1 must not come after 'end_dim' 0",
    ),
    "interpolate": (
        "ops.interpolate(x, 4, mode='bilinear')",
        ValueError,
        "mode 'bilinear' takes 4 dimensions, but 'input' has 2",
    ),
    "text for a number": (
        "ops.layer_norm(x, (3,), v, v, eps='a')",
        TypeError,
        "A number is needed, but got str 'a'",
    ),
    "trace": ("x.trace(2.0)", TypeError, "'offset' must be an int, but got float 2.0"),
    "kthvalue, dim": (
        "ms.mint.kthvalue(v, 1, 3)",
        ValueError,
        r"the axis value must be in \[-1,1\)",
    ),
    "mint.select, dim": ("ms.mint.select(v, 3, 0)", ValueError, r"must be in \[-1,1\), but got 3"),
    "mint.select, index": (
        "ms.mint.select(v, 0, -4)",
        ValueError,
        r"'index' must be in \[-3, 3\), but got -4",
    ),
    "logit": ("ops.logit(v, '0')", TypeError, "'eps' must be a number, but got str"),
    "lrn": (
        "ops.lrn(ops.ones((1, 2, 3, 4)), bias=1)",
        TypeError,
        "'bias' must be a float, but got int",
    ),
    "meshgrid, type": (
        "ops.meshgrid(v, v, indexing=1)",
        TypeError,
        "'indexing' must be a str, but got int",
    ),
    "meshgrid": (
        "ops.meshgrid(v, v, indexing='yx')",
        ValueError,
        "'indexing' must be 'xy' or 'ij', but got 'yx'",
    ),
    "operands": (
        "key = ms.random.key(0)\nms.random.bernoulli(key, object())",
        TypeError,
        "expected Tensor or number operands, but got object",
    ),
    "pad": (
        "ops.pad(v, (1, 1, 1, 1))",
        ValueError,
        r"'padding' has 4 elements, but 1 dimensions of shape \[3\] take 2 at most",
    ),
    "partial": ("ops.partial(1)", TypeError, "'func' must be callable, but got int"),
    "qr": ("ops.qr(x, 'raw')", TypeError, "'mode' must be 'reduced' or 'complete', but got 'raw'"),
    "randint": ("ops.randint(0, 2, 3)", ValueError, "'size' must be a tuple, but got 3"),
    "roll": ("ops.roll(x, (1, 1))", ValueError, "2 shifts need as many 'dims', but got none"),
    "scatter": (
        "ops.tensor_scatter_elements(v, Tensor([0]), Tensor([1.]), 0, 'mul')",
        ValueError,
        "'reduction' must be 'none' or 'add', but got 'mul'",
    ),
    "seeds": ("ops.StandardNormal(0.5)", TypeError, "the seeds must be ints, but got float"),
    "slice": (
        "ops.slice(v, (1,), (3,))",
        ValueError,
        "dimension 0 has 3 elements, but 'begin' is 1 and 'size' 3",
    ),
    "huber_loss": (
        "ops.huber_loss(v, v, delta=0.0)",
        ValueError,
        "'delta' must be positive, but got 0.0",
    ),
    "stack": (
        "ops.stack([x, v])",
        ValueError,
        r"tensors\[0\] has shape \[2, 3\] but tensors\[1\] has \[3\]",
    ),
    "take": ("v.take(Tensor([0]), mode='same')", ValueError, "must be 'raise', 'wrap' or 'clip'"),
    "transpose": (
        "ops.transpose(x, (0,))",
        ValueError,
        r"2 dimensions of shape \[2, 3\] need as many in 'dims', but got \(0,\)",
    ),
    "uniform": (
        "low, high = Tensor(0., ms.float16), Tensor(1., ms.float16)\n"
        "ops.uniform((2,), low, high, dtype=ms.float16)",
        ValueError,
        "'dtype' must be float32 or int32, but got Float16",
    ),
    # Tensors and Parameters
    "assign": ("ops.assign(2, v)", TypeError, "'variable' must be a Tensor, but got int"),
    "dtype of Python": (
        "ms.pytype_to_dtype(str)",
        NotImplementedError,
        "There is no tensor data type for <class 'str'>",
    ),
    "init": (
        "Tensor(init=ms.common.initializer.One())",
        ValueError,
        "'init' needs 'shape' and 'dtype' as well",
    ),
    "item": ("v.item()", ValueError, r"the tensor has shape \[3\]; index it first"),
    "iteration": ("iter(Tensor(1.0))", TypeError, "iteration over a 0-d tensor"),
    "length": ("len(Tensor(1.0))", TypeError, "Not support len of a 0-D tensor."),
    "same names": (
        "ParameterTuple([Parameter(v, name='p'), Parameter(x, name='p')])",
        ValueError,
        "its name 'p' already exists in the ParameterTuple|hint: give each Parameter its own name",
    ),
    # Derivatives
    "positions": ("ms.grad(ops.sum, (0, 0))(v)", ValueError, "duplicate positions in `grad_pos"),
    "weights": (
        "ms.grad(ops.sum, None, [v])",
        TypeError,
        r"'weights' must hold Parameters, but weights\[0\] is Tensor",
    ),
    "tangent of a rule": (
        "f = ms.custom_rule(lambda x: ops.sum(x), jvp=lambda xs, ts: (ops.sum(xs[0]), ts[0]))\n"
        "ms.jvp(f, (v,), (v,))",
        ValueError,
        r"gives a tangent of shape \[3\] for a result of shape \[\]",
    ),
    # Operations as classes
    "Conv2D": (
        "ops.Conv2D(2, 3, mode=0)",
        ValueError,
        r"'mode' must be 1 \(cross-correlation\), but got 0",
    ),
    "MaxPool": (
        "ops.MaxPool(2, pad_mode='pad')",
        ValueError,
        "'pad_mode' must be 'valid' or 'same'",
    ),
    "MirrorPad": ("ops.MirrorPad('EDGE')", ValueError, "must be 'REFLECT' or 'SYMMETRIC'"),
    "ops.Pad": ("ops.Pad([1])", TypeError, r"'paddings' must be a tuple, but got \[1\]"),
    "Map": ("ops.Map(1)", TypeError, "'ops' must be callable, but got int"),
    # Cells
    "Adam": (
        "nn.Adam([Parameter(v, name='p')], use_fast=True)",
        KeyError,
        r"supported keys are 'use_lazy' and 'use_offload', but got \['use_fast'\]",
    ),
    "BatchNorm, momentum": (
        "nn.BatchNorm1d(3, momentum='0.9')",
        TypeError,
        "'momentum' must be a number, but got str",
    ),
    "BatchNorm, eps": (
        "nn.BatchNorm1d(3, eps='0')",
        TypeError,
        "'eps' must be a number, but got s",
    ),
    "buffer before Cell": (
        "class Early(nn.Cell):\n    def __init__(self):\n        self.register_buffer('b', v)  #!\n"
        "Early()",
        AttributeError,
        r"cannot assign buffer before Cell.__init__\(\) call",
    ),
    "buffer of a name that is taken": (
        "nn.ReLU().register_buffer('construct', v)",
        KeyError,
        "attribute 'construct' already exists",
    ),
    "no buffer": ("nn.ReLU().get_buffer('b')", AttributeError, "`b` is not a buffer"),
    "no Cell": (
        "nn.ReLU().get_sub_cell('a.b')",
        AttributeError,
        r"ReLU has no Cell `a` \(of 'a.b'\)",
    ),
    "a value for a Cell": (
        "net = nn.SequentialCell(nn.ReLU())\nnet.act = nn.ReLU()\nnet.act = 1",
        TypeError,
        "Sub cell 'act' already exists in network, can not assign this type",
    ),
    "a value for a buffer": (
        "net = nn.ReLU()\nnet.register_buffer('b', v)\nnet.b = 1",
        TypeError,
        r"Buffer 'b' already exists in network.*|hint: .* self.b.assign_value\(tensor\)",
    ),
    "child": (
        "nn.ReLU().insert_child_to_cell('construct', nn.ReLU())",
        KeyError,
        "attribute 'construct' already exists in the network|hint: choose another name",
    ),
    "state": (
        "nn.ReLU().load_state_dict([1])",
        TypeError,
        "Expected state_dict to be dict-like, but got list",
    ),
    "no construct": (
        "class Empty(nn.Cell):\n    pass\nEmpty()(v)",
        AttributeError,
        "For 'Empty', the method 'construct' is not defined",
    ),
    "CellDict called": (
        "nn.CellDict({'a': nn.ReLU()})(v)",
        NotImplementedError,
        "A CellDict is a dictionary: it cannot be called|hint: call its Cells",
    ),
    "CellDict of a number": ("nn.CellDict().update(1)", TypeError, "key-value pairs, but got int"),
    "CellDict of numbers": (
        "nn.CellDict().update([1])",
        TypeError,
        "sequence element #0 should be Iterable; but got int",
    ),
    "CellDict of triples": (
        "nn.CellDict().update([('a', nn.ReLU(), 1)])",
        ValueError,
        "sequence element #0, length should be 2; but has length 3",
    ),
    "CellList": (
        "nn.CellList([nn.ReLU()]).extend((nn.ReLU(),))",
        TypeError,
        "should be instance of list, but got tuple",
    ),
    "Dense, weight": (
        "nn.Dense(3, 2, weight_init=v)",
        ValueError,
        r"weight init shape error: expected \(2, 3\) .*, but got \(3,\)",
    ),
    "Dense, bias": (
        "nn.Dense(3, 2, bias_init=v)",
        ValueError,
        r"bias init shape error: expected \(2,\), but got \(3,\)",
    ),
    "Dropout": ("ops.Dropout('0.5')", TypeError, "'keep_prob' must be a number, but got str"),
    "HeUniform": (
        "from cellgrad.common.initializer import HeUniform, initializer\n"
        "initializer(HeUniform(mode='fan'), [2, 3]).init_data()",
        ValueError,
        "'mode' must be 'fan_in' or 'fan_out', but got 'fan'",
    ),
    "initializer of one's own": (
        "class Mine(ms.common.initializer.Initializer):\n    pass\n"
        "ms.common.initializer.initializer(Mine(), [2]).init_data()",
        NotImplementedError,
        r"Mine must define _initialize\(self, arr\)",
    ),
    "loss of one's own": (
        "class Mine(nn.LossBase):\n    pass\nMine()(v)",
        NotImplementedError,
        "For 'Mine', the method 'construct' is not defined",
    ),
    "LSTM": ("nn.LSTM(2, 3, dropout=0)", TypeError, "'dropout' must be a float, but got int"),
    "nn.Pad, below 0": (
        "nn.Pad(((0, 0), (-1, 0)))(x)",
        ValueError,
        r"must be >= 0, but got \[\(0, 0\)",
    ),
    "MirrorPad, below 0": ("ops.MirrorPad()(x, ((0, 0), (0, -1)))", ValueError, "must be >= 0"),
    "nn.Pad, mode": (
        "nn.Pad(((1, 1),), 'EDGE')",
        ValueError,
        "must be 'CONSTANT', 'REFLECT' or 'SYMMETRIC', but got 'EDGE'",
    ),
    "nn.Pad": ("nn.Pad([1])", TypeError, r"'paddings' must be a tuple, but got list \[1\]"),
    "pad_mode, type": (
        "nn.MaxPool2d(2, pad_mode=1)",
        TypeError,
        "'pad_mode' must be a str, but got int",
    ),
    "to_float": (
        "nn.ReLU().to_float(ms.int32)",
        ValueError,
        "'dst_type' must be float16, bfloat16 or float32, but got Int32",
    ),
    "amp level": (
        "ms.amp.auto_mixed_precision(nn.ReLU(), 'O9')",
        ValueError,
        "amp level O9 is not supported: it must be 'O0', 'O1', 'O2', 'O3' or 'auto'",
    ),
    # Learning rates and optimizers
    "milestones": (
        "nn.piecewise_constant_lr([3, 2], [0.1, 0.2])",
        ValueError,
        r"milestones must rise, but milestone\[1\] is 2 after 3",
    ),
    "rate, type": (
        "nn.exponential_decay_lr(1, 0.9, 2, 1, 1)",
        TypeError,
        "'learning_rate' must be a float, but got int|hint: write 1.0",
    ),
    "rate": (
        "nn.exponential_decay_lr(-0.1, 0.9, 2, 1, 1)",
        ValueError,
        "'learning_rate' must be positive, but got -0.1",
    ),
    "schedule of one's own": (
        "class Mine(nn.LearningRateSchedule):\n    pass\nMine()(Tensor(1))",
        NotImplementedError,
        "For 'Mine', the method 'construct' is not defined",
    ),
    "optimizer of one's own": (
        "class Mine(nn.Optimizer):\n    pass\nMine(0.1, [Parameter(v, name='p')])((v,))",
        NotImplementedError,
        "For 'Mine', the method 'construct' is not defined",
    ),
    "SGD": (
        "nn.SGD([Parameter(v, name='p')], nesterov=True)",
        ValueError,
        "'momentum' must be > 0.0 and 'dampening' must equal to 0.0",
    ),
    "SGD, dampening": (
        "nn.SGD([Parameter(v, name='p')], dampening='0')",
        TypeError,
        "'dampening' must be a number, but got str",
    ),
    "Adam, beta": (
        "nn.Adam([Parameter(v, name='p')], beta1='0.9')",
        TypeError,
        "'beta1' must be a number, but got str",
    ),
    "Rprop": (
        "nn.Rprop([Parameter(v, name='p')], etas=[0.5, 1.2])",
        TypeError,
        "For 'Rprop', 'etas' must be a tuple, but got list",
    ),
    "group": (OPTIM + "optim.SGD([{'lr': 1}], 0.1)", TypeError, "Param group must be a dict"),
    "momentum": (
        OPTIM + "optim.SGD([p], 0.1, nesterov=True)",
        ValueError,
        "'nesterov' needs a positive 'momentum' and no 'dampening', but got 0.* and 0",
    ),
    "step size": (
        SCHEDULE + "lr.StepLR(s, step_size=2.0)",
        TypeError,
        "For 'StepLR', 'step_size' must be an int, but got float",
    ),
    "values for groups": (
        SCHEDULE + "lr.CyclicLR(s, [0.1, 0.2], 0.3)",
        ValueError,
        "Expected 1 values for base_lr, but got 2",
    ),
    "last epoch": (
        SCHEDULE + "lr.StepLR(s, 2, last_epoch=-2)",
        ValueError,
        "Invalid last_epoch: -2",
    ),
    "epoch of a new optimizer": (
        SCHEDULE + "lr.StepLR(s, 2, last_epoch=1)",
        KeyError,
        "param 'initial_lr' is not specified in param_groups",
    ),
    "ConstantLR": (
        SCHEDULE + "lr.ConstantLR(s, factor=2)",
        ValueError,
        "Constant multiplicative factor expected to be between 0 and 1",
    ),
    "LinearLR": (
        SCHEDULE + "lr.LinearLR(s, end_factor=2)",
        ValueError,
        "Ending multiplicative factor expected to be between 0 and 1",
    ),
    "CyclicLR": (
        SCHEDULE + "lr.CyclicLR(s, 0.1, 0.3, mode='round')",
        ValueError,
        "mode is invalid and scale_fn is None",
    ),
    "plateau of what": (SCHEDULE + "lr.ReduceLROnPlateau(p)", TypeError, "Expected an `Optimizer`"),
    "plateau, mode": (
        SCHEDULE + "lr.ReduceLROnPlateau(s, 'mean')",
        ValueError,
        "`mode` should be 'min' or 'max', but got mean",
    ),
    "plateau, threshold": (
        SCHEDULE + "lr.ReduceLROnPlateau(s, threshold_mode='x')",
        ValueError,
        "`threshold mode` should be 'rel' or 'abs', but got x",
    ),
    # Data sets
    "no rows": (
        DATA + "rows.filter(lambda c: False).output_shapes()",
        RuntimeError,
        "The data set has no rows",
    ),
    "batch": (DATA + "rows.batch(2, pad_info=1)", TypeError, "unexpected argument 'pad_info'"),
    "columns of map": (
        DATA + "list(rows.map(lambda c: c, ['c'], ['a', 'b']))",
        ValueError,
        r"gave 1 columns, but output_columns names 2: \['a', 'b'\]",
    ),
    "Mask": (
        "from cellgrad.dataset import transforms\ntransforms.Mask('EQ', 1)",
        TypeError,
        "'operator' must be a Relational, but got str",
    ),
    "PadEnd": (
        "from cellgrad.dataset import transforms\ntransforms.PadEnd([4])(np.ones((2, 2)))",
        ValueError,
        r"'pad_shape' has 1 dimensions, but the array has shape \[2, 2\]",
    ),
    "Normalize": (
        "from cellgrad.dataset import vision\n"
        "vision.Normalize([1.0, 2.0], [1.0, 1.0])(np.ones((4, 4, 3)))",
        ValueError,
        r"the image of shape \[4, 4, 3\] has 3 channels, but 'mean' and 'std' have 2 numbers",
    ),
    # Training
    "metric, classes": (
        "m = nn.Accuracy()\nm.update(Tensor([[0.1, 0.9]]), Tensor([2]))",
        ValueError,
        "true values must be classes below 2, but got 2 to 2",
    ),
    "metric, inputs": ("nn.Accuracy().update(v)", ValueError, "it needs 2 inputs .*, but got 1"),
    # Files
    "export": ("ms.export(nn.ReLU(), v, file_name='')", TypeError, "must be a path without suffix"),
    "texts": (
        "ms.save_checkpoint([{'name': 't', 'data': 'a'}], 'x', format='safetensors')",
        TypeError,
        r"A .safetensors file cannot hold strings, but \['t'\] are strings|hint: give format=\"ckpt\"",
    ),
    "module": (
        "from cellgrad.interop import mlir\nmlir.from_mlir('nonsense')",
        ValueError,
        "The module cannot be read|hint: it may hold ops of the dialects cell",
    ),
    "version": (
        "from cellgrad.interop import mlir\nmlir.bytecode(ops.tanh, v, version=99)",
        ValueError,
        "hint: write version ., which every reader knows",
    ),
    "generator": (
        "ms.mint.rand(2, generator=1)",
        TypeError,
        "'generator' must be a Generator or None, but got int 1",
    ),
    "setting of mint": (
        "ms.mint.nn.Conv2d(1, 1, 1, padding_mode='reflect')",
        ValueError,
        "'padding_mode' must be 'zeros', but got 'reflect'",
    ),
    "device of mint": ("ms.mint.rand(2, device='GPU')", ValueError, "must be None or 'CPU', but"),
    "model of another kind": (
        "import tempfile\nfile = tempfile.NamedTemporaryFile(suffix='.so')\nms.load(file.name)",
        RuntimeError,
        "cannot be loaded: .*no ELF header|hint: export the model again",
    ),
    # Compiled code
    "not callable": (
        "@ms.jit\ndef f(a):\n    return a.shape(1)  #!\nf(v)",
        TypeError,
        "'tuple' obj",
    ),
    "two values": (
        "def g(a):\n    return a\n@ms.jit\ndef f(a):\n    return g(a, a=a)  #!\nf(v)",
        TypeError,
        r"g\(\) got multiple values for argument 'a'",
    ),
    "free variable": (
        "def outer():\n    @ms.jit\n    def f(a):\n        return a + late  #!\n    f(v)\n    late = 1\n"
        "outer()",
        NameError,
        "free variable 'late' is used before it has a value",
    ),
    "assertion": (
        "@ms.jit\ndef f(a):\n    assert a.ndim == 2  #!\n    return a\nf(v)",
        AssertionError,
        "assertion failed",
    ),
    "raise of nothing": (
        "@ms.jit\ndef f(a):\n    raise  #!\nf(v)",
        RuntimeError,
        "No active exception to reraise",
    ),
    "super of a function": (
        "@ms.jit\ndef f(a):\n    return super().g(a)  #!\nf(v)",
        RuntimeError,
        r"super\(\): no arguments",
    ),
    "returns of two kinds": (
        "@ms.jit\ndef f(a):\n    if ops.sum(a) > 0:  #!\n        return a\n    return (a, a)\nf(v)",
        TypeError,
        "what is returned is",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_mistake(name, tmp_path, monkeypatch):
    monkeypatch.setattr(test_errors, "CASES", CASES)
    test_errors.test_mistake(name, tmp_path, monkeypatch)
