"""What compiling large programs costs, by stage, and how it grows with their size.

    python bench/compile_time.py [NAME ...] [--sizes N,N,..] [--jax PYTHON] [--stages K] [--write]

Each program is built, captured and compiled with an empty cache and run once, in a process of its own,
at sizes that double. Times are processor time, so that other work on the machine does not count;
memory is how far the process's peak rises above what it was before the program. The exponent is that of
growth over the last doubling: 1 is linear. --stages prints the K costliest stages of the largest size
with their exponents (CELLGRAD_LOG=compile prints the same of any program). --jax names an interpreter with
JAX, which runs the same programs under `jit`. --write renews the table in docs/figures.md.
"""

import argparse
import json
import math
import os
import resource
import subprocess
import sys
import time
from pathlib import Path

from compile_programs import PROGRAMS

PAGE = Path(__file__).resolve().parents[1] / "docs/figures.md"
BEGIN, END = "<!-- compile time: begin -->", "<!-- compile time: end -->"


def peak():
    """MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def first_result(run, wait):
    """Seconds of processor time until `run` has given its first result, and MiB of memory."""
    before, start = peak(), time.process_time()
    wait(run())
    return {"seconds": time.process_time() - start, "mebibytes": peak() - before}


def in_cellgrad(name, size):
    from cellgrad import Tensor, _native
    from cellgrad.compile import program

    stages, compile_graph = [], _native.compile_graph

    def compiling(*args):
        timings = compile_graph(*args)
        stages.extend(timings.stages)
        return timings

    def capturing(*args, **kwargs):
        start, before = time.process_time(), peak()
        captured = capture(*args, **kwargs)
        stages.append(("capture", 1e3 * (time.process_time() - start), peak() - before, 1))
        return captured

    _native.compile_graph, capture, program.capture = compiling, program.capture, capturing
    Tensor([1.0]).asnumpy()
    told = first_result(PROGRAMS[name].cellgrad(size), lambda out: None)
    return told | {"stages": stages}


def in_jax(name, size):
    import jax

    jax.numpy.zeros(1).block_until_ready()
    return first_result(PROGRAMS[name].jax(size), jax.block_until_ready)


def measured(python, library, name, size):
    env = os.environ | {
        "CELLGRAD_CACHE": "0",
        "CELLGRAD_NUM_THREADS": "1",
        "JAX_PLATFORMS": "cpu",
        "JAX_ENABLE_COMPILATION_CACHE": "0",
    }
    command = [python, __file__, "--worker", library, "--sizes", str(size), name]
    run = subprocess.run(command, env=env, stdout=subprocess.PIPE, text=True)
    if run.returncode:
        return None
    return json.loads(run.stdout.splitlines()[-1])


def exponent(small, large, ratio):
    if small is None or large is None or min(small, large) < 1e-4:
        return "–"
    return f"{math.log(large / small) / math.log(ratio):.2f}"


def print_stages(results, sizes):
    """The costliest stages of the largest size."""
    sums = []
    for result in results[-2:]:
        by_name = {}
        for name, ms, mebibytes, runs in result["stages"]:
            old = by_name.get(name, (0, 0, 0))
            by_name[name] = (old[0] + ms, old[1] + mebibytes, old[2] + runs)
        by_name["(rest)"] = (1e3 * result["seconds"] - sum(v[0] for v in by_name.values()), 0, 1)
        sums.append(by_name)
    for name, (ms, mebibytes, runs) in sorted(sums[-1].items(), key=lambda s: -s[1][0])[
        : options.stages
    ]:
        before = sums[0].get(name, (0,))[0]
        growth = exponent(before, ms, sizes[-1] / sizes[-2]) if len(sums) > 1 else "–"
        print(
            f"    {ms:10.1f} ms {mebibytes:+8.1f} MiB {runs:6} x  {growth:>5}  {name}", flush=True
        )


def main():
    head = ["program", "size", "CPU s", "MiB", "exponent"]
    if options.jax:
        head += ["JAX s", "JAX MiB", "ratio"]
    lines = ["| " + " | ".join(head) + " |"]
    lines.append("| --- |" + " ---: |" * (len(head) - 1))
    print("\n".join(lines))
    for name in options.names or PROGRAMS:
        program = PROGRAMS[name]
        sizes = [int(s) for s in options.sizes.split(",")] if options.sizes else program.sizes
        results = []
        for i, size in enumerate(sizes):
            result = measured(sys.executable, "cellgrad", name, size)
            if result is None:
                sys.exit(f"{name} of size {size} failed")
            results.append(result)
            growth = "–"
            if i:
                growth = exponent(results[-2]["seconds"], result["seconds"], size / sizes[i - 1])
            row = [name, size, f"{result['seconds']:.2f}", f"{result['mebibytes']:.0f}", growth]
            if options.jax:
                peer = measured(options.jax, "jax", name, size)
                row += [
                    f"{peer['seconds']:.2f}",
                    f"{peer['mebibytes']:.0f}",
                    f"{result['seconds'] / peer['seconds']:.2f}",
                ]
            lines.append("| " + " | ".join(map(str, row)) + " |")
            print(lines[-1], flush=True)
        if options.stages:
            print_stages(results, sizes)
    if options.write:
        page = PAGE.read_text()
        start, stop = page.index(BEGIN) + len(BEGIN), page.index(END)
        PAGE.write_text(page[:start] + "\n" + "\n".join(lines) + "\n" + page[stop:])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(PROGRAMS))
    parser.add_argument("--sizes")
    parser.add_argument("--jax", help="an interpreter that has JAX")
    parser.add_argument("--stages", type=int, default=0, metavar="K")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        run = in_jax if options.worker == "jax" else in_cellgrad
        print(json.dumps(run(options.names[0], int(options.sizes))))
    else:
        main()
