"""Instructions of the PTX emulator on random rows against numpy, exact fractions and Python's integers.

Rows by hand are in test/emulator; here are the values that nobody thinks of. Bits are compared.
"""

import ctypes
import os
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("CELLGRAD_BUILD_DIR", ROOT / "build")).resolve()
DRIVER = BUILD / "test/emulator/libcuda.so.1"

BITS = {"16": np.uint16, "32": np.uint32, "64": np.uint64}
# Stored bits of the significand, and of the exponent.
FORMATS = {"f16": (10, 5), "bf16": (7, 8), "f32": (23, 8), "f64": (52, 11)}


def width(type_name):
    return {"f16": 16, "bf16": 16}.get(type_name) or int(type_name[1:])


class Emulator:
    """The driver, as far as a kernel over rows needs it."""

    def __init__(self):
        self.cu = ctypes.CDLL(str(DRIVER))
        self.check(self.cu.cuInit(0))
        context = ctypes.c_void_p()
        self.check(self.cu.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0))
        self.check(self.cu.cuCtxSetCurrent(context))

    def check(self, result):
        if result:
            words = ctypes.c_char_p()
            self.cu.cuGetErrorString(result, ctypes.byref(words))
            raise RuntimeError(words.value.decode())

    def buffer(self, array):
        pointer = ctypes.c_uint64()
        self.check(self.cu.cuMemAlloc_v2(ctypes.byref(pointer), ctypes.c_size_t(array.nbytes)))
        data = array.ctypes.data_as(ctypes.c_void_p)
        self.check(self.cu.cuMemcpyHtoD_v2(pointer, data, ctypes.c_size_t(array.nbytes)))
        return pointer

    def run(self, instruction, types, columns):
        """The results of "op d, a, b" for each row; types are those of d, a, b."""
        count = len(columns[0])
        out = np.zeros(count, BITS[str(width(types[0]))])
        module, function = ctypes.c_void_p(), ctypes.c_void_p()
        text = kernel(instruction, types).encode()
        self.check(self.cu.cuModuleLoadData(ctypes.byref(module), text))
        self.check(self.cu.cuModuleGetFunction(ctypes.byref(function), module, b"rows"))
        buffers = [self.buffer(array) for array in [out, *columns]]
        pointers = (ctypes.c_void_p * len(buffers))(
            *[ctypes.cast(ctypes.pointer(b), ctypes.c_void_p) for b in buffers]
        )
        assert count % 128 == 0
        grid = (count // 128, 1, 1, 128, 1, 1, 0)
        self.check(self.cu.cuLaunchKernel(function, *grid, None, pointers, None))
        data = out.ctypes.data_as(ctypes.c_void_p)
        self.check(self.cu.cuMemcpyDtoH_v2(data, buffers[0], ctypes.c_size_t(out.nbytes)))
        for pointer in buffers:
            self.check(self.cu.cuMemFree_v2(pointer))
        self.check(self.cu.cuModuleUnload(module))
        return out


def kernel(instruction, types):
    names = "dabc"[: len(types)]
    lines = [
        ".version 8.0\n.target sm_90\n.address_size 64",
        f".visible .entry rows({', '.join(f'.param .u64 {n}' for n in names)}) {{",
        ".reg .b32 %t, %n; .reg .b64 %p;",
        "mov.u32 %t, %tid.x; mov.u32 %n, %ctaid.x; mad.lo.u32 %t, %n, 128, %t;",
    ]
    lines += [f".reg .b{width(t)} %{n};" for n, t in zip(names, types, strict=True)]
    for name, type_name in reversed(list(zip(names, types, strict=True))):
        lines += [
            f"ld.param.u64 %p, [{name}];",
            f"mad.wide.u32 %p, %t, {width(type_name) // 8}, %p;",
        ]
        if name == "d":
            operands = ", ".join(f"%{n}" for n in names)
            lines += [f"{instruction} {operands};", f"st.global.b{width(type_name)} [%p], %d;"]
        else:
            lines.append(f"ld.global.b{width(type_name)} %{name}, [%p];")
    return "\n".join([*lines, "ret;", "}"])


@pytest.fixture(scope="module")
def emulator():
    return Emulator()


def random_bits(type_name, count, seed):
    """Bits of every exponent, numbers near 1, and the special ones."""
    rng = np.random.default_rng(seed)
    kind = BITS[str(width(type_name))]
    values = rng.integers(0, np.iinfo(kind).max, count, dtype=kind, endpoint=True)
    if type_name not in FORMATS:
        edges = [0, 1, 2, *(kind(np.iinfo(kind).max) >> s for s in (0, 1))]
        edges.append((np.iinfo(kind).max >> 1) + 1)
        edges = np.array(edges, kind)
    else:
        fraction, exponent = FORMATS[type_name]
        bias = (1 << (exponent - 1)) - 1
        near = rng.integers(bias - 3, bias + 4, count).astype(kind) << kind(fraction)
        low = values & kind(((1 << fraction) - 1) | 1 << (width(type_name) - 1))
        values = np.where(rng.random(count) < 0.6, low | near, values)
        infinity = ((1 << exponent) - 1) << fraction
        largest = infinity - 1
        edges = [0, 1, (1 << fraction) - 1, 1 << fraction, largest, infinity, infinity + 1]
        edges = np.array(edges + [e | 1 << (width(type_name) - 1) for e in edges], kind)
    places = rng.random(count) < 0.15
    values[places] = rng.choice(edges, int(places.sum()))
    return values


def columns(types, count, name):
    seeds = np.random.SeedSequence([ord(c) for c in name]).spawn(len(types))
    return [random_bits(t, count, s) for t, s in zip(types, seeds, strict=True)]


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
