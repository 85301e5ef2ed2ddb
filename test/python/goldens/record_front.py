"""Records what MindSpore 2.10 gives for the programs of ``front/*.txt``, in each mode; each runs in a
process of its own.

    python -m venv /tmp/mindspore && /tmp/mindspore/bin/pip install mindspore==2.10.0 'numpy<2'
    /tmp/mindspore/bin/python test/python/goldens/record_front.py
"""

import json
import os
import tempfile
from pathlib import Path

import front_programs
import mindspore as ms


def apart(name, text, mode, folder):
    """What a program gives in a child process."""
    out = Path(folder) / "out.json"
    out.unlink(missing_ok=True)
    child = os.fork()
    if child == 0:
        ms.set_context(mode=mode)
        out.write_text(json.dumps(front_programs.run(name, text, folder, ms.Tensor)))
        os._exit(0)
    os.waitpid(child, 0)
    return json.loads(out.read_text()) if out.exists() else ["error", "crash"]


with tempfile.TemporaryDirectory() as folder:
    recorded = {}
    for name, text in front_programs.programs().items():
        modes = {"graph": ms.GRAPH_MODE, "pynative": ms.PYNATIVE_MODE}
        recorded[name] = {k: apart(name, text, mode, folder) for k, mode in modes.items()}
path = Path(__file__).parent / "front.json"
path.write_text(json.dumps(recorded, indent=0, separators=(",", ":")) + "\n")
