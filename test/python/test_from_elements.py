"""Operations made of elements one after another: boxes, hits, distances, ranges; and those that end a call.
Numbers recorded of MindSpore are in `goldens/older.json`; here are what it has no kernel for, both modes, bad
input, and distributions of random numbers.
"""

import os
import subprocess
import sys

import numpy as np
import pytest
from scipy import optimize, stats

import cellgrad as ms
from cellgrad import Parameter, Tensor, mint, nn, ops
from cellgrad.ops.operations import Eigh, SparseMatrixSoftmax
from cellgrad.ops.operations import _sequence_ops as sequences
from cellgrad.scipy.ops import Eig, LinearSumAssignment
from cellgrad.scipy.optimize import linear_sum_assignment
from cellgrad.testing import check_grads

BOXES = [[0, 0, 9, 9], [9, 8, 0, 0], [20, 20, 30, 30], [5, 5, 5, 5], [19, 20, 30, 31]]
SCORES = [0.8, 0.9, 0.5, 0.7, 0.6]


def f(values):
    return Tensor(np.array(values, np.float32))


def chosen(count, limit, least):
    """By the definition: the best box that is left, without those that overlap it too much."""
    left = [k for k in np.argsort(SCORES)[::-1] if SCORES[k] > least]
    out = []
    while left and len(out) < count:
        best, *left = left
        out.append(int(best))
        left = [k for k in left if share(BOXES[best], BOXES[k]) <= limit]
    return out


def share(a, b):
    (al, ah), (bl, bh) = (np.sort(np.reshape(v, (2, 2)), 0) for v in (a, b))
    shared = np.maximum(np.minimum(ah, bh) - np.maximum(al, bl), 0).prod()
    return shared and shared / ((ah - al).prod() + (bh - bl).prod() - shared)


@pytest.mark.parametrize(
    "settings", [(5, 0.5, 0.0), (2, 0.5, 0.0), (5, 0.95, 0.55), (-1, 0.5, 0.0)]
)
def test_boxes_that_overlap_better_ones_are_left_out(settings):
    found = ops.NonMaxSuppressionV3()(f(BOXES), f(SCORES), *settings)
    assert found.dtype == ms.int32
    assert found.asnumpy().tolist() == chosen(max(settings[0], 0), *settings[1:])


def test_sampled_classes_that_are_true_ones_are_found():
    true, drawn = [[1, 2], [0, 4], [3, 3]], [0, 1, 2, 3, 4]
    rows, places, weights = ops.ComputeAccidentalHits(2)(Tensor(true), Tensor(drawn))
    assert rows.asnumpy().tolist() == [0, 0, 1, 1, 2, 2] and rows.dtype == ms.int32
    assert places.asnumpy().tolist() == [1, 2, 0, 4, 3, 3] and places.dtype == ms.int64
    np.testing.assert_array_equal(weights.asnumpy(), np.finfo(np.float32).min)


class Chosen(nn.Cell):
    def construct(self, boxes, scores):
        at = ops.NonMaxSuppressionV3()(boxes, scores, 5, 0.5, 0.0)
        return ops.gather(boxes, at, 0).sum()


def test_in_a_cell_that_runs_op_by_op():
    ms.set_context(mode=ms.PYNATIVE_MODE)
    wanted = np.array(BOXES)[chosen(5, 0.5, 0.0)].sum()
    assert float(Chosen()(f(BOXES), f(SCORES))) == wanted
    ms.set_context(mode=ms.GRAPH_MODE)
    with pytest.raises(
        TypeError, match=r"not known while compiling(.|\n)*outside of compiled code"
    ):
        Chosen()(f(BOXES), f(SCORES))


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
def test_numbers_that_are_not_finite_end_the_call(mode):
    ms.set_context(mode=mode)

    @ms.jit
    def root(x):
        return ops.CheckNumerics()(ops.sqrt(x))

    def shifted(x):
        ops.Assert()(x.sum() > 0, [x])
        return x + 1

    np.testing.assert_array_equal(root(f([4, 9])).asnumpy(), [2, 3])
    np.testing.assert_array_equal(ms.grad(root)(f([4])).asnumpy(), [0.25])
    with pytest.raises(RuntimeError, match="has NaN values"):
        root(f([4, -9]))
    with pytest.raises(RuntimeError, match="has infinite values"):
        root(f([np.inf]))
    for function in (shifted, ms.jit(shifted)):
        assert function(f([1])).asnumpy().tolist() == [2]
        with pytest.raises(RuntimeError, match="condition is false: assert failed"):
            function(f([-1]))


def test_an_assertion_prints_the_first_elements(capsys):
    with pytest.raises(RuntimeError, match="condition is false"):
        ops.Assert(2)(False, [Tensor([1, 2, 3]), f([0.5])])
    assert capsys.readouterr().out.split("\n")[1:3] == ["input data: [1 2]", "input data: [0.5]"]


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
def test_random_numbers_have_their_distributions(mode):
    ms.set_context(mode=mode)
    ms.set_seed(3)
    x = ops.TruncatedNormal(ms.float64)(Tensor([20000])).asnumpy()
    assert stats.kstest(x, stats.truncnorm(-2, 2).cdf).pvalue > 1e-3
    rows = [(0.0, 1.0, -1.0, 2.0), (5.0, 2.0, 17.0, 18.0), (-3.0, 1.0, -13.0, -11.0)]
    given = [Tensor(np.array(v)) for v in zip(*rows)]
    found = ops.ParameterizedTruncatedNormal()(Tensor([3, 20000]), *given).asnumpy()
    for x, (mean, spread, low, high) in zip(found, rows):
        ends = (low - mean) / spread, (high - mean) / spread
        assert stats.kstest(x, stats.truncnorm(*ends, mean, spread).cdf).pvalue > 1e-3
    ends = [Tensor([v], ms.float64) for v in (0.0, 1.0, 50.0, 51.0)]
    assert ops.ParameterizedTruncatedNormal()(Tensor([1, 1]), *ends).asnumpy() == [[50.0]]
    order = ops.Randperm(9, -2)(Tensor([6])).asnumpy()
    assert sorted(order[:6]) == [0, 1, 2, 3, 4, 5] and order[6:].tolist() == [-2] * 3
    assert ops.Randperm(2)(Tensor([0])).asnumpy().tolist() == [-1, -1]
    bits = ops.NonDeterministicInts()(Tensor([100, 100])).asnumpy()
    assert bits.min() < -(2**62) and bits.max() > 2**62
    for draw in (ops.RandomPoisson(seed=7), ops.TruncatedNormal(seed=7)):
        given = (Tensor([5]), f([3.0])) if isinstance(draw, ops.RandomPoisson) else (Tensor([5]),)
        again = type(draw)(seed=7)
        np.testing.assert_array_equal(draw(*given).asnumpy(), again(*given).asnumpy())


def test_the_lstm_primitive_has_derivatives():
    layer = ops.LSTM(2, 2, 1, True, False, 0.0)
    rng = np.random.RandomState(1)
    given = [Tensor(rng.rand(*s) - 0.5) for s in ((3, 2, 2), (1, 2, 2), (1, 2, 2), (40,))]
    check_grads(lambda *x: ops.concat(layer(*x)[:3]), given, order=1)


def test_the_lstm_primitive_projects_its_outputs():
    """The last numbers are those of MindSpore's own test of its kernel."""
    layer = ops.LSTM(2, 3, 1, True, False, 0.0, 2)
    rng = np.random.RandomState(1)
    given = [Tensor(rng.rand(*s) - 0.5) for s in ((2, 2, 2), (1, 2, 2), (1, 2, 3), (66,))]
    check_grads(lambda *x: ops.concat([o.reshape(-1) for o in layer(*x)[:3]]), given, order=1)
    np.random.seed(1)
    x, h, c = (Tensor(np.random.randn(*s), ms.float32) for s in ((2, 1, 4), (1, 1, 2), (1, 1, 4)))
    w = Tensor(np.random.uniform(-0.5, 0.5, 104), ms.float32)
    layer = ops.LSTM(4, 4, 1, False, False, 0.0, 2)
    _, by_h, by_c = ms.ops.GradOperation(get_all=True)(lambda *s: layer(*s, w)[:3])(x, h, c)
    np.testing.assert_allclose(by_h.asnumpy()[0], [[0.04825277, 0.00618415]], rtol=1e-5)
    wanted = [[-0.01589189, 0.17060986, 0.07265963, -0.05466095]]
    np.testing.assert_allclose(by_c.asnumpy()[0], wanted, rtol=1e-5)


def test_files_are_converted(tmp_path):
    rank = tmp_path / "rank_0"
    rank.mkdir()
    for name in ("first", "second"):
        ms.save_checkpoint([Parameter(f([1, 2]), name="w")], str(rank / f"{name}.ckpt"))
    ms.ckpt_to_safetensors(str(tmp_path), str(tmp_path / "out"), {"w": "v"}, "first")
    assert [p.name for p in (tmp_path / "out/rank_0").iterdir()] == ["first.safetensors"]
    ms.safetensors_to_ckpt(str(tmp_path / "out/rank_0/first.safetensors"))
    back = ms.load_checkpoint(str(tmp_path / "out/rank_0/first.ckpt"))
    assert list(back) == ["v"] and back["v"].asnumpy().tolist() == [1, 2]
    bad = {
        "no file": (str(tmp_path / "none.ckpt"),),
        "no folder whose name begins with 'rank'": (str(rank),),
        "a .ckpt file": (str(tmp_path / "out/rank_0/first.safetensors"),),
        "'save_path' must be a folder": (str(rank / "first.ckpt"), "out.ckpt"),
        "'name_map' must be a dict": (str(rank / "first.ckpt"), None, ["w"]),
    }
    for words, given in bad.items():
        with pytest.raises(ValueError, match=words):
            ms.ckpt_to_safetensors(*given)


def test_other_shapes_and_solutions():
    x = f([[1, 2], [3, 4]])
    assert x.resize(3).asnumpy().tolist() == [1, 2, 3]
    assert x.resize((2, 3)).asnumpy().tolist() == [[1, 2, 3], [4, 0, 0]]
    slopes = ms.grad(lambda x: (x.resize(3) * f([1, 2, 3])).sum())(x)
    assert slopes.asnumpy().tolist() == [[1, 2], [3, 0]]
    solution, matrix = f([[4], [2]]).triangular_solve(f([[2, 1], [9, 2]]))
    assert solution.asnumpy().tolist() == [[1.5], [1]] and matrix.shape == (2, 2)
    rng = np.random.RandomState(2)
    x, w, b = (rng.rand(*s).astype(np.float32) for s in ((6, 2, 3), (2, 3, 4), (4,)))
    out = mint.conv_tbc(Tensor(x), Tensor(w), Tensor(b), 1).asnumpy()
    padded = np.pad(x, [(1, 1), (0, 0), (0, 0)])
    wanted = sum(padded[k : k + 7] @ w[k] for k in range(2)) + b
    np.testing.assert_allclose(out, wanted, rtol=1e-5)


@pytest.mark.parametrize("shape", [(5, 5), (3, 7), (7, 3), (1, 4)])
@pytest.mark.parametrize("maximize", [False, True])
def test_rows_get_the_columns_of_the_least_cost(shape, maximize):
    costs = np.random.RandomState(3).rand(*shape)
    rows, columns = linear_sum_assignment(Tensor(costs), maximize)
    wanted = optimize.linear_sum_assignment(costs, maximize)
    np.testing.assert_array_equal([rows.asnumpy(), columns.asnumpy()], wanted)


def test_columns_may_be_left_out():
    costs = Tensor([[2, 3, 3], [3, 2, 3], [3, 3, 2]], ms.uint8)
    found = LinearSumAssignment()(costs, 2, False)
    assert [x.asnumpy().tolist() for x in found] == [[0, 1, -1]] * 2


def test_primitives_of_modules_of_operations():
    x = Tensor([[2.0, 9.0], [1.0, 2.0]])
    w, v = Eigh()(x)
    np.testing.assert_allclose(w.asnumpy(), [1, 3], rtol=1e-6)
    np.testing.assert_allclose((v @ ops.diag(w) @ v.T).asnumpy(), [[2, 1], [1, 2]], rtol=1e-6)
    np.testing.assert_allclose(Eigh(False, False)(x).asnumpy(), [-7, 11], rtol=1e-6)
    matrix = np.array([[2, 1 - 3j], [1 + 3j, -1]])
    w, v = Eigh()(Tensor(matrix))
    np.testing.assert_allclose(w.asnumpy(), np.linalg.eigvalsh(matrix), rtol=1e-12)
    np.testing.assert_allclose(matrix @ v.asnumpy(), v.asnumpy() * w.asnumpy(), atol=1e-12)
    w, v = Eig(False)(x)
    np.testing.assert_allclose((x.astype(ms.complex64) @ v - v * w).asnumpy(), 0, atol=1e-5)
    parts = Tensor([0, 2, 3]), Tensor([0, 1, 0]), f([1, 1, 3])
    out = SparseMatrixSoftmax(ms.float32)(Tensor([2, 2]), Tensor(3), *parts)
    assert out[4].asnumpy().tolist() == [0.5, 0.5, 1]


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
def test_primitives_of_sequences(mode):
    ms.set_context(mode=mode)

    @ms.jit
    def all_of_them(x, y):
        both = sequences.SequenceAdd()((x,), (y, x))
        found = sequences.SequenceAddN()(both), sequences.SequenceMax()(both)
        stacked = sequences.SequenceStack(1)(sequences.SequenceSlice()(both, 0, 3, 2))
        return *found, stacked, sequences.sequence_len()(both), sequences.SequenceMul()((1, 2), 2)

    total, most, stacked, count, twice = all_of_them(f([1, 5]), f([3, 4]))
    assert total.asnumpy().tolist() == [5, 14] and most.asnumpy().tolist() == [3, 5]
    assert stacked.asnumpy().tolist() == [[1, 1], [5, 5]]
    assert (count, tuple(twice)) == (3, (1, 2, 1, 2))
    assert sequences.SequenceCount()((1, 2, 1), 1) == 2 and sequences.InSequence()(2, [1, 2])
    assert sequences.TupleToTensor()((1, 2), ms.float32).asnumpy().tolist() == [1, 2]
    joined = sequences.SequenceConcat(axis=1)((f([[1], [2]]), f([[3], [4]])))
    assert joined.asnumpy().tolist() == [[1, 3], [2, 4]]
    assert sequences.tuple_lt()((1, 2), (1, 3)) and sequences.ListInsert()([1, 3], 1, 2) == [
        1,
        2,
        3,
    ]


BAD = {
    "ops.NonMaxSuppressionV3()(f(BOXES), f(SCORES), 5, 1.5, 0.0)": (
        ValueError,
        "'iou_threshold'.*0, 1",
    ),
    "ops.NonMaxSuppressionV3()(f(BOXES), f(SCORES[1:]), 5, 0.5, 0.0)": (ValueError, "one score"),
    "ops.NonMaxSuppressionWithOverlaps()(f(BOXES), f(SCORES), 5, 0.5, 0.0)": (
        ValueError,
        "a square",
    ),
    "ops.CombinedNonMaxSuppression()(f([[BOXES]]), f([SCORES]), 1, 1, 0.5, 0.0)": (
        ValueError,
        "3 dim|must have",
    ),
    "ops.ComputeAccidentalHits()(Tensor([[1, 2]]), Tensor([1]))": (ValueError, "'true_classes'"),
    "ops.EditDistance()(*[Tensor([[0, 5]]), f([1]), Tensor([1, 2])] * 2)": (
        ValueError,
        "must be places",
    ),
    "ops.RaggedRange(ms.float32)": (ValueError, "'Tsplits'"),
    "ops.RaggedRange(ms.int32)(Tensor([1]), Tensor([2]), Tensor([0]))": (ValueError, "'deltas'"),
    "ops.Assert()(Tensor([1.0]), [])": (TypeError, "'condition'"),
    "ops.CheckNumerics()(Tensor([1]))": (TypeError, "'x'"),
    "ops.TruncatedNormal()(Tensor([0]))": (ValueError, "above 0"),
    "ops.ParameterizedTruncatedNormal()(Tensor([3]), *[f([1])] * 4)": (ValueError, "at least two"),
    "ops.ParameterizedTruncatedNormal()(Tensor([3, 2]), *[f([1, 2])] * 4)": (
        ValueError,
        "the first dimension",
    ),
    "ops.Randperm(2)(Tensor([3]))": (ValueError, "'n'"),
    "ops.multinomial_with_replacement(f([1, 1]), 1, 1, 3)": (ValueError, "without replacement"),
    "ops.LSTM(2, 2, 2, True, False, 0.0)": (ValueError, "one layer"),
    "ops.LSTM(2, 2, 1, True, False, 0.0, 2)": (ValueError, "'proj_size'"),
    "ops.LSTM(1, 1, 1, False, False, 0.0)(*[ops.ones((1, 1, 1))] * 3, ops.ones(7))": (
        ValueError,
        "at least 8",
    ),
    "nn.get_metrics({'accuracy': 1})": (TypeError, "metrics by name"),
    "f([1]).resize(-1)": (ValueError, "'new_shape'"),
}


@pytest.mark.parametrize("text", BAD)
def test_bad_input_is_an_error(text):
    kind, words = BAD[text]
    with pytest.raises(kind, match=words):
        eval(text)


def test_lines_of_scripts_are_written_by_level():
    script = """
from cellgrad import log as logger
import cellgrad as ms
logger.info("first %d", 1)
logger.warning("second %d", 2)
logger.error("third")
assert ms.get_level() == "{level}"
ms.run_check()
"""
    for level, words in (("1", ["first 1", "second 2", "third"]), ("3", ["third"])):
        command = [sys.executable, "-c", script.replace("{level}", level)]
        ran = subprocess.run(
            command, capture_output=True, text=True, env={**os.environ, "GLOG_v": level}
        )
        lines = ran.stderr.strip().split("\n")
        assert ran.returncode == 0 and [line.split("] ")[-1] for line in lines] == words
        assert "multiplication calculation is correct" in ran.stdout
