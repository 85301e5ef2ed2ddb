"""Writes the modules of forms, and with ``--pages`` the reference instead.

    write_forms.py SOURCES GENERATED OUT [STUBS]
    write_forms.py --pages SOURCES GENERATED INDEX FOLDER

Args:
    SOURCES: the folder of the package, ``pyfront/cellgrad``.
    GENERATED: the module of elementwise operations that the op records make.
    OUT: where the modules go, ``build/python/cellgrad``.
    STUBS: where the stubs go that type checkers read: beside the sources.
    INDEX: the page with the table of all operations, ``docs/functions.md``.
    FOLDER: where the pages of the groups go.
"""

from __future__ import annotations

import dataclasses
import pathlib
import sys

import pages
from emit import Module, functions
from forms import FACES, Form, parse
from kinds import Kinds
from table import Row, RowError, read, with_more

# By face: the module of its forms, what its classes derive from, and its docstring.
MODULES = {
    "ops": ("ops/_forms.py", "Primitive", "The operations, their class forms and other names."),
    "Tensor": ("ops/methods/_forms.py", "", "Methods of Tensor that are forms of operations."),
    "nn": ("nn/_forms.py", "Cell", "Cells that are forms of operations."),
    "mint": ("mint/_forms.py", "", "Functions of ``mint`` that are forms of operations."),
    "mint.linalg": ("mint/_linalg_forms.py", "", "Functions of ``mint.linalg``."),
    "mint.special": ("mint/_special_forms.py", "", "Functions of ``mint.special``."),
    "mint.nn": ("mint/nn/_forms.py", "Cell", "Layers of ``mint.nn``."),
    "mint.nn.functional": (
        "mint/nn/_functional_forms.py",
        "",
        "Functions of ``mint.nn.functional``.",
    ),
    "numpy": ("numpy/_forms.py", "", "Functions of ``numpy`` that are forms of operations."),
    "numpy.fft": ("numpy/_fft_forms.py", "", "Functions of ``numpy.fft``."),
}
CALLED = "mint.nn.functional"  # the face whose forms those of another call
BASES = {
    "Primitive": "from cellgrad.ops._elementwise import Primitive",
    "Cell": "from cellgrad.nn.cell import Cell",
}


def rows_of(sources: pathlib.Path, generated: pathlib.Path) -> list[Row]:
    """All rows: those of the op records, then those of ``ops``, by file.

    A function written by hand takes the place of a record's of its name.
    """
    rows: list[Row] = []
    folders = [sources / "ops", sources / "ops" / "classes"]
    for path in sorted(p for folder in folders for p in folder.glob("*.py")):
        inside = path.relative_to(sources.parent)
        rows += read(path, ".".join(inside.with_suffix("").parts), str(inside))
    written = {row.name for row in rows}
    records = read(generated, "cellgrad.ops._generated", "the op records")
    for row in records:
        if row.name in written and row.forms:
            raise RowError(f"{row.name} is written by hand: give it the forms of its op record")
    rows = [row for row in records if row.name not in written] + rows
    return with_more(rows, sources / "numpy/_rows.py")


def forms_of(rows: list[Row], kinds: Kinds | None = None) -> dict[str, list[Form]]:
    """The forms by the name of their row.

    Raises:
        RowError: two things of one name.
    """
    places = {f"ops.{row.name}": row.place for row in rows}
    if len(places) < len(rows):
        names = [row.name for row in rows]
        twice = sorted({n for n in names if names.count(n) > 1})
        raise RowError(f"rows of one name: {', '.join(twice)}")
    found: dict[str, list[Form]] = {}
    for row in rows:
        found[row.name] = [parse(text, row) for text in row.forms]
        for form in found[row.name]:
            if form.shown in places:
                raise RowError(f"{row.place}: {form.shown} is there already: {places[form.shown]}")
            places[form.shown] = row.place
    return typed(found, kinds or Kinds(rows))


def typed(found: dict[str, list[Form]], kinds: Kinds) -> dict[str, list[Form]]:
    """The forms with a type for each parameter; first those that others call."""

    def one(form: Form) -> Form:
        if form.is_alias:
            return form
        takes = kinds.parameters(form.takes, form.expression)
        makes = None if form.makes is None else kinds.parameters(form.makes, form.expression)
        if form.face == CALLED:
            names = {p.name: p.annotation or "Any" for p in takes}
            kinds.note(form.name, takes, kinds.result(form.expression, names))
        return dataclasses.replace(form, takes=takes, makes=makes)

    for forms in found.values():
        forms[:] = [one(form) if form.face == CALLED else form for form in forms]
    return {
        name: [form if form.face == CALLED else one(form) for form in forms]
        for name, forms in found.items()
    }


def written(rows: list[Row], stub: bool) -> dict[str, str]:
    """The text of each module by its path in the package."""
    kinds = Kinds(rows)
    forms = forms_of(rows, kinds)
    out = {}
    for face in FACES:
        path, base, doc = MODULES[face]
        module = Module(doc, stub, rows, kinds)
        if base:
            module.imports.add(BASES[base])
        if face == "ops":
            module.imports |= set(functions(rows, stub))
            module.names += [row.name for row in rows]
        for row in rows:
            for form in forms[row.name]:
                if form.face == face:
                    module.add(form, forms[row.name], base)
        out[path] = module.text()
    return out


def put(path: pathlib.Path, text: str) -> None:
    """Writes a file if it has another text."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def write_modules(rows: list[Row], out: pathlib.Path, stubs: pathlib.Path | None) -> None:
    """The modules of forms, and the stubs."""
    for path, text in written(rows, stub=False).items():
        put(out / path, text)
    if stubs is not None:
        for path, text in written(rows, stub=True).items():
            put((stubs / path).with_suffix(".pyi"), text)
        put(stubs / "ops/_generated.pyi", (out / "ops/_generated.py").read_text())


def write_pages(rows: list[Row], index: pathlib.Path, folder: pathlib.Path) -> None:
    """The reference."""
    forms = forms_of(rows)
    put(index, pages.index(rows, forms))
    for name, group in pages.groups(rows).items():
        put(folder / f"{name.replace(' ', '-')}.md", pages.page(name, group, forms))


def main() -> None:
    wants_pages = sys.argv[1] == "--pages"
    given = [pathlib.Path(arg) for arg in sys.argv[1 + wants_pages :]]
    rows = rows_of(given[0], given[1])
    if wants_pages:
        write_pages(rows, given[2], given[3])
    else:
        write_modules(rows, given[2], given[3] if len(given) > 3 else None)


if __name__ == "__main__":
    try:
        main()
    except RowError as e:
        sys.exit(f"error: {e}")
