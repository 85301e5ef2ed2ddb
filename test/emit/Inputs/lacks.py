"""The status of the entry of axpy.mlir where a command runs it: lacks.py MODEL COMMAND."""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "tools" / "targets"))
from machines import Launched

machine = Launched(sys.argv[2])
(entry,) = machine.signature(sys.argv[1], "m")["entries"]
own = [spec for spec in entry["results"] if "donated_arg" not in spec]
buffers = [np.ones(spec["shape"], spec["dtype"]) for spec in [*entry["args"], *own]]
print("status", machine.call(sys.argv[1], "m", entry["symbol"], buffers))
