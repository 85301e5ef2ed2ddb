"""Records what MindSpore 2.10 gives for the expressions of `name_cases.py`, as `record.py` does.

python -m venv /tmp/mindspore && /tmp/mindspore/bin/pip install mindspore==2.10.0 'numpy<2'
/tmp/mindspore/bin/python test/python/goldens/record_names.py
"""

import json
import tempfile
from pathlib import Path

import name_cases as cases
import record


def main() -> None:
    recorded = {}
    path = Path(tempfile.mkdtemp()) / "golden_setup.py"
    path.write_text(f"{record.HEADER}from mindspore import train\n{cases.SETUP}")
    for group, expressions in cases.ALL.items():
        recorded[group] = {}
        for expression in expressions:
            result = "!SystemError"
            for _ in range(2):  # MindSpore may raise what an expression before has left
                if result == "!SystemError":
                    try:
                        result = repr(eval(expression, record.fresh_names(path)))
                    except Exception as e:
                        result = f"!{type(e).__name__}"
            recorded[group][expression] = result
    out = Path(__file__).with_name("names.json")
    out.write_text(json.dumps(recorded, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
