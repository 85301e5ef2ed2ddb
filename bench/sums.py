"""The errors of sums, by the form of the loop and the number of terms.

    python bench/sums.py [--write]

prints the largest relative error in float32, against numpy in float64, over ones, uniform numbers and four sets of equal
numbers. --write renews the table in docs/math-accuracy.md. The largest sums have 10⁸ terms: some minutes, and 4 GB.
"""

import argparse
from pathlib import Path

import numpy as np

import cellgrad as ms
from cellgrad import Tensor, ops

PAGE = Path(__file__).resolve().parent.parent / "docs" / "math-accuracy.md"
MARK = "<!-- table of bench/sums.py -->"
COUNTS = [10**3, 10**4, 10**5, 10**6, 10**7, 10**8]


def side(n):
    return int(n**0.5)


# What is summed: the function, the shapes of its arguments for n terms, and the same with numpy.
FORMS = {
    "along a row": (lambda x: ops.sum(x), lambda n: [(n,)], lambda x: x.sum()),
    "along each of 2 rows": (lambda x: ops.sum(x, 1), lambda n: [(2, n)], lambda x: x.sum(1)),
    "down 2 columns": (lambda x: ops.sum(x, 0), lambda n: [(n, 2)], lambda x: x.sum(0)),
    "down 150 columns": (lambda x: ops.sum(x, 0), lambda n: [(n, 150)], lambda x: x.sum(0)),
    "over two dimensions of three": (
        lambda x: ops.sum(x, (0, 2)),
        lambda n: [(side(n), 2, side(n))],
        lambda x: x.sum((0, 2)),
    ),
    "of an outer product": (
        lambda x: ops.sum(x.reshape(-1, 1) * x.reshape(1, -1)),
        lambda n: [(side(n),)],
        lambda x: x.sum() ** 2,
    ),
    "product of matrices, m = n = 2": (
        lambda a, b: a @ b,
        lambda n: [(2, n), (n, 2)],
        lambda a, b: a @ b,
    ),
    "product of matrices, m = n = 40": (
        lambda a, b: a @ b,
        lambda n: [(40, n), (n, 40)],
        lambda a, b: a @ b,
    ),
    "running sum of a row": (
        lambda x: ops.cumsum(x, 0),
        lambda n: [(n,)],
        lambda x: x.cumsum(),
    ),
    "running sums down 40 columns": (
        lambda x: ops.cumsum(x, 0),
        lambda n: [(n, 40)],
        lambda x: x.cumsum(0),
    ),
    "numbers scattered to 10": (
        lambda x: ops.unsorted_segment_sum(x, ops.arange(x.shape[0]) % 10, 10),
        lambda n: [(n,)],
        lambda x: x.reshape(-1, 10).sum(0),
    ),
    "rows scattered to 10 of many": (
        lambda x: ops.unsorted_segment_sum(x, ops.arange(len(x)) % 10, 2 * len(x))[:10],
        lambda n: [(n, 16)],
        lambda x: x.reshape(-1, 10, 16).sum(0),
    ),
    "contraction over two dimensions": (
        lambda a, b: ops.einsum("iab,baj->ij", a, b),
        lambda n: [(5, side(n), side(n)), (side(n), side(n), 20)],
        lambda a, b: np.einsum("iab,baj->ij", a, b, optimize=True),
    ),
}


def arguments(shapes):
    rng = np.random.default_rng(1)
    yield [np.ones(shape, np.float32) for shape in shapes]
    yield [rng.random(shape, np.float32) for shape in shapes]
    for value in rng.uniform(0.5, 1, 4):
        yield [np.full(shape, value, np.float32) for shape in shapes]


def error(function, shapes, reference):
    """The largest relative error."""
    compiled = ms.jit(function)
    worst = 0
    for arrays in arguments(shapes):
        got = compiled(*map(Tensor, arrays)).asnumpy()
        wanted = reference(*(array.astype(np.float64) for array in arrays))
        worst = max(worst, np.max(np.abs(got - wanted) / wanted))
    return worst


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--write", action="store_true", help=f"renew the table of {PAGE.name}")
    options = parser.parse_args()
    lines = ["| sum | " + " | ".join(f"10{'³⁴⁵⁶⁷⁸'[i]}" for i in range(len(COUNTS))) + " |"]
    lines.append("| --- |" + " ---: |" * len(COUNTS))
    for name, (function, shapes, reference) in FORMS.items():
        cells = []
        for n in COUNTS:
            elements = max(np.prod(shape, dtype=float) for shape in shapes(n))
            cells.append(
                f"{error(function, shapes(n), reference):.1e}" if elements <= 1.5 * 10**8 else "–"
            )
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
        print(lines[-1], flush=True)
    if options.write:
        before, _, after = PAGE.read_text().split(MARK)
        PAGE.write_text(before + "\n".join([MARK, "", *lines, "", MARK]) + after)


if __name__ == "__main__":
    main()
