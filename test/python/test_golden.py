"""Artifacts and checkpoints of earlier versions load, and compute what was recorded when they were made
(test/golden/make.py)."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import cellgrad as ms

GOLDEN = Path(__file__).resolve().parents[1] / "golden"
VERSIONS = sorted(
    path.name for path in GOLDEN.iterdir() if path.is_dir() and path.name[0].isdigit()
)


def array(recorded):
    dtype, shape, bits = recorded
    return np.frombuffer(bytes.fromhex(bits), dtype).reshape(shape)


@pytest.fixture(params=VERSIONS)
def golden(request, tmp_path):
    """A copy of the files, and what was recorded."""
    folder = shutil.copytree(GOLDEN / request.param, tmp_path / "golden")
    return folder, json.loads((folder / "recorded.json").read_text())


def test_there_are_some():
    assert "0.1" in VERSIONS
    assert sum(path.stat().st_size for path in GOLDEN.rglob("*")) < 400_000


def same(given, recorded):
    wanted = array(recorded)
    assert np.asarray(given).dtype == wanted.dtype and np.asarray(given).shape == wanted.shape
    assert np.asarray(given).tobytes() == wanted.tobytes()


def test_the_model_loads_and_computes_the_same_bits(golden):
    folder, recorded = golden
    model = ms.load(str(folder / "net"))
    x, y = array(recorded["x"]), array(recorded["y"])
    same(model.forward(x).asnumpy(), recorded["forward"])
    for given, wanted in zip(model.value_and_grad(x), recorded["gradients"], strict=True):
        same(given.asnumpy(), wanted)
    for wanted in recorded["losses"]:
        same(model.train_step(x, y).asnumpy(), wanted)
    assert model.parameters.keys() == recorded["trained"].keys()
    for name, wanted in recorded["trained"].items():
        same(model.parameters[name].asnumpy(), wanted)
    same(ms.load(str(folder / "rows")).forward(x).asnumpy(), recorded["rows"])


def test_what_was_recorded_is_right(golden):
    """In float64, from the file of weights, by hand."""
    folder, recorded = golden
    parameters = ms.load(str(folder / "net")).parameters
    w1, b1, w2, b2 = (
        parameters[n].asnumpy().astype(float)
        for n in ("hidden.weight", "hidden.bias", "out.weight", "out.bias")
    )
    x, y = array(recorded["x"]).astype(float), array(recorded["y"]).astype(float)
    out = np.tanh(x @ w1.T + b1) @ w2.T + b2
    np.testing.assert_allclose(array(recorded["forward"]), out, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(array(recorded["losses"][0]), np.mean((out - y) ** 2), rtol=1e-5)
    np.testing.assert_allclose(array(recorded["rows"]), np.tanh(x) * x, rtol=1e-5, atol=1e-7)


def test_c_finds_version_and_producer(golden):
    folder, _ = golden
    (folder / "main.c").write_text("""
#include <stdint.h>
#include <stdio.h>
uint32_t cg_net_abi_version(void);
uint64_t cg_net_fingerprint(void);
const char *cg_net_signature(void);
int main(void) {
  printf("%u %llx\\n%s\\n", cg_net_abi_version(), (unsigned long long)cg_net_fingerprint(), cg_net_signature());
  return 0;
}
""")
    command = [os.environ.get("CC", "cc"), folder / "main.c", folder / "net.so"]
    subprocess.run([*command, f"-Wl,-rpath,{folder}", "-o", folder / "main"], check=True)
    said = subprocess.run([folder / "main"], capture_output=True, text=True, check=True).stdout
    first, signature = said.split("\n", 1)
    parsed = json.loads(signature)
    assert first == f"2 {parsed['fingerprint']}"
    assert parsed["abi"] == 2 and re.fullmatch(r"cellgrad \d+\.\d+\.\d+", parsed["compiler"])


def test_checkpoints_load(golden):
    folder, _ = golden
    from_file = ms.load_checkpoint(str(folder / "net.ckpt"))
    beside = ms.load(str(folder / "net")).parameters
    assert set(from_file) == {"hidden.weight", "hidden.bias", "out.weight", "out.bias"}
    for name, value in from_file.items():
        assert value.asnumpy().tobytes() == beside[name].asnumpy().tobytes()
