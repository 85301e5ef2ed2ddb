"""Random changes of the world between calls of one compiled function.

    python test/fuzz/known_calls.py [--first=0] [--count=20] [--steps=150]

A function reads a global, a Parameter, a tensor and a Cell from around it. Between two calls a few of them change, or
the mode, the thread, the hooks, the shape and dtype of the input, or how it is given. numpy in double says what each call has to
give: a call that takes what was compiled for another world (native/KnownCalls.cpp) is a wrong number. One of the functions is compiled
for any batch size, and one has a check that sometimes fails, and must say so.
"""

import argparse
import gc
import random
import sys
import threading

import numpy as np

import cellgrad as ms
from cellgrad import Parameter, Tensor, nn, ops

SCALE = 1.0
FACTOR = Tensor(1.0)
ONES = Tensor([1.0, 1.0])
PLACE = Tensor(0)  # in ONES, or behind its end


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.weight = Parameter(Tensor(1.0), name="weight")
        self.power = 1

    def construct(self, x):
        y = x * self.weight**self.power
        return y * 2 if self.training else y


class World:
    """The functions that are called, and in numbers what they read."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.net = net = Net()
        self.handle = None
        self.functions = {
            "grad": ms.grad(lambda x: (net(x) * x * SCALE * FACTOR).sum()),
            "value": ms.value_and_grad(lambda x: (net(x) * x * SCALE * FACTOR).sum()),
            "jit": ms.jit(lambda x: net(x) * x * SCALE * FACTOR),
            "any": ms.jit(lambda x: net(x) * x * SCALE * FACTOR, dynamic_batch=True),
            "checked": ms.grad(lambda x: (net(x) * x * SCALE * FACTOR * ONES[PLACE]).sum()),
        }
        self.inputs = {}
        self.set("scale", 1.0)
        self.set("factor", 1.0)
        self.weight = 1.0
        self.fails = False
        PLACE.assign_value(Tensor(0))

    def set(self, name, value):
        global SCALE, FACTOR
        setattr(self, name, value)
        if name == "scale":
            SCALE = value
        else:
            FACTOR = Tensor(value)

    def number(self):
        return float(self.random.choice([0.5, 1, 2, 3, 4]))

    def change(self):
        """One change, by name."""
        global FACTOR
        kind = self.random.choice(
            [
                "scale",
                "factor",
                "in_place",
                "weight",
                "assigned",
                "power",
                "train",
                "hook",
                "unhook",
                "place",
                "garbage",
                "others",
                "nothing",
            ]
        )
        net = self.net
        if kind in ("scale", "factor"):
            self.set(kind, self.number())
        elif kind == "in_place":
            self.factor = self.number()
            FACTOR.assign_value(Tensor(self.factor))
        elif kind == "weight":
            self.weight = self.number()
            net.weight.set_data(Tensor(self.weight))
        elif kind == "assigned":
            self.weight = self.number()
            net.weight = Parameter(Tensor(self.weight), name="weight")
        elif kind == "power":
            net.power = self.random.choice([0, 1, 2])
        elif kind == "train":
            net.set_train(self.random.random() < 0.5)
        elif kind == "hook" and self.handle is None and self.inputs:
            self.hooked = self.random.choice(list(self.inputs.values()))
            self.handle = self.hooked.register_hook(lambda g: g * 10)
        elif kind == "unhook" and self.handle is not None:
            self.handle.remove()
            self.handle = self.hooked = None
        elif kind == "place":
            self.fails = self.random.random() < 0.5
            PLACE.assign_value(Tensor(2 if self.fails else 1))
        elif kind == "garbage":
            gc.collect()
        elif kind == "others":
            for n in range(1, 20):
                self.functions["grad"](ops.ones(n))
        return kind

    def input(self):
        kind = self.random.choice([np.float32, np.float64]), self.random.choice([1, 2, 3])
        key = *kind, self.random.choice([Tensor, Parameter])
        if key not in self.inputs or self.random.random() < 0.2:
            x = Tensor(np.arange(1, kind[1] + 1).astype(kind[0]))
            if self.handle is None or self.inputs.get(key) is not self.hooked:
                self.inputs[key] = x if key[2] is Tensor else Parameter(x, name="x")
        return self.inputs[key]

    def call(self):
        """What a call gives, and what it should."""
        name, x = self.random.choice(list(self.functions)), self.input()
        function = self.functions[name]
        if name == "any" and type(x) is Parameter:  # which has no batch
            x = Tensor(x)
        way = self.random.choice(["plain"] * 6 + ["thread", "named", "eager", "pynative"])
        given = []
        plain, fails = function, self.fails and name == "checked"

        def function(x):
            try:
                result = plain(x)
            except IndexError as e:
                return e
            return result

        if way == "thread":
            worker = threading.Thread(target=lambda: given.append(function(x)))
            worker.start()
            worker.join()
        elif way == "named":
            given.append(function(x=x) if name in ("jit", "any") else function(x))
        elif way == "eager":
            with ms.debug.eager():
                given.append(function(x))
        elif way == "pynative":
            ms.set_context(mode=ms.PYNATIVE_MODE)
            try:
                given.append(function(x))
            finally:
                ms.set_context(mode=ms.GRAPH_MODE)
        else:
            given.append(function(x))
        v = x.asnumpy().astype(np.float64)
        slope = (
            self.weight**self.net.power * self.scale * self.factor * (2 if self.net.training else 1)
        )
        gradient = 2 * v * slope
        if self.handle is not None and x is self.hooked:
            gradient = gradient * 10
        wanted = {
            "grad": (gradient,),
            "value": ((v * v * slope).sum(), gradient),
            "jit": (v * v * slope,),
            "any": (v * v * slope,),
            "checked": (gradient,),
        }
        if fails or isinstance(given[0], IndexError):
            said = str(given[0])
            named = "out of bounds" in said and "known_calls.py" in said
            return f"{name}, {way}", [np.array(named)], [np.array(fails)]
        got = given[0] if name == "value" else (given[0],)
        return f"{name}, {way}", [g.asnumpy() for g in got], wanted[name]


def run(seed, steps):
    """The first wrong call of a sequence, in words; None."""
    ms.set_context(mode=ms.GRAPH_MODE)
    world, told = World(seed), []
    try:
        for _ in range(steps):
            changes = [world.change() for _ in range(world.random.choice([0, 0, 1, 1, 2]))]
            name, got, wanted = world.call()
            told.append(f"{', '.join(changes) or 'nothing'}; {name}")
            for g, w in zip(got, wanted, strict=True):
                if not np.array_equal(g, w):
                    return f"seed {seed}: {g} and not {w} after {'; '.join(told[-4:])}"
    finally:
        if world.handle is not None:
            world.handle.remove()
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--steps", type=int, default=150)
    given = parser.parse_args()
    wrong = [w for s in range(given.first, given.first + given.count) if (w := run(s, given.steps))]
    print(*wrong, f"{given.count} sequences, {len(wrong)} wrong", sep="\n")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
