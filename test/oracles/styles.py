"""Programs from two tables: what is computed (`functions.py`), and how it is written.

Each row of the first is written in every style: eager, compiled, differentiated once and twice, inside a
Cell, a loop, a branch, under `vmap`, by `jvp` and `vjp`, in other dtypes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from functions import CASES, INPUTS, Case

MORE: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("x_slice_assign", "ops.concat((x[1:], x[:1])) * x", ("any",)),
    ("power_2", "x ** 2 + 2 ** x", ("any",)),
    ("scalar_left", "2 - x / 4 + 1 / x", ("positive",)),
    ("floor_mod", "x % 2 + x // 2", ("any",)),
    ("negative_abs", "abs(-x) * x", ("any",)),
    ("matmul_operator", "x @ y", ("matrix", "tall")),
    ("bool_mask", "x * (x > 0).astype(ms.float32) + x", ("any",)),
    ("where_scalar", "ops.where(x > 0, x, 0.1 * x)", ("any",)),
    ("clip_method", "x.clip(-1, 1) * x", ("any",)),
    ("mean_all", "x.mean() * x", ("matrix",)),
    ("sum_keepdims", "x / ops.exp(x).sum(axis=1, keepdims=True)", ("matrix",)),
    ("layer_norm_by_hand", "(x - x.mean(-1, keep_dims=True)) / ops.sqrt(ops.square(x).mean(-1, keep_dims=True) + 1e-5)", ("matrix",)),
    ("transpose_reshape", "x.transpose(1, 0).reshape(2, 6) * 2", ("matrix",)),
    ("gather", "ops.gather(x, T([2, 0, 2], 'int32'), 0) * 3", ("any",)),
    ("index_tensor", "x[T([1, 3], 'int32')] * x[:2]", ("any",)),
    ("index_negative", "x[-1] * x[::2]", ("any",)),
    ("index_ellipsis", "x[..., 1] * x[..., -1]", ("batch",)),
    ("index_none", "x[:, None] * x[None]", ("row",)),
    ("masked_fill", "ops.masked_fill(x, x > 0.5, 2.0) * x", ("any",)),
    ("cumsum", "ops.cumsum(x, 0) * x", ("any",)),
    ("cumprod", "ops.cumprod(x, 0)", ("positive",)),
    ("topk", "ops.topk(x, 3)[0] * 2", ("any",)),
    ("sort", "ops.sort(x)[0] * T([1, 2, 3, 4, 5, 6, 7])", ("any",)),
    ("max_axis", "ops.max(x, 1)[0] * 2", ("matrix",)),
    ("split", "ops.split(x, 2, axis=1)[1] * 3", ("matrix",)),
    ("chunk_add", "ops.chunk(x, 2, axis=1)[0] + ops.chunk(x, 2, axis=1)[1] ** 2", ("matrix",)),
    ("expand", "ops.broadcast_to(x, (2, 4)) * y", ("row", "row")),
    ("dense", "ops.dense(x, y.T)", ("matrix", "tall")),
    ("avg_pool", "ops.avg_pool1d(x, 2, 1) * 2", ("batch",)),
    ("max_pool", "ops.max_pool2d(x.reshape(1, 2, 3, 4), 2, 1)", ("batch",)),
    ("conv", "ops.conv2d(x.reshape(1, 2, 3, 4), y.reshape(2, 2, 2, 2))", ("batch", "batch2")),
    ("l1_loss, again", "ops.l1_loss(x, y)", ("matrix", "matrix2")),
    ("huber_loss, again", "ops.huber_loss(x, y, delta=0.5)", ("matrix", "matrix2")),
    ("smooth_l1", "ops.smooth_l1_loss(x, y, beta=1.0, reduction='mean')", ("matrix", "matrix2")),
    ("cross_entropy_probabilities", "ops.cross_entropy(x, ops.softmax(y, -1))", ("matrix", "matrix2")),
    ("cross_entropy_indices", "ops.cross_entropy(x, T([1, 0, 3], 'int32'))", ("matrix",)),
    ("nll", "ops.nll_loss(ops.log_softmax(x, -1), T([1, 0, 3], 'int32'))", ("matrix",)),
    ("bce_logits", "ops.binary_cross_entropy_with_logits(x, ops.sigmoid(y), ops.ones_like(x), ops.ones_like(x))", ("matrix", "matrix2")),
    ("kl_div", "ops.kl_div(ops.log_softmax(x, -1), ops.softmax(y, -1), 'sum')", ("matrix", "matrix2")),
    ("one_hot", "ops.one_hot(T([1, 0, 3], 'int32'), 4, T(1.0), T(0.0)) * x", ("matrix",)),
    ("pad_constant", "ops.pad(x, (1, 1), value=2.0) * 2", ("matrix",)),
    ("stack_unstack", "ops.stack(ops.unstack(x, 0)[::-1]) * x", ("matrix",)),
    ("einsum_trace", "ops.einsum('ii->i', x) * 2", ("square",)),
    ("det", "ops.det(x)", ("square",)),
    ("inverse", "ops.inverse(x)", ("square",)),
    ("addmm", "ops.addmm(x, y, z)", ("square", "matrix", "wide")),
    ("norm2", "ops.norm(x)", ("matrix",)),
    ("lerp_scalar", "ops.lerp(x, y, 0.3)", ("any", "any2")),
    ("trunc_round", "x * ops.round(x) + ops.trunc(x)", ("any",)),
    ("stop", "ops.stop_gradient(x) * x", ("any",)),
    ("tensor_pow", "x ** y", ("positive", "any")),
    ("sigmoid_method", "x.sigmoid() * x.tanh()", ("any",)),
    ("swap", "x.swapaxes(0, 1) * 2 + y.T", ("matrix", "matrix2")),
    ("squeeze", "x.expand_dims(0).squeeze(0) * 2", ("matrix",)),
    ("tile_repeat", "ops.repeat_interleave(x, 2, 0) * 2", ("row",)),
    ("gather_elements", "ops.gather_elements(x, 1, T([[0], [3], [1]], 'int32')) * 2", ("matrix",)),
    ("scatter_add", "ops.tensor_scatter_add(x, T([[0], [2]], 'int32'), y[:2])", ("any", "any2")),
    ("index_select", "x.index_select(1, T([0, 2], 'int32')) * 2", ("matrix",)),
    ("logical", "ops.logical_and(x > 0, x < 1).astype(ms.float32) * x", ("any",)),
    ("all_any", "(x > -9).all().astype(ms.float32) * x", ("any",)),
    ("addn", "ops.addn([x, y, x])", ("any", "any2")),
    ("square_sum_all", "ops.square(x).sum() + y.sum()", ("any", "any2")),
    ("cast_f16", "x.astype(ms.float16).astype(ms.float32) * 2", ("any",)),
    ("eye", "ops.eye(3, 3, ms.float32) * x", ("square",)),
)  # fmt: skip


class Row(NamedTuple):
    name: str
    text: str
    inputs: tuple[str, ...]


def rows() -> Iterator[Row]:
    def of(case: Case) -> Row:
        text = case.ours.split(":", 1)[1].strip().replace("ms.float64", "x.dtype")
        return Row(case.name, text, case.args)

    yield from map(of, CASES)
    yield from (Row(*row) for row in MORE)


def _inputs(row: Row, dtype: str = "float32") -> str:
    lines = []
    for name, a in zip("xyz", row.inputs, strict=False):
        lines.append(f'{name} = T({INPUTS[a].tolist()}, "{dtype}")')
    return "\n".join(lines)


def _function(row: Row) -> tuple[str, str]:
    names = ", ".join("xyz"[: len(row.inputs)])
    return names, f"def f({names}):\n    return {row.text}"


def _positions(row: Row) -> str:
    return repr(tuple(range(len(row.inputs)))) if len(row.inputs) > 1 else "0"


def _gradient(row: Row, function: str = "f") -> str:
    names, _ = _function(row)
    return f"""c = probe({function}({names}))
def first({names}):
    return ({function}({names}) * c).sum()"""


def value(row: Row) -> str:
    names, f = _function(row)
    return f"{_inputs(row)}\n{f}\nreturn f({names})"


def compiled(row: Row) -> str:
    names, f = _function(row)
    return f"{_inputs(row)}\n@ms.jit\n{f}\nreturn f({names})"


def first(row: Row) -> str:
    names, f = _function(row)
    return (
        f"{_inputs(row)}\n{f}\n{_gradient(row)}\nreturn ms.grad(first, {_positions(row)})({names})"
    )


def with_value(row: Row) -> str:
    names, f = _function(row)
    return (
        f"{_inputs(row)}\n{f}\n{_gradient(row)}\n"
        f"return ms.jit(ms.value_and_grad(first, {_positions(row)}))({names})"
    )


def second(row: Row) -> str:
    names, f = _function(row)
    n = len(row.inputs)
    parts = [f"(g[{i}] * d[{i}]).sum()" for i in range(n)] if n > 1 else ["(g * d).sum()"]
    probes = "d = tuple(probe(v) for v in g)" if n > 1 else "d = probe(g)"
    return f"""{_inputs(row)}
{f}
{_gradient(row)}
g = ms.grad(first, {_positions(row)})({names})
{probes}
def second({names}):
    g = ms.grad(first, {_positions(row)})({names})
    return {" + ".join(parts)}
return ms.grad(second, {_positions(row)})({names})"""


def cell(row: Row) -> str:
    names, _ = _function(row)
    others = names.replace("x", "self.w", 1)
    calls = names.removeprefix("x").removeprefix(", ")
    return f"""{_inputs(row)}
class Net(nn.Cell):
    def __init__(self, w):
        super().__init__()
        self.w = Parameter(w, name="w")
    def f(self, {names}):
        return {row.text}
    def construct(self, {calls}):
        return (self.f({others}) ** 2).sum()
net = Net(x)
step = ms.value_and_grad(net, None, net.trainable_params())
return step({calls})"""


def loop(row: Row) -> str:
    names, f = _function(row)
    return f"""{_inputs(row)}
{f}
def total({names}):
    i = Tensor(0, ms.int32)
    out = x.sum() * 0.1
    while i < 3:
        out = out + f({names}).sum() * 0.5
        x = x * 0.9
        i = i + 1
    return out
return ms.jit(total)({names}), ms.grad(total, {_positions(row)})({names})"""


def branch(row: Row) -> str:
    names, f = _function(row)
    return f"""{_inputs(row)}
{f}
def total({names}):
    if x.sum() > 100:
        out = x.sum()
    elif x.sum() > -100:
        out = f({names}).sum() * 2
    else:
        out = x.sum() * 3
    return out
return ms.jit(total)({names}), ms.grad(total, {_positions(row)})({names})"""


def mapped(row: Row) -> str:
    names, f = _function(row)
    return f"""{_inputs(row)}
{f}
rows = ops.stack((x, x * 0.75))
return ms.vmap(f, in_axes={(0, *[None] * (len(row.inputs) - 1))})(rows{names[1:]})"""


def pulled(row: Row) -> str:
    names, f = _function(row)
    return f"""{_inputs(row)}
{f}
out, pull = ms.vjp(f, {names})
return out, pull(probe(out))"""


def pushed(row: Row) -> str:
    names, f = _function(row)
    tangents = ", ".join(f"probe({n})" for n in names.split(", "))
    if len(row.inputs) > 1:
        names, tangents = f"({names})", f"({tangents})"
    return f"{_inputs(row)}\n{f}\nreturn ms.jvp(f, {names}, {tangents})"


def of_dtype(dtype: str) -> Callable[[Row], str]:
    def text(row: Row) -> str:
        names, f = _function(row)
        return f"{_inputs(row, dtype)}\n{f}\nreturn f({names})"

    return text


STYLES: dict[str, tuple[str, Callable[[Row], str]]] = {
    "eager": ("eager", value),
    "compiled": ("graph", compiled),
    "gradient": ("graph", first),
    "eager gradient": ("eager", first),
    "value and gradient": ("graph", with_value),
    "second derivative": ("graph", second),
    "cell": ("graph", cell),
    "eager cell": ("eager", cell),
    "loop": ("graph", loop),
    "branch": ("graph", branch),
    "vmap": ("graph", mapped),
    "vjp": ("eager", pulled),
    "jvp": ("graph", pushed),
    "float64": ("eager", of_dtype("float64")),
    "float16": ("eager", of_dtype("float16")),
    "int32": ("eager", of_dtype("int32")),
}


def programs() -> Iterator[dict[str, str]]:
    for row in rows():
        for style, (mode, text) in STYLES.items():
            yield {"id": f"{row.name} | {style}", "mode": mode, "text": text(row)}
