"""Counts the places of the public API whose type is not told: ``Any``, or no annotation.

    count_any.py [--list] [MODULE...]

A place is a parameter, a result or an attribute of a public function, class or alias. Public is what
a program reaches from ``cellgrad`` by names without an underscore, and the operators and other special
methods of the classes found; what a class inherits counts once, where it is defined. An alias of
`core.aliases` counts once, not where it is used. Overloads count instead of what implements them.
"""

from __future__ import annotations

import collections
import dataclasses
import importlib
import inspect
import re
import sys
import types
import typing
from collections.abc import Iterable, Iterator

# Modules that programs import and that `cellgrad.__all__` does not lead to.
MORE = (
    "cellgrad.interop",
    "cellgrad.numpy",
    "cellgrad.nn.probability",
    "cellgrad.runtime",
    "cellgrad.scipy.fft",
    "cellgrad.scipy.linalg",
    "cellgrad.serialization",
    "cellgrad.testing",
)
ALIASES = "cellgrad.core.aliases"
_ANY = re.compile(r"\bAny\b")
# Generic classes that say nothing of their elements where they stand alone.
_BARE = re.compile(
    r"\b(?:list|dict|tuple|set|Callable|Sequence|Iterable|Iterator|Mapping|ndarray)\b(?!\[)"
)


@dataclasses.dataclass(frozen=True)
class Place:
    """One annotation that tells nothing, or too little."""

    module: str
    owner: str  # "Tensor.sum"
    name: str  # of the parameter or attribute; "return" for a result
    annotation: str  # "" where there is none

    @property
    def kind(self) -> str:
        """What stands there: nothing, ``Any`` alone, or a type with it inside."""
        if not self.annotation:
            return "missing"
        if self.annotation == "Any":
            return "Any of a result" if self.name == "return" else "Any"
        return "Any inside" if _ANY.search(self.annotation) else "bare generic"


def is_untold(annotation: str) -> bool:
    """Whether an annotation says ``Any``, or a container without its elements."""
    return bool(_ANY.search(annotation)) or bool(_BARE.search(_without_strings(annotation)))


def _without_strings(text: str) -> str:
    return re.sub(r"'[^']*'|\"[^\"]*\"", "''", text)


def _text(annotation: object) -> str:
    if isinstance(annotation, str):
        return annotation.strip("'\"")
    return annotation.__name__ if isinstance(annotation, type) else str(annotation)


def modules() -> Iterator[types.ModuleType]:
    """The public modules, from ``cellgrad`` on."""
    waiting = [importlib.import_module(name) for name in ("cellgrad", *MORE)]
    seen: set[str] = set()
    while waiting:
        module = waiting.pop()
        if module.__name__ in seen:
            continue
        seen.add(module.__name__)
        yield module
        waiting += [
            thing
            for name in names_of(module)
            if isinstance(thing := getattr(module, name, None), types.ModuleType)
            and thing.__name__.split(".")[0] == "cellgrad"
            and "._" not in thing.__name__
        ]


def names_of(module: types.ModuleType) -> list[str]:
    """What a module makes public: its ``__all__``, or what it holds without an underscore."""
    listed = getattr(module, "__all__", None)
    return sorted(n for n in (vars(module) if listed is None else listed) if n[0] != "_")


def _function(thing: object) -> types.FunctionType | None:
    """The function behind a method, a property's reader or a decorated function."""
    if isinstance(thing, property):
        thing = thing.fget
    if isinstance(thing, classmethod | staticmethod):
        thing = thing.__func__
    if not callable(thing):
        return None
    found = inspect.unwrap(thing)
    return found if isinstance(found, types.FunctionType) else None


def _of_function(f: types.FunctionType, seen: set[object]) -> Iterator[Place]:
    made = f.__code__.co_filename == "<string>"  # by a dataclass
    if f.__module__.split(".")[0] != "cellgrad" or f.__code__ in seen or made:
        return
    seen.add(f.__code__)
    # Methods that Tensor is given bear its name; their overloads are registered under the first one.
    qualname = f.__code__.co_qualname
    overloads = typing._overload_registry[f.__module__].get(qualname, {})  # type: ignore[attr-defined]
    for one in overloads.values() or [f]:
        told = {name: _text(value) for name, value in inspect.get_annotations(one).items()}
        code = one.__code__
        count = code.co_argcount + code.co_kwonlyargcount
        count += bool(code.co_flags & inspect.CO_VARARGS)
        count += bool(code.co_flags & inspect.CO_VARKEYWORDS)
        parameters = [*code.co_varnames[:count], *([] if f.__name__ == "__init__" else ["return"])]
        for i, name in enumerate(parameters):
            if i == 0 and "." in qualname and name in ("self", "cls"):
                continue
            text = told.get(name, "")
            if not text or is_untold(text):
                yield Place(f.__module__, qualname, name, text)


def _of_class(cls: type, seen: set[object]) -> Iterator[Place]:
    for base in cls.__mro__:
        if base.__module__.split(".")[0] != "cellgrad" or base in seen:
            continue
        seen.add(base)
        for name, annotation in inspect.get_annotations(base).items():
            if name[0] != "_" and is_untold(_text(annotation)):
                yield Place(base.__module__, base.__name__, name, _text(annotation))
        for name, thing in vars(base).items():
            if name[0] != "_" or (name.startswith("__") and name.endswith("__")):
                function = _function(thing)
                if function is not None:
                    yield from _of_function(function, seen)


def places(wanted: Iterable[str] = ()) -> list[Place]:
    """The places of the public API, or of the modules given."""
    named = list(wanted)
    seen: set[object] = set()
    found: list[Place] = []
    for module in [importlib.import_module(m) for m in named] or modules():
        for name in names_of(module):
            thing = getattr(module, name, None)
            if isinstance(thing, type):
                found += _of_class(thing, seen)
            elif function := _function(thing):
                found += _of_function(function, seen)
            elif type(thing).__module__.split(".")[0] == "cellgrad":
                found += _of_class(type(thing), seen)
    if not named:
        found += _of_aliases()
    return found


def _of_aliases() -> Iterator[Place]:
    for name, alias in vars(importlib.import_module(ALIASES)).items():
        if name[0] != "_" and isinstance(alias, str) and is_untold(alias):
            yield Place(ALIASES, name, "alias", alias)


def main() -> None:
    options = [a for a in sys.argv[1:] if a.startswith("--")]
    found = places(a for a in sys.argv[1:] if not a.startswith("--"))
    if "--list" in options:
        for place in found:
            print(f"{place.module}.{place.owner}({place.name}): {place.annotation or 'nothing'}")
    by_module = collections.Counter(p.module for p in found)
    by_kind = collections.Counter(p.kind for p in found)
    for title, counter in (("by module", by_module), ("by kind", by_kind)):
        print(f"\n{title}:")
        for name, count in counter.most_common():
            print(f"{count:6}  {name}")
    print(f"\n{len(found)} places")


if __name__ == "__main__":
    main()
