"""`nn.GraphCell`: a model that was exported and loaded, as a Cell."""

import numpy as np
import pytest

import cellgrad as ms
from cellgrad import Tensor, nn


def test_an_exported_model_as_a_cell(tmp_path, mode):
    net = nn.Dense(3, 2)
    x = Tensor(np.ones((4, 3), np.float32))
    ms.export(net, x, file_name=str(tmp_path / "net"), value_and_grad=False)
    loaded = nn.GraphCell(ms.load(str(tmp_path / "net")))
    np.testing.assert_array_equal(loaded(x).asnumpy(), net(x).asnumpy())
    assert loaded.trainable_params() == [] and isinstance(loaded, nn.Cell)
    for call in (ms.jit(lambda x: loaded(x)), ms.grad(lambda x: loaded(x))):
        with pytest.raises(RuntimeError, match="was compiled before"):
            call(x)
    with pytest.raises(TypeError, match=r"a model of ms\.load"):
        nn.GraphCell(net)
    with pytest.raises(ValueError, match="params_init"):
        nn.GraphCell(ms.load(str(tmp_path / "net")), {})
