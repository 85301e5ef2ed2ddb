"""Optimizers whose trajectories under MindSpore 2.10 are recorded in `optimizers.json`.

A case is an expression over `nn`, `ms`, `np`, `Tensor` and the Parameters `w` (2, 3), `b` (2,) and
`gamma` (2,) of a net. Each step's gradient depends on the Parameters and on the step.
"""

import numpy as np

STEPS = 20
KEPT = (1, 2, 3, 5, 10, 20)  # the steps after which the Parameters are recorded

SHAPES = {"w": (2, 3), "b": (2,), "gamma": (2,)}


def start():
    """The first values of the Parameters."""
    random = np.random.default_rng(0)
    return {n: random.standard_normal(s).astype(np.float32) for n, s in SHAPES.items()}


def gradients(step, values):
    """The gradients of a step: of a bowl, with noise."""
    random = np.random.default_rng(100 + step)
    noise = [random.standard_normal(v.shape).astype(np.float32) for v in values]
    return [v * np.float32(0.7) + n * np.float32(0.3) for v, n in zip(values, noise)]


DECAY = """
class Decay(nn.Cell):
    def construct(self, global_step):
        return 0.01 / (1.0 + global_step)
"""


GROUPS = "[{'params': [w], 'weight_decay': 0.02}, {'params': [b, gamma]}]"
RATES = "[{'params': [w], 'lr': 0.05}, {'params': [b, gamma], 'weight_decay': 0.1}]"
ORDERED = (
    "[{'params': [b], 'lr': 0.2}, {'params': [gamma, w], 'weight_decay': 0.1},"
    " {'order_params': [w, b, gamma]}]"
)
DYNAMIC = "[{'params': [w], 'lr': nn.CosineDecayLR(0.01, 0.1, 10)}, {'params': [b, gamma]}]"
LISTED = "[{'params': [w], 'lr': [0.01 * i for i in range(20)]}, {'params': [b, gamma]}]"

CASES = [
    "nn.SGD([w, b, gamma])",
    "nn.SGD([w, b, gamma], 0.05, momentum=0.9, weight_decay=0.01)",
    "nn.SGD([w, b, gamma], 0.05, 0.9, dampening=0.3)",
    "nn.SGD([w, b, gamma], 0.05, 0.9, nesterov=True, loss_scale=4.0)",
    f"nn.SGD({GROUPS}, 0.05, 0.9, weight_decay=0.3)",
    "nn.SGD([w, b, gamma], [0.1 / (1 + i) for i in range(20)], 0.9, nesterov=True)",
    "nn.SGD([w, b, gamma], nn.CosineDecayLR(0.01, 0.1, 12), 0.5, weight_decay=0.05)",
    f"nn.SGD({ORDERED}, 0.05, 0.9)",
    f"nn.SGD({DYNAMIC}, 0.05, 0.9, dampening=0.1)",
    "nn.Momentum([w, b, gamma], 0.05, 0.9)",
    "nn.Momentum([w, b, gamma], 0.05, 0.9, weight_decay=0.01, loss_scale=128.0)",
    f"nn.Momentum({RATES}, 0.1, 0.8)",
    f"nn.Momentum({ORDERED}, 0.1, 0.8)",
    f"nn.Momentum({DYNAMIC}, 0.1, 0.8)",
    f"nn.Momentum({LISTED}, 0.1, 0.8)",
    "nn.Momentum([w, b, gamma], [0.1 / (1 + i) for i in range(20)], 0.9)",
    "nn.Momentum([w, b, gamma], Tensor(0.07), 0.9)",
    "nn.Momentum([w, b, gamma], 0.1, 0.9, weight_decay=Decay())",
    *(
        f"nn.Momentum([w, b, gamma], nn.{s}, 0.9)"
        for s in (
            "ExponentialDecayLR(0.1, 0.9, 4)",
            "ExponentialDecayLR(0.1, 0.9, 4, True)",
            "NaturalExpDecayLR(0.1, 0.05, 4)",
            "NaturalExpDecayLR(0.1, 0.05, 4, True)",
            "InverseDecayLR(0.1, 0.5, 4)",
            "InverseDecayLR(0.1, 0.5, 4, True)",
            "CosineDecayLR(0.01, 0.1, 12)",
            "PolynomialDecayLR(0.1, 0.01, 12, 0.5)",
            "PolynomialDecayLR(0.1, 0.01, 6, 2.0, True)",
            "WarmUpLR(0.1, 8)",
        )
    ),
    "nn.Adam([w, b, gamma])",
    "nn.Adam([w, b, gamma], 0.05, 0.8, 0.99, weight_decay=0.01)",
    "nn.Adam([w, b, gamma], 0.05, use_nesterov=True)",
    "nn.Adam([w, b, gamma], 0.05, use_amsgrad=True, loss_scale=8.0)",
    f"nn.Adam({ORDERED}, 0.02)",
    "nn.AdamWeightDecay([w, b, gamma], 0.05, weight_decay=0.1)",
    f"nn.AdamWeightDecay({RATES}, 0.02)",
    "nn.AdaMax([w, b, gamma], 0.05)",
    "nn.AdaMax([w, b, gamma], nn.WarmUpLR(0.1, 8), weight_decay=0.02)",
    "nn.Adam([w, b, gamma], [0.1 / (1 + i) for i in range(20)], use_nesterov=True, loss_scale=2.0)",
    "nn.Adam([w, b, gamma], 0.05, use_amsgrad=True, use_nesterov=True, weight_decay=0.02)",
    f"nn.Adam({DYNAMIC}, 0.05, weight_decay=0.01)",
    "nn.Adam([w, b, gamma], nn.CosineDecayLR(0.001, 0.1, 12), weight_decay=Decay())",
    "nn.AdamWeightDecay([w, b, gamma], nn.WarmUpLR(0.1, 8), 0.8, 0.9, 1e-4, 0.05)",
    f"nn.AdamWeightDecay({LISTED}, 0.02)",
    "nn.AdamWeightDecay([w, b, gamma], [0.1 / (1 + i) for i in range(20)], weight_decay=Decay())",
    "nn.Adagrad([w, b, gamma], learning_rate=0.1)",
    "nn.Adagrad([w, b, gamma], 0.5, 0.1, loss_scale=4.0, weight_decay=0.05)",
    "nn.Adagrad([w, b, gamma], learning_rate=nn.CosineDecayLR(0.01, 0.2, 10))",
    f"nn.Adagrad({ORDERED}, learning_rate=0.1)",
    f"nn.Adagrad({LISTED}, learning_rate=0.1)",
    "nn.RMSProp([w, b, gamma], 0.05)",
    "nn.RMSProp([w, b, gamma], 0.05, momentum=0.5, loss_scale=2.0)",
    "nn.RMSProp([w, b, gamma], 0.02, centered=True, momentum=0.3)",
    "nn.RMSProp([w, b, gamma], 0.05, 0.8, 0.2, 1e-4, weight_decay=0.05)",
    "nn.RMSProp([w, b, gamma], nn.PolynomialDecayLR(0.1, 0.01, 12, 0.5), momentum=0.1)",
    "nn.RMSProp([w, b, gamma], [0.1 / (1 + i) for i in range(20)], centered=True)",
    f"nn.RMSProp({RATES}, 0.02, centered=True, loss_scale=2.0)",
    f"nn.RMSProp({DYNAMIC}, 0.02, momentum=0.2)",
    "nn.Adadelta([w, b, gamma], weight_decay=0.01)",
    "nn.FTRL([w, b, gamma], learning_rate=0.1)",
    "nn.FTRL([w, b, gamma], 0.2, 0.1, -0.6, 0.0, 0.01)",
    "nn.FTRL([w, b, gamma], 0.2, 0.1, weight_decay=0.1, loss_scale=2.0)",
    "nn.Rprop([w, b, gamma], 0.05)",
    "nn.Rprop([w, b, gamma], 0.05, (0.3, 1.5), (0.01, 0.2), 0.01)",
    "nn.ASGD([w, b, gamma], 0.05)",
    "nn.ASGD([w, b, gamma], 0.05, 0.01, 0.6, 4.0)",
    "nn.AdaFactor([w, b, gamma])",
    "nn.AdaFactor([w, b, gamma], beta1=None, compression=True)",
    "nn.AdaFactor([w, b, gamma], warmup_init=True, weight_decay=0.1)",
    "nn.AdaFactor([w, b, gamma], 0.1, relative_step=False, weight_decay=0.1, loss_scale=4.0)",
    "nn.AdaFactor([w, b, gamma], 0.1, (1e-3, 1e-2), 0.5, 0.6, 0.8, 0.0, False, False)",
    "nn.AdaFactor([w, b, gamma], nn.CosineDecayLR(0.01, 0.1, 12), relative_step=False)",
    "nn.AdaFactor([w, b, gamma], nn.CosineDecayLR(0.01, 0.1, 12), beta1=0.0, relative_step=False,"
    " scale_parameter=False, weight_decay=0.2)",
]

LISTS = [
    "nn.piecewise_constant_lr([2, 5, 10], [0.1, 0.05, 0.01])",
    "nn.exponential_decay_lr(0.1, 0.9, 12, 2, 3)",
    "nn.exponential_decay_lr(0.1, 0.9, 12, 2, 3, True)",
    "nn.natural_exp_decay_lr(0.1, 0.9, 12, 2, 3)",
    "nn.natural_exp_decay_lr(0.1, 0.9, 12, 2, 3, True)",
    "nn.inverse_decay_lr(0.1, 0.5, 12, 2, 3)",
    "nn.inverse_decay_lr(0.1, 0.5, 12, 2, 3, True)",
    "nn.cosine_decay_lr(0.01, 0.1, 12, 2, 4)",
    "nn.polynomial_decay_lr(0.1, 0.01, 12, 2, 4, 0.5)",
    "nn.polynomial_decay_lr(0.1, 0.01, 12, 2, 2, 2.0, True)",
    "nn.warmup_lr(0.1, 12, 2, 4)",
]

# Of `experimental.optim`, recorded with PyTorch 2.13, whose optimizers these are; `optim` is
# `torch.optim` there.
TORCH = [
    "optim.Adam([w, b, gamma], lr=0.05)",
    "optim.Adam([w, b, gamma], 0.05, (0.8, 0.99), weight_decay=0.1, amsgrad=True)",
    "optim.Adam([w, b, gamma], 0.05, maximize=True)",
    "optim.AdamW([w, b, gamma], lr=0.05)",
    "optim.AdamW([{'params': [w], 'lr': 0.1, 'weight_decay': 0.3}, {'params': [b, gamma]}], 0.02)",
    "optim.SGD([w, b, gamma], 0.1)",
    "optim.SGD([w, b, gamma], 0.05, 0.9, dampening=0.4, weight_decay=0.1)",
    "optim.SGD([w, b, gamma], 0.05, 0.9, nesterov=True, maximize=True)",
]
