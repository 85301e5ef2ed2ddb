"""`show`: a page with what the compiler makes of a program at every stage."""

from __future__ import annotations

import html
import json
import linecache
import os
from typing import Any

from cellgrad.capture import calls
from cellgrad.compile import memory as _memory
from cellgrad.compile.program import Program, function_name
from cellgrad.core.aliases import Function
from cellgrad.core.arguments import check_bool, check_callable
from cellgrad.core.files import replacing
from cellgrad.profiler.profile import profile
from cellgrad.transforms.grad import value_and_grad

__all__ = ["Page", "show"]

_HEIGHT = 720  # of a page in a notebook


class Page:
    """A page of HTML without references to other files; notebooks show it."""

    def __init__(self, name: str, html: str):
        self.name = name
        self.html = html

    def save(self, file_name: str | os.PathLike[str]) -> None:
        """Writes the page to a file, whole or not at all.

        Raises:
            OSError: the file cannot be written.
        """
        with replacing(os.fspath(file_name)) as file:
            file.write(self.html.encode())

    def _repr_html_(self) -> str:
        """The page in a frame of its own."""
        inner = html.escape(self.html, quote=True)
        return f'<iframe srcdoc="{inner}" style="width:100%;height:{_HEIGHT}px;border:0"></iframe>'

    def __repr__(self) -> str:
        return f"<page of '{self.name}': {len(self.html)} bytes, save(file_name) writes it>"


def show(
    fn: Function[..., object],
    *inputs: object,
    grad: bool = False,
    timed: bool = False,
    **kwargs: object,
) -> Page:
    """A page that shows what the compiler makes of a call: the IR of every stage beside the Python source, forward
    beside its derivative, the graph, kernels with their bytes and operations, and temporaries in memory over the
    call. What comes from one line of the source is marked together.

    Args:
        fn: a Cell, a function, or what `cellgrad.grad` and `cellgrad.value_and_grad` return.
        inputs: what it would be called with: Tensors for their dtypes and shapes.
        grad: True for the value and the gradient by the trainable Parameters of a Cell, or by the first input of what
            has none.
        timed: True to call it, too, three times in a profile, for the time that each kernel takes.
        kwargs: further arguments of the call.

    Returns:
        a page: a notebook shows it, ``save("page.html")`` writes it.

    Raises:
        TypeError: `fn` is not callable, or `grad` or `timed` is not a bool.
        RuntimeError: code is made for a GPU.
        CompileError: the compiler refused the program.

    >>> page = ms.show(lambda x: ops.tanh(x).sum(), Tensor([1.0, 2.0]), grad=True)
    >>> "A program through all stages" in page.html
    True
    """
    check_callable(fn, "show", "fn", "a Cell or a function")
    check_bool(grad, "show", "grad")
    check_bool(timed, "show", "timed")
    function: Any = fn
    if grad:
        trainable: list[Any] = getattr(fn, "trainable_params", list)()
        function = value_and_grad(fn, None, trainable) if trainable else value_and_grad(fn, 0)
    name = function_name(function)
    program = Program(lambda *a, **k: calls.call(function, a, k), name)
    text, _ = _memory.told(program, "page", inputs, kwargs)
    text = _with_cells(text)
    if timed:
        with profile() as measured:
            for _ in range(3):
                program(inputs, kwargs)
        kernels = [vars(k) for k in measured.kernels]
        text = text.replace('"times":null', f'"times":{_inside(kernels)}', 1)
    return Page(name, text)


def _with_cells(text: str) -> str:
    """The page with the sources that Python alone knows, as those of a notebook's cells."""
    begin = text.index('"sources":') + len('"sources":')
    sources, end = json.JSONDecoder().raw_decode(text, begin)
    for file, source in sources.items():
        sources[file] = source or "".join(linecache.getlines(file))
    return text[:begin] + _inside(sources) + text[end:]


def _inside(data: object) -> str:
    """Data as JSON that a script of a page may have in it."""
    return json.dumps(data).replace("<", "\\u003c")
