"""Steps of a model for any batch size whose optimizer divides gradients by their own size."""

import numpy as np
import pytest

import cellgrad as ms
from cellgrad import nn, ops


class Biased(nn.Cell):
    """A bias that batch normalisation takes away again: its gradient is zero but for roundings."""

    def __init__(self):
        super().__init__()
        self.first = nn.Dense(6, 8)
        self.norm = nn.BatchNorm1d(8)
        self.last = nn.Dense(8, 3)

    def construct(self, x, y):
        return nn.MSELoss()(self.last(ops.tanh(self.norm(self.first(x)))), y)


@pytest.mark.parametrize("optimizer", [nn.AdamWeightDecay, nn.Lamb])
def test_steps_that_divide_a_gradient_by_its_size(optimizer, tmp_path):
    """What is left of a gradient that is zero, 1e-16 divided by epsilon = 1e-6, moves its Parameter by 1e-10 of a step
    (by 1e-2 in float32). No other Parameter differs. Lamb divides by the norm of the whole update, which has to be more
    than that: the weights that decay."""
    ms.set_seed(3)
    with ms.default_dtype(ms.float64):
        net = Biased()
        net.set_train(True)
        step = nn.TrainOneStepCell(net, optimizer(net.trainable_params(), 0.1, weight_decay=0.01))
        name = str(tmp_path / "step")
        given = [ms.Tensor(shape=[None, n], dtype=ms.float64) for n in (6, 3)]
        ms.export(net, *given, file_name=name, step=(step, *given))
        model = ms.load(name)
        state = np.random.default_rng(1)
        for samples in (9, 33):
            inputs = [ms.Tensor(state.standard_normal((samples, n))) for n in (6, 3)]
            model.train_step(*inputs)
            step(*inputs)
            for p in net.trainable_params():
                most = 1e-9 if p is net.first.bias else 1e-12
                found = model.parameters[p.name].asnumpy()
                np.testing.assert_allclose(found, p.asnumpy(), most, most, err_msg=p.name)
