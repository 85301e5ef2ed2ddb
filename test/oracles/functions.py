"""A hundred functions in the words of cellgrad (and MindSpore), JAX and PyTorch.

Where a framework has no such function, its text is empty. Inputs are named sets, drawn once.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np


class Case(NamedTuple):
    name: str
    ours: str
    jax: str
    torch: str
    args: tuple[str, ...]


_random = np.random.default_rng(20)


def _spread(low: float, high: float, *shape: int) -> Any:
    return np.round(_random.uniform(low, high, shape), 3)


INPUTS: dict[str, Any] = {
    "any": _spread(-2, 2, 7),
    "any2": _spread(-2, 2, 7),
    "positive": _spread(0.2, 3, 7),
    "positive2": _spread(0.2, 3, 7),
    "above1": _spread(1.1, 4, 7),
    "inside": _spread(-0.9, 0.9, 7),
    "large": _spread(-12, 12, 7),
    "matrix": _spread(-2, 2, 3, 4),
    "matrix2": _spread(-2, 2, 3, 4),
    "tall": _spread(-2, 2, 4, 2),
    "wide": _spread(-2, 2, 4, 3),
    "square": _spread(-1, 1, 3, 3) + 3 * np.eye(3),
    "batch": _spread(-1, 1, 2, 3, 4),
    "batch2": _spread(-1, 1, 2, 4, 2),
    "row": _spread(-2, 2, 4),
}


def _unary(names: str, args: str, jax: str, torch: str) -> list[Case]:
    return [
        Case(
            n,
            f"lambda x: ops.{n}(x)",
            f"lambda x: {jax}.{n}(x)",
            f"lambda x: {torch}.{n}(x)",
            (args,),
        )
        for n in names.split()
    ]


def _same(name: str, text: str, *args: str, jax: str = "", torch: str = "") -> Case:
    """`text` is an expression of x, y, z with the framework as `m`."""
    head = "lambda " + ", ".join("xyz"[: len(args)]) + ": "
    say = lambda other, module: head + (other or text).replace("m.", module)
    return Case(name, say("", "ops."), say(jax, "jnp."), say(torch, "torch."), args)


CASES: list[Case] = [
    *_unary(
        "abs sin cos tan sinh cosh tanh exp exp2 expm1 square atan asinh floor ceil sign",
        "any",
        "jnp",
        "torch",
    ),
    *_unary("sqrt log log2 log10 log1p reciprocal", "positive", "jnp", "torch"),
    *_unary("asin acos atanh", "inside", "jnp", "torch"),
    *_unary("acosh", "above1", "jnp", "torch"),
    *_unary("erf erfc", "any", "special", "torch"),
    *_unary("silu relu6 softplus selu celu", "large", "nn", "F"),
    *_unary("relu sigmoid", "large", "nn", "torch"),
    *_unary("elu mish", "large", "nn", "F"),
    _same("rsqrt", "m.rsqrt(x)", "positive", jax="lax.rsqrt(x)"),
    _same("neg", "m.neg(x)", "any", jax="-x"),
    _same(
        "gelu (erf)",
        "ops.gelu(x, approximate='none')",
        "large",
        jax="nn.gelu(x, approximate=False)",
        torch="torch.nn.functional.gelu(x)",
    ),
    _same(
        "gelu (tanh)",
        "ops.gelu(x, approximate='tanh')",
        "large",
        jax="nn.gelu(x)",
        torch="torch.nn.functional.gelu(x, approximate='tanh')",
    ),
    _same(
        "logsigmoid",
        "ops.logsigmoid(x)",
        "large",
        jax="nn.log_sigmoid(x)",
        torch="torch.nn.functional.logsigmoid(x)",
    ),
    _same(
        "hardswish",
        "ops.hardswish(x)",
        "any",
        jax="nn.hard_swish(x)",
        torch="torch.nn.functional.hardswish(x)",
    ),
    _same(
        "hardsigmoid",
        "ops.hardsigmoid(x)",
        "any",
        jax="nn.hard_sigmoid(x)",
        torch="torch.nn.functional.hardsigmoid(x)",
    ),
    _same(
        "leaky_relu",
        "ops.leaky_relu(x, 0.1)",
        "any",
        jax="nn.leaky_relu(x, 0.1)",
        torch="torch.nn.functional.leaky_relu(x, 0.1)",
    ),
    _same(
        "hardtanh",
        "ops.hardtanh(x)",
        "any",
        jax="nn.hard_tanh(x)",
        torch="torch.nn.functional.hardtanh(x)",
    ),
    _same(
        "tanhshrink",
        "ops.tanhshrink(x)",
        "any",
        jax="x - jnp.tanh(x)",
        torch="torch.nn.functional.tanhshrink(x)",
    ),
    _same(
        "softshrink",
        "ops.softshrink(x, 0.5)",
        "any",
        jax="jnp.where(x > 0.5, x - 0.5, jnp.where(x < -0.5, x + 0.5, 0))",
        torch="torch.nn.functional.softshrink(x, 0.5)",
    ),
    _same(
        "softsign",
        "ops.softsign(x)",
        "large",
        jax="nn.soft_sign(x)",
        torch="torch.nn.functional.softsign(x)",
    ),
    _same("sinc", "m.sinc(x)", "any"),
    _same("deg2rad", "m.deg2rad(x)", "any"),
    _same("frac", "m.frac(x)", "any", jax="x - jnp.trunc(x)"),
    _same("nan_to_num", "m.nan_to_num(x)", "any"),
    _same(
        "clamp",
        "ops.clamp(x, -1.0, 0.5)",
        "any",
        jax="jnp.clip(x, -1.0, 0.5)",
        torch="torch.clamp(x, -1.0, 0.5)",
    ),
    _same("add", "x + y", "any", "any2"),
    _same("sub", "x - y", "any", "any2"),
    _same("mul", "x * y", "any", "any2"),
    _same("div", "x / y", "any", "positive"),
    _same("pow", "m.pow(x, y)", "positive", "any", jax="jnp.power(x, y)"),
    _same("power 3", "x ** 3", "any"),
    _same("power -2.5", "x ** -2.5", "positive"),
    _same("maximum", "m.maximum(x, y)", "any", "any2"),
    _same("minimum", "m.minimum(x, y)", "any", "any2"),
    _same("atan2", "m.atan2(x, y)", "any", "any2", jax="jnp.arctan2(x, y)"),
    _same("hypot", "m.hypot(x, y)", "any", "any2"),
    _same("logaddexp", "m.logaddexp(x, y)", "any", "large"),
    _same("logaddexp2", "m.logaddexp2(x, y)", "any", "any2"),
    _same("xlogy", "m.xlogy(x, y)", "positive", "positive2", jax="special.xlogy(x, y)"),
    _same(
        "lerp",
        "ops.lerp(x, y, z)",
        "any",
        "any2",
        "positive",
        jax="x + z * (y - x)",
        torch="torch.lerp(x, y, z)",
    ),
    _same("remainder", "m.remainder(x, y)", "large", "positive"),
    _same("fmod", "m.fmod(x, y)", "large", "positive"),
    _same("copysign", "m.copysign(x, y)", "any", "any2"),
    _same(
        "addcmul",
        "ops.addcmul(x, y, z, ms.Tensor(0.5, ms.float64))",
        "any",
        "any2",
        "positive",
        jax="x + 0.5 * y * z",
        torch="torch.addcmul(x, y, z, value=0.5)",
    ),
    _same("where", "m.where(x > 0, x * y, y)", "any", "any2"),
    _same("sum", "x.sum()", "matrix"),
    _same("sum along 1", "x.sum(1)", "matrix"),
    _same("mean", "x.mean(0)", "matrix"),
    _same("prod", "x.prod()", "row"),
    _same("amax", "m.amax(x, 1)", "matrix"),
    _same("amin", "m.amin(x, 0)", "matrix"),
    _same("max", "x.max()", "matrix"),
    _same(
        "var", "ops.var(x, 1, 1)", "matrix", jax="jnp.var(x, 1, ddof=1)", torch="torch.var(x, 1)"
    ),
    _same(
        "std", "ops.std(x, 0, 1)", "matrix", jax="jnp.std(x, 0, ddof=1)", torch="torch.std(x, 0)"
    ),
    _same("logsumexp", "m.logsumexp(x, 1)", "matrix", jax="special.logsumexp(x, 1)"),
    _same(
        "norm",
        "ops.sqrt(ops.square(x).sum())",
        "matrix",
        jax="jnp.linalg.norm(x)",
        torch="torch.linalg.norm(x)",
    ),
    _same(
        "softmax", "ops.softmax(x, -1)", "matrix", jax="nn.softmax(x)", torch="torch.softmax(x, -1)"
    ),
    _same(
        "log_softmax",
        "ops.log_softmax(x, -1)",
        "matrix",
        jax="nn.log_softmax(x)",
        torch="torch.log_softmax(x, -1)",
    ),
    _same(
        "softmax of large numbers",
        "ops.softmax(40 * x, -1)",
        "matrix",
        jax="nn.softmax(40 * x)",
        torch="torch.softmax(40 * x, -1)",
    ),
    _same("glu", "ops.glu(x, -1)", "matrix", jax="nn.glu(x)", torch="torch.nn.functional.glu(x)"),
    _same(
        "cosine similarity",
        "ops.cosine_similarity(x, y, dim=1)",
        "matrix",
        "matrix2",
        jax="(x * y).sum(1) / jnp.sqrt((x * x).sum(1) * (y * y).sum(1))",
        torch="torch.nn.functional.cosine_similarity(x, y)",
    ),
    _same("reshape", "x.reshape(2, 6)", "matrix"),
    _same("transpose", "x.T * x.T", "matrix"),
    _same("swapaxes", "m.swapaxes(x, 0, 2) ** 2", "batch"),
    _same(
        "flip",
        "ops.flip(x, (1,)) * x",
        "matrix",
        jax="jnp.flip(x, 1) * x",
        torch="torch.flip(x, (1,)) * x",
    ),
    _same("roll", "m.roll(x, 1, 1) * x", "matrix"),
    _same("tile", "m.tile(x, (2, 3)) ** 2", "matrix"),
    _same("broadcast_to", "m.broadcast_to(x, (3, 4)) * y", "row", "matrix"),
    _same("slice", "x[1:, ::2] * x[:-1, 1::2]", "matrix"),
    _same(
        "concat",
        "ops.concat((x, y * x), 1)",
        "matrix",
        "matrix2",
        jax="jnp.concatenate((x, y * x), 1)",
        torch="torch.cat((x, y * x), 1)",
    ),
    _same("stack", "m.stack((x, x * x), 1)", "matrix"),
    _same(
        "pad",
        "ops.pad(x, (1, 2)) ** 2",
        "matrix",
        jax="jnp.pad(x, ((0, 0), (1, 2))) ** 2",
        torch="torch.nn.functional.pad(x, (1, 2)) ** 2",
    ),
    _same("tril", "m.tril(x) * y", "matrix", "matrix2"),
    _same("triu", "m.triu(x, 1) * y", "matrix", "matrix2"),
    _same("diagonal", "m.diagonal(x) ** 2", "square"),
    _same("diag", "m.diag(x) ** 2", "row"),
    _same("trace", "m.trace(x) ** 2", "square"),
    _same("matmul", "m.matmul(x, y)", "matrix", "tall"),
    _same("matmul, batched", "m.matmul(x, y)", "batch", "batch2"),
    _same("matrix times vector", "m.matmul(x, y)", "matrix", "row"),
    _same(
        "bmm", "ops.bmm(x, y)", "batch", "batch2", jax="jnp.matmul(x, y)", torch="torch.bmm(x, y)"
    ),
    _same("outer", "m.outer(x, y)", "row", "any"),
    _same("einsum", "m.einsum('ij,jk->ki', x, y)", "matrix", "tall"),
    _same("einsum, of three", "m.einsum('bij,bjk,ij->bk', x, y, z)", "batch", "batch2", "matrix"),
    _same(
        "tensordot",
        "ops.tensordot(x, y, 1)",
        "matrix",
        "tall",
        jax="jnp.tensordot(x, y, 1)",
        torch="torch.tensordot(x, y, 1)",
    ),
    _same("kron", "m.kron(x, y)", "tall", "row"),
    _same("vander", "m.vander(x)", "row"),
    _same(
        "mse_loss",
        "ops.mse_loss(x, y)",
        "matrix",
        "matrix2",
        jax="((x - y) ** 2).mean()",
        torch="torch.nn.functional.mse_loss(x, y)",
    ),
    _same(
        "l1_loss",
        "ops.l1_loss(x, y)",
        "matrix",
        "matrix2",
        jax="jnp.abs(x - y).mean()",
        torch="torch.nn.functional.l1_loss(x, y)",
    ),
    _same(
        "smooth_l1_loss",
        "ops.smooth_l1_loss(x, y, 1.0, 'mean')",
        "matrix",
        "matrix2",
        jax="jnp.where(jnp.abs(x - y) < 1, (x - y) ** 2 / 2, jnp.abs(x - y) - 0.5).mean()",
        torch="torch.nn.functional.smooth_l1_loss(x, y)",
    ),
    _same(
        "huber_loss",
        "ops.huber_loss(x, y)",
        "matrix",
        "matrix2",
        jax="jnp.where(jnp.abs(x - y) < 1, (x - y) ** 2 / 2, jnp.abs(x - y) - 0.5).mean()",
        torch="torch.nn.functional.huber_loss(x, y)",
    ),
    _same(
        "layer normalisation",
        "(x - x.mean(1, True)) * ops.rsqrt(ops.square(x - x.mean(1, True)).mean(1, True) + 1e-5)",
        "matrix",
        jax="(x - x.mean(1, keepdims=True)) * lax.rsqrt(jnp.var(x, 1, keepdims=True) + 1e-5)",
        torch="torch.nn.functional.layer_norm(x, (4,))",
    ),
    _same(
        "Rosenbrock",
        "(100 * ops.square(x[1:] - ops.square(x[:-1])) + ops.square(1 - x[:-1])).sum()",
        "any",
        jax="(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()",
        torch="(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()",
    ),
]
