"""The text of loops and branches, for programs that are drawn as text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

# What a loop carries: its name in the loop, the value it starts from, and its type.
Carried = Sequence[tuple[str, str, str]]


def _starts(carried: Carried) -> str:
    return ", ".join(f"{name} = {start}" for name, start, _ in carried)


def _types(carried: Carried) -> str:
    return ", ".join(kind for _, _, kind in carried)


def _results(name: str, count: int) -> str:
    return name if count == 1 else f"{name}:{count}"


def counted(name: str, trip: str, bounds: Sequence[str], carried: Carried) -> str:
    """The head of a loop from the first of `bounds` to the second in steps of the third."""
    low, high, step = bounds
    return (
        f"{_results(name, len(carried))} = scf.for {trip} = {low} to {high} step {step} "
        f"iter_args({_starts(carried)}) -> ({_types(carried)}) {{"
    )


def unbounded(name: str, carried: Carried) -> str:
    """The head of a loop that goes on while a condition holds."""
    types = _types(carried)
    head = f"{_results(name, len(carried))} = scf.while ({_starts(carried)})"
    return f"{head} : ({types}) -> ({types}) {{"


def condition(bit: str, carried: Carried) -> str:
    """The end of an unbounded loop's first region."""
    return f"scf.condition({bit}) {', '.join(n for n, _, _ in carried)} : {_types(carried)}"


def body(arguments: Iterable[tuple[str, str]]) -> str:
    """The start of its second region: pairs of a name and a type."""
    return f"^bb0({', '.join(f'{name}: {kind}' for name, kind in arguments)}):"


def branch(name: str, bit: str, types: Sequence[str]) -> str:
    """The head of a branch."""
    return f"{_results(name, len(types))} = scf.if {bit} -> ({', '.join(types)}) {{"


def give(values: Sequence[str], types: Sequence[str]) -> str:
    """The end of a region."""
    return f"scf.yield {', '.join(values)} : {', '.join(types)}"
