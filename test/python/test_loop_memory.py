"""Temporaries in loops: as little memory as outside of them, and never two in one place."""

import math
import random
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest

import cellgrad as ms
from cellgrad import Tensor, _native, ops

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "fuzz"))

import differential
from generator import Program

LAYERS, SIZE = 12, 128
TENSOR = SIZE * SIZE * 4


def layers(x, weights):
    for w in weights:
        x = ops.tanh(ops.matmul(x, w))
    return x


def once(x, n, *weights):
    return ops.sum(layers(x, weights) * n)


def often(x, n, *weights):
    for _ in range(n):
        x = layers(x, weights)
    return ops.sum(x)


def in_branches_of_loop(x, n, *weights):
    for k in range(n):
        if k > 1:
            x = layers(x, weights)
        else:
            x = layers(x + 1, weights)
    return ops.sum(x)


def arena(function, folder):
    arguments = [Tensor(np.zeros((SIZE, SIZE), np.float32)), Tensor(2)]
    arguments += [Tensor(np.eye(SIZE, dtype=np.float32))] * LAYERS
    path = str(folder / function.__name__)
    ms.export(function, *arguments, file_name=path, value_and_grad=False)
    return _native.Model(path + ".so").entry("forward").arena_bytes


@pytest.mark.parametrize("function", [often, in_branches_of_loop])
def test_a_loop_takes_what_its_body_takes(tmp_path, function):
    # What the loop carries, and what each of the branches gives.
    assert arena(function, tmp_path) <= 1.05 * arena(once, tmp_path) + 2 * TENSOR


def test_so_does_its_gradient(tmp_path):
    def gradients(f):
        g = ms.grad(f, (0, *range(2, 2 + LAYERS)))
        g.__name__ = f"{f.__name__}_gradient"
        return g

    # What the loop carries: x, its cotangent, and what a trip adds to it.
    assert arena(gradients(often), tmp_path) <= 1.05 * arena(gradients(once), tmp_path) + 3 * TENSOR


# --- random programs --------------------------------------------------------------------------

VALUE = "tensor<6x6xf64>"


class Loops:
    """Draws loops and branches, nested, around products and sums that do not fuse."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.lines, self.count, self.indent = [], 0, 1

    def text(self):
        values = self.block(["%a", "%b"], 2, 5)
        results = ", ".join(values[-2:])
        body = "\n".join(self.lines)
        head = f"func.func private @f(%a: {VALUE}, %b: {VALUE}) -> ({VALUE}, {VALUE}) {{"
        constants = "\n".join(f"  %c{i} = arith.constant {i} : index" for i in range(4))
        constants += "\n  %zero = cell.constant dense<0.0> : tensor<f64>"
        for name, value in (("none", 0), ("one", 1), ("three", 3)):
            constants += f"\n  %{name} = cell.constant dense<{value}> : tensor<i32>"
        return f"{head}\n{constants}\n{body}\n  return {results} : {VALUE}, {VALUE}\n}}"

    def emit(self, line):
        self.lines.append("  " * self.indent + line)

    def name(self):
        self.count += 1
        return f"%v{self.count}"

    def op(self, text, operands):
        name = self.name()
        self.emit(f"{name} = cell.{text.format(*operands)}")
        return name

    def block(self, values, depth, steps):
        """Adds `steps` values to those that are known; returns them all."""
        values = list(values)
        for _ in range(steps):
            draw = self.rng.choice(
                [self.product, self.product, self.mean, self.sum, *self.nests(depth)]
            )
            values.append(draw(values, depth))
        return values

    def nests(self, depth):
        return [self.loop, self.loop, self.branch, self.search] if depth else []

    def recent(self, values):
        return self.rng.choice(values[-4:])

    def product(self, values, depth):
        pair = self.recent(values), self.rng.choice(values)
        made = self.op(f"matmul {{}}, {{}} : ({VALUE}, {VALUE}) -> {VALUE}", pair)
        return self.op(f"tanh {{}} : {VALUE}", [made])

    def mean(self, values, depth):
        row = self.op(f"reduce_sum {{}} over [0] : {VALUE} -> tensor<6xf64>", [self.recent(values)])
        wide = self.op(f"broadcast {{}} along [0] : tensor<6xf64> -> {VALUE}", [row])
        return self.op(f"sin {{}} : {VALUE}", [wide])

    def sum(self, values, depth):
        made = self.op(f"add {{}}, {{}} : {VALUE}", [self.recent(values), self.rng.choice(values)])
        return self.op(f"sin {{}} : {VALUE}", [made])

    def negative(self, value):
        total = self.op(f"reduce_sum {{}} over [0, 1] : {VALUE} -> tensor<f64>", [value])
        return self.op("less {}, %zero : tensor<f64>", [total])

    def extract(self, condition):
        name = self.name()
        self.emit(f"{name} = tensor.extract {condition}[] : tensor<i1>")
        return name

    def region(self, values, depth, results):
        self.indent += 1
        inner = self.block(values, depth - 1, self.rng.randint(1, 4))
        yields = [inner[-1], self.rng.choice(inner)][:results]
        self.emit(f"scf.yield {', '.join(yields)} : {', '.join([VALUE] * results)}")
        self.indent -= 1

    def branch(self, values, depth):
        c, name = self.extract(self.negative(self.recent(values))), self.name()
        self.emit(f"{name} = scf.if {c} -> ({VALUE}) {{")
        self.region(values, depth, 1)
        self.emit("} else {")
        self.region(values, depth, 1)
        self.emit("}")
        return name

    def loop(self, values, depth):
        a, b, name = self.recent(values), self.rng.choice(values), self.name()
        x, y = self.name(), self.name()
        trips = self.rng.randint(1, 3)
        self.emit(
            f"{name}:2 = scf.for %i{name[2:]} = %c0 to %c{trips} step %c1 "
            f"iter_args({x} = {a}, {y} = {b}) -> ({VALUE}, {VALUE}) {{"
        )
        self.region([*values, x, y], depth, 2)
        self.emit("}")
        return self.op(f"add {{}}, {{}} : {VALUE}", [f"{name}#0", f"{name}#1"])

    def search(self, values, depth):
        """A loop of at most three trips that the carried value may end before."""
        a, name, x, k, y, at = self.recent(values), *(self.name() for _ in range(5))
        types = f"{VALUE}, tensor<i32>"
        self.emit(f"{name}:2 = scf.while ({x} = {a}, {k} = %none) : ({types}) -> ({types}) {{")
        self.indent += 1
        square = self.op(f"matmul {{}}, {{}} : ({VALUE}, {VALUE}) -> {VALUE}", [x, x])
        few = self.op("less {}, %three : tensor<i32>", [k])
        more = self.extract(
            self.op("logical_and {}, {} : tensor<i1>", [few, self.negative(square)])
        )
        self.emit(f"scf.condition({more}) {x}, {k} : {types}")
        self.indent -= 1
        self.emit("} do {")
        self.emit(f"^bb0({y}: {VALUE}, {at}: tensor<i32>):")
        self.indent += 1
        inner = self.block([*values, y], depth - 1, self.rng.randint(1, 4))
        next_ = self.op("add {}, %one : tensor<i32>", [at])
        self.emit(f"scf.yield {inner[-1]}, {next_} : {types}")
        self.indent -= 1
        self.emit("}")
        return f"{name}#0"


def check_gradient(program, seed):
    """The gradient, compiled with poisoned memory, and interpreted."""
    extra = [shape for _, shape in program.results]
    g, args = differential.entry(program, "g", extra)
    n = len(program.arguments)
    every = list(range(n))
    g.ret(g.vjp("f", args[:n], args[n:], of=every, wrt=every)[n:])
    rng = np.random.default_rng(seed)
    given = [rng.normal(size=shape) for shape in (*program.arguments, *extra)]
    moved = [x * (1 + 1e-13 * rng.uniform(-1, 1, size=x.shape)) for x in given]
    with tempfile.TemporaryDirectory() as folder:
        model = differential.compiled(program.graph, Path(folder), 1, poison=True)
        results = differential.arrays(model.entry("g")(differential.buffers(given)))
    reference = differential.Reference(program, "g", given, moved)
    differential.compare(program, f"seed {seed}, gradient", results, reference)


@pytest.mark.parametrize("first", range(0, 8, 4))
def test_random_loops_with_poisoned_memory(first):
    """Temporaries that are NaN where they are not needed change nothing; see `poison`."""
    for seed in range(first, first + 4):
        differential.check_forward(Program.parse(Loops(seed).text()), 2 * seed)
        check_gradient(Program.parse(Loops(seed).text()), seed)


# --- what a gradient keeps --------------------------------------------------------------------


def erf(x):
    return np.vectorize(math.erf)(x)


def bell(x):
    return np.exp(-x * x / 2) / np.sqrt(2 * np.pi)


# Functions and their slopes, in float64.
ACTIVATIONS = {
    "tanh": (np.tanh, lambda x: 1 / np.cosh(x) ** 2),
    "sigmoid": (lambda x: 1 / (1 + np.exp(-x)), lambda x: np.exp(-x) / (1 + np.exp(-x)) ** 2),
    "relu": (lambda x: np.maximum(x, 0), lambda x: (x > 0) * 1.0),
    "erf": (erf, lambda x: 2 / np.sqrt(np.pi) * np.exp(-x * x)),
    "softplus": (lambda x: np.log1p(np.exp(x)), lambda x: 1 / (1 + np.exp(-x))),
    "silu": (
        lambda x: x / (1 + np.exp(-x)),
        lambda x: 1 / (1 + np.exp(-x)) * (1 + x / (1 + np.exp(x))),
    ),
    "gelu": (
        lambda x: x * (1 + erf(x / np.sqrt(2))) / 2,
        lambda x: (1 + erf(x / np.sqrt(2))) / 2 + x * bell(x),
    ),
}


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_one_tensor_a_layer_is_kept(tmp_path, name):
    value, slope = ACTIVATIONS[name]

    def loss(x, *weights):
        for w in weights:
            function = ops.gelu if name == "gelu" else getattr(ops, name)
            x = function(ops.matmul(x, w))
        return ops.sum(x)

    rng = np.random.default_rng(0)
    x = rng.normal(size=(SIZE, SIZE)).astype(np.float32)
    weights = [(rng.normal(size=(SIZE, SIZE)) / 11).astype(np.float32) for _ in range(LAYERS)]
    gradient = ms.grad(loss, tuple(range(1, LAYERS + 1)))
    given = [Tensor(x), *map(Tensor, weights)]
    path = str(tmp_path / name)
    ms.export(gradient, *given, file_name=path, value_and_grad=False)
    assert _native.Model(path + ".so").entry("forward").arena_bytes <= (LAYERS + 5) * TENSOR

    inputs, arguments = [np.float64(x)], []
    for w in weights:
        arguments.append(inputs[-1] @ w)
        inputs.append(value(arguments[-1]))
    cotangent = np.ones_like(inputs[-1])
    for i in reversed(range(LAYERS)):
        cotangent = cotangent * slope(arguments[i])
        weights[i], cotangent = inputs[i].T @ cotangent, cotangent @ np.float64(weights[i]).T
    for got, expected in zip(gradient(*given), weights, strict=True):
        scale = np.abs(expected).max()
        np.testing.assert_allclose(got.asnumpy(), expected, rtol=0, atol=2e-4 * scale)
