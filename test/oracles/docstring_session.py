"""Runs examples of docstrings in one framework, with `mindspore` as its name; in its interpreter.

    python docstring_session.py cellgrad|mindspore PROGRAMS.json ANSWERS.jsonl [FIRST]

A program is {"id": ..., "text": statements, "seed": ...}. An answer is {"id": ..., "is": {"prints": text,
"values": {name: description}}} with all variables that hold tensors, numbers or structures of them, or
an error as in `session.py`.
"""

import ast
import contextlib
import faulthandler
import importlib
import io
import random
import signal
import sys
import types
from pathlib import Path

import numpy as np
from session import describe, failure, work

SECONDS = 20  # for one example


def is_data(value):
    """Whether a variable is compared: a tensor, array, number, text, or a structure of such."""
    if isinstance(value, (tuple, list)):
        return all(is_data(v) for v in value)
    if isinstance(value, dict):
        return all(is_data(v) for v in value.values())
    plain = (bool, int, float, complex, str, np.ndarray, np.generic, type(None))
    return isinstance(value, plain) or hasattr(value, "asnumpy")


def values(names):
    """What the variables hold; nothing for those that cannot be read."""
    found = {}
    for name, value in names.items():
        if not name.startswith("_") and is_data(value):
            with contextlib.suppress(Exception):
                found[name] = describe(value)
    return found


def shown(text):
    """The program with each expression that is a statement shown as a prompt shows it."""
    tree = ast.parse(text)
    for statement in tree.body:
        if isinstance(statement, ast.Expr):
            show = ast.Name("_show", ast.Load())
            statement.value = ast.Call(show, [statement.value], [])
    return ast.unparse(ast.fix_missing_locations(tree))


def show(value):
    if value is not None:
        print(repr(value))


def perform(text, path, compared=""):
    """What a program prints and what its variables are, or one of them. It is a file, as its source is read."""
    program = shown(text)
    path.write_text(program)
    module = types.ModuleType(path.stem)
    module.__file__ = str(path)
    module._show = show
    sys.modules[path.stem] = module
    prints = io.StringIO()
    with contextlib.redirect_stdout(prints):
        exec(compile(program, str(path), "exec", dont_inherit=True), module.__dict__)
    names = {compared: vars(module)[compared]} if compared else vars(module)
    return {"prints": prints.getvalue(), "values": values(names)}


def prepare(ms, seed, graph):
    """The state that each example begins with; a seed it sets itself counts on from `seed`."""
    ms.set_context(mode=ms.GRAPH_MODE if graph else ms.PYNATIVE_MODE)
    ms.set_seed(seed)
    np.random.seed(0)
    random.seed(0)


def seeded(function, seed):
    return lambda value: function(value + seed)


def answers(framework, programs, folder):
    if framework == "cellgrad":
        importlib.import_module("cellgrad.dropin").install()
    ms = importlib.import_module("mindspore")
    if framework == "mindspore":
        ms.set_context(pynative_synchronize=True)
    for i, program in enumerate(programs):
        # Beyond what an alarm interrupts, the process ends.
        faulthandler.dump_traceback_later(SECONDS + 10, exit=True)
        signal.alarm(SECONDS)
        seed, original = int(program["seed"]), ms.set_seed
        try:
            prepare(ms, seed, program.get("mode") == "graph")
            if framework == "mindspore":
                ms.set_seed = seeded(original, seed)
            done = perform(
                program["text"], Path(folder) / f"example_{i}.py", program.get("compare", "")
            )
            yield {"id": program["id"], "is": done}
        except (Exception, SystemExit) as e:
            yield failure(program, e)
        finally:
            signal.alarm(0)
            if framework == "mindspore":
                ms.set_seed = original


if __name__ == "__main__":
    work(answers)
