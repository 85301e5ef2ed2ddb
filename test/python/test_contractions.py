"""Products and Einstein sums against numpy, the ops they become, and what they refuse.

Where MindSpore 2.10 and numpy have the same function, numbers were compared with both once; the
tests use numpy.
"""

import re
from pathlib import Path

import numpy as np
import pytest
from messages import said

import cellgrad as ms
from cellgrad import Tensor, ops
from cellgrad.testing import check_grads

RNG = np.random.default_rng(7)


def draw(*shape):
    return RNG.standard_normal(shape)


def close(got, wanted, dtype="float64"):
    got = got.asnumpy()
    assert got.shape == np.shape(wanted)
    assert got.dtype == dtype
    np.testing.assert_allclose(got, wanted, rtol=1e-12, atol=1e-12)


def captured(function, args, folder):
    """The names of the cell ops that a function becomes."""
    ms.export(
        function,
        *args,
        file_name=str(folder / "f"),
        value_and_grad=False,
        file_format="MLIR",
    )
    text = Path(folder / "f.mlir").read_text()
    return re.findall(r"= cell\.(\w+) ", text)


MATMUL = [
    ((3,), (3,)),
    ((3,), (3, 4)),
    ((2, 3), (3,)),
    ((2, 3), (3, 4)),
    ((5, 2, 3), (3, 4)),
    ((2, 3), (5, 3, 4)),
    ((5, 2, 3), (3,)),
    ((3,), (5, 3, 4)),
    ((5, 1, 2, 3), (6, 3, 4)),
    ((1, 2, 3), (5, 3, 4)),
    ((2, 0), (0, 4)),
    ((0, 2, 3), (3, 4)),
]


@pytest.mark.parametrize("a, b", MATMUL)
def test_matmul(a, b):
    x, y = draw(*a), draw(*b)
    close(ops.matmul(Tensor(x), Tensor(y)), np.matmul(x, y))
    close(Tensor(x).matmul(Tensor(y)), np.matmul(x, y))


EINSUM = [
    ("ij,jk->ik", (2, 3), (3, 4)),
    ("ij,jk", (2, 3), (3, 4)),
    (" ba , bc ", (3, 2), (3, 4)),
    ("ij->ji", (3, 4)),
    ("ji", (3, 4)),
    ("ij->", (3, 4)),
    ("ij", (0, 4)),
    ("ii->i", (3, 3)),
    ("ii", (3, 3)),
    ("iji->j", (3, 2, 3)),
    ("iiji->ij", (3, 3, 2, 3)),
    ("iij,jk->ik", (3, 3, 4), (4, 2)),
    ("aab,bb->a", (3, 3, 2), (2, 2)),
    ("bhqd,bhkd->bhqk", (2, 3, 4, 5), (2, 3, 6, 5)),
    ("bhqk,bkhd->bqhd", (2, 3, 4, 5), (2, 5, 3, 6)),
    ("bij,bj->bi", (2, 3, 4), (2, 4)),
    ("jb,ij->bi", (3, 2), (4, 3)),
    ("i,i->i", (3,), (3,)),
    ("i,i->", (3,), (3,)),
    ("i,", (3,), ()),
    ("i,j,k->kji", (2,), (3,), (4,)),
    ("abcd,cdef->abef", (2, 3, 4, 5), (4, 5, 2, 3)),
    ("abcd,dcef->feab", (2, 3, 4, 5), (5, 4, 2, 3)),
    ("ijk,jil->kl", (2, 3, 4), (3, 2, 5)),
    ("ij,kl->", (2, 3), (3, 4)),
    ("ij,j->i", (2, 0), (0,)),
    ("...ij,...jk", (2, 1, 3, 4), (5, 4, 2)),
    ("...ij,...jk->...ik", (3, 4), (5, 4, 2)),
    ("b...,b...->...", (2, 3, 4), (2, 3, 4)),
    ("i...->...", (2, 3)),
    ("i...j->j...", (2, 3, 4, 5)),
    ("...ii->...i", (2, 3, 3)),
    ("ij,jk,kl,lm->im", (2, 3), (3, 4), (4, 5), (5, 2)),
    ("bi,bj,ij->b", (2, 3), (2, 4), (3, 4)),
    ("ab,b,bc,c,cd,d,da->", (2, 3), (3,), (3, 4), (4,), (4, 5), (5,), (5, 2)),
]


@pytest.mark.parametrize("equation, shapes", [(e, s) for e, *s in EINSUM], ids=lambda v: str(v))
def test_einsum(equation, shapes):
    arrays = [draw(*s) for s in shapes]
    wanted = np.einsum(equation, *arrays)
    close(ops.einsum(equation, *map(Tensor, arrays)), wanted)
    close(ops.Einsum(equation)(tuple(map(Tensor, arrays))), wanted)


def test_einsum_stretches_and_sums_what_the_result_leaves_out():
    x, y = draw(2, 1), draw(3, 4)
    close(ops.einsum("ij,jk->ik", Tensor(x), Tensor(y)), np.matmul(np.repeat(x, 3, 1), y))
    z = draw(2, 3, 4)
    close(ops.einsum("...i->i", Tensor(z)), z.sum((0, 1)))


def test_einsum_of_integers_and_bools_and_mixed_dtypes():
    i = np.arange(6).reshape(2, 3)
    close(ops.einsum("ij,kj->ik", Tensor(i), Tensor(i)), i @ i.T, "int64")
    b = np.array([[True, False], [True, True]])
    close(ops.einsum("ij,jk->ik", Tensor(b), Tensor(b)), [[1, 0], [2, 1]], "int64")
    x = np.array([0.5, -1.25, 2.0], "float32")  # products and sums are exact
    got = ops.einsum("ij,j->i", Tensor(i), Tensor(x))
    assert got.dtype == ms.float32
    np.testing.assert_array_equal(got.asnumpy(), i @ x)


OPS = [
    ("bhqd,bhkd->bhqk", [(2, 3, 4, 5), (2, 3, 6, 5)], ["matmul"]),
    ("ij,jk->ik", [(2, 3), (3, 4)], ["matmul"]),
    ("ji,jk->ik", [(3, 2), (3, 4)], ["matmul"]),
    ("ij,kj->ki", [(2, 3), (4, 3)], ["matmul"]),
    ("bji,bkj->bki", [(5, 3, 2), (5, 4, 3)], ["matmul"]),
    ("abcd,cdef->abef", [(2, 3, 4, 5), (4, 5, 2, 3)], ["reshape", "reshape", "matmul", "reshape"]),
    ("bij,bj->bi", [(2, 3, 4), (2, 4)], ["reshape", "matmul", "reshape"]),
    ("bhqk,bkhd->bhqd", [(2, 3, 4, 5), (2, 5, 3, 6)], ["transpose", "matmul"]),
    ("i,j->ij", [(2,), (3,)], ["broadcast", "broadcast", "mul"]),
    ("ii->i", [(3, 3)], ["reshape", "slice"]),
    ("ij,jk,kl->il", [(2, 3), (3, 4), (4, 5)], ["matmul", "matmul"]),
]


@pytest.mark.parametrize("equation, shapes, wanted", OPS, ids=lambda v: str(v))
def test_ops_of_an_einsum(equation, shapes, wanted, tmp_path):
    args = [Tensor(draw(*s)) for s in shapes]
    got = captured(lambda *xs: ops.einsum(equation, *xs), args, tmp_path)
    assert sorted(got) == sorted(wanted)


def test_einsum_takes_a_good_order(tmp_path):
    """A chain that costs 200 times more from left to right."""
    args = [Tensor(draw(*s)) for s in [(200, 2), (2, 200), (200, 1)]]
    ms.export(
        lambda a, b, c: ops.einsum("ij,jk,kl->il", a, b, c),
        *args,
        file_name=str(tmp_path / "f"),
        value_and_grad=False,
        file_format="MLIR",
    )
    assert "tensor<200x200xf64>" not in (tmp_path / "f.mlir").read_text()


PAIRS = [
    ("dot", lambda x, y: ops.dot(x, y), np.dot, (3,), (3,)),
    ("dot-2-1", lambda x, y: x.dot(y), np.dot, (2, 3), (3,)),
    ("dot-1-3", ops.dot, np.dot, (3,), (2, 3, 4)),
    ("dot-3-3", ops.dot, np.dot, (2, 4, 3), (5, 3, 2)),
    ("mm", ops.mm, np.matmul, (2, 3), (3, 4)),
    ("mm-method", lambda x, y: x.mm(y), np.matmul, (2, 3), (3, 4)),
    ("bmm", ops.bmm, np.matmul, (5, 2, 3), (5, 3, 4)),
    ("bmm-method", lambda x, y: x.bmm(y), np.matmul, (5, 2, 3), (5, 3, 4)),
    ("mv", ops.mv, np.matmul, (2, 3), (3,)),
    ("outer", ops.outer, np.outer, (2,), (3,)),
    ("outer-method", lambda x, y: x.outer(y), np.outer, (2,), (3,)),
    ("ger", ops.ger, np.outer, (2,), (3,)),
    ("ger-method", lambda x, y: x.ger(y), np.outer, (2,), (3,)),
    ("Ger", ops.Ger(), np.outer, (2,), (3,)),
    ("inner", ops.inner, np.inner, (2, 3), (4, 5, 3)),
    ("inner-1-1", lambda x, y: x.inner(y), np.inner, (3,), (3,)),
    ("inner-0", ops.inner, np.inner, (), (4, 3)),
    ("kron", ops.kron, np.kron, (2, 3), (4, 5)),
    ("kron-2-1", ops.kron, np.kron, (2, 3), (4,)),
    ("kron-0", ops.kron, np.kron, (), (4, 2)),
    ("tensordot", ops.tensordot, np.tensordot, (2, 3, 4), (3, 4, 5)),
    ("vecdot", ops.vecdot, lambda x, y: (x * y).sum(-1), (2, 3), (3,)),
    (
        "vecdot-0",
        lambda x, y: ops.vecdot(x, y, axis=0),
        lambda x, y: (x * y).sum(0),
        (2, 3),
        (2, 3),
    ),
    ("cross", ops.cross, np.cross, (2, 3), (2, 3)),
    ("cross-0", ops.cross, lambda x, y: np.cross(x, y, axis=0), (3, 3), (3, 3)),
    ("cross-1", lambda x, y: x.cross(y, 1), np.cross, (3, 3), (3, 3)),
    ("Cross", ops.Cross(1), np.cross, (3, 3), (3, 3)),
]


@pytest.mark.parametrize("ours, numpy, a, b", [p[1:] for p in PAIRS], ids=[p[0] for p in PAIRS])
def test_products_of_two(ours, numpy, a, b):
    x, y = draw(*a), draw(*b)
    close(ours(Tensor(x), Tensor(y)), numpy(x, y))


@pytest.mark.parametrize("axes", [0, 1, ((1, 2), (1, 0)), (0, 2), ([2], [0]), (-1, -3)])
def test_tensor_dot(axes):
    x, y = draw(2, 3, 4), draw(4, 3, 2)
    close(ops.tensor_dot(Tensor(x), Tensor(y), axes), np.tensordot(x, y, axes))


def test_products_added_to_a_tensor():
    m, a, b, v = draw(2, 4), draw(2, 3), draw(3, 4), draw(3)
    t = Tensor
    close(ops.addmm(t(m), t(a), t(b)), m + a @ b)
    close(t(m).addmm(t(a), t(b), beta=2, alpha=0.5), 2 * m + 0.5 * (a @ b))
    close(ops.addmv(t(m[:, 0]), t(a), t(v), beta=2, alpha=0.5), 2 * m[:, 0] + 0.5 * (a @ v))
    close(t(m[:, 0]).addmv(t(a), t(v)), m[:, 0] + a @ v)
    close(ops.addr(t(a), t(m[:, 0]), t(v), beta=2, alpha=3), 2 * a + 3 * np.outer(m[:, 0], v))
    close(t(a).addr(t(m[:, 0]), t(v)), a + np.outer(m[:, 0], v))
    p, q = draw(5, 2, 3), draw(5, 3, 4)
    close(ops.baddbmm(t(m), t(p), t(q), beta=2, alpha=0.5), 2 * m + 0.5 * (p @ q))
    close(t(m).baddbmm(t(p), t(q)), m + p @ q)
    close(ops.addbmm(t(m), t(p), t(q), beta=2, alpha=0.5), 2 * m + 0.5 * (p @ q).sum(0))
    close(t(m).addbmm(t(p), t(q)), m + (p @ q).sum(0))
    i = np.arange(4).reshape(2, 2)
    close(ops.addmm(t(i), t(i), t(i), beta=3), 3 * i + i @ i, "int64")


def test_a_factor_of_zero_ignores_what_is_added():
    bad = Tensor(np.array([np.nan, np.inf]))
    a, b = draw(2, 3), draw(3, 2)
    close(ops.addmm(bad, Tensor(a), Tensor(b), beta=0), a @ b)


@pytest.mark.parametrize("shape", [(3, 3), (2, 5), (5, 2), (4, 3, 3)])
@pytest.mark.parametrize("offset", [0, 1, -1, 4, -4, 9])
def test_trace(shape, offset):
    x = draw(*shape)
    close(Tensor(x).trace(offset, -2, -1), np.trace(x, offset, -2, -1))
    if offset == 0 and len(shape) == 2:
        close(ops.trace(Tensor(x)), np.trace(x))
        close(ops.Trace()(Tensor(x)), np.trace(x))


def test_trace_of_other_dimensions_and_dtypes():
    x = draw(2, 3, 4)
    close(Tensor(x).trace(1, 2, 0), np.trace(x, 1, 2, 0))
    i = np.arange(9).reshape(3, 3).astype("int32")
    assert Tensor(i).trace(dtype=ms.float32).dtype == ms.float32
    close(ops.trace(Tensor(i)), 12, "int32")


def test_vander():
    x = draw(4)
    close(ops.vander(Tensor(x)), np.vander(x))
    close(ops.vander(Tensor(x), 2), np.vander(x, 2))
    i = np.arange(4).astype("int32")
    close(ops.vander(Tensor(i), 3), np.vander(i, 3), "int64")
    close(ms.grad(lambda x: ops.vander(x, 3).sum())(Tensor(np.zeros(2))), [1.0, 1.0])


DIFFERENTIABLE = {
    "attention": (lambda q, k: ops.einsum("bqd,bkd->bqk", q, k), (2, 3, 4), (2, 2, 4)),
    "diagonal": (lambda x, y: ops.einsum("ii,ij->j", x, y), (3, 3), (3, 2)),
    "chain": (lambda x, y: ops.einsum("ij,jk,kj->ik", x, y, x), (3, 2), (2, 3)),
    "ellipsis": (lambda x, y: ops.einsum("...i,i->...", x, y), (2, 2, 3), (3,)),
    "kron": (ops.kron, (2, 2), (3,)),
    "cross": (ops.cross, (2, 3), (2, 3)),
    "tensor_dot": (lambda x, y: ops.tensor_dot(x, y, ((0,), (1,))), (3, 2), (2, 3)),
    "trace": (lambda x, y: x.trace(1) * y, (3, 3), (2,)),
    "addmm": (lambda x, y: ops.addmm(x, x, y, beta=2, alpha=3), (2, 2), (2, 2)),
}


@pytest.mark.parametrize("name", DIFFERENTIABLE)
def test_derivatives(name):
    function, *shapes = DIFFERENTIABLE[name]
    check_grads(function, tuple(Tensor(draw(*s)) for s in shapes), order=2)


def test_vmap_of_an_einsum():
    x, y = draw(5, 2, 3), draw(3, 4)
    got = ms.vmap(lambda a, b: ops.einsum("ij,jk->ki", a, b), (0, None))(Tensor(x), Tensor(y))
    close(got, np.einsum("bij,jk->bki", x, y))


def T(*shape):
    return Tensor(np.ones(shape, "float32"))


ERRORS = [
    (lambda: ops.einsum(3, T(2)), TypeError, "'equation' must be a str, but got int"),
    (lambda: ops.einsum("ij,jk", T(2, 3)), ValueError, "names 2 operands, but 1 are given"),
    (lambda: ops.einsum("ij,jk", T(2, 3), T(3)), ValueError, "operand 1 has shape .3., but 'jk'"),
    (lambda: ops.einsum("i", T(2, 3)), ValueError, "add '...' for the dimensions without"),
    (lambda: ops.einsum("i1->i", T(2, 3)), ValueError, "has '1'"),
    (lambda: ops.einsum("i......", T(2, 3)), ValueError, "one '...' an operand"),
    (lambda: ops.einsum("ij->iz", T(2, 3)), ValueError, "'z' to the right .* is not on the left"),
    (lambda: ops.einsum("ij->ii", T(2, 3)), ValueError, "'i' .* stands there twice"),
    (lambda: ops.einsum("ij,jk", T(2, 3), T(4, 3)), ValueError, "label 'j' .* sizes 3 and 4"),
    (lambda: ops.einsum("ii", T(2, 3)), ValueError, "label 'i' .* sizes 2 and 3"),
    (lambda: ops.einsum("...i,...i", T(2, 3), T(4, 3)), ValueError, "the ellipsis .* 2 and 4"),
    (lambda: ops.einsum("i", 3), TypeError, "must be a Tensor, but got int"),
    (lambda: ops.Einsum(3), TypeError, "equation must be a str"),
    (lambda: ops.Einsum("i")(T(2)), TypeError, "must be a tuple or list of Tensors"),
    (lambda: ops.matmul(T(), T(2)), ValueError, "operands must have dimensions"),
    (lambda: ops.dot(T(), T(2)), ValueError, "operands must have dimensions"),
    (
        lambda: ops.dot(T(3), T(2)),
        ValueError,
        "dimension 0 of .3. is 3 and dimension 0 of .2. is 2",
    ),
    (lambda: ops.inner(T(2, 3), T(2, 2)), ValueError, "that are summed over must be equal"),
    (lambda: ops.mv(T(2, 3), T(2, 3)), ValueError, "'vec' must have 1 dimension"),
    (lambda: ops.mv(T(2, 3), T(2)), ValueError, "must be equal, but got 3"),
    (lambda: ops.ger(T(2, 3), T(2)), ValueError, "'input' must have 1 dimension"),
    (lambda: ops.addmm(T(2), T(3, 4), T(4, 2), beta="a"), TypeError, "'beta' must be an int or f"),
    (lambda: ops.addmm(T(3), T(3, 4), T(4, 2)), ValueError, "must broadcast"),
    (lambda: ops.addmm(T(5, 3, 2), T(3, 4), T(4, 2)), ValueError, "cannot be broadcast to the pro"),
    (lambda: ops.addmm(T(2), T(3), T(4, 2)), ValueError, "'mat1' must have 2 dimensions"),
    (lambda: ops.baddbmm(T(2), T(5, 3, 4), T(6, 4, 2)), ValueError, "must hold as many matrices"),
    (lambda: ops.tensor_dot(T(2, 3), T(3), -1), ValueError, "from 0 to the rank of both"),
    (lambda: ops.tensor_dot(T(2, 3), T(3), "a"), TypeError, "an int or a pair"),
    (lambda: ops.tensor_dot(T(2, 3), T(3), ((0, 1), 0)), ValueError, "as many dimensions of both"),
    (lambda: ops.tensor_dot(T(2, 3), T(3), (0, 0)), ValueError, "dimension 0 of .2, 3. is 2"),
    (lambda: ops.tensor_dot(T(2, 3), T(3), (2, 0)), ValueError, r"in \[-2,2\), but got 2"),
    (lambda: ops.vecdot(T(2, 3), T(2)), ValueError, "must broadcast"),
    (lambda: ops.cross(T(2), T(2)), ValueError, "a dimension of length 3 is needed"),
    (lambda: ops.cross(T(2, 3), T(2)), ValueError, "must broadcast"),
    (lambda: ops.cross(T(2, 3), T(2, 3), 0), ValueError, "dimension 0 must have length 3"),
    (lambda: ops.trace(T(3)), ValueError, "'input' must have 2 dimensions"),
    (lambda: T(3).trace(), ValueError, "a matrix is needed"),
    (lambda: T(3, 3).trace(0, 1, 1), ValueError, "the axes must differ"),
    (lambda: ops.vander(T(3, 2)), ValueError, "'x' must have 1 dimension"),
    (lambda: ops.vander(T(3), 0), ValueError, "'N' must be positive, but got 0"),
    (lambda: ops.vander(T(3), 1.5), TypeError, "'N' must be an int, but got float"),
]


@pytest.mark.parametrize("call, kind, text", ERRORS, ids=[e[2] for e in ERRORS])
def test_errors(call, kind, text):
    with pytest.raises(kind) as caught:
        call()
    assert re.search(text, said(caught.value))


@pytest.mark.parametrize("k", [601, 16_700])
@pytest.mark.parametrize("layout", ["strided", "left", "right"])
def test_products_in_blocks_of_depth_with_a_ragged_end(layout, k):
    """Sums of small whole numbers are exact in float32, in whatever order."""
    m, n = {"strided": (20, 520), "left": (256, 520), "right": (20, 40)}[layout]
    a, b = (RNG.integers(-2, 3, shape).astype(np.float32) for shape in ((m, k), (k, n)))
    if layout == "strided":  # contiguous in no dimension
        wide = np.zeros((m, 2 * k), np.float32)
        wide[:, ::2] = a
        got = ms.jit(lambda x, y: ops.matmul(x[:, ::2], y))(Tensor(wide), Tensor(b))
    elif layout == "left":
        product = ms.jit(lambda x, y: ops.matmul(ops.swapaxes(x, 0, 1), y))
        got = product(Tensor(a.T.copy()), Tensor(b))
    else:
        product = ms.jit(lambda x, y: ops.matmul(x, ops.swapaxes(y, 0, 1)))
        got = product(Tensor(a), Tensor(b.T.copy()))
    np.testing.assert_array_equal(got.asnumpy(), a.astype(np.float64) @ b.astype(np.float64))
