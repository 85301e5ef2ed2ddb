"""Metrics by themselves."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, train

x = Tensor(
    np.array([[0.2, 0.5, 0.3], [0.3, 0.1, 0.6], [0.9, 0.05, 0.05], [0.1, 0.2, 0.7]]), ms.float32
)
y = Tensor(np.array([1, 0, 0, 2]), ms.int32)
for m in (
    train.Accuracy("classification"),
    train.TopKCategoricalAccuracy(2),
    train.Top1CategoricalAccuracy(),
    train.Precision("classification"),
    train.Recall("classification"),
    train.F1(),
    train.Fbeta(2.0),
):
    m.clear()
    m.update(x, y)
    m.update(x[1:], y[1:])
    print(type(m).__name__, np.round(m.eval(), 5))
precision = train.Precision()
precision.update(x, y)
print(precision.eval(True), precision.eval(average=False))
multi = train.Accuracy("multilabel")
multi.update(Tensor([[0, 1, 1], [1, 0, 0]], ms.int32), Tensor([[0, 1, 1], [1, 1, 0]], ms.int32))
print(multi.eval())
a, b = Tensor([0.1, 0.2, 0.6, 0.9], ms.float32), Tensor([0.1, 0.25, 0.7, 0.9], ms.float32)
for m in (train.MAE(), train.MSE()):
    m.update(a, b)
    print(type(m).__name__, np.round(m.eval(), 6))
loss = train.Loss()
loss.update(Tensor(0.2, ms.float32))
loss.update(Tensor(0.4, ms.float32))
print(loss.eval())
c = train.ConfusionMatrix(num_classes=3, normalize="no_norm", threshold=0.5)
c.update(x, y)
print(c.eval())
d = train.Dice(smooth=1e-5)
d.update(
    Tensor(np.array([[0.2, 0.5], [0.3, 0.1], [0.9, 0.6]])),
    Tensor(np.array([[0, 1], [1, 0], [0, 1]])),
)
print(np.round(d.eval(), 5))
p = train.Perplexity()
p.update(x, y)
print(np.round(p.eval(), 5))
s = train.CosineSimilarity()
s.update(np.array([[1, 3, 4], [2, 4, 2], [0, 1, 3]], np.float32))
print(np.round(s.eval(), 4))
for wrong in (
    lambda: train.Accuracy().eval(),
    lambda: train.Accuracy("x"),
    lambda: train.Accuracy().update(x),
    lambda: train.TopKCategoricalAccuracy(0),
    lambda: train.MAE().update(a),
    lambda: train.MSE().eval(),
    lambda: train.Loss().update(a, b),
):
    try:
        print(wrong())
    except Exception as e:
        print(type(e).__name__)
