"""How many equations JAX has for nested derivatives; runs in an interpreter that has JAX.

Reads {"f": "lambda x: ...", "arrays": {...}, "modes": [...], "orders": 8, "at": 0.7} from stdin, writes
{mode: [[equations of the jaxpr, instructions after XLA's optimisation], ...]}.
"""

import json
import re
import sys

import jax
import jax.numpy as jnp

jax.config.update("jax_enable_x64", True)
jax.config.update("jax_platforms", "cpu")


def forward(f):
    return lambda x: jax.jvp(f, (x,), (jnp.ones_like(x),))[1]


def equations(jaxpr):
    """Equations, those of nested calls instead of the call."""
    count = 0
    for equation in jaxpr.eqns:
        inner = [p for p in equation.params.values() if hasattr(p, "eqns") or hasattr(p, "jaxpr")]
        bodies = [getattr(p, "jaxpr", p) for p in inner]
        count += sum(equations(b) for b in bodies) if bodies else 1
    return count


def instructions(f, x):
    """What XLA has left, fusions opened, without parameters and constants."""
    text = jax.jit(f).lower(x).compile().as_text()
    ops = re.findall(r"= \S+ ([a-z][\w-]*)\(", text)
    return sum(
        op not in ("parameter", "constant", "fusion", "tuple", "get-tuple-element", "call")
        for op in ops
    )


def main():
    question = json.load(sys.stdin)
    names = {"jax": jax, "jnp": jnp}
    names |= {n: jnp.asarray(a) for n, a in question["arrays"].items()}
    x, out = jnp.asarray(question["at"]), {}
    for mode in question["modes"]:
        f, out[mode] = eval(question["f"], names), []
        for order in range(question["orders"] + 1):
            if order:
                reverse = mode == "reverse" or (mode == "mixed" and order == 1)
                f = jax.grad(f) if reverse else forward(f)
            row = [equations(jax.make_jaxpr(f)(x).jaxpr)]
            # XLA takes minutes for some thousand equations of products.
            row.append(instructions(f, x) if row[0] < 1500 else None)
            out[mode].append(row)
    json.dump(out, sys.stdout)


if __name__ == "__main__":
    main()
