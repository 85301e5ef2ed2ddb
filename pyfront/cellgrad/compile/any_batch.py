"""Compiled code for any batch size.

A program is captured for a batch size that no dimension of a model has. The compiler makes it a program
for any size: it follows where the samples of the batch are in each value, and adds up in loops over the
batch what the program adds up over it. What Python computed from the number is not seen there: so the
program is captured for other sizes, too, and must be the same but for numbers that follow from the size.
"""

from __future__ import annotations

import copy
import inspect
import re
from collections.abc import Callable, Sequence
from typing import Any

from cellgrad import _native
from cellgrad.compile.compiled import MOST_KNOWN
from cellgrad.compile.program import Program, cell_runner, compile_entry
from cellgrad.core import state
from cellgrad.core.errors import CompileError, error
from cellgrad.core.guards import ABSENT
from cellgrad.core.notices import warn_once
from cellgrad.core.open_shape import LARGEST, OpenElements
from cellgrad.core.parameter import Parameter
from cellgrad.core.scope import NeedsIdentity, Trace
from cellgrad.core.storage import Signature, signature
from cellgrad.core.tensor import Tensor
from cellgrad.core.tree import map_tensors, tensors

__all__ = ["STAND_IN", "BatchProgram", "largest_batch", "open_batch", "set_inputs"]

# A prime: no product of other sizes is a multiple of it.
STAND_IN = 65521
# What the smallest batches, and another prime, tell of choices by the size. For sizes with programs of
# their own it may be another one, as for a batch of 1, where nothing is broadcast: the model has each.
_OTHERS = (2, 3, 32749)
# So many batch sizes are found without a look at each input, so that a server of all sizes keeps little.
_MOST_RESIZED = 1024
# Whole numbers that are words of their own.
_NUMBER = re.compile(r"(?<![\w.])\d+(?!\w|\.\d)", re.ASCII)
_wrap = Tensor._wrap
_call_known = _native.call_known


def open_batch(
    trace: Trace, most: int, often: Sequence[int], capture: Callable[[int], Trace], model: str
) -> None:
    """Makes what was captured for the stand-in a program for 1 to `most` samples. Batches that come `often`
    get programs of their own: what is captured for them.

    Checks of `trace` say "batch" where they have its number; those of the programs for known sizes are noted
    with them.

    Raises:
        CompileError: for another size it is another program, or none.
    """

    def text(size: int) -> str:
        try:
            found = capture(size)
        except NeedsIdentity:
            raise
        except Exception as e:
            made = CompileError(
                f"'{model}' is to be compiled for any batch size, but cannot be for a batch of {size}: {e}"
            )
            made.__cellgrad_located__ = True  # type: ignore[attr-defined]
            raise made from e
        for said, check in found.checks.items():
            trace.checks.setdefault(said, check)
        return found.graph.text(locations=True)

    try:
        for size in trace.graph.open_batch(STAND_IN, most, often, [(n, text(n)) for n in _OTHERS]):
            trace.graph.add_batch_program(text(size))
    except _native.GraphError as e:
        raise error(CompileError, f"'{model}' could not be compiled:\n{e}") from None
    for said, (place, kind, hint) in list(trace.checks.items()):
        if (named := _named(said)) != said:
            trace.checks[named] = place, kind if isinstance(kind, type) else _renamed(kind), hint


def _named(text: str) -> str:
    """A message with "batch" in the place of the stand-in, as the compiler writes it into programs."""

    def name(number: re.Match[str]) -> str:
        count, rest = divmod(int(number[0]), STAND_IN)
        return number[0] if rest or not count else "batch" if count == 1 else f"{count} x batch"

    return _NUMBER.sub(name, text)


def _renamed(exception: Exception) -> Exception:
    """The same of an exception of the user's."""
    made = copy.copy(exception)
    made.args = tuple([_named(a) if isinstance(a, str) else a for a in exception.args])
    return made


def largest_batch(inputs: Any, who: str) -> int | None:
    """The largest batch that inputs with an open first dimension may have; None where all sizes are
    known.

    Raises:
        ValueError: another dimension is open.
    """
    most: int | None = None
    for x in tensors(inputs):
        if not isinstance(x._buf, OpenElements):
            continue
        if -1 in x.shape[1:]:
            raise error(
                ValueError,
                f"For '{who}', only the first dimension of an input can be open, the batch, but got "
                f"the shape {list(x.shape)}.",
                "give the other dimensions their sizes",
            )
        most = x._buf.max if most is None else min(most, x._buf.max)
    return most


def _has_batch(x: Tensor) -> bool:
    return not isinstance(x, Parameter) and x.ndim > 0


class BatchProgram(Program):
    """A program that is compiled once for all batch sizes.

    All Tensors of the inputs with a dimension have the batch as the first one; with `examples`, the
    inputs at the places of open ones among them. The batch of the first call has a program of its own:
    most of the others are of that size.
    """

    stand_in = STAND_IN
    fixes = False

    __slots__ = ("examples", "first", "fixed", "most", "resized")

    def __init__(
        self,
        run: Callable[..., Any],
        name: str,
        examples: Sequence[Any] | None = None,
        divisible: bool = False,
    ):
        super().__init__(run, name, divisible=divisible)
        self.examples = examples
        self.most = LARGEST if examples is None else largest_batch(examples, "set_inputs")
        self.first: int | None = None  # batch
        # Of inputs that are Tensors alone: the signatures that the program is compiled for.
        self.resized: dict[tuple[Signature | None, ...], tuple[Signature, ...]] = {}
        self.fixed = Program(run, name, divisible=divisible)  # for what is recorded on a tape

    def __call__(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if state.current.tape is not None:
            return self.fixed(args, kwargs)
        if not kwargs:
            if self.known and state.current.precision is self.precision:
                out = _call_known(self.known, args)
                if out is not ABSENT:
                    return out
            given = tuple([x._sig if type(x) is Tensor else None for x in args])
            resized = self.resized.get(given)
            if resized is not None:
                sized = [
                    x if x._sig is sig else _wrap(x._buf, sig)
                    for x, sig in zip(args, resized, strict=True)
                ]
                out = super().__call__(tuple(sized), kwargs)
                self._know(given, resized)
                return out
        return super().__call__(*self._of_any_size(args, kwargs))

    def _know(self, given: tuple[Any, ...], resized: tuple[Signature, ...]) -> None:
        """Notes that what is known of a call with inputs `resized` holds for those `given`. The list keeps
        its place for other sizes free.
        """
        if len(self.known) >= MOST_KNOWN - 1:
            return
        for key, *what in self.known:
            if key[-len(resized) :] == resized:
                own = (*key[: -len(resized)], *given)
                if all(other[0] != own for other in self.known):  # a hook may hide that it is known
                    _native.add_known(self.known, own, *what)
                return

    def prepare(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        super().prepare(*self._of_any_size(args, kwargs))

    def _of_any_size(
        self, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The inputs as the program is compiled for, after a note of the first ones' batch."""
        sized = self._with_batch(args, kwargs, STAND_IN)
        if self.first is None:
            self.first = self._batch_of(args, kwargs)
        if not kwargs and all(type(x) is Tensor for x in args):
            if len(self.resized) >= _MOST_RESIZED:
                self.resized.clear()
            self.resized[tuple([x._sig for x in args])] = tuple([x._sig for x in sized[0]])
        return sized

    def _batch_of(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> int | None:
        """How many samples inputs have; None where none has a batch."""
        if self.examples is not None:
            args = tuple([x for x, e in zip(args, self.examples, strict=True) if _is_open(e)])
        return next((x.shape[0] for x in tensors((args, kwargs)) if _has_batch(x)), None)

    def _with_batch(
        self, args: tuple[Any, ...], kwargs: dict[str, Any], size: int
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The inputs as if they had so many samples."""

        def sized(x: Tensor) -> Tensor:
            if not _has_batch(x):
                return x
            return Tensor._wrap(x._buf, signature(x.dtype, (size, *x.shape[1:])))

        if self.examples is None:
            return map_tensors(sized, args), map_tensors(sized, kwargs)
        self._check(args, kwargs)
        return tuple(
            [
                map_tensors(sized, x) if _is_open(example) else x
                for x, example in zip(args, self.examples, strict=True)
            ]
        ), kwargs

    def _check(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Refuses inputs that are not like those of `set_inputs`."""
        assert self.examples is not None
        if kwargs or len(args) != len(self.examples):
            raise error(
                ValueError,
                f"'{self.name}' was given {len(args)} inputs and {len(kwargs)} by name, but set_inputs "
                f"{len(self.examples)}.",
                "call with the inputs of set_inputs, in their order",
            )
        for i, (x, example) in enumerate(zip(args, self.examples, strict=True)):
            if not _is_open(example):
                continue
            fits = isinstance(x, Tensor) and x.dtype == example.dtype
            if not fits or x.ndim != example.ndim or x.shape[1:] != example.shape[1:]:
                got = x._sig if isinstance(x, Tensor) else type(x).__name__
                raise error(
                    ValueError,
                    f"Input {i} of '{self.name}' is {example._sig!r} by set_inputs, but got {got}.",
                    "call set_inputs again for other inputs",
                )

    def _finish(self, trace: Trace, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if trace.actions or trace.returned:
            raise error(
                CompileError,
                f"'{self.name}' changes or returns what it is given, and is compiled for any batch size.",
                "return new tensors, or compile it without dynamic_batch",
            )
        if not any(t.shape[:1] == (STAND_IN,) for t in tensors((args, kwargs))):
            raise error(
                CompileError,
                f"'{self.name}' is compiled for any batch size, but no input has a batch.",
                "give it a Tensor with a first dimension",
            )

        def capture(size: int) -> Trace:
            other, found = self.captured(*self._with_batch(args, kwargs, size))
            if isinstance(found, Exception):
                raise found
            return other

        assert self.most is not None
        often = [self.first] if self.first is not None and 1 <= self.first <= self.most else []
        open_batch(trace, self.most, often, capture, self.name)
        return compile_entry(trace, self.name)


def _is_open(example: Any) -> bool:
    return isinstance(example, Tensor) and isinstance(example._buf, OpenElements)


def _are_numbers(args: tuple[Any, ...], examples: Sequence[Any]) -> bool:
    """Whether tensors without dimensions are given for all vectors of any length, as MindSpore takes them."""
    opened = [(x, e) for x, e in zip(args, examples, strict=False) if _is_open(e)]
    return len(args) == len(examples) and all(
        isinstance(x, Tensor) and x.ndim == 0 and e.ndim == 1 and x.dtype is e.dtype
        for x, e in opened
    )


class _Declared(BatchProgram):
    """The program of a Cell whose inputs `set_inputs` gave: for all batch sizes, or for each one apart where
    it cannot be compiled so.
    """

    __slots__ = ("apart", "names", "tried")

    def __init__(
        self, run: Callable[..., Any], name: str, examples: Sequence[Any], names: Sequence[str]
    ):
        super().__init__(run, name, examples, divisible=True)
        self.tried = self.apart = False
        self.names = names

    def _in_order(
        self, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The inputs of `set_inputs` in their order, as far as names are of what comes next."""
        assert self.examples is not None
        rest = dict(kwargs)
        for name in self.names[len(args) : len(self.examples)]:
            if name not in rest:
                break
            args = (*args, rest.pop(name))
        return args, rest

    def __call__(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        args, kwargs = self._in_order(args, kwargs)
        if not kwargs and _are_numbers(args, self.examples or ()):
            return self.fixed(args, kwargs)
        if not self.tried and state.current.tape is None:
            self._check(args, kwargs)
            self._try(args, kwargs)
        return self.fixed(args, kwargs) if self.apart else super().__call__(args, kwargs)

    def prepare(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        args, kwargs = self._in_order(args, kwargs)
        if not self.tried:
            self._check(args, kwargs)
            self._try(args, kwargs)
        if self.apart:
            self.fixed.prepare(args, kwargs)

    def _try(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self.divisible = False  # an error here, no code that raises it when it runs
        try:
            super().prepare(args, kwargs)
        except Exception as e:  # whatever the program does with a size that is not its own
            self.apart = True
            reason = str(e).partition("\n  hint")[0]
            warn_once(
                ("set_inputs", self.name, reason),
                f"'{self.name}' is compiled for each batch size that it meets, not for all at once: {reason}",
                "call set_inputs with known sizes if that is what you want",
            )
        self.divisible = self.tried = True


def set_inputs(cell: Any, examples: Sequence[Any]) -> None:
    """Has a Cell compiled once for all batches of inputs like these, where the first dimension of some is
    open, and no other dimension; else for each signature that it is called with.
    """
    given = [x for x in tensors(examples) if isinstance(x._buf, OpenElements)]
    if not given or any(-1 in x.shape[1:] or -2 in x.shape for x in given):
        if isinstance(cell.__dict__.get("_jit_program"), BatchProgram):
            object.__setattr__(cell, "_jit_program", None)
        return
    names = tuple(inspect.signature(cell.construct).parameters)
    program = _Declared(cell_runner(cell), type(cell).__name__, examples, names)
    object.__setattr__(cell, "_jit_program", program)
