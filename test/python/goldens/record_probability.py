"""Records what MindSpore 2.10 gives for the calls of `probability_cases.py`.

python -m venv /tmp/mindspore && /tmp/mindspore/bin/pip install mindspore==2.10.0 'numpy<2'
/tmp/mindspore/bin/python test/python/goldens/record_probability.py
"""

import json
from pathlib import Path

import mindspore as ms
import mindspore.nn.probability.bijector as msb
import mindspore.nn.probability.distribution as msd
import probability_cases as cases


def main() -> None:
    recorded = {}
    for case in cases.CASES:
        try:
            recorded[case] = cases.plain(eval(case, cases.names(ms, msd, msb)))
        except Exception as e:
            recorded[case] = f"!{type(e).__name__}: {' '.join(str(e).split())[:100]}"
    out = Path(__file__).with_name("probability.json")
    lines = [f"{json.dumps(k)}: {json.dumps(v)}" for k, v in recorded.items()]
    out.write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
