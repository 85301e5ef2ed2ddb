"""The instructions of the PTX emulator that compute from registers, to be run on rows of random bits.

Those that need a block, shared memory or a call are in the kernels of test/emulator, which ptx_runs.py runs.
"""

from collections.abc import Iterator
from itertools import product

from ptx_rows import Instruction, width

SIGNED, UNSIGNED = ("s16", "s32", "s64"), ("u16", "u32", "u64")
INTEGERS = SIGNED + UNSIGNED
# The NaN of a device is not promised for f64.
FLOATS = ("f32", "f64", "f16", "bf16", "f16x2", "bf16x2")
ORDERS = ("eq", "ne", "lt", "le", "gt", "ge")
UNORDERED = ("equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan")
TAKE = "selp.u32 %d, 1, 0, %q;"


def plain(name: str, result: str, *operands: str, below: int = 0) -> Instruction:
    return Instruction(name, (result, *operands), below=below)


def floats() -> Iterator[Instruction]:
    for t in FLOATS:
        rounds = ".rn" if "bf16" in t else ""
        for op in ("add", "sub", "mul"):
            yield plain(f"{op}{rounds}.{t}", t, t, t)
        yield plain(f"fma.rn.{t}", t, t, t, t)
        for op in ("neg", "abs"):
            yield plain(f"{op}.{t}", t, t)
        for op in ("min", "max"):
            yield plain(f"{op}.{t}", t, t, t)
            if t != "f64":
                yield plain(f"{op}.NaN.{t}", t, t, t)
        if t[-3:] != "f64" and t[-3:] != "f32":
            yield plain(f"fma.rn.relu.{t}", t, t, t, t)
    for t in ("f16", "f16x2", "f32"):
        for op in ("add", "mul"):
            yield plain(f"{op}.sat.{t}", t, t, t)
            yield plain(f"{op}.ftz.{t}", t, t, t)
    yield plain("fma.rn.ftz.f32", "f32", "f32", "f32", "f32")
    yield plain("fma.rn.sat.f32", "f32", "f32", "f32", "f32")
    for t in ("f32", "f64"):
        yield plain(f"div.rn.{t}", t, t, t)
        yield plain(f"copysign.{t}", t, t, t)
        for op in ("sqrt", "rcp"):
            yield plain(f"{op}.rn.{t}", t, t)
    for kind, t in product(
        ("finite", "infinite", "number", "notanumber", "normal", "subnormal"), ("f32", "f64")
    ):
        yield Instruction(f"testp.{kind}.{t}", ("u32", t), f"testp.{kind}.{t} %q, %a; {TAKE}")


def approximations() -> Iterator[Instruction]:
    names = ("ex2", "lg2", "sin", "cos", "tanh", "rsqrt", "sqrt", "rcp")
    forms = [(f"{n}.approx.f32", "f32", 1) for n in names]
    forms += [("ex2.approx.ftz.f32", "f32", 1), ("rsqrt.approx.f64", "f64", 1)]
    forms += [("ex2.approx.f16", "f16", 1), ("tanh.approx.f16", "f16", 1)]
    forms += [("ex2.approx.ftz.bf16", "bf16", 1), ("tanh.approx.bf16", "bf16", 1)]
    forms += [("div.approx.f32", "f32", 2), ("div.full.f32", "f32", 2)]
    for name, t, operands in forms:
        yield Instruction(name, (t,) * (operands + 1), approximate=True)


def integers() -> Iterator[Instruction]:
    for t in INTEGERS:
        wide = f"{t[0]}{2 * width(t)}"
        for op in ("add", "sub", "mul.lo", "mul.hi", "div", "rem", "min", "max"):
            yield plain(f"{op}.{t}", t, t, t)
        for op in ("mad.lo", "mad.hi", "sad"):
            yield plain(f"{op}.{t}", t, t, t, t)
        if width(t) < 64:
            yield plain(f"mul.wide.{t}", wide, t, t)
            yield plain(f"mad.wide.{t}", wide, t, t, wide)
        if t in SIGNED:
            yield plain(f"neg.{t}", t, t)
            yield plain(f"abs.{t}", t, t)
    for op in ("add", "sub"):
        yield plain(f"{op}.sat.s32", "s32", "s32", "s32")
        for t in ("u32", "s32", "u64", "s64"):
            text = f"{op}.cc.{t} %d, %a, %b; {op}c.cc.{t} %d, %d, %a; {op}c.{t} %d, %d, %b;"
            yield Instruction(f"{op}.cc, {op}c.cc, {op}c .{t}", (t, t, t), text)
    for t in ("s32", "u32"):
        yield plain(f"mul24.lo.{t}", t, t, t)
        yield plain(f"mad24.lo.{t}", t, t, t, t)


def bits() -> Iterator[Instruction]:
    for t in ("b16", "b32", "b64"):
        for op in ("and", "or", "xor"):
            yield plain(f"{op}.{t}", t, t, t)
        for op in ("not", "cnot"):
            yield plain(f"{op}.{t}", t, t)
        yield plain(f"shl.{t}", t, t, "u32", below=80)
        yield Instruction(
            f"selp.{t}", (t, t, t), f"setp.lt.u32 %q, %t, 500; selp.{t} %d, %a, %b, %q;"
        )
    for t in INTEGERS:
        yield plain(f"shr.{t}", t, t, "u32", below=80)
    for t in ("b32", "b64"):
        yield plain(f"brev.{t}", t, t)
        yield plain(f"popc.{t}", "u32", t)
        yield plain(f"clz.{t}", "u32", t)
        yield plain(f"bfi.{t}", t, t, t, "u32", "u32")
        # Positions and lengths near the width.
        text = f"and.b32 %x0, %c, 127; and.b32 %x1, %e, 127; bfi.{t} %d, %a, %b, %x0, %x1;"
        yield Instruction(f"bfi.{t}, near the width", (t, t, t, "u32", "u32"), text)
    for t in ("u32", "s32", "u64", "s64"):
        yield plain(f"bfind.{t}", "u32", t)
        yield plain(f"bfind.shiftamt.{t}", "u32", t)
        yield plain(f"bfe.{t}", t, t, "u32", "u32")
        yield plain(f"bfe.{t}", t, t, "u32", "u32", below=72)
    for side, mode in product("lr", ("wrap", "clamp")):
        yield plain(f"shf.{side}.{mode}.b32", "b32", "b32", "b32", "b32")
    yield plain("prmt.b32", "b32", "b32", "b32", "b32")
    for table in (0x80, 0x96, 0xE8, 0x1B, 0xFE):
        text = f"lop3.b32 %d, %a, %b, %c, {table};"
        yield Instruction(f"lop3.b32 {table:#x}", ("b32",) * 4, text)
    for a, b in product(("u32", "s32"), repeat=2):
        result = "u32" if a == b == "u32" else "s32"
        for op in ("dp4a", "dp2a.lo", "dp2a.hi"):
            yield plain(f"{op}.{a}.{b}", result, a, b, result)
    for t, by in product(("b16", "b32", "b64", "f32"), ("s32", "f32")):
        yield plain(f"slct.{t}.{by}", t, t, t, by)
    for op in ("and", "or", "xor"):
        text = f"setp.lt.s32 %q, %a, 0; setp.lt.s32 %r, %b, 0; {op}.pred %q, %q, %r; {TAKE}"
        yield Instruction(f"{op}.pred", ("u32", "s32", "s32"), text)
    yield Instruction("not.pred", ("u32", "s32"), f"setp.lt.s32 %q, %a, 0; not.pred %q, %q; {TAKE}")
    yield Instruction(
        "mov.b32 of halves", ("b32", "b32"), "mov.b32 {%h0, %h1}, %a; mov.b32 %d, {%h1, %h0};"
    )
    yield Instruction(
        "mov.b64 of halves", ("b64", "b64"), "mov.b64 {%x0, %x1}, %a; mov.b64 %d, {%x1, %x0};"
    )


def comparisons() -> Iterator[Instruction]:
    forms = [(order, t) for order, t in product(ORDERS, INTEGERS)]
    forms += [(order, t) for order, t in product(("lo", "ls", "hi", "hs"), UNSIGNED)]
    forms += [(order, t) for order, t in product(("eq", "ne"), ("b16", "b32", "b64"))]
    forms += [(order, t) for order, t in product(ORDERS + UNORDERED, ("f16", "bf16", "f32", "f64"))]
    for order, t in forms:
        yield Instruction(
            f"setp.{order}.{t}", ("u32", t, t), f"setp.{order}.{t} %q, %a, %b; {TAKE}"
        )
    for order, t in product(("lt", "neu"), ("f16x2", "bf16x2")):
        text = f"setp.{order}.{t} %q|%r, %a, %b; selp.u32 %d, 1, 0, %q; selp.u32 %x0, 2, 0, %r; or.b32 %d, %d, %x0;"
        yield Instruction(f"setp.{order}.{t}", ("u32", t, t), text)
    for op in ("and", "or", "xor"):
        text = f"setp.lt.s32 %r, %c, 0; setp.gt.{op}.f32 %q, %a, %b, %r; {TAKE}"
        yield Instruction(f"setp.gt.{op}.f32", ("u32", "f32", "f32", "s32"), text)
    text = "setp.le.s32 %q|%r, %a, %b; selp.u32 %d, 1, 0, %q; selp.u32 %x0, 2, 0, %r; or.b32 %d, %d, %x0;"
    yield Instruction("setp.le.s32 p|q", ("u32", "s32", "s32"), text)
    for result, t in product(("u32", "s32", "f32"), ("s32", "u64", "f32", "f64")):
        yield plain(f"set.ge.{result}.{t}", result, t, t)
    text = f"setp.lt.ftz.f32 %q, %a, %b; {TAKE}"
    yield Instruction("setp.lt.ftz.f32", ("u32", "f32", "f32"), text)


def holds(to: str, source: str) -> bool:
    """Whether every number of an integer type is one of another: PTX has no .sat there."""
    if source[0] == to[0]:
        return width(source) <= width(to)
    return source[0] == "u" and width(source) < width(to)


def conversions() -> Iterator[Instruction]:
    whole = ("s8", "u8", *INTEGERS)
    for to, source in product(whole, repeat=2):
        yield plain(f"cvt.{to}.{source}", to, source)
        if not holds(to, source):
            yield plain(f"cvt.sat.{to}.{source}", to, source)
    numbers = ("f16", "f32", "f64")
    for mode, to, source in product(("rn", "rz", "rm", "rp"), numbers, whole):
        yield plain(f"cvt.{mode}.{to}.{source}", to, source)
    for mode, to, source in product(("rni", "rzi", "rmi", "rpi"), whole, numbers):
        yield plain(f"cvt.{mode}.{to}.{source}", to, source)
    for mode, t in product(("rni", "rzi", "rmi", "rpi"), numbers):
        yield plain(f"cvt.{mode}.{t}.{t}", t, t)
    for mode, (to, source) in product(
        ("rn", "rz", "rm", "rp"), (("f32", "f64"), ("f16", "f32"), ("f16", "f64"))
    ):
        yield plain(f"cvt.{mode}.{to}.{source}", to, source)
    for mode in ("rn", "rz"):
        yield plain(f"cvt.{mode}.bf16.f32", "bf16", "f32")
        for to in ("f16x2", "bf16x2"):
            yield plain(f"cvt.{mode}.{to}.f32", to, "f32", "f32")
            yield plain(f"cvt.{mode}.relu.{to}.f32", to, "f32", "f32")
    for to, source in (("f32", "f16"), ("f64", "f32"), ("f64", "f16"), ("f32", "bf16")):
        yield plain(f"cvt.{to}.{source}", to, source)
    yield plain("cvt.rn.ftz.f32.f64", "f32", "f64")
    yield plain("cvt.sat.f32.f32", "f32", "f32")
    yield plain("cvt.rn.sat.f16.f32", "f16", "f32")
    yield Instruction("cvt.rna.tf32.f32", ("b32", "f32"))


def exchanges() -> Iterator[Instruction]:
    for how, last in (("up", 0), ("down", 31), ("bfly", 31), ("idx", 31)):
        for segments in (0, 0x10, 0x18):
            # Where the lane is outside, the predicate is false.
            text = (
                f"and.b32 %x0, %b, 31; shfl.sync.{how}.b32 %d|%q, %a, %x0, {segments << 8 | last}, -1;"
                " @!%q not.b32 %d, %d;"
            )
            yield Instruction(f"shfl.sync.{how}.b32 {segments:#x}", ("b32", "b32", "b32"), text)
    for how in ("all", "any", "uni"):
        text = f"setp.lt.s32 %q, %a, 0; vote.sync.{how}.pred %q, %q, -1; {TAKE}"
        yield Instruction(f"vote.sync.{how}.pred", ("u32", "s32"), text)
    text = "setp.lt.s32 %q, %a, 0; vote.sync.ballot.b32 %d, %q, -1;"
    yield Instruction("vote.sync.ballot.b32", ("b32", "s32"), text)
    for op in ("add", "min", "max"):
        for t in ("s32", "u32"):
            yield Instruction(f"redux.sync.{op}.{t}", (t, t), f"redux.sync.{op}.{t} %d, %a, -1;")
    for op in ("and", "or", "xor"):
        yield Instruction(
            f"redux.sync.{op}.b32", ("b32", "b32"), f"redux.sync.{op}.b32 %d, %a, -1;"
        )
    for t in ("b32", "b64"):
        text = f"and.{t} %a, %a, 7; match.any.sync.{t} %d, %a, -1;"
        yield Instruction(f"match.any.sync.{t}", ("b32", t), text)
    text = "and.b32 %a, %t, 64; match.all.sync.b32 %d|%q, %a, -1; @!%q not.b32 %d, %d;"
    yield Instruction("match.all.sync.b32", ("b32", "b32"), text)
    # Which lane is elected, a device may choose.
    text = f"elect.sync %x0|%q, -1; {TAKE} add.u32 %d, %d, %x0;"
    yield Instruction("elect.sync", ("b32", "b32"), text, approximate=True)


def orders() -> Iterator[Instruction]:
    """Fences, hints and the spaces of addresses, which change no number."""
    names = (
        "membar.gl",
        "fence.acq_rel.gpu",
        "barrier.sync 0",
        "griddepcontrol.wait",
        "prefetch.global.L2 [%p]",
    )
    for name in names:
        yield Instruction(name, ("u32", "u32"), f"{name}; add.u32 %d, %a, 1;")
    yield Instruction(
        "ldu.global.b32", ("u32", "u32"), "ld.param.u64 %y0, [a]; ldu.global.b32 %d, [%y0];"
    )
    for space in ("global", "shared", "local"):
        text = f"cvta.global.u64 %y0, %p; isspacep.{space} %q, %y0; {TAKE}"
        yield Instruction(f"isspacep.{space}", ("u32", "u32"), text)


def updates() -> Iterator[Instruction]:
    """atom and red on a word of the thread's own: the new value."""
    forms = [
        ("add", t) for t in ("u32", "s32", "u64", "f32", "f64", "f16", "bf16", "f16x2", "bf16x2")
    ]
    forms += [(op, t) for op in ("min", "max") for t in ("u32", "s32", "u64", "s64")]
    forms += [(op, t) for op in ("and", "or", "xor", "exch") for t in ("b32", "b64")]
    forms += [("inc", "u32"), ("dec", "u32")]
    for op, t in forms:
        n = width(t)
        ftz = ".noftz" if t in ("f16", "bf16", "f16x2", "bf16x2") else ""
        put, get = f"st.global.b{n} [%p], %a;", f"ld.volatile.global.b{n} %d, [%p]; bar.sync 0;"
        text = f"{put} atom.global.{op}{ftz}.{t} %b, [%p], %b; {get}"
        yield Instruction(f"atom.global.{op}{ftz}.{t}", (t, t, t), text)
        if op != "exch":
            text = f"{put} red.global.{op}{ftz}.{t} [%p], %b; {get}"
            yield Instruction(f"red.global.{op}{ftz}.{t}", (t, t, t), text)
    for n in (32, 64):
        text = (
            f"st.global.b{n} [%p], %a; and.b{n} %b, %b, 1; atom.global.cas.b{n} %b, [%p], %b, %c;"
            f" ld.volatile.global.b{n} %d, [%p]; bar.sync 0;"
        )
        yield Instruction(f"atom.global.cas.b{n}", (f"b{n}",) * 4, text)


SHAPES = (
    ("m16n8k16", "f16", 4),
    ("m16n8k8", "f16", 2),
    ("m16n8k16", "bf16", 4),
    ("m16n8k8", "bf16", 2),
    ("m16n8k8", "tf32", 4),
    ("m16n8k4", "tf32", 2),
)


def matrices() -> Iterator[Instruction]:
    """mma on random fragments: other lanes' values are the rest of A and B. Each of the four sums is a row of its own."""
    for (shape, t, registers), n in product(SHAPES, range(4)):
        pair = "b32" if t == "tf32" else f"{t}x2"
        # Numbers of about 1, so that rounding counts and few are infinite.
        lines = []
        keep, one = ("0x807fffff", "0x3f000000") if t != "f16" else ("0x83ff83ff", "0x3c003800")
        if t == "bf16":
            keep, one = "0x807f807f", "0x3f803f00"
        for name in "ab":
            lines.append(f"and.b32 %{name}, %{name}, {keep}; or.b32 %{name}, %{name}, {one};")
        lines.append("and.b32 %c, %c, 0x80ffffff; or.b32 %c, %c, 0x3f000000;")
        a = [f"%x{k}" for k in range(registers)]
        b = [f"%x{4 + k}" for k in range(registers // 2)]
        for k, register in enumerate(a):
            lines.append(f"shfl.sync.bfly.b32 {register}, %a, {5 * k}, 31, -1;")
        for k, register in enumerate(b):
            lines.append(f"shfl.sync.bfly.b32 {register}, %b, {7 * k}, 31, -1;")
        out = ", ".join("%d" if k == n else f"%x{8 + k}" for k in range(4))
        lines.append(
            f"mma.sync.aligned.{shape}.row.col.f32.{t}.{t}.f32 {{{out}}}, {{{', '.join(a)}}},"
            f" {{{', '.join(b)}}}, {{%c, %c, %c, %c}};"
        )
        text = " ".join(lines)
        yield Instruction(
            f"mma.{shape}.f32.{t} {n}", ("f32", pair, pair, "f32"), text, approximate=True
        )


def all_instructions() -> list[tuple[str, list[Instruction]]]:
    """By families."""
    families = (
        floats,
        approximations,
        integers,
        bits,
        comparisons,
        conversions,
        exchanges,
        orders,
        updates,
        matrices,
    )
    return [(family.__name__, list(family())) for family in families]
