"""Records what MindSpore 2.10 gives for the calls of numpy_cases.py.

MINDSPORE_PYTHON test/python/goldens/record_numpy.py
"""

import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))

import numpy_values
from numpy_cases import CASES, GRADIENTS


def main():
    import mindspore as ms
    import mindspore.numpy as mnp

    ms.runtime.launch_blocking()  # an error comes from the call that makes it
    names = numpy_values.names(ms, mnp)
    lines = [
        f"{json.dumps(text)}: {json.dumps(numpy_values.outcome(text, names))}"
        for text in [*CASES, *GRADIENTS]
    ]
    out = pathlib.Path(__file__).parent / "numpy.json"
    out.write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
