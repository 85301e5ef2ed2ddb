"""Compares answers of `session.py`: dtypes, shapes, elements, structure; of errors, the class."""

from __future__ import annotations

import math
from typing import Any

# Relative to the largest number of a result; MindSpore's float kernels are good to five digits.
TOLERANCE = {"Float16": 4e-3, "BFloat16": 2e-2, "Float64": 1e-6}
# What says that MindSpore 2.10 has no kernel for a CPU, or is broken there: nothing to compare with.
NOT_ON_CPU = (
    "nsupported op", "not support", "CPU kernel", "Select CPU", "Ascend", "has not been registered", "kernel", "GPU",
)  # fmt: skip


def silent(answer: dict[str, Any]) -> bool:
    """Whether MindSpore has nothing to say: no kernel on CPUs, no such name, or a crash."""
    if "error" not in answer:
        return False
    kind, says = answer["error"][0], answer["says"]
    return kind in ("Crash", "TimeoutError", "NotImplementedError") or (
        kind in ("RuntimeError", "TypeError", "ValueError") and any(t in says for t in NOT_ON_CPU)
    )


def numbers(value: Any) -> list[float]:
    return [float(v) for part in value for v in (part if isinstance(part, list) else [part])]


def difference(ours: Any, theirs: Any) -> str:
    """In which way two results differ, or an empty text."""
    if isinstance(ours, dict) and isinstance(theirs, dict):
        for kind in ("values", "complex"):
            if kind in ours and kind in theirs:
                return _of_tensors(ours, theirs, kind)
        for kind in ("tuple", "list"):
            if kind in ours and kind in theirs:
                if len(ours[kind]) != len(theirs[kind]):
                    return f"{len(ours[kind])} results, not {len(theirs[kind])}"
                pairs = zip(ours[kind], theirs[kind], strict=True)
                return next((d for d in (difference(a, b) for a, b in pairs) if d), "")
        if "dict" in ours and "dict" in theirs:
            if [k for k, _ in ours["dict"]] != [k for k, _ in theirs["dict"]]:
                return "keys"
            pairs = zip(ours["dict"], theirs["dict"], strict=True)
            return next((d for d in (difference(a, b) for (_, a), (_, b) in pairs) if d), "")
        if ours.keys() != theirs.keys():
            return f"{next(iter(ours))}, not {next(iter(theirs))}"
        if "float" in ours:
            return "" if _near(numbers(ours.values()), numbers(theirs.values()), 1e-6) else "value"
    return "" if ours == theirs else "value"


def _of_tensors(ours: dict[str, Any], theirs: dict[str, Any], kind: str) -> str:
    mine, other = (d.get("dtype", d.get("array")) for d in (ours, theirs))
    if mine != other:
        return f"{mine}, not {other}"
    if ours.get("shape") != theirs.get("shape"):
        return f"shape {ours.get('shape')}, not {theirs.get('shape')}"
    tolerance = TOLERANCE.get(ours.get("dtype", ""), 2e-5)
    return "" if _near(numbers(ours[kind]), numbers(theirs[kind]), tolerance) else "values"


def _near(ours: list[float], theirs: list[float], tolerance: float) -> bool:
    if len(ours) != len(theirs):
        return False
    scale = max([abs(v) for v in theirs if math.isfinite(v)], default=0.0)
    return all(
        a == b or (math.isnan(a) and math.isnan(b)) or abs(a - b) <= tolerance * max(scale, 1e-3)
        for a, b in zip(ours, theirs, strict=True)
    )


def verdict(ours: dict[str, Any], theirs: dict[str, Any]) -> str:
    """Empty for equal answers. An error of ours may be of several classes, theirs one of them."""
    if "error" in theirs:
        if "error" not in ours:
            return f"a result, not {theirs['error'][0]}"
        same = theirs["error"][0] in ours["error"]
        return "" if same else f"{ours['error'][0]}, not {theirs['error'][0]}"
    if "error" in ours:
        return f"{ours['error'][0]}, not a result"
    return difference(ours["is"], theirs["is"])
