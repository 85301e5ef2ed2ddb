"""Why answers differ on purpose: the rows of docs/differences.md, as rules on programs and verdicts.

A rule: patterns of the program and of how the answers differ, and the reason. The first that fits counts.
"""

from __future__ import annotations

import re

RULES: list[tuple[str, str, str]] = [
    (r"", r"^a result, not (SystemError|Crash)", "MindSpore crashes"),
    (r"", r"^a result, not \w+", "computed here, refused there"),
    (r"^selu |ops\.selu", r"values", "MindSpore's gradient of selu is wrong below 0"),
    (r"^mish ", r"values", "MindSpore's gradient of mish has three digits"),
    (r"^kl_div ", r"values", "the target of kl_div has a gradient"),
    (r"^det \| second", r"values", "MindSpore's second derivative of det is wrong"),
    (r"^pad(_constant)? \| loop", r"values", "MindSpore loses the first trip of a loop"),
    (r"^zeros: ops.L2Normalize", r"values", "MindSpore's gradient of L2Normalize is wrong for small numbers"),
    (r"^corner.*(norm\(x\*0\)|x\*\*0$|interp|pow\(x,y\)|div\(x,y\))|^tie: ops.cumprod", r"values",
     "MindSpore has NaN where there is a slope, or a slope where there is none: conventions"),
    (r"tanhshrink", r"values", "MindSpore's tanh has five digits"),
    (r"layer.?norm|^softmax \| branch|CellList|remainder \| value", r"values",
     "rounding: results are differences of nearly equal numbers"),
    (r"^(pow|tensor_pow|remainder|fmod) \| int32", r"values", "integers by zero"),
    (r"\"bool_\"\)\)?$", r"values", "bools have no derivative"),
    (r"^ms.grad", r"^\w+, not (Float|Int)", "a gradient has its input's dtype"),
    (r"\(\) \* y|\(x(, \d)?\) \* y|sum\(\) \* y", r"^\w+, not \w+\d$", "products with 0-d tensors"),
    (r"^(erf|erfc) \|", r"Float32, not Float64", "a gradient has its input's dtype"),
    (r"\.asnumpy|\bnan\b|'inf'", r"values", "NaN and infinities: conventions"),
    (r"'int8'\)|127, -128|True, False\], \"bool_\"\)\)$", r"values", "integers by zero"),
    (r"one_hot of", r"values", "values of one_hot have gradients"),
    (r"cast to an int and back|beside an integer output", r"values", "a cast to integers rounds"),
    (r"mutable .* \| eager", r"not (0|tuple)", "inputs are inputs"),
    (r"of another shape", r"^ValueError", "a tangent has the shape of its input"),
    (r"ops\.any|\.any\(", r"values", "any: MindSpore leaves out numbers between -1 and 1"),
    (r"\.(std|var)\(", r"values", "MindSpore's mean of integers is rounded"),
    (r"hardsigmoid|hardswish|hardtanh|leaky_relu|selu|inv\(|l1_loss|norm\(", r"^Float32, not (Int|Bool)",
     "functions of integers that are no integers are floats"),
    (r"float64", r"values", "MindSpore computes float64 in float32"),
    (r"argmax|argmin|max\(|min\(", r"^shape \[1, 1\], not \[\]", "keepdims keeps dimensions"),
    (r"", r"^value$", "another text or object of Python"),
]  # fmt: skip


def reason(program: str, verdict: str) -> str:
    """Why this difference is on purpose; empty where it is not."""
    for pattern, kind, why in RULES:
        if re.search(pattern, program) and re.search(kind, verdict):
            return why
    return ""
