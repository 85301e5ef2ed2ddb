"""Exchange with packages that carry MLIR's own Python bindings, by bytecode or text.

Any of them will do: jaxlib, iree-base-compiler, torch-mlir, circt and others have a module ``ir``, each
with a copy of MLIR of its own. Nothing but bytes passes between that copy and ours. There the
``cell`` dialect is unregistered; here, every module that arrives is verified.
"""

from __future__ import annotations

import contextlib
import io
import os
import types
from typing import Any

from cellgrad import _native
from cellgrad.capture import calls
from cellgrad.compile import program as _jit
from cellgrad.compile.failures import compile_error, reproducers
from cellgrad.compile.scratch import fresh_path
from cellgrad.core import context, state
from cellgrad.core.arguments import check_instance
from cellgrad.core.errors import error
from cellgrad.core.parameter import Parameter
from cellgrad.core.progress import waiting
from cellgrad.core.scope import Trace
from cellgrad.core.tensor import Tensor
from cellgrad.core.tracer import Tracer
from cellgrad.export import upstream as _upstream
from cellgrad.export.export import LoadedEntry
from cellgrad.export.names import input_names, result_names, with_tensors

__all__ = ["Function", "bytecode", "dialect", "from_mlir", "text", "to_mlir"]

_VERSION = 1  # of bytecode: what all readers and writers since MLIR 17 know
_NEEDS = ("Context", "Module", "Operation", "OpView", "Location")


def dialect(ir: Any) -> types.ModuleType:
    """Builders of ``cell`` ops for a package's bindings: ``cell.tanh(x)``, or ``cell.TanhOp(x)``.

    They are in the style of MLIR's own (keywords ``results``, ``loc`` and ``ip``; operands and
    attributes as properties of the op), and generated from the records of the dialect. Types of
    results that an op can infer need not be given. Ops of modules that are read later are of these
    classes, too.

    Args:
        ir: the package's module ``ir``, such as ``iree.compiler.ir`` or ``jaxlib.mlir.ir``.

    Raises:
        TypeError: `ir` is not such a module.
        ImportError: the package lacks what generated builders need.
    """
    return _upstream.bind(_checked(ir, "dialect"))


def to_mlir(function: Any, *inputs: Any, ir: Any, context: Any = None) -> Any:
    """The program that a Cell or function is for these inputs, as a module of another package.

    It is what `export` would compile, before any pass: derivatives are ops like ``cell.vjp``.
    Locations are those of the Python code.

    Args:
        function: a Cell or function.
        inputs: example inputs: Tensors for their dtypes and shapes, other values as constants.
        ir: the package's module ``ir``.
        context: an ``ir.Context`` to put it into; a new one otherwise. It will allow unregistered
            dialects.

    Returns:
        An ``ir.Module``, with one public function; Parameters are its last arguments.

    Raises:
        TypeError: `ir` is not such a module; or what `export` refuses.
    """
    ir = _checked(ir, "to_mlir")
    context = ir.Context() if context is None else context
    context.allow_unregistered_dialects = True
    return ir.Module.parse(bytecode(function, *inputs), context)


def bytecode(function: Any, *inputs: Any, version: int = _VERSION) -> bytes:
    """The program of a Cell or function as MLIR bytecode, for any reader since `version`.

    Raises:
        ValueError: this compiler does not write that version.

    >>> from cellgrad.interop import mlir
    >>> mlir.bytecode(ops.tanh, Tensor([1.0, 2.0]))[:4]
    b'ML\\xefR'
    """
    try:
        return _capture(function, inputs).bytecode(version)
    except _native.GraphError as e:
        raise error(
            ValueError, f"{e}.", f"write version {_VERSION}, which every reader knows"
        ) from None


def text(function: Any, *inputs: Any) -> str:
    """The program of a Cell or function as MLIR text.

    >>> from cellgrad.interop import mlir
    >>> print(mlir.text(ops.tanh, Tensor([1.0, 2.0])))
    module @tanh {
    ...cell.tanh %arg0 : tensor<2xf32>
    ...
    """
    return _capture(function, inputs).text()


def _capture(function: Any, inputs: tuple[Any, ...]) -> Any:
    if not callable(function):
        raise error(TypeError, f"Expected a Cell or a function, but got {type(function).__name__}.")
    inputs = with_tensors(inputs)
    trace = Trace(_jit.function_name(function))
    trace.bake = True
    names = [n for of_one in input_names(function, inputs) for n in of_one]
    try:
        _jit.capture(
            trace,
            trace.graph_name,
            lambda *args: calls.call(function, args, {}),
            inputs,
            {},
            names,
            result_names(function, inputs),
        )
    finally:
        trace.closed = True
    return trace.graph


class _Entry(LoadedEntry):
    """A public function of a module. In compiled code it is a call of that function."""

    def _in_compiled_code(self, inputs: list[Tensor]) -> Any:
        scope = state.current.scope
        assert scope is not None
        trace, function = scope.trace, self._model
        if any(None in spec["shape"] for spec in self._inputs):
            raise error(
                TypeError,
                f"{self.name}() is for any batch size, and cannot be part of other compiled code.",
                "call it outside of compiled code, or export for a fixed batch",
            )
        if id(function) not in trace.included:
            names = dict(trace.graph.include(function._bytecode))
            trace.included[id(function)] = (function, names)
        name = trace.included[id(function)][1][self.name]
        given = iter(inputs)
        operands = [scope.value(next(given) if p is None else p) for p in self._order]
        values = scope.fn.call(name, operands, state.location())
        for result, argument in self._donated:
            parameter = self._order[argument]
            if not isinstance(parameter, Parameter):
                raise error(
                    TypeError,
                    f"{self.name}() updates its parameter {argument}, but that is a Tensor: compiled "
                    "code updates Parameters only.",
                    "give a Parameter for it in 'parameters' of from_mlir",
                )
            scope.write(parameter, values[result])
        out = tuple([Tracer(values[i], scope) for i, *_ in self._results])
        return out[0] if len(out) == 1 else out


class Function:
    """The compiled public functions of a module, as methods; a call runs the only one. They compute on
    the device that the context has when they are made.

    Each is a function like others to `jit`, `grad`, `vmap`, `export` and the like.
    """

    title, source = "the module", "the argument 'parameters'"

    def __init__(self, graph: Any, parameters: dict[str, Tensor]):
        self.parameters = parameters
        self._bytecode = graph.bytecode(_VERSION)
        path = fresh_path()
        place = context.current[0]
        try:
            with waiting("compiling the module"):
                _native.compile_graph(
                    graph, path, "m", {"reproducers": reproducers(), **place.options()}
                )
            self._model = _native.Model(path, place.device_id)
        except _native.CompileError as e:
            raise compile_error("The module", e) from None
        finally:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(path)
        entries = self._model.signature["entries"]
        self.entries = {e["name"]: _Entry(self, e) for e in entries}
        if len(entries) == 1:
            only = self.entries[entries[0]["name"]]
            self.__name__, self.__signature__ = only.__name__, only.__signature__

    def __getattr__(self, name: str) -> LoadedEntry:
        found = self.__dict__.get("entries", {}).get(name)
        if found is None:
            listed = ", ".join(self.__dict__.get("entries", ()))
            raise AttributeError(f"the module has no public function '{name}', but {listed}")
        return found  # type: ignore[no-any-return]

    def __call__(self, *inputs: Any) -> Any:
        if len(self.entries) != 1:
            raise error(
                TypeError,
                f"The module has {len(self.entries)} public functions: {', '.join(self.entries)}.",
                "call one of them by its name, as a method",
            )
        return next(iter(self.entries.values()))(*inputs)


def from_mlir(module: Any, parameters: dict[str, Tensor] | None = None) -> Function:
    """Compiles a module of ``cell`` ops that came from elsewhere.

    Args:
        module: an ``ir.Module`` of any package; or bytecode; or text.
        parameters: Tensors for the arguments that are not inputs (``cell.role``), by their names.

    Returns:
        A `Function`: called with Tensors it gives a Tensor, or a tuple of them. It can be compiled
        into other functions, differentiated and mapped; its inputs have the module's shapes there.

    Raises:
        TypeError: `module` is something else.
        ValueError: the module has ops that are not of the dialects ``cell``, ``func``, ``scf`` and
            ``tensor``, or ill-formed ones; or bytecode of a version that cannot be read.
        CompileError: the compiler refused the program.

    >>> from cellgrad.interop import mlir
    >>> f = mlir.from_mlir('''
    ... func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
    ...   %y = cell.mul %x, %x : tensor<2xf32>
    ...   return %y : tensor<2xf32>
    ... }''')
    >>> print(f(Tensor([1.0, 3.0])))
    [1. 9.]
    """
    if hasattr(module, "operation"):
        file = io.BytesIO()
        module.operation.write_bytecode(file, desired_version=_VERSION)
        module = file.getvalue()
    check_instance(
        module, "from_mlir", "module", str | bytes, expected="an ir.Module, bytes or text"
    )
    try:
        graph = _native.Graph.parse(module)
    except _native.GraphError as e:
        hint = "it may hold ops of the dialects cell, func, scf and tensor"
        if "version" in str(e):
            hint = f"write the bytecode for an older reader: desired_version={_VERSION}"
        raise error(ValueError, f"The module cannot be read:\n{e}", hint) from None
    return Function(graph, parameters or {})


def _checked(ir: Any, name: str) -> Any:
    if not isinstance(ir, types.ModuleType) or any(not hasattr(ir, n) for n in _NEEDS):
        raise error(
            TypeError,
            f"For '{name}', 'ir' must be the module of that name of a package with MLIR's Python "
            f"bindings, but got {ir!r}.",
            "pip install 'cellgrad[mlir]', then: from iree.compiler import ir",
        )
    return ir
