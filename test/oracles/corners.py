"""Programs of one call each: every operation over dtypes, special values, forms of arguments, mistakes.

They are made from tables of signatures, so that a corner that one operation has is tried for all.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

DTYPES = ("bool_", "int8", "int16", "int32", "int64", "float16", "float32", "float64")
FEW = ("bool_", "int32", "float16", "float32", "float64")
NUMBERS = ("3", "2.5", "True")
SPECIAL = "[float('nan'), float('inf'), -float('inf'), 0.0, -0.0, 1.5, -2.5]"
MISTAKES = ("None", "'abc'", "[1.0, 2.0]", "(1.0, 2.0)", "1.5", "2", "True", "np.ones(2)")


def tensor(dtype: str, shape: tuple[int, ...] = (3,), shift: int = 0) -> str:
    """A tensor's text; values are small, of both signs where there are signs, and never 0 after a shift."""
    size = 1
    for n in shape:
        size *= n
    base = [(5 * i + 2 + shift) % 7 - 3 for i in range(size)]
    if shift:
        base = [v or 2 for v in base]
    if dtype == "bool_":
        values: list[object] = [v > 0 for v in base]
    elif dtype.startswith("float"):
        values = [v * 0.5 + 0.25 for v in base]
    elif dtype.startswith("u"):
        values = [abs(v) for v in base]
    else:
        values = list(base)
    text = repr(values)
    return (
        f'T({text}, "{dtype}")' if len(shape) == 1 else f'T(np.reshape({text}, {shape}), "{dtype}")'
    )


_UNARY = """abs acos acosh asin asinh atan atanh ceil cos cosh digamma erf erfc erfinv exp exp2 expm1 floor isfinite
isinf isnan lgamma log log10 log1p log2 logical_not neg reciprocal rsqrt sigmoid sign sin sinh sqrt square tan tanh
trunc round frac sinc deg2rad rad2deg sgn signbit positive inv isneginf isposinf nan_to_num bitwise_not celu elu
fast_gelu gelu hardshrink hardsigmoid hardswish hardtanh leaky_relu logsigmoid mish relu relu6 selu silu softplus
softshrink softsign tanhshrink glu softmin log_softmax real conj isreal ones_like zeros_like is_floating_point
is_complex is_tensor rank size shape numel ravel t diag diagflat tril triu flip fliplr flipud nonzero
argwhere count_nonzero unique unique_consecutive sort argsort msort cummax cummin cumsum cumprod logcumsumexp
sum mean prod std var max min argmax argmin amax amin all any median aminmax logsumexp softmax norm vector_norm
nansum nanmean nanmedian std_mean var_mean bincount histc diff flatten squeeze trace det inverse stop_gradient
isclose atleast_1d atleast_2d atleast_3d polygamma i0 bessel_j0 logit digamma float_power exp2 cov vander
invert absolute arccos arccosh arcsin arcsinh arctan arctanh erfinv negative identity expand_dims dtype"""
UNARY = _UNARY.split()

_BINARY = """add sub mul div floor_div floor_mod floor_divide true_divide pow maximum minimum fmax fmin equal not_equal greater
greater_equal less less_equal eq ne gt ge lt le logical_and logical_or logical_xor bitwise_and bitwise_or bitwise_xor
bitwise_left_shift bitwise_right_shift atan2 arctan2 hypot logaddexp logaddexp2 xlogy xdivy copysign heaviside fmod remainder truncate_div
truncate_mod ldexp float_power subtract multiply divide lerp isclose cross inner outer dot mse_loss l1_loss smooth_l1_loss huber_loss
kl_div binary_cross_entropy binary_cross_entropy_with_logits soft_margin_loss hinge_embedding_loss dist cosine_similarity
not_equal searchsorted bucketize mul kron vecdot tensor_dot matmul gcd lcm nextafter where_"""
BINARY = _BINARY.split()

OPERATORS = ["+", "-", "*", "/", "//", "%", "**", "<", "<=", "==", "!=", "&", "|", "^", "@"]

AXES = (
    "",
    "0",
    "1",
    "-1",
    "-2",
    "2",
    "-3",
    "None",
    "()",
    "(0,)",
    "(0, 1)",
    "(-1, 0)",
    "[0]",
    "[0, 1]",
    "(0, 0)",
    "1.0",
    "True",
    "'0'",
    "(0, 2)",
    "(0, 1.0)",
)
_REDUCTIONS = """sum mean prod std var max min argmax argmin amax amin all any median logsumexp softmax log_softmax softmin norm
nansum nanmean nanmedian std_mean var_mean count_nonzero cumsum cumprod cummax cummin logcumsumexp sort argsort flip
squeeze expand_dims unsqueeze flatten unbind unstack glu diff unique_consecutive aminmax topk quantile reverse roll repeat_interleave
argmax argmin split chunk tensor_split cat concat stack"""
REDUCTIONS = _REDUCTIONS.split()

_METHODS = """abs acos sin exp log sqrt square sum mean prod std var max min argmax argmin all any cumsum cumprod sort argsort
reshape view transpose permute swapaxes squeeze unsqueeze expand_dims flatten ravel tile repeat astype to float int long half bool
clip clamp masked_fill index_select gather take diagonal trace tril triu item tolist asnumpy copy fill_ add_ sub_ mul_ div_
norm softmax topk split chunk broadcast_to expand expand_as view_as t T mT nonzero isnan isinf isfinite logical_not eq ne gt lt ge le
pow add sub mul div matmul dot mm bmm outer inner floor ceil round sign neg reciprocal rsqrt tanh sigmoid relu erf where
maximum minimum addcmul addcdiv lerp fmod remainder atan2 hypot logaddexp type_as new_zeros new_ones ndimension dim size shape ndim
dtype nbytes itemsize strides is_contiguous contiguous numel value init_data flush_from_cache"""
METHODS = _METHODS.split()


def unary() -> Iterator[str]:
    for name, dtype in product(dict.fromkeys(UNARY), DTYPES):
        yield f"ops.{name}({tensor(dtype)})"
    for name, dtype in product(dict.fromkeys(UNARY), ("float32", "int32")):
        yield f"ops.{name}({tensor(dtype, (2, 2))})"
        yield f"ops.{name}(T(1, '{dtype}'))"
    for name in dict.fromkeys(UNARY):
        yield f"ops.{name}(T({SPECIAL}))"
        yield f"ops.{name}(T([127, -128, 0], 'int8'))"
        for wrong in MISTAKES:
            yield f"ops.{name}({wrong})"


def binary() -> Iterator[str]:
    for name in dict.fromkeys(BINARY):
        for a, b in product(DTYPES, DTYPES):
            yield f"ops.{name}({tensor(a)}, {tensor(b, shift=3)})"
        for a, n in product(DTYPES, NUMBERS):
            yield f"ops.{name}({tensor(a)}, {n})"
            yield f"ops.{name}({n}, {tensor(a, shift=3)})"
        yield f"ops.{name}(3, 2)"
        yield f"ops.{name}(2.5, 2)"
        for wrong in ("None", "'a'", "[1.0, 2.0, 3.0]", "(1, 2, 3)", "np.ones(3)"):
            yield f"ops.{name}({tensor('float32')}, {wrong})"
            yield f"ops.{name}({wrong}, {tensor('float32')})"
        yield f"ops.{name}({tensor('float32')}, {tensor('float32', (2,))})"
        yield f"ops.{name}({tensor('float32', (2, 3))}, {tensor('float32', (3,))})"
        yield f"ops.{name}({tensor('float32', (2, 3))}, T(2.0))"
        yield f"ops.{name}({tensor('int32', (2, 3))}, T(2.0))"
        yield f"ops.{name}(T({SPECIAL}), T({SPECIAL}[::-1]))"
        yield f"ops.{name}(T({SPECIAL}), 2.0)"
        yield f"ops.{name}(T({SPECIAL}), 0.0)"
        yield f"ops.{name}(T([7, -7, 8, -8], 'int32'), T([3, 3, -3, -3], 'int32'))"
        yield f"ops.{name}(T([7.0, -7.0, 8.0, -8.0]), T([3.0, 3.0, -3.0, -3.0]))"


def operators() -> Iterator[str]:
    for sign in OPERATORS:
        for a, b in product(DTYPES, FEW):
            yield f"{tensor(a)} {sign} {tensor(b, shift=3)}"
        for a, n in product(
            DTYPES, (*NUMBERS, "[1, 2, 3]", "np.ones(3, np.float32)", "None", "'a'", "(1, 2, 3)")
        ):
            yield f"{tensor(a)} {sign} {n}"
            yield f"{n} {sign} {tensor(a, shift=3)}"
        yield f"{tensor('float32')} {sign} {tensor('float32', (2,))}"


def reductions() -> Iterator[str]:
    for name in dict.fromkeys(REDUCTIONS):
        for axis in AXES:
            for x in (tensor("float32", (2, 3)), tensor("int32", (2, 3))):
                yield f"ops.{name}({x}{', ' if axis else ''}{axis})"
        for axis, keep in product(
            ("0", "-1", "None", "(0, 1)"),
            (
                "axis={}, keepdims=True",
                "dim={}, keepdim=True",
                "axis={}, keep_dims=True",
                "axis={}",
            ),
        ):
            yield f"ops.{name}({tensor('float32', (2, 3))}, {keep.format(axis)})"
        for axis in ("0", "-1", "1", "None", "()"):
            yield f"ops.{name}(T(2.0), {axis})"
        for dtype in DTYPES:
            yield f"ops.{name}({tensor(dtype, (2, 3))}, 1)"
        yield f"ops.{name}(T([{SPECIAL}, {SPECIAL}]), 1)"
        yield f"ops.{name}(T([{SPECIAL}, {SPECIAL}]), 0)"


def methods() -> Iterator[str]:
    for name in dict.fromkeys(METHODS):
        for dtype in ("float32", "int32", "bool_"):
            x = tensor(dtype, (2, 3))
            yield f"{x}.{name}"
            for args in (
                "",
                "0",
                "1",
                "-1",
                "0, 1",
                "(0, 1)",
                "None",
                "2.0",
                "axis=0",
                "axis=1",
                "dim=0",
                "keepdims=True",
                "3, 2",
                "(3, 2)",
                "ms.float16",
                "'x'",
                "5",
                x,
                tensor("int32", (3,)),
                tensor("float32", (2, 3), 3),
            ):
                yield f"{x}.{name}({args})"


PAIRS = (
    ("float32", "float16"),
    ("float16", "float32"),
    ("float32", "float64"),
    ("float32", "int32"),
    ("int32", "float32"),
    ("float32", "bool_"),
    ("int32", "int64"),
    ("int8", "int32"),
    ("float64", "int32"),
    ("int32", "int32"),
    ("float16", "int8"),
)
DIFFERENTIATED = """x + y; x - y; x * y; x / y; x % y; x // y; x ** 2 * y; ops.pow(x * x + 1, y); ops.maximum(x, y); ops.minimum(x, y); ops.where(x > 0, x, y)
ops.where(x > y, x * 2, y); ops.atan2(x, y); ops.hypot(x, y); ops.xlogy(x, y * y + 1); ops.lerp(x, y, 0.5); ops.addcmul(x, y, y, 2.0); ops.addcdiv(x, y, y, 2.0); ops.matmul(x, y); x @ y; ops.outer(x, y)
ops.inner(x, y); ops.mse_loss(x, y); ops.l1_loss(x, y); ops.smooth_l1_loss(x, y); ops.huber_loss(x, y); ops.concat((x, y)); ops.stack((x, y)); ops.clamp(x, y, None); ops.masked_fill(x, x > 0, y[0])
ops.tensor_scatter_update(x, T([[0]], 'int32'), y[:1]); ops.tensor_scatter_add(x, T([[0]], 'int32'), y[:1]); ops.index_add(x, T([0], 'int32'), y[:1], 0); ops.fmod(x, y); ops.remainder(x, y); ops.floor_mod(x, y); ops.truncate_div(x, y)
ops.cross(x, y); ops.dist(x, y); ops.cosine_similarity(x, y, dim=0); ops.logaddexp(x, y); ops.copysign(x, y); ops.heaviside(x, y); ops.kron(x, y); ops.cumsum(x, 0) * y; ops.cumprod(x, 0) * y; x.sum() * y.mean(); x.mean() + y
x.prod() * y; x.max() * y; ops.sqrt(x * x) * y; ops.exp(y) * x; ops.sin(x) * y; ops.dense(x, y.reshape(1, 3)); ops.addmm(x.reshape(1, 3), y.reshape(1, 3), x.reshape(3, 1) * y); ops.addmv(x, x.reshape(3, 1) * y, y); ops.kl_div(x, y); ops.softmax(x) * y
ops.gather(x, y.astype(ms.int32) * 0, 0); ops.tensordot(x, y, 1); ops.einsum('i,i->', x, y); ops.ldexp(x, y); ops.float_power(x * x + 1, y); ops.subtract(x, y); ops.div(x, y, rounding_mode='floor'); ops.div(x, y, rounding_mode='trunc'); ops.true_divide(x, y)
x.add(y); x.mul(y) * 2.5; x.sub(y) + True; x * 2.5 + y * 3; (x + 1) * (y - 1.5); -x * abs(y); x.clip(-1, 1) * y; ops.relu(x) * y; ops.sigmoid(x) + y; ops.tanh(y) * x; ops.square(x) - y; ops.abs(x) + ops.abs(y); ops.neg(x) * y; ops.sign(x) * y
ops.interpolate(x.reshape(1, 1, 3), size=6, mode='nearest').sum() * y; ops.pad(x, (1, 1)).sum() * y; ops.sort(x)[0] * y; ops.topk(x, 2)[0].sum() * y; ops.norm(x) * y; ops.std(x, 0) * y; ops.var(x, 0) * y; ops.logsumexp(x, 0) * y
ops.layer_norm(x, (3,), y, y)[0]; ops.binary_cross_entropy(ops.sigmoid(x), ops.sigmoid(y)); ops.binary_cross_entropy_with_logits(x, y, ops.ones_like(x), ops.ones_like(x)); ops.cross_entropy(x.reshape(1, 3), ops.softmax(y).reshape(1, 3))"""


def mixed() -> Iterator[str]:
    texts = [t.strip() for line in DIFFERENTIATED.splitlines() for t in line.split(";")]
    for text, (a, b) in product(texts, PAIRS):
        yield f"(lambda x, y: {text})({tensor(a)}, {tensor(b, shift=3)})"
    for text, (a, b) in product(texts, PAIRS):
        yield f"ms.grad(lambda x, y: {text}, (0, 1))({tensor(a)}, {tensor(b, shift=3)})"
    for text, (a, b) in product(texts, PAIRS[:6]):
        yield f"ms.jit(lambda x, y: {text})({tensor(a)}, {tensor(b, shift=3)})"


LAYERS = """Dense(3, 2) | Conv1d(2, 3, 2) | Conv2d(2, 3, 2) | Conv2d(2, 3, 2, pad_mode='valid') | BatchNorm1d(3) | BatchNorm2d(2) | LayerNorm((3,)) | GroupNorm(1, 2) | InstanceNorm2d(2) | Embedding(5, 3) | Dropout(p=0.5)
ReLU() | GELU() | Sigmoid() | Tanh() | Softmax() | LogSoftmax() | LeakyReLU() | ELU() | HSwish() | HSigmoid() | Flatten() | MaxPool2d(2, 2) | AvgPool2d(2, 2) | PReLU() | Softplus() | SiLU() | Mish() | CELU()
LSTM(3, 4) | GRU(3, 4) | RNN(3, 4) | LSTMCell(3, 4) | Conv2dTranspose(2, 3, 2) | AdaptiveAvgPool2d(1) | Bilinear(3, 3, 2) | Identity() | Pad(((0, 0), (1, 1))) | Upsample(scale_factor=2) | Unfold([1, 2, 2, 1], [1, 1, 1, 1], [1, 1, 1, 1]) | PixelShuffle(2) | MSELoss() | L1Loss() | BCELoss() | SmoothL1Loss()
CrossEntropyLoss() | NLLLoss() | BCEWithLogitsLoss() | HuberLoss() | KLDivLoss() | SoftMarginLoss() | CosineEmbeddingLoss() | MarginRankingLoss() | TripletMarginLoss() | HingeEmbeddingLoss() | DiceLoss() | FocalLoss() | MultiheadAttention(4, 2) | RMSELoss() | MAELoss() | PoissonNLLLoss() | GaussianNLLLoss()"""
BAD = ("None", "'x'", "-1", "0", "1.5", "True", "(1, 2)", "[1]", "ms.float32")


def layers() -> Iterator[str]:
    for text in LAYERS.replace("\n", " | ").split(" | "):
        text = text.strip()
        name, args = text[:-1].split("(", 1)
        yield f"type(nn.{text}).__name__"
        for shape in ((3,), (2, 3), (1, 2, 3), (1, 2, 4, 4), (1, 4, 3, 3)):
            for dtype in ("float32", "int32", "float16"):
                yield f"nn.{text}({tensor(dtype, shape)}).shape"
        for x in ("T(1.0)", "None", "1.0", "[1.0, 2.0]", "np.ones((2, 3), np.float32)"):
            yield f"nn.{text}({x})"
        if "Loss" in name:
            for a, b in product(("float32", "float16", "int32", "float64"), repeat=2):
                yield f"nn.{text}({tensor(a, (2, 3))}, {tensor(b, (2, 3), 3)})"
            yield f"nn.{text}({tensor('float32', (2, 3))}, {tensor('float32', (2, 2))})"
            yield f"nn.{text}({tensor('float32', (2, 3))}, {tensor('float32', (3,))})"
            yield f"nn.{text}({tensor('float32', (2, 3))}, T([1, 0], 'int32'))"
            for red in ("'none'", "'sum'", "'mean'", "'bad'", "None", "1"):
                yield f"nn.{name}(reduction={red})({tensor('float32', (2, 3))}, {tensor('float32', (2, 3), 3)})"
        parts = [
            p
            for p in args.split(", ")
            if p and "(" not in p and ")" not in p and "[" not in p and "=" not in p
        ]
        if parts and len(parts) == len(args.split(", ")):
            for i, bad in product(range(len(parts)), BAD):
                yield f"type(nn.{name}({', '.join([*parts[:i], bad, *parts[i + 1 :]])})).__name__"
            for i in range(len(parts)):
                yield f"type(nn.{name}({', '.join(parts[:i])})).__name__"
        yield f"type(nn.{name}(unknown=1)).__name__"


ARGUMENTS = """reshape(x, {}) ; (3, 2) (-1,) 6 (7,) (-1, -1) (2, -1) (0,) None 'x' 1.5 [3, 2] (3, 2.0) (True, 6)
transpose(x, {}) ; (1, 0) (0, 1) (0,) (0, 0) (2, 0) (-1, 0) None 1 [1, 0] (1.0, 0)
permute(x, {}) ; (1, 0) (0, 1) (0,) (0, 0) (2, 0) (-1, 0) None 1
expand_dims(x, {}) ; 0 1 2 3 -1 -3 -4 None 1.0 'x' (0,) True
squeeze(x[:1], {}) ; 0 1 2 -1 -2 -3 None 1.0 'x' (0,) (0, 1) True
concat((x, x), {}) ; 0 1 2 -1 -2 -3 None 1.0 'x' True
concat({}) ; (x,x) [x,x] x () [] (x,x[0]) (x,x[:,:2]) (x,1) (x,None) (x,T([[1,2,3]],'int32')) None 5
stack({}) ; (x,x) [x,x] x () [] (x,x[0]) (x,x[:,:2]) (x,1) (x,None) (x,T([[1,2,3],[1,2,3]],'int32')) None 5
split(x, {}) ; 1 2 3 4 0 -1 (1,1) (1,2) [1,1] None 1.0 'x'
chunk(x, {}) ; 1 2 3 0 -1 None 1.0 'x' (1,)
tile(x, {}) ; (2,) (2,2) (1,2,3) 2 -1 (0,) None 'x' (1.5,) [2,1]
broadcast_to(x, {}) ; (2,2,3) (2,3) (3,3) (-1,3) (2,-1) (1,) None 3 'x' (2.0,3) [2,2,3]
gather(x, {}, 0) ; T([0,1],'int32') T([2],'int32') T([-1],'int32') T([0.0]) 1 [0,1] None T(0,'int64') T([True])
gather(x, T([0],'int32'), {}) ; 0 1 2 -1 -2 -3 None 1.0 'x' True (0,)
one_hot(T([0,1],'int32'), {}) ; 2 0 -1 -2 None 1.5 'x' True
one_hot({}, 3) ; T([0,1],'int32') T([0,1],'int8') T([0.0,1.0]) T([3,-1],'int32') [0,1] 1 None T([True])
topk(x, {}) ; 1 2 3 4 0 -1 None 1.5 'x' True (1,)
clip(x, {}) ; 0,1 None,1 0,None None,None 1,0 'a',1 T(0.0),T(1.0) 0.5 x,x T([0.0,1.0]),1
clamp(x, {}) ; 0,1 None,1 0,None None,None 1,0 'a',1 T(0.0),T(1.0) 0.5 x,x T([0.0,1.0]),1
softmax(x, {}) ; 0 1 -1 2 -3 None 1.0 'x' (0,) True
pad(x, {}) ; (1,1) (1,1,1,1) [1,1] (1,) (1,1,1) (-1,0) (1.5,1) None 1 'x' ((1,1),(1,1)) (1,1),'reflect' (1,1),'bad' (3,3),'reflect' (1,1),'constant',2
cumsum(x, {}) ; 0 1 -1 2 -3 None 1.0 'x' (0,)
full({}) ; (2,),1 (2,),1.5 2,1 (-1,),1 None,1 (2,),None (2,),'x' (2,),True (2.0,),1 [2],1 (2,),T(1.0)
zeros({}) ; (2,) 2 (0,) (-1,) None 'x' (2.0,) [2] (2,),ms.int32 (2,),'float32' () True T([2])
ones({}) ; (2,) 2 (0,) (-1,) None 'x' (2.0,) [2] (2,),ms.int32 (2,),'float32' ()
eye({}) ; 2 2,3 0 -1 2,3,ms.int32 1.5 None 'x' True
arange({}) ; 3 1,3 1,3,2 3,1,-1 3,1 0.5 1.0,2.0,0.5 1,2,0 None 'x' T(3,'int32') 3.0 -1 2,2
linspace({}) ; 0,1,3 0.0,1.0,1 0,1,0 0,1,-1 0,1,2.5 T(0.0),T(1.0),3 1,0,3 None,1,3
einsum({}) ; 'ij->ji',x 'ij,ij->i',x,x 'ij',x 'ijk',x 'ij,jk',x,x 'i->j',x[0] x 'ij->ii',x 'i...->...',x ''
matmul(x, {}) ; x x.T x[0] 1 None T(1.0) [1] x.T[None]
norm(x, {}) ; 1 2 0 'fro' 'nuc' 'bad' None float('inf') -1 1.5 2,0 2,(0,1) 1,0,True
argmax(x, {}) ; 0 1 -1 2 None 1.0 'x' (0,) 0,True dim=0,keepdim=True
sum(x, {}) ; 0 1 -1 2 None 1.0 'x' (0,1) () 0,True dim=0,keepdim=True 0,dtype=ms.float16
mean(x, {}) ; 0 1 -1 2 None 1.0 'x' (0,1) () 0,True axis=0,keep_dims=True
masked_fill(x, {}) ; x>0,1 x>0,None x>0,'a' x,1 x>0,T(2.0) x>0,T([1.0,2.0]) None,1 (x>0)[0],1 x[:,:2]>0,1 x>0,True
where({}) ; x>0,x,x x>0,1.0,2.0 x>0,x,1 x,x,x x>0,x,x[0] x>0,x,x[:,:2] True,x,x x>0,None,x x>0,x,T([1],'int32') x>0
masked_select(x, {}) ; x>0 x x[0]>0 None x[:,:2]>0
index_select(x, {}) ; 0,T([0],'int32') 1,T([2,0],'int64') 2,T([0],'int32') 0,T([5],'int32') 0,T([[0]],'int32') 0,T([0.0]) 0,[0] 0.0,T([0],'int32') None,T([0],'int32') -1,T([0],'int32')
gather_elements(x, {}) ; 0,T([[0,0,0]],'int32') 1,T([[0],[1]],'int64') 2,T([[0]],'int32') 0,T([0],'int32') 0,T([[0.0]]) 0,T([[5,0,0]],'int32') 0,T([[-1,0,0]],'int32')
repeat_interleave(x, {}) ; 2 2,0 2,1 0 -1 1.5 None (1,2),0 2,2 T([1,2],'int32'),0
flip(x, {}) ; 0 (0,) (0,1) (0,0) (2,) [0] None 1.0 (-1,) ()
roll(x, {}) ; 1 1,0 (1,1),(0,1) 1,2 1.5 None (1,),(0,1) -1,-1
tril(x, {}) ; 0 1 -1 5 None 1.5 'x' True
triu(x, {}) ; 0 1 -1 5 None 1.5 'x' True
diag({}) ; x x[0] T(1.0) 1 None
swapaxes(x, {}) ; 0,1 -1,0 0,2 0 None,0 0.0,1 'a',0 (0,),1
flatten(x, {}) ; 'C' 'F' 'X' None start_dim=0 start_dim=1 start_dim=2 start_dim=0,end_dim=1 start_dim=1,end_dim=0 start_dim=1.0
cross_entropy(x, {}) ; T([0,1],'int32') T([0,3],'int32') T([0,1],'int64') T([0.0,1.0]) x x[0] 1 None T([0,1],'int32'),None,-100,'bad' T([0,1],'int32'),T([1.0,2.0,3.0]) T([0,1],'int32'),None,1 T([0],'int32') T([0,1],'int32'),label_smoothing=0.1 T([0,1],'int32'),label_smoothing=2.0
nll_loss(x, {}) ; T([0,1],'int32') T([0,3],'int32') T([0,1],'int64') T([0.0,1.0]) x 1 None T([0,1],'int32'),None,-100,'bad' T([0,1],'int32'),T([1.0,2.0,3.0]) T([0,1],'int32'),None,1 T([0],'int32')
mse_loss(x, {}) ; x x[0] 1 None x,'sum' x,'none' x,'bad' x,1 T([1.0,2.0])
cast(x, {}) ; ms.int32 ms.bool_ 'int32' 'x' None int float bool np.float32 1
sort(x, {}) ; 0 1 -1 2 None 0,True 1.0 'x' descending=True descending=1
cdist(x, {}) ; x x,1.0 x,0.0 x,-1.0 x,float('inf') x[0] x[:,:2] x,'a' None
unsorted_segment_sum(x, {}) ; T([0,1],'int32'),2 T([0,0],'int32'),1 T([0,5],'int32'),2 T([0],'int32'),2 T([0.0,1.0]),2 T([0,1],'int32'),0 T([0,1],'int32'),-1 T([0,1],'int32'),1.5 T([-1,1],'int32'),2
tensor_scatter_update(x, {}) ; T([[0,0]],'int32'),T([9.0]) T([[0]],'int32'),x[:1] T([[5,0]],'int32'),T([9.0]) T([[0.0,0.0]]),T([9.0]) T([[0,0]],'int32'),T([9.0,1.0]) T([[0,0]],'int32'),9.0 T([[-1,0]],'int32'),T([9.0]) T([[0,0]],'int32'),T([9],'int32')
gather_nd(x, {}) ; T([[0,0]],'int32') T([0],'int32') T([[5,0]],'int32') T([[0.0]]) [[0,0]] T([[-1,0]],'int32')
std(x, {}) ; 0 1 None 0,1 0,0 0,True 0,1,True 2 (0,1) 'x' 0,-1
var(x, {}) ; 0 1 None 0,1 0,0 0,True 0,1,True 2 (0,1) 'x' 0,-1
layer_norm(x, {}) ; (3,) 3 [3] (2,3) (2,) (4,) None (3,),T([1.0,1.0,1.0]) (3,),T([1.0,1.0]) (3,),None,None,1e-3 (3,),None,None,'a'
dropout(x, {}) ; 0.0 1.5 -0.1 None 'a' 1 0.5,False 0.0,True
leaky_relu(x, {}) ; 0.1 1 None 'a' T(0.1) -0.5
elu(x, {}) ; 1.0 0.5 1 None 'a'
celu(x, {}) ; 1.0 0.0 1 None 'a' -1.0
hardtanh(x, {}) ; -1,1 -1.0,1.0 1,-1 'a',1 0
threshold(x, {}) ; 0,1 0.5,2.0 None,1 'a',1 0
glu(x[:,:2], {}) ; 0 1 -1 2 None 1.0
logsumexp(x, {}) ; 0 1 -1 (0,1) None 2 1.0 'x' 0,True
cumprod(x, {}) ; 0 1 -1 2 None 1.0 'x'
unstack(x, {}) ; 0 1 -1 2 None 1.0 'x'
meshgrid({}) ; x[0],x[1] x[0] x,x x[0],x[1],indexing='ij' x[0],x[1],indexing='bad' 1,2
conv2d({}) ; T(np.ones((1,1,3,3))),T(np.ones((1,1,2,2))) T(np.ones((1,2,3,3))),T(np.ones((1,1,2,2))) T(np.ones((1,3,3))),T(np.ones((1,1,2,2))) T(np.ones((1,1,3,3))),T(np.ones((1,1,2,2))),None,0 T(np.ones((1,1,3,3))),T(np.ones((1,1,2,2))),None,2 T(np.ones((1,1,3,3))),T(np.ones((1,1,4,4))) T(np.ones((1,1,3,3))),None T(np.ones((1,1,3,3))),T(np.ones((1,1,2,2))),None,1,'bad'
max_pool2d(T(np.ones((1,1,4,4))), {}) ; 2 (2,2) 0 -1 5 'a' None 2,0 2,1 2,2,1 2,2,3
avg_pool2d(T(np.ones((1,1,4,4))), {}) ; 2 (2,2) 0 -1 5 'a' None 2,0 2,1
interpolate(T(np.ones((1,1,2,2))), {}) ; size=(4,4) size=4 scale_factor=2.0 size=(4,4),mode='bilinear' size=(4,4),mode='bad' size=None size=(4,4),scale_factor=2.0 size=(0,4) size=(4,)
isin(x, {}) ; x
select({}) ; x>0,x,x x>0,x,1.0 x>0,1.0,x x>0,x,1 x>0,x,x[0] x,x,x x>0,x,T([[1,2,3],[1,2,3]],'int32')
lerp(x, x, {}) ; 0.5 1 T(0.5) x 'a' None T([0.5,0.5])
addcmul(x, x, x, {}) ; 1 0.5 T(0.5) 'a' None
fill(ms.float32, {}) ; (2,),1 2,1 (2,),'a' (-1,),1 (2,),None
histc(x, {}) ; 4 0 -1 4,0.0,2.0 4,2.0,0.0 1.5
bincount({}) ; T([1,2],'int32') T([1,2],'int32'),T([0.5,0.5]) T([-1],'int32') T([1,2],'int32'),None,5 T([[1]],'int32') T([1.0])
searchsorted(T([1.0,2.0,3.0]), {}) ; T([1.5]) T([1.5]),right=True 2.0 T([[1.5]]) T([1],'int32')
randint({}) ; 0,0,(2,) 5,1,(2,) 0.5,1,(2,) 0,2,2.0
rand({}) ; -1 'x' 1.5 None
dropout2d(x, {}) ; 0.5
sequence_mask({}) ; T([1,2],'int32') T([1,2],'int32'),3 T([1.0]) T([1,2],'int32'),-1
tensor_split(x, {}) ; 2 (1,) 0 -1 1.5 None (1,2),1 2,2
diagonal(x, {}) ; 0 1 -1 5 0,0,1 0,0,0 0,0,2 1.5
trace({}) ; x x[0] x[None] 1
slice(x, {}) ; (0,0),(1,1) (0,0),(3,1) (0,),(1,) (0,0),(-1,1) (-1,0),(1,1) 0,1
strided_slice(x, {}) ; (0,0),(2,3),(1,2) (0,0),(2,3),(0,1) (1,2),(-3,-4),(-1,-1) (0,),(2,),(1,)
narrow(x, {}) ; 0,0,1 1,1,2 0,1,5 2,0,1 0,-1,1 0,0,-1
unsqueeze(x, {}) ; 0 -1 2 3 None
movedim(x, {}) ; 0,1 (0,1),(1,0) 0,2 (0,0),(0,1) 0 None,1
rot90(x, {}) ; 1,(0,1) 2,(0,1) 1,(0,0) 1,(0,) 1,(0,2) 1.5,(0,1)
batch_norm(x, {}) ; T([0.0]*3),T([1.0]*3),T([1.0]*3),T([0.0]*3) T([0.0]*2),T([1.0]*3),T([1.0]*3),T([0.0]*3) T([0.0]*3),T([1.0]*3),T([1.0]*3),T([0.0]*3),False,0.1,'a'
vander({}) ; x[0] x x[0],2 x[0],-1 x[0],1.5
nan_to_num(x, {}) ; 0.0 1 'a' None 0.0,1.0,2.0
embedding({}) ; T([0,1],'int32'),x T([5],'int32'),x T([0.0]),x T([0],'int32'),x[0] [0],x""".splitlines()


def arguments() -> Iterator[str]:
    for line in ARGUMENTS:
        call, values = line.split(" ; ")
        for value in _words(values):
            text = f"ops.{call.replace('{}', value)}"
            yield f"(lambda x: {text})({tensor('float32', (2, 3))})"
            if value.count("'") == 0 and "T(" not in value:
                yield f"(lambda x: {text})({tensor('int32', (2, 3))})"


def _words(text: str) -> list[str]:
    """Parts between spaces outside of brackets."""
    words, depth = [""], 0
    for c in text:
        depth += (c in "([") - (c in ")]")
        if c == " " and depth == 0:
            words.append("")
        else:
            words[-1] += c
    return [w for w in words if w]


GROUPS = {
    "unary": unary,
    "binary": binary,
    "operators": operators,
    "reductions": reductions,
    "methods": methods,
    "mixed": mixed,
    "layers": layers,
    "arguments": arguments,
}


def programs(group: str, mode: str = "eager") -> list[dict[str, str]]:
    texts = dict.fromkeys(GROUPS[group]())
    return [{"id": t, "mode": mode, "text": f"return {t}"} for t in texts]
