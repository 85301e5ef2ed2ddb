"""levels.so computes what a model for the level alone does, and picks a level that this machine has."""

import ctypes
import json
import subprocess
import sys
from pathlib import Path

import numpy as np

cellc, folder = sys.argv[1:]
draw = np.random.default_rng(3)
x, w = draw.uniform(-1, 1, (32, 40)).astype("f4"), draw.uniform(-1, 1, (40, 24)).astype("f4")


def load(name, target):
    if target:
        command = [
            cellc,
            f"{folder}/sgd.mlir",
            "-o",
            f"{folder}/{name}.so",
            "--name=m",
            "--emit=so",
        ]
        subprocess.run([*command, f"--target={target}"], check=True)
    model = ctypes.CDLL(f"{folder}/{name}.so")
    model.cg_m_signature.restype = model.cg_m_status_message.restype = ctypes.c_char_p
    return model, json.loads(model.cg_m_signature())


def loss(model):
    y = np.zeros(32, "f4")
    buffers = (ctypes.c_void_p * 3)(x.ctypes.data, w.ctypes.data, y.ctypes.data)
    return model.cg_m_loss(buffers, None), y


levels, told = load("levels", None)
cpu = told["target"]["cpu"]
flags = set(Path("/proc/cpuinfo").read_text().split("flags", 1)[1].split("\n", 1)[0].split())
v3 = {"avx2", "bmi1", "bmi2", "f16c", "fma", "movbe"} <= flags
v4 = v3 and {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"} <= flags
assert cpu == ("x86-64-v4" if v4 else "x86-64-v3" if v3 else "x86-64-v2"), cpu
alone, own = load("alone", cpu)
arenas = [
    max(e["arena_bytes"] for e in load(f"arena{n}", f"x86-64-v{n}")[1]["entries"])
    for n in (2, 3, 4)
]
assert max(e["arena_bytes"] for e in told["entries"]) == max(arenas)
assert [e["args"] for e in told["entries"]] == [e["args"] for e in own["entries"]]
status, y = loss(levels)
assert status == 0 and np.array_equal(y.view("u4"), loss(alone)[1].view("u4"))
h = np.tanh(x.astype("f8") @ w)
np.testing.assert_allclose(y, (h @ h.T).sum(1), rtol=1e-4, atol=1e-4)

# No processor since 2017 has what bdver4 has.
lower, told = load("lower", "bdver4,x86-64-v2")
assert told["target"]["cpu"] == "x86-64-v2", told["target"]
status, y = loss(lower)
assert status == 0
np.testing.assert_allclose(y, (h @ h.T).sum(1), rtol=1e-4, atol=1e-4)
none, _ = load("none", "bdver3,bdver4")
status, _ = loss(none)
assert b"lacks instructions" in none.cg_m_status_message(status)
