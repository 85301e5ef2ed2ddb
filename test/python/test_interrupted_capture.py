"""Handlers of signals that raise at the worst moments of a capture: what runs after that runs as if it had not been."""

import pytest

import cellgrad as ms
from cellgrad import Tensor, _native, ops
from cellgrad.core import state
from cellgrad.core.scope import ScopeGuard
from cellgrad.transforms.tape import Tape

X = Tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])


def raising(monkeypatch, kind, error, times=1):
    """The end of a block of `kind` raises at its beginning, as the handler of a signal that comes then does."""
    real, left = kind.__exit__, [times]

    def ends(self, *exc):
        if left[0]:
            left[0] -= 1
            raise error
        real(self, *exc)

    monkeypatch.setattr(kind, "__exit__", ends)


def test_the_end_of_a_scope(monkeypatch):
    f = ms.jit(lambda x: ops.tanh(x) * 2)
    raising(monkeypatch, ScopeGuard, KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):
        f(X)
    assert state.current.scope is None and state.current.frame is None
    assert float((X + X).sum()) == 42
    assert float((f(X) - ops.tanh(X) * 2).abs().max()) == 0


def test_the_end_of_a_scope_in_a_loop_that_is_tried():
    """The trips are captured one by one then."""

    def total(x):
        out = x[0] * 0
        for row in x:
            out = out + row * row
        return out

    with pytest.MonkeyPatch.context() as patch:
        raising(patch, ScopeGuard, TimeoutError())
        assert ms.jit(total)(X).asnumpy().tolist() == [35, 56]


def test_the_end_of_a_scope_in_a_try_statement(monkeypatch):
    def f(x, t):
        y = x * 2
        try:
            if t > 0:
                y = y + 1
        except TimeoutError:
            y = y * 10
        return y

    raising(monkeypatch, ScopeGuard, TimeoutError())
    assert ms.jit(f)(X, Tensor(1.0))[0].asnumpy().tolist() == [20, 40]


def test_the_end_of_a_tape(monkeypatch):
    raising(monkeypatch, Tape, KeyboardInterrupt())
    with ms.debug.eager(), pytest.raises(KeyboardInterrupt):
        ms.grad(lambda x: (x * x).sum())(X)
    assert state.current.tape is None


def test_values_of_a_function_that_was_dropped():
    """They are known not to be those of others."""
    graph = _native.Graph()
    dropped = graph.function("f", [("float32", [2], "", "", None, None)])
    value = dropped.create("cell.neg", [dropped.args[0]])
    dropped.discard()
    dropped.discard()
    other = graph.function("f", [("float32", [2], "", "", None, None)], public=True)
    assert (dropped.name, value.shape) == ("f", (2,))
    with pytest.raises(_native.GraphError, match="a value of another function"):
        other.create("cell.neg", [value])
    with pytest.raises(_native.GraphError, match="'f' has already returned"):
        dropped.create("cell.neg", [value])
    other.ret([other.create("cell.neg", [other.args[0]])])
    graph.verify()
