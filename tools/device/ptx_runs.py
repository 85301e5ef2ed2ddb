"""The kernels of test/emulator, as their lines "// ptx-run: ..." say: what ptx-run executes, for any driver."""

import ctypes as C
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from cuda_driver import Driver
from ptx_rows import BITS, FORMATS, width

# Multiprocessors and warps have numbers of their own on a device; what nothing has written, it does not know.
OWN_NUMBERS = {"special.ptx:place", "unwritten.ptx:"}


@dataclass
class Run:
    """A launch; `arguments` are scalars and buffers, of bits, and `shown` the places of those that are compared."""

    name: str
    kernel: str
    grid: tuple[int, int, int] = (1, 1, 1)
    block: tuple[int, int, int] = (32, 1, 1)
    shared: int = 0
    arguments: list[np.ndarray] = field(default_factory=list)
    is_buffer: list[bool] = field(default_factory=list)
    shown: list[int] = field(default_factory=list)
    types: list[str] = field(default_factory=list)
    approximate: bool = False


def bits_of(text: str, type_name: str) -> int:
    """A number in decimal or hexadecimal, or bits."""
    is_bits = text.startswith("0x") and "p" not in text
    if type_name not in FORMATS or is_bits:
        return int(text, 0) & ((1 << width(type_name)) - 1)
    value = float.fromhex(text) if "0x" in text else float(text)
    with np.errstate(over="ignore"):
        if type_name != "bf16":
            kind: Any = {"f16": np.float16, "f32": np.float32, "f64": np.float64}[type_name]
            return int(kind(value).view(BITS[width(type_name)]))
        exact = int(np.float32(value).view(np.uint32))
    if value != value:
        return exact >> 16
    return (exact + 0x7FFF + (exact >> 16 & 1)) >> 16


def argument(word: str) -> tuple[str, bool, bool, np.ndarray]:
    """Its type, whether it is a buffer, whether it is shown, and its bits: ones where nothing is said."""
    match = re.fullmatch(r"(\w+)(?:\[(\d+)\])?(?:=(.*?))?(:out)?", word)
    assert match, word
    type_name, count, values, out = match.groups()
    size = int(count or 1)
    kind = BITS[width(type_name)]
    if values is None:
        bits = np.full(size, np.iinfo(kind).max, kind)
    elif values == "iota":
        bits = np.array([bits_of(str(n), type_name) for n in range(size)], kind)
    else:
        bits = np.array([bits_of(v, type_name) for v in values.split(",")], kind)
        bits = np.resize(bits, size)
    return type_name, count is not None, bool(out) or values is None, bits


def sizes(text: str) -> tuple[int, int, int]:
    x, y, z = (*map(int, text.split(",")), 1, 1)[:3]
    return x, y, z


def runs_of(path: Path) -> list[Run]:
    text = path.read_text()
    names = re.findall(r"\.entry (\w+)", text)
    bodies = dict(zip(names, re.split(r"\.entry \w+", text)[1:], strict=True))
    found = []
    for n, line in enumerate(re.findall(r"^// ptx-run:(.*)$", text, re.MULTILINE)):
        run = Run("", names[0])
        for word in line.split():
            key, _, value = word.partition("=")
            if key == "--kernel":
                run.kernel = value
            elif key == "--grid":
                run.grid = sizes(value)
            elif key == "--block":
                run.block = sizes(value)
            elif key == "--shared":
                run.shared = int(value, 0)
            elif not key.startswith("--"):
                type_name, is_buffer, is_shown, bits = argument(word)
                if is_shown:
                    run.shown.append(len(run.arguments))
                run.arguments.append(bits)
                run.is_buffer.append(is_buffer)
                run.types.append(type_name)
        run.name = f"{path.name}:{run.kernel} {n}"
        run.approximate = ".approx" in bodies[run.kernel]
        found.append(run)
    return found


def all_runs(folder: Path) -> list[tuple[str, Run]]:
    """With the text of their module."""
    return [
        (path.read_text(), run)
        for path in sorted(folder.glob("*.ptx"))
        for run in runs_of(path)
        if not any(run.name.startswith(name) for name in OWN_NUMBERS)
    ]


def execute(driver: Driver, text: str, run: Run) -> list[np.ndarray]:
    """What is in the buffers that are shown."""
    module = driver.load(text.encode())
    places: dict[int, C.c_uint64] = {}
    packed: list[object] = []
    for n, bits in enumerate(run.arguments):
        if run.is_buffer[n]:
            places[n] = driver.upload(bits)
            packed.append(places[n])
        else:
            packed.append(
                {8: C.c_uint8, 16: C.c_uint16, 32: C.c_uint32, 64: C.c_uint64}[8 * bits.itemsize](
                    int(bits[0])
                )
            )
    driver.launch(module, run.kernel, packed, run.grid, run.block, run.shared)
    results = []
    for n in run.shown:
        out = run.arguments[n].copy()
        driver.read(out, places[n])
        results.append(out)
    for place in places.values():
        driver.free(place)
    driver.unload(module)
    return results
