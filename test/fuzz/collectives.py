"""Random programs with collectives, and their gradients, on several ranks against numpy.

    python test/fuzz/collectives.py --count=200 --first=1000 --ranks=4

A program is a list of steps on tensors of one length; each step is an op or a collective of earlier values.
numpy runs it on the tensors of all ranks at once, forwards and backwards. Ranks are forks that share memory;
the network may be played, which changes when ranks come to a collective. What is on its way is NaN, so that who
reads it too early, or writes to it, is noticed.
"""

import argparse
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python"))

import rank_groups

import cellgrad as ms
from cellgrad import communication, ops
from cellgrad.core import ranks
from cellgrad.ops import collectives

LOCAL = ("add", "mul", "sin", "where", "order")
SHARED = ("sum", "max", "prod", "gather", "scatter", "parts", "exchange", "from", "mean", "several")
SHARED += ("ring", "some")
PARTS = ("max", "min", "prod")


def program(seed, count):
    """(kind, operands, constant) for each step; values 0 and 1 are the inputs."""
    draw = np.random.default_rng(seed)
    steps = []
    for i in range(int(draw.integers(3, 12))):
        kind = str(draw.choice(SHARED if draw.random() < 0.5 else LOCAL))
        steps.append((kind, draw.integers(0, i + 2, 2).tolist(), int(draw.integers(0, count))))
    width = count * int(draw.choice([1, 2, 5]))
    x = draw.uniform(-1, 1, (2, count, width))
    if draw.random() < 0.3:  # ties of extrema
        x = np.round(x)
    return steps, x


def some(count, k):
    """A group of all ranks in another order: reductions are joined alike on all."""
    return np.random.default_rng(k).permutation(count).tolist()


def on_rank(steps, count):
    """The program as a function of the two inputs of a rank."""

    def body(a, b):
        values, messages = [a, b], []
        for kind, (i, j), k in steps:
            x, y = values[i], values[j]
            if kind == "add":
                z = x + y
            elif kind == "mul":
                z = x * y
            elif kind == "sin":
                z = ops.sin(x)
            elif kind == "where":
                z = ops.where(x > 0, x * 2, y)
            elif kind == "order":  # a view of the values in another order
                z = x.reshape((count, -1)).T.reshape(x.shape)
            elif kind in ("sum", "max", "mean", "prod"):
                z = collectives.all_reduce(x, kind)
            elif kind == "gather":
                z = collectives.all_gather(x * y).reshape((count, -1)).sum(0)
            elif kind == "scatter":
                z = ops.tile(collectives.reduce_scatter(x), (count,))
            elif kind == "parts":
                z = ops.tile(collectives.reduce_scatter(x, PARTS[k % 3]), (count,))
            elif kind == "exchange":
                z = collectives.all_to_all(x)
            elif kind == "several":  # of two sizes, which need nothing of each other
                first = collectives.all_reduce(x[:1])
                z = collectives.all_reduce(y) * 2
                z = z + collectives.all_reduce(ops.sin(x)) + first
            elif kind == "ring":  # to the next rank, after a term that stays
                rank, tag = ranks.rank(), len(values)
                sent = collectives.send(x, (rank + 1) % count, tag)
                z = collectives.receive(y, (rank - 1) % count, tag) + 2 * sent
                messages.append(z)
            elif kind == "some":  # the others do nothing
                z = x
                if ranks.rank() in some(count, k):
                    name = f"some-{k}"
                    z = collectives.all_reduce(x, group=name)
                    z = z * collectives.all_gather(y, group=name).reshape((-1, *y.shape)).sum(0)
            else:
                z = collectives.broadcast(x, k)
            values.append(z)
        return values[-1], values[-2], messages

    def objective(a, b):
        last, before, messages = body(a, b)
        for z in messages:  # both ends differentiate, or neither
            last = last + 0 * z
        return (last * 3 + before).sum(), last

    return objective


def slopes_of(combine, x):
    """What is combined over ranks, by what each has."""
    if combine == "prod":
        return np.stack([np.delete(x, r, 0).prod(0) for r in range(len(x))])
    attained = x == (x.max(0) if combine == "max" else x.min(0))
    return attained / attained.sum(0)


def expected(steps, inputs, count):
    """The last value of all ranks, and the gradients of the sum of all objectives by both inputs."""
    values = [inputs[0], inputs[1]]
    total, shape = count, inputs[0].shape
    part = shape[1] // count

    def swap(x):
        return x.reshape(count, count, part).swapaxes(0, 1).reshape(shape)

    def only_some(x, y, members):
        z = x.copy()
        z[members] = x[members].sum(0) * y[members].sum(0)
        return z

    for kind, (i, j), k in steps:
        x, y = values[i], values[j]
        values.append(
            {
                "add": lambda x=x, y=y: x + y,
                "mul": lambda x=x, y=y: x * y,
                "sin": lambda x=x: np.sin(x),
                "where": lambda x=x, y=y: np.where(x > 0, x * 2, y),
                "order": lambda x=x: x.reshape(count, count, -1).swapaxes(1, 2).reshape(shape),
                "sum": lambda x=x: np.broadcast_to(x.sum(0), shape),
                "mean": lambda x=x: np.broadcast_to(x.sum(0) / total, shape),
                "max": lambda x=x: np.broadcast_to(x.max(0), shape),
                "prod": lambda x=x: np.broadcast_to(x.prod(0), shape),
                "parts": lambda x=x, k=k: np.tile(
                    getattr(x, PARTS[k % 3])(0).reshape(count, part), (1, count)
                ),
                "gather": lambda x=x, y=y: np.broadcast_to((x * y).sum(0), shape),
                "scatter": lambda x=x: np.tile(x.sum(0).reshape(count, part), (1, count)),
                "exchange": lambda x=x: swap(x),
                "several": lambda x=x, y=y: np.broadcast_to(
                    2 * y.sum(0) + np.sin(x).sum(0) + x[:, 0].sum(), shape
                ),
                "ring": lambda x=x: np.roll(x, 1, 0) + 2 * x,
                "some": lambda x=x, y=y, k=k: only_some(x, y, some(count, k)),
                "from": lambda x=x, k=k: np.broadcast_to(x[k], shape),
            }[kind]()
        )
    slopes = [np.zeros(shape) for _ in values]
    slopes[-1] = slopes[-1] + 3
    slopes[-2] = slopes[-2] + 1
    for at in reversed(range(len(steps))):
        kind, (i, j), k = steps[at]
        x, y, g = values[i], values[j], slopes[at + 2]
        if kind in ("add", "mul"):
            slopes[i] = slopes[i] + g * (1 if kind == "add" else y)
            slopes[j] = slopes[j] + g * (1 if kind == "add" else x)
        elif kind == "sin":
            slopes[i] = slopes[i] + g * np.cos(x)
        elif kind == "where":
            slopes[i] = slopes[i] + np.where(x > 0, 2 * g, 0)
            slopes[j] = slopes[j] + np.where(x > 0, 0, g)
        elif kind == "order":
            slopes[i] = slopes[i] + g.reshape(count, -1, count).swapaxes(1, 2).reshape(shape)
        elif kind in ("sum", "mean"):
            slopes[i] = slopes[i] + g.sum(0) / (total if kind == "mean" else 1)
        elif kind in ("max", "prod"):
            slopes[i] = slopes[i] + g.sum(0) * slopes_of(kind, x)
        elif kind == "gather":
            slopes[i] = slopes[i] + g.sum(0) * y
            slopes[j] = slopes[j] + g.sum(0) * x
        elif kind == "scatter":
            each = g.reshape(count, count, part).sum(1)  # by the rank that has the part
            slopes[i] = slopes[i] + each.reshape(1, -1)
        elif kind == "parts":
            each = g.reshape(count, count, part).sum(1).reshape(1, -1)
            slopes[i] = slopes[i] + each * slopes_of(PARTS[k % 3], x)
        elif kind == "exchange":
            slopes[i] = slopes[i] + swap(g)
        elif kind == "ring":
            slopes[i] = slopes[i] + np.roll(g, -1, 0) + 2 * g
        elif kind == "some":
            members, by_x, by_y = some(count, k), g.copy(), np.zeros(shape)
            by_x[members] = g[members].sum(0) * y[members].sum(0)
            by_y[members] = g[members].sum(0) * x[members].sum(0)
            slopes[i] = slopes[i] + by_x
            slopes[j] = slopes[j] + by_y
        elif kind == "several":
            only = np.zeros(shape)
            only[:, 0] = g.sum()
            slopes[i] = slopes[i] + g.sum(0) * np.cos(x) + only
            slopes[j] = slopes[j] + 2 * g.sum(0)
        else:
            only = np.zeros(shape)
            only[k] = g.sum(0)
            slopes[i] = slopes[i] + only
    return values[-1], slopes[0], slopes[1]


def run(seeds, count, network="", timeout=600):
    """The seeds whose programs differ from numpy, with what differs."""
    made = [program(seed, count) for seed in seeds]

    def body(rank):
        found = []
        for k in range(count):
            communication.create_group(f"some-{k}", some(count, k))
        for steps, x in made:
            function = on_rank(steps, count)
            given = [ms.Tensor(x[0, rank]), ms.Tensor(x[1, rank])]
            both = ms.value_and_grad(function, (0, 1), has_aux=True)
            (_, last), (a, b) = both(*given)
            found.append([t.asnumpy() for t in (last, a, b)])
        return found

    env = {"CELLGRAD_COMM_NETWORK": network} if network else {"CELLGRAD_COMM_POISON": "1"}
    of_ranks = rank_groups.values(count, body, timeout=timeout, env=env)
    wrong = []
    for at, (seed, (steps, x)) in enumerate(zip(seeds, made, strict=True)):
        for name, want, i in zip(("value", "by a", "by b"), expected(steps, x, count), range(3)):
            got = np.stack([found[at][i] for found in of_ranks])
            if not np.allclose(got, want, rtol=1e-9, atol=1e-9, equal_nan=True):
                wrong.append(f"seed {seed} on {count} ranks: {name} {got} is not {want}: {steps}")
    return wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--network", default="")
    options = parser.parse_args()
    seeds = range(options.first, options.first + options.count)
    wrong = run(list(seeds), options.ranks, options.network)
    print("\n".join(wrong))
    print(f"{len(seeds)} programs, {len(wrong)} differ")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
