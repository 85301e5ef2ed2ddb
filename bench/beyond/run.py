"""Workloads that no kernel was made for, beside JAX under `jit` and PyTorch eager.

    python bench/beyond/run.py --jax PYTHON --torch PYTHON [NAME ...] [--threads 1 2] [--rounds N] [--write]

Each file beside this one is a workload: `data()` makes its numbers, and `cellgrad`, `jax` and `torch` make of them a
function that does one step and returns its outputs. A process for each framework computes the outputs first. They are
compared with those of PyTorch in float64, element by element, and what disagrees is not timed. Then the processes
are timed in turn, slice after slice, so that load on the machine falls on all; those not being timed are stopped. The
ratio is the median over the rounds of our median to the better of the other two in the same round.

--write renews the table of docs/figures.md; it wants all workloads and both numbers of threads.
"""

import argparse
import importlib.util
import json
import math
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
PAGE = HERE.parents[1] / "docs/figures.md"
BEGIN, END = "<!-- beyond: begin -->", "<!-- beyond: end -->"
FRAMEWORKS = ("jax", "torch", "cellgrad")
NAMES = sorted(file.stem for file in HERE.glob("*.py") if file.stem != "run")


def workload(name):
    spec = importlib.util.spec_from_file_location(f"beyond_{name}", HERE / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def flat(value):
    """The tensors of nested lists and tuples."""
    if isinstance(value, list | tuple):
        return [leaf for part in value for leaf in flat(part)]
    return [value]


class Worker:
    """What a process of one framework does with the lines that it is sent."""

    def __init__(self, framework, threads):
        self.framework, self.threads = framework, threads
        self.outputs = self.step = None
        if framework == "torch":
            import torch

            torch.set_num_threads(threads)

    def wait(self, outputs):
        if self.framework == "jax":
            import jax

            jax.block_until_ready(outputs)
        first = flat(outputs)[0]
        if self.framework == "torch":
            return first.detach().numpy()
        return first.asnumpy() if self.framework == "cellgrad" else first.__array__()

    def load(self, name, out, double=False):
        import numpy as np

        module = workload(name)
        data = module.data()
        if double:
            data = {k: v.astype("float64") if v.dtype == "float32" else v for k, v in data.items()}
        self.step = getattr(module, self.framework)(data)
        outputs = flat(self.step())
        if self.framework == "torch":
            outputs = [tensor.detach() for tensor in outputs]
        arrays = [t.asnumpy() if self.framework == "cellgrad" else np.asarray(t) for t in outputs]
        np.savez(out, *arrays)
        return {}

    def slice(self, seconds):
        self.wait(self.step())
        times, begin = [], time.perf_counter()
        while True:
            start = time.perf_counter()
            self.wait(self.step())
            now = time.perf_counter()
            times.append(now - start)
            if now - begin > seconds:
                return {"median": statistics.median(times)}

    def serve(self):
        replies = os.fdopen(os.dup(1), "w", buffering=1)
        os.dup2(2, 1)  # what a framework prints is no reply
        for line in sys.stdin:
            order = json.loads(line)
            replies.write(json.dumps(getattr(self, order.pop("do"))(**order)) + "\n")


class Process:
    """A worker as it is seen from here."""

    def __init__(self, python, framework, threads, folder):
        count = str(threads)
        environment = {
            **os.environ,
            "OMP_NUM_THREADS": count,
            "MKL_NUM_THREADS": count,
            "NPROC": count,
            "CELLGRAD_NUM_THREADS": count,
            "CELLGRAD_CACHE_DIR": str(folder / "cache"),
            "JAX_PLATFORMS": "cpu",
            "XLA_FLAGS": f"--xla_cpu_multi_thread_eigen={str(threads > 1).lower()}",
        }
        cores = sorted(os.sched_getaffinity(0))[-threads:]
        command = [python, __file__, "--worker", framework, "--threads", count]
        self.process = subprocess.Popen(
            ["taskset", "-c", ",".join(map(str, cores)), *command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
        )

    def ask(self, do, **order):
        self.process.send_signal(signal.SIGCONT)
        self.process.stdin.write(json.dumps({"do": do, **order}) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit(f"{self.process.args}: the process ended")
        self.process.send_signal(
            signal.SIGSTOP
        )  # no idle thread of it spins while others are timed
        return json.loads(line)

    def close(self):
        self.process.kill()
        self.process.wait()


def error(file, reference):
    """The greatest difference of an output, relative to the greatest magnitude of that output."""
    import numpy as np

    worst = 0.0
    with np.load(file) as got, np.load(reference) as wanted:
        if len(got.files) != len(wanted.files):
            raise SystemExit(f"{len(got.files)} outputs, the reference has {len(wanted.files)}")
        for key in wanted.files:
            a, b = got[key].astype("float64"), wanted[key]
            if a.size != b.size:
                raise SystemExit(f"output {key} has shape {a.shape}, the reference {b.shape}")
            scale = max(float(np.abs(b).max()), 1e-30)
            difference = float(np.abs(a.reshape(b.shape) - b).max()) / scale
            worst = max(worst, difference if math.isfinite(difference) else math.inf)
    return worst


def measure(name, threads, pythons, rounds, seconds):
    """Median seconds of a step in each framework, and the median ratio."""
    tolerance = getattr(workload(name), "TOLERANCE", 1e-4)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        processes = {f: Process(pythons[f], f, threads, place) for f in FRAMEWORKS}
        try:
            reference = str(place / "reference.npz")
            processes["torch"].ask("load", name=name, out=reference, double=True)
            for framework, process in processes.items():
                out = str(place / f"{framework}.npz")
                process.ask("load", name=name, out=out)
                if (wrong := error(out, reference)) > tolerance:
                    raise SystemExit(f"{name}: {framework} is off by {wrong:.1e}")
            times = {f: [] for f in FRAMEWORKS}
            for i in range(rounds):
                for framework in FRAMEWORKS[i % 3 :] + FRAMEWORKS[: i % 3]:
                    times[framework].append(
                        processes[framework].ask("slice", seconds=seconds)["median"]
                    )
        finally:
            for process in processes.values():
                process.close()
    ours = times["cellgrad"]
    ratios = [c / min(j, t) for j, t, c in zip(times["jax"], times["torch"], ours, strict=True)]
    return {f: statistics.median(times[f]) for f in FRAMEWORKS}, statistics.median(ratios)


def processor():
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return "unknown processor"


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def table(names, threads, results):
    lines = [f"{time.strftime('%Y-%m-%d', time.gmtime())}, {processor()}.", ""]
    lines.append("| workload | threads | JAX | PyTorch | cellgrad | ratio |")
    lines.append("| --- | ---: | ---: | ---: | ---: | ---: |")
    for name in names:
        for count in threads:
            times, ratio = results[name, count]
            cells = [f"{times[f] * 1e3:.3g}" for f in FRAMEWORKS]
            what = (
                workload(name).__doc__.strip().split("\n")[0].rstrip(".")
                if count == threads[0]
                else ""
            )
            lines.append(f"| {what} | {count} | " + " | ".join(cells) + f" | {ratio:.2f} |")
    for count in threads:
        mean = geometric_mean([results[name, count][1] for name in names])
        lines.append(f"| geometric mean | {count} | | | | {mean:.2f} |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("names", nargs="*", help=f"of {', '.join(NAMES)}")
    parser.add_argument("--jax", help="a Python that has JAX")
    parser.add_argument("--torch", help="a Python that has PyTorch")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--seconds", type=float, default=0.15, help="of a slice")
    parser.add_argument("--write", action="store_true", help="renew docs/figures.md")
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        Worker(options.worker, options.threads[0]).serve()
        return
    if unknown := set(options.names) - set(NAMES):
        parser.error(f"no such workload: {', '.join(sorted(unknown))}")
    names = options.names or NAMES
    if options.write and (options.names or options.threads != [1, 2]):
        parser.error("--write wants all workloads, on 1 and 2 threads")
    pythons = {"jax": options.jax, "torch": options.torch, "cellgrad": sys.executable}
    results = {}
    for name in names:
        for count in options.threads:
            results[name, count] = measure(name, count, pythons, options.rounds, options.seconds)
            times, ratio = results[name, count]
            text = ", ".join(f"{f} {times[f] * 1e3:.4g} ms" for f in FRAMEWORKS)
            print(f"{name}, threads {count}: {text}, ratio {ratio:.2f}", flush=True)
    text = table(names, options.threads, results)
    print(text)
    if options.write:
        page = PAGE.read_text()
        head, tail = page.index(BEGIN) + len(BEGIN), page.index(END)
        PAGE.write_text(f"{page[:head]}\n{text}\n{page[tail:]}")


if __name__ == "__main__":
    main()
