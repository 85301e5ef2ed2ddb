"""Operations of every pair of dtypes, and of a tensor and a number, for the dtype of the result."""

DTYPES = ["bool_", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64"]
NUMBERS = [3, 2.5, True]
OPERATIONS = {
    "a + b": lambda ops, a, b: a + b,
    "a - b": lambda ops, a, b: a - b,
    "a * b": lambda ops, a, b: a * b,
    "a / b": lambda ops, a, b: a / b,
    "a // b": lambda ops, a, b: a // b,
    "a % b": lambda ops, a, b: a % b,
    "a ** b": lambda ops, a, b: a**b,
    "a < b": lambda ops, a, b: a < b,
    "a == b": lambda ops, a, b: a == b,
    "a & b": lambda ops, a, b: a & b,
    "maximum": lambda ops, a, b: ops.maximum(a, b),
    "where": lambda ops, a, b: ops.where(a == a, a, b),
    "matmul": lambda ops, a, b: ops.matmul(a.reshape(1, 1), b.reshape(1, 1)),
}


def table(ms):
    """For each operation and first dtype, the result's dtype by what stands beside it.

    Where the operation is refused, the class of the exception stands, after an exclamation mark.
    """
    out = {}
    for text, function in OPERATIONS.items():
        for name in DTYPES:
            a = ms.Tensor([1], getattr(ms, name))
            pairs = {d: (a, ms.Tensor([2], getattr(ms, d))) for d in DTYPES}
            pairs |= {f"{n}": (a, n) for n in NUMBERS} | {f"{n}, left": (n, a) for n in NUMBERS}
            row = out[f"{text}, a {name}"] = {}
            for beside, (x, y) in pairs.items():
                try:
                    row[beside] = str(function(ms.ops, x, y).dtype)
                except Exception as e:
                    row[beside] = f"!{type(e).__name__}"
    return out
