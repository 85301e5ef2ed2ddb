"""Measures how far the derivatives of each op are from differences, for docs/op-status.md.

    python tools/docs/derivative_errors.py [OP...]

writes derivative_errors.json: for each op, or those that are named, the largest error at order 1, 2 and 3 over its examples
(test/python/op_examples.py) and all sequences of modes, in float64, as check_grads measures it. It
takes some minutes for all; `make docs` puts the record into the page.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RECORD = Path(__file__).with_suffix(".json")
ORDERS = 3
sys.path.insert(0, str(ROOT / "test" / "python"))


def main() -> int:
    import op_examples

    import cellgrad as ms
    from cellgrad.transforms.check_grads import _largest_errors

    ops = sorted(op_examples.differentiable())
    named = sys.argv[1:] or ops
    if unknown := set(named) - set(ops):
        print("no differentiable op is called", *sorted(unknown), file=sys.stderr)
        return 1
    record = json.loads(RECORD.read_text()) if named != ops else {}
    for op in named:
        worst = [0.0] * ORDERS
        for f, args in op_examples.examples(op):
            inputs = tuple(ms.Tensor(a, ms.float64) for a in args)
            worst = [max(e) for e in zip(worst, _largest_errors(f, inputs, ORDERS), strict=True)]
        record[op] = [float(f"{e:.1e}") for e in worst]
        print(op, *record[op], flush=True)
    RECORD.write_text(json.dumps(record, indent=0, sort_keys=True) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
