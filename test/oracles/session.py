"""Runs small programs in one framework; in that framework's interpreter.

    python session.py cellgrad|mindspore PROGRAMS.json ANSWERS.jsonl [FIRST]

A program is {"id": ..., "mode": "graph" | "eager", "text": ...}: the body of a function that returns what
is compared. Each is put into a module file, as both frameworks read sources. An answer is one line of
JSON, {"id": ..., "is": result} with what `describe` says, or {"id": ..., "error": [classes], "says": text}. Lines are
written as they come: if the process dies, the next program is the one it died of, and FIRST goes on
behind it.
"""

import ast
import importlib
import importlib.util
import json
import signal
import sys
import tempfile
from pathlib import Path

import numpy as np

SECONDS = 60  # for one program
MOST = 2000  # elements of a tensor that are compared
TOGETHER = 50  # programs in one file: reading sources takes longer in large ones

HEADER = """
import dataclasses
import functools
import math

import numpy as np
import {framework} as ms
from {framework} import Parameter, ParameterTuple, Tensor, mint, mutable, nn, ops
from {framework}.common.initializer import initializer


def T(values, dtype="float32"):
    return Tensor(np.array(values), getattr(ms, dtype))


def P(values, dtype="float32", name="p", **others):
    return Parameter(Tensor(np.array(values), getattr(ms, dtype)), name=name, **others)


def probe(value):
    '''Weights of a sum, so that no element hides another.'''
    wave = np.cos(1.0 + np.arange(value.size)).reshape(value.shape)
    return Tensor(wave.astype(np.float32), value.dtype)
"""


def number(value, digits):
    value = value.item() if hasattr(value, "item") else value
    if isinstance(value, (bool, int)):
        return value
    return float(f"{float(value):.{digits}g}") if np.isfinite(value) else repr(float(value))


def describe(value):
    """A result as JSON: tensors with dtype, shape and elements, structures with what is in them."""
    kind = type(value).__name__
    if hasattr(value, "asnumpy"):
        dtype = str(value.dtype)
        array = np.asarray(value.asnumpy())
        shape = list(array.shape)
        array = array.ravel()[:: array.size // MOST + 1]
        if dtype in ("BFloat16", "Float16"):
            array = array.astype(np.float32)
        if array.dtype.kind == "c":
            pairs = [[number(v.real, 9), number(v.imag, 9)] for v in array]
            return {"dtype": dtype, "shape": shape, "complex": pairs}
        digits = 14 if dtype == "Float64" else 8
        return {
            "dtype": dtype,
            "shape": shape,
            "values": [number(v, digits) for v in array],
        }
    if isinstance(value, np.ndarray):
        return {"array": value.dtype.name, "values": [number(v, 8) for v in value.ravel()]}
    if isinstance(value, (bool, int, float, np.generic)):
        return {kind: number(value, 14)}
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, (tuple, list)):
        return {"tuple" if isinstance(value, tuple) else "list": [describe(v) for v in value]}
    if isinstance(value, dict):
        return {"dict": [[str(k), describe(v)] for k, v in value.items()]}
    return {"object": str(value) if kind in ("Type", "DataType") else kind}


class Hoist(ast.NodeTransformer):
    """Lambdas as functions before their statement: MindSpore's graph mode reads no other."""

    def __init__(self):
        self.made, self.count = [], 0

    def visit_Lambda(self, node):
        self.count += 1
        name = f"lambda_{self.count}"
        body = [ast.Return(node.body)]
        self.made.append(ast.FunctionDef(name, node.args, body, [], lineno=0))
        return ast.Name(name, ast.Load())

    def visit_block(self, statements):
        out = []
        for statement in statements:
            before, self.made = self.made, []
            new = self.visit(statement)
            out += [*self.made, new]
            self.made = before
        return out

    def generic_visit(self, node):
        for field in ("body", "orelse", "finalbody"):
            if isinstance(getattr(node, field, None), list):
                setattr(node, field, self.visit_block(getattr(node, field)))
        for field, value in ast.iter_fields(node):
            if isinstance(value, ast.expr):
                setattr(node, field, self.visit(value))
            elif isinstance(value, list) and field not in ("body", "orelse", "finalbody"):
                changed = [self.visit(v) if isinstance(v, ast.AST) else v for v in value]
                setattr(node, field, changed)
        return node


def hoisted(text):
    if "lambda" not in text:
        return text
    tree = ast.parse(f"def program():\n    {text.replace(chr(10), chr(10) + '    ')}\n")
    body = Hoist().visit(tree).body[0].body
    return "\n".join(ast.unparse(ast.fix_missing_locations(s)) for s in body)


def module(framework, programs, folder):
    """A module with a function for each program."""
    text = HEADER.format(framework=framework)
    for i, program in enumerate(programs):
        body = hoisted(program["text"].strip("\n")).replace("\n", "\n    ")
        text += f"\n\ndef program_{i}():\n    {body}\n"
    name = f"programs_{len(list(folder.iterdir()))}"
    path = folder / f"{name}.py"
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(name, path)
    made = importlib.util.module_from_spec(spec)
    sys.modules[name] = made
    spec.loader.exec_module(made)
    return made


def late(*_):
    raise TimeoutError(f"more than {SECONDS} s")


def answer(ms, program, function):
    ms.set_context(mode=ms.GRAPH_MODE if program["mode"] == "graph" else ms.PYNATIVE_MODE)
    try:
        return {"id": program["id"], "is": describe(function())}
    except Exception as e:
        return failure(program, e)


def failure(program, e):
    classes = [c.__name__ for c in type(e).__mro__ if c not in (object, BaseException)]
    return {"id": program["id"], "error": classes, "says": str(e)[:2000]}


def answers(framework, programs, folder):
    """The answers, one by one."""
    ms = importlib.import_module(framework)
    if framework == "mindspore":
        ms.set_context(pynative_synchronize=True)
    for at in range(0, len(programs), TOGETHER):
        group = programs[at : at + TOGETHER]
        made = module(framework, group, Path(folder))
        for i, program in enumerate(group):
            signal.alarm(SECONDS)
            yield answer(ms, program, getattr(made, f"program_{i}"))
            signal.alarm(0)


def work(answers):
    """Asks `answers` for the programs that the command line names, and writes the lines."""
    framework, source, target, *first = sys.argv[1:]
    programs = json.loads(Path(source).read_text())
    signal.signal(signal.SIGALRM, late)
    with Path(target).open("a") as out, tempfile.TemporaryDirectory() as folder:
        for line in answers(framework, programs[int(first[0]) if first else 0 :], folder):
            print(json.dumps(line), file=out, flush=True)


if __name__ == "__main__":
    work(answers)
