"""Calls of MindSpore's primitives of gradients; see `record_gradients.py` and `test_gradient_prims.py`.

``f(2, 3)`` is a float32 Tensor of that shape whose elements are between -2 and 2, ``f(2, 3, k=1)``
another one, ``p`` has positive elements, ``i`` is a Tensor of the given integers.
"""

import numpy as np

_POOL2 = "kernel_size=2, strides=2"

CASES = [
    "G.ReluGrad()(f(5, k=1), kinks)",
    "G.ReLU6Grad()(f(5, k=1), kinks)",
    "G.AbsGrad()(kinks, f(5, k=1))",
    "G.ACosGrad()(f(5) / 3, f(5, k=1))",
    "G.AsinGrad()(f(5) / 3, f(5, k=1))",
    "G.AtanGrad()(f(5), f(5, k=1))",
    "G.SoftplusGrad()(f(5, k=1), kinks)",
    "G.SoftShrinkGrad(0.5)(f(5, k=1), f(5))",
    "G.HShrinkGrad(0.5)(f(5, k=1), f(5))",
    "G.HSigmoidGrad()(f(5, k=1), f(5) * 2)",
    "G.HSwishGrad()(f(5, k=1), f(5) * 2)",
    "G.GeLUGrad()(f(5, k=1), f(5), f(5))",
    "G.FastGeLUGrad()(f(5, k=1), f(5))",
    "G.SiLUGrad()(f(5, k=1), f(5))",
    "G.PReLUGrad()(f(2, 3, k=1), f(2, 3), f(3, k=2))",
    "G.GluGrad(1)(f(2, 2, k=1), f(2, 4))",
    "G.MvlgammaGrad(2)(f(4, k=1), p(4) + 1)",
    "G.LogitGrad()(f(4, k=1), p(4) / 3)",
    "G.LogitGrad(0.3)(f(4, k=1), p(4) / 3)",
    "G.SigmoidGrad()(f(5), f(5, k=1))",
    "G.TanhGrad()(f(5), f(5, k=1))",
    "G.SqrtGrad()(p(5), f(5, k=1))",
    "G.RsqrtGrad()(p(5), f(5, k=1))",
    "G.ReciprocalGrad()(f(5), f(5, k=1))",
    "G.InvGrad()(f(5), f(5, k=1))",
    "G.AcoshGrad()(p(5), f(5, k=1))",
    "G.AsinhGrad()(f(5), f(5, k=1))",
    "G.EluGrad()(f(5, k=1), kinks)",
    "G.LogSoftmaxGrad()(f(2, 3), f(2, 3, k=1))",
    "G.LogSoftmaxGrad(0)(f(2, 3), f(2, 3, k=1))",
    "G.MaximumGrad()(f(2, 3), f(3, k=2), f(2, 3, k=1))",
    "G.MaximumGrad()(kinks, kinks * 1, f(5, k=1))",
    "G.MinimumGrad()(f(2, 3), f(3, k=2), f(2, 3, k=1))",
    "G.MinimumGrad()(kinks, kinks * 1, f(5, k=1))",
    "G.MaximumGradGrad()(f(4), f(4, k=2), f(4, k=1), f(4, k=3))",
    "G.DropoutGrad(0.25)(f(4), i(1, 0, 0, 1).astype(ms.float32))",
    "G.Conv2DBackpropFilter(2, 2)(f(1, 2, 3, 3, k=1), f(1, 2, 4, 4), (2, 2, 2, 2))",
    "G.Conv2DBackpropFilter(2, 2, pad_mode='same')(f(1, 2, 4, 4, k=1), f(1, 2, 4, 4), (2, 2, 2, 2))",
    "G.Conv3DBackpropFilter(2, 2)(f(1, 1, 3, 3, 3), f(1, 2, 2, 2, 2, k=1), (2, 1, 2, 2, 2))",
    "G.BiasAddGrad()(f(2, 3, 2, 2))",
    "G.BiasAddGrad()(f(2, 3))",
    f"G.MaxPoolGrad({_POOL2})(f(1, 2, 4, 4), P.MaxPool({_POOL2})(f(1, 2, 4, 4)), f(1, 2, 2, 2, k=1))",
    "G.MaxPoolGrad(2, 1, 'SAME')(f(1, 1, 3, 3), P.MaxPool(2, 1, 'SAME')(f(1, 1, 3, 3)), f(1, 1, 3, 3, k=1))",
    f"G.AvgPoolGrad({_POOL2})(f(1, 2, 4, 4), f(1, 2, 2, 2), f(1, 2, 2, 2, k=1))",
    "G.AvgPoolGrad(2, 1, 'SAME')(f(1, 1, 3, 3), f(1, 1, 3, 3), f(1, 1, 3, 3, k=1))",
    "G.AvgPool3DGrad((2, 2, 2), (1, 1, 1))(i(1, 1, 3, 3, 3).astype(ms.int32), f(1, 1, 2, 2, 2))",
    "G.MaxPool3DGrad((1, 1, 2, 2, 2), (1, 1, 1, 1, 1))"
    "(f(1, 1, 3, 3, 3), P.MaxPool3D(2, 1)(f(1, 1, 3, 3, 3)), f(1, 1, 2, 2, 2, k=1))",
    f"G.MaxPoolGradGrad({_POOL2})(f(1, 2, 4, 4), P.MaxPool({_POOL2})(f(1, 2, 4, 4)), f(1, 2, 4, 4, k=1))",
    "G.MaxPool3DGradGrad((1, 1, 2, 2, 2), (1, 1, 1, 1, 1))"
    "(f(1, 1, 3, 3, 3), P.MaxPool3D(2, 1)(f(1, 1, 3, 3, 3)), f(1, 1, 3, 3, 3, k=1))",
    f"G.MaxPoolGradWithArgmax({_POOL2})(f(1, 2, 4, 4), f(1, 2, 2, 2, k=1),"
    " i(5, 2, 8, 15, 5, 2, 8, 14).reshape(1, 2, 2, 2).astype(ms.int32))",
    f"G.MaxPoolGradGradWithArgmax({_POOL2})(f(1, 2, 4, 4), f(1, 2, 4, 4, k=1),"
    " i(5, 2, 8, 15, 5, 2, 8, 14).reshape(1, 2, 2, 2).astype(ms.int32))",
    "G.MaxPoolGradWithArgmaxV2(2, 2)(f(1, 2, 4, 4), f(1, 2, 2, 2, k=1),"
    " i(5, 2, 8, 15, 5, 2, 8, 14).reshape(1, 2, 2, 2))",
    "G.AdaptiveAvgPool2DGrad()(f(1, 2, 2, 2), i(1, 2, 3, 5).astype(ms.int64))",
    "G.AdaptiveAvgPool3DGrad()(f(1, 2, 2, 2, 2), i(1, 2, 3, 5, 3).astype(ms.int32))",
    "G.AdaptiveMaxPool2DGrad()(f(1, 1, 2, 2), f(1, 1, 3, 3), i(0, 2, 6, 6).reshape(1, 1, 2, 2))",
    "G.AdaptiveMaxPool3DGrad()(f(1, 1, 1, 2), f(1, 2, 1, 3), i(0, 4).reshape(1, 1, 1, 2).astype(ms.int32))",
    "G.LRNGrad(1, 1.0, 0.5, 0.75)(f(1, 3, 2, 1, k=1), f(1, 3, 2, 1),"
    " P.LRN(1, 1.0, 0.5, 0.75)(f(1, 3, 2, 1)))",
    "G.L2NormalizeGrad(1)(f(2, 3), P.L2Normalize(1)(f(2, 3)), f(2, 3, k=1))",
    "G.LayerNormGrad(1, 1)(f(2, 3), f(2, 3, k=1), p(2, 1), f(2, 1, k=2), f(3, k=3))",
    "G.LayerNormGrad(1, 2)(f(2, 3, 2), f(2, 3, 2, k=1), p(2, 1, 1), f(2, 1, 1, k=2), f(2, k=3))",
    "G.BatchNormGrad(True)(f(2, 3, 2, 2, k=1), f(2, 3, 2, 2), f(3, k=2), f(3, k=3) / 4, p(3), p(3))",
    "G.BatchNormGrad(False)(f(2, 3, 2, 2, k=1), f(2, 3, 2, 2), f(3, k=2), f(3, k=3) / 4, p(3), p(3))",
    *(
        f"G.KLDivLossGrad('{r}')(f({s}, k=1), f(2, 3), p(2, 3))"
        for r, s in {"none": "2, 3", "mean": "1", "sum": "1", "batchmean": "1"}.items()
    ),
    *(
        f"G.SmoothL1LossGrad(0.7, '{r}')(f(2, 3), f(2, 3, k=2), f({s}, k=1))"
        for r, s in {"none": "2, 3", "mean": "1", "sum": "1"}.items()
    ),
    *(
        f"G.BinaryCrossEntropyGrad('{r}')(p(2, 3) / 4, p(2, 3, k=2) / 3, f({s}, p(2, 3, k=3))"
        for r, s in {"none": "2, 3, k=1)", "mean": "1)[0]", "sum": "1)[0]"}.items()
    ),
    "G.SigmoidCrossEntropyWithLogitsGrad()(f(2, 3), p(2, 3), f(2, 3, k=1))",
    "G.MultiMarginLossGrad(1, 1.0, 'none')(f(2, k=1), f(2, 3), i(0, 2), p(3))",
    "G.MultiMarginLossGrad(2, 0.5, 'mean')(f(1, k=1).reshape(()), f(2, 3), i(0, 2), p(3))",
    "G.NLLLossGrad('mean')(f(2, 3), f(1, k=1).reshape(()), i(0, 2).astype(ms.int32), p(3), p(3)[0] + p(3)[2])",
    "G.NLLLossGrad('none')(f(2, 3), f(2, k=1), i(0, 2).astype(ms.int32), p(3), p(3)[0] + p(3)[2])",
    "G.PdistGrad(2.0)(f(3, k=1), f(3, 2), P.Pdist(2.0)(f(3, 2)))",
    "G.PdistGrad(3.0)(f(3, k=1), f(3, 2), P.Pdist(3.0)(f(3, 2)))",
    "G.CdistGrad(2.0)(f(2, 3, k=1), f(2, 2), f(3, 2, k=2), P.Cdist(2.0)(f(2, 2), f(3, 2, k=2)))",
    "G.SliceGrad()(f(1, 2, k=1), f(2, 3), (1, 0), (1, 2))",
    "G.StridedSliceGrad()(f(1, 2, k=1), (2, 3), (1, 0), (2, 3), (1, 2))",
    "G.StridedSliceGrad(0, 0, 0, 0, 1)(f(3, k=1), (2, 3), (1, 0), (2, 3), (1, 1))",
    "G.GatherDGradV2()(f(2, 3), 1, i(0, 0, 2, 1).reshape(2, 2), f(2, 2, k=1))",
    "G.TraceGrad()(f(1)[0], i(2, 3))",
    "G.FlattenGrad()(f(2, 6), (2, 3, 2))",
    "G.MirrorPadGrad()(f(4, 4), i(1, 1, 0, 1).reshape(2, 2))",
    "G.MirrorPadGrad('SYMMETRIC')(f(4, 4), i(1, 1, 0, 1).reshape(2, 2))",
    "G.MaskedSelectGrad()(f(2, 3), f(2, 3) > 0, f(int((f(2, 3) > 0).astype(ms.int32).sum()), k=1))",
    "G.ResizeBilinearGrad()(f(1, 2, 3, 3), f(1, 2, 2, 5))",
    "G.ResizeBilinearGrad(align_corners=True)(f(1, 2, 3, 3), f(1, 2, 2, 5))",
    "G.ResizeNearestNeighborGrad()(f(1, 2, 3, 3), (2, 5))",
    "G.ResizeNearestNeighborGrad(True)(f(1, 2, 3, 3), (2, 5))",
    "G.ResizeNearestNeighborV2Grad()(f(1, 2, 3, 3), i(2, 5).astype(ms.int32))",
    "G.ResizeNearestNeighborV2Grad(False, True)(f(1, 2, 3, 3), i(2, 5).astype(ms.int32))",
    "G.ResizeLinear1DGrad()(f(1, 2, 5), f(1, 2, 3))",
    "G.ResizeLinear1DGrad('half_pixel')(f(1, 2, 5), f(1, 2, 3))",
    "G.UpsampleNearest3DGrad()(f(1, 1, 2, 4, 2), (1, 1, 1, 2, 2), (2, 4, 2), None)",
    "G.UpsampleTrilinear3DGrad()(f(1, 1, 2, 4, 2), (1, 1, 1, 2, 2), (2, 4, 2), None)",
    "G.UpsampleTrilinear3DGrad(True)(f(1, 1, 2, 4, 2), (1, 1, 1, 2, 2), (2, 4, 2), None)",
    "G.GridSampler2DGrad()(f(1, 2, 2, 2, k=1), f(1, 2, 3, 3), f(1, 2, 2, 2, k=2) / 2)",
    "G.GridSampler2DGrad('bilinear', 'border', True)"
    "(f(1, 2, 2, 2, k=1), f(1, 2, 3, 3), f(1, 2, 2, 2, k=2))",
    "G.GridSampler3DGrad()(f(1, 1, 1, 2, 2, k=1), f(1, 1, 2, 3, 3), f(1, 1, 2, 2, 3, k=2) / 2)",
    "G.AffineGridGrad()(f(1, 2, 3, 2), (1, 2, 2, 3))",
    "G.ROIAlignGrad(2, 2, 0.5, 2)(f(1, 1, 2, 2), f(1, 5) * 0 + rois, (1, 1, 4, 4))",
    "G.DeformableOffsetsGrad((1, 1, 1, 1), (0, 0, 0, 0), (2, 2))"
    "(f(1, 1, 4, 4, k=1), f(1, 1, 3, 3), f(1, 12, 2, 2, k=2) / 3)",
    "G.DeformableOffsetsGrad((1, 1, 1, 1), (0, 0, 0, 0), (2, 2), data_format='NHWC')"
    "(f(1, 4, 4, 2, k=1), f(1, 3, 3, 2), f(1, 2, 2, 12, k=2) / 3)",
    "G.DeformableOffsetsGrad((1, 1, 1, 1), (0, 0, 0, 0), (2, 2))"  # fewer windows than there is room for
    "(f(1, 1, 2, 4, k=1), f(1, 1, 3, 3), f(1, 12, 1, 2, k=2) / 3)",
]


def names(ms, gradients, primitives):
    """What the expressions are evaluated with."""

    def f(*shape, k=0, kind=np.float32):
        n = int(np.prod(shape))
        values = 2 * np.sin(np.arange(1, n + 1) * (1.7 + 0.61 * k) + k)
        return ms.Tensor(values.reshape(shape).astype(kind))

    def p(*shape, k=0):
        return ms.Tensor(np.abs(f(*shape, k=k + 5).asnumpy()) + np.float32(0.3))

    return {
        "ms": ms,
        "G": gradients,
        "P": primitives,
        "f": f,
        "p": p,
        "i": lambda *values: ms.Tensor(np.array(values, np.int64)),
        "kinks": ms.Tensor(np.array([-1.5, 0.0, 0.25, 6.0, 7.0], np.float32)),
        "rois": ms.Tensor(np.array([[0, 1, 1, 6, 7]], np.float32)),
    }


def plain(value):
    """Nested lists of the numbers of a result."""
    if isinstance(value, tuple | list):
        return [plain(v) for v in value]
    return value.asnumpy().astype(np.float64).tolist()
