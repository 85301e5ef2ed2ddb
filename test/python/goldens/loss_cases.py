"""Losses whose values and gradients under MindSpore 2.10 are recorded in `losses.json`.

A case is a function and its inputs, as expressions over the names of SETUP. Those of TORCH, which
MindSpore has no CPU kernel for, are recorded with PyTorch 2.13, where they mean the same; there
`nn` is `torch.nn`.
"""

SETUP = """
def numbers(seed, *shape):
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)

X, Y, Z = Tensor(numbers(0, 4, 5)), Tensor(numbers(1, 4, 5)), Tensor(numbers(2, 4, 5))
P, Q = Tensor(1 / (1 + np.exp(-numbers(3, 4, 5)))), Tensor(1 / (1 + np.exp(-numbers(4, 4, 5))))
V = Tensor(np.exp(numbers(5, 4, 5)))
EDGE, BITS = Tensor([0.0, 1.0, 0.5]), Tensor([1.0, 0.0, 0.0])
WIDE, SIGNS = Tensor([-100.0, 100.0, 0.0, 30.0]), Tensor([1.0, -1.0, 1.0, -1.0])
ROW = Tensor(numbers(6, 1, 5))
ROWS = Tensor(np.random.default_rng(12).dirichlet(np.ones(5), 4).astype(np.float32))
I = Tensor(np.array([1, 0, 4, 2]), ms.int32)
LONG = Tensor(np.array([1, 0, 4, 2]), ms.int64)
IGNORED = Tensor(np.array([1, 3, 4, 3]), ms.int32)
IMAGE = Tensor(numbers(7, 2, 3, 2, 4))
PIXELS = Tensor(np.random.default_rng(8).integers(0, 3, (2, 2, 4)), ms.int32)
SEQUENCE = Tensor(numbers(9, 2, 3, 4))
STEPS = Tensor(np.random.default_rng(10).integers(0, 3, (2, 4)), ms.int32)
W = Tensor([0.5, 1.0, 2.0, 0.25, 3.0])
W3 = Tensor([0.5, 1.0, 2.0])
MANY = Tensor(np.array([[3, 0, -1, 1, 2], [0, -1, 1, 1, 1], [-1, 0, 0, 0, 0], [4, 3, 2, 1, 0]]),
              ms.int64)
SIGN = Tensor(np.sign(numbers(2, 4, 5)))
PLUSMINUS = Tensor([1.0, -1.0, -1.0, 1.0])
LONE, ONE = Tensor(numbers(11, 5)), Tensor(2, ms.int32)
"""

CASES = [
    *(f"nn.MSELoss('{r}') | X, Y" for r in ("mean", "sum", "none")),
    "nn.MSELoss() | ROW, Y",
    *(f"nn.L1Loss('{r}') | X, Y" for r in ("mean", "sum", "none")),
    "nn.MAELoss() | X, Y",
    "nn.RMSELoss() | X, Y",
    "nn.SmoothL1Loss() | X, Y",
    "nn.SmoothL1Loss(0.3, 'mean') | X, Y",
    "nn.SmoothL1Loss(2.0, 'sum') | X, Y",
    "nn.HuberLoss() | X, Y",
    "nn.HuberLoss('none', 0.3) | X, Y",
    "nn.BCELoss() | P, Q",
    "nn.BCELoss(V, 'none') | P, Q",
    "nn.BCELoss(reduction='none') | EDGE, BITS",
    "nn.BCEWithLogitsLoss() | X, Q",
    "nn.BCEWithLogitsLoss('none', V, W) | X, Q",
    "nn.BCEWithLogitsLoss('sum') | WIDE, SIGNS",
    *(f"nn.KLDivLoss('{r}') | X, P" for r in ("mean", "sum", "none", "batchmean")),
    "nn.CosineEmbeddingLoss() | X, Y, PLUSMINUS",
    "nn.CosineEmbeddingLoss(-0.4, 'none') | X, Y, PLUSMINUS",
    "nn.MarginRankingLoss(0.3) | X, Y, SIGN",
    "nn.HingeEmbeddingLoss(0.5) | X, SIGN",
    "nn.GaussianNLLLoss() | X, Y, V",
    "nn.GaussianNLLLoss(full=True, reduction='none') | X, Y, V",
    "nn.PoissonNLLLoss() | X, V",
    "nn.PoissonNLLLoss(log_input=False, full=True) | P, V",
    "nn.TripletMarginWithDistanceLoss(swap=True) | X, Y, Z",
    "nn.CrossEntropyLoss() | X, I",
    "nn.CrossEntropyLoss() | LONE, ONE",
    *(f"nn.CrossEntropyLoss(W, 3, '{r}', 0.1) | X, IGNORED" for r in ("mean", "sum", "none")),
    "nn.CrossEntropyLoss(reduction='none') | IMAGE, PIXELS",
    "nn.CrossEntropyLoss(W3, 1) | IMAGE, PIXELS",
    "nn.CrossEntropyLoss(W3, 1, 'none') | SEQUENCE, STEPS",
    "nn.CrossEntropyLoss(W, label_smoothing=0.2) | X, P",
    "nn.CrossEntropyLoss(reduction='none') | X, P",
    "nn.NLLLoss() | X, I",
    "nn.NLLLoss(W, 3, 'none') | X, IGNORED",
    "nn.NLLLoss(W, 3) | X, IGNORED",
    "nn.SoftmaxCrossEntropyWithLogits() | X, ROWS",
    "nn.SoftmaxCrossEntropyWithLogits(sparse=True) | X, I",
    "nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction='mean') | X, I",
    "nn.SoftmaxCrossEntropyWithLogits(reduction='sum') | X, ROWS",
    "nn.DiceLoss() | P, Q",
    "nn.MultiClassDiceLoss() | X, Q",
    "nn.MultiClassDiceLoss(Tensor([[.1], [.2], [.3], [.4], [.5]]), 2, 'sigmoid') | X, Q",
    "nn.FocalLoss() | X, I.reshape(4, 1)",
    "nn.FocalLoss(W, 1.5, 'none') | X, I.reshape(4, 1)",
    "nn.FocalLoss(W3) | IMAGE, PIXELS.reshape(2, 1, 2, 4)",
    "nn.FocalLoss(gamma=3.0) | X, MANY",
    "nn.MultiMarginLoss() | X, LONG",
    "nn.MultiMarginLoss(2, 0.5, 'none', W) | X, LONG",
    "nn.MultiLabelSoftMarginLoss() | X, P",
    "nn.MultiLabelSoftMarginLoss(W, 'none') | X, P",
    "ops.mse_loss | X, Y",
    "ops.l1_loss | X, Y",
    "ops.smooth_l1_loss | X, Y",
    "ops.huber_loss | X, Y",
    "ops.binary_cross_entropy | P, Q",
    "ops.kl_div | X, P",
    "ops.cosine_similarity | X, Y",
    "ops.multilabel_soft_margin_loss | X, P",
    "lambda x, t: ops.cross_entropy(x, t, W, 3) | X, IGNORED",
    "lambda x, t: ops.nll_loss(x, t, label_smoothing=0.3) | X, I",
    "ops.SmoothL1Loss(0.5) | X, Y",
    "ops.BinaryCrossEntropy('sum') | P, Q",
    "ops.KLDivLoss('sum') | X, P",
    "lambda x, t: ops.NLLLoss()(x, t, W)[0] | X, I",
    "lambda x, t: ops.SoftmaxCrossEntropyWithLogits()(x, t)[0] | X, ROWS",
    "ops.SparseSoftmaxCrossEntropyWithLogits() | X, I",
    "ops.L2Loss() | X,",
    "ops.SigmoidCrossEntropyWithLogits() | X, P",
]

TORCH = [
    "nn.SoftMarginLoss() | X, SIGN",
    "nn.SoftMarginLoss(reduction='none') | X, SIGN",
    "nn.MultilabelMarginLoss() | X, MANY",
    "nn.MultilabelMarginLoss(reduction='none') | X, MANY",
    "nn.TripletMarginLoss() | X, Y, Z",
    "nn.TripletMarginLoss(p=1, swap=True, margin=0.5, reduction='none') | X, Y, Z",
    "nn.TripletMarginLoss(p=3) | X, Y, Z",
]
