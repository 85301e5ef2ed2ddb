"""Shapes: values against numpy, derivatives against differences, and refused arguments.

Where numpy has no such function, the numbers were recorded from MindSpore 2.10 on the CPU.
"""

import re

import numpy as np
import pytest
from messages import said

import cellgrad as ms
from cellgrad import Tensor, ops
from cellgrad.testing import check_grads

RNG = np.random.default_rng(7)
A = RNG.normal(size=(2, 3, 4))
M = RNG.normal(size=(3, 5))
S = RNG.normal(size=(4, 4))
V = RNG.normal(size=6)
B = RNG.normal(size=(1, 3, 1, 2))


def np_one_hot(i, depth, axis=-1):
    return np.moveaxis(np.eye(depth)[i], -1, axis)


# (function of a tensor, the same in numpy, argument)
MOVES = {
    "tile": (lambda x: ops.tile(x, (2, 1, 3)), lambda a: np.tile(a, (2, 1, 3)), A),
    "tile_new_dims": (lambda x: ops.tile(x, (2, 1, 3)), lambda a: np.tile(a, (2, 1, 3)), V),
    "tile_method": (lambda x: x.tile(dims=(2, 1)), lambda a: np.tile(a, (2, 1)), M),
    "tile_ints": (lambda x: x.tile(1, 2), lambda a: np.tile(a, (1, 2)), M),
    "tile_few": (lambda x: ops.tile(x, (2,)), lambda a: np.tile(a, 2), A),
    "tile_nothing": (lambda x: ops.tile(x, (0, 2)), lambda a: np.tile(a, (0, 2)), M),
    "repeat": (lambda x: x.repeat(2, 1, 2, 1), lambda a: np.tile(a, (2, 1, 2, 1)), A),
    "interleave_flat": (lambda x: ops.repeat_interleave(x, 3), lambda a: np.repeat(a, 3), A),
    "interleave": (lambda x: ops.repeat_interleave(x, 3, 1), lambda a: np.repeat(a, 3, 1), A),
    "interleave_last": (lambda x: x.repeat_interleave(2, -1), lambda a: np.repeat(a, 2, -1), A),
    "interleave_list": (
        lambda x: ops.repeat_interleave(x, [2, 0, 2], 1),
        lambda a: np.repeat(a, [2, 0, 2], 1),
        A,
    ),
    "interleave_tensor": (
        lambda x: ops.repeat_interleave(x, Tensor([1, 3, 3]), 0),
        lambda a: np.repeat(a, [1, 3, 3], 0),
        M,
    ),
    "expand": (lambda x: x.expand(2, -1, 5), lambda a: np.broadcast_to(a, (2, 3, 5)), M),
    "expand_as": (lambda x: x.expand_as(Tensor(A)), lambda a: np.broadcast_to(a, A.shape), A[:1]),
    "roll": (lambda x: ops.roll(x, 3, 0), lambda a: np.roll(a, 3, 0), V),
    "roll_back": (lambda x: x.roll((-1, 5), (0, 2)), lambda a: np.roll(a, (-1, 5), (0, 2)), A),
    "roll_flat": (lambda x: ops.roll(x, -7), lambda a: np.roll(a, -7), A),
    "roll_one_dim_twice": (lambda x: ops.roll(x, (1, 1), (0, 0)), lambda a: np.roll(a, 2, 0), M),
    "flip": (lambda x: ops.flip(x, (0, -1)), lambda a: np.flip(a, (0, 2)), A),
    "flip_nothing": (lambda x: ops.flip(x, ()), lambda a: a, A),
    "fliplr": (ops.fliplr, np.fliplr, A),
    "flipud": (ops.flipud, np.flipud, A),
    "rot90": (lambda x: ops.rot90(x, 1, (0, 2)), lambda a: np.rot90(a, 1, (0, 2)), A),
    "rot90_thrice": (lambda x: x.rot90(3, [2, 1]), lambda a: np.rot90(a, 3, (2, 1)), A),
    "rot90_half": (lambda x: ops.rot90(x, -2, (0, 1)), lambda a: np.rot90(a, 2, (0, 1)), A),
    "rot90_none": (lambda x: ops.rot90(x, 4, (0, 1)), lambda a: a, A),
    "hstack": (lambda x: ops.hstack((x, x * 2)), lambda a: np.hstack((a, a * 2)), M),
    "hstack_vectors": (lambda x: ops.hstack([x, x[0]]), lambda a: np.hstack([a, a[0]]), V),
    "vstack": (lambda x: ops.vstack((x, x[0])), lambda a: np.vstack((a, a[0])), M),
    "dstack": (lambda x: ops.dstack((x, x * 2)), lambda a: np.dstack((a, a * 2)), M),
    "dstack_vectors": (lambda x: ops.dstack((x, x)), lambda a: np.dstack((a, a)), V),
    "column_stack": (
        lambda x: ops.column_stack((x, x[:, 0])),
        lambda a: np.column_stack((a, a[:, 0])),
        M,
    ),
    "split": (lambda x: ops.split(x, 2, 2)[1], lambda a: a[:, :, 2:], A),
    "split_rest": (lambda x: x.split(4)[1], lambda a: a[4:], V),
    "split_sizes": (lambda x: ops.split(x, [1, 0, 3], -1)[2], lambda a: a[:, :, 1:], A),
    "tensor_split": (lambda x: ops.tensor_split(x, 4)[1], lambda a: np.array_split(a, 4)[1], V),
    "tensor_split_at": (lambda x: x.tensor_split((1, -2))[1], lambda a: a[1:-2], V),
    "tensor_split_back": (lambda x: ops.tensor_split(x, (4, 2))[2], lambda a: a[2:], V),
    "hsplit": (lambda x: ops.hsplit(x, 2)[0], lambda a: np.array_split(a, 2, 1)[0], A),
    "vsplit": (lambda x: ops.vsplit(x, (1,))[1], lambda a: a[1:], M),
    "dsplit": (lambda x: x.dsplit(3)[0], lambda a: a[:, :, :2], A),
    "chunk": (lambda x: ops.chunk(x, 4)[2], lambda a: a[4:6], V),
    "unstack": (lambda x: ops.unstack(x, 1)[2], lambda a: a[:, 2], A),
    "unbind": (lambda x: x.unbind(-1)[0], lambda a: a[..., 0], A),
    "narrow": (lambda x: ops.narrow(x, 1, 1, 2), lambda a: a[:, 1:3], A),
    "block_diag": (
        lambda x: ops.block_diag(x, x[0], x[0, 0]),
        lambda a: np.block(
            [
                [a, np.zeros((3, 6))],
                [np.zeros((1, 5)), a[:1], np.zeros((1, 1))],
                [np.zeros((1, 10)), a[:1, :1]],
            ]
        ),
        M,
    ),
    "movedim": (lambda x: ops.movedim(x, 0, 2), lambda a: np.moveaxis(a, 0, 2), A),
    "movedim_many": (
        lambda x: x.movedim((0, -1), (1, 0)),
        lambda a: np.moveaxis(a, (0, -1), (1, 0)),
        A,
    ),
    "t": (lambda x: x.t(), np.transpose, M),
    "t_vector": (ops.t, lambda a: a, V),
    "swapdims": (lambda x: ops.swapdims(x, 0, -1), lambda a: np.swapaxes(a, 0, -1), A),
    "transpose_two": (lambda x: x.transpose(0, 2), lambda a: np.swapaxes(a, 0, 2), A),
    "transpose_all": (lambda x: x.transpose(2, 0, 1), lambda a: np.transpose(a, (2, 0, 1)), A),
    "ravel": (ops.ravel, np.ravel, A),
    "flatten": (lambda x: x.flatten(1, 2), lambda a: a.reshape(2, 12), A),
    "flatten_columns": (lambda x: x.flatten("F"), lambda a: a.flatten("F"), A),
    "view_as": (lambda x: x.view_as(Tensor(S[:3, :2])), lambda a: a.reshape(3, 2), V),
    "atleast_1d": (lambda x: ops.atleast_1d((x, x[0]))[1], lambda a: a[:1], V),
    "atleast_2d": (ops.atleast_2d, np.atleast_2d, V),
    "atleast_3d": (ops.atleast_3d, np.atleast_3d, M),
    "atleast_3d_vector": (ops.atleast_3d, np.atleast_3d, V),
    "tril": (ops.tril, np.tril, A),
    "tril_far": (lambda x: x.tril(-9), lambda a: np.tril(a, -9), M),
    "triu": (lambda x: ops.triu(x, -1), lambda a: np.triu(a, -1), A),
    "triu_far": (lambda x: x.triu(9), lambda a: np.triu(a, 9), M),
    "diagonal": (ops.diagonal, np.diagonal, M),
    "diagonal_offset": (
        lambda x: x.diagonal(-1, 2, 0),
        lambda a: np.diagonal(a, -1, 2, 0),
        A,
    ),
    "diagonal_wide": (lambda x: ops.diagonal(x, 3), lambda a: np.diagonal(a, 3), M),
    "diagonal_empty": (lambda x: ops.diagonal(x, -3), lambda a: np.diagonal(a, -3), M),
    "diag": (ops.diag, np.diag, V),
    "diag_of_matrix": (
        ops.diag,
        lambda a: np.diag(a.ravel()).reshape(3, 5, 3, 5),
        M,
    ),
    "diagflat": (lambda x: ops.diagflat(x, -2), lambda a: np.diagflat(a, -2), M),
    "diag_embed": (
        lambda x: ops.diag_embed(x, 1),
        lambda a: np.stack([np.diag(r, 1) for r in a]),
        M,
    ),
    "diag_embed_dims": (
        lambda x: ops.diag_embed(x, 0, 0, 2),
        lambda a: np.moveaxis(np.stack([np.diag(r) for r in a]), 0, 1),
        M,
    ),
    "diagonal_scatter": (
        lambda x: ops.diagonal_scatter(x, x[0, :2] * 2, -1),
        lambda a: scattered(a),
        M,
    ),
    "meshgrid": (
        lambda x: ops.stack(ops.meshgrid(x, x[:2], x[:3])),
        lambda a: np.stack(np.meshgrid(a, a[:2], a[:3])),
        V,
    ),
    "meshgrid_ij": (
        lambda x: ops.stack(ops.meshgrid(x, x[:2], indexing="ij")),
        lambda a: np.stack(np.meshgrid(a, a[:2], indexing="ij")),
        V,
    ),
    "cartesian_prod": (
        lambda x: ops.cartesian_prod(x[:2], x),
        lambda a: np.array([(p, q) for p in a[:2] for q in a]),
        V,
    ),
    "combinations": (
        lambda x: ops.combinations(x[:4], 3),
        lambda a: a[[[0, 1, 2], [0, 1, 3], [0, 2, 3], [1, 2, 3]]],
        V,
    ),
    "combinations_again": (
        lambda x: ops.combinations(x[:2], 2, True),
        lambda a: a[[[0, 0], [0, 1], [1, 1]]],
        V,
    ),
    "pad": (
        lambda x: ops.pad(x, (1, 2, 0, 3)),
        lambda a: np.pad(a, ((0, 0), (0, 3), (1, 2))),
        A,
    ),
    "pad_value": (
        lambda x: ops.pad(x, [1, 2], value=-3),
        lambda a: np.pad(a, ((0, 0), (1, 2)), constant_values=-3),
        M,
    ),
    "pad_less": (
        lambda x: ops.pad(x, (-1, 2, -1, -1), value=5.0),
        lambda a: np.pad(a[1:-1, 1:], ((0, 0), (0, 2)), constant_values=5),
        M,
    ),
    "pad_reflect": (
        lambda x: ops.pad(x, (3, 2, 1, 0), "reflect"),
        lambda a: np.pad(a, ((0, 0), (1, 0), (3, 2)), "reflect"),
        A,
    ),
    "pad_replicate": (
        lambda x: ops.pad(x, (3, 9), "replicate"),
        lambda a: np.pad(a, ((0, 0), (3, 9)), "edge"),
        M,
    ),
    "pad_circular": (
        lambda x: ops.pad(x, Tensor([2, 5]), "circular"),
        lambda a: np.pad(a, ((0, 0), (2, 5)), "wrap"),
        M,
    ),
    "pixel_shuffle": (
        lambda x: ops.pixel_shuffle(ops.tile(x, (1, 4, 1, 1)) * 2, 2),
        lambda a: (
            np.tile(a, (1, 4, 1, 1))
            .reshape(1, 3, 2, 2, 1, 2)
            .transpose(0, 1, 4, 2, 5, 3)
            .reshape(1, 3, 2, 4)
            * 2
        ),
        B,
    ),
}


def scattered(a):
    out = a.copy()
    out[1, 0], out[2, 1] = 2 * a[0, :2]
    return out


@pytest.mark.parametrize("name", MOVES)
def test_values(name):
    ours, theirs, argument = MOVES[name]
    got = ours(Tensor(argument))
    np.testing.assert_array_equal(got.asnumpy(), theirs(argument), strict=True)


@pytest.mark.parametrize("name", [n for n in MOVES if not n.endswith(("nothing", "empty"))])
def test_derivatives(name):
    ours, _, argument = MOVES[name]
    twice = name in ("tile", "interleave_list", "roll_back", "flip", "tril", "diag_embed", "pad")
    check_grads(lambda x: ops.sin(ours(x * x) / 50), Tensor(argument), order=2 if twice else 1)


@pytest.mark.parametrize(
    "name", ["tile", "interleave_list", "roll_back", "flip", "tril", "diagonal_offset", "diag"]
)
def test_batches(name):
    ours, theirs, argument = MOVES[name]
    batch = np.stack([argument, argument * 2, -argument])
    got = ms.vmap(ours)(Tensor(batch)).asnumpy()
    np.testing.assert_array_equal(got, np.stack([theirs(a) for a in batch]))


@pytest.mark.parametrize("dtype", [np.bool_, np.int8, np.int32, np.int64, np.float16, np.float32])
def test_dtypes_are_kept(dtype):
    a = np.array([[1, 0, 3], [0, 5, 6]]).astype(dtype)
    for ours, theirs in [
        (lambda x: ops.tile(x, (2, 2)), np.tile(a, (2, 2))),
        (lambda x: ops.flip(x, (1,)), a[:, ::-1]),
        (ops.tril, np.tril(a)),
        (lambda x: ops.pad(x, (1, 1)), np.pad(a, ((0, 0), (1, 1)))),
        (lambda x: ops.pad(x, (1, 1), value=1), np.pad(a, ((0, 0), (1, 1)), constant_values=1)),
        (lambda x: ops.roll(x, 1, 1), np.roll(a, 1, 1)),
        (lambda x: ops.diag_embed(x), np.stack([np.diag(r) for r in a])),
    ]:
        np.testing.assert_array_equal(ours(Tensor(a)).asnumpy(), theirs, strict=True)


def test_every_piece():
    i = Tensor(np.arange(7))
    for pieces, lengths in [
        (ops.split(i, 3), [3, 3, 1]),
        (ops.split(i, 9), [7]),
        (ops.split(i, (0, 7)), [0, 7]),
        (ops.tensor_split(i, 3), [3, 2, 2]),
        (ops.tensor_split(i, (1, 99)), [1, 6, 0]),
        (ops.chunk(i, 3), [3, 3, 1]),
        (ops.chunk(i, 5), [2, 2, 2, 1]),
        (ops.chunk(i, 50), [1] * 7),
    ]:
        assert [p.size for p in pieces] == lengths
        np.testing.assert_array_equal(ops.concat(pieces).asnumpy(), np.arange(7))


def test_numel():
    assert ops.numel(Tensor(A)) == Tensor(A).numel() == 24


def numbers(given):
    return given.dtype, given.asnumpy().tolist()


@pytest.mark.parametrize("compiled", [False, True])
def test_creation(compiled):
    def run(make):
        return ms.jit(lambda x: (make(), x))(Tensor(1.0))[0] if compiled else make()

    for make, dtype, values in [
        (lambda: ops.arange(5), ms.int64, range(5)),
        (lambda: ops.arange(1, 6, 2), ms.int64, [1, 3, 5]),
        (lambda: ops.arange(5, 0, -2), ms.int64, [5, 3, 1]),
        (lambda: ops.arange(5, 5), ms.int64, []),
        (lambda: ops.arange(1.5), ms.float32, [0, 1]),
        (lambda: ops.arange(0.0, 1.0, 0.25), ms.float32, [0, 0.25, 0.5, 0.75]),
        (lambda: ops.arange(3, dtype=ms.float16), ms.float16, range(3)),
        (lambda: ops.range(0, 5, 2), ms.int64, [0, 2, 4]),
        (lambda: ops.linspace(0, 1, 5), ms.float32, [0, 0.25, 0.5, 0.75, 1]),
        (lambda: ops.linspace(2.0, 1.0, 1), ms.float32, [2]),
        (lambda: ops.linspace(0, Tensor(1.0), 3), ms.float32, [0, 0.5, 1]),
        (lambda: ops.logspace(0, 3, 4, 2), ms.float32, [1, 2, 4, 8]),
        (lambda: ops.eye(2, 3), ms.float32, [[1, 0, 0], [0, 1, 0]]),
        (lambda: ops.eye(2, dtype=ms.int32), ms.int32, [[1, 0], [0, 1]]),
        (lambda: ops.tril_indices(3, 2, -1), ms.int64, [[1, 2, 2], [0, 0, 1]]),
        (lambda: ops.triu_indices(2, 3, 1, dtype=ms.int32), ms.int32, [[0, 0, 1], [1, 2, 2]]),
        (
            lambda: ops.sequence_mask(Tensor([1, 3], ms.int32), 4),
            ms.bool_,
            [[True, False, False, False], [True, True, True, False]],
        ),
    ]:
        assert numbers(run(make)) == (dtype, list(values))


def test_linspace_of_tensors_is_differentiable():
    f = lambda a, b: (ops.linspace(a, b, 5) ** 2).sum()
    a, b = Tensor(np.array(1.0)), Tensor(np.array(3.0))
    assert numbers(ops.linspace(a, b, 5)) == (ms.float64, [1, 1.5, 2, 2.5, 3])
    check_grads(f, (a, b), order=2)
    check_grads(lambda a: ops.logspace(a, b, 4, 2, dtype=ms.float64), (a,), order=2)
    third = Tensor(np.float32(1 / 3))
    np.testing.assert_array_equal(
        ops.linspace(third, third * 7, 50).asnumpy()[[0, -1]], (third * Tensor([1, 7])).asnumpy()
    )


def test_one_hot():
    i = np.array([[0, 3], [2, 9], [-1, 1]])
    for dtype in (ms.int32, ms.int64):
        x = Tensor(i, dtype)
        for axis in (-1, 0, 1, 2):
            got = ops.one_hot(x, 4, axis=axis)
            hot = np.stack([i == k for k in range(4)], axis).astype(np.int64)
            np.testing.assert_array_equal(got.asnumpy(), hot, strict=True)
    floats = ops.one_hot(Tensor([1]), 2, 2.5, -1)
    assert numbers(floats) == (ms.float32, [[-1, 2.5]])
    check_grads(
        lambda on, off: ops.one_hot(Tensor(i), 4, on * on, off),
        (Tensor(np.array(0.5)), Tensor(np.array(2.0))),
    )


def test_padding_with_what_is_not_finite():
    x = Tensor(M)
    for value in (np.inf, Tensor(-np.inf), np.nan):
        filler = value.asnumpy() if isinstance(value, Tensor) else value
        wanted = np.pad(M, ((1, 0), (2, 0)), constant_values=filler)
        np.testing.assert_array_equal(ops.pad(x, (2, 0, 1, 0), value=value).asnumpy(), wanted)
    gradient = ms.grad(lambda x: ops.where(ops.pad(x, (1, 1), value=np.inf) < 9, 2.0, 0.0).sum())(x)
    np.testing.assert_array_equal(gradient.asnumpy(), np.zeros_like(M))


def test_zeros_of_triangles_hide_what_is_not_finite():
    x = Tensor(np.array([[1.0, np.inf], [2.0, np.nan]]))
    np.testing.assert_array_equal(ops.tril(x, -1).asnumpy(), [[0, 0], [2, 0]])
    gradient = ms.grad(lambda x: ops.tril(1 / (x - 2), -1).sum())(Tensor([[2.0, 2.0], [3.0, 2.0]]))
    np.testing.assert_array_equal(gradient.asnumpy(), [[0, 0], [-1, 0]])


def test_class_forms():
    x = Tensor(np.arange(6, dtype=np.float32).reshape(2, 3))
    image = Tensor(np.arange(16, dtype=np.float32).reshape(1, 2, 2, 4))
    deep = Tensor(np.arange(16, dtype=np.float32).reshape(1, 8, 1, 2))
    vector = x[0]
    symmetric = [[0, 1, 2, 2], [0, 1, 2, 2], [3, 4, 5, 5], [3, 4, 5, 5], [0, 1, 2, 2]]
    for got, wanted in [
        (ops.Tile()(x, (2, 1)), np.tile(x.asnumpy(), (2, 1))),
        (ops.Roll(1, 1)(x), np.roll(x.asnumpy(), 1, 1)),
        (ops.ReverseV2((1,))(x), x.asnumpy()[:, ::-1]),
        (ops.Meshgrid("ij")((vector, vector))[1], np.tile([0, 1, 2], (3, 1))),
        (ops.Split(1, 3)(x)[2], [[2], [5]]),
        (ops.SplitV([1, -1], 1, 2)(x)[1], [[1, 2], [4, 5]]),
        (ops.Unstack(1)(x)[1], [1, 4]),
        (ops.Slice()(x, (0, 1), (2, -1)), [[1, 2], [4, 5]]),
        (ops.StridedSlice(1, 0, 0, 0, 2)(x, (1, 1), (2, 0), (1, 1)), [1, 4]),
        (ops.Pad(((1, 0), (0, 1)))(x), np.pad(x.asnumpy(), ((1, 0), (0, 1)))),
        (ops.MirrorPad("SYMMETRIC")(x, Tensor([[1, 2], [0, 1]])), symmetric),
        (
            ops.MirrorPad()(x, ((1, 1), (0, 1))),
            np.pad(x.asnumpy(), ((1, 1), (0, 1)), "reflect"),
        ),
        (ops.PadV3("edge")(x, (1, 2)), np.pad(x.asnumpy(), ((0, 0), (1, 2)), "edge")),
        (
            ops.PadV3("constant", False)(x, (0, 1, 2, 3), 7.0),
            np.pad(x.asnumpy(), ((1, 3), (0, 2)), constant_values=7),
        ),
        (ops.Tril(1)(x), [[0, 1, 0], [3, 4, 5]]),
        (ops.Triu(1)(x), [[0, 1, 2], [0, 0, 5]]),
        (ops.Diag()(vector), np.diag([0, 1, 2])),
        (ops.DiagPart()(ops.diag(x)), x.asnumpy()),
        (ops.OneHot(0)(Tensor([1]), 2, Tensor(1.0), Tensor(0.0)), [[0], [1]]),
        (ops.Range()(0, 3, 1), [0, 1, 2]),
        (ops.LinSpace()(Tensor(0.0), Tensor(1.0), 3), [0, 0.5, 1]),
        (ops.LogSpace(3, 4)(Tensor(0.0), Tensor(1.0)), [1, 2, 4]),
        (ops.Eye()(2, 3, ms.float32), np.eye(2, 3)),
        (ops.FillV2()((2,), Tensor(3.0)), [3, 3]),
        (ops.TrilIndices(2, 2)(), [[0, 1, 1], [0, 0, 1]]),
        (ops.TriuIndices(2, 2)(), [[0, 0, 1], [0, 1, 1]]),
        (
            ops.SpaceToDepth(2)(image).reshape(8, 2),
            [[0, 2], [8, 10], [1, 3], [9, 11], [4, 6], [12, 14], [5, 7], [13, 15]],
        ),
        (
            ops.DepthToSpace(2)(deep).reshape(4, 4),
            [[0, 4, 1, 5], [8, 12, 9, 13], [2, 6, 3, 7], [10, 14, 11, 15]],
        ),
        (ops.pixel_shuffle(deep, 2).reshape(4, 4)[:2], [[0, 2, 1, 3], [4, 6, 5, 7]]),
        (ops.pixel_unshuffle(ops.pixel_shuffle(deep, 2), 2), deep.asnumpy()),
    ]:
        np.testing.assert_allclose(got.asnumpy(), wanted, rtol=1e-6)


X = Tensor(np.zeros((2, 3), np.float32))
W = Tensor(np.zeros(3, np.float32))
I4 = Tensor(np.arange(4, dtype=np.int32))

REFUSED = [
    (lambda: ops.tile(X, 2), TypeError, "must be a tuple or list of ints"),
    (lambda: ops.tile(X, (-1, 2)), ValueError, "cannot contain negative"),
    (lambda: X.repeat(2), RuntimeError, "as many numbers at least"),
    (lambda: ops.repeat_interleave(X, -1, 0), ValueError, "in the range"),
    (lambda: ops.repeat_interleave(X, 2.0, 0), TypeError, "ints"),
    (lambda: ops.repeat_interleave(X, [1, 2, 3], 0), ValueError, "length of 'repeats'"),
    (lambda: ops.hstack(()), ValueError, "'tensors' must not be empty"),
    (lambda: ops.hstack(W), TypeError, "tuple or list"),
    (lambda: ops.hstack((W, 1)), TypeError, "must be a Tensor"),
    (lambda: ops.column_stack((X, W)), ValueError, "shapes must agree"),
    (lambda: ops.split(I4, [1, 2]), ValueError, "should be equal to 4, but got 3"),
    (lambda: ops.split(I4, 0), ValueError, "must be positive"),
    (lambda: ops.split(I4, 1.5), TypeError, "non-negative ints"),
    (lambda: ops.split(I4, [5, -1]), TypeError, "non-negative ints"),
    (lambda: ops.split(X, 1, 5), ValueError, "axis value"),
    (lambda: ops.tensor_split(I4, 0), ValueError, "must be positive"),
    (lambda: ops.tensor_split(I4, "a"), TypeError, "must be an int"),
    (lambda: ops.hsplit(W, 3), ValueError, "at least 2"),
    (lambda: ops.dsplit(X, 3), ValueError, "at least 3"),
    (lambda: ops.chunk(W, 0), ValueError, "must be positive"),
    (lambda: ops.unbind(X, 5), ValueError, "axis value"),
    (lambda: ops.unbind(Tensor(1.0)), ValueError, "at least one dimension"),
    (lambda: ops.narrow(X, 1, -2, 2), ValueError, "'start' must be in"),
    (lambda: ops.narrow(X, 1, 2, 2), ValueError, "'length' in"),
    (lambda: ops.block_diag(), RuntimeError, "empty"),
    (lambda: ops.block_diag(Tensor(np.zeros((1, 1, 1)))), ValueError, "at most 2 dimensions"),
    (lambda: ops.roll(X, (1, 2), (0,)), ValueError, "must have as many elements"),
    (lambda: ops.roll(X, (1, 2)), ValueError, "as many 'dims'"),
    (lambda: ops.flip(X, 0), TypeError, "tuple or list of ints"),
    (lambda: ops.flip(X, (0, 0)), ValueError, "twice"),
    (lambda: ops.flip(X, (5,)), ValueError, "axis value"),
    (lambda: ops.fliplr(W), ValueError, "axis value"),
    (lambda: ops.rot90(X, 1, (0, 0)), RuntimeError, "must be different"),
    (lambda: ops.rot90(X, 1, (0,)), ValueError, "dims must be 2"),
    (lambda: ops.pad(X, (1,)), ValueError, "divisible by 2"),
    (lambda: ops.pad(X, (1,) * 6), ValueError, "take 4 at most"),
    (lambda: ops.pad(X, (1, 2), "foo"), ValueError, "'mode' must be one of"),
    (lambda: ops.pad(X, (1, 2), "reflect", 1), ValueError, "can not set value"),
    (lambda: ops.pad(X, (3, 2), "reflect"), ValueError, "must not exceed 2"),
    (lambda: ops.pad(X, (4, 0), "circular"), ValueError, "must not exceed 3"),
    (lambda: ops.pad(X, (-2, -2)), ValueError, "drops more than the 3"),
    (lambda: ops.pad(X, (0.5, 1)), TypeError, "ints"),
    (lambda: ops.tril(W), ValueError, "at least 2 dimensions"),
    (lambda: ops.triu(X, 1.5), TypeError, "must be an int"),
    (lambda: ops.diag(Tensor(1.0)), ValueError, "at least one dimension"),
    (lambda: ops.diagonal(W), ValueError, "'dim2' must be in"),
    (lambda: ops.diagonal(X, 0, 0, 0), ValueError, "identical"),
    (lambda: ops.diag_embed(W, 0, 1, 1), ValueError, "identical"),
    (lambda: ops.diag_embed(X, 0, 5, 1), ValueError, "'dim1' must be in"),
    (lambda: ops.diagonal_scatter(X, W), ValueError, "that of the diagonal"),
    (lambda: ops.meshgrid(W, I4), ValueError, "same dtype"),
    (lambda: ops.meshgrid((W, W)), TypeError, "must be a Tensor"),
    (lambda: ops.meshgrid(W, W, indexing="xx"), ValueError, "'xy' or 'ij'"),
    (lambda: ops.combinations(X), ValueError, "one dimension"),
    (lambda: ops.one_hot(Tensor([0.0]), 3), TypeError, "int32 or int64"),
    (lambda: ops.one_hot(I4, -1), ValueError, "must be at least 0"),
    (lambda: ops.one_hot(I4, 3, 1, 0, 5), ValueError, "axis value"),
    (lambda: ops.movedim(X, 0, 5), ValueError, "axis value"),
    (lambda: ops.movedim(X, (0, 0), (0, 1)), ValueError, "twice"),
    (lambda: ops.movedim(X, (0, 1), (1,)), ValueError, "must have as many elements"),
    (lambda: ops.flatten(X, "A"), ValueError, "'C' or 'F'"),
    (lambda: ops.flatten(X, 1), TypeError, "must be a str"),
    (lambda: ops.atleast_1d(3), TypeError, "expected a Tensor"),
    (lambda: ops.arange(1, 5, 0), ValueError, "'step' must lead"),
    (lambda: ops.arange(5, 1), ValueError, "'step' must lead"),
    (lambda: ops.arange(True), TypeError, "must be a number"),
    (lambda: ops.range(0, 5, 1, 4), ValueError, "more than 'maxlen'"),
    (lambda: ops.linspace(0, 1, 0), ValueError, "must be positive"),
    (lambda: ops.linspace(0, 1, 2.5), TypeError, "must be an int"),
    (lambda: ops.linspace(W, W, 3), ValueError, "'start' must have no dimensions"),
    (lambda: ops.linspace(Tensor(0), Tensor(1), 3), TypeError, "floating-point"),
    (lambda: ops.logspace(0, 2, 3, 1.5), TypeError, "'base' must be an int"),
    (lambda: ops.eye(-1), ValueError, "must be at least 0"),
    (lambda: ops.eye(2.5), TypeError, "must be an int"),
    (lambda: ops.sequence_mask(W), TypeError, "must be of integers"),
    (lambda: ops.slice(X, (0, 1), (2, 3)), ValueError, "dimension 1 has 3 elements"),
    (lambda: ops.slice(X, (0,), (2,)), ValueError, "one for each dimension"),
    (lambda: ops.strided_slice(X, (0,), (1, 1), (1,)), ValueError, "same length"),
    (lambda: ops.pixel_shuffle(Tensor(A), 2), ValueError, "squared"),
    (lambda: ops.pixel_unshuffle(Tensor(A), 2), ValueError, "last two dimensions"),
    (lambda: ops.pixel_shuffle(Tensor(A), 0), ValueError, "positive"),
    (lambda: ops.SpaceToDepth(1), ValueError, "at least 2"),
    (lambda: ops.SpaceToDepth(2.0), TypeError, "must be an int"),
    (lambda: ops.DepthToSpace(2)(X), ValueError, "4 dimensions"),
    (lambda: ops.Split(1, 2)(X), ValueError, "divisible"),
    (lambda: ops.Split(1, 2.0), TypeError, "must be an int"),
    (lambda: ops.SplitV([1, 2], 1, 3), ValueError, "'num_split'"),
    (lambda: ops.Pad([1])(X), TypeError, "must be a tuple"),
    (lambda: ops.Pad(((1, 0),))(X), ValueError, "a pair for each"),
    (lambda: ops.MirrorPad("EDGE"), ValueError, "'REFLECT' or 'SYMMETRIC'"),
    (lambda: ops.PadV3("replicate"), ValueError, "'mode' must be one of"),
    (lambda: ops.DiagPart()(X), ValueError, "one shape twice"),
    (lambda: ops.Tril(1.0), TypeError, "must be an int"),
]


@pytest.mark.parametrize("call,kind,words", REFUSED, ids=lambda v: v if type(v) is str else "")
def test_refused(call, kind, words):
    with pytest.raises(kind) as caught:
        call()
    assert re.search(words.replace("(", r"\("), said(caught.value))
    assert "test_shapes.py" in str(caught.value)


def test_numbers_that_are_not_known_while_compiling():
    @ms.jit
    def f(x, n):
        return ops.pad(x, n + 1)

    with pytest.raises(TypeError, match="'padding' of pad needs the elements"):
        f(W, Tensor([1, 2]))


def test_sizes_in_tensors():
    x, sizes = Tensor([[1.0], [2.0]]), Tensor([2, 3], ms.int32)
    wide = np.broadcast_to(x.asnumpy(), (2, 3))
    for out in (
        ops.broadcast_to(x, sizes),
        ops.expand(x, sizes),
        x.expand(sizes),
        x.broadcast_to(sizes),
    ):
        np.testing.assert_array_equal(out.asnumpy(), wide)
    assert x.reshape(Tensor([1, 2])).shape == (1, 2)
    np.testing.assert_array_equal(ms.jit(ops.expand)(x, sizes).asnumpy(), wide)
    with pytest.raises(TypeError, match="not known while compiling"):
        ms.jit(lambda x, sizes: ops.expand(x, sizes + 0))(x, sizes)


def test_bands_that_are_computed(mode):
    """Widths that code computes, and under vmap each element's own."""
    x = np.arange(1.0, 25.0).reshape(2, 3, 4)
    compiled = ms.jit(ops.matrix_band_part)
    for lower, upper in ((0, 1), (2, -1), (-1, 0), (9, 9)):
        wanted = np.triu(np.tril(x, upper if upper >= 0 else 9), -lower if lower >= 0 else -9)
        found = compiled(Tensor(x), Tensor(lower), Tensor(upper))
        np.testing.assert_array_equal(found.asnumpy(), wanted)
    each = ms.vmap(ops.matrix_band_part, (0, 0, None))(Tensor(x), Tensor([1, 0]), 1).asnumpy()
    for k in range(2):
        np.testing.assert_array_equal(each[k], np.triu(np.tril(x[k], 1), k - 1))


def test_bands_beyond_the_matrix():
    """As MindSpore: a number that is negative or too large keeps the triangle."""
    x = np.arange(6).reshape(2, 3)
    for low, high in ((-1, -1), (-5, 0), (0, -9), (3, 0), (1, 4)):
        expected = np.tril(x, high if high >= 0 else 9)
        expected = np.triu(expected, -low if low >= 0 else -9)
        np.testing.assert_array_equal(
            ops.matrix_band_part(Tensor(x), low, high).asnumpy(), expected
        )
