"""Programs that ask for the slope where a function has a corner, a jump or a tie: each gives a value and its
gradient by all arguments.

They are made from tables: functions of one number on a grid that has their corners, of two numbers on all pairs of
a grid, extrema over equal elements, losses at their hinges, pools of equal elements, updates that tie.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product

GRID = (-3, -2, -1, -0.5, 0, 0.5, 1, 2, 3, 4, 6)
PAIRS = tuple(product((-2, -1, -0.5, 0, 0.5, 1, 2), repeat=2))
TIES = ((1, 3, 3, 2), (2, 2, 2, 2), (0, -0.0, 0, -1), (3, 1, 3, 3))
FLAT = ((0, 0, 0, 0), (0, 0, 0, 0))
POINTS, TARGETS = (-2, -1, -0.5, 0, 0.5, 1, 2, 1.5), (-1, -1, 0.5, 0, 0, 0, 1, 1.5)
SIGNS = (1, -1, 1, -1, 1, -1, 1, -1)
IMAGE = ((1, 1, 2, 2), (1, 3, 3, 2), (0, 3, 3, 0), (-0.0, 0, 1, 1))
UPDATED, UPDATES = (1, 2, 0, 3), (1, 1, 0, -1)

_UNARY = """relu(x) relu6(x) abs(x) sign(x) elu(x) celu(x) gelu(x) leaky_relu(x,0.1) leaky_relu(x,0.0) leaky_relu(x,1.5)
leaky_relu(x,-0.5) hardshrink(x,0.5) hardshrink(x,1.0) softshrink(x,0.5) softshrink(x,1.0) hardtanh(x) hardtanh(x,-2,3)
hardsigmoid(x) hardswish(x) softsign(x) silu(x) softplus(x) threshold(x,1.0,5.0) threshold(x,0.0,0.0)
threshold(x,-1.0,-1.0) clip_by_value(x,-1.0,1.0) clamp(x,1.0,-1.0) clamp(x,None,2.0) clamp(x,-2.0) clamp(x,1.0,1.0)
logsigmoid(x) floor(x) ceil(x) round(x) trunc(x) frac(x) tanhshrink(x) sqrt(x) rsqrt(x) log(x) log1p(x) acosh(x)
atanh(x) asin(x) acos(x) reciprocal(x) nan_to_num(x) erfinv(x) amax(x) amin(x) max(x)[0] min(x)[0] median(x)[0]
cummax(x,0)[0] cummin(x,0)[0] sort(x)[0] sort(x,-1,True)[0] norm(x) norm(x*0) prod(x) std(x) logsumexp(x,0)
relu(x)**2 relu(x)*relu(-x) relu(relu(x)) relu(abs(x)) abs(relu(x)) elu(abs(x)) relu(-x)+relu(x) maximum(x,-x)
maximum(x,0.1*x) maximum(x,0) minimum(maximum(x,-1.0),1.0) minimum(x,6)*relu(x) hardtanh(x)*relu(x) sqrt(abs(x))
sqrt(x*x) sign(x)*x abs(x)**3 log(relu(x)+1) max(stack([x,x,-x]),0)[0] amax(stack([x,x,-x]),0) pow(x,3) pow(0.0,x)"""

_PLAIN = """x**0 x**1 x**2.5 x**-1 x**0.5 2**x 0**x x*(x>0) x.abs()*x mint.nn.functional.relu(x) mint.clamp(x,min=0.0)
mint.clamp(x,max=0.0) mint.nn.functional.hardshrink(x) mint.nn.functional.softshrink(x) mint.nn.functional.hardswish(x)
mint.nn.functional.leaky_relu(x,0.1) mint.nn.functional.elu(x) nn.PReLU()(x) nn.PReLU(1,0.0)(x) nn.HShrink(1.0)(x)
nn.SoftShrink(1.0)(x) nn.Threshold(0.0,-1.0)(x) nn.LeakyReLU(0.2)(x) nn.HSigmoid()(x) ms.numpy.clip(x,-1,1)
ms.numpy.maximum(x,0.0) ms.numpy.ptp(x) ms.numpy.copysign(x,-1.0) ms.numpy.heaviside(x,0.5) ms.numpy.fabs(x)
ms.numpy.interp(x,T([0,2,4]),T([1,3,0]))"""

_BINARY = """maximum(x,y) minimum(x,y) fmax(x,y) fmin(x,y) atan2(x,y) hypot(x,y) pow(x,y) fmod(x,y) remainder(x,y)
floor_mod(x,y) floor_div(x,y) div(x,y) logaddexp(x,y) copysign(x,y) heaviside(x,y) dist(x,y) where(x>y,x,y)
where(x>=y,x,y) where(x==y,x*x,y) select(x<y,x*y,y) clamp(x,y,y+1) clamp(x,y) clamp(x,None,y) clip_by_value(x,y,y)
abs(x-y) sqrt(square(x-y)) relu(x-y)*relu(y-x) norm(x-y) lerp(x,y,0.5)"""

_TIES = """amax(x,{}) amin(x,{}) max(x,{})[0] min(x,{})[0] aminmax(x,axis={})[0] aminmax(x,axis={})[1] median(x,{})[0]
sort(x,{})[0] sort(x,{},True)[0] topk(x,3,{},False)[0] cummax(x,{})[0] cummin(x,{})[0] cumprod(x,{}) logsumexp(x,{})
norm(x,1,dim={}) norm(x,3,dim={}) norm(x,0,dim={}) softmax(x,{}) renorm(x,2,{},2.0) prod(x,{}) ArgMaxWithValue({})(x)[1]
L2Normalize({})(x)"""

_LOSSES = """l1_loss(x,y,{}) mse_loss(x,y,{}) smooth_l1_loss(x,y,1.0,{}) smooth_l1_loss(x,y,0.5,{})
huber_loss(x,y,{},1.0) huber_loss(x,y,{},0.5) hinge_embedding_loss(x,S,1.0,{}) hinge_embedding_loss(x,S,0.5,{})
margin_ranking_loss(x,y,S,0.0,{}) margin_ranking_loss(x,y,S,0.5,{}) soft_margin_loss(x,S,{})
cosine_embedding_loss(x.reshape(4,2),y.reshape(4,2),S[:4],0.5,{})
multi_margin_loss(x.reshape(2,4),C,reduction={}) multi_margin_loss(x.reshape(2,4)*0,C,2,0.5,None,{})
multilabel_margin_loss(x.reshape(2,4)*0,M,{})
triplet_margin_loss(x.reshape(4,2),y.reshape(4,2),S.reshape(4,2),reduction={})"""

_POOLS = """max_pool2d(x,2,2) max_pool2d(x,2,1) max_pool2d(x,3,1,1) max_pool2d(x,3,2,1) max_pool2d(relu(x),2,1)
avg_pool2d(x,3,1,1) adaptive_max_pool2d(x,(2,2)) adaptive_max_pool2d(x,(1,3)) lp_pool2d(x,2,2) lp_pool2d(x,1,2,1)
lp_pool2d(x*0,2,2) lp_pool1d(x[0],3.0,2,2) interpolate(x,size=(2,2),mode='nearest')"""

_UPDATES = """tensor_scatter_max(x,I,y) tensor_scatter_min(x,I,y) tensor_scatter_add(x,I,y) tensor_scatter_sub(x,I,y)
unsorted_segment_max(y,J,3) unsorted_segment_min(y,J,3) unsorted_segment_sum(y,J,3) unsorted_segment_max(y*0,J*0,2)
unsorted_segment_min(y*0,J*0,2)"""

_NAMES = {
    "S": f"T({SIGNS}, 'int32')",
    "C": "T([1, 3], 'int64')",
    "M": "T([[1, -1, 0, 0], [3, 1, -1, 0]], 'int32')",
    "I": "T([[0], [0], [2], [3]], 'int32')",
    "J": "T([0, 0, 1, 0], 'int32')",
}


def _program(what: str, text: str, *arguments: object) -> dict[str, str]:
    """A value, and the gradient of its sum with the weights of `probe`."""
    names = ", ".join("xy"[: len(arguments)])
    given = "\n".join(f"{n} = {a}" for n, a in _NAMES.items() if n in text)
    position = "0" if len(arguments) == 1 else "(0, 1)"
    body = f"""{given}
a = [{", ".join(f"T({v})" for v in arguments)}]
def f({names}):
    return {text}
value = f(*a)
weights = probe(value)
return value, ms.grad(lambda {names}: (f({names}) * weights).sum(), {position})(*a)"""
    return {"id": f"{what}: {text}", "mode": "eager", "text": body}


def _in_ops(text: str) -> str:
    """The text with functions of `ops` named as such."""
    return re.sub(r"(?<![\w.])([A-Za-z]\w+)(?=\()", r"ops.\1", text)


def programs() -> Iterator[dict[str, str]]:
    for text in _UNARY.split():
        yield _program("corner", _in_ops(text), GRID)
    for text in _PLAIN.split():
        yield _program("corner", text, GRID)
    first, second = zip(*PAIRS, strict=True)
    for text in _BINARY.split():
        yield _program("corner of two", _in_ops(text), first, second)
    for text, axis in product(_TIES.split(), "01"):
        yield _program("tie", _in_ops(text.format(axis)), TIES)
        if "norm" in text or "Norm" in text:
            yield _program("zeros", _in_ops(text.format(axis)), FLAT)
    for text, reduction in product(_LOSSES.split(), ("none", "mean")):
        yield _program("hinge", _in_ops(text.format(f"{reduction!r}")), POINTS, TARGETS)
    for text in _POOLS.split():
        yield _program("pool", _in_ops(text), ((IMAGE,),))
    for text in _UPDATES.split():
        yield _program("tied updates", _in_ops(text), UPDATED, UPDATES)
