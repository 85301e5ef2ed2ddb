"""The random functions of rowbuffers.py: products, sums of them and what stands between, on buffers and views."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

ROWS = (15, 16, 17, 32, 33, 34, 48, 49, 64, 65, 67)
COLUMNS = (1, 2, 3, 4, 7, 8, 16)
ELEMENT = "f64"
MAPS = {
    "row": "(i, j) -> (i, j)",
    "turned": "(i, j) -> (j, i)",
    "first": "(i, j) -> (i)",
    "second": "(i, j) -> (j)",
    "none": "(i, j) -> ()",
    "a": "(i, j, k) -> (i, k)",
    "b": "(i, j, k) -> (k, j)",
    "bt": "(i, j, k) -> (j, k)",
    "c": "(i, j, k) -> (i, j)",
    "at": "(i, j, k) -> (k, i)",
}


def kind(shape: tuple[int, ...], layout: str = "") -> str:
    return f"memref<{''.join(f'{n}x' for n in shape)}{ELEMENT}{layout}>"


@dataclass(frozen=True)
class Buffer:
    name: str
    shape: tuple[int, ...]
    root: str
    layout: str = ""

    @property
    def type(self) -> str:
        return kind(self.shape, self.layout)


@dataclass
class Function:
    """One function: its lines, its arguments, and what may be read where the next op comes."""

    seed: int
    lines: list[str] = field(default_factory=list)
    names: int = 0
    depth: int = 0

    def __post_init__(self) -> None:
        rng = self.rng = random.Random(self.seed)
        self.name = f"f{self.seed}"
        self.n = n = rng.choice(ROWS)
        self.c, self.d = rng.choice(COLUMNS), rng.choice(COLUMNS)
        if rng.random() < 0.2:
            self.c = n  # what is one number a row is one a column as well
        c, d = self.c, self.d
        shapes = [
            (n, c),
            (n, c),
            (n, d),
            (c, c),
            (c, d),
            (d, c),
            (c, c),
            (c, d),
            (c,),
            (n,),
            (n, n),
        ]
        shapes += [(2 * n, c), (n, 2 * c)]
        self.arguments = [Buffer(f"%x{i}", s, f"%x{i}") for i, s in enumerate(shapes)]
        self.buffers = list(self.arguments)  # that there are
        self.written = {b.root for b in self.buffers}  # roots with numbers in all of them
        self.totals: list[Buffer] = []  # to which a loop only adds
        self.large: set[str] = set()  # those that have sums, which are no factors
        self.views()
        for _ in range(rng.randint(2, 6)):
            self.step()
        for _ in range(rng.randint(1, 2)):
            if rng.random() < 0.85:
                self.loop()
            for _ in range(rng.randint(0, 4)):
                self.step()

    # --- text ---------------------------------------------------------------------------------

    def say(self, line: str) -> None:
        self.lines.append("  " * (self.depth + 1) + line)

    def fresh(self) -> str:
        self.names += 1
        return f"%v{self.names}"

    def text(self) -> str:
        arguments = ", ".join(f"{b.name}: {b.type}" for b in self.arguments)
        numbers = {"zero": 0.0, "low": -3.0, "high": 3.0, "one": 1.0, "least": -1000.0}
        head = [f"  %{k} = arith.constant {v!r} : {ELEMENT}" for k, v in numbers.items()]
        head += [f"  %c{i} = arith.constant {i} : index" for i in range(4)]
        lines = [
            f"func.func @{self.name}({arguments}, %p: i1) {{",
            *head,
            *self.lines,
            "  return",
            "}",
        ]
        return "\n".join(lines)

    def views(self) -> None:
        """Parts of the two larger arguments, some of which overlap."""
        n, c, rng = self.n, self.c, self.rng
        tall, wide = self.arguments[-2:]
        for at in rng.sample([0, 1, n - 1, n], rng.randint(0, 3)):
            self.part(tall, (at, 0), (n, c))
        for at in rng.sample([0, c, c // 2], rng.randint(0, 2)):
            self.part(wide, (0, at), (n, c))

    def part(self, of: Buffer, at: tuple[int, int], shape: tuple[int, int]) -> Buffer:
        width = of.shape[1]
        offset = at[0] * width + at[1]
        layout = (
            f", strided<[{width}, 1], offset: {offset}>" if offset else f", strided<[{width}, 1]>"
        )
        made = Buffer(self.fresh(), shape, of.root, layout)
        offsets, sizes = ", ".join(map(str, at)), ", ".join(map(str, shape))
        self.say(
            f"{made.name} = memref.subview {of.name}[{offsets}] [{sizes}] [1, 1] : {of.type} to {made.type}"
        )
        self.buffers.append(made)
        return made

    def generic(
        self,
        ins: list[tuple[Buffer, str]],
        outs: list[tuple[Buffer, str]],
        loops: str,
        body: list[str],
    ) -> None:
        """`body` names its arguments %a0, ... and %o0, ..., and yields what it ends with."""
        maps = ", ".join(f"#{m}" for _, m in [*ins, *outs])
        kinds = ", ".join('"parallel"' if x == "p" else '"reduction"' for x in loops)
        given = lambda pairs: (
            f"({', '.join(b.name for b, _ in pairs)} : {', '.join(b.type for b, _ in pairs)})"
        )
        reads = f" ins{given(ins)}" if ins else ""
        self.say(
            f"linalg.generic {{indexing_maps = [{maps}], iterator_types = [{kinds}]}}{reads} outs{given(outs)} {{"
        )
        names = [f"%a{i}" for i in range(len(ins))] + [f"%o{i}" for i in range(len(outs))]
        self.say("^bb0(" + ", ".join(f"{x}: {ELEMENT}" for x in names) + "):")
        for line in body:
            self.say("  " + line)
        self.say("}")

    # --- what is used -------------------------------------------------------------------------

    def readable(self, shape: tuple[int, ...], apart: str = "") -> list[Buffer]:
        return [
            b
            for b in self.buffers
            if b.shape == shape and b.root in self.written and b.root != apart
        ]

    def some(self, shape: tuple[int, ...], apart: str = "") -> Buffer | None:
        found = [b for b in self.readable(shape, apart) if b.root not in self.large]
        return self.rng.choice(found[-5:] if self.rng.random() < 0.7 else found) if found else None

    def make(self, shape: tuple[int, ...]) -> Buffer:
        made = Buffer(self.fresh(), shape, f"%v{self.names}")
        self.say(f"{made.name} = memref.alloc() : {made.type}")
        self.buffers.append(made)
        return made

    def target(self, shape: tuple[int, ...], often: float = 0.6) -> Buffer:
        """Where a result goes: a new temporary, or what is there."""
        there = [b for b in self.buffers if b.shape == shape]
        return (
            self.make(shape) if not there or self.rng.random() < often else self.rng.choice(there)
        )

    def complete(self, buffer: Buffer) -> None:
        """All of `buffer` has been written, by small numbers."""
        self.written.add(buffer.root)
        if not buffer.layout:
            self.large.discard(buffer.root)

    def fill(self, buffer: Buffer, number: str = "%zero") -> None:
        self.say(f"linalg.fill ins({number} : {ELEMENT}) outs({buffer.name} : {buffer.type})")
        self.complete(buffer)

    # --- ops ----------------------------------------------------------------------------------

    def step(self) -> None:
        kinds = {
            self.map: 10,
            self.product: 8,
            self.turned: 3,
            self.added_up: 8 if self.totals else 2,
            self.added_later: 5,
            self.over_rows: 3,
            self.over_columns: 3,
            self.refilled: 2,
            self.copy: 1,
            self.element: 0.5,
            self.chosen: 1,
            self.branch: 0.7,
        }
        self.rng.choices(list(kinds), weights=list(kinds.values()))[0]()

    def clamped(self, value: str, body: list[str]) -> list[str]:
        return [
            *body,
            f"%low1 = arith.maximumf {value}, %low : {ELEMENT}",
            f"%high1 = arith.minimumf %low1, %high : {ELEMENT}",
            f"linalg.yield %high1 : {ELEMENT}",
        ]

    def summed(self, values: list[str]) -> tuple[str, list[str]]:
        rng, body, total = self.rng, [], values[0]
        for i, value in enumerate(values[1:]):
            name = rng.choice(["addf", "addf", "subf", "maximumf", "minimumf"])
            body.append(
                f"%s{i} = arith.{name} {', '.join(rng.sample([total, value], 2))} : {ELEMENT}"
            )
            total = f"%s{i}"
        return total, body

    def map(self, out: Buffer | None = None) -> None:
        rng = self.rng
        shape = (self.n, rng.choice([self.c, self.c, self.d]))
        if rng.random() < 0.15:
            shape = rng.choice([(self.c, self.c), (self.c, self.d), (self.n, self.n)])
        out = out or self.target(shape)
        shape = out.shape
        ins: list[tuple[Buffer, str]] = []
        for _ in range(rng.randint(1, 3)):
            how = rng.random()
            wanted, name = (
                (shape, "row")
                if how < 0.75
                else (shape[:1], "first")
                if how < 0.87
                else (shape[1:], "second")
            )
            found = [
                b
                for b in self.readable(wanted)
                if b.root != out.root or (b == out and name == "row")
            ]
            if found:
                ins.append((rng.choice(found[-4:]), name))
        values = [f"%a{i}" for i in range(len(ins))]
        if out.root in self.written and rng.random() < 0.3:
            values.append("%o0")
        if not values:
            return self.fill(out)
        rng.shuffle(values)
        total, body = self.summed(values)
        self.generic(ins, [(out, "row")], "pp", self.clamped(total, body))
        self.complete(out)

    def turned(self) -> None:
        """A square the other way round, or rows of it that all columns read."""
        shape = (self.n, self.n) if self.rng.random() < 0.5 else (self.c, self.c)
        out = self.target(shape)
        x, y = self.some(shape, out.root), self.some(shape, out.root)
        if x and y:
            total, body = self.summed(["%a0", "%a1"])
            self.generic(
                [(x, "turned"), (y, "row")], [(out, "row")], "pp", self.clamped(total, body)
            )
            self.complete(out)

    def multiply(self, x: Buffer, y: Buffer, out: Buffer, maps: tuple[str, str]) -> None:
        pairs = list(zip((x, y), maps, strict=True))
        if self.rng.random() < 0.2:
            pairs.reverse()
        order = self.rng.sample(["%o0", "%t"], 2)
        body = [
            f"%t = arith.mulf {', '.join(self.rng.sample(['%a0', '%a1'], 2))} : {ELEMENT}",
            f"%u = arith.addf {', '.join(order)} : {ELEMENT}",
            f"linalg.yield %u : {ELEMENT}",
        ]
        self.generic(pairs, [(out, "c")], "ppr", body)
        self.complete(out)
        self.large.add(out.root)

    def product(self, out: Buffer | None = None) -> None:
        """Rows times weights, begun with zeros or with what is there, and perhaps a function behind."""
        rng, n, c, d = self.rng, self.n, self.c, self.d
        k, j = rng.choice([(c, c), (c, d), (d, c), (c, n), (n, c)])
        if out:
            j = out.shape[1]
            k = rng.choice([c, d])
        out = out or self.target((n, j), 0.7)
        turned = rng.random() < 0.4
        x, w = self.some((n, k), out.root), self.some((j, k) if turned else (k, j), out.root)
        if not x or not w:
            return
        if out.root not in self.written or rng.random() < 0.7:
            self.fill(out)
            if rng.random() < 0.15:
                self.step()
                if out.root in (x.root, w.root):
                    return
        self.multiply(x, w, out, ("a", "bt" if turned else "b"))
        if rng.random() < 0.7:
            self.behind(out)

    def behind(self, out: Buffer) -> None:
        """A function of a product, in its place or elsewhere."""
        to = out if self.rng.random() < 0.4 else self.target(out.shape, 0.8)
        if to.root == out.root and to != out:
            return
        total, body = self.summed(["%a0"])
        other = self.some(out.shape, to.root)
        ins = [(out, "row")]
        if other and self.rng.random() < 0.4:
            ins.append((other, "row"))
            total, body = self.summed(["%a0", "%a1"])
        self.generic(ins, [(to, "row")], "pp", self.clamped(total, body))
        self.complete(to)

    def pair(self, out: Buffer) -> tuple[Buffer, Buffer] | None:
        """Rows whose products with each other have the shape of `out`."""
        x, y = (
            self.some((self.n, out.shape[0]), out.root),
            self.some((self.n, out.shape[1]), out.root),
        )
        return (x, y) if x and y else None

    def added_up(self) -> None:
        """Products of all rows, added to what is there."""
        rng = self.rng
        shape = rng.choice([(self.c, self.c), (self.c, self.d), (self.d, self.c)])
        there = self.readable(shape)
        if self.totals and rng.random() < 0.8:
            there = self.totals
        if not there:
            return
        out = rng.choice(there)
        for _ in range(rng.randint(1, 2)):
            if found := self.pair(out):
                self.multiply(*found, out, ("at", "b"))

    def added_later(self) -> None:
        """Products of their own, then a sum of them and of what is there."""
        rng = self.rng
        shape = rng.choice([(self.c, self.c), (self.c, self.d), (self.n, self.c)])
        there = self.readable(shape)
        if not there:
            return
        total = rng.choice(there)
        terms: list[tuple[Buffer, str]] = []
        for _ in range(rng.randint(1, 3)):
            t = self.make(shape)
            self.fill(t)
            if shape[0] == self.n and shape[1] == self.c and self.n != self.c:
                x, w = self.some((self.n, self.d), t.root), self.some((self.d, self.c), t.root)
                if x and w:
                    self.multiply(x, w, t, ("a", "b"))
            elif found := self.pair(t):
                self.multiply(*found, t, ("at", "b"))
            terms.append((t, "row"))
            if rng.random() < 0.3:
                self.step()
        if (
            rng.random() < 0.3
            and (other := self.some(shape))
            and (other == total or other.root != total.root)
        ):
            terms.append((other, "row"))
        if total.root not in self.written:
            return
        if any(b.root == total.root and b != total for b, _ in terms):
            return
        values = [f"%a{i}" for i in range(len(terms))] + ["%o0"]
        if rng.random() < 0.2:  # what is there is an operand
            terms.append((total, "row"))
            values[-1] = f"%a{len(terms) - 1}"
        rng.shuffle(values)
        body, sum_ = [], values[0]
        for i, value in enumerate(values[1:]):
            body.append(f"%s{i} = arith.addf {', '.join(rng.sample([sum_, value], 2))} : {ELEMENT}")
            sum_ = f"%s{i}"
        self.generic(terms, [(total, "row")], "pp", [*body, f"linalg.yield {sum_} : {ELEMENT}"])
        self.large.add(total.root)

    def reduced(self, shape: tuple[int, ...], loops: str, to: str) -> None:
        rng = self.rng
        out = self.target(shape)
        x = self.some((self.n, self.c), out.root)
        if not x:
            return
        name = rng.choice(["addf", "addf", "maximumf"])
        if out.root not in self.written or rng.random() < 0.7:
            self.fill(out, "%zero" if name == "addf" else "%least")
        value, body = "%a0", []
        ins = [(x, "row")]
        y = self.some((self.n, self.c), out.root)
        if y and rng.random() < 0.4:
            ins.append((y, "row"))
            value, body = self.summed(["%a0", "%a1"])
        body += [
            f"%r = arith.{name} {', '.join(rng.sample([value, '%o0'], 2))} : {ELEMENT}",
            f"linalg.yield %r : {ELEMENT}",
        ]
        self.generic(ins, [(out, to)], loops, body)
        self.large.add(out.root)

    def over_rows(self) -> None:
        self.reduced((self.c,), "rp", "second")

    def over_columns(self) -> None:
        self.reduced((self.n,), "pr", "first")

    def refilled(self) -> None:
        self.fill(self.rng.choice(self.buffers), self.rng.choice(["%zero", "%one"]))

    def copy(self) -> None:
        to = self.target((self.n, self.c))
        if x := self.some(to.shape, to.root):
            self.say(f"memref.copy {x.name}, {to.name} : {x.type} to {to.type}")
            self.complete(to)

    def element(self) -> None:
        """What passes may not look through."""
        x = self.some((self.n, self.c))
        y = self.some((self.c, self.c))
        if x and y:
            v = self.fresh()
            self.say(f"{v} = memref.load {x.name}[%c0, %c0] : {x.type}")
            self.say(f"memref.store {v}, {y.name}[%c0, %c0] : {y.type}")

    def chosen(self) -> None:
        """One of two buffers, which is read."""
        found = [b for b in self.readable((self.n, self.c)) if not b.layout]
        if len(found) < 2:
            return
        x, y = self.rng.sample(found, 2)
        to = self.target((self.n, self.c), 0.8)
        if to.root in (x.root, y.root):
            return
        m = self.fresh()
        self.say(f"{m} = arith.select %p, {x.name}, {y.name} : {x.type}")
        self.generic([(Buffer(m, x.shape, m), "row")], [(to, "row")], "pp", self.clamped("%a0", []))
        self.complete(to)

    def branch(self) -> None:
        before, written = list(self.buffers), set(self.written)
        self.say("scf.if %p {")
        self.depth += 1
        for _ in range(self.rng.randint(1, 3)):
            self.step()
        self.depth -= 1
        self.say("}")
        self.buffers, self.written = before, written

    def loop(self) -> None:
        """Some steps, of no, one or a few times; what it writes first is nothing after it."""
        rng = self.rng
        before, written, totals = list(self.buffers), set(self.written), self.totals
        sums = self.readable((self.c, self.c)) + self.readable((self.c, self.d))
        if sums and not totals and rng.random() < 0.8:
            self.totals = rng.sample(sums, min(len(sums), rng.choice([1, 1, 2])))
            roots = {b.root for b in self.totals}
            self.buffers = [b for b in self.buffers if b.root not in roots]
        trips = rng.choice(["%c0", "%c1", "%c2", "%c3", "%c3"])
        self.say(f"scf.for {self.fresh()} = %c0 to {trips} step %c1 {{")
        self.depth += 1
        for _ in range(rng.randint(4, 10)):
            if self.depth < 3 and rng.random() < 0.04:
                self.loop()
            else:
                self.step()
        self.depth -= 1
        self.say("}")
        self.buffers, self.written, self.totals = before, written, totals
