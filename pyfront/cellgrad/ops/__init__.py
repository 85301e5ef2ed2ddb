"""Operations: functions of tensors, and MindSpore's class forms of them.

Elementwise operations are generated from the dialect's records (``ops/_generated.py`` in the build folder).
"""

__path__ = __import__("pkgutil").extend_path(__path__, __name__)

from cellgrad.ops import _generated
from cellgrad.ops._elementwise import Primitive
from cellgrad.ops._generated import *  # noqa: F403
from cellgrad.ops.composites import addn, clip_by_global_norm
from cellgrad.ops.contractions import batch_mat_mul, bmm, dot, mat_mul, matmul, mm
from cellgrad.ops.primitives import (
    Assign,
    AssignAdd,
    AssignSub,
    BatchMatMul,
    BroadcastTo,
    Cast,
    Concat,
    Div,
    DType,
    ExpandDims,
    Fill,
    Flatten,
    Identity,
    MatMul,
    Ones,
    OnesLike,
    Pow,
    Print,
    Rank,
    RealDiv,
    ReduceAll,
    ReduceAny,
    ReduceMax,
    ReduceMean,
    ReduceMin,
    ReduceSum,
    Reshape,
    Select,
    Shape,
    Size,
    Softmax,
    Squeeze,
    Stack,
    StopGradient,
    Transpose,
    Zeros,
    ZerosLike,
)
from cellgrad.ops.reductions import all, amax, amin, any, argmax, max, mean, min, reduce_sum, softmax, std, sum, var
from cellgrad.ops.selection import (
    assign,
    assign_add,
    assign_sub,
    bool_operator,
    cast,
    clamp,
    clip,
    clip_by_value,
    div,
    dtype,
    dtype_argument,
    fill,
    full,
    full_like,
    identity,
    ones,
    ones_like,
    pow,
    print_,
    rank,
    select,
    shape,
    size,
    stop_gradient,
    where,
    zeros,
    zeros_like,
)
from cellgrad.ops.shapes import (
    broadcast_to,
    cat,
    concat,
    expand_dims,
    flatten,
    getitem,
    permute,
    reshape,
    squeeze,
    stack,
    swapaxes,
    transpose,
    unsqueeze,
)

absolute = abs = _generated.abs
negative = _generated.neg
subtract = _generated.sub
multiply = _generated.mul
true_divide = divide = div
eq = _generated.equal
ne = _generated.not_equal
lt = _generated.less
le = _generated.less_equal
gt = _generated.greater
ge = _generated.greater_equal
reduce_mean = mean
reduce_max = amax
reduce_min = amin

from cellgrad.grad import GradOperation  # noqa: E402  (built on the operations)

__all__ = [name for name in dir() if not name.startswith("_")]
