"""Reading and writing of .safetensors files by the format's own library.

A checksum goes with the tensors as the metadata ``cellgrad.crc32``: CRC-32 over names, dtypes,
shapes and elements, in the order of the names, so that it holds for whatever order and header
another tool gives the same tensors. Files without it are read as they are.
"""

from __future__ import annotations

import binascii
import json
from collections.abc import Iterable
from typing import Any

import numpy as np
from safetensors import SafetensorError, TensorSpec, deserialize, serialize

from cellgrad.core import dtype as mstype
from cellgrad.core.errors import error
from cellgrad.core.files import read_all, replacing
from cellgrad.core.storage import from_numpy, signature
from cellgrad.core.tensor import Tensor

_CODES = {
    mstype.bool_: "BOOL",
    mstype.int8: "I8",
    mstype.int16: "I16",
    mstype.int32: "I32",
    mstype.int64: "I64",
    mstype.uint8: "U8",
    mstype.uint16: "U16",
    mstype.uint32: "U32",
    mstype.uint64: "U64",
    mstype.float16: "F16",
    mstype.bfloat16: "BF16",
    mstype.float32: "F32",
    mstype.float64: "F64",
    mstype.complex64: "C64",
}
_DTYPES = {code: dtype for dtype, code in _CODES.items()}
_METADATA = "__metadata__"
_CHECKSUM = "cellgrad.crc32"

# Name, dtype's code, shape, elements.
Part = tuple[str, str, list[int], Any]


def _checksum(parts: Iterable[Part]) -> str:
    crc = 0
    for name, code, shape, elements in sorted(parts, key=lambda part: part[0]):
        crc = binascii.crc32(json.dumps([name, code, shape]).encode(), crc)
        crc = binascii.crc32(elements, crc)
    return f"{crc:08x}"


def save(tensors: dict[str, Tensor], path: str) -> None:
    """Writes tensors by name; the file appears complete or not at all.

    Raises:
        TypeError: a dtype that the format does not have.
        ValueError: a name that the format keeps for itself.
    """
    content = contents(tensors)
    with replacing(path) as f:
        f.write(content)


def contents(tensors: dict[str, Tensor]) -> bytes:
    """What is in the file of such tensors. The library orders them so that all are aligned.

    Raises:
        TypeError: a dtype that the format does not have.
        ValueError: a name that the format keeps for itself.
    """
    if _METADATA in tensors:
        raise error(
            ValueError,
            f"A tensor in a .safetensors file cannot have the name '{_METADATA}'.",
            "rename the Parameter",
        )
    for name, t in tensors.items():
        if t.dtype not in _CODES:
            raise error(
                TypeError,
                f"The .safetensors format has no {t.dtype.name}, which '{name}' is of.",
                "save a .ckpt file, or convert it to complex64 first",
            )
    arrays = {name: np.ascontiguousarray(t._buf.view()) for name, t in tensors.items()}
    specs = {
        name: TensorSpec(
            dtype=tensors[name].dtype.name,
            shape=list(tensors[name].shape),
            data_ptr=array.ctypes.data,
            data_len=array.nbytes,
        )
        for name, array in arrays.items()
    }
    crc = _checksum(
        (name, _CODES[t.dtype], list(t.shape), arrays[name].reshape(-1).view(np.uint8))
        for name, t in tensors.items()
    )
    content: bytes = serialize(specs, {_CHECKSUM: crc})
    return content


def load(path: str) -> dict[str, Tensor]:
    """Reads the tensors of a file.

    Raises:
        ValueError: the file is not a .safetensors file, has tensors of a dtype that does not exist
            here, or fails its checksum.
        OSError: it cannot be read, or is a device or a pipe.
    """
    content, _ = read_all(path)
    return loads(content, path)


def loads(content: bytes, path: str) -> dict[str, Tensor]:
    """Reads the tensors of a file that lies in memory; `path` is what messages call it.

    Raises:
        ValueError: as `load` does.
    """
    try:
        found = deserialize(content)
        metadata = _metadata(content)
        del content
        parts: list[Part] = [(n, e["dtype"], e["shape"], e["data"]) for n, e in found]
        del found
        crc = metadata.get(_CHECKSUM)
        if crc is not None and crc != _checksum(parts):
            raise ValueError(f"its checksum ('{_CHECKSUM}' in the metadata) does not match")
        parts.reverse()
        out = {}
        while parts:
            name, code, shape, elements = parts.pop()
            out[name] = _tensor(name, code, shape, elements)
        return out
    except (SafetensorError, ValueError, OverflowError, RecursionError) as e:
        reason = str(e).removeprefix("Error while deserializing: ").rstrip(".")
        raise error(
            ValueError,
            f"'{path}' is truncated, damaged or not a .safetensors file: {reason}.",
            "write the file again",
        ) from None


def _metadata(content: bytes) -> dict[str, str]:
    """The metadata of a file that the library takes, which takes repeated names, too."""
    size = int.from_bytes(content[:8], "little")
    header = json.loads(content[8 : 8 + size], object_pairs_hook=_distinct)
    given: dict[str, str] = header.get(_METADATA, {})
    return given


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    out = dict(pairs)
    if len(out) != len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"the header has '{max(names, key=names.count)}' twice")
    return out


def _tensor(name: str, code: str, shape: list[int], elements: bytearray) -> Tensor:
    dtype = _DTYPES.get(code)
    if dtype is None:
        raise ValueError(f"'{name}' has the dtype {code}, which tensors cannot have")
    if dtype is not mstype.bfloat16:
        return Tensor(np.frombuffer(elements, mstype.to_numpy(dtype)).reshape(shape), dtype)
    array = np.frombuffer(elements, np.uint16).reshape(shape)
    buffer = from_numpy(np.zeros(array.shape, np.float32), dtype)
    buffer.view()[...] = array
    return Tensor._wrap(buffer, signature(dtype, array.shape))
