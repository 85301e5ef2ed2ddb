"""One PTX instruction on rows of random bits: the text of its kernel, the rows, the run."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from cuda_driver import Driver

BITS: dict[int, Any] = {8: np.uint8, 16: np.uint16, 32: np.uint32, 64: np.uint64}
# Stored bits of the significand, and of the exponent.
FORMATS = {"f16": (10, 5), "bf16": (7, 8), "f32": (23, 8), "f64": (52, 11)}
THREADS = 128


@dataclass(frozen=True)
class Instruction:
    """What `body` computes in %d from %a, %b, ...; `types` are theirs. The body is the name with all of them, if it is empty."""

    name: str
    types: tuple[str, ...]
    body: str = ""
    below: int = 0  # integers in the columns after the first are below this
    approximate: bool = False  # the device may give other bits, which are counted

    def text(self) -> str:
        operands = ", ".join(f"%{n}" for n in "dabce"[: len(self.types)])
        return self.body or f"{self.name} {operands};"


def width(type_name: str) -> int:
    halves = {"f16": 16, "bf16": 16, "f16x2": 32, "bf16x2": 32}
    return halves.get(type_name) or int(type_name[1:])


def kernel(instruction: Instruction, chip: str = "sm_90") -> str:
    """A thread computes a row. %t is its number; %x, %y and %q are free for the body, and so is what %p points to: its place of %d."""
    types = instruction.types
    names = "dabce"[: len(types)]
    lines = [
        f".version 8.0\n.target {chip}\n.address_size 64",
        f".visible .entry rows({', '.join(f'.param .u64 {n}' for n in names)}) {{",
        ".reg .b32 %t, %n, %x<12>; .reg .b64 %p, %y<4>; .reg .b16 %h<4>; .reg .pred %q, %r;",
        "mov.u32 %t, %tid.x; mov.u32 %n, %ctaid.x; mad.lo.u32 %t, %n, 128, %t;",
    ]
    lines += [f".reg .b{max(width(t), 16)} %{n};" for n, t in zip(names, types, strict=True)]
    for name, type_name in reversed(list(zip(names, types, strict=True))):
        lines += [
            f"ld.param.u64 %p, [{name}];",
            f"mad.wide.u32 %p, %t, {width(type_name) // 8}, %p;",
        ]
        if name == "d":
            lines += [instruction.text(), f"st.global.b{width(type_name)} [%p], %d;"]
        else:
            lines.append(f"ld.global.b{width(type_name)} %{name}, [%p];")
    return "\n".join([*lines, "ret;", "}"])


def random_bits(type_name: str, count: int, seed: Any) -> np.ndarray:
    """Bits of every exponent, numbers near 1, and the special ones."""
    rng = np.random.default_rng(seed)
    if type_name.endswith("x2"):
        halves = [random_bits(type_name[:-2], count, rng.integers(1 << 30)) for _ in range(2)]
        return halves[0].astype(np.uint32) | halves[1].astype(np.uint32) << np.uint32(16)
    kind = BITS[width(type_name)]
    values = rng.integers(0, np.iinfo(kind).max, count, dtype=kind, endpoint=True)
    if type_name not in FORMATS:
        top = int(np.iinfo(kind).max)
        edges = np.array([0, 1, 2, top, top >> 1, (top >> 1) + 1], kind)
    else:
        fraction, exponent = FORMATS[type_name]
        bias = (1 << (exponent - 1)) - 1
        near = rng.integers(bias - 3, bias + 4, count).astype(kind) << kind(fraction)
        low = values & kind(((1 << fraction) - 1) | 1 << (width(type_name) - 1))
        values = np.where(rng.random(count) < 0.6, low | near, values)
        infinity = ((1 << exponent) - 1) << fraction
        plus = [0, 1, (1 << fraction) - 1, 1 << fraction, infinity - 1, infinity, infinity + 1]
        edges = np.array(plus + [e | 1 << (width(type_name) - 1) for e in plus], kind)
    places = rng.random(count) < 0.15
    values[places] = rng.choice(edges, int(places.sum()))
    return values


def columns(types: Sequence[str], count: int, name: str) -> list[np.ndarray]:
    """The inputs of an instruction: always the same ones for the same name."""
    seeds = np.random.SeedSequence([ord(c) for c in name]).spawn(len(types))
    return [random_bits(t, count, s) for t, s in zip(types, seeds, strict=True)]


def rows_of(instruction: Instruction, count: int) -> list[np.ndarray]:
    inputs = columns(instruction.types[1:], count, f"{instruction.name} {instruction.body}")
    if instruction.below:
        for column in inputs[1:]:
            column %= column.dtype.type(instruction.below)
    return inputs


def run(
    driver: Driver, instruction: Instruction, inputs: list[np.ndarray], chip: str = "sm_90"
) -> np.ndarray:
    """The bits of the results."""
    count = len(inputs[0])
    assert count % THREADS == 0
    out = np.zeros(count, BITS[width(instruction.types[0])])
    module = driver.load(kernel(instruction, chip).encode())
    places = [driver.upload(array) for array in [out, *inputs]]
    driver.launch(module, "rows", places, (count // THREADS, 1, 1), (THREADS, 1, 1))
    driver.read(out, places[0])
    for place in places:
        driver.free(place)
    driver.unload(module)
    return out
