"""Families of kernels for bench/device.py: what each computes here, in PyTorch and in JAX, and the least it has to move."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import cellgrad as ms
from cellgrad import ops

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Family:
    """`shapes` are those of a measurement and those of a trial; `whole` has bounds of integer arguments."""

    name: str
    ours: Callable[..., Any]
    torch: Callable[..., Any]  # of the module torch, and the arrays
    jax: Callable[..., Any]  # of the module jax, and the arrays
    shapes: tuple[Shape, ...]
    small: tuple[Shape, ...]
    moved: Callable[..., int]  # bytes, of the arrays
    whole: tuple[int, ...] = ()  # places of integer arguments, which index the first one
    flops: Callable[..., int] | None = None

    def arrays(self, is_small: bool) -> list[np.ndarray]:
        """Random data: a device computes faster on zeros."""
        random = np.random.default_rng(0)
        shapes = self.small if is_small else self.shapes
        made: list[np.ndarray] = []
        for n, shape in enumerate(shapes):
            if n in self.whole:
                made.append(random.integers(0, shapes[0][0], shape, dtype=np.int32))
            else:
                # A few million numbers, again and again: more take longer to make than to measure.
                few = random.standard_normal(min(int(np.prod(shape)), 1 << 22), np.float32)
                made.append(np.resize(few, shape))
        return made


def twice(x: np.ndarray, *rest: np.ndarray) -> int:
    return 2 * x.nbytes


def once(x: np.ndarray, *rest: np.ndarray) -> int:
    return x.nbytes


def rows_moved(t: np.ndarray, i: np.ndarray) -> int:
    return i.nbytes + 2 * i.size * t.shape[1] * t.itemsize


def all_of(*arrays: np.ndarray) -> int:
    return sum(a.nbytes for a in arrays)


def embedding_gradient(t: ms.Tensor, i: ms.Tensor, g: ms.Tensor) -> ms.Tensor:
    return ms.grad(lambda t: (ops.gather(t, i, 0) * g).sum())(t)


MAP, SMALL_MAP = ((1 << 26,),), ((1 << 10,),)
ROWS, SMALL_ROWS = ((32768, 2048),), ((4, 64),)
SQUARE, SMALL_SQUARE = ((8192, 8192),), ((32, 16),)
TABLE, SMALL_TABLE = ((65536, 256), (131072,)), ((32, 8), (16,))

FAMILIES = [
    Family(
        "map, x * 2 + 1",
        lambda x: x * 2 + 1,
        lambda torch, x: x * 2 + 1,
        lambda jax, x: x * 2 + 1,
        MAP,
        SMALL_MAP,
        twice,
    ),
    Family(
        "map, tanh(x) * exp(-x)",
        lambda x: ops.tanh(x) * ops.exp(-x),
        lambda torch, x: torch.tanh(x) * torch.exp(-x),
        lambda jax, x: jax.numpy.tanh(x) * jax.numpy.exp(-x),
        MAP,
        SMALL_MAP,
        twice,
    ),
    Family(
        "softmax of rows",
        lambda x: ops.softmax(x, -1),
        lambda torch, x: torch.softmax(x, -1),
        lambda jax, x: jax.nn.softmax(x, -1),
        ROWS,
        SMALL_ROWS,
        twice,
    ),
    Family(
        "layer norm of rows",
        lambda x: (x - x.mean(-1, True)) * ops.rsqrt(x.var(-1, keepdims=True) + 1e-5),
        lambda torch, x: torch.nn.functional.layer_norm(x, x.shape[-1:]),
        lambda jax, x: jax.nn.standardize(x, axis=-1, epsilon=1e-5),
        ROWS,
        SMALL_ROWS,
        twice,
    ),
    Family(
        "sum of all",
        lambda x: x.sum(),
        lambda torch, x: x.sum(),
        lambda jax, x: x.sum(),
        MAP,
        SMALL_MAP,
        once,
    ),
    Family(
        "sums of rows",
        lambda x: x.sum(1),
        lambda torch, x: x.sum(1),
        lambda jax, x: x.sum(1),
        SQUARE,
        SMALL_SQUARE,
        once,
    ),
    Family(
        "sums of columns",
        lambda x: x.sum(0),
        lambda torch, x: x.sum(0),
        lambda jax, x: x.sum(0),
        SQUARE,
        SMALL_SQUARE,
        once,
    ),
    Family(
        "transpose",
        lambda x: x.T + 1,
        lambda torch, x: (x.T + 1).contiguous(),
        lambda jax, x: x.T + 1,
        SQUARE,
        SMALL_SQUARE,
        twice,
    ),
    Family(
        "gather of rows",
        lambda t, i: ops.gather(t, i, 0),
        lambda torch, t, i: t.index_select(0, i),
        lambda jax, t, i: t[i],
        TABLE,
        SMALL_TABLE,
        rows_moved,
        whole=(1,),
    ),
    Family(
        "scatter-add of rows",
        embedding_gradient,
        lambda torch, t, i, g: torch.zeros_like(t).index_add_(0, i, g),
        lambda jax, t, i, g: jax.numpy.zeros_like(t).at[i].add(g),
        (*TABLE, (131072, 256)),
        (*SMALL_TABLE, (16, 8)),
        all_of,
        whole=(1,),
    ),
    Family(
        "matrix product, f32",
        lambda a, b: a @ b,
        lambda torch, a, b: a @ b,
        lambda jax, a, b: jax.numpy.matmul(a, b, precision="highest"),
        ((2048, 2048), (2048, 2048)),
        ((16, 16), (16, 16)),
        all_of,
        flops=lambda a, b: 2 * a.shape[0] * a.shape[1] * b.shape[1],
    ),
    Family(
        "convolution 3 x 3, f32",
        lambda x, w: ops.conv2d(x, w, pad_mode="same"),
        lambda torch, x, w: torch.nn.functional.conv2d(x, w, padding=1),
        lambda jax, x, w: jax.lax.conv(x, w, (1, 1), "SAME", precision="highest"),
        ((16, 64, 56, 56), (64, 64, 3, 3)),
        ((1, 2, 8, 8), (2, 2, 3, 3)),
        all_of,
        flops=lambda x, w: 2 * w.size * x.shape[0] * x.shape[2] * x.shape[3],
    ),
    Family(
        "running sums of rows",
        lambda x: ops.cumsum(x, 1),
        lambda torch, x: x.cumsum(1),
        lambda jax, x: jax.numpy.cumsum(x, 1),
        ROWS,
        SMALL_ROWS,
        twice,
    ),
    Family(
        "sort of rows",
        lambda x: ops.sort(x)[0],
        lambda torch, x: x.sort(-1)[0],
        lambda jax, x: jax.numpy.sort(x, -1),
        ((4096, 1024),),
        SMALL_ROWS,
        twice,
    ),
    Family(
        "dropout, random numbers",
        lambda x: ops.dropout(x, 0.5),
        lambda torch, x: torch.nn.functional.dropout(x, 0.5),
        lambda jax, x: x * jax.random.bernoulli(jax.random.key(0), 0.5, x.shape),
        MAP,
        SMALL_MAP,
        twice,
    ),
]
