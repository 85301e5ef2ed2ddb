"""Compiled code on disk, so that a script that runs again does not compile again.

An entry is named by the SHA-256 of all that its code depends on: the text of the IR, the options,
the compiler's build and the processor. It holds the shared object and then its own SHA-256; an entry
whose content does not match is compiled again and replaced. Files appear complete or not at all, so
that processes may share a folder. What is loaded is a private copy of the bytes that were verified.

CELLGRAD_CACHE_DIR names the folder (default: ``cellgrad`` in the user's cache folder),
CELLGRAD_CACHE_SIZE its limit in MiB (1024), CELLGRAD_CACHE=0 switches the cache off.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import platform
import stat
from collections.abc import Callable
from pathlib import Path

from cellgrad import _log, _native
from cellgrad._files import replacing

_MARK = b"cellgrad-entry-1"
_TAIL = hashlib.sha256().digest_size + len(_MARK)
_NOTE = b"\x04\x00\x00\x00\x14\x00\x00\x00\x03\x00\x00\x00GNU\x00"  # of a build ID, in ELF
_LIMIT_MIB = 1024
_TRIM_EVERY = 64  # writes

_written = 0


@functools.cache
def compiler_id() -> bytes:
    """Identifies the build of the native module."""
    path = _native.__file__
    with open(path, "rb") as file:
        head = file.read(1 << 16)
        at = head.find(_NOTE)
        if at >= 0:
            return head[at + len(_NOTE) : at + len(_NOTE) + 20]
        return hashlib.sha256(head + file.read()).digest()


@functools.cache
def processor_id() -> bytes:
    """Identifies what the processor can do: code is made for the one that compiles it."""
    try:
        lines = Path("/proc/cpuinfo").read_text().split("\n\n")[0].splitlines()
    except OSError:
        lines = []
    kept = [line for line in lines if line.startswith(("flags", "model name", "Features"))]
    return "\n".join([platform.machine(), *kept]).encode()


def key(text: str, options: str) -> str:
    """The name of the entry for an IR text and compile options."""
    digest = hashlib.sha256()
    for part in (text.encode(), options.encode(), compiler_id(), processor_id()):
        digest.update(len(part).to_bytes(8, "little"))
        digest.update(part)
    return digest.hexdigest()


def folder() -> Path | None:
    """The folder for entries; None where the cache is off or the folder cannot be trusted."""
    if os.environ.get("CELLGRAD_CACHE", "1") == "0":
        return None
    chosen = os.environ.get("CELLGRAD_CACHE_DIR")
    if not chosen:
        base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
        chosen = os.path.join(base, "cellgrad")
    path = Path(chosen)
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        info = path.stat()
    except OSError:
        return None
    # Code is loaded from here: nobody else may write to it.
    if info.st_uid != os.getuid() or info.st_mode & stat.S_IWOTH:
        _log.write("cache", f"'{path}' belongs to someone else or is writable by all: not used")
        return None
    return path


def _entry(where: Path, name: str) -> Path:
    return where / name[:2] / f"{name}.so"


def _verified(path: Path) -> bytes | None:
    """The shared object in an entry; None if there is none or its content is not what was written."""
    try:
        content = path.read_bytes()
    except OSError:
        return None
    body, digest, mark = content[:-_TAIL], content[-_TAIL : -len(_MARK)], content[-len(_MARK) :]
    if mark != _MARK or hashlib.sha256(body).digest() != digest:
        _log.write("cache", f"{path.name}: damaged, compiled again")
        return None
    with contextlib.suppress(OSError):
        os.utime(path)  # the least recently used entries are dropped first
    return body


def shared_object(text: str, options: str, path: str, build: Callable[[], object]) -> None:
    """Writes the shared object for an IR text to `path`: the stored one, or what `build` writes."""
    where = folder()
    if where is None:
        build()
        return
    name = key(text, options)
    entry = _entry(where, name)
    body = _verified(entry)
    if body is not None:
        _log.write("cache", f"{entry.name}: found")
        Path(path).write_bytes(body)
        return
    build()
    try:
        _store(where, entry, Path(path).read_bytes())
    except OSError as e:
        _log.write("cache", f"{entry.name}: not stored ({e})")


def _store(where: Path, entry: Path, body: bytes) -> None:
    global _written
    entry.parent.mkdir(mode=0o700, exist_ok=True)
    with replacing(str(entry), durable=False) as file:
        file.write(body + hashlib.sha256(body).digest() + _MARK)
    _log.write("cache", f"{entry.name}: stored")
    if _written % _TRIM_EVERY == 0:
        trim(where)
    _written += 1


def trim(where: Path) -> None:
    """Drops the least recently used entries until three quarters of the limit are left."""
    limit = int(os.environ.get("CELLGRAD_CACHE_SIZE") or _LIMIT_MIB) << 20
    found = []
    for path in where.glob("??/*"):
        with contextlib.suppress(OSError):
            info = path.stat()
            found.append((info.st_mtime_ns, info.st_size, path))
    total = sum(size for _, size, _ in found)
    if total <= limit:
        return
    for _, size, path in sorted(found):
        if total <= limit * 3 // 4:
            break
        with contextlib.suppress(OSError):
            path.unlink()
            total -= size
