"""Records what MindSpore 2.10 gives for the expressions of `cases.py`, `frontend_cases.py`, `older_cases.py`
and `promotion_cases.py`, in graph mode where it compiles.

    python -m venv /tmp/mindspore && /tmp/mindspore/bin/pip install mindspore==2.10.0 'numpy<2'
    /tmp/mindspore/bin/python test/python/goldens/record.py

Every expression is evaluated in fresh names. The record is the `repr` of the result, or the class
of the exception.
"""

import importlib.util
import json
import sys
import tempfile
from pathlib import Path

import cases
import frontend_cases
import mindspore as ms
import older_cases
import promotion_cases

HEADER = """
import mindspore as ms
import numpy as np
from mindspore import Parameter, ParameterTuple, Tensor, nn, ops
"""


def fresh_names(path: Path) -> dict[str, object]:
    """The names of the set-up; MindSpore reads sources, so it is a module with a file."""
    spec = importlib.util.spec_from_file_location("golden_setup", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules["golden_setup"] = module
    spec.loader.exec_module(module)
    return vars(module)


def record(setup: str, groups: dict[str, list[str]], name: str) -> None:
    recorded = {}
    path = Path(tempfile.mkdtemp()) / "golden_setup.py"
    path.write_text(HEADER + setup)
    for group, expressions in groups.items():
        graph = group in cases.GRAPH and setup is cases.SETUP
        ms.set_context(mode=ms.GRAPH_MODE if graph else ms.PYNATIVE_MODE)
        recorded[group] = {}
        for expression in expressions:
            try:
                result = repr(eval(expression, fresh_names(path)))
            except Exception as e:
                result = f"!{type(e).__name__}"
            recorded[group][expression] = result
    out = Path(__file__).with_name(name)
    out.write_text(json.dumps(recorded, indent=1, ensure_ascii=False) + "\n")


def main() -> None:
    record(cases.SETUP, cases.ALL, "recorded.json")
    record(frontend_cases.SETUP, frontend_cases.ALL, "frontend.json")
    record(older_cases.SETUP, older_cases.ALL, "older.json")
    lines = [f" {json.dumps(k)}: {json.dumps(v)}" for k, v in promotion_cases.table(ms).items()]
    text = "{\n" + ",\n".join(lines) + "\n}\n"
    Path(__file__).with_name("promotion.json").write_text(text)


if __name__ == "__main__":
    main()
