"""Convolutions and pooling: expressions of the tensors named in them; see `record_windows.py`.

Elements of a tensor are small multiples of 1/4, with ties, so that sums are exact and maxima are
attained more than once.
"""

import math

import numpy as np

SHAPES = {
    "s": (2, 4, 7),  # sequences
    "i": (2, 4, 6, 7),  # images
    "v": (1, 2, 4, 5, 4),  # volumes
    "c": (3, 5, 6),  # an image without batch
    "w1": (6, 4, 3),
    "w1g": (6, 2, 3),
    "w2": (6, 4, 3, 2),
    "w2g": (6, 2, 3, 2),
    "w3": (3, 2, 2, 3, 2),
    "wd": (4, 1, 3, 3),
    "t1": (4, 6, 3),
    "t2": (4, 3, 3, 2),
    "t2g": (4, 3, 3, 3),
    "t3": (2, 3, 2, 3, 2),
    "b": (6,),
    "u": (2, 24, 36),
    "f": (2, 8, 9),
}


def array(name: str) -> np.ndarray:
    """A tensor's elements."""
    shape = SHAPES[name]
    i = np.arange(math.prod(shape), dtype=np.int64) + 31 * (sum(map(ord, name)) % 17)
    return (((i * i * 7 + i * 5) % 13 - 6) / 4).reshape(shape).astype(np.float32)


def cotangent(shape: tuple[int, ...]) -> np.ndarray:
    """What results are weighted with before they are summed."""
    i = np.arange(math.prod(shape))
    return ((i * 5 % 7 - 3) / 2).reshape(shape).astype(np.float32)


FUNCTIONS = [
    "ops.conv1d(s, w1)",
    "ops.conv1d(s, w1, b, 2, 'pad', 2, 2)",
    "ops.conv1d(s, w1g, None, 1, 'same', 0, 1, 2)",
    "ops.conv2d(i, w2)",
    "ops.conv2d(i, w2, b, (2, 1), 'same')",
    "ops.conv2d(i, w2, None, 2, 'pad', (1, 2), (2, 1))",
    "ops.conv2d(i, w2g, b, 1, 'pad', 1, 1, 2)",
    "ops.conv2d(i, wd, None, 1, 'same', 0, 1, 4)",
    "ops.conv3d(v, w3, None, (1, 2, 1), 'pad', (1, 0, 1))",
    "ops.conv3d(v, w3, None, 2, 'same')",
    "ops.Conv2D(6, (3, 2), 1, 'pad', (1, 0, 2, 1), 2)(i, w2)",
    "ops.max_pool2d(i, 2)",
    "ops.max_pool2d(i, (3, 2), (2, 1), 1)",
    "ops.max_pool2d(i, 3, 2, 1, 2, ceil_mode=True)",
    "ops.max_pool2d(i, 2, return_indices=True)[1]",
    "ops.max_pool2d(i, 3, 2, 1, return_indices=True)[1]",
    "ops.max_pool3d(v, 2)",
    "ops.max_pool3d(v, 2, 1, 1, ceil_mode=True)",
    "ops.avg_pool1d(s, 3, 2)",
    "ops.avg_pool1d(s, 3, 2, 1, False, False)",
    "ops.avg_pool2d(i, 2)",
    "ops.avg_pool2d(i, 3, 2, 1)",
    "ops.avg_pool2d(i, 3, 2, 1, True, False)",
    "ops.avg_pool2d(i, (2, 3), (1, 2), 0, True, True)",
    "ops.avg_pool2d(i, 2, 2, 0, False, True, 3)",
    "ops.avg_pool3d(v, 2, 2)",
    "ops.avg_pool3d(v, (2, 3, 2), 1, 1, False, False)",
    "ops.MaxPool(2, 2)(i)",
    "ops.MaxPool((3, 2), (2, 3), 'same')(i)",
    "ops.MaxPool3D(2, 2, 'same')(v)",
    "ops.AvgPool((3, 2), (2, 3), 'same')(i)",
    "ops.AvgPool(2, 1)(i)",
    "ops.AvgPool3D(2, 1, 'same')(v)",
    "ops.adaptive_avg_pool2d(i, (2, 3))",
    "ops.adaptive_avg_pool2d(i, (None, 7))",
    "ops.adaptive_avg_pool2d(c, 3)",
    "ops.adaptive_avg_pool3d(v, (3, 2, 4))",
    "ops.adaptive_max_pool2d(i, (2, 3))",
    "ops.adaptive_max_pool2d(i, (4, 5))",
    "ops.adaptive_max_pool2d(i, (4, 5), True)[1]",
    "ops.unfold(i, (2, 3), 1, 0, 1)",
    "ops.unfold(i, 2, 2, 1, 2)",
    "nn.Conv1d(4, 6, 3, weight_init=w1)(s)",
    "nn.Conv1d(4, 6, 3, 2, 'pad', 1, weight_init=w1, has_bias=True, bias_init=b)(s)",
    "nn.Conv2d(4, 6, (3, 2), weight_init=w2)(i)",
    "nn.Conv2d(4, 6, (3, 2), 2, 'pad', (1, 2, 0, 1), weight_init=w2)(i)",
    "nn.Conv2d(4, 6, (3, 2), group=2, has_bias=True, weight_init=w2g, bias_init=b)(i)",
    "nn.Conv3d(2, 3, (2, 3, 2), 1, 'valid', weight_init=w3)(v)",
    "nn.Conv1dTranspose(4, 6, 3, 2, weight_init=t1)(s)",
    "nn.Conv1dTranspose(4, 6, 3, 2, 'valid', weight_init=t1)(s)",
    "nn.Conv2dTranspose(4, 3, (3, 2), weight_init=t2)(i)",
    "nn.Conv2dTranspose(4, 3, (3, 2), 2, 'valid', weight_init=t2)(i)",
    "nn.Conv2dTranspose(4, 3, (3, 2), (2, 3), 'same', weight_init=t2)(i)",
    "nn.Conv2dTranspose(4, 3, (3, 2), 2, 'pad', 1, 1, weight_init=t2)(i)",
    "nn.Conv2dTranspose(4, 6, 3, 2, 'pad', (1, 0, 2, 1), group=2, weight_init=t2g)(i)",
    "nn.Conv3dTranspose(2, 3, (2, 3, 2), 2, 'same', weight_init=t3)(v)",
    "nn.MaxPool1d(3, 2)(s)",
    "nn.MaxPool1d(3, 2, 'same')(s)",
    "nn.MaxPool1d(3, 2, 'pad', 1, 1, False, True)(s)",
    "nn.MaxPool2d(2, 2)(i)",
    "nn.MaxPool2d(3, 2, 'same')(i)",
    "nn.MaxPool2d(3, 2, 'pad', 1, 2)(i)",
    "nn.MaxPool2d(2, 2)(c)",
    "nn.MaxPool3d(2, 2)(v)",
    "nn.AvgPool1d(3, 2)(s)",
    "nn.AvgPool1d(3, 2, 'same')(s)",
    "nn.AvgPool1d(3, 2, 'pad', 1, True, False)(s)",
    "nn.AvgPool2d(2, 2)(i)",
    "nn.AvgPool2d(3, 2, 'same')(i)",
    "nn.AvgPool2d(3, 2, 'pad', 1)(i)",
    "nn.AvgPool2d(3, 2, 'same', 0, True)(i)",
    "nn.AvgPool2d(3, 2, 'same', 0, False, False)(i)",
    "nn.AvgPool2d(3, 2, 'valid', 0, False, True, 2)(i)",
    "nn.AvgPool3d(2, 1, 'pad', 1)(v)",
    "nn.AdaptiveAvgPool1d(7)(s)",
    "nn.AdaptiveMaxPool1d(1)(s)",
    "nn.AdaptiveAvgPool2d((3, None))(i)",
    "nn.AdaptiveMaxPool2d(3)(i)",
    "nn.AdaptiveMaxPool3d((2, 3, 2))(v)",
]
TORCH = {
    "ops.fold(u, (7, 8), (2, 3), 1, 0, (1, 1))": "F.fold(u, (7, 8), (2, 3), 1, 0, (1, 1))",
    "ops.fold(f, 6, 2, (2, 1), (1, 0), 2)": "F.fold(f, 6, 2, (2, 1), (1, 0), 2)",
    "ops.conv_transpose2d(i, t2, None, (2, 3), 1, (1, 0), 1, (2, 1))": (
        "F.conv_transpose2d(i, t2, None, (2, 3), 1, (1, 0), 1, (2, 1))"
    ),
    "ops.conv_transpose2d(i, t2g, b, 2, (0, 1), 0, 2)": (
        "F.conv_transpose2d(i, t2g, b, 2, (0, 1), 0, 2)"
    ),
}
