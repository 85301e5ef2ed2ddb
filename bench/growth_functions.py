"""Five functions of one number whose derivatives are counted: as cell IR, in mpmath, and in JAX."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import mpmath as mp
import numpy as np

SCALAR = "tensor<f64>"
HIDDEN, CLASSES, POINTS = 16, 8, 5


@dataclass
class Function:
    body: list[str]  # lines of cell IR on %x, the last one a return
    reference: Callable[[Any], Any]  # in mpmath
    jax: str  # a lambda, with jnp, and the arrays below
    arrays: dict[str, Any]


def dense(array: Any) -> str:
    return "dense<" + str(np.asarray(array).tolist()) + ">"


def vector(name: str, values: np.ndarray) -> str:
    return f"%{name} = cell.constant {dense(values)} : tensor<{len(values)}xf64>"


def sin_exp() -> Function:
    body = [
        f"%0 = cell.sin %x : {SCALAR}",
        f"%1 = cell.exp %x : {SCALAR}",
        f"%2 = cell.mul %0, %1 : {SCALAR}",
        f"return %2 : {SCALAR}",
    ]
    return Function(body, lambda x: mp.sin(x) * mp.exp(x), "lambda x: jnp.sin(x) * jnp.exp(x)", {})


def mlp() -> Function:
    """A scalar through three tanh layers of HIDDEN units and a linear one."""
    draw = np.random.default_rng(0)
    sizes = [1, HIDDEN, HIDDEN, HIDDEN, 1]
    weights = [draw.uniform(-1, 1, s) / s[0] ** 0.5 for s in pairwise(sizes)]
    body, value = [f"%h0 = cell.reshape %x : {SCALAR} -> tensor<1x1xf64>"], "%h0"
    for i, w in enumerate(weights):
        rows, columns = w.shape
        out = f"tensor<1x{columns}xf64>"
        body += [
            f"%w{i} = cell.constant {dense(w)} : tensor<{rows}x{columns}xf64>",
            f"%z{i} = cell.matmul {value}, %w{i} : "
            f"(tensor<1x{rows}xf64>, tensor<{rows}x{columns}xf64>) -> {out}",
        ]
        value = f"%z{i}"
        if i + 1 < len(weights):
            body.append(f"%t{i} = cell.tanh {value} : {out}")
            value = f"%t{i}"
    body += [f"%y = cell.reshape {value} : tensor<1x1xf64> -> {SCALAR}", f"return %y : {SCALAR}"]
    exact = [mp.matrix(w.tolist()) for w in weights]

    def reference(x: Any) -> Any:
        h = mp.matrix([[x]])
        for i, w in enumerate(exact):
            h = h * w
            if i + 1 < len(exact):
                h = h.apply(mp.tanh)
        return h[0]

    text = "lambda x: (jnp.tanh(jnp.tanh(jnp.tanh(x.reshape(1, 1) @ w0) @ w1) @ w2) @ w3)[0, 0]"
    return Function(body, reference, text, {f"w{i}": w for i, w in enumerate(weights)})


def cross_entropy() -> Function:
    """log sum exp(a x + b) - (a x + b)[0], shifted by the maximum."""
    draw = np.random.default_rng(1)
    a, b = draw.uniform(-1, 1, CLASSES), draw.uniform(-1, 1, CLASSES)
    t = f"tensor<{CLASSES}xf64>"
    body = [
        vector("a", a),
        vector("b", b),
        f"%x8 = cell.broadcast %x along [0] : {SCALAR} -> {t}",
        f"%ax = cell.mul %a, %x8 : {t}",
        f"%z = cell.add %ax, %b : {t}",
        f"%m = cell.reduce_max %z over [0] : {t} -> {SCALAR}",
        f"%c = cell.stop_gradient %m : {SCALAR}",
        f"%c8 = cell.broadcast %c along [0] : {SCALAR} -> {t}",
        f"%s = cell.sub %z, %c8 : {t}",
        f"%e = cell.exp %s : {t}",
        f"%n = cell.reduce_sum %e over [0] : {t} -> {SCALAR}",
        f"%l = cell.log %n : {SCALAR}",
        f"%f = cell.slice %s from [0] to [1] by [1] : {t} -> tensor<1xf64>",
        f"%g = cell.reshape %f : tensor<1xf64> -> {SCALAR}",
        f"%y = cell.sub %l, %g : {SCALAR}",
        f"return %y : {SCALAR}",
    ]

    def reference(x: Any) -> Any:
        z = [mp.mpf(float(p)) * x + mp.mpf(float(q)) for p, q in zip(a, b, strict=True)]
        return mp.log(mp.fsum(mp.exp(v) for v in z)) - z[0]

    text = "lambda x: jax.nn.logsumexp(a * x + b) - (a * x + b)[0]"
    return Function(body, reference, text, {"a": a, "b": b})


def root_norm() -> Function:
    """|a x + b| / (1 + x^2): a root and a quotient."""
    draw = np.random.default_rng(2)
    a, b = draw.uniform(-1, 1, POINTS), draw.uniform(-1, 1, POINTS)
    t = f"tensor<{POINTS}xf64>"
    body = [
        vector("a", a),
        vector("b", b),
        f"%one = cell.constant dense<1.0> : {SCALAR}",
        f"%x5 = cell.broadcast %x along [0] : {SCALAR} -> {t}",
        f"%ax = cell.mul %a, %x5 : {t}",
        f"%z = cell.add %ax, %b : {t}",
        f"%q = cell.square %z : {t}",
        f"%n = cell.reduce_sum %q over [0] : {t} -> {SCALAR}",
        f"%r = cell.sqrt %n : {SCALAR}",
        f"%p = cell.square %x : {SCALAR}",
        f"%d = cell.add %p, %one : {SCALAR}",
        f"%y = cell.div %r, %d : {SCALAR}",
        f"return %y : {SCALAR}",
    ]

    def reference(x: Any) -> Any:
        z = [mp.mpf(float(p)) * x + mp.mpf(float(q)) for p, q in zip(a, b, strict=True)]
        return mp.sqrt(mp.fsum(v * v for v in z)) / (1 + x * x)

    text = "lambda x: jnp.sqrt(jnp.square(a * x + b).sum()) / (1 + x * x)"
    return Function(body, reference, text, {"a": a, "b": b})


def rosenbrock() -> Function:
    """exp of a Rosenbrock function of POINTS coordinates along a line."""
    draw = np.random.default_rng(3)
    a, b = draw.uniform(-0.3, 0.3, POINTS), draw.uniform(-0.3, 0.3, POINTS)
    t, u = f"tensor<{POINTS}xf64>", f"tensor<{POINTS - 1}xf64>"
    body = [
        vector("a", a),
        vector("b", b),
        f"%one = cell.constant dense<1.0> : {u}",
        f"%ten = cell.constant dense<10.0> : {u}",
        f"%x5 = cell.broadcast %x along [0] : {SCALAR} -> {t}",
        f"%ax = cell.mul %a, %x5 : {t}",
        f"%z = cell.add %ax, %b : {t}",
        f"%h = cell.slice %z from [0] to [{POINTS - 1}] by [1] : {t} -> {u}",
        f"%k = cell.slice %z from [1] to [{POINTS}] by [1] : {t} -> {u}",
        f"%h2 = cell.square %h : {u}",
        f"%d = cell.sub %k, %h2 : {u}",
        f"%d2 = cell.square %d : {u}",
        f"%v = cell.mul %d2, %ten : {u}",
        f"%w = cell.sub %one, %h : {u}",
        f"%w2 = cell.square %w : {u}",
        f"%s = cell.add %v, %w2 : {u}",
        f"%n = cell.reduce_sum %s over [0] : {u} -> {SCALAR}",
        f"%g = cell.neg %n : {SCALAR}",
        f"%y = cell.exp %g : {SCALAR}",
        f"return %y : {SCALAR}",
    ]

    def reference(x: Any) -> Any:
        z = [mp.mpf(float(p)) * x + mp.mpf(float(q)) for p, q in zip(a, b, strict=True)]
        return mp.exp(-mp.fsum(10 * (k - h * h) ** 2 + (1 - h) ** 2 for h, k in pairwise(z)))

    line = "(a * x + b)"
    text = (
        f"lambda x: jnp.exp(-(10 * ({line}[1:] - {line}[:-1] ** 2) ** 2"
        f" + (1 - {line}[:-1]) ** 2).sum())"
    )
    return Function(body, reference, text, {"a": a, "b": b})


FUNCTIONS: dict[str, Callable[[], Function]] = {
    "sin(x) exp(x)": sin_exp,
    "MLP": mlp,
    "cross entropy": cross_entropy,
    "norm over square": root_norm,
    "Rosenbrock": rosenbrock,
}
