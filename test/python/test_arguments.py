"""Checks of arguments: what passes, what each mistake is called, and that it is called so once."""

import ast
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from messages import said

import cellgrad as ms
from cellgrad import Parameter, Tensor, ops
from cellgrad.core import arguments as a

X = Tensor(np.zeros((2, 3), np.float32))
W = Parameter(Tensor([1.0, 2.0]), name="w")
MODES = ("linear", "nearest")
KINDS = ("mean", "sum", "none", "batchmean")


def test_what_is_asked_for_passes_and_is_given_back():
    assert a.check_bool(True, "f", "x") is True
    assert a.check_int(3, "f", "x", at_least=3, at_most=3) == 3
    assert a.check_int(-1, "f", "x", below=0) == -1
    assert a.check_number(0, "f", "x", at_least=0, below=1) == 0
    assert a.check_number(0.5, "f", "x", above=0, at_most=0.5) == 0.5
    assert a.check_number(float("inf"), "f", "x", above=0) == float("inf")
    assert a.check_instance(W, "f", "x", Tensor) is W
    assert a.check_instance(None, "f", "x", Tensor | None) is None
    assert a.check_callable(abs, "f", "x") is abs
    assert a.check_sequence([1, 2], "f", "x", "ints", int) == [1, 2]
    assert a.check_sequence((), "f", "x", "ints", empty=True) == ()
    assert a.check_ints(2, "f", "x", 3) == (2, 2, 2)
    assert a.check_ints([1, 2], "f", "x", 2, at_least=1) == (1, 2)
    assert a.check_one_of("nearest", "f", "x", MODES) == "nearest"
    assert a.check_one_of(ms.int32, "f", "x", (ms.int32, ms.int64)) is ms.int32
    assert a.check_dtype(X, "f", "x", "f") is X
    assert a.check_ndim(X, "f", "x", 2) is a.check_ndim(X, "f", "x", 1, 2) is X
    assert a.check_ndim(X, "f", "x", at_least=2) is a.check_ndim(X, "f", "x", at_most=2) is X
    assert a.check_shape(W, "f", "x", [2]) is W
    a.check_same_shape(X, X, "f", ("x", "y"))
    a.check_same_dtype(X, W, "f", ("x", "y"))
    a.check_same_length([1], (2,), "f", ("x", "y"))


def test_numbers_of_numpy_become_numbers_of_python():
    for value in (
        a.check_int(np.int64(3), "f", "x", at_least=1),
        a.check_number(np.uint8(3), "f", "x"),
        *a.check_ints((np.int32(3), 3), "f", "x", 2),
    ):
        assert type(value) is int and value == 3
    assert type(a.check_number(np.float32(0.5), "f", "x")) is float


def test_numbers_of_a_program_are_not_read_by_checks():
    """Operations that run at once take numbers as arguments of one program, also checked ones."""
    from cellgrad.core.number import Number, Numbers

    numbers = Numbers((0.5, 2))
    half = Number(numbers, lambda values: values[0], frozenset({0}))
    two = Number(numbers, lambda values: values[1], frozenset({1}))
    assert a.check_number(half, "f", "x", above=0, at_most=1) is half
    assert a.check_int(two, "f", "x", at_least=1) is two
    assert a.check_one_of(two, "f", "x", (1, 2)) is two
    assert numbers.holds((0.25, 2)) and not numbers.holds((1.5, 2)) and not numbers.holds((0.5, 0))


FAULTS: dict[str, tuple[Callable[[], object], type[Exception]]] = {
    # --- types ---
    "must be a bool, but got int 1.": (lambda: a.check_bool(1, "f", "x"), TypeError),
    "must be a bool, but got None.": (lambda: a.check_bool(None, "f", "x"), TypeError),
    "must be a str, but got int 3.": (lambda: a.check_instance(3, "f", "x", str), TypeError),
    "must be an Optimizer or None, but got list ['a', 1].": (
        lambda: a.check_instance(["a", 1], "f", "x", ms.nn.Optimizer | None),
        TypeError,
    ),
    "must be a Parameter, list or tuple, but got Tensor.": (
        lambda: a.check_instance(X, "f", "x", Parameter | list | tuple),
        TypeError,
    ),
    "must be a Tensor, but got float 1.5.\n  hint: write ms.Tensor(1.5)": (
        lambda: a.check_instance(1.5, "f", "x", Tensor),
        TypeError,
    ),
    "must be a float, but got int 1.\n  hint: write 1.0": (
        lambda: a.check_instance(1, "f", "x", float),
        TypeError,
    ),
    "must be a Cell or a Tensor, but got dict.\n  hint: nn.X makes one": (
        lambda: a.check_instance(
            {}, "f", "x", Tensor, expected="a Cell or a Tensor", hint="nn.X makes one"
        ),
        TypeError,
    ),
    "must be callable, but got str 'sin'.": (lambda: a.check_callable("sin", "f", "x"), TypeError),
    "must be a function, but got Tensor.\n"
    "  hint: pass the function itself, not the result of calling it": (
        lambda: a.check_callable(X, "f", "x", "a function"),
        TypeError,
    ),
    "must be a tuple or list of Tensors, but got Tensor.\n  hint: put it into a tuple: (x,)": (
        lambda: a.check_sequence(X, "f", "x", "Tensors"),
        TypeError,
    ),
    "must be a tuple or list of ints, but x[1] is float 0.5.": (
        lambda: a.check_sequence((1, 0.5), "f", "x", "ints", int),
        TypeError,
    ),
    "must not be empty.": (lambda: a.check_sequence([], "f", "x", "Tensors"), ValueError),
    # --- numbers ---
    "must be an int, but got float 2.0.": (lambda: a.check_int(2.0, "f", "x"), TypeError),
    "must be an int, but got bool True.": (lambda: a.check_int(True, "f", "x"), TypeError),
    "must be positive, but got 0.": (lambda: a.check_int(0, "f", "x", at_least=1), ValueError),
    "must be at least 2, but got 1.": (lambda: a.check_int(1, "f", "x", at_least=2), ValueError),
    "must be at most 3, but got 4.": (lambda: a.check_int(4, "f", "x", at_most=3), ValueError),
    "must be less than 3, but got 3.": (lambda: a.check_int(3, "f", "x", below=3), ValueError),
    "must be in [-2, 2), but got 2.": (
        lambda: a.check_int(np.int64(2), "f", "x", at_least=-2, below=2, outside=IndexError),
        IndexError,
    ),
    "must be a number, but got str '0.5'.": (lambda: a.check_number("0.5", "f", "x"), TypeError),
    "must be a number, but got bool False.": (lambda: a.check_number(False, "f", "x"), TypeError),
    "must be a number, but got complex.": (lambda: a.check_number(1j, "f", "x"), TypeError),
    "must be positive, but got -0.5.": (
        lambda: a.check_number(-0.5, "f", "x", above=0),
        ValueError,
    ),
    "must be at least 1.0, but got 0.5.": (
        lambda: a.check_number(0.5, "f", "x", at_least=1.0),
        ValueError,
    ),
    "must be greater than 1, but got 1.": (
        lambda: a.check_number(1, "f", "x", above=1),
        ValueError,
    ),
    "must be in (0, 1], but got nan.": (
        lambda: a.check_number(float("nan"), "f", "x", above=0, at_most=1),
        ValueError,
    ),
    "must be an int or a tuple of 2 ints, but got list [1, 'a'].": (
        lambda: a.check_ints([1, "a"], "f", "x", 2),
        TypeError,
    ),
    "must be an int or a tuple of 2 ints, but got (1, 2, 3).": (
        lambda: a.check_ints((1, 2, 3), "f", "x", 2),
        ValueError,
    ),
    "must be an int, but got bool True. ": (lambda: a.check_ints(True, "f", "x", 1), TypeError),
    "must be at least 0, but got (1, -1).": (
        lambda: a.check_ints((1, -1), "f", "x", 2, at_least=0),
        ValueError,
    ),
    # --- choices ---
    "must be 'linear' or 'nearest', but got 'cubic'.": (
        lambda: a.check_one_of("cubic", "f", "x", MODES),
        ValueError,
    ),
    "must be one of 'mean', 'sum', 'none' or 'batchmean', but got 'means'.\n  hint: nearest: mean": (
        lambda: a.check_one_of("means", "f", "x", KINDS),
        ValueError,
    ),
    "must be None, but got Float32[2, 3].": (
        lambda: a.check_one_of(X, "f", "x", (None,)),
        ValueError,
    ),
    "must be int32 or int64, but got Float32.": (
        lambda: a.check_one_of(X.dtype, "f", "x", (ms.int32, ms.int64), TypeError),
        TypeError,
    ),
    # --- tensors ---
    "must be of integers, but got Float32.\n  hint: convert it first: x.astype(ms.int32)": (
        lambda: a.check_dtype(X, "f", "x", "iu"),
        TypeError,
    ),
    "must be of bools, but got Float32.\n  hint: convert it first: x.astype(ms.bool_)": (
        lambda: a.check_dtype(X, "f", "x", "b"),
        TypeError,
    ),
    "must be of floating-point numbers, but got Int64.\n"
    "  hint: convert it first: x.astype(ms.float32)": (
        lambda: a.check_dtype(Tensor([1]), "f", "x", "f"),
        TypeError,
    ),
    "must be of numbers, but got Bool.\n  hint: convert it first: x.astype(ms.int32)": (
        lambda: a.check_dtype(Tensor([True]), "f", "x", "iuf"),
        TypeError,
    ),
    "must have 3 or 4 dimensions, but got shape [2, 3].": (
        lambda: a.check_ndim(X, "f", "x", 3, 4),
        ValueError,
    ),
    "must have 1 dimension, but got shape [2, 3].": (
        lambda: a.check_ndim(X, "f", "x", 1),
        ValueError,
    ),
    "must have no dimensions, but got shape [2, 3].": (
        lambda: a.check_ndim(X, "f", "x", 0),
        ValueError,
    ),
    "must have at least one dimension, but got shape [].": (
        lambda: a.check_ndim(Tensor(1.0), "f", "x", at_least=1),
        ValueError,
    ),
    "must have at most one dimension, but got shape [2, 3].": (
        lambda: a.check_ndim(X, "f", "x", at_most=1),
        ValueError,
    ),
    "must have shape [3], but got [2, 3].": (
        lambda: a.check_shape(X, "f", "x", (3,)),
        ValueError,
    ),
    "must have shape [3], one element a class, but got [2, 3].": (
        lambda: a.check_shape(X, "f", "x", (3,), "one element a class"),
        ValueError,
    ),
    "and 'y' must have one shape, but got [2, 3] and [2].\n  hint: broadcast them": (
        lambda: a.check_same_shape(X, W, "f", ("x", "y"), "broadcast them"),
        ValueError,
    ),
    "and 'y' must have the same dtype, but got Float32 and Int64.\n"
    "  hint: convert one of them: y.astype(ms.float32)": (
        lambda: a.check_same_dtype(X, Tensor([1]), "f", ("x", "y")),
        TypeError,
    ),
    "and 'y' must have as many elements, but got 1 and 2.": (
        lambda: a.check_same_length([1], [1, 2], "f", ("x", "y")),
        ValueError,
    ),
}


@pytest.mark.parametrize("words", FAULTS)
def test_each_mistake_has_its_words(words):
    call, kind = FAULTS[words]
    with pytest.raises(kind) as caught:
        call()
    assert type(caught.value) is kind
    assert said(caught.value) == f"For 'f', 'x' {words.rstrip()}"


def test_long_values_and_tensors_are_not_printed():
    recursive: list[object] = []
    recursive.append(recursive)
    for value in (list(range(100)), "long" * 20, recursive, [X]):
        with pytest.raises(TypeError) as caught:
            a.check_int(value, "f", "x")
        assert said(caught.value) == f"For 'f', 'x' must be an int, but got {type(value).__name__}."


def test_a_tensor_in_compiled_code_is_called_a_tensor():
    with pytest.raises(TypeError) as caught:
        ms.jit(lambda x: ops.round(x, decimals=x))(X)
    assert said(caught.value) == "For 'round', 'decimals' must be an int, but got Tensor."


def test_the_place_is_that_of_the_caller():
    with pytest.raises(ValueError, match=r"test_arguments.py:\d+:\d+, in test_the_place"):
        ops.chunk(X, 0)


# --- nobody writes these messages by hand -------------------------------------------------------

PACKAGE = Path(a.__file__).parents[1]
ONE = r"(bool|int|float|number|str|string|Tensor|Parameter|Cell|tuple|list|dict|function)"
BY_HAND = re.compile(
    rf"""For\ .*,\ (the\ |argument\ |the\ argument\ )?'[^']*'\ (must|should)\ (
    be\ (an?\ )?{ONE}(\ or\ (an?\ )?({ONE}|None))?
    |be\ (callable|positive|(at\ least|at\ most|greater\ than|less\ than|>=|>|<)\ [^ ']+)
    |be\ (a\ number\ )?in\ (the\ )?(range\ )?(of\ )?[\[(][^ ]+,\ [^ ]+[\])]
    |be\ (one\ of|in)\ <>
    |be\ ('\w+'(,\ )?)+\ or\ '\w+'
    |be\ (of\ )?(an?\ )?(bools|integers|ints|floats|floating-point\ \w+)(\ or\ bools)?
    |have\ (at\ least\ |at\ most\ )?(\d|one|two|<>)\ (dimensions?|dims)
    |have\ (the\ )?shape\ <>
    |not\ be\ empty
    )(,\ but\ (got|has|is)|[.]?$)""",
    re.VERBOSE,
)
# Not converted yet.
ELSEWHERE = {
    *("nn/activations.py", "nn/layers.py", "nn/loss/classes.py"),
    *("ops/classes/primitives.py", "ops/classes/shape.py", "ops/classes/window.py"),
}
# What looks like a message of the vocabulary and says more.
ALLOWED = {
    "nn/attention.py: For '<>', the '<>' must have shape <>, but got <>.": "one of several shapes",
}


def text(node):
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(v.value if isinstance(v, ast.Constant) else "<>" for v in node.values)
    return ""


def by_hand():
    for path in sorted(PACKAGE.rglob("*.py")):
        name = path.relative_to(PACKAGE).as_posix()
        if path == Path(a.__file__) or name in ELSEWHERE:
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "error":
                message = text(node.args[1]) if len(node.args) > 1 else ""
                if BY_HAND.match(message):
                    yield f"{name}: {message}"


def test_no_message_of_the_vocabulary_is_written_by_hand():
    assert set(by_hand()) == set(ALLOWED)


@pytest.mark.parametrize(
    "message",
    [
        "For '<>', the '<>' must be bool, but got <>.",
        "For 'f', 'x' should be an int, but got <>.",
        "For '<>', the '<>' must be a number in range [0, 1), but got <>.",
        "For 'f', 'mode' must be 'a', 'b' or 'c', but got <>.",
        "For 'f', 'x' must have <> dimensions, but has shape <>.",
    ],
)
def test_messages_by_hand_are_found(message):
    assert BY_HAND.match(message)
