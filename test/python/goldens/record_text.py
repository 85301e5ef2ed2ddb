"""Records what MindSpore's `dataset.text` gives, in text.json.

python -m venv /some/venv && /some/venv/bin/pip install mindspore==2.10.0 'numpy<2'
/some/venv/bin/python record_text.py
"""

import json
from pathlib import Path

import mindspore as ms
import mindspore.dataset as ds
import text_cases

if __name__ == "__main__":
    found = text_cases.results(ms, ds)
    path = Path(__file__).parent / "text.json"
    lines = (f"{json.dumps(k)}: {json.dumps(v)}" for k, v in found.items())
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    print(len(found), "results")
