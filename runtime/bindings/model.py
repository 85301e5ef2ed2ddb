import ctypes
import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

_ABI = 2
_OK, _SKIPPED = 0, -1
_MAX_HEADER = 100 << 20
# numpy has no bfloat16: its bits are unsigned integers.
_NUMPY = {"bool": np.dtype(np.bool_), "bfloat16": np.dtype(np.uint16)}
_CODES = {
    "bool": "BOOL", "int8": "I8", "int16": "I16", "int32": "I32", "int64": "I64", "uint8": "U8",
    "uint16": "U16", "uint32": "U32", "uint64": "U64", "float16": "F16", "bfloat16": "BF16",
    "float32": "F32", "float64": "F64",
}  # fmt: skip


class ModelError(RuntimeError):
    """A model that cannot be used, or a call that failed; `status` is the CG_ERROR_ code, or None."""

    def __init__(self, words: str, status: int | None = None):
        super().__init__(words)
        self.status = status


_Allocate = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_uint64, ctypes.c_uint64, ctypes.c_void_p)
_Release = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_uint64, ctypes.c_void_p)


class _Context(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_uint32),
        ("flags", ctypes.c_uint32),
        ("until_parallel", ctypes.c_uint64 * 10),
        ("parallel", ctypes.c_void_p),
        ("until_memory", ctypes.c_uint64 * 5),
        ("allocate", _Allocate),
        ("release", _Release),
        ("after_memory", ctypes.c_uint64 * 4),
    ]


def _dtype(name: str) -> np.dtype[Any]:
    return _NUMPY.get(name) or np.dtype(name)


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"'{max(names, key=names.count)}' is in it twice")
    return found


def _read_weights(content: bytes, specs: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """The arrays called as in `specs` of a .safetensors file. Raises ValueError with the reason."""
    size = int.from_bytes(content[:8], "little")
    if len(content) < 8 or size > min(len(content) - 8, _MAX_HEADER):
        raise ValueError("it is truncated, or no .safetensors file")
    header = json.loads(content[8 : 8 + size], object_pairs_hook=_distinct)
    if not isinstance(header, dict):
        raise ValueError("its header is no JSON object")
    data, found = memoryview(content)[8 + size :], {}
    for name, spec in specs.items():
        dtype, shape = _dtype(spec["dtype"]), tuple(spec["shape"])
        entry = header.get(name)
        if not isinstance(entry, dict):
            raise ValueError(f"'{name}' is missing: is it the file of another model?")
        wanted = (_CODES[spec["dtype"]], list(shape))
        if (entry.get("dtype"), entry.get("shape")) != wanted:
            raise ValueError(
                f"'{name}' is {entry.get('dtype')}{entry.get('shape')}, but the model expects "
                f"{wanted[0]}{wanted[1]}"
            )
        offsets = entry.get("data_offsets")
        if (
            not isinstance(offsets, list)
            or len(offsets) != 2
            or not all(type(offset) is int for offset in offsets)
            or not 0 <= offsets[0] <= offsets[1] <= len(data)
            or offsets[1] - offsets[0] != dtype.itemsize * int(np.prod(shape, dtype=object))
        ):
            raise ValueError(f"'{name}' does not lie in the file: it is truncated or damaged")
        found[name] = np.frombuffer(data[offsets[0] : offsets[1]], dtype).reshape(shape).copy()
    return found


class Model:
    """A compiled model: its entries are methods that take and give numpy arrays. Parameters lie in the
    dict `parameters` by their names; training steps update the arrays in place.

    Args:
        weights: a .safetensors file; None for the weights inside the model, else for the file beside it.
        library: the shared object; None for the one beside this file.
        threads: how many threads to compute on; 0 for as many as there are processors.

    Raises:
        ModelError: the library or the weights cannot be used, for the reason that it gives.
    """

    _name, _library, _weights, _fingerprint = "", "", "", 0

    def __init__(
        self, weights: str | None = None, library: str | None = None, threads: int = 1
    ) -> None:
        self._pool = None
        path = Path(library) if library else Path(__file__).resolve().parent / self._library
        try:
            self._handle = ctypes.CDLL(str(path.resolve()))
            abi = self._function("abi_version", ctypes.c_uint32)()
            fingerprint = self._function("fingerprint", ctypes.c_uint64)()
        except (OSError, AttributeError) as e:
            raise ModelError(
                f"'{path}' cannot be loaded as the model '{self._name}': {e}"
            ) from None
        if abi != _ABI or fingerprint != self._fingerprint:
            raise ModelError(
                f"'{path}' has ABI {abi} and the fingerprint {fingerprint:016x}, but this file is for ABI "
                f"{_ABI} and {self._fingerprint:016x}: use the .py file written beside the model"
            )
        self._words = self._function("status_message", ctypes.c_char_p, ctypes.c_int32)
        self.signature: dict[str, Any] = json.loads(self._function("signature", ctypes.c_char_p)())
        self._entries: list[dict[str, Any]] = self.signature["entries"]
        self._calls = [
            self._bind(entry["symbol"], ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p)
            for entry in self._entries
        ]
        specs = {
            arg["name"]: arg
            for entry in self._entries
            for arg in entry["args"]
            if arg["role"] not in ("input", "batch")
        }
        self.parameters: dict[str, Any] = self._load_weights(weights, path, specs)
        self._context = _Context(struct_size=ctypes.sizeof(_Context))
        self._raised: list[BaseException] = []
        if threads != 1 and any(entry["parallel"] for entry in self._entries):
            self._pool = self._function("pool_new", ctypes.c_void_p, ctypes.c_int32)(threads)
            self._context.parallel = self._pool

    def __del__(self) -> None:
        if self._pool is not None:
            self._function("pool_free", None, ctypes.c_void_p)(self._pool)

    def set_memory(
        self, allocate: Callable[[int, int], int | None], release: Callable[[int, int], None]
    ) -> None:
        """Calls take and give back the memory that they need by these functions.

        Args:
            allocate: takes a number of bytes and their alignment; gives an address, or None or 0 for none.
            release: takes such an address and that number of bytes.

        What one of them raises is raised by the call of the entry, when it has ended.
        """

        def take(size: int, alignment: int, _user: Any) -> int | None:
            try:
                return allocate(size, alignment)
            except BaseException as e:
                self._raised.append(e)
                return None

        def give(memory: int, size: int, _user: Any) -> None:
            try:
                release(memory, size)
            except BaseException as e:
                self._raised.append(e)

        self._context.allocate, self._context.release = _Allocate(take), _Release(give)

    def _bind(self, symbol: str, result: Any, *args: Any) -> Any:
        function = self._handle[symbol]
        function.restype, function.argtypes = result, args
        return function

    def _function(self, name: str, result: Any, *args: Any) -> Any:
        return self._bind(f"cg_{self._name}_{name}", result, *args)

    def _load_weights(
        self, weights: str | None, library: Path, specs: Mapping[str, Mapping[str, Any]]
    ) -> dict[str, Any]:
        content, source = None, ""
        if weights is None and self.signature.get("weights_bytes"):
            size = ctypes.c_uint64()
            embedded = self._function("weights", ctypes.c_void_p, ctypes.POINTER(ctypes.c_uint64))
            content = ctypes.string_at(embedded(ctypes.byref(size)), size.value)
            source = "the weights inside the model"
        elif specs:
            place = Path(weights) if weights is not None else library.parent / self._weights
            source = f"'{os.fspath(place)}'"
            try:
                content = place.read_bytes()
            except OSError as e:
                raise ModelError(f"The weights cannot be read from {source}: {e}") from None
        if content is None:
            return {}
        try:
            return _read_weights(content, specs)
        except (ValueError, RecursionError) as e:
            raise ModelError(f"{source} cannot be used: {e}") from None

    def _array(self, spec: Mapping[str, Any], value: Any, entry: str, batch: int | None) -> Any:
        array, dtype = np.asarray(value), _dtype(spec["dtype"])
        wanted = [batch if extent is None else extent for extent in spec["shape"]]
        if array.dtype != dtype or list(array.shape) != wanted:
            raise ModelError(
                f"{entry}() takes '{spec['name']}' as {dtype.name}{wanted}, but got "
                f"{array.dtype.name}{list(array.shape)}"
            )
        return array

    def _call(self, index: int, inputs: tuple[Any, ...]) -> Any:
        entry = self._entries[index]
        name = entry["name"]
        given, held, pointers = iter(inputs), [], []
        batch: int | None = None
        for spec, value in zip((a for a in entry["args"] if a["role"] == "input"), inputs):
            if spec["shape"][:1] == [None] and batch is None:
                batch = (np.shape(value) or (0,))[0]
        for spec in entry["args"]:
            if spec["role"] == "batch":
                pointers.append(batch)
                continue
            if spec["role"] == "input":
                array = np.require(self._array(spec, next(given), name, batch), None, ["C", "A"])
                if "donate" in spec:
                    array = array.copy()
            else:
                array = self._array(spec, self.parameters[spec["name"]], name, batch)
                if not array.flags.c_contiguous or not array.flags.writeable:
                    raise ModelError(
                        f"The array of '{spec['name']}' must be contiguous and writable"
                    )
            held.append((spec, array))
            pointers.append(array.ctypes.data)
        results = []
        for spec in entry["results"]:
            if "donated_arg" in spec:
                source = entry["args"][spec["donated_arg"]]
                if source["role"] == "input":
                    results.append(next(array for arg, array in held if arg is source))
                continue
            shape = [batch if extent is None else extent for extent in spec["shape"]]
            results.append(np.empty(shape, _dtype(spec["dtype"])))
            pointers.append(results[-1].ctypes.data)
        arguments = (ctypes.c_void_p * max(len(pointers), 1))(*pointers)
        status = self._calls[index](arguments, ctypes.byref(self._context))
        if self._raised:
            raised, self._raised = self._raised, []
            raise raised[0]
        if status not in (_OK, _SKIPPED):
            raise ModelError(f"{name}(): {self._words(status).decode()}", status)
        return results[0] if len(results) == 1 else tuple(results)
