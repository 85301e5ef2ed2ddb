"""QR decompositions as reflections: LAPACK's geqrf, and the matrices that reflections make.

Reflection i is ``1 - tau_i v_i v_i^H``, with 1 as element i of v_i, zeros above and what is stored below the diagonal.
"""

from __future__ import annotations

from typing import Any

from cellgrad.core import dtype as mstype
from cellgrad.core.arguments import argument_error, check_bool, check_ndim
from cellgrad.core.errors import error
from cellgrad.core.record import cast_to, check_tensor, complex_forms, operation
from cellgrad.core.tensor import Tensor
from cellgrad.ops import (
    _generated,
    _loops,
    contractions,
    creation,
    diagonals,
    joining,
    kinds,
    linalg,
    reductions,
    selection,
    shapes,
)
from cellgrad.ops._public import public
from cellgrad.ops.eigenvalues import _numbers, _size2, _slice, _with_slice


def _matrices(op: str, value: Any, name: str) -> Tensor:
    x = check_tensor(value, op, name)
    if x.dtype.kind not in "fc" or x.dtype.itemsize == 2:
        raise argument_error(
            TypeError, op, name, "a Tensor of float32, float64, complex64 or complex128", x
        )
    return check_ndim(x, op, name, at_least=2)


@public(
    "ops.Geqrf()(input)",
    "Tensor.geqrf",
)
@operation
def geqrf(input: Tensor) -> tuple[Tensor, Tensor]:
    """The QR decomposition as LAPACK's geqrf gives it: one reflection for each column.

    It has derivatives where no column is zero below the diagonal, but for the last one of a square matrix.

    Args:
        input: Tensor of shape [..., m, n], of float16, which is computed in float32, float32, float64,
            complex64 or complex128.

    Returns:
        y of shape [..., m, n]: R on and above the diagonal, the vectors of the reflections below it; and their factors
        tau, of shape [..., min(m, n)]; see `orgqr`.

    Raises:
        TypeError: something that is not a Tensor of these dtypes.
        ValueError: a rank below 2.

    >>> y, tau = ops.geqrf(Tensor([[-3.0, -1.0], [4.0, 2.0]]))
    >>> print(y, tau)
    [[ 5.          2.2       ]
     [-0.5         0.39999998]] [1.6 0. ]
    """
    if check_tensor(input, "geqrf", "input").dtype is mstype.float16:
        y, tau = geqrf(cast_to(input, mstype.float32))
        return cast_to(y, mstype.float16), cast_to(tau, mstype.float16)
    given = _matrices("geqrf", input, "input")
    *lead, m, n = given.shape
    k = min(m, n)
    x = shapes.transpose(shapes.reshape(given, (-1, m, n)), (1, 2, 0))
    number, columns = _numbers(m, 2), shapes.reshape(creation.arange(n), (1, n, 1))
    is_complex = given.dtype.kind == "c"

    def trip(i: Tensor, carried: Any) -> Any:
        x, tau = carried
        column = _slice(x, i, 1)
        alpha = _slice(column, i)
        under = number > i
        tail = selection.select(under, column, selection.zeros_like(column))
        rest = reductions.sum(_size2(tail) if is_complex else tail * tail, 0)
        done = rest == 0
        real = kinds.real(alpha) if is_complex else alpha
        if is_complex:
            done = _generated.logical_and(done, kinds.imag(alpha) == 0)
        length = rest + (_size2(alpha) if is_complex else alpha * alpha)
        norm = _generated.sqrt(selection.select(done, 1.0, length))
        beta = selection.cast(selection.select(real < 0, norm, -norm), given.dtype)
        factor = selection.select(done, selection.zeros_like(alpha), (beta - alpha) / beta)
        divisor = selection.select(done, selection.ones_like(alpha), alpha - beta)
        v = selection.select(number == i, selection.ones_like(tail), tail / divisor)
        turned = (kinds.conj(v), kinds.conj(factor)) if is_complex else (v, factor)
        seen = reductions.sum(turned[0][:, None] * x, 0)
        after = x - v[:, None] * (turned[1] * seen)[None]
        after = selection.select(columns > i, after, x)
        diagonal = shapes.broadcast_to(selection.select(done, alpha, beta), column.shape)
        column = selection.select(number == i, diagonal, selection.select(under, v, column))
        return _with_slice(after, i, column, 1), _with_slice(tau, i, factor)

    tau = selection.zeros((k, x.shape[2]), given.dtype)
    if k:
        x, tau = _loops.ForiLoop()(0, k, trip, (x, tau))
    y = shapes.reshape(shapes.transpose(x, (2, 0, 1)), given.shape)
    return y, shapes.reshape(shapes.swapaxes(tau, 0, 1), (*lead, k))


def _adjoint(x: Tensor) -> Tensor:
    turned = shapes.swapaxes(x, -1, -2)
    return kinds.conj(turned) if x.dtype.kind == "c" else turned


def _reflections(op: str, x: Tensor, value: Any, name: str) -> tuple[Tensor, Tensor]:
    """v and t, triangular, with ``1 - v t v^H`` as the product of the reflections (Schreiber and Van Loan, 1989)."""
    tau = check_tensor(value, op, name)
    m, k = x.shape[-2], tau.shape[-1] if tau.ndim else 0
    if tau.dtype != x.dtype:
        raise argument_error(TypeError, op, name, f"of the dtype {x.dtype.title}", tau)
    if tau.shape[:-1] != x.shape[:-2] or tau.ndim != x.ndim - 1 or k > min(x.shape[-2:]):
        raise error(
            ValueError,
            f"For '{op}', '{name}' must have the batch of the matrices and at most one factor for each column, "
            f"but got shapes {list(x.shape)} and {list(tau.shape)}.",
        )
    v = diagonals.tril(joining.narrow(x, x.ndim - 1, 0, k), -1) + creation.eye(m, k, x.dtype)
    inner = diagonals.triu(contractions.matmul(_adjoint(v), v), 1)
    system = creation.eye(k, k, x.dtype) + tau[..., None] * inner
    factors = tau[..., None] * creation.eye(k, k, x.dtype)
    return v, linalg.matrix_solve(system, factors) if k else factors


@public(
    "ops.Orgqr()(input, input2)",
    "Tensor.orgqr",
)
@operation
def orgqr(input: Tensor, input2: Tensor) -> Tensor:
    """The first columns of the product of reflections that `geqrf` gives: the matrix Q.

    Args:
        input: Tensor of shape [..., m, n] with m >= n, whose columns below the diagonal are the vectors.
        input2: the factors tau, of shape [..., k] with k <= n.

    Returns:
        Tensor of shape [..., m, n].

    Raises:
        TypeError: something that is not a Tensor of float32, float64, complex64 or complex128; two dtypes.
        ValueError: shapes that do not fit.

    >>> y, tau = ops.geqrf(Tensor([[-3.0, -1.0], [4.0, 2.0]]))
    >>> print(ops.orgqr(y, tau))
    [[-0.6  0.8]
     [ 0.8  0.6]]
    """
    x = _matrices("orgqr", input, "input")
    m, n = x.shape[-2:]
    if m < n:
        raise error(
            ValueError,
            f"For 'orgqr', 'input' must have at least as many rows as columns, but got shape {list(x.shape)}.",
        )
    v, t = _reflections("orgqr", x, input2, "input2")
    top = joining.narrow(_adjoint(v), v.ndim - 1, 0, n)
    return creation.eye(m, n, x.dtype) - contractions.matmul(v, contractions.matmul(t, top))


@public(
    "ops.Ormqr(left=True, transpose=False)(input, tau, other)",
    "Tensor.ormqr",
)
@operation
def ormqr(
    input: Tensor, tau: Tensor, other: Tensor, left: bool = True, transpose: bool = False
) -> Tensor:
    """The product of Q and a matrix, for the square matrix Q of all reflections that `geqrf` gives.

    Args:
        input: Tensor of shape [..., r, k], whose columns below the diagonal are the vectors.
        tau: the factors, of shape [..., k].
        other: Tensor of shape [..., m, n], with r = m for `left`, else r = n.
        left: for ``Q other``; else ``other Q``.
        transpose: for the adjoint of Q in its place.

    Returns:
        Tensor of shape [..., m, n].

    Raises:
        TypeError: something that is not a Tensor of float32, float64, complex64 or complex128; two dtypes; flags that
            are no bools.
        ValueError: shapes that do not fit.

    >>> y, tau = ops.geqrf(Tensor([[-3.0, -1.0], [4.0, 2.0]]))
    >>> print(ops.ormqr(y, tau, Tensor([[1.0], [0.0]])))
    [[-0.6]
     [ 0.8]]
    """
    x, c = _matrices("ormqr", input, "input"), _matrices("ormqr", other, "other")
    check_bool(left, "ormqr", "left")
    check_bool(transpose, "ormqr", "transpose")
    if c.dtype != x.dtype:
        raise argument_error(TypeError, "ormqr", "other", f"of the dtype {x.dtype.title}", c)
    if c.shape[:-2] != x.shape[:-2] or c.shape[-2 if left else -1] != x.shape[-2]:
        raise error(
            ValueError,
            f"For 'ormqr', 'other' must have the batch of 'input' and {x.shape[-2]} {'rows' if left else 'columns'}, "
            f"but got shapes {list(x.shape)} and {list(c.shape)}.",
        )
    v, t = _reflections("ormqr", x, tau, "tau")
    t = _adjoint(t) if transpose else t
    if left:
        return c - contractions.matmul(
            v, contractions.matmul(t, contractions.matmul(_adjoint(v), c))
        )
    return c - contractions.matmul(contractions.matmul(contractions.matmul(c, v), t), _adjoint(v))


for _name in ("geqrf", "orgqr", "ormqr"):
    complex_forms[f"reflectors.{_name}"] = True
