"""Random programs that may fail, cancel or donate, as models with CUDA kernels.

The programs of failing.py and donations.py, called in all the ways in which these call them, through the
runtime and the driver that CELLGRAD_CUDA_DRIVER names: the emulated one, or that of a GPU. Results have the
interpreter's bits; a call that fails leaves donated bytes as they were. Of half of the programs, kernels
and blocks are formed of anything. Every other one is called with pointers of the device.

    python test/fuzz/device_calls.py --kind=donations --first=1000 --count=500
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import donations
import failing
import numpy as np
from failing import Expected

from cellgrad import _native

sys.path.append(str(Path(__file__).resolve().parents[1] / "python"))
from device_models import CUT, Model

KINDS = {"failing": failing.Writer, "donations": donations.Donations}


class Entry:
    """The entry f of a model, called as guarded.Entry is."""

    def __init__(self, model: Model, on_device: bool) -> None:
        self.spec = model.entries["f"]
        self.call = model.run_on_device if on_device else model.run

    def run(self, given: Sequence[Any], **context: Any) -> Any:
        return self.call(self.spec, given, **context)


class Call(failing.Call):
    def __init__(self, text: str, entry: Entry, seed: int) -> None:
        self.text, self.graph, self.entry = text, _native.Graph.parse(text), entry  # type: ignore[assignment]
        rng = np.random.default_rng(seed)
        self.inputs = [
            rng.integers(0, 9, size=spec["shape"]).astype(spec["dtype"])
            for spec in entry.spec["args"]
        ]
        self.expected: Expected = {}


def check(kind: str, seed: int) -> Counter[int]:
    """How often a program ended with each status."""
    text = KINDS[kind](seed).program()
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / f"{kind}{seed}.mlir"
        source.write_text(text)
        with Model(source, "cuda", *([CUT] if seed % 2 else [])) as model:
            return Call(text, Entry(model, seed % 4 < 2), seed).all_ways()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kind", choices=KINDS, default="failing")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=100)
    options = parser.parse_args()
    counts, wrong = Counter[int](), 0
    for seed in range(options.first, options.first + options.count):
        try:
            counts += check(options.kind, seed)
        except Exception as finding:
            wrong += 1
            print(f"seed {seed}: {str(finding)[:2000]}", flush=True)
    print(f"{options.count} programs, {wrong} wrong; calls by status: {dict(counts)}")
    return wrong != 0


if __name__ == "__main__":
    sys.exit(main())
