"""Why a program is compiled: readable reasons for CELLGRAD_LOG=recompile."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from cellgrad.core import log as _log
from cellgrad.core.context import Device
from cellgrad.core.dtype import Type
from cellgrad.core.exact import same
from cellgrad.core.guards import ABSENT, CONTAINERS, Guard, value_of
from cellgrad.core.parameter import Parameter
from cellgrad.core.storage import Signature


def _differing(new: tuple[Any, ...], old: tuple[Any, ...]) -> list[tuple[Any, Any]]:
    return [(b, a) for a, b in zip(new, old) if a != b]


def _text(value: Any) -> str:
    if isinstance(value, type):
        return value.__name__
    if isinstance(value, tuple) and len(value) == 2 and isinstance(value[0], type):
        return f"{value[0].__name__} of {value[1]}"
    return repr(value)


def _split(signature: tuple[Any, ...]) -> tuple[str, tuple[Any, ...]]:
    """The device of a signature, with the default dtype if that is not float32, and its inputs."""
    device = "CPU"
    if signature and isinstance(signature[0], Device):
        device, signature = repr(signature[0]), signature[1:]
    if signature and isinstance(signature[0], Type):
        return f"{device} with default dtype {signature[0].name}", signature[1:]
    return device, signature


def _reason(signature: tuple[Any, ...], known: list[tuple[Any, ...]]) -> str:
    """How a signature differs from those compiled, for its device where there are any."""
    device, new = _split(signature)
    before = [_split(old) for old in known]
    here = [inputs for where, inputs in before if where == device]
    if here:
        return _inputs(new, here)
    reason = f"the device was {before[-1][0]}, is {device}"
    others = [inputs for _, inputs in before]
    return reason if new in others else f"{reason}; {_inputs(new, others)}"


def _inputs(new: tuple[Any, ...], known: list[tuple[Any, ...]]) -> str:
    """How inputs differ from the most similar of those compiled."""
    same_length = [old for old in known if len(old) == len(new)]
    if not same_length:
        return "the inputs have another structure"
    changes = min((_differing(new, old) for old in same_length), key=len)
    tensors = [i for i, s in enumerate(new) if isinstance(s, Signature)]
    out = []
    for before, now in changes:
        if isinstance(before, Signature) and isinstance(now, Signature):
            place = next(k for k, i in enumerate(tensors) if new[i] is now)
            out.append(f"input tensor {place} was {before!r}, is {now!r}")
        else:
            out.append(f"a static input was {_text(before)}, is {_text(now)}")
    return "; ".join(out)


def _guards(guards: Iterable[Guard]) -> str:
    """Which of the names a program was compiled for have another value now."""
    out = []
    for where, name, value in guards:
        now = value_of(where, name)
        if not same(now, value):
            before, after = ("undefined" if v is ABSENT else repr(v) for v in (value, now))
            if name is not None:
                out.append(f"{name!r} was {before}, is {after}")
            elif isinstance(where, CONTAINERS):
                out.append(f"what a {type(where).__name__} holds was {before}, is {after}")
            else:
                out.append(f"a variable of an enclosing function was {before}, is {after}")
    return "; ".join(out) or "a name it reads has another value"


def note(
    name: str, signature: tuple[Any, ...], cache: dict[Any, Any], stale: bool | str, mode: bool
) -> None:
    """Writes why the program `name` is compiled for `signature`; `cache` is what it had before.

    `stale` is whether a Cell that it reads has changed, `mode` whether only training flags have.
    """
    if not _log.wanted("recompile"):
        return
    found = cache.get(signature)
    if not cache and not stale:
        reason = "first call"
    elif mode:
        reason = "set_train() changed the training flag of a Cell it reads"
    elif stale:
        reason = "an attribute of a Cell it reads was assigned"
    elif found is None:
        reason = _reason(signature, list(cache))
    elif changed := found.changed_elements():
        names = ", ".join(repr(t._sig) for t in changed)
        reason = f"a tensor whose elements it read while compiling has others now: {names}"
    elif not found.holds():
        reason = _guards(found.guards)
    else:
        changed = [(t, sig) for t, sig in found.captures if t._sig is not sig]
        reason = "; ".join(f"{_label(t)} was {sig!r}, is {t._sig!r}" for t, sig in changed)
    _log.write("recompile", f"'{name}': {reason}")


def _label(tensor: Any) -> str:
    return f"Parameter '{tensor.name}'" if isinstance(tensor, Parameter) else "a captured tensor"
