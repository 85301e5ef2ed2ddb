"""The compiled part of the package: graph builder, compiler, loader."""

from typing import Any

import numpy as np

class GraphError(ValueError): ...

class CompileError(RuntimeError):
    diagnostics: list[dict[str, Any]]
    failure: dict[str, str] | None

class ModelError(RuntimeError): ...
class DeviceError(RuntimeError): ...

class Loc:
    file: str
    line: int
    column: int
    name: str
    def __init__(self, file: str, line: int, column: int = 0, name: str = "") -> None: ...

class Value:
    @property
    def dtype(self) -> str: ...
    @property
    def shape(self) -> tuple[int, ...]: ...

class FunctionBuilder:
    @property
    def name(self) -> str: ...
    @property
    def args(self) -> list[Value]: ...
    def add_argument(
        self,
        dtype: str,
        shape: tuple[int, ...],
        name: str = "",
        role: str = "",
        loc: Loc | None = None,
        donate: int | None = None,
    ) -> Value: ...
    def create(
        self,
        op: str,
        operands: list[Value],
        attributes: dict[str, Any] | None = None,
        loc: Loc | None = None,
        result: tuple[str, tuple[int, ...]] | None = None,
    ) -> Any: ...
    def constant(
        self, data: bytes, dtype: str, shape: tuple[int, ...], loc: Loc | None = None
    ) -> Value: ...
    def vjp(
        self,
        callee: str,
        args: list[Value],
        cotangents: list[Value],
        *,
        of: list[int],
        wrt: list[int],
        loc: Loc | None = None,
    ) -> list[Value]: ...
    def jvp(
        self,
        callee: str,
        args: list[Value],
        tangents: list[Value],
        *,
        of: list[int],
        wrt: list[int],
        loc: Loc | None = None,
    ) -> list[Value]: ...
    def vmap(
        self,
        callee: str,
        args: list[Value],
        *,
        in_dims: list[int],
        out_dims: list[int],
        loc: Loc | None = None,
    ) -> list[Value]: ...
    def call(self, callee: str, args: list[Value], loc: Loc | None = None) -> list[Value]: ...
    def if_(
        self,
        condition: Value,
        then_callee: str,
        then_args: list[Value],
        else_callee: str,
        else_args: list[Value],
        loc: Loc | None = None,
    ) -> list[Value]: ...
    def while_(
        self,
        test: str,
        test_captures: list[Value],
        body: str,
        body_captures: list[Value],
        initial: list[Value],
        loc: Loc | None = None,
    ) -> list[Value]: ...
    def custom(
        self,
        callee: str,
        args: list[Value],
        captures: list[Value],
        rule: str,
        *,
        forward: bool,
        rule_captures: list[Value],
        loc: Loc | None = None,
    ) -> list[Value]: ...
    def recompute(self, callee: str, args: list[Value], loc: Loc | None = None) -> list[Value]: ...
    def replace(self, before: Value, after: Value) -> bool: ...
    def discard(self) -> None: ...
    def ret(
        self,
        results: list[Value],
        names: list[str] = ...,
        loc: Loc | None = None,
        skipped: int | None = None,
    ) -> None: ...

class Graph:
    def __init__(self, name: str = "graph") -> None: ...
    @staticmethod
    def parse(text: str | bytes) -> Graph: ...
    def function(
        self, name: str, args: list[tuple[Any, ...]], public: bool = False
    ) -> FunctionBuilder: ...
    def include(self, bytecode: bytes) -> list[tuple[str, str]]: ...
    def text(self, locations: bool = False) -> str: ...
    def bytecode(self, version: int) -> bytes: ...
    def verify(self) -> None: ...

class TensorBuffer:
    def __init__(self, dtype: str, shape: tuple[int, ...]) -> None: ...
    @staticmethod
    def from_object(
        object: Any, *, copy: bool | None = None, dtype: str | None = None, dlpack: bool = False
    ) -> TensorBuffer: ...
    @property
    def dtype(self) -> str: ...
    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def readonly(self) -> bool: ...
    @property
    def address(self) -> int: ...
    def view(self) -> np.ndarray[Any, Any]: ...
    def copy(self) -> TensorBuffer: ...
    def __dlpack__(self, **kwargs: Any) -> Any: ...
    def __dlpack_device__(self) -> tuple[int, int]: ...

class Entry:
    @property
    def name(self) -> str: ...
    @property
    def arena_bytes(self) -> int: ...
    def __call__(
        self, buffers: list[TensorBuffer], out: list[TensorBuffer] | None = None
    ) -> list[TensorBuffer]: ...

class Model:
    def __init__(self, path: str, device: int | None = ...) -> None: ...
    @property
    def signature(self) -> dict[str, Any]: ...
    @property
    def entries(self) -> list[str]: ...
    def entry(self, name: str) -> Entry: ...

class Timings:
    @property
    def stages(self) -> list[tuple[str, float, float, int]]: ...

def compile_graph(graph: Graph, path: str, name: str, options: dict[str, Any] = ...) -> Timings: ...
def compile_text(text: str, path: str, name: str, options: dict[str, Any] = ...) -> Timings: ...

ABSENT: object

def first_changed(guards: list[tuple[Any, Any, Any]], start: int = 0) -> int: ...
def set_print_hook(hook: Any) -> None: ...
def print_hook() -> Any: ...
def set_call_limits(trips: int, stash_bytes: int) -> None: ...
def open_device(ordinal: int) -> tuple[str, str, str | None]: ...
def gpu_chips() -> list[str]: ...
def device_transfers() -> tuple[int, int, int, int]: ...
def set_num_threads(count: int) -> None: ...
def num_threads() -> int: ...

MOST_THREADS: int

def cancel_calls() -> None: ...
def interpret(
    graph: Graph,
    entry: str,
    args: list[TensorBuffer],
    rounding: float = ...,
    skip_padding: bool = ...,
) -> list[TensorBuffer]: ...
