"""Forms of an operation as a row writes them: ``"ops.Elu(alpha=1.0)(x)"``, ``"Tensor.elu(alpha)"``."""

from __future__ import annotations

import ast
import dataclasses
import re

from table import Parameter, Row, RowError, parameters_of

# Where forms can be: the first part of their text.
FACES = (
    "ops",
    "Tensor",
    "nn",
    "mint",
    "mint.linalg",
    "mint.special",
    "mint.nn",
    "mint.nn.functional",
    "numpy",
    "numpy.fft",
)
_HEAD = re.compile(r"(?P<face>[\w.]+)\.(?P<name>\w+)\s*(?P<rest>[(=].*)?$", re.DOTALL)


@dataclasses.dataclass(frozen=True)
class Form:
    """One form of an operation: what it is called, takes, and hands on."""

    row: Row
    face: str
    name: str
    is_alias: bool  # the same object under another name
    makes: tuple[Parameter, ...] | None  # what a class form is made with
    is_bare: bool  # a class that is made as its base is
    takes: tuple[Parameter, ...]  # what it is called with; a method's first is `self`
    expression: str  # what it is, over its parameters
    by_row: dict[str, str] | None  # parameters of the form by those of the operation

    @property
    def is_class(self) -> bool:
        return self.makes is not None

    @property
    def shown(self) -> str:
        """How a user writes it, without the arguments: "Tensor.elu"."""
        return f"{self.face}.{self.name}"


def _closing(text: str) -> int | None:
    """Where the parenthesis that `text` begins with is closed."""
    depth = 0
    for i, c in enumerate(text):
        depth += (c in "([{") - (c in ")]}")
        if depth == 0:
            return i
    return None


def _groups(text: str, row: Row) -> tuple[list[str], str | None]:
    """The texts between parentheses at the start, and what stands after ``=``."""
    groups, rest = [], text.strip()
    while rest.startswith("("):
        end = _closing(rest)
        if end is None:
            raise RowError(f"{row.place}: a parenthesis is not closed in {text!r}")
        groups.append(rest[1:end])
        rest = rest[end + 1 :].strip()
    if not rest:
        return groups, None
    if not rest.startswith("="):
        raise RowError(f"{row.place}: expected '= expression' after the arguments in {text!r}")
    return groups, rest[1:].strip()


def _split(text: str) -> list[str]:
    """The parts between the commas that are inside of no parenthesis."""
    parts, depth, start = [], 0, 0
    for i, c in enumerate(text):
        depth += (c in "([{") - (c in ")]}")
        if c == "," and depth == 0:
            parts.append(text[start:i].strip())
            start = i + 1
    return [*parts, text[start:].strip()]


def _signature(text: str, row: Row) -> tuple[Parameter, ...]:
    """Parameters, of which bare names of the operation's own have its annotation and default."""
    own = {p.name: p for p in row.parameters}
    full = [
        f"{part}={own[part].default}" if part in own and own[part].default is not None else part
        for part in _split(text)
    ]
    try:
        definition = ast.parse(f"def f({', '.join(full)}): pass").body[0]
    except SyntaxError as e:
        raise RowError(f"{row.place}: ({text}) is no parameter list: {e.msg}") from None
    assert isinstance(definition, ast.FunctionDef)
    return tuple(
        dataclasses.replace(p, annotation=own[p.name].annotation)
        if p.name in own and p.annotation is None
        else p
        for p in parameters_of(definition.args)
    )


def _matched(
    row: Row, called: tuple[Parameter, ...], made: tuple[Parameter, ...]
) -> dict[str, str]:
    """Which parameter of the operation gets which of the form: by name, others in order.

    Raises:
        RowError: a parameter of the form has no place, or one that must be given gets none.
    """
    names = {p.name for p in row.parameters}
    given = [p.name for p in (*called, *made)]
    match = {name: name for name in given if name in names}
    free = [p.name for p in row.parameters if p.name not in match]
    for name in given:
        if name not in names:
            if not free:
                raise RowError(
                    f"{row.place}: '{name}' of a form is none of '{row.name}'; say what it means "
                    f"with '= expression'"
                )
            match[free.pop(0)] = name
    missing = [
        p.name
        for p in row.parameters
        if p.name in free and p.default is None and p.kind not in ("*", "**")
    ]
    if missing:
        raise RowError(f"{row.place}: a form of '{row.name}' does not give {', '.join(missing)}")
    return match


def call(row: Row, given: dict[str, str]) -> str:
    """The operation called with texts by its parameters' names."""
    args: list[str] = []
    skipped = False
    for p in row.parameters:
        if p.name not in given:
            skipped = skipped or p.kind == "positional"
            continue
        text = given[p.name]
        if p.kind in ("*", "**"):
            args.append(p.kind + text)
        elif p.kind == "keyword" or skipped:
            args.append(f"{p.name}={text}")
        else:
            args.append(text)
    return f"ops.{row.name}({', '.join(args)})"


def parse(text: str, row: Row) -> Form:
    """One form of a row.

    Raises:
        RowError: text that is no form; the message names the row's file and line.
    """
    head = _HEAD.match(text.strip())
    if head is None or head["face"] not in FACES:
        raise RowError(
            f"{row.place}: {text!r} is no form: expected one of "
            + ", ".join(f"'{face}.name'" for face in FACES)
        )
    face, name = head["face"], head["name"]
    groups, expression = _groups(head["rest"] or "", row)
    is_class = name[0].isupper()
    if len(groups) > (2 if is_class else 1):
        raise RowError(f"{row.place}: too many argument lists in {text!r}")
    if face == "Tensor":
        return _method(name, groups, expression, row)
    if not groups and not is_class and expression is None and name[-1] != "_":
        return Form(row, face, name, True, None, False, row.parameters, f"ops.{row.name}", None)
    made = _signature(groups[0], row) if len(groups) == 2 else ()
    takes = _signature(groups[-1], row) if groups else row.parameters
    if expression is None:
        by_row = _matched(row, takes, made)
        expression = call(row, by_row)
        if name[-1] == "_":
            expression = f"h.into({takes[0].name}, {expression})"
    else:
        by_row = _read(expression, row, (*takes, *made))
    takes, made = (_annotated(part, expression, row) for part in (takes, made))
    makes = made if is_class else None
    return Form(row, face, name, False, makes, len(groups) < 2, takes, expression, by_row)


def _method(name: str, groups: list[str], expression: str | None, row: Row) -> Form:
    """A method of Tensor: the operation's first argument is `self`."""
    if not row.parameters or row.parameters[0].kind != "positional":
        raise RowError(f"{row.place}: '{row.name}' has no first argument to be 'self'")
    first, *others = row.parameters
    me = Parameter("self", "positional")
    takes = _signature(groups[0], row) if groups else tuple(others)
    if expression is None:
        rest = dataclasses.replace(row, parameters=tuple(others))
        by_row = {first.name: "self", **_matched(rest, takes, ())}
        expression = call(row, by_row)
        if name[-1] == "_":
            expression = f'self._replace({expression}, "{name}")'
    else:
        by_row = _read(expression, row, (me, *takes))
    takes = (me, *_annotated(takes, expression, row))
    return Form(row, "Tensor", name, False, None, False, takes, expression, by_row)


def _annotated(
    parameters: tuple[Parameter, ...], expression: str, row: Row
) -> tuple[Parameter, ...]:
    """Parameters without annotation have that of what they are handed on as, unchanged."""
    handed = {
        place: value.id for place, value in _given(expression, row) if isinstance(value, ast.Name)
    }
    own = {p.name: p.annotation for p in row.parameters}
    types = {mine: own.get(theirs) for theirs, mine in handed.items()}
    found = []
    for p in parameters:
        annotation = p.annotation or types.get(p.name) or "Any"
        if p.default == "None" and annotation != "Any" and "None" not in annotation:
            annotation += " | None"
        found.append(dataclasses.replace(p, annotation=annotation))
    return tuple(found)


def _given(expression: str, row: Row) -> list[tuple[str, ast.expr]]:
    """What an expression with one call of the operation gives to it, by the parameters' names."""
    try:
        tree = ast.parse(expression, mode="eval")
    except SyntaxError as e:
        raise RowError(f"{row.place}: {expression!r} is no expression: {e.msg}") from None
    wanted = f"ops.{row.name}"
    calls = [n for n in ast.walk(tree) if isinstance(n, ast.Call) and ast.unparse(n.func) == wanted]
    if len(calls) != 1:
        return []
    places = [p.name for p in row.parameters if p.kind == "positional"]
    given = list(zip(places, calls[0].args, strict=False))
    return given + [(k.arg, k.value) for k in calls[0].keywords if k.arg]


def _read(expression: str, row: Row, parameters: tuple[Parameter, ...]) -> dict[str, str]:
    """Which parameters of the form an expression hands on as which of the operation.

    Of several that an argument is made of, that is the one without a default, or the first.
    """
    optional = {p.name for p in parameters if p.default is not None}
    known = {p.name for p in parameters}
    found = {}
    for place, value in _given(expression, row):
        names = [n.id for n in ast.walk(value) if isinstance(n, ast.Name) and n.id in known]
        needed = [n for n in names if n not in optional] or names
        if needed:
            found[place] = needed[0]
    return found
