"""Records test/python/goldens/mint.json. With MindSpore 2.10: the arguments of the functions of mint
(`record_mint.py signatures`); with PyTorch 2.13, whose functions of these names mint's are: what calls
give (`record_mint.py values`). Both are for the CPU; the test suite needs neither.
"""

import inspect
import json
import sys
from pathlib import Path

import numpy as np

PATH = Path(__file__).with_name("mint.json")

# Calls: a function, arguments, and settings; "x" is a tensor of MATRIX, ...
RNG = np.random.default_rng(23)
TENSORS = {
    "x": RNG.permutation(24).reshape(2, 3, 4) / 7.0 - 1.6,
    "y": RNG.permutation(24).reshape(2, 3, 4) / 9.0 + 0.2,
    "m": RNG.permutation(12).reshape(3, 4) / 5.0 - 1.1,
    "v": RNG.permutation(4) / 3.0 - 0.4,
    "w": RNG.permutation(4) / 2.0 + 0.3,
    "b": RNG.normal(size=(2, 4, 3)),
    "images": RNG.permutation(2 * 2 * 6 * 6).reshape(2, 2, 6, 6) / 20.0,
    "kernel": RNG.normal(size=(4, 2, 3, 3)),
    "i": RNG.integers(0, 3, (2, 3, 4)),
    "k": np.array([2, 0]),
    "n": np.array([1, 3, 3, 0]),
    "p": RNG.uniform(0.1, 0.9, (3, 4)),
    "q": RNG.uniform(0.1, 0.9, (3, 4)),
}
CALLS = [
    line.strip()
    for line in """
add(x, y, alpha=3)
sub(x, y, alpha=2)
addcdiv(x, y, y, value=0.5)
all(x, 1)
all(x, dim=-1, keepdim=True)
any(x)
allclose(x, x)
amax(x, 1)
amin(x, (0, 2), True)
argmax(x, 1, True)
argmin(x, -1)
argsort(x, 1, True)
bincount(n)
bmm(x, b)
cat((x, y), 1)
concat((x, y), dim=-1)
cdist(x, y)
chunk(x, 2, 2)
clone(x)
count_nonzero(x, 1)
cummax(x, 1)
cummin(x, -1)
cumsum(x, 2)
cumprod(x, 1)
diag(v, 1)
diag(m, -1)
diff(x, 1, 1)
flatten(x)
flatten(x, 1, 2)
frac(x)
gather(x, 1, i)
index_add(x, 1, k, x[:, :2], alpha=2)
index_select(x, 1, k)
isnan(x)
histc(x, 5)
meshgrid(v, w)
meshgrid(v, w, indexing='xy')
kthvalue(x, 2, 1)
max(x)
max(x, 1)
max(x, y)
min(x, 2, True)
mean(x, 1, True)
median(x)
median(x, 1)
mv(m, v)
nansum(x, 1)
narrow(x, 2, 1, 2)
norm(x)
norm(x, 1, 2)
norm(x, 'fro', (0, 1), True)
permute(x, (2, 0, 1))
prod(x, 1)
repeat_interleave(x, 2, 1)
scatter(x, 1, i[:, :1], y)
scatter_add(x, 1, i, y)
select(x, 1, -1)
softmax(x, 1)
sort(x, dim=1, descending=True)
split(x, 2, 1)
squeeze(x[:1])
stack((x, y), 1)
std(x, 1)
std_mean(x, 2, correction=0)
var(x, dim=1, keepdim=True)
var_mean(x)
sum(x, 1)
topk(x, 2, 1)
topk(x, 2, largest=False)
transpose(x, 0, 2)
vdot(v, w)
where(x > 0, x, y)
where(x > 0)
roll(x, 1, 2)
logsumexp(x, 1)
searchsorted(w.sort()[0], v)
tril(x, 1)
unbind(x, 1)
nn.functional.adaptive_max_pool1d(x, 2)
nn.functional.avg_pool1d(x, 2)
nn.functional.avg_pool2d(images, 3, 2, 1)
nn.functional.avg_pool2d(images, 2, count_include_pad=False, divisor_override=3)
nn.functional.binary_cross_entropy(p, q)
nn.functional.binary_cross_entropy_with_logits(m, q, reduction='sum', pos_weight=w)
nn.functional.conv2d(images, kernel, None, 2, 1)
nn.functional.conv2d(images, kernel, padding='same')
nn.functional.conv1d(x, b.permute((0, 2, 1)))
nn.functional.cross_entropy(x[:, 0], k)
nn.functional.elu(x, 0.5)
nn.functional.gelu(x, approximate='tanh')
nn.functional.glu(x)
nn.functional.hardtanh(x, -0.5, 0.7)
nn.functional.kl_div(m, q, reduction='batchmean')
nn.functional.kl_div(m, q, reduction='sum', log_target=True)
nn.functional.leaky_relu(x)
nn.functional.linear(x, m)
nn.functional.linear(x, m, v[:3])
nn.functional.log_softmax(x, 1)
nn.functional.logsigmoid(x)
nn.functional.max_pool2d(images, 2)
nn.functional.max_pool2d(images, 3, 2, 1, 1, True, True)
nn.functional.normalize(x)
nn.functional.one_hot(n)
nn.functional.one_hot(n, 5)
nn.functional.pad(x, (1, 2), value=3.0)
nn.functional.relu6(x)
nn.functional.silu(x)
nn.functional.softmax(x, 0)
nn.functional.threshold(x, 0.2, -1.0)
nn.functional.mish(x)
nn.functional.selu(x)
nn.functional.softplus(x)
nn.functional.softplus(x, 2.0, 1.0)
nn.functional.softshrink(x, 0.3)
nn.functional.smooth_l1_loss(x, y, beta=0.3)
addcmul(x, y, y, value=0.5)
fix(x)
nn.ELU(0.5)(x)
nn.Flatten()(x)
nn.GELU()(x)
nn.GLU()(x)
nn.CrossEntropyLoss()(m, k.repeat_interleave(2)[:3])
nn.MaxPool2d(3, 2, 1, ceil_mode=True)(images)
nn.NLLLoss(reduction='sum')(m, n[:3])
nn.Softshrink()(x)
nn.Hardshrink(0.3)(x)
nn.Hardsigmoid()(x)
nn.Hardswish()(x)
nn.Hardtanh(max_val=0.4)(x)
nn.KLDivLoss(log_target=True)(m, q)
nn.L1Loss(reduction='sum')(x, y)
nn.LogSigmoid()(x)
nn.LogSoftmax(1)(x)
nn.MSELoss()(x, y)
nn.Mish()(x)
nn.BCELoss()(p, q)
nn.ReLU()(x)
nn.SELU()(x)
nn.SiLU()(x)
nn.Sigmoid()(x)
nn.SmoothL1Loss()(x, y)
nn.SmoothL1Loss(reduction='none', beta=0.3)(x, y)
nn.Softmax(-1)(x)
nn.Tanh()(x)
nn.Threshold(0.1, 2.0)(x)
nn.AvgPool2d(2)(images)
nn.AdaptiveAvgPool2d(3)(images)
nn.PixelShuffle(1)(images)
nn.ZeroPad2d(1)(images)
linalg.inv(m[:, :3])
linalg.vector_norm(x, 3, 1)
linalg.matrix_norm(x)
special.round(x)
special.log_softmax(x, 1)
""".splitlines()
    if line.strip()
]


def listed(out):
    """Results as lists with their dtypes."""
    if isinstance(out, bool):
        return out
    if isinstance(out, list | tuple):
        return [listed(v) for v in out]
    values = out.detach().numpy() if hasattr(out, "detach") else out.asnumpy()
    return {"dtype": str(values.dtype), "values": values.tolist()}


def called(call, mint, make):
    """What a call gives in a package."""
    names = {n: make(a) for n, a in TENSORS.items()}
    return listed(eval("mint." + call, {"mint": mint} | names))


# Documented, and missing in the lists of the modules.
BESIDE = {
    "": "addcmul fix linspace ones trunc",
    "nn.functional": "hardshrink hardsigmoid hardswish l1_loss mish selu smooth_l1_loss softplus softshrink",
    "nn": "CrossEntropyLoss Dropout Dropout2d Embedding GLU LayerNorm MaxPool2d NLLLoss Softshrink",
}


def signatures():
    from mindspore import mint

    found = {}
    for where in ("", "nn.functional", "nn", "linalg", "special"):
        module = mint
        for part in filter(None, where.split(".")):
            module = getattr(module, part)
        for name in [*module.__all__, *BESIDE.get(where, "").split()]:
            try:
                parts = inspect.signature(getattr(module, name)).parameters.values()
            except (TypeError, ValueError, AttributeError):
                continue
            text = [p.name + ("" if p.default is p.empty else f"={p.default!r}") for p in parts]
            if "args" not in text:
                found[f"{where}.{name}".lstrip(".")] = [t.replace("mindspore.", "") for t in text]
    return found


def values():
    import torch

    return {call: called(call, torch, torch.from_numpy) for call in CALLS}


if __name__ == "__main__":
    kept = json.loads(PATH.read_text()) if PATH.exists() else {}
    kept[sys.argv[1]] = {"signatures": signatures, "values": values}[sys.argv[1]]()
    PATH.write_text(json.dumps(kept, indent=0, sort_keys=True) + "\n")
