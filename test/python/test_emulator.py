"""Instructions of the PTX emulator on random rows against numpy, exact fractions and Python's integers.

Rows by hand are in test/emulator; here are the values that nobody thinks of. Bits are compared.
"""

import os
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools/device"))

import ptx_rows
from cuda_driver import Driver
from ptx_rows import FORMATS, Instruction, columns, width

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("CELLGRAD_BUILD_DIR", ROOT / "build")).resolve()
DRIVER = BUILD / "test/emulator/libcuda.so.1"


class Emulator:
    def __init__(self):
        self.driver = Driver(DRIVER)

    def run(self, instruction, types, inputs):
        """The results of "op d, a, b" for each row; types are those of d, a, b."""
        return ptx_rows.run(self.driver, Instruction(instruction, tuple(types)), inputs)


@pytest.fixture(scope="module")
def emulator():
    return Emulator()


def number(bits, type_name):
    """The exact value; None for NaN, and floats for infinities."""
    fraction, exponent = FORMATS[type_name]
    bits = int(bits)
    sign = -1 if bits >> (fraction + exponent) else 1
    biased = bits >> fraction & ((1 << exponent) - 1)
    significand = bits & ((1 << fraction) - 1)
    bias = (1 << (exponent - 1)) - 1
    if biased == (1 << exponent) - 1:
        return None if significand else sign * float("inf")
    if biased:
        significand |= 1 << fraction
    return sign * Fraction(significand) * Fraction(2) ** (max(biased, 1) - bias - fraction)


def rounded(value, type_name, mode="rn"):
    """The bits of a fraction that is not 0 in a format."""
    fraction, exponent = FORMATS[type_name]
    bias = (1 << (exponent - 1)) - 1
    sign, value = int(value < 0), abs(value)
    place = value.numerator.bit_length() - value.denominator.bit_length()
    place -= Fraction(2) ** place > value
    unit = Fraction(2) ** (max(place, 1 - bias) - fraction)
    whole, rest = divmod(value, unit)
    up = {
        "rn": rest * 2 > unit or (rest * 2 == unit and whole % 2 == 1),
        "rz": False,
        "rm": bool(sign) and rest > 0,
        "rp": not sign and rest > 0,
    }[mode]
    result = (whole + up) * unit
    largest = (2 - Fraction(2) ** -fraction) * Fraction(2) ** bias
    if result > largest:
        whole_infinity = ((1 << exponent) - 1) << fraction
        to_infinity = mode == "rn" or mode == ("rm" if sign else "rp")
        return sign << (fraction + exponent) | (whole_infinity - (not to_infinity))
    count = int(result / Fraction(2) ** (1 - bias - fraction))  # in units of the smallest number
    if count >> (fraction + 1):
        shift = count.bit_length() - fraction - 1
        count = (count >> shift) + (shift << fraction)
    return sign << (fraction + exponent) | count


def nan_bits(type_name):
    return (1 << (width(type_name) - 1)) - 1


FINITE = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "fma": lambda a, b, c: a * b + c,
    "div": lambda a, b: a / b if b else None,
}


EXACT = [
    "add.f16",
    "sub.f16",
    "mul.f16",
    "fma.rn.f16",
    "add.rn.bf16",
    "mul.rn.bf16",
    "fma.rn.bf16",
    "mul.rn.f32",
    "fma.rn.f32",
    "div.rn.f32",
    "add.rn.f64",
    "fma.rn.f64",
    "div.rn.f64",
]


@pytest.mark.parametrize("instruction", EXACT)
def test_exact_arithmetic(emulator, instruction):
    """Finite rows against fractions that are rounded once; zeros only by value."""
    name, type_name = instruction.split(".")[0], instruction.split(".")[-1]
    types = [type_name] * (4 if name == "fma" else 3)
    inputs = columns(types[1:], 1024, instruction)
    out = emulator.run(instruction, types, inputs)
    checked = 0
    for row, bits in zip(zip(*inputs, strict=True), out, strict=True):
        values = [number(x, type_name) for x in row]
        if any(v is None for v in values):
            assert number(bits, type_name) is None
            assert type_name == "f64" or bits == nan_bits(type_name)
            continue
        if any(isinstance(v, float) for v in values):
            continue  # infinities: see test_numpy_arithmetic and the rows by hand
        exact = FINITE[name](*values)
        if exact is None:  # division by 0
            assert isinstance(number(bits, type_name), float) or not values[0]
        elif exact == 0:
            assert number(bits, type_name) == 0
        else:
            assert int(bits) == rounded(exact, type_name), (row, exact)
        checked += 1
    assert checked > 500


NUMPY = {"f32": np.float32, "f64": np.float64, "f16": np.float16}
UNARY = {"sqrt": np.sqrt, "neg": np.negative, "abs": np.abs}
BINARY = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide}


@pytest.mark.parametrize(
    "instruction",
    [f"{op}.rn.{t}" for op in ("add", "sub", "mul", "div", "sqrt") for t in ("f32", "f64")]
    + [f"{op}.{t}" for op in ("add", "sub", "mul") for t in ("f16",)]
    + [f"{op}.{t}" for op in ("neg", "abs") for t in ("f32", "f64", "f16")],
)
def test_numpy_arithmetic(emulator, instruction):
    """All rows, infinities and zeros with their signs too."""
    name, type_name = instruction.split(".")[0], instruction.split(".")[-1]
    function = UNARY.get(name) or BINARY[name]
    types = [type_name] * (2 if name in UNARY else 3)
    inputs = columns(types[1:], 4096, instruction)
    out = emulator.run(instruction, types, inputs)
    with np.errstate(all="ignore"):
        expected = function(*[x.view(NUMPY[type_name]) for x in inputs])
    assert np.array_equal(np.isnan(out.view(NUMPY[type_name])), np.isnan(expected))
    numbers = ~np.isnan(expected)
    assert np.array_equal(out[numbers], expected.view(out.dtype)[numbers])


def signed(value, bits):
    return value - (1 << bits) if value >> (bits - 1) else value


def cut(a, b):
    """Division as in C, and as the device does it by 0."""
    return -1 if b == 0 else (abs(a) // abs(b)) * (1 if (a < 0) == (b < 0) else -1)


INTEGER = {
    "add": lambda a, b, n: a + b,
    "sub": lambda a, b, n: a - b,
    "mul.lo": lambda a, b, n: a * b,
    "mul.hi": lambda a, b, n: (a * b) >> n,
    "mul.wide": lambda a, b, n: a * b,
    "mad.lo": lambda a, b, c, n: a * b + c,
    "mad.wide": lambda a, b, c, n: a * b + c,
    "div": lambda a, b, n: cut(a, b),
    "rem": lambda a, b, n: a - cut(a, b) * b if b else a,
    "min": lambda a, b, n: min(a, b),
    "max": lambda a, b, n: max(a, b),
    "neg": lambda a, n: -a,
    "abs": lambda a, n: abs(a),
    "sad": lambda a, b, c, n: abs(a - b) + c,
}


def integer_forms():
    """PTX has no product of 128 bits, and neg and abs for signed numbers only."""
    for name in INTEGER:
        for type_name in ("s16", "u16", "s32", "u32", "s64", "u64"):
            is_wide = "wide" in name and width(type_name) == 64
            if not is_wide and not (name in ("neg", "abs") and type_name[0] == "u"):
                yield name, type_name


@pytest.mark.parametrize(("name", "type_name"), list(integer_forms()))
def test_integers(emulator, name, type_name):
    bits = width(type_name)
    result = f"{type_name[0]}{2 * bits}" if "wide" in name else type_name
    count = INTEGER[name].__code__.co_argcount - 1
    types = [result, type_name, type_name, result][: count + 1]
    inputs = columns(types[1:], 512, f"{name}.{type_name}")
    out = emulator.run(f"{name}.{type_name}", types, inputs)
    for row, got in zip(zip(*inputs, strict=True), out, strict=True):
        values = [int(x) for x in row]
        if type_name[0] == "s":
            values = [signed(v, width(t)) for v, t in zip(values, types[1:], strict=True)]
        expected = INTEGER[name](*values, bits) & ((1 << width(result)) - 1)
        assert int(got) == expected, (row, int(got))


ROUNDING = ["f32.f64", "f16.f32", "f16.f64", "f32.s32", "f32.u64", "f64.s64", "f16.s32"]


@pytest.mark.parametrize(
    ("pair", "mode"),
    [(pair, mode) for pair in ROUNDING for mode in ("rn", "rz", "rm", "rp")]
    + [("bf16.f32", "rn"), ("bf16.f32", "rz")],
)
def test_conversions_that_round(emulator, pair, mode):
    to, source = pair.split(".")
    inputs = columns([source], 512, f"{pair}.{mode}")
    out = emulator.run(f"cvt.{mode}.{pair}", [to, source], inputs)
    for bits, got in zip(inputs[0], out, strict=True):
        if source in FORMATS:
            value = number(bits, source)
        else:
            value = int(bits)
            value = Fraction(signed(value, width(source)) if source[0] == "s" else value)
        if value is None:
            assert int(got) == nan_bits(to)
        elif isinstance(value, float):
            assert number(got, to) == value
        elif value == 0:
            assert number(got, to) == 0
        else:
            assert int(got) == rounded(value, to, mode), (hex(bits), hex(got))


@pytest.mark.parametrize("mode", ["rni", "rzi", "rmi", "rpi"])
@pytest.mark.parametrize("pair", ["s32.f32", "u32.f32", "s64.f64", "u64.f32", "s16.f32", "u16.f16"])
def test_conversions_to_integers(emulator, pair, mode):
    to, source = pair.split(".")
    inputs = columns([source], 512, f"{pair}.{mode}")
    out = emulator.run(f"cvt.{mode}.{pair}", [to, source], inputs)
    bits = width(to)
    least, most = (-(1 << bits - 1), (1 << bits - 1) - 1) if to[0] == "s" else (0, (1 << bits) - 1)
    toward = {
        "rni": round,
        "rzi": int,
        "rmi": lambda x: x.numerator // x.denominator,
        "rpi": lambda x: -(-x.numerator // x.denominator),
    }[mode]
    for row, got in zip(inputs[0], out, strict=True):
        value = number(row, source)
        if value is None:
            expected = 0
        elif isinstance(value, float):
            expected = most if value > 0 else least
        else:
            expected = min(max(toward(value), least), most)
        assert int(got) == expected & ((1 << bits) - 1), (hex(row), int(got))


@pytest.mark.parametrize("type_name", ["s32", "u32", "s64", "u64"])
def test_fields_of_bits(emulator, type_name):
    """bfe by its definition, bit by bit."""
    bits = width(type_name)
    inputs = columns([type_name, "u32", "u32"], 512, "bfe" + type_name)
    inputs[1] %= np.uint32(bits + 8)
    inputs[2] %= np.uint32(bits + 8)
    out = emulator.run(f"bfe.{type_name}", [type_name, type_name, "u32", "u32"], inputs)
    for a, position, length, got in zip(*inputs, out, strict=True):
        a, position, length = int(a), int(position), int(length)
        is_signed = type_name[0] == "s" and length > 0
        sign = a >> min(position + length - 1, bits - 1) & 1 if is_signed else 0
        expected = 0
        for n in range(bits):
            inside = n < length and position + n < bits
            expected |= (a >> (position + n) & 1 if inside else sign) << n
        assert int(got) == expected
