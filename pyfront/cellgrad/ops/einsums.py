"""Einstein sums, and the pairwise contraction that they and `tensor_dot` are made of.

A contraction of two operands is one ``cell.matmul``: labels in both operands and in the result are
its leading dimensions, labels in both and not in the result are summed over. The flags of the op
and the order of the factors are chosen so that as few elements as possible are transposed.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from cellgrad.core import dtype as mstype
from cellgrad.core.arguments import check_instance
from cellgrad.core.errors import error
from cellgrad.core.record import cast_to, check_tensor, emit, operation, reshape_to
from cellgrad.core.tensor import Tensor
from cellgrad.ops._public import public

Labels = tuple[int, ...]

_OPTIMAL_OPERANDS = 6  # beyond it, the search for the best order takes longer than it saves
_NUMPY_LABELS = 52  # what numpy's search of a path can tell apart


class Term(NamedTuple):
    """A tensor with a label for each of its dimensions."""

    x: Tensor
    labels: Labels

    def sizes(self) -> dict[int, int]:
        return dict(zip(self.labels, self.x.shape, strict=True))


# --- one operand ------------------------------------------------------------------------------


def transposed(term: Term, order: Labels) -> Term:
    """The term with its dimensions in another order."""
    if term.labels == order:
        return term
    perm = [term.labels.index(label) for label in order]
    return Term(emit("cell.transpose", [term.x], {"perm": perm}), order)


def diagonal_of(x: Tensor, offset: int = 0) -> Tensor:
    """The diagonal of the last two dimensions: a strided slice of them read as one."""
    *batch, rows, columns = x.shape
    start = offset if offset >= 0 else -offset * columns
    count = max(0, min(rows + min(offset, 0), columns - max(offset, 0)))
    flat = reshape_to(x, (*batch, rows * columns))
    limit = start + (count - 1) * (columns + 1) + 1 if count else start
    limit = min(limit, rows * columns)
    return emit(
        "cell.slice",
        [flat],
        {
            "starts": [*([0] * len(batch)), min(start, limit)],
            "limits": [*batch, limit],
            "strides": [*([1] * len(batch)), columns + 1],
        },
    )


def _diagonals(term: Term) -> Term:
    """Each label once: the diagonals of dimensions that share one."""
    repeated = next((v for v in term.labels if term.labels.count(v) > 1), None)
    if repeated is None:
        return term
    at = [i for i, v in enumerate(term.labels) if v == repeated][:2]
    rest = [i for i in range(term.x.ndim) if i not in at]
    perm = [*rest, *at]
    x = term.x if perm == sorted(perm) else emit("cell.transpose", [term.x], {"perm": perm})
    labels = (*(term.labels[i] for i in rest), repeated)
    return _diagonals(Term(diagonal_of(x), labels))


def _summed(term: Term, keep: Iterable[int]) -> Term:
    """The term summed over the labels that are not kept."""
    kept = set(keep)
    dims = [i for i, v in enumerate(term.labels) if v not in kept]
    if not dims:
        return term
    labels = tuple(v for v in term.labels if v in kept)
    return Term(emit("cell.reduce_sum", [term.x], {"dims": dims}), labels)


# --- two operands -----------------------------------------------------------------------------


def contract(a: Term, b: Term, keep: Iterable[int], order: Labels | None = None) -> Term:
    """The product of two terms, summed over the labels that are not kept.

    Args:
        a: a term with distinct labels.
        b: another; equal labels have equal sizes.
        keep: labels of the result.
        order: of the labels of the result; what is cheapest where None.
    """
    kept = set(keep)
    a, b = _summed(a, kept | set(b.labels)), _summed(b, kept | set(a.labels))
    summed = tuple(v for v in a.labels if v in b.labels and v not in kept)
    if not summed:
        return _outer(a, b, order)
    sizes = {**a.sizes(), **b.sizes()}
    plan = min(_plans(a, b, kept, summed, order), key=lambda p: p.cost(sizes))
    out = plan.build(sizes)
    return out if order is None else transposed(out, order)


def _outer(a: Term, b: Term, order: Labels | None) -> Term:
    """The product of two terms with nothing to sum."""
    if order is None:
        order = (*a.labels, *(v for v in b.labels if v not in a.labels))

    sizes = {**a.sizes(), **b.sizes()}
    shape = tuple(sizes[v] for v in order)

    def aligned(term: Term) -> Tensor:
        x = transposed(term, tuple(v for v in order if v in term.labels)).x
        new = [d for d, v in enumerate(order) if v not in term.labels]
        return emit("cell.broadcast", [x], {"dims": new}, x.dtype, shape) if new else x

    return Term(emit("cell.mul", [aligned(a), aligned(b)]), order)


class _Plan(NamedTuple):
    """A product of matrices: which labels are its leading dimensions, rows, columns and sum."""

    lhs: Term
    rhs: Term
    batch: Labels
    rows: Labels
    columns: Labels
    summed: Labels
    order: Labels | None

    def lhs_order(self) -> tuple[Labels, bool]:
        flipped = self.batch + self.summed + self.rows
        if self.lhs.labels == flipped and self.rows:
            return flipped, True
        return self.batch + self.rows + self.summed, False

    def rhs_order(self) -> tuple[Labels, bool]:
        flipped = self.batch + self.columns + self.summed
        if self.rhs.labels == flipped and self.columns:
            return flipped, True
        return self.batch + self.summed + self.columns, False

    def cost(self, sizes: dict[int, int]) -> int:
        """Elements that are transposed."""
        out = self.batch + self.rows + self.columns
        moved = [
            labels
            for labels, wanted in (
                (self.lhs.labels, self.lhs_order()[0]),
                (self.rhs.labels, self.rhs_order()[0]),
                (out, self.order or out),
            )
            if labels != wanted
        ]
        return sum(math.prod(sizes[v] for v in labels) for labels in moved)

    def build(self, sizes: dict[int, int]) -> Term:
        def shape(*groups: Labels) -> tuple[int, ...]:
            return (
                *(sizes[v] for v in self.batch),
                *(math.prod(sizes[v] for v in g) for g in groups),
            )

        (lhs, flip_lhs), (rhs, flip_rhs) = self.lhs_order(), self.rhs_order()
        x = reshape_to(
            transposed(self.lhs, lhs).x,
            shape(self.summed, self.rows) if flip_lhs else shape(self.rows, self.summed),
        )
        y = reshape_to(
            transposed(self.rhs, rhs).x,
            shape(self.columns, self.summed) if flip_rhs else shape(self.summed, self.columns),
        )
        out = emit("cell.matmul", [x, y], {"transpose_a": flip_lhs, "transpose_b": flip_rhs})
        labels = self.batch + self.rows + self.columns
        return Term(reshape_to(out, tuple(sizes[v] for v in labels)), labels)


def _plans(
    a: Term, b: Term, kept: set[int], summed: Labels, order: Labels | None
) -> Iterable[_Plan]:
    """The products of matrices that compute the contraction."""

    def orders(wanted: set[int], *sequences: Labels | None) -> list[Labels]:
        found = [tuple(v for v in s if v in wanted) for s in sequences if s is not None]
        return list(dict.fromkeys(found))

    both = set(a.labels) & set(b.labels)
    batches = orders(both & kept, a.labels, b.labels, order)
    sums = orders(set(summed), a.labels, b.labels)
    frees_a = orders(set(a.labels) - both, a.labels, order)
    frees_b = orders(set(b.labels) - both, b.labels, order)
    for batch, sum_, free_a, free_b in itertools.product(batches, sums, frees_a, frees_b):
        yield _Plan(a, b, batch, free_a, free_b, sum_, order)
        yield _Plan(b, a, batch, free_b, free_a, sum_, order)


# --- the equation -----------------------------------------------------------------------------


def _parse(equation: Any, operands: Sequence[Tensor]) -> tuple[list[Labels], Labels]:
    """The labels of the operands and of the result; those of ellipses are negative."""
    check_instance(equation, "einsum", "equation", str)
    left, arrow, right = equation.replace(" ", "").partition("->")
    inputs = left.split(",")
    if len(inputs) != len(operands):
        raise error(
            ValueError,
            f"For 'einsum', the equation '{equation}' names {len(inputs)} operands, but "
            f"{len(operands)} are given.",
        )
    for text in (*inputs, right):
        bare = text.replace("...", "", 1)
        wrong = next((c for c in bare if not (c.isascii() and c.isalpha())), None)
        if wrong is not None:
            raise error(
                ValueError,
                f"For 'einsum', labels are letters a-z and A-Z and one '...' an operand, but the "
                f"equation '{equation}' has '{wrong}'.",
            )
    labels = []
    for i, (text, x) in enumerate(zip(inputs, operands, strict=True)):
        rest = x.ndim - len(text.replace("...", ""))
        if rest < 0 or (rest > 0 and "..." not in text):
            raise error(
                ValueError,
                f"For 'einsum', operand {i} has shape {list(x.shape)}, but '{text}' in the equation "
                f"'{equation}' names {len(text.replace('...', ''))} dimensions.",
                "add '...' for the dimensions without a label" if rest > 0 else "",
            )
        labels.append(_labels(text, rest))
    named = [v for ls in labels for v in ls]
    dots = tuple(range(min((v for v in named if v < 0), default=0), 0))
    if not arrow:
        once = sorted(v for v in set(named) if v >= 0 and named.count(v) == 1)
        return labels, (*dots, *once)
    out = _labels(right, len(dots))
    for v in out:
        if v >= 0 and (v not in named or out.count(v) > 1):
            why = "is not on the left" if v not in named else "stands there twice"
            raise error(
                ValueError,
                f"For 'einsum', the label '{chr(v)}' to the right of '->' in the equation "
                f"'{equation}' {why}.",
            )
    return labels, out


def _labels(text: str, dots: int) -> Labels:
    """Characters as numbers, and the dimensions of an ellipsis from -1 at its end backwards."""
    before, _, after = text.partition("...")
    middle = tuple(range(-dots, 0)) if "..." in text else ()
    return (*map(ord, before), *middle, *map(ord, after))


def _unstretched(equation: str, terms: list[Term]) -> list[Term]:
    """Terms without the dimensions of length 1 that others stretch; sizes that differ are an
    error."""
    sizes: dict[int, int] = {}
    for term in terms:
        for label, n in zip(term.labels, term.x.shape, strict=True):
            known = sizes.setdefault(label, n)
            if known == 1:
                sizes[label] = n
            elif n not in (1, known):
                name = f"label '{chr(label)}'" if label >= 0 else "the ellipsis"
                raise error(
                    ValueError,
                    f"For 'einsum', {name} of the equation '{equation}' stands for dimensions of "
                    f"sizes {known} and {n}.",
                )
    out = []
    for term in terms:
        keep = [i for i, v in enumerate(term.labels) if term.x.shape[i] == sizes[v]]
        labels = tuple(term.labels[i] for i in keep)
        out.append(Term(reshape_to(term.x, tuple(term.x.shape[i] for i in keep)), labels))
    return out


def _path(terms: list[Term], out: Labels) -> list[tuple[int, ...]]:
    """The order in which to contract, by the number of products it takes."""
    names = {v: i for i, v in enumerate(dict.fromkeys(v for t in terms for v in t.labels))}
    if len(terms) <= 2 or len(names) > _NUMPY_LABELS:
        return [(0, 1)] * (len(terms) - 1)
    args: list[Any] = []
    for term in terms:
        args += [np.broadcast_to(np.int8(0), term.x.shape), [names[v] for v in term.labels]]
    kind = "optimal" if len(terms) <= _OPTIMAL_OPERANDS else "greedy"
    found = np.einsum_path(*args, [names[v] for v in out], optimize=(kind, 2**62))[0]
    return [tuple(step) for step in found[1:]]


@public("mint.einsum")
@operation
def einsum(equation: str, *operands: Tensor) -> Tensor:
    """The sum of products that an equation of labels describes: ``einsum("ij,jk->ik", a, b)``.

    Without ``->``, the result has the dimensions of ``...``, then the labels that occur once, in
    alphabetical order. A label that occurs twice in an operand takes its diagonal. ``...`` stands
    for any number of dimensions, which broadcast; what the result leaves out is summed over.
    Several operands are contracted two by two, in an order that takes few products.

    Args:
        equation: letters a-z and A-Z, ``...``, commas and ``->``; spaces do not count.
        operands: Tensors, one for each comma-separated part; they are promoted to a common dtype.

    Returns:
        Tensor of the promoted dtype (bool: int64).

    Raises:
        TypeError: an equation that is not a str, an operand that is not a Tensor.
        ValueError: an equation that is malformed or does not fit the operands.

    >>> print(ops.einsum("ii->i", ms.Tensor([[1, 2], [3, 4]])))
    [1 4]
    """
    xs = [check_tensor(x, "einsum", f"operands[{i}]") for i, x in enumerate(operands)]
    labels, out = _parse(equation, xs)
    dtype = xs[0].dtype
    for x in xs[1:]:
        dtype = mstype.promote(dtype, x.dtype)
    dtype = mstype.int64 if dtype.kind == "b" else dtype
    terms = [Term(cast_to(x, dtype), ls) for x, ls in zip(xs, labels, strict=True)]
    terms = [_diagonals(t) for t in _unstretched(equation, terms)]
    if len(terms) == 1:
        return transposed(_summed(terms[0], out), out).x
    for step in _path(terms, out):
        chosen = [terms[i] for i in step]
        terms = [t for i, t in enumerate(terms) if i not in step]
        term = chosen[0]
        for i, other in enumerate(chosen[1:], 2):
            later = [v for t in (*chosen[i:], *terms) for v in t.labels]
            last = not later and not terms and i == len(chosen)
            term = contract(term, other, {*later, *out}, out if last else None)
        terms.append(term)
    return terms[0].x
