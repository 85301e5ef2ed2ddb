"""From a function object to its syntax tree, also for lambdas that share a line."""

from __future__ import annotations

import ast
import contextlib
import linecache
import os
import stat
import sys
import sysconfig
import time
import types
from typing import Any

from cellgrad.core import errors as _errors

_LIBRARIES = tuple(
    {
        p + "/"
        for k, p in sysconfig.get_paths().items()
        if k in ("stdlib", "platstdlib", "purelib", "platlib")
    }
)
_NOT_PLAIN = 0x80 | 0x100 | 0x200  # coroutine, iterable coroutine, async generator

_STARTED = time.time()

_Def = ast.FunctionDef | ast.Lambda
_files: dict[str, tuple[Any, dict[int, list[_Def]]]] = {}
_programs: dict[str, list[str]] = {}  # lines of programs that have no file


def is_user_code(code: types.CodeType) -> bool:
    """Whether a function is the user's, and evaluated; coroutines are not."""
    if code.co_flags & _NOT_PLAIN:
        return False
    return not code.co_filename.startswith((*_errors.PACKAGES, *_LIBRARIES, "<frozen"))


def find(function: types.FunctionType) -> _Def | None:
    """The definition of a function, or None where its source is not to be had.

    Raises:
        RuntimeError: the file was changed after the function was loaded from it.
    """
    code = function.__code__
    lines = linecache.getlines(code.co_filename, function.__globals__) or _program(code)
    rewritten = any(
        name.startswith("@py") for name in (*code.co_names, *code.co_varnames)
    )  # by pytest
    if not rewritten and _may_have_changed(code.co_filename) and not _has(lines, code):
        linecache.checkcache(code.co_filename)  # what was read before a reload
        lines = linecache.getlines(code.co_filename, function.__globals__)
        if not _has(lines, code):
            raise _errors.error(
                RuntimeError,
                f"The source of '{code.co_name}' ({code.co_filename}:{code.co_firstlineno}) was "
                "changed after it was loaded, and compiled code is made from the source.",
                "start the program again, or reload the module",
            )
    if not lines:
        return None
    cached = _files.get(code.co_filename)
    if cached is None or cached[0] is not lines:
        try:
            index = _index(ast.parse("".join(lines)))
        except (SyntaxError, ValueError):
            index = {}
        cached = _files[code.co_filename] = (lines, index)
    matches = [d for d in cached[1].get(code.co_firstlineno, ()) if _matches(d, code)]
    if len(matches) > 1:
        matches = [d for d in matches if isinstance(d, ast.Lambda) and _covers(d, code)]
    return matches[0] if len(matches) == 1 else None


def _program(code: types.CodeType) -> list[str]:
    """The text of a program that Python was given on its command line or as a redirected file, if a code
    object is of it.
    """
    text = ""
    if code.co_filename == "<string>" and "-c" in sys.orig_argv[1:-1]:
        text = sys.orig_argv[sys.orig_argv.index("-c") + 1]
    elif code.co_filename == "<stdin>":
        with contextlib.suppress(OSError):
            if stat.S_ISREG(os.fstat(0).st_mode):
                text = os.pread(0, os.fstat(0).st_size, 0).decode(errors="replace")
    lines = text.splitlines(keepends=True)
    if not lines or not _has(lines, code):
        return []
    known = _programs.setdefault(code.co_filename, lines)
    return known if known == lines else lines


def without_source(function: types.FunctionType) -> str:
    """What to do about a function of the user's that is called as it is, as its source is not to be had;
    empty for others.
    """
    code = function.__code__
    if not is_user_code(code) or find(function) is not None:
        return ""
    return (
        f"  hint: '{code.co_name}' ({code.co_filename}:{code.co_firstlineno}) was called as it is, as its source is "
        f"not to be had: {_looked_for(code)}. Save it in a file and import that; or, after exec(compile(text, name, 'exec')), register "
        "the text: linecache.cache[name] = (len(text), None, text.splitlines(True), name)"
    )


def _looked_for(code: types.CodeType) -> str:
    """Where the source of a function was looked for, and what is there."""
    name = code.co_filename
    if linecache.getlines(name):
        return (
            f"line {code.co_firstlineno} of {name} was read, and no function, or more than one, of its name and "
            "parameters begins there"
        )
    if name.startswith("<"):
        return f"linecache has no lines under {name!r}, as the function was made by exec or typed at a prompt"
    return f"there is no file {os.path.abspath(name)} to read, and linecache has no lines under its name"


def _may_have_changed(filename: str) -> bool:
    """Whether a file is newer than this process, so that what was loaded may be an older one."""
    try:
        return os.stat(filename).st_mtime > _STARTED
    except OSError:
        return False


def _has(lines: list[str], code: types.CodeType) -> bool:
    """Whether a source text is that of a code object."""
    try:
        open_ = [compile("".join(lines), code.co_filename, "exec", dont_inherit=True)]
    except (SyntaxError, ValueError):
        return False
    while open_:
        found = open_.pop()
        if found == code:
            return True
        open_ += [c for c in found.co_consts if isinstance(c, types.CodeType)]
    return False


def _index(tree: ast.Module) -> dict[int, list[_Def]]:
    index: dict[int, list[_Def]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            line = min([node.lineno, *(d.lineno for d in node.decorator_list)])
            index.setdefault(line, []).append(node)
        elif isinstance(node, ast.Lambda):
            index.setdefault(node.lineno, []).append(node)
    return index


def _names(args: ast.arguments) -> tuple[str, ...]:
    listed = [a.arg for a in (*args.posonlyargs, *args.args, *args.kwonlyargs)]
    listed += [a.arg for a in (args.vararg, args.kwarg) if a is not None]
    return tuple(listed)


def _matches(node: _Def, code: types.CodeType) -> bool:
    name = node.name if isinstance(node, ast.FunctionDef) else "<lambda>"
    if name != code.co_name:
        return False
    names = _names(node.args)
    return code.co_varnames[: len(names)] == names


def _covers(node: ast.Lambda, code: types.CodeType) -> bool:
    """Whether the instructions of a code object lie exactly in the body of this lambda."""
    places = {(p[0], p[2]) for p in code.co_positions() if p[0] is not None and p[2] is not None}
    return (node.body.lineno, node.body.col_offset) in places and all(
        (line, column) >= (node.body.lineno, node.body.col_offset)
        and (line, column) < (node.end_lineno, node.end_col_offset)
        for line, column in places
        if (line, column) != (code.co_firstlineno, 0)
    )
