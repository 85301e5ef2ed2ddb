"""Classes drawn for sampled losses, and words that a beam search must not repeat."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from cellgrad.core import dtype as mstype
from cellgrad.core.arguments import check_bool, check_dtype, check_int, check_ndim
from cellgrad.core.errors import error
from cellgrad.core.record import check_tensor, operation
from cellgrad.core.tensor import Tensor
from cellgrad.ops import _generated as gen
from cellgrad.ops import keys, reductions
from cellgrad.ops._elementwise import Primitive
from cellgrad.ops._index import order_of
from cellgrad.ops._public import public
from cellgrad.ops._static import iota, known
from cellgrad.ops.classes.random import Seeded
from cellgrad.ops.cumulative import cumsum
from cellgrad.ops.gathering import gather, index_tensor
from cellgrad.ops.next_keys import fixed_key
from cellgrad.ops.scattering import tensor_scatter_elements
from cellgrad.ops.selection import cast, select, zeros
from cellgrad.ops.shapes import reshape

Drawn = tuple[Tensor, Tensor, Tensor]


def _share(classes: Tensor, log_uniform: bool, classes_in_all: int) -> Tensor:
    """The probability of each class in one draw, float64."""
    number = cast(classes, mstype.float64)
    if not log_uniform:
        return number * 0.0 + 1.0 / classes_in_all
    return gen.log((number + 2.0) / (number + 1.0)) / math.log(classes_in_all + 1)


@operation
def _candidates(
    true: Tensor, log_uniform: bool, count: int, unique: bool, most: int, seed: Any, apart: bool
) -> Drawn:
    op = "log_uniform_candidate_sampler" if log_uniform else "uniform_candidate_sampler"
    key = fixed_key(seed, op)
    share = _share(iota(most), log_uniform, most)
    logits = gen.log(share)
    if apart:
        hit = gen.equal(reshape(true, (-1, 1)), reshape(cast(iota(most), true.dtype), (1, -1)))
        logits = select(reductions.any(hit, 0), -math.inf, logits)
    if unique:
        # The order of logits plus Gumbel noise is that of draws in which none is drawn twice.
        noise = keys.unit_gumbel(keys.fold_in(key, 0), (most,), mstype.float64)
        drawn = order_of(logits + noise, 0, True, count)
        # Draws until another class comes than those before: a geometric number for each.
        before = cumsum(gather(share, drawn, 0), 0)[: count - 1]
        u = keys.unit_uniform(keys.fold_in(key, 1), (count - 1,), mstype.float64) + 2.0**-54
        waits = 1.0 + gen.floor(gen.log(u) / gen.log(before))
        tries = 1.0 + reductions.sum(waits) if count > 1 else known(np.array(1.0), mstype.float64)
    else:
        drawn = keys.categorical(key, logits, (count,))
        tries = known(np.array(float(count)), mstype.float64)

    def expected(classes: Tensor) -> Tensor:
        p = _share(classes, log_uniform, most)
        once = gen.neg(gen.expm1(tries * gen.log1p(gen.neg(p))))
        return cast(select(gen.equal(tries, float(count)), p * float(count), once), mstype.float32)

    return cast(drawn, true.dtype), expected(true), expected(drawn)


def _sampled(
    op: str,
    true_classes: Any,
    num_true: Any,
    num_sampled: Any,
    unique: Any,
    range_max: Any,
    seed: Any,
    remove_accidental_hits: Any,
) -> Drawn:
    count = check_int(num_sampled, op, "num_sampled", at_least=1)
    most = check_int(range_max, op, "range_max", at_least=1)
    check_bool(unique, op, "unique")
    apart = check_bool(remove_accidental_hits, op, "remove_accidental_hits")
    if unique and count > most:
        raise error(
            ValueError,
            f"For '{op}', 'num_sampled' must be at most 'range_max' where classes are unique, but got "
            f"{count} and {most}.",
        )
    if not isinstance(seed, Tensor):  # a key of a class
        check_int(seed, op, "seed", at_least=0)
    wide = check_int(num_true, op, "num_true", at_least=1)
    true = check_ndim(index_tensor(true_classes, op, "true_classes"), op, "true_classes", 2)
    if true.shape[1] != wide:
        raise error(
            ValueError,
            f"For '{op}', 'true_classes' must have 'num_true' columns, {wide}, but has shape "
            f"{list(true.shape)}.",
        )
    log_uniform = op.startswith(("log", "Log"))
    out: Drawn = _candidates(true, log_uniform, count, unique, most, seed, apart)
    return out


@public()
def uniform_candidate_sampler(
    true_classes: Tensor,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    seed: int = 0,
    remove_accidental_hits: bool = False,
) -> tuple[Tensor, Tensor, Tensor]:
    """Classes that are drawn uniformly, and how often they and the true ones are expected.

    Args:
        true_classes: the classes of each example, integers of shape [N, num_true].
        num_true: how many classes an example has.
        num_sampled: how many to draw.
        unique: whether no class is drawn twice. Then what is expected is the probability that a class is
            among the draws that it took.
        range_max: how many classes there are.
        seed: what is drawn is the same at each call; with 0 another at each.
        remove_accidental_hits: whether true classes are left out.

    Returns:
        the classes, shape [num_sampled], in the dtype of `true_classes`; how often each true class is
        expected among them, float32 of shape [N, num_true]; how often each drawn one, [num_sampled].

    Raises:
        TypeError: arguments of other types.
        ValueError: numbers below 1, another shape, more unique classes than there are.

    >>> drawn, _, often = ops.uniform_candidate_sampler(Tensor([[1], [3]]), 1, 4, True, 4)
    >>> print(ops.sort(drawn)[0], often.shape)
    [0 1 2 3] (4,)
    """
    given = (num_true, num_sampled, unique, range_max, seed, remove_accidental_hits)
    return _sampled("uniform_candidate_sampler", true_classes, *given)


@public()
def log_uniform_candidate_sampler(
    true_classes: Tensor,
    num_true: int = 1,
    num_sampled: int = 5,
    unique: bool = True,
    range_max: int = 5,
    seed: int = 0,
    remove_accidental_hits: bool = False,
) -> tuple[Tensor, Tensor, Tensor]:
    """As `uniform_candidate_sampler`, but class c has the probability ``log((c + 2) / (c + 1)) /
    log(range_max + 1)``, for classes in the order of their frequency.

    Raises:
        TypeError, ValueError: as `uniform_candidate_sampler`.

    >>> _, often, _ = ops.log_uniform_candidate_sampler(Tensor([[1], [3]]), 1, 2, False, 5)
    >>> print(often)
    [[0.45258877]
     [0.24907757]]
    """
    given = (num_true, num_sampled, unique, range_max, seed, remove_accidental_hits)
    return _sampled("log_uniform_candidate_sampler", true_classes, *given)


class _Sampler(Seeded):
    """A sampler of classes with a seed of its own, of which each call draws others."""

    _function = ""

    def __init__(
        self,
        num_true: int,
        num_sampled: int,
        unique: bool,
        range_max: int,
        seed: int = 0,
        remove_accidental_hits: bool = False,
    ):
        super().__init__(seed)
        self._numbers = (num_true, num_sampled, unique, range_max)
        self._apart = remove_accidental_hits

    def __call__(self, true_classes: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        key = self._stream.next()
        seed = 0 if key is None else key
        return _sampled(self._function, true_classes, *self._numbers, seed, self._apart)


@public()
class UniformCandidateSampler(_Sampler):
    """The class form of `uniform_candidate_sampler`. With a seed that is not 0 the first classes of two
    operations are the same, and each call of an operation has others.

    >>> print(ops.UniformCandidateSampler(1, 3, False, 5)(Tensor([[1], [3]]))[2])
    [0.6 0.6 0.6]
    """

    _function = "uniform_candidate_sampler"


@public()
class LogUniformCandidateSampler(_Sampler):
    """The class form of `log_uniform_candidate_sampler`, with seeds as in `UniformCandidateSampler`.

    >>> print(ops.LogUniformCandidateSampler(1, 3, False, 5)(Tensor([[0]]))[1])
    [[1.1605585]]
    """

    _function = "log_uniform_candidate_sampler"

    def __init__(
        self,
        num_true: int = 1,
        num_sampled: int = 5,
        unique: bool = True,
        range_max: int = 5,
        seed: int = 0,
        remove_accidental_hits: bool = False,
    ):
        super().__init__(num_true, num_sampled, unique, range_max, seed, remove_accidental_hits)


@operation
def _not_repeated(words: Tensor, scores: Tensor, size: int) -> Tensor:
    length = words.shape[2]
    count = length - size + 1
    ends = words[:, :, size - 1 :]  # the last word of each sequence of `size` words
    same = cast(ends * 0 + 1, mstype.int32)
    for k in range(size - 1):
        place = length - size + 1 + k
        equal = gen.equal(words[:, :, k : k + count], words[:, :, place : place + 1])
        same = select(equal, same, 0)
    banned = tensor_scatter_elements(zeros(scores.shape, mstype.int32), ends, same, 2, "add")
    least = float(np.finfo(mstype.to_numpy(scores.dtype)).min)
    return select(gen.greater(banned, 0), least, scores)


@public()
class NoRepeatNGram(Primitive):
    """Scores of the next word, with the least number of their dtype for each word that would repeat
    `ngram_size` consecutive words.

    Args:
        ngram_size: at least 1.

    Inputs:
        state_seq: the words so far, integers of shape [batch, beams, m], each less than the size of the
            vocabulary.
        log_probs: floating point, of shape [batch, beams, vocabulary].

    Raises:
        TypeError: arguments of other types.
        ValueError: `ngram_size` below 1 or above m, or shapes that do not fit.

    >>> words, scores = Tensor([[[1, 2, 0, 1]]]), ops.zeros((1, 1, 3))
    >>> print(ops.NoRepeatNGram(2)(words, scores) < 0)
    [[[False False  True]]]
    """

    def __init__(self, ngram_size: int = 1):
        super().__init__()
        self.ngram_size = check_int(ngram_size, self.name, "ngram_size", at_least=1)

    def __call__(self, state_seq: Tensor, log_probs: Tensor) -> Tensor:
        words = check_ndim(
            index_tensor(state_seq, self.name, "state_seq"), self.name, "state_seq", 3
        )
        scores = check_tensor(log_probs, self.name, "log_probs")
        check_ndim(check_dtype(scores, self.name, "log_probs", "f"), self.name, "log_probs", 3)
        check_int(self.ngram_size, self.name, "ngram_size", at_most=words.shape[2])
        if words.shape[:2] != scores.shape[:2]:
            raise error(
                ValueError,
                f"For '{self.name}', 'state_seq' and 'log_probs' must have the same batch and beams, but "
                f"got shapes {list(words.shape)} and {list(scores.shape)}.",
            )
        out: Tensor = _not_repeated(words, scores, self.ngram_size)
        return out
