"""Examples for the docstrings of what ``mint.nn`` makes from tables."""

# Of mint.nn.functional.
FUNCTIONS: dict[str, str] = {
    "adaptive_max_pool1d": """
>>> print(mint.nn.functional.adaptive_max_pool1d(Tensor([[[1.0, 2.0, 3.0, 5.0]]]), 2))
[[[2. 5.]]]
""",
    "avg_pool1d": """
>>> print(mint.nn.functional.avg_pool1d(Tensor([[[1.0, 2.0, 3.0, 5.0]]]), 2))
[[[1.5 4. ]]]
""",
    "avg_pool2d": """
>>> print(mint.nn.functional.avg_pool2d(ops.ones((1, 2, 4, 4)), 2).shape)
(1, 2, 2, 2)
""",
    "avg_pool3d": """
>>> print(mint.nn.functional.avg_pool3d(ops.ones((1, 2, 4, 4, 4)), 2).shape)
(1, 2, 2, 2, 2)
""",
    "binary_cross_entropy": """
>>> print(mint.nn.functional.binary_cross_entropy(Tensor([0.5, 0.25]), Tensor([1.0, 0.0])))
0.49041462
""",
    "binary_cross_entropy_with_logits": """
>>> print(mint.nn.functional.binary_cross_entropy_with_logits(Tensor([0.0, 0.0]), Tensor([1.0, 0.0])))
0.6931472
""",
    "conv1d": """
>>> print(mint.nn.functional.conv1d(Tensor([[[1.0, 2.0, 3.0]]]), Tensor([[[1.0, 10.0]]])))
[[[21. 32.]]]
""",
    "conv2d": """
>>> print(mint.nn.functional.conv2d(ops.ones((1, 2, 3, 3)), ops.ones((4, 2, 2, 2))).shape)
(1, 4, 2, 2)
""",
    "conv3d": """
>>> print(mint.nn.functional.conv3d(ops.ones((1, 2, 3, 3, 3)), ops.ones((4, 2, 2, 2, 2))).shape)
(1, 4, 2, 2, 2)
""",
    "dropout": """
>>> print(mint.nn.functional.dropout(ops.ones(3), training=False))
[1. 1. 1.]
""",
    "dropout2d": """
>>> print(mint.nn.functional.dropout2d(ops.ones((1, 2, 3, 3)), training=False).shape)
(1, 2, 3, 3)
""",
    "elu": """
>>> print(mint.nn.functional.elu(Tensor([-1.0, 0.0, 2.0])))
[-0.63212055  0.          2.        ]
""",
    "elu_": """
>>> x = Tensor([-1.0, 0.0, 2.0])
>>> _ = mint.nn.functional.elu_(x)
>>> print(x)
[-0.63212055  0.          2.        ]
""",
    "flatten": """
>>> print(mint.nn.functional.flatten(ops.ones((2, 3))).shape)
(6,)
""",
    "gelu": """
>>> print(mint.nn.functional.gelu(Tensor([-1.0, 0.0, 2.0])))
[-0.15865526  0.          1.9544997 ]
""",
    "glu": """
>>> print(mint.nn.functional.glu(Tensor([[1.0, 2.0, 0.0, 0.0]])))
[[0.5 1. ]]
""",
    "hardtanh": """
>>> print(mint.nn.functional.hardtanh(Tensor([-1.0, 0.0, 2.0])))
[-1.  0.  1.]
""",
    "hardtanh_": """
>>> x = Tensor([-1.0, 0.0, 2.0])
>>> _ = mint.nn.functional.hardtanh_(x)
>>> print(x)
[-1.  0.  1.]
""",
    "kl_div": """
>>> print(mint.nn.functional.kl_div(Tensor([-1.0, -0.5]), Tensor([0.5, 0.5]), "sum"))
0.056852818
""",
    "leaky_relu": """
>>> print(mint.nn.functional.leaky_relu(Tensor([-1.0, 0.0, 2.0])))
[-0.01  0.    2.  ]
""",
    "linear": """
>>> print(mint.nn.functional.linear(Tensor([[1.0, 2.0]]), Tensor([[3.0, 4.0]])))
[[11.]]
""",
    "log_softmax": """
>>> print(mint.nn.functional.log_softmax(Tensor([0.0, 0.0]), 0))
[-0.6931472 -0.6931472]
""",
    "logsigmoid": """
>>> print(mint.nn.functional.logsigmoid(Tensor([-1.0, 0.0, 2.0])))
[-1.3132617 -0.6931472 -0.126928 ]
""",
    "max_pool2d": """
>>> print(mint.nn.functional.max_pool2d(ops.arange(16.0).reshape(1, 1, 4, 4), 2))
[[[[ 5.  7.]
   [13. 15.]]]]
""",
    "max_unpool2d": """
>>> print(mint.nn.functional.max_unpool2d(Tensor([[[[5.0]]]]), Tensor([[[[3]]]]), 2))
[[[[0. 0.]
   [0. 5.]]]]
""",
    "mish": """
>>> print(mint.nn.functional.mish(Tensor([-1.0, 0.0, 2.0])))
[-0.30340147  0.          1.943959  ]
""",
    "nll_loss": """
>>> print(mint.nn.functional.nll_loss(Tensor([[-1.0, -0.5], [-0.25, -2.0]]), Tensor([1, 0])))
0.375
""",
    "normalize": """
>>> print(mint.nn.functional.normalize(Tensor([[3.0, 4.0]])))
[[0.6 0.8]]
""",
    "one_hot": """
>>> print(mint.nn.functional.one_hot(Tensor([0, 2]), 3))
[[1 0 0]
 [0 0 1]]
""",
    "pad": """
>>> print(mint.nn.functional.pad(Tensor([[1.0, 2.0]]), (1, 2)))
[[0. 1. 2. 0. 0.]]
""",
    "pixel_shuffle": """
>>> print(mint.nn.functional.pixel_shuffle(ops.arange(4.0).reshape(1, 4, 1, 1), 2))
[[[[0. 1.]
   [2. 3.]]]]
""",
    "relu6": """
>>> print(mint.nn.functional.relu6(Tensor([-1.0, 0.0, 2.0])))
[0. 0. 2.]
""",
    "relu_": """
>>> x = Tensor([-1.0, 0.0, 2.0])
>>> _ = mint.nn.functional.relu_(x)
>>> print(x)
[0. 0. 2.]
""",
    "selu": """
>>> print(mint.nn.functional.selu(Tensor([-1.0, 0.0, 2.0])))
[-1.1113307  0.         2.101402 ]
""",
    "sigmoid_": """
>>> x = Tensor([-1.0, 0.0, 2.0])
>>> _ = mint.nn.functional.sigmoid_(x)
>>> print(x)
[0.26894143 0.5        0.880797  ]
""",
    "silu": """
>>> print(mint.nn.functional.silu(Tensor([-1.0, 0.0, 2.0])))
[-0.26894143  0.          1.761594  ]
""",
    "smooth_l1_loss": """
>>> print(mint.nn.functional.smooth_l1_loss(Tensor([1.0, 2.0]), Tensor([1.5, 4.0])))
0.8125
""",
    "softmax": """
>>> print(mint.nn.functional.softmax(Tensor([0.0, 0.0]), 0))
[0.5 0.5]
""",
    "threshold": """
>>> print(mint.nn.functional.threshold(Tensor([-1.0, 0.0, 2.0]), 0.1, 20.0))
[20. 20.  2.]
""",
    "threshold_": """
>>> x = Tensor([-1.0, 0.0, 2.0])
>>> _ = mint.nn.functional.threshold_(x, 0.1, 20.0)
>>> print(x)
[20. 20.  2.]
""",
    "upsample": """
>>> print(mint.nn.functional.upsample(Tensor([[[[1.0, 2.0]]]]), size=(2, 4)))
[[[[1. 1. 2. 2.]
   [1. 1. 2. 2.]]]]
""",
}

# Of mint.nn.
LAYERS: dict[str, str] = {
    "AdaptiveAvgPool1d": """
>>> print(mint.nn.AdaptiveAvgPool1d(2)(Tensor([[[1.0, 2.0, 3.0, 5.0]]])))
[[[1.5 4. ]]]
""",
    "AdaptiveAvgPool2d": """
>>> print(mint.nn.AdaptiveAvgPool2d(2)(ops.arange(16.0).reshape(1, 1, 4, 4)))
[[[[ 2.5  4.5]
   [10.5 12.5]]]]
""",
    "AdaptiveAvgPool3d": """
>>> print(mint.nn.AdaptiveAvgPool3d(2)(ops.ones((1, 2, 4, 4, 4))).shape)
(1, 2, 2, 2, 2)
""",
    "AdaptiveMaxPool1d": """
>>> print(mint.nn.AdaptiveMaxPool1d(2)(Tensor([[[1.0, 2.0, 3.0, 5.0]]])))
[[[2. 5.]]]
""",
    "AdaptiveMaxPool2d": """
>>> print(mint.nn.AdaptiveMaxPool2d(2)(ops.arange(16.0).reshape(1, 1, 4, 4)))
[[[[ 5.  7.]
   [13. 15.]]]]
""",
    "AvgPool1d": """
>>> print(mint.nn.AvgPool1d(2)(Tensor([[[1.0, 2.0, 3.0, 5.0]]])))
[[[1.5 4. ]]]
""",
    "AvgPool2d": """
>>> print(mint.nn.AvgPool2d(2)(ops.ones((1, 2, 4, 4))).shape)
(1, 2, 2, 2)
""",
    "AvgPool3d": """
>>> print(mint.nn.AvgPool3d(2)(ops.ones((1, 2, 4, 4, 4))).shape)
(1, 2, 2, 2, 2)
""",
    "BCELoss": """
>>> print(mint.nn.BCELoss()(Tensor([0.5, 0.25]), Tensor([1.0, 0.0])))
0.49041462
""",
    "BCEWithLogitsLoss": """
>>> print(mint.nn.BCEWithLogitsLoss()(Tensor([0.0, 0.0]), Tensor([1.0, 0.0])))
0.6931472
""",
    "CosineEmbeddingLoss": """
>>> print(mint.nn.CosineEmbeddingLoss(margin=0.5)(Tensor([[3.0, 4.0]]), Tensor([[4.0, 3.0]]), Tensor([-1])))
0.45999998
""",
    "CrossEntropyLoss": """
>>> print(mint.nn.CrossEntropyLoss()(Tensor([[0.0, 0.0]]), Tensor([1])))
0.6931472
""",
    "ELU": """
>>> print(mint.nn.ELU()(Tensor([-1.0, 0.0, 2.0])))
[-0.63212055  0.          2.        ]
""",
    "Flatten": """
>>> print(mint.nn.Flatten()(ops.ones((2, 3, 4))).shape)
(2, 12)
""",
    "Fold": """
>>> print(mint.nn.Fold((3, 3), 2)(ops.ones((1, 4, 4))).shape)
(1, 1, 3, 3)
""",
    "GELU": """
>>> print(mint.nn.GELU()(Tensor([-1.0, 0.0, 2.0])))
[-0.15865526  0.          1.9544997 ]
""",
    "GLU": """
>>> print(mint.nn.GLU()(Tensor([[1.0, 2.0, 0.0, 0.0]])))
[[0.5 1. ]]
""",
    "Hardshrink": """
>>> print(mint.nn.Hardshrink()(Tensor([-1.0, 0.0, 2.0])))
[-1.  0.  2.]
""",
    "Hardsigmoid": """
>>> print(mint.nn.Hardsigmoid()(Tensor([-1.0, 0.0, 2.0])))
[0.3333333 0.5       0.8333334]
""",
    "Hardswish": """
>>> print(mint.nn.Hardswish()(Tensor([-1.0, 0.0, 2.0])))
[-0.33333334  0.          1.6666666 ]
""",
    "Hardtanh": """
>>> print(mint.nn.Hardtanh()(Tensor([-1.0, 0.0, 2.0])))
[-1.  0.  1.]
""",
    "KLDivLoss": """
>>> print(mint.nn.KLDivLoss("sum")(Tensor([-1.0, -0.5]), Tensor([0.5, 0.5])))
0.056852818
""",
    "L1Loss": """
>>> print(mint.nn.L1Loss()(Tensor([1.0, 2.0]), Tensor([1.5, 4.0])))
1.25
""",
    "LogSigmoid": """
>>> print(mint.nn.LogSigmoid()(Tensor([-1.0, 0.0, 2.0])))
[-1.3132617 -0.6931472 -0.126928 ]
""",
    "LogSoftmax": """
>>> print(mint.nn.LogSoftmax(0)(Tensor([0.0, 0.0])))
[-0.6931472 -0.6931472]
""",
    "MSELoss": """
>>> print(mint.nn.MSELoss()(Tensor([1.0, 2.0]), Tensor([1.0, 4.0])))
2.0
""",
    "MaxPool2d": """
>>> print(mint.nn.MaxPool2d(2)(ops.arange(16.0).reshape(1, 1, 4, 4)))
[[[[ 5.  7.]
   [13. 15.]]]]
""",
    "MaxUnpool2d": """
>>> print(mint.nn.MaxUnpool2d(2)(Tensor([[[[5.0]]]]), Tensor([[[[3]]]])))
[[[[0. 0.]
   [0. 5.]]]]
""",
    "Mish": """
>>> print(mint.nn.Mish()(Tensor([-1.0, 0.0, 2.0])))
[-0.30340147  0.          1.943959  ]
""",
    "NLLLoss": """
>>> print(mint.nn.NLLLoss()(Tensor([[-1.0, -0.5], [-0.25, -2.0]]), Tensor([1, 0])))
0.375
""",
    "PixelShuffle": """
>>> print(mint.nn.PixelShuffle(2)(ops.arange(4.0).reshape(1, 4, 1, 1)))
[[[[0. 1.]
   [2. 3.]]]]
""",
    "ReLU": """
>>> print(mint.nn.ReLU()(Tensor([-1.0, 0.0, 2.0])))
[0. 0. 2.]
""",
    "ReLU6": """
>>> print(mint.nn.ReLU6()(Tensor([-1.0, 0.0, 2.0])))
[0. 0. 2.]
""",
    "SELU": """
>>> print(mint.nn.SELU()(Tensor([-1.0, 0.0, 2.0])))
[-1.1113307  0.         2.101402 ]
""",
    "SiLU": """
>>> print(mint.nn.SiLU()(Tensor([-1.0, 0.0, 2.0])))
[-0.26894143  0.          1.761594  ]
""",
    "Sigmoid": """
>>> print(mint.nn.Sigmoid()(Tensor([-1.0, 0.0, 2.0])))
[0.26894143 0.5        0.880797  ]
""",
    "SmoothL1Loss": """
>>> print(mint.nn.SmoothL1Loss()(Tensor([1.0, 2.0]), Tensor([1.5, 4.0])))
0.8125
""",
    "SoftMarginLoss": """
>>> print(mint.nn.SoftMarginLoss()(Tensor([0.0, 0.0]), Tensor([1.0, -1.0])))
0.6931472
""",
    "Softmax": """
>>> print(mint.nn.Softmax(0)(Tensor([0.0, 0.0])))
[0.5 0.5]
""",
    "Softshrink": """
>>> print(mint.nn.Softshrink()(Tensor([-1.0, 0.0, 2.0])))
[-0.5  0.   1.5]
""",
    "Tanh": """
>>> print(mint.nn.Tanh()(Tensor([-1.0, 0.0, 2.0])))
[-0.7615942  0.         0.9640276]
""",
    "Threshold": """
>>> print(mint.nn.Threshold(0.1, 20.0)(Tensor([-1.0, 0.0, 2.0])))
[20. 20.  2.]
""",
    "Unfold": """
>>> print(mint.nn.Unfold(2)(ops.ones((1, 1, 3, 3))).shape)
(1, 4, 4)
""",
    "Upsample": """
>>> print(mint.nn.Upsample(size=(2, 4))(Tensor([[[[1.0, 2.0]]]])))
[[[[1. 1. 2. 2.]
   [1. 1. 2. 2.]]]]
""",
}
