"""The compiled training step of the digits example: it allocates nothing and copies nothing in steady
state, in C and in Python, and C trains to the same bits, through an overflow as well.
"""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from on_gpu import ON_GPU, assert_same_sums, cpu_only

import cellgrad as ms
from cellgrad import dataset as ds

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples" / "digits_cnn"
NATIVE = Path(__file__).parent / "native"
CC = [os.environ.get("CC", "cc"), "-O2", "-Wall", "-Wextra", "-Werror"]
STEPS, BAD = 8 if ON_GPU else 24, 3  # an emulated device takes seconds for each


def load_example():
    spec = importlib.util.spec_from_file_location("digits_cnn", EXAMPLE / "main.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """The exported step, what C starts from, and the losses, overflows, scales and state of Python. The
    pixels of one batch are so large that its gradients overflow.
    """
    example = load_example()
    folder = tmp_path_factory.mktemp("step")
    net, step = example.make(STEPS)
    images, labels = example.load()
    data = ds.NumpySlicesDataset({"x": images, "y": labels}).batch(example.BATCH)
    batches = [row for row, _ in zip(data.epoch_rows(0), range(STEPS))]
    batches[BAD][0] = batches[BAD][0] * 1e37
    files = ms.export(
        net, batches[0][0], file_name=str(folder / "digits_cnn"), value_and_grad=False,
        step=(step, *batches[0]),
    )  # fmt: skip
    assert [Path(f).suffix for f in files] == [".so", ".h", ".safetensors"]
    parameters = step.parameters_dict()
    state = [parameters[n] for n in example.state_names(net)]
    flat = [t for batch in batches for t in batch]
    start = np.int32(STEPS).tobytes() + example.as_bytes(state + flat)
    (folder / "start.bin").write_bytes(start)
    before, rows, overflows = example.as_bytes(state), [], []
    for i, batch in enumerate(batches):
        loss, overflow, scale = step(*batch)
        rows.append((loss.item(), scale.item()))
        overflows.append(overflow.item())
        if i == BAD:  # Parameters and momenta are as they were
            kept = example.as_bytes(state[:-3])
            assert kept == before[: len(kept)]
        before = example.as_bytes(state)
    return folder, np.float32(rows), overflows, before


def build(folder, name, *arguments):
    command = [*CC, "-std=c11", "-I", folder, EXAMPLE / "train.c", *arguments]
    command += [folder / "digits_cnn.so", f"-Wl,-rpath,{folder}", "-o", folder / name]
    subprocess.run(command, check=True)


def test_c_trains_to_the_same_bits_through_an_overflow(trained):
    folder, rows, overflows, state = trained
    build(folder, "train")
    command = [folder / "train", folder / "start.bin", folder / "trace.bin"]
    run = subprocess.run(command, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert f"{STEPS} steps, 1 skipped" in run.stdout
    found, wanted = (
        np.frombuffer(b, np.float32)
        for b in ((folder / "trace.bin").read_bytes(), rows.tobytes() + state)
    )
    # The exported step is the CPU's. Counters and scales at the end are exact anywhere.
    assert_same_sums(found[:-5], wanted[:-5], rtol=1e-4, atol=1e-5)
    assert found[-5:].tobytes() == wanted[-5:].tobytes()
    assert overflows == [i == BAD for i in range(STEPS)]
    scales = [1024.0] * BAD + [512.0] * (STEPS - BAD)
    assert rows[:, 1].tolist() == scales
    assert ON_GPU or rows[-1, 0] < rows[0, 0]  # which takes more than a few steps


@pytest.mark.parametrize("lend", [True, False])
def test_the_step_allocates_and_copies_nothing_in_c(trained, lend):
    folder = trained[0]
    quiet = ["-fno-builtin", "-fno-tree-loop-distribute-patterns", "-Wno-missing-prototypes"]
    counting = ["-std=gnu11", *quiet, NATIVE / "counting.c", NATIVE / "counted_step.c"]
    build(folder, "counted", *counting, "-ldl", "-Wl,--wrap=cg_digits_cnn.train_step")
    command = [folder / "counted", folder / "start.bin", folder / "trace.bin"]
    environment = {**os.environ, "LEND": str(int(lend))}
    run = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert run.returncode == 0, run.stderr
    allocations = 0 if lend else STEPS - 1  # without an arena of the caller's, one a call
    assert f"allocations {allocations}, copies 0" in run.stdout


IN_PYTHON = """
import ctypes, sys
sys.path.insert(0, {tests!r})
import test_compiled_step as t
import numpy as np
import cellgrad as ms

example = t.load_example()
net, step = example.make(100)
images, labels = example.load()
x, y = ms.Tensor(images[:64]), ms.Tensor(labels[:64])
for _ in range(5):
    loss = step(x, y)
counter = ctypes.CDLL(None)


def counted(run):
    # Large allocations, large copies, and what native code asked for.
    before, after = (ctypes.c_long * 3)(), (ctypes.c_long * 3)()
    asked = [0, 0]
    for i, numbers in enumerate((before, after)):
        if i:
            counter.count_start()
            run()
            counter.count_stop()
        counter.count_read(numbers)
        asked[i] = sum(map(counter.count_from, (b"_native", b"m1.so", b"libstdc++")))
    return after[1] - before[1], after[2] - before[2], asked[1] - asked[0]


losses = []


def drop():
    global loss
    for _ in range(20):
        loss = step(x, y)


def keep():
    losses.extend(step(x, y) for _ in range(40))


def arrays():
    losses.append([np.ones(1000).copy() for _ in range(3)])


print(*counted(drop), counted(keep)[2], counted(arrays)[0])
"""


@cpu_only
def test_the_step_allocates_and_copies_nothing_in_python(tmp_path):
    """A preloaded library counts what is 2 KiB and more, and all that native code asks for. That it
    counts is seen from losses that are kept and from six arrays of numpy's.
    """
    library = tmp_path / "counting.so"
    flags = ["-std=gnu11", "-shared", "-fPIC", "-fno-builtin"]
    flags += ["-fno-tree-loop-distribute-patterns", "-ldl"]
    subprocess.run([*CC, *flags, NATIVE / "counting.c", "-o", library], check=True)
    code = IN_PYTHON.format(tests=str(Path(__file__).parent))
    environment = {
        **os.environ,
        "LD_PRELOAD": f"{os.environ.get('LD_PRELOAD', '')} {library}".strip(),
    }
    command = [sys.executable, "-c", code]
    run = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert run.returncode == 0, run.stderr
    large, copies, native, kept, arrays = map(int, run.stdout.split())
    assert (large, copies, native) == (0, 0, 0)
    assert kept >= 20 and arrays >= 6
