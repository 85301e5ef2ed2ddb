"""Gradients and training steps for any batch size: one program gives what programs of each size give."""

import numpy as np
import pytest

import cellgrad as ms
from cellgrad import _native, nn, ops

SIZES = (1, 2, 3, 5, 8, 31, 32, 33, 64, 65, 127, 128, 129, 200, 257)
FEW = (1, 3, 130)  # where programs of a size are compiled to compare with


class Dense(nn.Cell):
    """Two layers and a loss, whose reduction is a mean or a sum."""

    inputs = ((6,), ms.float64), ((), ms.int32)

    def __init__(self, reduction="mean"):
        super().__init__()
        self.layers = nn.SequentialCell(
            nn.Dense(6, 8), nn.LayerNorm((8,)), nn.Tanh(), nn.Dense(8, 4)
        )
        self.loss = nn.CrossEntropyLoss(reduction=reduction)

    def construct(self, x, y):
        return self.loss(self.layers(x), y % 4)


class Summed(Dense):
    def __init__(self):
        super().__init__("sum")


class Image(nn.Cell):
    """Convolutions in groups, the statistics of the batch, and largest elements of windows."""

    inputs = ((2, 8, 8), ms.float64), ((), ms.int32)

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(2, 4, 3, group=2)
        self.norm = nn.BatchNorm2d(4)
        self.second = nn.Conv2d(4, 3, 3, stride=2, pad_mode="valid")
        self.last = nn.Dense(3, 4)

    def construct(self, x, y):
        h = ops.max_pool2d(ops.relu(self.norm(self.conv(x))), 2)
        h = ops.tanh(self.second(h)).mean(axis=(2, 3))
        return nn.CrossEntropyLoss()(self.last(h), y % 4)


class Words(nn.Cell):
    """A table whose rows are added up, and a loop over time."""

    inputs = ((5,), ms.int32), ((3,), ms.float64)

    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(20, 6)
        self.lstm = nn.LSTM(6, 4, batch_first=True)
        self.last = nn.Dense(4, 3)

    def construct(self, x, y):
        out, _ = self.lstm(self.table(x % 20))
        return nn.MSELoss()(self.last(out[:, -1]), y)


class Attention(nn.Cell):
    inputs = ((3, 4), ms.float64), ((3, 4), ms.float64)

    def __init__(self):
        super().__init__()
        self.layer = nn.TransformerEncoderLayer(4, 2, 8, 0.0, batch_first=True)

    def construct(self, x, y):
        return (self.layer(x) * y).sum() / x.shape[0]


NETS = [Dense, Summed, Image, Words, Attention]


def example(spec, samples, state):
    shape, dtype = spec
    if samples is None:
        return ms.Tensor(shape=[None, *shape], dtype=dtype)
    if dtype == ms.int32:
        return ms.Tensor(state.integers(0, 60, (samples, *shape)), dtype)
    return ms.Tensor(state.standard_normal((samples, *shape)), dtype)


def examples(kind, samples, state=None):
    return [example(spec, samples, state) for spec in kind.inputs]


def made(kind):
    ms.set_seed(3)
    with ms.default_dtype(ms.float64):
        net = kind()
    net.set_train(True)
    return net


def close(found, expected, what):
    scale = max(1.0, float(np.abs(expected).max(initial=0.0)))
    np.testing.assert_allclose(found, expected, 1e-12, 1e-12 * scale, err_msg=str(what))


def check_gradients(kind, sizes, tmp_path):
    net = made(kind)
    gradient = ms.value_and_grad(net, None, net.trainable_params())
    name = str(tmp_path / "net")
    with ms.default_dtype(ms.float64):
        ms.export(net, *examples(kind, None), file_name=name, value_and_grad=gradient)
        model = ms.load(name)
        state = np.random.default_rng(0)
        for n in sizes:
            inputs = examples(kind, n, state)
            found = model.value_and_grad(*inputs)[: 1 + len(net.trainable_params())]
            value, slopes = ms.value_and_grad(net, None, net.trainable_params())(*inputs)
            for a, b in zip(found, (value, *slopes), strict=True):
                close(a.asnumpy(), b.asnumpy(), (kind.__name__, n))


@pytest.mark.parametrize("kind", NETS)
def test_gradients(kind, tmp_path):
    check_gradients(kind, FEW, tmp_path)


@pytest.mark.sweep
@pytest.mark.parametrize("kind", NETS)
def test_gradients_of_all_sizes(kind, tmp_path):
    check_gradients(kind, SIZES, tmp_path)


@pytest.mark.parametrize("kind", [Dense, Image])
def test_the_first_batch_has_a_program_for_its_size(kind):
    """With the bits of one that is compiled for it; others as near as roundings, but those of 1 and 32, too."""
    net = made(kind)
    weights = net.trainable_params()
    with ms.default_dtype(ms.float64):
        slope = ms.value_and_grad(net, None, weights)
        any_batch = ms.jit(lambda x, y: slope(x, y), dynamic_batch=True)
        state = np.random.default_rng(2)
        for n in (20, 23, 20, 1, 32):
            inputs = examples(kind, n, state)
            kept = [p.asnumpy() for p in net.get_parameters()]  # statistics are updated
            found = any_batch(*inputs)
            for p, before in zip(net.get_parameters(), kept, strict=True):
                p.set_data(ms.Tensor(before))
            wanted = ms.jit(lambda x, y: slope(x, y))(*inputs)
            for a, b in zip((found[0], *found[1]), (wanted[0], *wanted[1]), strict=True):
                close(a.asnumpy(), b.asnumpy(), n)
                if n != 23:
                    np.testing.assert_array_equal(a.asnumpy(), b.asnumpy())


@pytest.mark.parametrize("kind", [Dense, Words])
def test_batches_that_come_often_have_programs_for_their_size(kind, tmp_path):
    """A batch of 20 would be added up in four parts, with other bits than those of a model for 20."""
    net = made(kind)
    gradient = ms.value_and_grad(net, None, net.trainable_params())
    state, inputs = np.random.default_rng(3), examples(kind, None)
    options = {"value_and_grad": gradient}
    with ms.default_dtype(ms.float64):
        name = str(tmp_path / "net")
        ms.export(net, *inputs, file_name=name, batch_sizes=(20, 100), **options)
        model = ms.load(name)
        for n in (20, 100, 21):
            inputs = examples(kind, n, state)
            ms.export(net, *inputs, file_name=f"{name}{n}", **options)
            wanted = ms.load(f"{name}{n}").value_and_grad(*inputs)
            for a, b in zip(model.value_and_grad(*inputs), wanted, strict=True):
                close(a.asnumpy(), b.asnumpy(), n)
                if n != 21:
                    np.testing.assert_array_equal(a.asnumpy(), b.asnumpy())


@pytest.mark.parametrize(("kind", "optimizer"), [(Dense, "adam"), (Image, "momentum")])
def test_steps_in_place(kind, optimizer, tmp_path):
    """Several steps of changing sizes update Parameters and states as programs of each size do: bit by bit
    where they have programs of their own.
    """
    net = made(kind)
    with ms.default_dtype(ms.float64):
        weights = net.trainable_params()
        update = nn.Adam(weights, 0.01) if optimizer == "adam" else nn.Momentum(weights, 0.1, 0.9)
        step = nn.TrainOneStepCell(net, update)
        name = str(tmp_path / "step")
        given = examples(kind, None)
        ms.export(net, *given, file_name=name, step=(step, *given), batch_sizes=(7,))
        model = ms.load(name)
        state = np.random.default_rng(1)
        for n in (32, 7, 1, 7, 9):
            same = close if n == 9 else np.testing.assert_array_equal
            inputs = examples(kind, n, state)
            found = model.train_step(*inputs)
            found = found[0] if isinstance(found, tuple) else found
            same(found.asnumpy(), step(*inputs).asnumpy(), n)
            for p in step.get_parameters():
                same(model.parameters[p.name].asnumpy(), p.asnumpy(), (n, p.name))
    donated = [a for a in model.signature["entries"][-1]["args"] if a["role"] == "state"]
    assert len(donated) > len(weights)


def test_numbers(tmp_path):
    """By numpy: the gradient of a mean of squares."""
    x = ms.Tensor(shape=[None, 3], dtype=ms.float64)
    y = ms.Tensor(shape=[None], dtype=ms.float64)
    w = ms.Parameter(ms.Tensor([0.5, -1.0, 2.0], ms.float64), name="w")

    def loss(x, y):
        return ((x * w).sum(axis=1) - y).square().mean()

    name = str(tmp_path / "loss")
    ms.export(loss, x, y, file_name=name, value_and_grad=ms.value_and_grad(loss, None, [w]))
    model = ms.load(name)
    state = np.random.default_rng(2)
    for n in SIZES:
        a, b = state.standard_normal((n, 3)), state.standard_normal(n)
        off = a @ w.asnumpy() - b
        value, slope = model.value_and_grad(ms.Tensor(a), ms.Tensor(b))
        close(value.asnumpy(), (off**2).mean(), n)
        close(slope.asnumpy(), 2 * (off[:, None] * a).mean(axis=0), n)


def statistics(x):
    """Sums, extrema, and what follows from the number of samples."""
    centred = x - x.mean(axis=0)
    return (
        centred / ops.sqrt(centred.square().sum(axis=0) / (x.shape[0] + 1)),
        x.max(axis=0),
        x.min(),
        (x > 0).all(axis=0),
        x.argmax(axis=1).sum(),
        ops.ones((x.shape[0],), ms.float64).sum() * x.shape[0],
        x.var(axis=0, ddof=1) if x.shape[0] > 1 else x[0],
    )


def test_statistics(tmp_path):
    name = str(tmp_path / "statistics")
    ms.export(statistics, ms.Tensor(shape=[None, 3], dtype=ms.float64), file_name=name)
    model = ms.load(name)
    state = np.random.default_rng(3)
    for n in SIZES:
        x = state.standard_normal((n, 3)) + 1
        found = [t.asnumpy() for t in model.forward(ms.Tensor(x))]
        centred = x - x.mean(axis=0)
        with np.errstate(invalid="ignore", divide="ignore"):
            close(found[0], centred / np.sqrt((centred**2).sum(axis=0) / (n + 1)), n)
        np.testing.assert_array_equal(found[1], x.max(axis=0))
        np.testing.assert_array_equal(found[2], x.min())
        np.testing.assert_array_equal(found[3], (x > 0).all(axis=0))
        assert found[4] == x.argmax(axis=1).sum()
        assert found[5] == n * n
        close(found[6], x.var(axis=0, ddof=1) if n > 1 else x[0], n)


@pytest.mark.parametrize("factor", [1.0, 2.0, 3.0])
def test_a_number_of_the_program_that_is_a_batch_size(factor):
    """Sizes that programs are compared for are numbers that programs have."""
    mean = ms.jit(lambda x: (x * factor).mean(axis=0), dynamic_batch=True)
    for n in (1, 2, 3, 7):
        x = np.random.default_rng(n).standard_normal((n, 2))
        close(mean(ms.Tensor(x)).asnumpy(), factor * x.mean(axis=0), n)


def test_second_derivatives(tmp_path):
    """The product of a Hessian and a vector: of sum(sin(x w)) it is -sum(sin(x w) x (x v))."""
    w = ms.Parameter(ms.Tensor([0.5, -1.0], ms.float64), name="w")
    v = ms.Tensor([1.0, 0.25], ms.float64)

    def along(x):
        slope = ms.grad(lambda x: ops.sin((x * w).sum(axis=1)).sum(), None, [w])(x)[0]
        return (slope * v).sum()

    name = str(tmp_path / "second")
    twice = ms.value_and_grad(along, None, [w])
    ms.export(
        along, ms.Tensor(shape=[None, 2], dtype=ms.float64), file_name=name, value_and_grad=twice
    )
    model = ms.load(name)
    state = np.random.default_rng(4)
    for n in SIZES:
        x = state.standard_normal((n, 2))
        expected = -(np.sin(x @ w.asnumpy()) * (x @ v.asnumpy())) @ x
        close(model.value_and_grad(ms.Tensor(x))[1].asnumpy(), expected, n)


def test_second_derivatives_of_convolutions_in_groups(tmp_path):
    """Of sum(sin(y)) with y = conv(x, w), which is linear in w: -sum(sin(y) (dy/dw) (dy/dw . v))."""
    state = np.random.default_rng(8)
    w = ms.Parameter(ms.Tensor(state.standard_normal((4, 2, 2))), name="w")
    v = ms.Tensor(state.standard_normal((4, 2, 2)))

    def along(x):
        value = lambda x: ops.sin(ops.conv1d(x, w, groups=2)).sum()
        return (ms.grad(value, None, [w])(x)[0] * v).sum()

    name = str(tmp_path / "groups")
    twice = ms.value_and_grad(along, 0, [w])
    ms.export(
        along, ms.Tensor(shape=[None, 4, 5], dtype=ms.float64), file_name=name, value_and_grad=twice
    )
    model = ms.load(name)
    for n in (1, 2, 3, 37, 129):
        x = state.standard_normal((n, 4, 5))
        # Group g has channels 2g and 2g + 1 of x, and filters 2g and 2g + 1.
        windows = np.stack([x[:, :, t : t + 2] for t in range(4)], 1).reshape(n, 4, 2, 2, 2)
        by = windows.repeat(2, axis=2)  # n, place, filter, channel, tap
        y, along_v = (np.einsum("ntfck,fck->ntf", by, u.asnumpy()) for u in (w, v))
        value, by_x, by_w = (t.asnumpy() for t in model.value_and_grad(ms.Tensor(x)))
        close(value, (np.cos(y) * along_v).sum(), n)
        close(by_w, np.einsum("ntf,ntfck->fck", -np.sin(y) * along_v, by), n)
        expected = np.zeros_like(x)
        for t in range(4):
            both = np.einsum("nf,fck->nfck", (-np.sin(y) * along_v)[:, t], w.asnumpy())
            both += np.einsum("nf,fck->nfck", np.cos(y)[:, t], v.asnumpy())
            expected[:, :, t : t + 2] += both.reshape(n, 2, 2, 2, 2).sum(2).reshape(n, 4, 2)
        close(by_x, expected, n)


def solved(a, b, shared):
    """Factorizations of a matrix for each sample, and of one for all."""
    positive = ops.matmul(a, a.transpose(0, 2, 1)) + ops.eye(3, 3, ms.float64)
    columns = ops.solve(shared, b.transpose(1, 0)).transpose(1, 0)
    return ops.cholesky(positive), columns


def logarithms(a, b, shared):
    """The logarithms of determinants, and a solution by a matrix for all, added up."""
    return ops.slogdet(a)[1].sum() + (ops.solve(shared, b.transpose(1, 0)) ** 2).sum()


def test_factorizations(tmp_path):
    some = ms.Symbol(max=20)  # fewer tiles to compile
    inputs = [
        ms.Tensor(shape=[some, 3, 3], dtype=ms.float64),
        ms.Tensor(shape=[some, 3], dtype=ms.float64),
        ms.Tensor(np.zeros((3, 3))),
    ]
    slopes = ms.value_and_grad(logarithms, (0, 1, 2))
    models = []
    for function in (solved, slopes):
        name = str(tmp_path / f"model{len(models)}")
        ms.export(function, *inputs, file_name=name, value_and_grad=False)
        models.append(ms.load(name).forward)
    state = np.random.default_rng(9)
    for n in (1, 2, 3, 9, 20):
        a, b = state.standard_normal((n, 3, 3)) + 3 * np.eye(3), state.standard_normal((n, 3))
        m = state.standard_normal((3, 3)) + 3 * np.eye(3)
        given = [ms.Tensor(array) for array in (a, b, m)]
        positive = a @ a.transpose(0, 2, 1) + np.eye(3)
        y = np.linalg.solve(m, b.T)
        wanted = np.linalg.cholesky(positive), y.T
        for found, expected in zip(models[0](*given), wanted, strict=True):
            np.testing.assert_allclose(found.asnumpy(), expected, 1e-10, 1e-12)
        value, by_a, by_b, by_m = (t.asnumpy() for t in models[1](*given))
        close(value, np.log(np.abs(np.linalg.det(a))).sum() + (y**2).sum(), n)
        back = np.linalg.solve(m.T, 2 * y)
        np.testing.assert_allclose(by_a, np.linalg.inv(a).transpose(0, 2, 1), 1e-10, 1e-12)
        np.testing.assert_allclose(by_b, back.T, 1e-10, 1e-12)
        close(by_m, -back @ y.T, n)


@pytest.fixture
def compiled(monkeypatch):
    """Names of what is compiled."""
    names = []
    compile_graph = _native.compile_graph

    def counted(graph, path, name, options):
        names.append(name)
        return compile_graph(graph, path, name, options)

    monkeypatch.setattr(_native, "compile_graph", counted)
    monkeypatch.setenv("CELLGRAD_CACHE", "0")
    return names


def test_jit_compiles_once(compiled):
    """A last smaller batch of an epoch compiles nothing, in training either."""
    net = nn.Dense(3, 2)
    optimizer = nn.SGD(net.trainable_params(), 0.1)
    forward = ms.value_and_grad(lambda x: (net(x) ** 2).mean(), None, net.trainable_params())

    @ms.jit(dynamic_batch=True)
    def step(x):
        value, slopes = forward(x)
        optimizer(slopes)
        return value, net(x)

    state = np.random.default_rng(5)
    before = None
    for n in (32, 32, 7, 1, 200):
        x = state.standard_normal((n, 3)).astype(np.float32)
        w, b = (p.asnumpy().astype(np.float64) for p in net.trainable_params())
        value, y = step(ms.Tensor(x))
        off = x @ w.T + b
        np.testing.assert_allclose(value.asnumpy(), (off**2).mean(), 1e-5)
        new = w - 0.1 * (2 * off / off.size).T @ x
        np.testing.assert_allclose(net.weight.asnumpy(), new, 1e-5, 1e-6)
        assert y.shape == (n, 2)
        np.testing.assert_allclose(y.asnumpy(), x @ new.T + net.bias.asnumpy(), 1e-4, 1e-5)
        before = before or len(compiled)
    assert len(compiled) == before


def test_set_inputs_compiles_once(compiled):
    net = nn.WithLossCell(nn.Dense(3, 2), nn.MSELoss())
    step = nn.TrainOneStepCell(net, nn.Momentum(net.trainable_params(), 0.1, 0.9))
    step.set_inputs(
        ms.Tensor(shape=[None, 3], dtype=ms.float32),
        ms.Tensor(shape=[ms.Symbol(max=100), 2], dtype=ms.float32),
    )
    state = np.random.default_rng(6)
    counts = []
    for n in (16, 16, 5, 1):
        x = ms.Tensor(state.standard_normal((n, 3)), ms.float32)
        y = ms.Tensor(state.standard_normal((n, 2)), ms.float32)
        before = [p.asnumpy().astype(np.float64) for p in net.trainable_params()]
        loss = step(x, y)
        off = x.asnumpy() @ before[0].T + before[1] - y.asnumpy()
        np.testing.assert_allclose(loss.asnumpy(), (off**2).mean(), 1e-5)
        counts.append(len(compiled))
    assert counts == [counts[0]] * 4
    with pytest.raises(ValueError, match="its batch is 101: 1 to 100"):
        step(ops.ones((101, 3)), ops.ones((101, 2)))
    with pytest.raises(ValueError, match=r"Input 1 of 'TrainOneStepCell' is .* by set_inputs"):
        step(ops.ones((4, 3)), ops.ones((4, 3)))
    with pytest.raises(ValueError, match="was given 1 inputs"):
        step(ops.ones((4, 3)))
    step.set_inputs(ops.ones((4, 3)))
    assert step(ops.ones((101, 3)), ops.ones((101, 2))).shape == ()


@pytest.mark.parametrize("shape", [[3, None], [None, None], None])
def test_set_inputs_with_other_open_dimensions_compiles_for_each_signature(compiled, shape):
    net = nn.Dense(3, 2)
    net.set_inputs(ms.Tensor(shape=shape, dtype=ms.float32))
    w, b = net.weight.asnumpy(), net.bias.asnumpy()
    for n in (1, 4, 4):
        x = np.arange(3.0 * n, dtype=np.float32).reshape(n, 3)
        np.testing.assert_allclose(net(ms.Tensor(x)).asnumpy(), x @ w.T + b, 1e-5)
    assert len(compiled) == 2


def test_set_inputs_of_vectors_takes_numbers():
    """As MindSpore 2.10 does; other numbers of dimensions are refused there, too."""

    class Net(nn.Cell):
        def construct(self, x):
            return x * x

    net = Net()
    net.set_inputs(ms.Tensor(shape=[None], dtype=ms.float32))
    assert net(ms.Tensor(3.0)) == 9 and ms.grad(net)(ms.Tensor(3.0)) == 6
    assert net(ms.Tensor([2.0, 3.0])).asnumpy().tolist() == [4, 9] and net(ms.Tensor(4.0)) == 16
    with pytest.raises(ValueError, match="by set_inputs"):
        net(ms.Tensor([[2.0]]))


def test_set_inputs_where_samples_meet_compiles_for_each_size(compiled):
    class Sorted(nn.Cell):
        def construct(self, x):
            return ops.sort(x, 0)[0] * 2

    net = Sorted()
    net.set_inputs(ms.Tensor(shape=[None, 2], dtype=ms.float32))
    for n in (3, 5, 3):
        x = np.random.default_rng(n).standard_normal((n, 2)).astype(np.float32)
        if n == 3 and not compiled:
            with pytest.warns(UserWarning, match="'Sorted' is compiled for each batch size"):
                got = net(ms.Tensor(x))
        else:
            got = net(ms.Tensor(x))
        np.testing.assert_array_equal(got.asnumpy(), 2 * np.sort(x, 0))
    with pytest.raises(ValueError, match=r"Input 0 of 'Sorted' is .* by set_inputs"):
        Sorted.set_inputs(net, ms.Tensor(shape=[None, 2], dtype=ms.float32))
        net(ops.ones((4, 3)))


def test_inputs_of_set_inputs_by_name(compiled):
    class Scaled(nn.Cell):
        def construct(self, x, y, by=1):
            return x * by + y

    net, x = Scaled(), ops.ones((3, 2))
    net.set_inputs(ms.Tensor(shape=[None, 2], dtype=ms.float32), ops.ones((2,)), 1)
    assert net(x, by=3, y=ops.ones((2,))).asnumpy().tolist() == [[4, 4]] * 3
    assert net(ops.ones((5, 2)), ops.ones((2,)), by=2).asnumpy().tolist() == [[3, 3]] * 5
    with pytest.raises(ValueError, match="was given 1 inputs and 1 by name"):
        net(x, by=3)


def test_set_inputs_of_a_shape_compiles_for_each_shape():
    """The elements are asked for, so that no program is for any number of them."""

    class Ones(nn.Cell):
        def construct(self, shape):
            return ops.ones(shape)

    net = Ones()
    net.set_inputs(ms.Tensor(shape=[None], dtype=ms.int64))
    with pytest.warns(UserWarning, match="'Ones' is compiled for each batch size"):
        first = net(ms.Tensor([2, 3]))
    np.testing.assert_array_equal(first.asnumpy(), np.ones((2, 3)))
    for shape in ((3, 2), (4,), (2, 3)):
        np.testing.assert_array_equal(net(ms.Tensor(shape)).asnumpy(), np.ones(shape))


@pytest.mark.parametrize("indices", [[7], [0, 1, 7], [0] * 129 + [6]])
def test_a_sample_that_fails_fails_the_step(indices):
    """Wherever in the batch it is; Parameters stay what they were."""
    table = ms.Parameter(ms.Tensor(np.arange(10, dtype=np.float32).reshape(5, 2)), name="table")
    optimizer = nn.SGD([table], 0.1)
    forward = ms.value_and_grad(lambda i: (ops.gather(table, i, 0) ** 2).mean(), None, [table])

    @ms.jit(dynamic_batch=True)
    def step(i):
        value, slopes = forward(i)
        optimizer(slopes)
        return value

    assert float(step(ms.Tensor([0, 1, 4]))) == 26.5
    before = table.asnumpy()
    with pytest.raises(IndexError, match=r"the indices must be in the range \[-5, 5\)"):
        step(ms.Tensor(indices))
    assert np.array_equal(table.asnumpy(), before)


class Drops(nn.Cell):
    """Random numbers of two draws, in a loop, and of 64 bits; a shared one for all samples."""

    def __init__(self):
        super().__init__()
        self.drop, self.w = nn.Dropout(p=0.4), ms.Parameter(ms.Tensor([0.5, 2.0, -1.0]), name="w")

    def construct(self, x):
        y = self.drop(x * self.w) + ops.rand(1) * 0.001
        _, noise = ops.Scan()(lambda c, _: (c, c + ops.rand_like(x)), x * 0, None, 2)
        wide = ops.rand(x.shape[0], 2, 3, dtype=ms.float64).sum(axis=1)
        return y, noise[1], wide


def test_random_numbers_are_those_of_a_program_for_the_size():
    """For each batch up to 33, and larger ones of several tiles; and in their order, draw after draw."""
    net = Drops()
    net.set_train()
    any_batch = ms.jit(lambda x: net(x), dynamic_batch=True)
    state = np.random.default_rng(5)
    ms.set_seed(3)
    for n in (*range(1, 34), 64, 129, 203):
        x = ms.Tensor(state.standard_normal((n, 3)), ms.float32)
        before = ms.get_rng_state()
        found = [t.asnumpy() for t in any_batch(x)]
        after = ms.get_rng_state().asnumpy()
        ms.set_rng_state(before)
        wanted = [t.asnumpy() for t in ms.jit(lambda x: net(x))(x)]
        assert (ms.get_rng_state().asnumpy() == after).all()
        for a, b in zip(found, wanted, strict=True):
            np.testing.assert_array_equal(a, b, str(n))


def test_a_training_step_with_dropout():
    """The same losses and weights, step after step, as of programs for the sizes of the batches."""

    def trained(dynamic):
        ms.set_seed(11)
        net = nn.SequentialCell(nn.Dense(6, 16), nn.Dropout(p=0.5), nn.ReLU(), nn.Dense(16, 3))
        net.set_train()
        optimizer = nn.Adam(net.trainable_params(), 0.01)
        slope = ms.value_and_grad(
            lambda x, y: ops.cross_entropy(net(x), y), None, optimizer.parameters
        )

        def step(x, y):
            loss, slopes = slope(x, y)
            optimizer(slopes)
            return loss

        step = ms.jit(step, dynamic_batch=dynamic)
        state, losses = np.random.default_rng(9), []
        for n in (64, 17, 130, 1, 33, 2):
            x = ms.Tensor(state.standard_normal((n, 6)), ms.float32)
            losses.append(float(step(x, ms.Tensor(state.integers(0, 3, n), ms.int32))))
        return losses, [p.asnumpy() for p in net.trainable_params()]

    losses, weights = trained(True)
    wanted, wanted_weights = trained(False)
    np.testing.assert_allclose(losses, wanted, 1e-5)
    for a, b in zip(weights, wanted_weights, strict=True):
        np.testing.assert_allclose(a, b, 2e-4, 2e-5)
