"""Feeds mutated IR to the tools, and looks for crashes and hangs only.

The cell IR of the lit tests is changed at a few places: numbers, types, names of ops and of attributes,
operands; lines are dropped, repeated and swapped. Whatever results must be accepted or refused with a
message: a tool that ends by a signal, by a failed allocation or not at all is a bug. The number of a
case decides all of it.

    python test/fuzz/mutate_ir.py --first=1000 --count=500

A case that fails is written to build/fuzz, and the command is printed. Tests of other dialects are left
out: the parsers of linalg crash on some ill-formed texts (in MLIR 22.1).
"""

from __future__ import annotations

import argparse
import os
import random
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("CELLGRAD_BUILD_DIR", ROOT / "build"))
SANITIZED = "-fsanitize" in (BUILD / "CMakeCache.txt").read_text()
SEPARATOR = "\n// -----\n"
BATCH = 40  # cases that one process gets
SECONDS = 20  # that one case may take
MEMORY = 8 << 20  # KiB that a process may take, unless sanitizers need the address space

DIFFERENTIATE = "inline,symbol-dce,cell-differentiate,inline,symbol-dce,canonicalize,cse"
PIPELINES = (
    "builtin.module()",
    "builtin.module(canonicalize,cse)",
    "builtin.module(cell-differentiate)",
    f"builtin.module({DIFFERENTIATE})",
    "builtin.module(cell-to-llvm-pipeline)",
)
NUMBERS = ("-1", "0", "1", "2", "3", "7", "64", "2147483648", "4294967296", "4611686018427387904",
           "9223372036854775807", "-9223372036854775808", "1.0e+400", "0x7FC00000")  # fmt: skip
ELEMENTS = ("i1", "i8", "i16", "i32", "i64", "f16", "bf16", "f32", "f64", "i7", "index", "ui8",
            "complex<f32>", "f128", "none")  # fmt: skip
TYPES = ("i32", "index", "f32", "none", "tensor<*xf32>", "tensor<?xf32>", "tensor<f32>", "tensor<0xf32>",
         "memref<2xf32>", "vector<2xf32>", "tensor<2x3xf32>", "tensor<2x3xi1>", "tensor<i64>", "tensor<2xi32>",
         "tensor<4294967296x4294967296x2xf32>", "tensor<2xf32, \"encoded\">",
         "!cell.stash<tensor<2xf32>>", "tensor<2xvector<2xf32>>", "() -> ()", "!llvm.ptr")  # fmt: skip

SIZES = ("0", "1", "2", "3", "5", "8", "17", "70", "1048576", "4294967296")
SIZE = re.compile(r"(?<=[<x])\d+(?=x)")
NUMBER = re.compile(r"(?<![\w%@#.])-?\d+(?:\.\d+(?:e[+-]?\d+)?)?(?![\w.])|(?<=[<x])\d+(?=x)")
ELEMENT = re.compile(r"(?<=[<x])(?:i1|i8|i16|i32|i64|f16|bf16|f32|f64)(?=>)")
TYPE = re.compile(r"tensor<[^<>]*>")
OPERATION = re.compile(r"\bcell\.\w+")
VALUE = re.compile(r"%\w+(?:#\d+)?")
SYMBOL = re.compile(r"@\w+")
WORD = re.compile(r"(?<= )[a-z_]+(?= [\[=%])|(?<=[{,] )[a-z_]+(?=[ },=])")
TEXT = re.compile(r'"[^"\n]*"')


def corpus() -> tuple[list[str], list[str]]:
    """The chunks of the lit tests that are well-formed, and those that are not, without comments."""
    chunks: tuple[list[str], list[str]] = ([], [])
    for path in sorted((ROOT / "test").rglob("*.mlir")):
        for chunk in path.read_text().split("// -----"):
            lines = [line for line in chunk.splitlines() if not line.lstrip().startswith("//")]
            text = "\n".join(line for line in lines if line.strip()) + "\n"
            foreign = re.search(r"\b(linalg|memref|vector|bufferization|llvm)\.", text)
            if "func.func" in text and "cell." in text and not foreign and len(text) < 6000:
                chunks["expected-error" in chunk or "error" in path.name].append(text)
    return chunks


def substitute(rng: random.Random, text: str, what: re.Pattern[str], by: Sequence[str]) -> str:
    """`text` with one match of `what` replaced by one of `by`."""
    found = list(what.finditer(text))
    if not found or not by:
        return text
    match = rng.choice(found)
    return text[: match.start()] + rng.choice(by) + text[match.end() :]


def change_lines(rng: random.Random, text: str) -> str:
    lines = text.splitlines(keepends=True)
    at, to = rng.randrange(len(lines)), rng.randrange(len(lines))
    how = rng.randrange(3)
    if how == 0:
        del lines[at]
    elif how == 1:
        lines.insert(at, lines[to])
    else:
        lines[at], lines[to] = lines[to], lines[at]
    return "".join(lines)


def mutate(rng: random.Random, text: str, operations: Sequence[str]) -> str:
    """`text` changed at one to three places; half of all texts so that they may be well-formed."""
    gentle = rng.random() < 0.5
    for _ in range(1 if gentle else rng.choice((1, 1, 1, 2, 3))):
        how = rng.choice((6, 6, 7, 8, 12, 12)) if gentle else rng.randrange(14)
        if how < 3:
            text = substitute(rng, text, NUMBER, NUMBERS)
        elif how < 5:
            text = substitute(rng, text, TYPE, TYPES)
        elif how == 5:  # the same type everywhere: what is checked is the op, not its neighbours
            found = sorted(set(TYPE.findall(text)))
            if found:
                text = text.replace(rng.choice(found), rng.choice(TYPES))
        elif how == 6:
            found = sorted(set(ELEMENT.findall(text)))
            if found:
                element = rng.choice(ELEMENTS[5:9] if gentle else ELEMENTS)
                text = re.sub(rf"(?<=[<x]){rng.choice(found)}(?=>)", element, text)
        elif how == 7:
            text = substitute(rng, text, OPERATION, operations)
        elif how == 8:
            text = substitute(rng, text, VALUE, sorted(set(VALUE.findall(text))))
        elif how == 9:
            text = substitute(rng, text, SYMBOL, sorted(set(SYMBOL.findall(text))))
        elif how == 10:
            text = substitute(
                rng, text, rng.choice((WORD, TEXT)), ("dims", "[]", '"x"', "", "1 : i3")
            )
        elif how == 11:
            text = change_lines(rng, text)
        else:  # one size, wherever it stands
            found = sorted(set(SIZE.findall(text)))
            if found:
                text = re.sub(rf"(?<=[<x]){rng.choice(found)}(?=x)", rng.choice(SIZES), text)
    return text


def cases(first: int, count: int) -> list[str]:
    good, bad = corpus()
    operations = sorted({name for chunk in good for name in OPERATION.findall(chunk)})
    result = []
    for number in range(first, first + count):
        rng = random.Random(number)
        result.append(mutate(rng, rng.choice(bad if rng.randrange(5) == 0 else good), operations))
    return result


def ends(command: Sequence[str], text: str) -> str:
    """How the tool crashed on the text, which stands for CASE; empty where it did not."""
    limits = "ulimit -c 0" if SANITIZED else f"ulimit -c 0 -v {MEMORY}"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "case.mlir"
        path.write_text(text)
        arguments = [word.replace("CASE", str(path)) for word in command]
        try:
            run = subprocess.run(
                ["bash", "-c", f'{limits} && exec "$@"', "bash", *arguments],
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                timeout=SECONDS * (1 + text.count(SEPARATOR) / 10),
            )
        except subprocess.TimeoutExpired:
            return "does not end"
    message = run.stderr.decode(errors="replace")
    if run.returncode in (0, 1) and "runtime error:" not in message:
        return ""
    told = [line for line in message.splitlines() if re.search(r"ERROR|runtime error|Assert", line)]
    return " ".join([f"exits with {run.returncode}", *told[:2]])


def accepts(command: Sequence[str], text: str) -> bool:
    """Whether the tool exits with status 0 on the text."""
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
        file.write(text)
        file.flush()
        arguments = [word.replace("CASE", file.name) for word in command]
        return subprocess.run(arguments, capture_output=True).returncode == 0


def passes(pipeline: str) -> list[str]:
    options = ["--split-input-file", "--mlir-disable-threading", f"--pass-pipeline={pipeline}"]
    return [str(BUILD / "bin" / "cell-opt"), *options, "CASE"]


def tools() -> list[list[str]]:
    """Those that take one module."""
    run = [str(BUILD / "bin" / "cell-run"), "CASE", "--seed=1", f"--passes={PIPELINES[2]}"]
    return [run, [str(BUILD / "bin" / "cellc"), "CASE", "-O0", "-o", "case.so"]]


def check(first: int, count: int) -> list[str]:
    """One line for each case and command that crashed; one case in 20 also goes to the other tools."""
    failures = []
    texts = dict(enumerate(cases(first, count), first))

    def note(command: Sequence[str], number: int) -> None:
        if how := ends(command, texts[number]):
            path = BUILD / "fuzz" / f"mutant-{number}.mlir"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(texts[number])
            again = shlex.join(word.replace("CASE", str(path)) for word in command)
            failures.append(f"{how}: {again}")

    for command in map(passes, PIPELINES):
        for at in range(first, first + count, BATCH):
            numbers = range(at, min(at + BATCH, first + count))
            if ends(command, SEPARATOR.join(texts[number] for number in numbers)):
                for number in numbers:
                    note(command, number)
    # Loops whose trips were changed need not end.
    for number in range(first, first + count, 20):
        for command in tools()[1:] if "scf." in texts[number] else tools():
            note(command, number)
    return failures


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=400)
    options = parser.parse_args()
    failures = check(options.first, options.count)
    print("\n".join([*failures, f"{options.count} cases, {len(failures)} failures"]))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
