"""Records what MindSpore 2.10 gives for the calls of `gradient_cases.py`.

python -m venv /tmp/mindspore && /tmp/mindspore/bin/pip install mindspore==2.10.0 'numpy<2'
/tmp/mindspore/bin/python test/python/goldens/record_gradients.py
"""

import json
from pathlib import Path
from types import SimpleNamespace

import gradient_cases as cases
import mindspore as ms
from mindspore.ops import auto_generate
from mindspore.ops import operations as P
from mindspore.ops.operations import _grad_ops


def main() -> None:
    gradients = SimpleNamespace(**{**vars(auto_generate), **vars(_grad_ops)})
    recorded = {}
    for case in cases.CASES:
        try:
            recorded[case] = cases.plain(eval(case, cases.names(ms, gradients, P)))
        except Exception as e:
            recorded[case] = f"!{type(e).__name__}: {' '.join(str(e).split())[:100]}"
    out = Path(__file__).with_name("gradients.json")
    lines = [f"{json.dumps(k)}: {json.dumps(v)}" for k, v in recorded.items()]
    out.write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
