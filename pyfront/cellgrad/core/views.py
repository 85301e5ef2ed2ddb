"""Parts and other shapes of a tensor outside of compiled code: writing to one writes to the other.

Memory is not shared, as tensors are dense. A view knows the tensor that it is part of, and that one its
views; after a write, the elements that were written are copied.
"""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from cellgrad.core import state
from cellgrad.core.partial import note
from cellgrad.core.storage import from_numpy
from cellgrad.core.tensor import Tensor
from cellgrad.core.tracer import Tracer

F = TypeVar("F", bound=Callable[..., Any])


class Views:
    """The views of a tensor, as long as they live."""

    __slots__ = ("limit", "references")

    def __init__(self) -> None:
        self.references: list[weakref.ref[Tensor]] = []
        self.limit = 64  # at so many, those that are gone are looked for

    def add(self, view: Tensor) -> None:
        references = self.references
        if len(references) >= self.limit:
            references[:] = [r for r in references if r() is not None]
            self.limit = max(64, 2 * len(references))
        references.append(weakref.ref(view))


class Link:
    """What a view is of the tensor whose elements it has."""

    __slots__ = ("_root", "follows", "positions_", "sig", "steps")

    def __init__(self, root: Tensor, steps: tuple[Any, ...], follows: bool, weak: bool):
        self._root: Any = weakref.ref(root) if weak else root
        self.sig = root._sig
        self.steps = steps
        self.follows = follows  # whether writes to the root reach the view
        self.positions_: np.ndarray[Any, Any] | None = None

    @property
    def root(self) -> Tensor | None:
        """The tensor whose elements it has; None if that is gone."""
        root: Tensor | None = self._root if isinstance(self._root, Tensor) else self._root()
        return root

    def positions(self) -> np.ndarray[Any, Any] | None:
        """Which elements of the root the view's are; None if it turned out to be a copy."""
        root = self.root
        if root is None or root._sig is not self.sig:  # or a Parameter that got another shape
            return None
        if self.positions_ is None:
            at = np.arange(root.size).reshape(root.shape)
            for step in self.steps:
                found = step(at)
                if found is None:
                    return None
                at = found
            self.positions_ = at
        return self.positions_


def link(out: Tensor, x: Tensor, step: Callable[[Any], Any], follows: bool = True) -> None:
    """Notes that `out` has elements of `x`: those that `step` gives of an array of its shape."""
    before: Link | None = getattr(x, "_link", None)
    found = None if before is None else before.root
    if before is None or found is None:
        root, steps = x, (step,)
    else:
        root, steps = found, (*before.steps, step)
        follows = follows and before.follows
    # A number that was read does not keep the tensor alive.
    out._link = Link(root, steps, follows, weak=not out.shape)
    views = getattr(root, "_views", None)
    if views is None:
        views = root._views = Views()
    views.add(out)


def view(keeps_order: bool = False) -> Callable[[F], F]:
    """Makes an operation whose results have elements of its first argument one that gives views. With
    `keeps_order`, it gives a copy of a view whose elements do not lie one after the other.
    """

    def decorate(function: F) -> F:
        @functools.wraps(function)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            out = function(*args, **kwargs)
            if state.current.scope is not None and args:
                for part in out if isinstance(out, tuple | list) else (out,):
                    note(part, args[0])
                return out
            if not args or isinstance(args[0], Tracer):
                return out
            x, rest = args[0], args[1:]
            if not isinstance(x, Tensor):
                return out
            for i, part in enumerate(out if isinstance(out, tuple) else (out,)):

                def step(at: np.ndarray[Any, Any], i: int = i) -> Any:
                    if keeps_order and (np.diff(at.reshape(-1)) != 1).any():
                        return None
                    found = function(Tensor(at), *rest, **kwargs)
                    return (found[i] if isinstance(found, tuple) else found).asnumpy()

                if isinstance(part, Tensor) and part is not x:
                    link(part, x, step)
            return out

        return wrapper  # type: ignore[return-value]

    return decorate


def places(x: Tensor) -> np.ndarray[Any, Any] | None:
    """Where the elements of a view are in its tensor, if they do not lie one after the other; else None."""
    own: Link | None = getattr(x, "_link", None)
    at = None if own is None else own.positions()
    return None if at is None or (np.diff(at.reshape(-1)) == 1).all() else at


def parted(x: Tensor) -> None:
    """What a tensor is before it gets other elements: no view, and what were its views are those of a tensor with
    the elements that it had.
    """
    own: Link | None = getattr(x, "_link", None)
    if own is not None:
        own.follows, own._root = False, _gone
    views: Views | None = getattr(x, "_views", None)
    if views is None:
        return
    before = Tensor._wrap(x._buf, x._sig)
    before._views, x._views = views, None
    for reference in views.references:
        v = reference()
        if v is not None and v._link.root is x:
            v._link._root = before


def _gone() -> None:
    """Stands for a tensor that is no longer there."""


def written(x: Tensor, index: Any = ...) -> None:
    """Copies elements that were written: to what `x` is a view of, and to all views of that."""
    own: Link | None = getattr(x, "_link", None)
    root = x
    if own is not None:
        at = own.positions()
        if at is None:
            return
        root = own.root  # type: ignore[assignment]
        array = np.array(root._concrete("assignment to elements of a view"))
        array.reshape(-1)[at[index]] = x._concrete("assignment to elements")[index]
        root._buf = from_numpy(array, root.dtype)
    views: Views | None = getattr(root, "_views", None)
    if views is None:
        return
    flat = root._concrete("assignment to elements").reshape(-1)
    for reference in views.references:
        v = reference()
        if v is None or not v._link.follows or v is x:
            continue
        at = v._link.positions()
        if at is not None:
            v._buf = from_numpy(flat[at], v.dtype)
    if own is not None and own.follows and own.positions() is not None:
        x._buf = from_numpy(flat[own.positions()], x.dtype)
