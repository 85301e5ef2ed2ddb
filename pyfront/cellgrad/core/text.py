"""Text with tensors in it that only the compiled code knows."""

from __future__ import annotations

import string
from collections.abc import Sequence
from typing import Any, NoReturn

from cellgrad.core.errors import NotCompilable, error
from cellgrad.core.tensor import Tensor
from cellgrad.core.tracer import Tracer
from cellgrad.core.tree import tensors

_FORMATTER = string.Formatter()


class Text:
    """What ``str(x)`` and f-strings are in compiled code: literal parts and tensors, in order. It can be
    joined to other text, printed, returned, and given to an exception.
    """

    __slots__ = ("parts",)

    def __init__(self, parts: list[Any]):
        self.parts: list[Any] = []
        for part in parts:  # literal text in one piece, as braces are told apart in it
            if isinstance(part, str) and self.parts and isinstance(self.parts[-1], str):
                self.parts[-1] += part
            else:
                self.parts.append(part)

    @staticmethod
    def of(value: Any, inside: bool = False) -> Text:
        """``str(value)``; of what is `inside` of a container, ``repr(value)``."""
        if isinstance(value, Text):
            return value
        if isinstance(value, Tensor):
            if not inside:
                return Text([value])
            head = f"Tensor(shape={list(value.shape)}, dtype={value.dtype.title}, value= "
            return Text([head, value, ")"])
        if type(value) in (tuple, list):
            parts = _joined(", ", [Text.of(v, True) for v in value])
            if type(value) is list:
                return Text(["[", *parts, "]"])
            return Text(["(", *parts, ",)" if len(value) == 1 else ")"])
        if type(value) is dict:
            items = [Text([repr(k), ": ", *Text.of(v, True).parts]) for k, v in value.items()]
            return Text(["{", *_joined(", ", items), "}"])
        return Text([repr(value) if inside else str(value)])

    def __add__(self, other: Any) -> Text:
        if not isinstance(other, str | Text):
            return NotImplemented
        return Text([*self.parts, *Text.of(other).parts])

    def __radd__(self, other: Any) -> Text:
        if not isinstance(other, str):
            return NotImplemented
        return Text([other, *self.parts])

    def __str__(self) -> str:
        shown = (
            f"<{v.dtype.title}{list(v.shape)}>" if isinstance(v, Tensor) else v for v in self.parts
        )
        return "".join(shown)

    __repr__ = __str__

    def _unknown(self, *args: Any) -> NoReturn:
        raise error(
            NotCompilable,
            "The text of a tensor is used in compiled code, which knows it only when it runs.",
            "join it to other text, print it or return it; other uses belong outside",
        )

    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __contains__ = _unknown
    __hash__ = __len__ = __bool__ = __iter__ = __getitem__ = __mod__ = __mul__ = _unknown

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        self._unknown()


def _joined(separator: str, texts: list[Text]) -> list[Any]:
    """The parts of texts with a separator between them."""
    out: list[Any] = []
    for i, t in enumerate(texts):
        out += [separator, *t.parts] if i else t.parts
    return out


def holds_text(value: Any) -> bool:
    """Whether the text of a value is known only when the code runs."""
    if type(value) in (tuple, list):
        return any(holds_text(v) for v in value)
    if type(value) is dict:
        return any(holds_text(v) for v in value.values())
    return isinstance(value, Text | Tracer)


def join(separator: Any, items: list[Any]) -> Text:
    """``separator.join(items)``."""
    return Text(_joined(separator, [Text.of(v) for v in items]))


def formatted(template: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Text:
    """``template.format(*args, **kwargs)``, without format specifications for tensors."""
    parts: list[Any] = []
    count = 0
    for literal, field, spec, conversion in _FORMATTER.parse(template):
        parts.append(literal)
        if field is None:
            continue
        if field == "" or field[0] in ".[":
            field, count = f"{count}{field}", count + 1
        value, _ = _FORMATTER.get_field(field, args, kwargs)
        if not holds_text(value):
            text = _FORMATTER.convert_field(value, conversion)
            parts.append(format(text, (spec or "").format(*args, **kwargs)))
        else:
            parts += plain(value, spec or conversion).parts
    return Text(parts)


def plain(value: Any, spec: Any) -> Text:
    """The text of a value without a format.

    Raises:
        TypeError: there is one.
    """
    if spec:
        raise error(
            NotCompilable,
            f"A tensor of compiled code is formatted with {spec!r}: only the text as print shows it is "
            "made there.",
            "leave the format out, or return the tensor and format it outside",
        )
    return Text.of(value)


def percent(template: str, values: Any) -> Text:
    """``template % values``, where only ``%s`` takes tensors."""
    left = list(values) if isinstance(values, tuple) else [values]
    parts: list[Any] = []
    rest = template
    while "%" in rest:
        before, _, rest = rest.partition("%")
        parts.append(before)
        if rest.startswith("%"):
            parts.append("%")
            rest = rest[1:]
            continue
        end = next((i for i, c in enumerate(rest) if c.isalpha()), None)
        if end is None or not left:
            raise error(TypeError, f"not enough arguments for format string {template!r}")
        spec, rest = rest[: end + 1], rest[end + 1 :]
        value = left.pop(0)
        if holds_text(value):
            parts += plain(value, "" if spec == "s" else "%" + spec).parts
        else:
            parts.append(f"%{spec}" % (value,))
    if left:
        raise error(TypeError, "not all arguments converted during string formatting")
    return Text([*parts, rest])


def _is_unknown(argument: Any) -> bool:
    return holds_text(argument) or any(type(t) is Tracer for t in tensors(argument))


class Placed:
    """Stands in a text for an input of a program, by its place among the tensors of a call."""

    def __init__(self, place: int, like: Tensor):
        self.place = place
        self.sig = like._sig


def given_parts(exception: BaseException, scope: Any) -> list[Any] | None:
    """The arguments of an exception of code in a scope as lists of parts, where the only tensors in them are inputs of
    the program that is compiled, with the elements that they came with; else None.
    """
    out = []
    for a in exception.args:
        parts = list(Text.of(a).parts) if _is_unknown(a) else [a]
        for i, t in enumerate(parts):
            place = _place_of(t, scope) if isinstance(t, Tracer) else None
            if place is not None:
                parts[i] = Placed(place, t)
            elif isinstance(t, Tensor):
                return None
        out.append(parts)
    return out if places(out) else None


def _place_of(tensor: Tracer, scope: Any) -> int | None:
    while scope is not None:
        if id(tensor) in scope.elements or id(tensor) in scope.given:
            return None
        for place, own in enumerate(scope.inputs):
            if own is tensor and scope.parent is None and own._value == scope.fn.args[place]:
                return place
        scope = scope.parent
    return None


def places(arguments: list[Any] | None) -> list[int]:
    """The places of the inputs in what `given_parts` gives."""
    return [p.place for parts in arguments or () for p in parts if isinstance(p, Placed)]


def with_given(parts: list[Any], buffers: Sequence[Any]) -> list[Any]:
    """The arguments of an exception, from those parts and the tensors of a call."""

    def shown(part: Any) -> Any:
        return (
            str(Tensor._wrap(buffers[part.place], part.sig)) if isinstance(part, Placed) else part
        )

    return [shown(p[0]) if len(p) == 1 else "".join(map(shown, p)) for p in parts]


def known_arguments(exception: BaseException) -> tuple[Any, ...]:
    """The arguments of an exception that is raised when the code runs: without tensors of it."""
    return tuple(str(Text.of(a)) if _is_unknown(a) else a for a in exception.args)
