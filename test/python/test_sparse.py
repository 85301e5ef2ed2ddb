"""Sparse tensors: elements by coordinates or by rows, against NumPy's dense arrays."""

import numpy as np
import pytest

import cellgrad as ms
from cellgrad import COOTensor, CSRTensor, Tensor, ops
from cellgrad.testing import check_grads

DENSE = np.array([[0, -1.5, 0, 2], [0, 0, 0, 0], [0.5, 0, 3, -0.25]], np.float32)
PLACES = np.argwhere(DENSE).astype(np.int32)
VALUES = DENSE[DENSE != 0]
SIDE = np.arange(1, 13, dtype=np.float32).reshape(4, 3) / 7


def coo(values=VALUES):
    return COOTensor(Tensor(PLACES), Tensor(values), (3, 4))


def csr(values=VALUES):
    at = Tensor(np.array([0, 2, 2, 5], np.int32))
    return CSRTensor(at, Tensor(PLACES[:, 1]), Tensor(values), (3, 4))


def same(found, wanted):
    np.testing.assert_allclose(found.asnumpy(), wanted, 1e-6, 1e-7)


def test_the_same_matrix_in_each_form(mode):
    for sparse in (coo(), csr(), coo().to_csr(), csr().to_coo()):
        same(sparse.to_dense(), DENSE)
        assert (sparse.shape, sparse.size, sparse.ndim) == ((3, 4), 5, 2)
        assert (sparse.dtype, sparse.itemsize) == (ms.float32, 4)
    found = Tensor(DENSE).to_coo()
    np.testing.assert_array_equal(found.indices.asnumpy(), PLACES)
    same(Tensor(DENSE).to_csr().to_dense(), DENSE)
    same(ops.csr_to_dense(csr()), DENSE)
    same(ms.nn.SparseToDense()(coo()), DENSE)
    truths = ops.SparseToDense()(Tensor(PLACES), Tensor([True] * len(PLACES)), DENSE.shape)
    same(truths, DENSE != 0)


def test_places_out_of_order_and_twice():
    at = Tensor(np.array([[2, 1], [0, 3], [2, 1], [2, 0]]))
    x = COOTensor(at, Tensor([1.0, 2.0, 4.0, 8.0]), (3, 4))
    wanted = np.zeros((3, 4))
    wanted[2, 1], wanted[0, 3], wanted[2, 0] = 5, 2, 8
    same(x.to_dense(), wanted)
    same(x.to_csr().to_dense(), wanted)
    assert x.to_csr().indptr.asnumpy().tolist() == [0, 1, 1, 4]
    assert x.coalesce().indices.asnumpy().tolist() == [[0, 3], [2, 0], [2, 1]]
    same(x.coalesce().values, [2, 8, 5])


@pytest.mark.parametrize(
    "name, wanted",
    [
        ("sin", np.sin),
        ("inv", np.reciprocal),
        ("isnan", np.isnan),
        ("round", np.round),
        ("softsign", lambda v: v / (1 + np.abs(v))),
        ("log1p", np.log1p),
    ],
)
def test_functions_of_elements(name, wanted):
    values = np.abs(VALUES) if name == "log1p" else VALUES
    for kind, x in (("coo", coo(values)), ("csr", csr(values))):
        out = getattr(ops, f"{kind}_{name}")(x)
        assert type(out) is type(x)
        same(out.values, wanted(values))


def test_every_function_of_elements_is_there():
    names = {n.removeprefix("coo_") for n in vars(ops) if n.startswith("coo_")}
    assert len(names - {"add", "concat"}) == 31
    for n in names - {"add", "concat"}:
        wanted = getattr(ops, n)(Tensor(VALUES)).asnumpy()
        np.testing.assert_array_equal(getattr(ops, f"csr_{n}")(csr()).values.asnumpy(), wanted)


def test_products_and_sums(mode):
    same(csr().mv(Tensor(SIDE[:, :1])), DENSE @ SIDE[:, :1])
    same(ops.csr_mv(csr(), Tensor(SIDE[:, 0])), DENSE @ SIDE[:, 0])
    same(csr().mm(Tensor(SIDE)), DENSE @ SIDE)
    same(ops.csr_mm(csr(), csr(), trans_b=True).to_dense(), DENSE @ DENSE.T)
    same(ops.csr_reduce_sum(csr(), 1), DENSE.sum(1, keepdims=True))
    same(ops.csr_mul(csr(), Tensor(SIDE.T)), (DENSE * SIDE.T)[DENSE != 0])
    same(ops.csr_div(csr(), Tensor(SIDE.T[:, :1])), (DENSE / SIDE.T[:, :1])[DENSE != 0])
    same((csr() * Tensor(SIDE.T)).to_dense(), DENSE * SIDE.T)
    same((coo() / Tensor(SIDE.T)).to_dense(), DENSE / SIDE.T)
    same((coo() + Tensor(SIDE.T)), DENSE + SIDE.T)
    same((coo() - coo()).to_dense(), 0 * DENSE)
    same((csr() + csr()).to_dense(), 2 * DENSE)
    two, one = Tensor(2.0), Tensor(-1.0)
    same(ops.csr_add(csr(), csr(), two, one).to_dense(), DENSE)


def test_what_is_smaller_than_the_threshold_goes():
    out = ops.coo_add(coo(), coo(), Tensor(2.0))
    assert out.values.asnumpy().tolist() == [-3, 4, 6]


def test_concatenation():
    for d in (0, 1, -1):
        out = ops.coo_concat((coo(), coo(2 * VALUES)), d)
        same(out.to_dense(), np.concatenate([DENSE, 2 * DENSE], d))
        assert (np.diff(out.indices.asnumpy() @ [100, 1]) > 0).all()


def test_softmax_is_of_what_is_stored():
    # As MindSpore's documentation has it.
    at = (Tensor([0, 4, 6]), Tensor([0, 2, 3, 4, 3, 4]))
    x = CSRTensor(*at, Tensor([1.0, 2.0, 3.0, 4.0, 1.0, 2.0]), (2, 6))
    wanted = [0.0320586003, 0.0871443152, 0.236882806, 0.643914223, 0.268941432, 0.731058598]
    same(ops.csr_softmax(x, ms.float32).values, wanted)


def test_derivatives_by_the_elements(mode):
    side = Tensor(SIDE.astype(np.float64))
    values = Tensor(VALUES.astype(np.float64))

    def energy(v, side):
        x = CSRTensor(Tensor(np.array([0, 2, 2, 5], np.int32)), Tensor(PLACES[:, 1]), v, (3, 4))
        weights = ops.csr_softmax(x, ms.float64)
        return (ops.csr_mm(x, side) ** 2).sum() + (weights * side.T).to_dense().sum()

    check_grads(energy, (values, side), order=2)
    found = ms.grad(lambda v: ops.csr_mv(csr()._with(v), Tensor(SIDE[:, :1])).sum())(Tensor(VALUES))
    same(found, SIDE[PLACES[:, 1], 0])


def test_sparse_tensors_are_arguments_of_compiled_code():
    side = Tensor(SIDE[:, :1])
    product = ms.jit(lambda x, y: (x.mv(y), ops.csr_sin(x), x.to_coo().to_dense()))
    dense, sines, again = product(csr(), side)
    same(dense, DENSE @ SIDE[:, :1])
    same(sines.to_dense(), np.sin(DENSE))
    same(again, DENSE)
    found = ms.grad(lambda x: (x.mv(side) ** 2).sum())(csr())
    wanted = (2 * (DENSE @ SIDE[:, :1]))[PLACES[:, 0], 0] * SIDE[PLACES[:, 1], 0]
    same(found.values, wanted)


AT, V = Tensor([[0, 1]]), Tensor([1.0])


@pytest.mark.parametrize(
    "function, kind, message",
    [
        (lambda: COOTensor(Tensor([[0.0, 1.0]]), V, (3, 4)), TypeError, "'indices'"),
        (lambda: COOTensor(AT, Tensor([1.0, 2.0]), (3, 4)), ValueError, "a row for each element"),
        (lambda: COOTensor(AT, V, (3, 4, 2)), TypeError, "a row for each element"),
        (lambda: COOTensor(AT, V, (3, 1)), ValueError, "out of range"),
        (lambda: COOTensor(AT, V, [3, 4]), TypeError, "'shape'"),
        (lambda: COOTensor(AT, V, (3, 4), coo()), TypeError, "not both"),
        (lambda: CSRTensor(Tensor([0, 1]), Tensor([1]), V, (2, 2)), ValueError, "'indptr'"),
        (lambda: CSRTensor(Tensor([0, 2, 1]), Tensor([1]), V, (2, 2)), ValueError, "must rise"),
        (lambda: CSRTensor(Tensor([0, 1, 1]), Tensor([2]), V, (2, 2)), ValueError, "out of range"),
        (lambda: ops.coo_abs(csr()), TypeError, "'coo_abs'.*COOTensor"),
        (lambda: ops.coo_add(coo(), COOTensor(AT, V, (2, 2)), Tensor(0.0)), ValueError, "differ"),
        (lambda: ops.coo_concat((coo(),)), ValueError, "at least two"),
        (lambda: ops.coo_concat((coo(), coo()), 2), IndexError, "'concat_dim' must be in"),
        (lambda: ops.coo_concat((coo(), COOTensor(AT, V, (2, 9))), 1), RuntimeError, "do not fit"),
        (lambda: ops.coo_concat((coo(), coo(VALUES.astype(int)))), TypeError, "same dtype"),
        (lambda: ops.csr_reduce_sum(csr(), 0), ValueError, "'axis'"),
        (lambda: ms.nn.SparseToDense()(V), TypeError, "'sparse_tensor' must be a COOTensor"),
        (lambda: csr().mv(Tensor(SIDE)), ValueError, "'dense'"),
        (lambda: csr().mm(Tensor(SIDE.T)), ValueError, "'b'"),
        (lambda: ops.csr_mm(csr(), Tensor(SIDE), True), ValueError, "two sparse"),
        (lambda: ops.csr_softmax(csr(), ms.float64), TypeError, "'dtype'"),
        (lambda: ops.dense_to_sparse_coo(V), ValueError, "'tensor'"),
    ],
)
def test_errors(function, kind, message):
    with pytest.raises(kind, match=message):
        function()


def test_how_many_elements_there_are_must_be_known():
    with pytest.raises(TypeError, match="make the sparse tensor outside of compiled code"):
        ms.jit(lambda x: x.to_csr().values)(Tensor(DENSE))


def test_rows_of_a_table(mode):
    at, values = Tensor([0, 2], ms.int32), Tensor([[1.0, 2.0], [3.0, 4.0]])
    RowTensorInner = ms.common.RowTensorInner

    @ms.jit
    def made(at, values):
        rows = RowTensorInner(at, values, (3, 2))
        return RowTensorInner(rows.indices, rows.values * 2, rows.dense_shape)

    rows = made(at, values)
    assert rows.dense_shape == (3, 2) and rows.dtype is ms.float32
    same(rows.indices, [0, 2])
    same(ms.grad(lambda r: (r.values**2).sum())(rows).values, 4 * values.asnumpy())
    kinds = ops.MultitypeFuncGraph("kinds")
    kinds.register("RowTensor")(lambda r: r.values)
    kinds.register("COOTensor")(lambda r: r.indices)
    same(ms.jit(kinds)(RowTensorInner(row_tensor=rows)), 2 * values.asnumpy())
    same(kinds(coo()), PLACES)
    for arguments, words in (
        ((at, values, (3, 3)), r"'values' must be of shape \[2, 3\]"),
        (([0, 2], values, (3, 2)), "'indices' must be a Tensor"),
        ((at, values, (3, 2), rows), "not both"),
    ):
        with pytest.raises(TypeError, match=words):
            RowTensorInner(*arguments)


def test_representations_are_mindspores():
    indices, values = Tensor([[0, 1], [1, 2]], ms.int32), Tensor([1.0, 2.5])
    shown = "Tensor(shape=[2], dtype=Float32, value=[ 1.00000000e+00  2.50000000e+00])"
    assert repr(COOTensor(indices, values, (2, 3))) == (
        "COOTensor(shape=[2, 3], dtype=Float32, indices=Tensor(shape=[2, 2], dtype=Int32, value=\n"
        f"[[0 1]\n [1 2]]), values={shown})"
    )
    rows = CSRTensor(Tensor([0, 1, 2], ms.int32), Tensor([1, 2], ms.int32), values, (2, 3))
    assert repr(rows) == (
        "CSRTensor(shape=[2, 3], dtype=Float32, indptr=Tensor(shape=[3], dtype=Int32, value=[0 1 2]), "
        f"indices=Tensor(shape=[2], dtype=Int32, value=[1 2]), values={shown})"
    )


def test_a_dense_operand_on_the_left(mode):
    """As MindSpore's: sums are dense, products have the places of the sparse operand."""
    at, values = Tensor([[0, 1], [1, 2]]), Tensor([-1.0, 2.0])
    dense = Tensor([[0.0, 1, 2, 0], [0, 0, 2, 0], [1, 0, 0, 0]])
    scattered = np.zeros((3, 4), np.float32)
    scattered[[0, 1], [1, 2]] = [-1, 2]
    sparse = lambda v: ms.COOTensor(at, v, (3, 4))
    for call, wanted, slope in (
        (lambda v: dense + sparse(v), dense.asnumpy() + scattered, [0, 8]),
        (lambda v: dense - sparse(v), dense.asnumpy() - scattered, [-4, 0]),
        (lambda v: (dense * sparse(v)).to_dense(), dense.asnumpy() * scattered, [-2, 16]),
    ):
        np.testing.assert_array_equal(call(values).asnumpy(), wanted)
        np.testing.assert_array_equal(ms.jit(call)(values).asnumpy(), wanted)
        gradient = ms.grad(lambda v, f=call: (f(v) * f(v)).sum())(values)
        np.testing.assert_array_equal(gradient.asnumpy(), slope)
    rows = ms.CSRTensor(Tensor([0, 1, 2, 2]), Tensor([1, 2]), values, (3, 4))
    assert (dense * rows).values.asnumpy().tolist() == [-1, 4]
    with pytest.raises(TypeError):
        dense + rows
