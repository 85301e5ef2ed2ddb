"""Measures of images of integers: their differences do not wrap."""

import numpy as np
import pytest

import cellgrad as ms
from cellgrad import Tensor, nn

RNG = np.random.default_rng(0)
A, B = (RNG.integers(0, 256, (2, 3, 16, 16)).astype(np.uint8) for _ in range(2))


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
def test_psnr_of_uint8(mode):
    ms.set_context(mode=mode)
    error = (A.astype(np.float64) - B).reshape(2, -1)
    expected = 10 * np.log10(255**2 / (error**2).mean(1))
    np.testing.assert_allclose(nn.PSNR(255)(Tensor(A), Tensor(B)).asnumpy(), expected, rtol=1e-5)


@pytest.mark.parametrize("net", [nn.SSIM(255), nn.MSSSIM(255, (0.5, 0.5), 5)])
def test_similarity_of_uint8(net):
    expected = net(Tensor(A, ms.float64), Tensor(B, ms.float64)).asnumpy()
    np.testing.assert_allclose(net(Tensor(A), Tensor(B)).asnumpy(), expected, atol=1e-5)
