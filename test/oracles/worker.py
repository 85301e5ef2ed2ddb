"""Values and derivatives of expressions in one framework; runs in that framework's interpreter.

    python worker.py cellgrad|mindspore|jax|torch < questions.json > answers.json

A question is {"f": "lambda x: ops.sin(x)", "args": [nested list, ...], "dtype": "float64",
"weighted": true}. Its answer has, as flat lists: the value y; the gradients of <c, y> by every
argument; and the gradients of <d, gradients>, null where there are none. c and d are 1, or where weighted cosines and sines of
the row-major position, so that no component hides another. What fails is {"error": "..."}.
"""

import json
import sys

import numpy as np


def probes(arrays, wave, weighted):
    """One array of factors for each array."""
    for a in arrays:
        ones = np.ones(a.shape, a.dtype)
        position = 1.0 + np.arange(a.size).reshape(a.shape)
        yield wave(position).astype(a.dtype) if weighted else ones


class Jax:
    def __init__(self):
        import jax

        jax.config.update("jax_enable_x64", True)
        jax.config.update("jax_platforms", "cpu")
        import jax.numpy as jnp

        self.jax, self.tensor = jax, jnp.asarray
        self.names = {"jax": jax, "jnp": jnp, "nn": jax.nn, "lax": jax.lax}
        self.names["special"] = __import__("jax.scipy.special").scipy.special
        self.names["linalg"] = __import__("jax.scipy.linalg").scipy.linalg

    def answer(self, f, args, weighted):
        value = np.asarray(f(*args))
        (c,) = probes([value], np.cos, weighted)
        grad = self.jax.grad(lambda *a: (f(*a) * c).sum(), argnums=tuple(range(len(args))))
        grads = [np.asarray(g) for g in grad(*args)]
        d = list(probes(grads, np.sin, weighted))
        total = lambda *a: sum((g * p).sum() for g, p in zip(grad(*a), d))
        derive = self.jax.grad(total, argnums=tuple(range(len(args))))
        return value, grads, lambda: [np.asarray(s) for s in derive(*args)]


class Torch:
    def __init__(self):
        import torch

        torch.set_num_threads(1)
        self.torch, self.tensor = torch, torch.tensor
        self.names = {"torch": torch, "F": torch.nn.functional, "linalg": torch.linalg}

    def answer(self, f, args, weighted):
        torch = self.torch
        args = [a.clone().requires_grad_() for a in args]
        y = f(*args)
        value = y.numpy(force=True)
        (c,) = probes([value], np.cos, weighted)
        derive = lambda total: torch.autograd.grad(
            total, args, create_graph=True, materialize_grads=True
        )
        grads = derive((y * torch.tensor(c)).sum())
        arrays = [g.numpy(force=True) for g in grads]
        d = list(probes(arrays, np.sin, weighted))
        total = sum((g * torch.tensor(p)).sum() for g, p in zip(grads, d))

        def second():
            if not total.requires_grad:
                return [np.zeros_like(a) for a in arrays]
            return [g.numpy(force=True) for g in derive(total)]

        return value, arrays, second


class Cells:
    """MindSpore and cellgrad: one API."""

    def __init__(self, name):
        ms = __import__(name)
        ms.set_context(mode=ms.PYNATIVE_MODE)
        self.ms, self.tensor = ms, ms.Tensor
        self.names = {"ms": ms, "ops": ms.ops}

    def answer(self, f, args, weighted):
        ms = self.ms
        value = f(*args).asnumpy()
        (c,) = probes([value], np.cos, weighted)
        c = ms.Tensor(c)
        at = tuple(range(len(args)))
        grad = ms.grad(lambda *a: (f(*a) * c).sum(), at)
        listed = lambda g: list(g) if isinstance(g, (tuple, list)) else [g]
        grads = [g.asnumpy() for g in listed(grad(*args))]
        d = [ms.Tensor(p) for p in probes(grads, np.sin, weighted)]

        def total(*a):
            parts = [(g * p).sum() for g, p in zip(listed(grad(*a)), d)]
            out = parts[0]
            for p in parts[1:]:
                out = out + p
            return out

        return value, grads, lambda: [g.asnumpy() for g in listed(ms.grad(total, at)(*args))]


def main():
    name = sys.argv[1]
    framework = {"jax": Jax, "torch": Torch}.get(name, lambda: Cells(name))()
    answers = []
    for question in json.load(sys.stdin):
        try:
            args = [framework.tensor(np.array(a, question["dtype"])) for a in question["args"]]
            f = eval(question["f"], dict(framework.names))
            value, grads, derive = framework.answer(f, args, question["weighted"])
            flat = lambda a: [repr(float(v)) for v in np.asarray(a, np.float64).ravel()]
            answer = {"value": flat(value), "grads": [flat(g) for g in grads]}
            try:
                answer["second"] = [flat(s) for s in derive()]
            except Exception as e:
                answer["second"], answer["because"] = None, f"{e}".splitlines()[0][:200]
            answers.append(answer)
        except Exception as e:
            answers.append({"error": f"{type(e).__name__}: {e}".splitlines()[0][:200]})
    json.dump(answers, sys.stdout)


if __name__ == "__main__":
    main()
