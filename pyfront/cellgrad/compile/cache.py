"""Compiled code on disk, so that a script that runs again does not compile again.

An entry is named by its key: the SHA-256 of all that its code depends on, which is the text of the
IR, the options, the compiler's build and the processor. It holds the shared object and then the
SHA-256 of the key and the object; an entry whose content does not match, or that is another key's,
is compiled again and replaced. Files appear complete or not at all, so that processes may share a
folder. What is loaded is a private copy of the bytes that were verified.

Code is loaded from here, and a digest keeps nobody from writing an entry. So the folder, the one
below it and the file must belong to the user or to root, and nobody else may write to them. What is
checked is what is open, not a path that may lead elsewhere a moment later.

CELLGRAD_CACHE_DIR names the folder (default: ``cellgrad`` in the user's cache folder),
CELLGRAD_CACHE_SIZE its limit in MiB (1024), CELLGRAD_CACHE=0 switches the cache off.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import platform
import re
import stat
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

from cellgrad import _native
from cellgrad.core import log as _log
from cellgrad.core import variables
from cellgrad.core.errors import error
from cellgrad.core.files import PREFIX, read_all, replacing

_MARK = b"cellgrad-entry-2"
_TAIL = hashlib.sha256().digest_size + len(_MARK)
_NOTE = b"\x04\x00\x00\x00\x14\x00\x00\x00\x03\x00\x00\x00GNU\x00"  # of a build ID, in ELF
_LIMIT_MIB = 1024
_TRIM_EVERY = 64  # writes
_MAX_BYTES = 1 << 31  # of a shared object, whose code reaches its data by offsets of 32 bits

_written = 0
_told: set[Path] = set()


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
    """The folder for entries, made where it is missing; None where the cache is off."""
    if not variables.flag("CACHE", True):
        return None
    chosen = variables.text("CACHE_DIR")
    if not chosen:
        base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
        chosen = os.path.join(base, "cellgrad")
    path = Path(chosen)
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as e:
        _log.write("cache", f"'{path}': not used ({e})")
        return None
    return path


def _distrust(info: os.stat_result) -> str:
    """Who but the user and root can have written what `info` describes; empty for nobody.

    The bits of the group also say whether an access control list lets others write.
    """
    if info.st_uid not in (os.geteuid(), 0):
        return f"belongs to user {info.st_uid}"
    if info.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        return "can be written to by others"
    return ""


def _warn_once(path: Path, problem: str) -> None:
    if path in _told:
        return
    _told.add(path)
    warnings.warn(
        f"The cache of compiled code is not used: '{path}' {problem}, who could put code of their "
        f"own there. Everything is compiled again.\n  hint: if it is yours, run: chmod go-w '{path}'; else "
        "let CELLGRAD_CACHE_DIR name a folder of your own",
        RuntimeWarning,
        stacklevel=2,
    )


@contextlib.contextmanager
def _open_folder(path: Path, at: int | None = None) -> Iterator[int | None]:
    """A descriptor of a folder that is trusted; None for another one, or where there is none."""
    flags = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
    handle = None
    try:
        if at is None:  # the user's choice, which may be a link
            handle = os.open(path, flags)
        else:
            handle = os.open(path.name, flags | os.O_NOFOLLOW, dir_fd=at)
    except OSError as e:
        _log.write("cache", f"'{path}': not used ({e})")
    if handle is None:  # outside of the handler: it is no cause of what the block raises
        yield None
        return
    try:
        problem = _distrust(os.fstat(handle))
        if problem:
            _warn_once(path, problem)
        yield None if problem else handle
    finally:
        os.close(handle)


def _digest(name: str, body: bytes) -> bytes:
    digest = hashlib.sha256(bytes.fromhex(name))
    digest.update(body)
    return digest.digest()


def _verified(name: str, at: int) -> bytes | None:
    """The shared object in an entry; None if there is none or its content is not what was written."""
    file = f"{name}.so"
    try:
        content, info = read_all(file, at, _MAX_BYTES)
    except FileNotFoundError:
        return None
    except OSError as e:
        _log.write("cache", f"{file}: not used ({e})")
        return None
    problem = _distrust(info)
    if problem:
        _log.write("cache", f"{file}: {problem}, compiled again")
        return None
    body, digest, mark = content[:-_TAIL], content[-_TAIL : -len(_MARK)], content[-len(_MARK) :]
    if mark != _MARK or _digest(name, body) != digest:
        _log.write("cache", f"{file}: damaged, compiled again")
        return None
    with contextlib.suppress(OSError):
        os.utime(file, dir_fd=at)  # the least recently used entries are dropped first
    return body


def shared_object(text: str, options: str, path: str, build: Callable[[], object]) -> None:
    """Writes the shared object for an IR text to `path`: the stored one, or what `build` writes."""
    where = folder()
    if where is None:
        build()
        return
    name = key(text, options)
    part = where / name[:2]
    with _open_folder(where) as root:
        if root is None:
            build()
            return
        with contextlib.suppress(OSError):  # what went wrong shows where it is opened
            os.mkdir(part.name, 0o700, dir_fd=root)
        with _open_folder(part, root) as at:
            body = None if at is None else _verified(name, at)
            if body is not None:
                _log.write("cache", f"{name}.so: found")
                Path(path).write_bytes(body)
                return
            build()
            if at is not None:
                _store(name, at, Path(path).read_bytes())
                if _written % _TRIM_EVERY == 1:
                    trim(where)


def _store(name: str, at: int, body: bytes) -> None:
    global _written
    try:
        with replacing(f"{name}.so", durable=False, mode=0o600, at=at) as file:
            file.write(body)
            file.write(_digest(name, body) + _MARK)
    except OSError as e:
        _log.write("cache", f"{name}.so: not stored ({e})")
    else:
        _log.write("cache", f"{name}.so: stored")
        _written += 1


def limit() -> int:
    """What CELLGRAD_CACHE_SIZE allows, in bytes."""
    given = variables.text("CACHE_SIZE") or str(_LIMIT_MIB)
    if not given.isdecimal():
        raise error(
            ValueError,
            f"CELLGRAD_CACHE_SIZE must be a number of MiB, but is {given!r}.",
            "write digits only, as in CELLGRAD_CACHE_SIZE=1024",
        )
    return int(given) << 20


def _own(where: Path, names: str) -> list[os.DirEntry[str]]:
    """What is in a folder under names that the cache gives; nothing else is touched."""
    try:
        with os.scandir(where) as entries:
            return [e for e in entries if re.fullmatch(names, e.name) and not e.is_symlink()]
    except OSError:
        return []


def _entries(where: Path) -> list[tuple[int, int, Path]]:
    """Files of the cache, and what was left half-written: time of last use, bytes, path."""
    found = []
    for part in _own(where, "[0-9a-f]{2}"):
        for file in _own(Path(part.path), rf"[0-9a-f]{{64}}\.so|{re.escape(PREFIX)}.*"):
            with contextlib.suppress(OSError):
                info = file.stat()
                found.append((info.st_mtime_ns, info.st_size, Path(file.path)))
    return found


def content(where: Path) -> tuple[int, int]:
    """The number of files in the cache, and their bytes."""
    found = _entries(where)
    return len(found), sum(size for _, size, _ in found)


def clear(where: Path) -> tuple[int, int]:
    """Drops all entries; their number and bytes. Programs that are loaded stay as they are."""
    dropped = []
    for _, size, path in _entries(where):
        with contextlib.suppress(OSError):
            path.unlink()
            dropped.append(size)
    return len(dropped), sum(dropped)


def trim(where: Path) -> None:
    """Drops the least recently used entries until three quarters of the limit are left."""
    allowed = limit()
    found = _entries(where)
    total = sum(size for _, size, _ in found)
    if total <= allowed:
        return
    for _, size, path in sorted(found):
        if total <= allowed * 3 // 4:
            break
        with contextlib.suppress(OSError):
            path.unlink()
            total -= size
