"""Reading and writing of .safetensors files: a JSON header, then the elements of each tensor."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from cellgrad._errors import error
from cellgrad._files import replacing
from cellgrad.common import dtype as mstype
from cellgrad.common._storage import from_numpy, signature
from cellgrad.common.tensor import Tensor

_CODES = {
    mstype.bool_: "BOOL",
    mstype.int8: "I8",
    mstype.int16: "I16",
    mstype.int32: "I32",
    mstype.int64: "I64",
    mstype.uint8: "U8",
    mstype.float16: "F16",
    mstype.bfloat16: "BF16",
    mstype.float32: "F32",
    mstype.float64: "F64",
}
_DTYPES = {code: dtype for dtype, code in _CODES.items()}


def save(tensors: dict[str, Tensor], path: str) -> None:
    """Writes tensors by name; the file appears complete or not at all."""
    header: dict[str, Any] = {}
    blobs = []
    offset = 0
    for name, tensor in tensors.items():
        blob = tensor._buf.view().tobytes()
        header[name] = {
            "dtype": _CODES[tensor.dtype],
            "shape": list(tensor.shape),
            "data_offsets": [offset, offset + len(blob)],
        }
        blobs.append(blob)
        offset += len(blob)
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with replacing(path) as f:
        f.write(len(text).to_bytes(8, "little"))
        f.write(text)
        for blob in blobs:
            f.write(blob)


def load(path: str) -> dict[str, Tensor]:
    """Reads the tensors of a file.

    Raises:
        ValueError: the file is truncated or not a .safetensors file.
    """
    with open(path, "rb") as f:
        content = f.read()
    try:
        size = int.from_bytes(content[:8], "little")
        header = json.loads(content[8 : 8 + size])
        body = memoryview(content)[8 + size :]
        out = {}
        for name, entry in header.items():
            if name == "__metadata__":
                continue
            dtype = _DTYPES[entry["dtype"]]
            start, end = entry["data_offsets"]
            raw = np.uint16 if dtype is mstype.bfloat16 else mstype.to_numpy(dtype)
            array = np.frombuffer(body[start:end], raw).reshape(entry["shape"])
            if dtype is mstype.bfloat16:
                buffer = from_numpy(np.zeros(array.shape, np.float32), dtype)
                buffer.view()[...] = array
                out[name] = Tensor._wrap(buffer, signature(dtype, array.shape))
            else:
                out[name] = Tensor(array, dtype)
        return out
    except (KeyError, TypeError, ValueError) as e:
        raise error(
            ValueError,
            f"'{path}' is truncated or not a .safetensors file ({e}).",
            "export the model again",
        ) from None
