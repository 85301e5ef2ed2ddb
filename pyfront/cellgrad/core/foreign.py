"""Names of other libraries, and what stands for them here: hints of errors for unknown arguments and
functions.
"""

from __future__ import annotations

import ast
import difflib
import functools
import inspect
import re
import sys
import types
from collections.abc import Callable
from typing import Any, TypeVar

from cellgrad.core.errors import error
from cellgrad.core.guards import value_of

F = TypeVar("F", bound=Callable[..., Any])

# Arguments of numpy, JAX, PyTorch and Autograd, and their names here: the first that a function has.
_ARGUMENTS = {
    "argnums": ("grad_position",),
    "argnum": ("grad_position",),
    "axes": ("axis", "dim", "perm"),
    "axis": ("axis", "dim", "dims"),
    "bias": ("has_bias",),
    "dim": ("axis", "dims"),
    "dims": ("axis", "dim"),
    "eps": ("epsilon",),
    "epsilon": ("eps",),
    "in_dims": ("in_axes",),
    "keepdim": ("keepdims", "keep_dims"),
    "keepdims": ("keep_dims", "keepdim"),
    "keep_dims": ("keepdims", "keepdim"),
    "lr": ("learning_rate",),
    "out_dims": ("out_axes",),
    "repeats": ("multiples", "reps", "dims"),
    "return_aux": ("has_aux",),
}
_UNKNOWN = re.compile(r"(?:([\w.<>]+)\.)?(\w+)\(\) got an unexpected keyword argument '(\w+)'")

# Functions of these libraries that have another name or form here, by module.
_FUNCTIONS = {
    "cbrt": "ops.pow(x, 1 / 3) for x >= 0",
    "checkpoint": "ms.recompute",
    "cond": "a Python `if` in compiled code, or ops.where",
    "convolve": "ops.conv1d",
    "degrees": "ops.rad2deg",
    "expit": "ops.sigmoid",
    "fabs": "ops.abs",
    "fori_loop": "ops.ForiLoop()(lower, upper, body, init)",
    "gammaln": "ops.lgamma",
    "jacobian": "ms.jacrev, or ms.jacfwd",
    "lax": "Python's own loops and branches on tensors; ops.Scan, ops.WhileLoop, ops.ForiLoop",
    "linalg": "ops.solve, ops.inverse, ops.svd and others; mint.linalg; or import cellgrad.scipy.linalg",
    "map": "ms.vmap, or ops.Scan()",
    "mod": "ops.remainder",
    "no_grad": "nothing: calls record nothing; ops.stop_gradient(x) is a constant in derivatives",
    "percentile": "ops.quantile(x, q / 100)",
    "power": "ops.pow",
    "radians": "ops.deg2rad",
    "randn": "ops.randn(2, 3), or random.normal(random.key(0), (2, 3)) of cellgrad.random",
    "remat": "ms.recompute",
    "repeat": "ops.repeat_elements, or ops.tile",
    "rint": "ops.round",
    "scan": "ops.Scan()(f, init, xs)",
    "scipy": "import cellgrad.scipy",
    "swish": "ops.silu",
    "switch": "a Python `if` in compiled code, or ops.where",
    "take_along_axis": "ops.gather_elements(x, axis, indices)",
    "tree_map": "Python: {k: f(v) for k, v in tree.items()}",
    "value_and_jacrev": "ms.jacrev(f, has_aux=True)",
    "vdot": "ops.sum(x * y)",
    "view": "ops.reshape",
    "while_loop": "ops.WhileLoop()(cond, body, init)",
}


def argument_hint(function: Any, name: str) -> str:
    """What to write for a keyword that a function does not have, or nothing."""
    try:
        known = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return ""
    names = [n for n, p in known.items() if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
    for candidate in _ARGUMENTS.get(name, ()):
        if candidate in names:
            return f"write {candidate}=..., as MindSpore does"
    close = difflib.get_close_matches(name, names, 1)
    if close:
        return f"write {close[0]}=..."
    return f"it takes {', '.join(names)}" if names else "it takes no keywords"


def unknown_argument(e: TypeError, function: Any) -> TypeError:
    """The error for a call of a function of this package, with a hint if it is about a keyword."""
    found = _UNKNOWN.search(str(e))
    if found is None or found[2] != function.__name__ or getattr(e, "__cellgrad_located__", False):
        return e
    hint = argument_hint(function, found[3])
    return error(TypeError, str(e), hint) if hint else e


def hinting(function: F) -> F:
    """A function whose error for an unknown keyword says which one it has."""

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except TypeError as e:
            if e.__traceback__ is not None and e.__traceback__.tb_next is None:
                raise unknown_argument(e, function) from None
            raise

    return call  # type: ignore[return-value]


def known_as(name: str) -> str:
    """What stands here for a function of another library, or nothing."""
    return _FUNCTIONS.get(name, "")


def _is_own(called: ast.Attribute, frame: Any) -> bool:
    """Whether a function that is called as ``module.name`` is one of this package."""
    if not isinstance(called.value, ast.Name):
        return False
    name, own = called.value.id, frame
    while own.parent is not None and name not in own.locals:
        own = own.parent
    cell = own.closure.get(name)
    if name in own.locals:
        owner = own.locals[name]
    else:
        owner = own.globals.get(name) if cell is None else value_of(cell, None)
    return isinstance(owner, types.ModuleType) and owner.__name__.startswith("cellgrad")


def function_called(frame: Any) -> str:
    """The operation of the name of the function that a frame is calling, such as numpy's, if there is one."""
    node = getattr(frame, "node", None)
    module = sys.modules.get("cellgrad.ops")
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or module is None:
        return ""
    if _is_own(node.func, frame):
        return ""
    name = node.func.attr
    if name in module.__all__:
        return f"did you mean ops.{name}? keep the computation in ops"
    return f"did you mean {_FUNCTIONS[name]}?" if name in _FUNCTIONS else ""


def late_hint(e: BaseException) -> str:
    """The hint for an error that Python itself raised for a call of a function of this package."""
    found = _UNKNOWN.fullmatch(str(e)) if isinstance(e, TypeError) else None
    package = sys.modules.get("cellgrad")
    if found is None or package is None:
        return ""
    path, function, argument = found.groups()
    owner, _, last = (path or function).rpartition(".")
    for space in (package, package.nn, package.ops, package.mint, package.mint.nn, package.Tensor):
        value = getattr(space, last, None)
        if value is not None and not owner:
            return argument_hint(value, argument)
    return ""
