"""Handlers of signals that raise at the worst moments of a capture: what runs after that runs as if it had not been."""

import numpy as np
import pytest

import cellgrad as ms
from cellgrad import Tensor, _native, debug, ops
from cellgrad.capture import loops
from cellgrad.core import state, storage
from cellgrad.core.scope import ScopeGuard
from cellgrad.transforms.tape import Tape

X = Tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
MANY = Tensor(np.arange(80.0).reshape(40, 2))


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
        got = ms.jit(total)(MANY).asnumpy()
    assert got.tolist() == (MANY.asnumpy() ** 2).sum(0).tolist()


def test_a_loop_that_is_captured_is_not_tried_again(monkeypatch):
    """Its trips would be made twice."""

    def total(x):
        out = x[0] * 0
        for row in x:
            out = out + row
        return out

    def bound(*given):
        raise TimeoutError

    monkeypatch.setattr(loops, "may_be", lambda out, values: None)
    monkeypatch.setattr(loops, "link", lambda outs, values: isinstance(outs, list) and bound())
    with pytest.raises(TimeoutError):
        ms.jit(total)(MANY)
    monkeypatch.undo()
    assert ms.jit(total)(MANY).asnumpy().tolist() == MANY.asnumpy().sum(0).tolist()


def test_the_end_of_a_tape(monkeypatch):
    raising(monkeypatch, Tape, KeyboardInterrupt())
    with debug.eager(), pytest.raises(KeyboardInterrupt):
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


def test_a_signature_that_is_made_while_it_is_made(monkeypatch):
    """As a handler or a finalizer does that makes a tensor: there is one for a dtype and shape, and nothing waits."""
    real, inner = storage.Signature, []

    def making(dtype, shape):
        if not inner:
            inner.append(None)
            inner[0] = storage.signature(dtype, shape)
        return real(dtype, shape)

    monkeypatch.setattr(storage, "Signature", making)
    outer = storage.signature(ms.float32, (97, 1))
    assert outer is inner[0] and outer is storage.signature(ms.float32, (97, 1))
    del outer, inner[0]
    assert (ms.float32, (97, 1)) not in storage._signatures
