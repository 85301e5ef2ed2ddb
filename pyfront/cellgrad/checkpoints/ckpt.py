"""MindSpore's .ckpt files: a protocol-buffer message, read and written without its library.

    message Checkpoint  { repeated Value value = 1; }
    message Value       { string tag = 1; TensorProto tensor = 2; }
    message TensorProto { repeated int64 dims = 1; string tensor_type = 2; bytes tensor_content = 3; }

Elements are row-major and little-endian. A tensor of more than 512 MiB is cut into values of the
same tag, one after the other. A text has the type "str", the dimension 0 and UTF-32 content.

A checksum follows the message: ``crc_num`` and the message's CRC-32 in ten bytes, big end first.
MindSpore writes it on demand only, and reads files with and without it. Here it is always written,
and compared wherever it is found. A changed byte of the mark does not make the file look like one
without a checksum: what follows the values is then read as a field of the message, and "c" begins
none that the message has; were that letter the tag of a value, the next one, its length, would be
more than what is left.
"""

from __future__ import annotations

import binascii
import math
import warnings
from collections.abc import Iterator

import numpy as np

from cellgrad.core import dtype as mstype
from cellgrad.core.errors import error
from cellgrad.core.files import read_all, replacing
from cellgrad.core.storage import signature
from cellgrad.core.tensor import Tensor

Entries = dict[str, "Tensor | str"]

_BY_TITLE = {t.title: t for t in mstype.TENSOR_TYPES}
_MARK = b"crc_num"
_TAIL = len(_MARK) + 10
_SLICE = 512 << 20


# --- writing ----------------------------------------------------------------------------------


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def _field(number: int, content: bytes) -> bytes:
    return _varint(number << 3 | 2) + _varint(len(content)) + content


def _messages(name: str, value: Tensor | str) -> Iterator[bytes]:
    """The values of one entry, each a `Checkpoint` of its own, as such messages may be joined."""
    content: bytes = value.encode("utf-32-le") if isinstance(value, str) else _elements(value)
    title = "str" if isinstance(value, str) else value.dtype.title
    dims = (0,) if isinstance(value, str) else value.shape
    head = b"".join(_varint(1 << 3) + _varint(n) for n in dims)
    head += _field(2, title.encode())
    for start in range(0, max(len(content), 1), _SLICE):
        tensor = head + _field(3, content[start : start + _SLICE])
        yield _field(1, _field(1, name.encode()) + _field(2, tensor))


def _elements(tensor: Tensor) -> bytes:
    view: memoryview = tensor._buf.view()
    return view.tobytes()


def write(entries: Entries, path: str) -> None:
    """Writes entries by name, with a checksum; the file appears complete or not at all."""
    with replacing(path) as file:
        crc = 0
        for name, value in entries.items():
            for message in _messages(name, value):
                file.write(message)
                crc = binascii.crc32(message, crc)
        file.write(_MARK + crc.to_bytes(10, "big"))


# --- reading ----------------------------------------------------------------------------------


class _Damaged(Exception):
    """The bytes are no message of this kind."""


def _read_varint(data: memoryview, at: int) -> tuple[int, int]:
    value = 0
    for shift in range(0, 70, 7):
        if at >= len(data):
            raise _Damaged("it ends inside a number")
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
    raise _Damaged("a number has more than ten bytes")


def _fields(data: memoryview) -> Iterator[tuple[int, int | memoryview]]:
    """The fields of a message: number, and integer or bytes."""
    at = 0
    while at < len(data):
        key, at = _read_varint(data, at)
        if key & 7 == 0:
            value, at = _read_varint(data, at)
            yield key >> 3, value
        elif key & 7 == 2:
            size, at = _read_varint(data, at)
            if at + size > len(data):
                raise _Damaged("it ends inside a field")
            yield key >> 3, data[at : at + size]
            at += size
        else:
            raise _Damaged(f"a field has the wire type {key & 7}")


def _bytes(value: int | memoryview) -> memoryview:
    if isinstance(value, int):
        raise _Damaged("a field has a number where bytes belong")
    return value


def _text(value: int | memoryview) -> str:
    try:
        return str(_bytes(value), "utf-8")
    except UnicodeDecodeError:
        raise _Damaged("a name is not UTF-8") from None


def _dims(value: int | memoryview) -> list[int]:
    if isinstance(value, int):
        return [value]
    out, at = [], 0
    while at < len(value):  # packed
        n, at = _read_varint(value, at)
        out.append(n)
    return out


class _Piece:
    """One `Value`."""

    def __init__(self, data: memoryview):
        self.tag, self.title, self.content = "", "", memoryview(b"")
        self.dims: list[int] = []
        tensor = None
        for number, value in _fields(data):
            if number == 1:
                self.tag = _text(value)
            elif number == 2:
                tensor = _bytes(value)
        if tensor is None:
            raise _Damaged(f"'{self.tag}' is no tensor")
        for number, value in _fields(tensor):
            if number == 1:
                self.dims += _dims(value)
            elif number == 2:
                self.title = _text(value)
            elif number == 3:
                self.content = _bytes(value)


def _value(piece: _Piece, content: bytes | memoryview) -> Tensor | str:
    if piece.title == "str":
        try:
            return str(content, "utf-32-le")
        except UnicodeDecodeError:
            raise _Damaged(f"the text '{piece.tag}' is not UTF-32") from None
    dtype = _BY_TITLE.get(piece.title)
    if dtype is None:
        raise _Damaged(f"'{piece.tag}' has the dtype '{piece.title}', which tensors cannot have")
    shape = () if piece.dims == [0] and len(content) else tuple(piece.dims)
    if math.prod(shape) * dtype.itemsize != len(content):
        raise _Damaged(f"'{piece.tag}' has {len(content)} bytes for the shape {list(shape)}")
    raw = np.uint16 if dtype is mstype.bfloat16 else mstype.to_numpy(dtype)
    try:
        array = np.frombuffer(content, raw).reshape(shape)
    except (ValueError, OverflowError) as e:  # more dimensions, or larger ones, than arrays have
        raise _Damaged(f"'{piece.tag}' has the shape {list(shape)}: {e}") from None
    if dtype is not mstype.bfloat16:
        return Tensor(array, dtype)
    out = Tensor(np.zeros(shape, np.float32), dtype)
    out._buf.view()[...] = array
    return Tensor._wrap(out._buf, signature(dtype, shape))


def read(path: str, demand: bool = False) -> Entries:
    """Reads the entries of a file. One without a checksum is read with a warning.

    Args:
        path: the file.
        demand: whether a file without a checksum is refused.

    Raises:
        ValueError: the file is damaged, has another format, or lacks a checksum on demand.
        OSError: it cannot be read, or is a device or a pipe.
    """
    content, _ = read_all(path)
    data, checked = memoryview(content), False
    try:
        if len(data) >= _TAIL and data[-_TAIL:-10] == _MARK:
            data, crc, checked = data[:-_TAIL], int.from_bytes(data[-10:], "big"), True
            if binascii.crc32(data) != crc:
                raise _Damaged("its checksum is another")
        elif demand:
            raise _Damaged("it has no checksum")
        out = _entries(data)
    except _Damaged as e:
        raise error(
            ValueError,
            f"Failed to read the checkpoint file '{path}': {e}.",
            "the file may be damaged, encrypted or of another format; "
            'for .safetensors files give format="safetensors"',
        ) from None
    if out and not checked:
        warnings.warn(
            f"The checkpoint file '{path}' has no checksum: damage to it may go unnoticed.\n"
            "  hint: files that save_checkpoint writes have one; write it again",
            stacklevel=3,
        )
    return out


def _entries(data: memoryview) -> Entries:
    out: Entries = {}
    pieces: list[_Piece] = []

    def store() -> None:
        if pieces:
            tag = pieces[0].tag
            if tag in out:
                raise _Damaged(f"it has '{tag}' twice")
            out[tag] = _joined(pieces)
            pieces.clear()

    for number, value in _fields(data):
        if number != 1:
            raise _Damaged(f"it has a field {number}")
        piece = _Piece(_bytes(value))
        if pieces and pieces[-1].tag != piece.tag:
            store()
        pieces.append(piece)
    store()
    return out


def _joined(pieces: list[_Piece]) -> Tensor | str:
    first = pieces[0]
    if any((p.title, p.dims) != (first.title, first.dims) for p in pieces):
        raise _Damaged(f"the parts of '{first.tag}' have different dtypes or shapes")
    return _value(first, first.content if len(pieces) == 1 else b"".join(p.content for p in pieces))
