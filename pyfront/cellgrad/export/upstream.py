"""The builders that mlir-tblgen generates from the op records, bound to one package's bindings.

The generated module imports what it needs from ``._ods_common`` of the package that it lies in, and
the dialect is not registered there: what stands in for that module gives an ``OpView`` that asks
this package's own dialect for the types of results.
"""

from __future__ import annotations
import __future__

import importlib
import os
import re
import sys
import types
from typing import Any

from cellgrad import _native
from cellgrad.core import dtype as mstype
from cellgrad.core import errors
from cellgrad.core.errors import error

_ELEMENTS = {
    "i1": "bool",
    "i8": "int8",
    "i16": "int16",
    "i32": "int32",
    "i64": "int64",
    "ui8": "uint8",
    "ui16": "uint16",
    "ui32": "uint32",
    "ui64": "uint64",
    "f16": "float16",
    "bf16": "bfloat16",
    "f32": "float32",
    "f64": "float64",
}
_NATIVE = {native: element for element, native in _ELEMENTS.items()}
_TENSOR = re.compile(r"tensor<((?:\d+x)*)(\w+)>")
_NAME = "_cell_ops_gen"
_bound: dict[str, types.ModuleType] = {}


def bind(ir: Any) -> types.ModuleType:
    """The builders for `ir`, made at the first call."""
    package = ir.__name__.rpartition(".")[0]
    found = _bound.get(package)
    if found is None:
        found = _bound[package] = _load(ir, package)
    return found


def _load(ir: Any, package: str) -> types.ModuleType:
    try:
        common = importlib.import_module(package + ".dialects._ods_common")
    except ImportError as e:
        raise error(
            ImportError,
            f"The package '{package}' has no 'dialects._ods_common', which op builders need: {e}.",
            "build ops with ir.Operation.create, or give the 'ir' module of another package",
        ) from None
    path = _generated()
    home = f"{__name__}.{package.replace('.', '_')}"
    stand_in: Any = types.ModuleType(home + "._ods_common")
    stand_in.__dict__.update({k: v for k, v in vars(common).items() if not k.startswith("__")})
    stand_in._cext = _Extension(common._cext, ir)
    module = types.ModuleType(
        f"{home}.{_NAME}", "Builders of cell ops, in the style of MLIR's own."
    )
    module.__package__ = home
    module.__file__ = path
    for name, value in ((home, types.ModuleType(home)), (stand_in.__name__, stand_in)):
        sys.modules[name] = value
    with open(path, encoding="utf-8") as file:
        # Annotations stay text: they name classes that older bindings do not have.
        flags = __future__.annotations.compiler_flag
        code = compile(file.read(), path, "exec", flags=flags, dont_inherit=True)
    exec(code, module.__dict__)
    return module


def _generated() -> str:
    for folder in errors.PACKAGES:
        path = os.path.join(folder, "interop", "upstream", _NAME + ".py")
        if os.path.exists(path):
            return path
    raise error(
        ImportError,
        "The generated op builders are not in this installation of cellgrad.",
        "build the project, or install the package again",
    )


class _Extension:
    """The bindings' extension module as the generated code sees it."""

    def __init__(self, extension: Any, ir: Any):
        self.ir = types.SimpleNamespace(**{n: getattr(ir, n) for n in dir(ir) if n[0] != "_"})
        self.ir.OpView = _op_view(ir)
        self.register_dialect = extension.register_dialect
        self.register_operation = extension.register_operation
        # Newer bindings leave frames of generated code out of locations.
        exclude = getattr(extension.globals, "register_traceback_file_exclusion", lambda path: None)
        self.globals = types.SimpleNamespace(register_traceback_file_exclusion=exclude)


def _op_view(ir: Any) -> Any:
    """The base class of generated ops. It takes what mlir-tblgen 22 writes, for any bindings."""

    class OpView(ir.OpView):  # type: ignore[misc]
        _ODS_OPERAND_SEGMENTS = None
        _ODS_RESULT_SEGMENTS = None

        def __init__(
            self,
            name: str,
            _regions: Any,
            operand_segments: Any,
            _result_segments: Any,
            *,
            attributes: dict[str, Any],
            results: Any,
            operands: list[Any],
            successors: Any = None,
            loc: Any = None,
            ip: Any = None,
            **_: Any,
        ):
            groups = [[o] if isinstance(o, ir.Value) else list(o or ()) for o in operands]
            values = [value for group in groups for value in group]
            if operand_segments is not None:
                attributes["operandSegmentSizes"] = ir.Attribute.parse(
                    f"array<i32: {', '.join(str(len(g)) for g in groups)}>"
                )
            if results is None:
                results = result_types(ir, name, values, attributes)
            flat: list[Any] = []
            for r in results:
                flat.extend([r] if isinstance(r, ir.Type) else list(r or ()))
            super().__init__(
                ir.Operation.create(
                    name, results=flat, operands=values, attributes=attributes, loc=loc, ip=ip
                )
            )

    return OpView


def result_types(ir: Any, name: str, operands: list[Any], attributes: dict[str, Any]) -> list[Any]:
    """The types of an op's results, from those of its operands: this package's dialect says.

    Raises:
        ValueError: the op does not take such operands or attributes.
    """
    if name == "cell.constant":
        return [attributes["value"].type]
    function = _native.Graph().function("f", [(*_spec(o), "", "", None, None) for o in operands])
    given = {key: _python(str(value)) for key, value in attributes.items()}
    try:
        out = function.create(name, function.args, given)
    except ValueError as e:
        raise error(ValueError, str(e)) from None
    values = out if isinstance(out, list) else [out]
    shapes = ["x".join([*map(str, v.shape), _NATIVE[v.dtype]]) for v in values]
    return [ir.Type.parse(f"tensor<{shape}>") for shape in shapes]


def _spec(value: Any) -> tuple[str, tuple[int, ...]]:
    found = _TENSOR.fullmatch(str(value.type))
    if not found or found[2] not in _ELEMENTS:
        kinds = ", ".join(t.title for t in mstype.TENSOR_TYPES)
        raise error(
            TypeError,
            f"An operand of a cell op must be a tensor of known shape, but is of type {value.type}.",
            f"element types are those of {kinds}",
        )
    return _ELEMENTS[found[2]], tuple(int(n) for n in found[1].split("x")[:-1])


def _python(text: str) -> Any:
    """The value that the text of an attribute says: as text, since no pointer may be passed."""
    if text.startswith("array<"):
        return [int(n) for n in re.findall(r"-?\d+", text.partition(":")[2])]
    if text in ("true", "false"):
        return text == "true"
    if text.startswith(('"', "@")):
        return text.lstrip("@").strip('"')
    number, _, kind = text.partition(" : ")
    return float(number) if kind.startswith("f") else int(number)
