"""Writes test/rules/<op>.mlir for the elementwise ops: forward IR, adjoint IR, executed numbers.

The numbers come from mpmath with 50 digits: values from its functions, derivatives from its
numerical differentiation or, where the function has a corner, a pole or no derivative, from the
tables below, which state what calculus and the documented subgradient say. None comes from a run
of the compiler. The files are part of the repository; run this after a change of the tables:

    python tools/rule-tests/generate.py test/rules [--check]
"""

import re
import sys
from pathlib import Path

import mpmath as mp
import special_tables
import tables

mp.mp.dps = 50
COTANGENT, TANGENTS = 3.0, (0.5, 0.25)


def number(value):
    """As cell-run prints a double with 12 digits."""
    value = float(value)
    if value != value:
        return "nan"
    if value in (float("inf"), float("-inf")):
        return "inf" if value > 0 else "-inf"
    text = f"{value:.12g}"
    return text if re.search(r"[.e]", text) else text + ".0"


def literal(value):
    special = {
        "nan": "0x7FF8000000000000",
        "inf": "0x7FF0000000000000",
        "-inf": "0xFFF0000000000000",
    }
    value = float(value)
    text = "nan" if value != value else repr(value)
    if "e" in text and "." not in text:
        text = text.replace("e", ".0e")
    return special.get(text, text)


def constant(value):
    """As MLIR prints a double: six digits where they are enough."""
    short = f"{value:.6e}"
    return short if float(short) == value else f"{value:.17g}"


def tensor(values, show):
    return "[" + ", ".join(show(v) for v in values) + "]"


def example(values, type):
    return f"{{cell.example = dense<{tensor(values, literal)}> : {type}}}"


def scaled(factor, derivative):
    """factor * derivative in IEEE arithmetic where derivative is a double's worth of special."""
    if isinstance(derivative, float):
        return factor * derivative
    return float(mp.mpf(factor) * derivative)


def adjoint_checks(expressions, values):
    """CHECK lines for nested calls such as mul(CT, cos(X)), in the order of their construction."""
    constants, lines, seen = {}, [], {}

    def visit(text):
        text = text.strip()
        if re.fullmatch(r"-?[0-9.]+", text):
            name = "C" + str(len(constants))
            return constants.setdefault(float(text), name)
        if text in values:
            return text
        if text in seen:
            return seen[text]
        op, inner = re.fullmatch(r"(\w+)\((.*)\)", text).groups()
        args, depth, start = [], 0, 0
        for i, c in enumerate(inner + ","):
            depth += (c == "(") - (c == ")")
            if c == "," and depth == 0:
                args.append(inner[start:i])
                start = i + 1
        named = [a for a in args if re.match(r" *\w+=", a)]
        operands = ["%[[" + visit(a) + "]]" for a in args if a not in named]
        attributes = [a.strip().replace("=", " ") for a in named]
        seen[text] = name = "V" + str(len(seen))
        written = " ".join([", ".join(operands), *attributes])
        lines.append(f"%[[{name}:.*]] = cell.{op} {written} :")
        return name

    results = ["%[[" + visit(e) + "]]" for e in expressions]
    head = [f"-DAG: %[[{n}:.*]] = cell.constant dense<{constant(v)}>" for v, n in constants.items()]
    return head + [": " + line for line in lines] + [": return " + ", ".join(results)]


def signature(names, types):
    return ", ".join(f"%{n}: {t}" for n, t in zip(names, types))


def transform(kind, callee, args, seeds, wrt, arg_type, type_count):
    types = ", ".join([arg_type] * (len(args) + len(seeds)))
    results = ", ".join([arg_type] * type_count)
    word = "cotangents" if kind == "vjp" else "tangents"
    order = f"of [0] wrt {wrt}" if kind == "vjp" else f"wrt {wrt} of [0]"
    return (
        f"cell.{kind} @{callee}({', '.join('%' + a for a in args)}) {word}"
        f"({', '.join('%' + s for s in seeds)}) {order} : ({types}) -> ({results})"
    )


class File:
    """One rule test: an op of one or two operands and its points."""

    def __init__(self, op, spec, operands):
        self.op, self.spec, self.operands = op, spec, operands
        self.lines = []

    def write(self, *lines):
        self.lines += lines

    def points(self, key):
        return [p if isinstance(p, tuple) else (p,) for p in self.spec[key]]

    def reference(self, point, order):
        """The derivative of multi-order `order` at `point`, from the table or from mpmath."""
        table = self.spec.get("special", {})
        key = point if len(point) > 1 else point[0]
        entry = table.get(repr(key), {})
        if order in entry:
            return entry[order]
        args = tuple(mp.mpf(p) for p in point)
        if not any(order):
            return self.spec["f"](*args)
        one = len(args) == 1
        return mp.chop(
            mp.diff(self.spec["f"], args[0] if one else args, order[0] if one else order), 1e-25
        )

    def tangent(self, point, slopes):
        """That of the result for TANGENTS of the operands."""
        if len(slopes) == 1:
            return scaled(TANGENTS[0], slopes[0])
        given = self.spec["special"].get(repr(point), {}).get("tangent")
        return sum(map(scaled, TANGENTS, slopes)) if given is None else given

    def function(self, name, params, results, body, public=True):
        out = ", ".join([self.type] * results)
        visibility = "" if public else "private "
        self.write(
            f"func.func {visibility}@{name}({params}) -> "
            + (f"({out})" if results > 1 else out)
            + " {"
        )
        self.write(*["  " + line for line in body], "}")

    def generate(self):
        n, names = len(self.points("points")), self.operands
        arity = len(names)
        self.type = type = f"tensor<{n}xf64>"
        unit = [tuple(int(i == j) for j in range(arity)) for i in range(arity)]
        self.write(
            f"// Derivative of cell.{self.op}. {self.spec.get('note', '')}".rstrip(),
            "// Generated by tools/rule-tests/generate.py; the numbers are mpmath's.",
            "// RUN: cell-opt %s | cell-opt | FileCheck %s --check-prefix=FORWARD",
            "// RUN: cell-opt %s --cell-differentiate | FileCheck %s --check-prefix=ADJOINT",
            "// RUN: cell-run %s --entry=values --passes=cell-differentiate --digits=12 "
            "| FileCheck %s --check-prefix=VALUES",
            "// RUN: cell-run %s --entry=second --passes=cell-differentiate --digits=12 "
            "| FileCheck %s --check-prefix=SECOND",
            "",
            "// FORWARD-LABEL: func.func private @f(",
            f"// FORWARD: cell.{self.op} %{{{{.*}}}} : {type}",
        )
        operands = ", ".join("%" + a for a in names)
        f_types = ", ".join([type] * arity)
        self.function(
            "f",
            signature(names, [type] * arity),
            1,
            [f"%0 = cell.{self.op} {operands} : {type}", f"return %0 : {type}"],
            public=False,
        )

        values = {a.upper() for a in names} | {"CT", "T", "U", "Y"}
        wrt = list(range(arity))
        gradients = [f"%0#{1 + i}" for i in wrt]
        self.checks("vjp", [*list(names), "ct"], self.spec["vjp"], values)
        self.function(
            "vjp",
            signature([*names, "ct"], [type] * (arity + 1)),
            arity,
            [
                f"%0:{1 + arity} = " + transform("vjp", "f", names, ["ct"], wrt, type, 1 + arity),
                f"return {', '.join(gradients)} : {f_types}",
            ],
        )
        seeds = ["t", "u"][:arity]
        self.checks("jvp", list(names) + seeds, [self.spec["jvp"]], values)
        self.function(
            "jvp",
            signature([*names, *seeds], [type] * 2 * arity),
            1,
            [
                "%0:2 = " + transform("jvp", "f", names, seeds, wrt, type, 2),
                f"return %0#1 : {type}",
            ],
        )
        self.values(unit)
        self.second(unit)
        return "\n".join(self.lines) + "\n"

    def checks(self, name, args, expressions, values):
        pattern = ", ".join(f"%[[{a.upper()}:[a-z0-9]+]]: {{{{[^,]*}}}}" for a in args)
        self.write("", f"// ADJOINT-LABEL: func.func @{name}(", f"// ADJOINT-SAME: {pattern})")
        body = adjoint_checks(expressions, values)
        if any(re.search(r"\bY\b", e) for e in expressions):
            at = sum(line.startswith("-DAG") for line in body)
            operands = ", ".join(f"%[[{a.upper()}]]" for a in self.operands)
            body.insert(at, f": %[[Y:.*]] = cell.{self.op} {operands} :")
        self.write(*["// ADJOINT" + line for line in body])

    def values(self, unit):
        points, names, arity = self.points("points"), self.operands, len(self.operands)
        columns = list(zip(*points))
        first = [[self.reference(p, u) for p in points] for u in unit]
        zero = (0,) * arity
        rows = [[self.reference(p, zero) for p in points]]
        rows += [[scaled(COTANGENT, d) for d in row] for row in first]
        rows.append([self.tangent(p, ds) for p, *ds in zip(points, *first)])
        self.write(
            "", f"// Cotangent {COTANGENT}, tangents {', '.join(map(str, TANGENTS[:arity]))}."
        )
        self.expect("VALUES", rows)
        seeds = ["t", "u"][:arity]
        params = ", ".join(
            f"%{a}: {self.type} {example(c, self.type)}" for a, c in zip(names, columns)
        )
        body = [f"%ct = cell.constant dense<{COTANGENT}> : {self.type}"]
        body += [f"%{s} = cell.constant dense<{v}> : {self.type}" for s, v in zip(seeds, TANGENTS)]
        body += [
            f"%0:{1 + arity} = "
            + transform("vjp", "f", names, ["ct"], list(range(arity)), self.type, 1 + arity),
            "%1:2 = " + transform("jvp", "f", names, seeds, list(range(arity)), self.type, 2),
        ]
        results = ["%0#0"] + [f"%0#{1 + i}" for i in range(arity)] + ["%1#1"]
        body.append(f"return {', '.join(results)} : {', '.join([self.type] * len(results))}")
        self.function("values", params, len(results), body)

    def second(self, unit):
        """All second derivatives, by vjp of vjp, jvp of vjp and vjp of jvp."""
        points, names, arity = self.points("second"), self.operands, len(self.operands)
        self.type = f"tensor<{len(points)}xf64>"
        columns = list(zip(*points))
        self.write("", "// Second derivatives: vjp of vjp, jvp of vjp, vjp of jvp.")
        pairs = [(i, j) for i in range(arity) for j in range(arity)]
        row = {
            (i, j): [
                self.reference(p, tuple(a + b for a, b in zip(unit[i], unit[j]))) for p in points
            ]
            for i, j in pairs
        }
        self.expect("SECOND", [row[p] for _ in range(3) for p in pairs])
        self.function(
            "g",
            signature(names, [self.type] * arity),
            1,
            [
                f"%0 = cell.{self.op} {', '.join('%' + a for a in names)} : {self.type}",
                f"return %0 : {self.type}",
            ],
            public=False,
        )
        one = f"%one = cell.constant dense<1.0> : {self.type}"
        for i in range(arity):
            self.function(
                f"reverse{i}",
                signature(names, [self.type] * arity),
                1,
                [
                    one,
                    "%0:2 = " + transform("vjp", "g", names, ["one"], [i], self.type, 2),
                    f"return %0#1 : {self.type}",
                ],
                public=False,
            )
            self.function(
                f"forward{i}",
                signature(names, [self.type] * arity),
                1,
                [
                    one,
                    "%0:2 = " + transform("jvp", "g", names, ["one"], [i], self.type, 2),
                    f"return %0#1 : {self.type}",
                ],
                public=False,
            )
        params = ", ".join(
            f"%{a}: {self.type} {example(c, self.type)}" for a, c in zip(names, columns)
        )
        body, results = [one], []
        for k, (outer, inner) in enumerate(
            [("vjp", "reverse"), ("jvp", "reverse"), ("vjp", "forward")]
        ):
            for i, j in pairs:
                name = f"{'abc'[k]}{i}{j}"
                body.append(
                    f"%{name}:2 = "
                    + transform(outer, f"{inner}{i}", names, ["one"], [j], self.type, 2)
                )
                results.append(f"%{name}#1")
        body.append(f"return {', '.join(results)} : {', '.join([self.type] * len(results))}")
        self.function("second", params, len(results), body)

    def expect(self, prefix, rows):
        for i, row in enumerate(rows):
            colon = ":     " if i == 0 else "-NEXT:"
            self.write(f"// {prefix}{colon} result {i}: {self.type} {tensor(row, number)}")


def main():
    target = Path(sys.argv[1])
    check = "--check" in sys.argv
    stale = []
    for table, operands in (
        (tables.UNARY | special_tables.UNARY, ["x"]),
        (tables.BINARY | special_tables.BINARY, ["a", "b"]),
    ):
        for op, spec in table.items():
            path, text = target / f"{op}.mlir", File(op, spec, operands).generate()
            if not check:
                path.write_text(text)
            elif path.read_text() != text:
                stale.append(path.name)
    if stale:
        sys.exit(f"not what the generator writes: {', '.join(stale)}; run it again")


if __name__ == "__main__":
    main()
