"""`ms.recompute(budget=...)`: what is computed again fits, costs little, and changes no number."""

import numpy as np
import pytest

import cellgrad as ms
from cellgrad import Tensor, nn, ops


class Block(nn.Cell):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.LayerNorm((width,))
        self.up = nn.Dense(width, 4 * width)
        self.down = nn.Dense(4 * width, width)

    def construct(self, x):
        return x + self.down(ops.gelu(self.up(self.norm(x))))


class Deep(nn.Cell):
    def __init__(self, blocks=4, width=32):
        super().__init__()
        self.blocks = nn.SequentialCell([Block(width) for _ in range(blocks)])

    def construct(self, x):
        return ops.square(self.blocks(x)).sum()


def deep():
    ms.set_seed(3)
    net = Deep()
    return net, ms.value_and_grad(net, None, net.trainable_params())


X = Tensor(np.linspace(-1, 1, 64 * 32, dtype=np.float32).reshape(64, 32))


def bits(results):
    loss, gradients = results
    return [t.asnumpy().tobytes() for t in (loss, *gradients)]


def test_within_budgets_with_the_same_bits():
    """Tighter budgets recompute more, and take more time."""
    _, step = deep()
    want = bits(step(X))
    free = ms.memory_report(step, X)
    chosen = []
    for share in (1.0, 0.85, 0.7):
        budget = free.peak - int((1 - share) * free.arena)
        within = ms.recompute(budget=budget)(step)
        assert bits(within(X)) == want
        choice = within.choice
        assert choice.peak <= budget
        assert choice.peak_before == free.peak
        (compiled,) = within.program.cache.values()
        assert free.peak - choice.peak == free.arena - compiled.entry.arena_bytes
        chosen.append(choice)
    assert chosen[0].cells == ()
    assert chosen[0].nanoseconds == chosen[0].nanoseconds_before
    assert len(chosen[1].cells) > 0
    assert chosen[1].peak > chosen[2].peak
    for choice in chosen[1:]:
        assert choice.nanoseconds > choice.nanoseconds_before
        assert all(path.startswith("blocks") for path in choice.cells)
        assert str(choice.peak) in str(choice)


def test_refused_with_the_least_that_is_possible():
    _, step = deep()
    within = ms.recompute(budget=1000)(step)
    with pytest.raises(
        ValueError, match=r"the budget .* is 1000 bytes, but the least .* reaches is"
    ) as e:
        within(X)
    least = int(str(e.value).partition("reaches is ")[2].split()[0])
    again = ms.recompute(budget=least)(step)
    assert bits(again(X)) == bits(step(X))
    assert again.choice.peak == least
    with pytest.raises(ValueError, match="the least"):
        ms.recompute(budget=least - 1)(step)(X)


def test_a_training_step(monkeypatch, capfd):
    """Optimizer states and all, for several steps; the log tells of the choice."""

    def losses(wrap):
        net, _ = deep()
        train = wrap(nn.TrainOneStepCell(net, nn.Adam(net.trainable_params(), 1e-3)))
        return [float(train(X).asnumpy()) for _ in range(3)]

    monkeypatch.setenv("CELLGRAD_LOG", "recompute")
    net, _ = deep()
    free = ms.memory_report(nn.TrainOneStepCell(net, nn.Adam(net.trainable_params(), 1e-3)), X)
    want = losses(lambda step: step)
    assert losses(ms.recompute(budget=free.peak - free.arena // 5)) == want
    assert "[cellgrad] recompute: 'TrainOneStepCell': " in capfd.readouterr().err


def test_cells_that_change_their_state_are_no_obstacle():
    """Batch normalization updates its averages once."""

    class Normed(nn.Cell):
        def __init__(self):
            super().__init__()
            self.layers = nn.SequentialCell(
                [nn.SequentialCell(nn.Dense(32, 32), nn.BatchNorm1d(32)) for _ in range(5)]
            )

        def construct(self, x):
            return ops.square(self.layers(x)).sum()

    def run(wrap):
        ms.set_seed(1)
        net = Normed()
        net.set_train()
        step = wrap(ms.value_and_grad(net, None, net.trainable_params()))
        out = bits(step(X))
        return out, [p.asnumpy().tobytes() for p in net.get_parameters()], step

    want, state, step = run(lambda step: step)
    free = ms.memory_report(step, X)
    got, after, _ = run(ms.recompute(budget=free.peak - free.arena // 10))
    assert got == want
    assert after == state


def test_mistakes():
    with pytest.raises(TypeError, match="neither a block to call nor a budget"):
        ms.recompute()
    with pytest.raises(ValueError, match="'budget'"):
        ms.recompute(budget=0)
    with pytest.raises(TypeError, match="'budget'"):
        ms.recompute(budget=1.5)
    with pytest.raises(TypeError, match="'function'"):
        ms.recompute(budget=10)(3)
    with pytest.raises(TypeError, match="of a whole program, not of a Cell"):
        Deep().recompute(budget=10)
    inner = ms.recompute(budget=10)(ops.exp)
    with pytest.raises(RuntimeError, match="a budget is of a whole compiled program"):
        ms.jit(lambda x: inner(x))(X)
