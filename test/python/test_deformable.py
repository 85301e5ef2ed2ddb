"""Deformable convolutions against their sums, written as loops, which MindSpore 2.10 computes as well."""

import math

import numpy as np
import pytest

from cellgrad import Tensor, ops
from cellgrad.testing import check_grads

RNG = np.random.default_rng(5)


def at(image, y, x):
    """An element between others, or 0."""
    top, left, total = math.floor(y), math.floor(x), 0.0
    for row, of_row in ((top, top + 1 - y), (top + 1, y - top)):
        for column, of_column in ((left, left + 1 - x), (left + 1, x - left)):
            if 0 <= row < image.shape[0] and 0 <= column < image.shape[1]:
                total += of_row * of_column * image[row, column]
    return total


def windows(x, offsets, kernel, strides, padding, dilations, groups, modulated):
    n, channels = x.shape[:2]
    rows, columns = offsets.shape[2:]
    parts = offsets.reshape(n, 3 if modulated else 2, groups, *kernel, rows, columns)
    out = np.zeros((n, channels, *kernel, rows, columns))
    for place in np.ndindex(out.shape):
        b, c, i, j, row, column = place
        given = parts[b, :, c * groups // channels, i, j, row, column]
        y = row * strides[2] - padding[0] + i * dilations[2] + given[1]
        to = column * strides[3] - padding[2] + j * dilations[3] + given[0]
        out[place] = at(x[b, c], y, to) * (given[2] if modulated else 1)
    return out


@pytest.mark.parametrize(
    "strides, padding, dilations, groups, offset_groups, modulated, size",
    [
        ((1, 1, 1, 1), (0, 0, 0, 0), (1, 1, 1, 1), 1, 1, True, (3, 5)),
        ((1, 1, 2, 1), (1, 0, 2, 1), (1, 1, 1, 2), 1, 2, True, (2, 7)),
        ((1, 1, 1, 1), (1, 1, 1, 1), (1, 1, 1, 1), 2, 1, False, (5, 7)),
    ],
)
def test_values(strides, padding, dilations, groups, offset_groups, modulated, size):
    x = RNG.standard_normal((1, 2, 5, 6))
    w, bias = RNG.standard_normal((4, 2 // groups, 3, 2)), RNG.standard_normal(4)
    of_each = 3 if modulated else 2
    offsets = 1.5 * RNG.standard_normal((1, of_each * offset_groups * 6, *size))
    read = windows(x, offsets, (3, 2), strides, padding, dilations, offset_groups, modulated)
    expected = np.zeros((1, 4, *size))
    for o in range(4):
        mine = slice(None) if groups == 1 else slice(o // 2, o // 2 + 1)
        expected[:, o] = np.einsum("ncijrs,cij->nrs", read[:, mine], w[o]) + bias[o]
    given = {"dilations": dilations, "deformable_groups": offset_groups, "modulated": modulated}
    out = ops.deformable_conv2d(
        *(Tensor(v) for v in (x, w, offsets)),
        (3, 2),
        strides,
        padding,
        Tensor(bias),
        groups=groups,
        **given,
    )
    np.testing.assert_allclose(out.asnumpy(), expected, rtol=1e-12, atol=1e-13)
    spread = ops.DeformableOffsets(strides, padding, (3, 2), **given)(Tensor(x), Tensor(offsets))
    beside = read.transpose(0, 1, 4, 2, 5, 3).reshape(1, 2, size[0] * 3, size[1] * 2)
    np.testing.assert_allclose(spread.asnumpy(), beside, rtol=1e-12, atol=1e-13)


def test_gradients():
    def convolved(x, w, offsets):
        return ops.deformable_conv2d(x, w, offsets, (2, 2), (1, 1, 1, 1), (0, 0, 0, 0))

    shapes = (2, 1, 3, 3), (1, 1, 2, 2), (2, 12, 2, 2)
    check_grads(convolved, tuple(Tensor(RNG.standard_normal(s)) for s in shapes))


@pytest.mark.parametrize(
    "changed, words",
    [
        ({"strides": (2, 1, 1, 1)}, "'strides' must begin with two ones"),
        ({"deformable_groups": 3}, "'deformable_groups' 3 must divide the 2 channels"),
        ({"groups": 3}, "'groups' 3 must divide"),
        ({"kernel_size": (4, 4)}, "windows of .4, 4. do not fit"),
        ({"modulated": False}, r"'offsets' must have shape \[1, 8, 2, 2\]"),
    ],
)
def test_errors(changed, words):
    given = {"kernel_size": (2, 2), "strides": (1, 1, 1, 1), "padding": (0, 0, 0, 0)} | changed
    x, w, offsets = ops.ones((1, 2, 3, 3)), ops.ones((2, 2, 2, 2)), ops.ones((1, 12, 2, 2))
    with pytest.raises(ValueError, match=words):
        ops.deformable_conv2d(x, w, offsets, **given)
