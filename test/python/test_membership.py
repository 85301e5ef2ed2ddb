"""``x in items`` of tensors: in compiled code as MindSpore 2.10's graph mode says of tensors of several elements
(golden, from it), and as Python says of numbers.
"""

import numpy as np
import pytest

import cellgrad as ms
from cellgrad import Tensor

A = Tensor([1, 2, 3])
B = Tensor([1, 1, 1])
SHORT = Tensor([1, 2])
ONE = Tensor([3])
EMPTY = ()

# What MindSpore 2.10 gives under `jit` for A, B, SHORT and ONE.
GRAPH = [
    (lambda x: x in (1, Tensor([1, 2, 3])), [True, False, False, False]),
    (lambda x: x in ("m", (1, 1), Tensor([1, 2, 3])), [True, False, False, False]),
    (lambda x: x in [x + 1, x], [True, True, True, True]),
    (lambda x: x in ((1, 1), x + 1), [False, False, False, False]),
    (lambda x: x not in [x + 1, x + 2], [True, True, True, True]),
    (lambda x: x in [SHORT, ONE], [False, False, True, True]),
    (lambda x: x in (np.array([1, 2, 3]),), [False, False, False, False]),
]


@pytest.mark.parametrize("function, want", GRAPH)
def test_tensors_of_several_elements_are_compared_as_wholes(function, want):
    found = [ms.jit(function)(x) for x in (A, B, SHORT, ONE)]
    assert found == want
    assert all(type(v) is bool for v in found)


# Of one element: as ordinary Python, which both frameworks' eager modes are.
NUMBERS = [
    lambda x: x.sum() in (1, 6),
    lambda x: x.sum() in (1.0, 6.5),
    lambda x: 6 in (x.sum(), 1),
    lambda x: 6 not in (x.sum(), 1),
    lambda x: x[0:1] in (1, 2),
    lambda x: x.max() in [x.min(), x.max() + 1],
    lambda x: x.max() in [x.min() + 2, 7],
    lambda x: x.sum() in ("a", None, 6),
    lambda x: x.sum() in EMPTY,
]


@pytest.mark.parametrize("function", NUMBERS)
@pytest.mark.parametrize("x", [A, B], ids=["a", "b"])
def test_numbers_are_compared_as_python_does(function, x):
    assert ms.jit(function)(x) is function(x)


def test_a_branch_and_its_gradient_follow_the_elements():
    listed = (Tensor([1.0, 2.0]), Tensor([3.0, 4.0]))

    def f(x):
        if x in listed:
            return (x * x).sum()
        return x.sum()

    gradient = ms.jit(ms.grad(f))
    assert gradient(Tensor([3.0, 4.0])).asnumpy().tolist() == [6.0, 8.0]
    assert gradient(Tensor([3.0, 5.0])).asnumpy().tolist() == [1.0, 1.0]


def test_several_elements_stay_ambiguous_outside_of_compiled_code():
    with pytest.raises(ValueError, match="more than one element is ambiguous"):
        A in (1, Tensor([1, 2, 3]))  # noqa: B015


@pytest.mark.parametrize("other", [{}, {"a": 1}, set(), b"1", int, "a", None])
def test_no_tensor_equals_what_is_no_number(other):
    for run in (lambda x: (x == other, x != other), ms.jit(lambda x: (x == other, x != other))):
        assert run(A) == (False, True)


IN_TENSOR = [1, 1.0, True, 3, Tensor(1), Tensor([3]), Tensor([1.0, 9.0]), np.float32(1)]
NOT_NUMBERS = ["a", None, [1], [1, 2], (1,), np.array(1), np.array([1])]
IN_BOTH = [True, True, True, False, True, False, True, True] + [
    False
] * 7  # MindSpore's in both of its modes


@pytest.mark.parametrize("value, want", list(zip(IN_TENSOR + NOT_NUMBERS, IN_BOTH, strict=True)))
def test_numbers_and_tensors_alone_are_elements_of_a_tensor(value, want):
    x = Tensor([1, 2])
    assert (value in x) is want and (value not in x) is not want
    assert ms.jit(lambda x: value in x, fullgraph=True)(x) is want
    assert ms.jit(lambda x: value not in x, fullgraph=True)(x) is not want


def test_a_tensor_is_unequal_to_what_holds_no_numbers():
    """MindSpore's, in both modes; lists of numbers are compared element by element here."""
    x = Tensor([1, 2])
    for other in (print, slice(1), object(), ("a", "b"), (1, "a"), [None], {1: 2}):
        found = ms.jit(lambda x: (x == other, other == x, x != other))(x)  # noqa: B023
        assert found == (x == other, other == x, x != other) == (False, False, True)
    assert (x == [1, 3]).asnumpy().tolist() == [True, False]
