"""Complex tensors in programs: making, showing, sharing and refusing them, loops, Cells, vmap."""

from __future__ import annotations

import numpy as np
import pytest

import cellgrad as ms
from cellgrad import Tensor, nn, ops

Z = np.array([1 + 2j, -0.5 + 0.3j, 0.2 - 1.5j])
W = np.array([0.3 - 1j, 2 + 1j, 1 + 1j])
R = np.array([1.0, 2.0, 3.0])
M = (np.arange(6).reshape(2, 3) + 1) * (0.5 - 0.25j) + 1j


# --- making and showing -----------------------------------------------------------------------


def test_making_tensors():
    assert Tensor(1 + 2j).dtype is ms.complex128  # as MindSpore
    assert Tensor([1 + 2j, 2]).dtype is ms.complex128
    assert Tensor(1, ms.complex64).dtype is ms.complex64
    assert Tensor(R, ms.complex64).asnumpy().dtype == np.complex64
    for made in (
        ops.zeros((2,), ms.complex64),
        ops.ones((2,), ms.complex64),
        ops.full((2,), 1 - 1j),
    ):
        assert made.is_complex() and made.shape == (2,)
    np.testing.assert_array_equal(ops.ones((2,), ms.complex64).asnumpy(), [1, 1])
    np.testing.assert_array_equal(
        ops.full((2,), 1 - 1j, dtype=ms.complex64).asnumpy(), [1 - 1j] * 2
    )
    np.testing.assert_array_equal(ops.ones_like(Tensor(Z)).asnumpy(), [1] * 3)
    np.testing.assert_array_equal(ops.eye(2, 2, ms.complex64).asnumpy(), np.eye(2))
    np.testing.assert_array_equal(ops.Complex()(Tensor(R), Tensor(-R)).asnumpy(), R - 1j * R)
    np.testing.assert_allclose(ops.polar(Tensor(R), Tensor(R)).asnumpy(), R * np.exp(1j * R), 1e-15)
    with pytest.raises(TypeError, match="'real' must be of floating-point numbers"):
        ops.complex(Tensor([1]), Tensor([1.0]))
    with pytest.raises(
        TypeError, match=r"must be of complex numbers.*astype\(ms.complex64\)|astype"
    ):
        ops.view_as_real(Tensor([1.0]))


def test_casts():
    z = Tensor(Z)
    assert z.astype(ms.complex64).asnumpy().dtype == np.complex64
    np.testing.assert_array_equal(z.astype(ms.float64).asnumpy(), Z.real)
    np.testing.assert_array_equal(z.astype(ms.int32).asnumpy(), [1, 0, 0])
    np.testing.assert_array_equal(
        Tensor([0j, 1j, 1]).astype(ms.bool_).asnumpy(), [False, True, True]
    )
    np.testing.assert_array_equal(Tensor([True]).astype(ms.complex64).asnumpy(), [1])


def test_text_is_mindspores():
    z = Tensor(Z[:2].astype(np.complex64))
    assert str(z) == "[ 1. +2.j  -0.5+0.3j]"
    assert repr(z) == "Tensor(shape=[2], dtype=Complex64, value= [1+2j, -0.5+0.3j])"
    assert repr(Tensor(1 + 2j)) == "Tensor(shape=[], dtype=Complex128, value= 1+2j)"
    matrix = Tensor(np.array([[1 + 2j, 2], [3j, 4 - 1j]], np.complex64))
    assert repr(matrix) == (
        "Tensor(shape=[2, 2], dtype=Complex64, value=\n[[1+2j, 2+0j],\n [0+3j, 4-1j]])"
    )
    assert (z.itemsize, z.nbytes, str(ms.complex64)) == (8, 16, "Complex64")
    assert z[0].item() == 1 + 2j and complex(z[0]) == 1 + 2j and z.tolist()[0] == 1 + 2j
    assert ms.pytype_to_dtype(complex) is ms.complex128


def test_elements_are_shared_with_numpy():
    array = Z.copy()
    shared = Tensor.from_numpy(array)
    array[0] = 7j
    assert shared.asnumpy()[0] == 7j and shared.dtype is ms.complex128
    view = shared.asnumpy()
    view[1] = 5
    assert array[1] == 5
    np.testing.assert_array_equal(np.from_dlpack(shared), array)
    np.testing.assert_array_equal(Tensor.from_dlpack(Z).asnumpy(), Z)


def test_elements_are_assigned():
    z = Tensor(Z)
    z[0] = 5j
    z[1:] = z[1:] * 1j
    np.testing.assert_array_equal(z.asnumpy(), [5j, *(Z[1:] * 1j)])

    @ms.jit
    def assigned(x, y):
        x[0] = y
        x[Tensor([1, 2])] = 2 * y
        return x

    np.testing.assert_array_equal(assigned(Tensor(Z), Tensor(1j)).asnumpy(), [1j, 2j, 2j])
    part = z[1:]
    part[0] = 9
    assert z.asnumpy()[1] == 9  # a view


# --- refusals ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    ["softmax", "relu", "max", "argmax", "floor", "erf", "sort", "gelu", "sign", "lgamma"],
)
def test_what_has_no_meaning_is_refused(name):
    with pytest.raises(TypeError, match=f"'{name}', the operands must be real.*Complex128"):
        getattr(ops, name)(Tensor(Z))


def test_refusals_say_what_to_do():
    with pytest.raises(TypeError, match=r"(?s)For 'less'.*ops.real\(x\)"):
        Tensor(Z) < Tensor(W)  # noqa: B015
    with pytest.raises(TypeError, match="float"):
        float(Tensor(1j))


@pytest.mark.parametrize(
    "code",
    [
        "Tensor(1 + 2j, ms.float32)",
        "x.__setitem__(0, 1j)",
        "x.add_(z)",
        "x.copy_(z)",
        "ops.full((2,), 1j, dtype=ms.float32)",
        "ops.masked_fill(x, x > 1, 1j)",
        "ops.pad(x, (1, 1), value=1j)",
        "ops.assign(p, z)",
        "p.set_data(z)",
        "ops.index_add(p, Tensor([0], ms.int32), z[:1], 0)",
        "ms.jit(lambda x, z: ops.masked_fill(x, x > 1, z[0]))(x, z)",
    ],
)
def test_imaginary_parts_are_not_lost(code):
    x = Tensor(R.astype(np.float32))
    names = {"x": x, "z": Tensor(Z), "p": ms.Parameter(x, name="p"), "ms": ms}
    with pytest.raises(TypeError, match=r"imaginary parts would be lost|must be real"):
        eval(code, {"ops": ops, "Tensor": Tensor, **names})


# --- in programs ------------------------------------------------------------------------------


@ms.jit
def iterated(z, n):
    i = Tensor(0)
    while i < n:
        if ops.abs(z).sum() > 3:
            z = z * (0.5 + 0.5j)
        else:
            z = z * z + Tensor(0.1j)
        i = i + 1
    return z


def in_numpy(z, n):
    for _ in range(n):
        z = z * (0.5 + 0.5j) if np.abs(z).sum() > 3 else z * z + 0.1j
    return z


def test_loops_and_branches_carry_them():
    np.testing.assert_allclose(iterated(Tensor(Z), Tensor(5)).asnumpy(), in_numpy(Z, 5), 1e-14)
    found = ms.grad(lambda z: ops.abs(iterated(z, Tensor(5))).sum())(Tensor(Z)).asnumpy()
    for i in range(3):
        for unit, slope in ((1, found[i].real), (1j, found[i].imag)):
            step = 1e-7 * unit * np.eye(3)[i]
            up, down = (np.abs(in_numpy(Z + s * step, 5)).sum() for s in (1, -1))
            assert abs((up - down) / 2e-7 - slope) < 1e-6


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = ms.Parameter(Tensor(W.astype(np.complex64)), name="w")

    def construct(self, x):
        return ops.abs((self.w * x).sum())


def test_parameters_and_training(mode, tmp_path):
    net = Net()
    x = Tensor(Z.astype(np.complex64))
    gradient = ms.grad(net, None, net.trainable_params())(x)[0]
    total = (W * Z).sum()
    np.testing.assert_allclose(gradient.asnumpy(), total / abs(total) * Z.conj(), 1e-6)
    ops.assign(net.w, net.w - 0.1 * gradient)
    assert net(x).item() < abs(total)
    for suffix in ("ckpt", "safetensors"):
        file = str(tmp_path / f"net.{suffix}")
        ms.save_checkpoint(net, file, format=suffix)
        other = Net()
        ms.load_param_into_net(other, ms.load_checkpoint(file, format=suffix))
        np.testing.assert_array_equal(other.w.asnumpy(), net.w.asnumpy())
    double = {"z": ms.Parameter(Tensor(Z), name="z")}
    with pytest.raises(TypeError, match="complex128"):
        ms.save_checkpoint(
            [{"name": "z", "data": double["z"]}], str(tmp_path / "z"), format="safetensors"
        )


def test_vmap(mode):
    found = ms.vmap(lambda z, w: z * w + 1j, in_axes=(0, None))(Tensor(M), Tensor(Z))
    np.testing.assert_allclose(found.asnumpy(), M * Z + 1j, 1e-15)
    slopes = ms.vmap(ms.grad(lambda z: ops.exp(z).sum()))(Tensor(M)).asnumpy()
    np.testing.assert_allclose(slopes, np.conj(np.exp(M)), 1e-14)
    outside = ms.grad(lambda m: ops.abs(ms.vmap(lambda z: z * z)(m)).sum())(Tensor(M)).asnumpy()
    np.testing.assert_allclose(outside, 2 * M, 1e-14)
    back = ms.vmap(lambda z: z.conj(), in_axes=1, out_axes=1)(Tensor(M))
    np.testing.assert_array_equal(back.asnumpy(), M.conj())


def test_numbers_and_arrays_in_compiled_code():
    def f(z, s):
        return z * s + np.array([1j, 2, 3]) + 2j

    np.testing.assert_allclose(
        ms.jit(f)(Tensor(Z), 1 - 1j).asnumpy(), Z * (1 - 1j) + [3j, 2 + 2j, 3 + 2j]
    )
    np.testing.assert_allclose(
        ms.jit(f)(Tensor(Z), 2 - 1j).asnumpy(), Z * (2 - 1j) + [3j, 2 + 2j, 3 + 2j]
    )


def test_exported_models_take_pairs(tmp_path):
    net = Net()
    ms.export(net, Tensor(Z.astype(np.complex64)), file_name=str(tmp_path / "net"))
    header = (tmp_path / "net.h").read_text()
    assert 'const float *x; /* input "x": float32[3, 2] */' in header
    model = ms.load(str(tmp_path / "net.so"))
    value, gradient = model.value_and_grad(Tensor(Z.astype(np.complex64)))
    total = (W * Z).sum()
    np.testing.assert_allclose(value.asnumpy(), abs(total), 1e-6)
    pairs = np.stack((Z.real, Z.imag), -1).astype(np.float32)
    assert gradient.shape == (3, 2)
    slope = gradient.asnumpy() @ [1, 1j]
    np.testing.assert_allclose(slope, total / abs(total) * Z.conj(), 1e-6)
    np.testing.assert_array_equal(model.forward(Tensor(pairs)).asnumpy(), value.asnumpy())


# --- derivatives and training -----------------------------------------------------------------


def test_hooks_are_called(mode):
    def f(x, hook):
        y = x * x
        y.register_hook(hook)
        return ops.real(y * W).sum()

    got = ms.grad(f)(Tensor(Z), lambda g: g * 2j)
    np.testing.assert_allclose(got.asnumpy(), 2j * W.conj() * 2 * Z.conj(), rtol=1e-12)

    class Square(nn.Cell):
        def construct(self, x):
            return x * x

    square = Square()
    square.register_backward_hook(lambda cell, gradient, _: (gradient[0] * 2j,))
    got = ms.grad(lambda x: ops.real(square(x) * W).sum())(Tensor(Z))
    np.testing.assert_allclose(got.asnumpy(), 2j * W.conj() * 2 * Z.conj(), rtol=1e-12)


def test_jacobians():
    got = ms.jacfwd(lambda x: ops.exp(1j * x))(Tensor(R))
    np.testing.assert_allclose(got.asnumpy(), np.diag(1j * np.exp(1j * R)))
    got = ms.jacrev(lambda z: ops.real(z * z))(Tensor(Z))
    np.testing.assert_allclose(got.asnumpy(), np.diag(2 * Z.conj()))


@pytest.mark.parametrize(
    "transform, f, x",
    [
        (ms.jacrev, lambda z: z * z, Z),
        (ms.jacrev, lambda x: ops.exp(1j * x), R),
        (ms.jacfwd, lambda z: ops.abs(z), Z),
        (ms.jacfwd, lambda z: z * z, Z),
        (ms.jacfwd, ms.grad(lambda z: ops.abs(z).sum()), Z),
        (ms.hessian, lambda z: (ops.abs(z) ** 2).sum(), Z),
    ],
    ids=["outputs", "outputs of real inputs", "inputs", "both", "a gradient", "hessian"],
)
def test_halves_of_jacobians_are_refused(transform, f, x):
    with pytest.raises(TypeError, match="must be real, but one is of Complex128"):
        transform(f)(Tensor(x))


class Distance(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = ms.Parameter(Tensor(Z), name="w")

    def construct(self, x):
        return (ops.abs(self.w - x) ** 2).sum()


def test_steps_of_complex_parameters():
    for make, moved in (
        (lambda p: nn.SGD(p, 0.25), 0.5),
        (lambda p: nn.Momentum(p, 0.25, 0.9), 0.5),
    ):
        net = Distance()
        nn.TrainOneStepCell(net, make(net.trainable_params()))(Tensor(W))
        np.testing.assert_allclose(net.w.asnumpy(), Z + moved * (W - Z), rtol=1e-7)


@pytest.mark.parametrize(
    "optimizer",
    [nn.Adam, nn.AdamWeightDecay, nn.AdaMax, nn.Adagrad, nn.RMSProp, nn.Adadelta, nn.FTRL, nn.Lamb,
     nn.Rprop, ms.experimental.optim.Adam],
)  # fmt: skip
def test_optimizers_that_divide_by_sizes_refuse(optimizer):
    arguments = (0.1,) if optimizer is nn.Lamb else ()
    with pytest.raises(TypeError, match="the parameters must be real, but 'w' is of Complex128"):
        optimizer(Distance().trainable_params(), *arguments)


@pytest.mark.parametrize("loss", [nn.MSELoss, nn.RMSELoss, nn.SmoothL1Loss])
def test_losses_are_real(loss):
    with pytest.raises(TypeError, match=r"must be (real|of)"):
        loss()(Tensor(Z), Tensor(Z * 2))


def test_a_norm_of_complex_numbers():
    np.testing.assert_allclose(nn.Norm()(Tensor(Z)).asnumpy(), np.linalg.norm(Z))
    mean, variance = nn.Moments()(Tensor(Z))
    np.testing.assert_allclose([mean.asnumpy(), variance.asnumpy()], [Z.mean(), Z.var()])


def test_renorm_counts_magnitudes(mode):
    """Numbers are MindSpore's."""
    x = Tensor(np.array([[1 + 2j, 2 + 3j], [3 + 4j, 4 + 5j]], np.complex64))
    wanted = [
        [0.91287088 + 1.82574177j, 1.36082768 + 2.04124165j],
        [2.73861265 + 3.65148354j, 2.72165537 + 3.40206909j],
    ]
    np.testing.assert_allclose(ops.renorm(x, 2, 1, 5.0).asnumpy(), wanted, 1e-6)
