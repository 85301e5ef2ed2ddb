"""A data-parallel training step on one rank and on two, beside JAX, PyTorch and MindSpore: a table for docs/figures.md.

    python bench/data_parallel.py --jax-python ... --torch-python ... --mindspore-python ... --real-time

Every rank is a process on a processor of its own, with one thread and a batch of 64 rows (`--rows`). Losses are sums, optimizers
plain SGD, so all do the same work. JAX and PyTorch (DDP) reduce with gloo, MindSpore as msrun has it. `--real-time` runs all but
MindSpore's, which hangs under it, by `chrt -r 11`, so that other programs wait.

    python bench/data_parallel.py --overlap

is the table of docs/distributed.md: two ranks with a network between them that is played by sleeping, with and without
a thread for collectives.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path

import numpy as np

ROWS = int(os.environ.get("BENCH_ROWS", "64"))
MLPS = {
    "mlp": (784, 256, 10),
    "wide mlp": (784, 1024, 1024, 10),
    "deep mlp": (784, *[1024] * 9, 10),
}
WORKLOADS = (*MLPS, "cnn")
NAMES = {
    "mlp": "784-256-10",
    "wide mlp": "784-1024-1024-10",
    "deep mlp": "MLP of 8 layers of 1024 x 1024",
    "cnn": "digits CNN, 28x28",
}


def data(workload, rank):
    draw = np.random.default_rng(rank)
    shape = (ROWS, 1, 28, 28) if workload == "cnn" else (ROWS, 784)
    return draw.uniform(-1, 1, shape).astype(np.float32), draw.integers(0, 10, ROWS).astype(
        np.int32
    )


def timed(step):
    """The median and the best of the seconds that a step takes; `step` returns when it is done. All ranks take as
    many steps."""
    for _ in range(20):
        step()
    times = []
    for _ in range(int(os.environ["BENCH_STEPS"])):
        begun = time.perf_counter()
        step()
        times.append(time.perf_counter() - begun)
    return {"median": float(np.median(times)), "best": min(times)}


def like_mindspore(workload, package):
    """The same script in cellgrad and in MindSpore. The rank and its result."""
    if package == "cellgrad":
        import cellgrad as ms
        from cellgrad import communication, nn
    else:
        import mindspore as ms
        from mindspore import communication, nn

        ms.set_context(mode=ms.GRAPH_MODE, device_target="CPU")
    ranks, rank = int(os.environ["BENCH_RANKS"]), 0
    if ranks > 1 or package == "cellgrad":
        communication.init()
        rank = communication.get_rank()
    if ranks > 1:
        ms.set_auto_parallel_context(
            parallel_mode=ms.ParallelMode.DATA_PARALLEL, gradients_mean=True
        )
    ms.set_seed(1)
    if workload == "cnn":
        layers = [
            nn.Conv2d(1, 6, 5, pad_mode="valid", has_bias=True),
            nn.ReLU(),
            nn.MaxPool2d(2, 2),
            nn.Conv2d(6, 16, 5, pad_mode="valid", has_bias=True),
            nn.ReLU(),
            nn.MaxPool2d(2, 2),
            nn.Flatten(),
        ]
        sizes = (256, 120, 84, 10)
    else:
        layers, sizes = [], MLPS[workload]
    for i, (n, m) in enumerate(pairwise(sizes)):
        layers += [nn.ReLU()] * (i > 0) + [nn.Dense(n, m)]
    net = nn.WithLossCell(nn.SequentialCell(layers), nn.CrossEntropyLoss(reduction="sum"))
    step = nn.TrainOneStepCell(net, nn.SGD(net.trainable_params(), 0.001))
    step.set_train()
    x, y = map(ms.Tensor, data(workload, rank))
    found = timed(lambda: step(x, y).asnumpy())
    if package == "cellgrad" and ranks > 1 and hasattr(ms, "profile"):
        for _ in range(2):  # the first one compiles code with clocks in it
            with ms.profile() as profile:
                step(x, y)
        kept = profile.to_dict()
        found["collectives"], found["waited"] = kept["collectives"] / 1e9, kept["waited"] / 1e9
    return rank, found


def torch(workload):
    import torch

    torch.set_num_threads(1)
    ranks, rank = int(os.environ["BENCH_RANKS"]), 0
    if workload == "cnn":
        layers = [torch.nn.Conv2d(1, 6, 5), torch.nn.ReLU(), torch.nn.MaxPool2d(2)]
        layers += [torch.nn.Conv2d(6, 16, 5), torch.nn.ReLU(), torch.nn.MaxPool2d(2)]
        layers.append(torch.nn.Flatten())
        sizes = (256, 120, 84, 10)
    else:
        layers, sizes = [], MLPS[workload]
    for i, (n, m) in enumerate(pairwise(sizes)):
        layers += [torch.nn.ReLU()] * (i > 0) + [torch.nn.Linear(n, m)]
    net = torch.nn.Sequential(*layers)
    if ranks > 1:
        torch.distributed.init_process_group("gloo")
        rank = torch.distributed.get_rank()
        net = torch.nn.parallel.DistributedDataParallel(net)
    optimizer = torch.optim.SGD(net.parameters(), 0.001)
    x, y = data(workload, rank)
    x, y = torch.tensor(x), torch.tensor(y, dtype=torch.int64)

    def step():
        optimizer.zero_grad(set_to_none=False)
        torch.nn.functional.cross_entropy(net(x), y, reduction="sum").backward()
        optimizer.step()

    return rank, timed(step)


def jax(workload):
    os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
    import jax
    import jax.numpy as jnp
    from jax.sharding import Mesh, NamedSharding, PartitionSpec

    ranks, rank = int(os.environ["BENCH_RANKS"]), int(os.environ["BENCH_RANK"])
    jax.config.update("jax_platforms", "cpu")
    if ranks > 1:
        jax.config.update("jax_cpu_collectives_implementation", "gloo")
        jax.distributed.initialize(f"127.0.0.1:{os.environ['BENCH_PORT']}", ranks, rank)
    mesh = Mesh(np.array(jax.devices()), ("data",))
    sizes = (256, 120, 84, 10) if workload == "cnn" else MLPS[workload]
    shapes = [((6, 1, 5, 5), (6,)), ((16, 6, 5, 5), (16,))] * (workload == "cnn")
    shapes += [((m, n), (m,)) for n, m in pairwise(sizes)]
    draw = np.random.default_rng(0)
    flat = [draw.uniform(-0.05, 0.05, s).astype(np.float32) for pair in shapes for s in pair]

    def loss(w, x, y):
        at = 0
        if workload == "cnn":
            for at in (0, 2):
                x = jax.lax.conv(x, w[at], (1, 1), "VALID") + w[at + 1][:, None, None]
                window = (1, 1, 2, 2)
                x = jax.nn.relu(x)
                x = jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, window, window, "VALID")
            x, at = x.reshape(x.shape[0], -1), 4
        for i in range(at, len(w), 2):
            x = (jax.nn.relu(x) if i > at else x) @ w[i].T + w[i + 1]
        return -jnp.take_along_axis(jax.nn.log_softmax(x), y[:, None], 1).sum()

    def step(w, x, y):
        value, grads = jax.value_and_grad(loss)(w, x, y)
        return [a - 0.001 / ranks * g for a, g in zip(w, grads, strict=True)], value

    everywhere, parts = (
        NamedSharding(mesh, PartitionSpec()),
        NamedSharding(mesh, PartitionSpec("data")),
    )
    w = [jax.make_array_from_process_local_data(everywhere, a) for a in flat]
    x, y = (jax.make_array_from_process_local_data(parts, a) for a in data(workload, rank))
    compiled = jax.jit(step, donate_argnums=0)

    def once():
        nonlocal w
        w, _ = compiled(w, x, y)
        jax.block_until_ready(w)

    return rank, timed(once)


def pin():
    """One processor for each rank, whatever threads a framework makes: one rank alone has no more than one of two."""
    names = ("CELLGRAD_RANK", "PMI_RANK", "RANK", "MS_NODE_ID", "BENCH_RANK")
    rank = int(next(os.environ[name] for name in names if name in os.environ))
    there = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {there[rank % len(there)]})


WORKERS = {
    "cellgrad": lambda workload: like_mindspore(workload, "cellgrad"),
    "mindspore": lambda workload: like_mindspore(workload, "mindspore"),
    "torch": torch,
    "jax": jax,
}


def commands(kind, python, ranks, script, folder):
    """What starts the ranks: a command for each process to start."""
    bin_ = Path(python).parent
    if ranks == 1:
        return [[python, *script]]
    if kind == "shared memory":
        return [[bin_ / "cellgrad", "run", f"--ranks={ranks}", *script]]
    if kind == "MPICH":
        return [[bin_ / "mpiexec", "-n", ranks, python, *script]]
    port = 29000 + os.getpid() % 1000
    if kind == "torch":
        launcher = ["-m", "torch.distributed.run", f"--nproc_per_node={ranks}"]
        return [[python, *launcher, f"--master_port={port}", *script]]
    if kind == "mindspore":
        count = [f"--worker_num={ranks}", f"--local_worker_num={ranks}", "--join=True"]
        return [[bin_ / "msrun", *count, f"--master_port={port}", f"--log_dir={folder}", *script]]
    return [[python, *script]] * ranks


def measured(kind, python, ranks, workload, options):
    """The result of rank 0, or why there is none."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "result"
        worker = "cellgrad" if kind in ("shared memory", "MPICH") else kind
        script = [__file__, "--inside", worker, "--workload", workload, "--out", out]
        env = {**os.environ, "BENCH_RANKS": str(ranks), "BENCH_STEPS": str(options.steps)}
        env |= {"BENCH_ROWS": str(options.rows)}
        env |= {"BENCH_PORT": str(28000 + os.getpid() % 1000), "CELLGRAD_NUM_THREADS": "1"}
        env |= {"OMP_NUM_THREADS": "1", **options.network}
        # msrun's own directory comes first for the programs that it starts.
        env["PATH"] = f"{Path(python).parent}:{env['PATH']}"
        before = ["chrt", "-r", "11"] if options.real_time and kind != "mindspore" else []
        running = [
            subprocess.Popen(
                [str(c) for c in [*before, *command]],
                env={**env, "BENCH_RANK": str(rank)},
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
            )
            for rank, command in enumerate(commands(kind, python, ranks, script, folder))
        ]
        try:
            said = [process.communicate(timeout=options.limit)[1] for process in running]
        except subprocess.TimeoutExpired:
            return {"why": f"not done after {options.limit} s"}
        finally:
            for process in running:
                process.kill()
        if out.exists():
            return json.loads(out.read_text())
        lines = [line for text in said for line in text.splitlines() if line.strip()]
        return {"why": lines[-1] if lines else "ended without a word"}


def alternately(kind, python, workload, options):
    """The quickest of some runs on one rank and of as many on two, in turn: what else a machine does hits both."""
    best = [None, None]
    for _ in range(options.repeat):
        for at in (0, 1):
            found = measured(kind, python, at + 1, workload, options)
            if best[at] is None or found.get("median", 1e9) < best[at].get("median", 1e9):
                best[at] = found
    return best


def cell(found):
    return f"{found['median'] * 1e3:.3g}" if "median" in found else f"- ({found['why'][:80]})"


def table(options):
    pythons = [
        ("shared memory", sys.executable),
        ("MPICH", sys.executable),
        ("jax", options.jax_python),
        ("torch", options.torch_python),
        ("mindspore", options.mindspore_python),
    ]
    titles = {"shared memory": "cellgrad, shared memory", "MPICH": "cellgrad, MPICH"}
    titles |= {"jax": "JAX, gloo", "torch": "PyTorch DDP, gloo", "mindspore": "MindSpore, msrun"}
    print(
        f"{time.strftime('%Y-%m-%d')}, {processor()}, medians of {options.steps} steps, "
        f"the least of {options.repeat} runs, ms:\n"
    )
    print(f"| step, {options.rows} rows a rank | framework | 1 rank | 2 ranks | efficiency |")
    print("| --- | --- | ---: | ---: | ---: |")
    for workload in options.workloads or ("mlp", "wide mlp", "cnn"):
        for kind, python in pythons:
            if python is None:
                print(f"| {NAMES[workload]} | {titles[kind]} | - (no Python is given) | - | - |")
                continue
            one, two = alternately(kind, python, workload, options)
            both = "median" in one and "median" in two
            ratio = f"{one['median'] / two['median']:.2f}" if both else "-"
            line = [NAMES[workload], titles[kind], cell(one), cell(two), ratio]
            print("| " + " | ".join(line) + " |", flush=True)
            if two.get("collectives"):
                hidden = two["collectives"] - two["waited"]
                print(
                    f"  {two['collectives'] * 1e3:.3g} ms of collectives, {hidden * 1e3:.3g} of them "
                    "behind computation",
                    file=sys.stderr,
                )


NETWORKS = {"none": "", "25 Gbit/s": "10,3125", "10 Gbit/s": "20,1250", "1 Gbit/s": "50,125"}


def overlap(options):
    """What a thread hides of a network, behind the backpropagation of a deep MLP."""
    workload = (options.workloads or ["deep mlp"])[0]
    print(
        f"{time.strftime('%Y-%m-%d')}, {processor()}, {NAMES[workload]}, {options.rows} rows a rank, 2 ranks; medians of "
        f"{options.steps} steps, ms:\n"
    )
    print("| network | without a thread | with a thread | collectives | of them hidden |")
    print("| --- | ---: | ---: | ---: | ---: |")
    for name, network in NETWORKS.items():
        found = {}
        for thread in ("0", "1"):
            options.network = {"CELLGRAD_COMM_NETWORK": network, "CELLGRAD_COMM_THREAD": thread}
            found[thread] = measured("shared memory", sys.executable, 2, workload, options)
        hidden = "-"
        if "collectives" in found["1"]:
            all_, waited = found["1"]["collectives"], found["1"]["waited"]
            hidden = f"{all_ * 1e3:.3g} | {(all_ - waited) / all_:.0%}"
        print(f"| {name} | {cell(found['0'])} | {cell(found['1'])} | {hidden} |", flush=True)


def processor():
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return "unknown processor"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--jax-python")
    parser.add_argument("--torch-python")
    parser.add_argument("--mindspore-python")
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--repeat", type=int, default=1, help="runs, of which the least counts")
    parser.add_argument("--rows", type=int, default=ROWS, help="of a rank's batch")
    parser.add_argument("--limit", type=int, default=120, help="seconds for a measurement")
    parser.add_argument("--real-time", action="store_true", help="by 'chrt -r 11'")
    parser.add_argument("--network", help="as CELLGRAD_COMM_NETWORK, for shared memory")
    parser.add_argument("--workloads", nargs="+", choices=WORKLOADS)
    parser.add_argument("--overlap", action="store_true", help="with and without a thread")
    parser.add_argument("--inside", choices=WORKERS)
    parser.add_argument("--workload", choices=WORKLOADS)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    options.network = {"CELLGRAD_COMM_NETWORK": options.network} if options.network else {}
    if options.inside is None:
        (overlap if options.overlap else table)(options)
        return
    pin()
    rank, found = WORKERS[options.inside](options.workload)
    if rank == 0:
        options.out.write_text(json.dumps(found))


if __name__ == "__main__":
    main()
