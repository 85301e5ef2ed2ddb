"""Transforms of images beside MindSpore's."""

import numpy as np
import pytest

from cellgrad.dataset import vision

# What MindSpore 2.10 gives of IMAGE, as hexadecimal digits.
IMAGE = (np.arange(36) * 37 % 251).astype(np.uint8).reshape(3, 4, 3)
GOLDEN = {
    "AdjustBrightness(1.4)": "0034689bcfffff0b3f73a7daffff164a7eb2e6ffff225589bdf1ffff2d6194c8fcff0438",
    "AdjustContrast(0.6)": "2d435a70869cb232485e758ba1b7374d637990a6bc3c52687e94abc140576d8399af2f45",
    "AdjustContrast(1.5)": "0000366ea6ddff000b427ab2e9ff00174e86bef5ff00235a92caffff002f669ed6ff0004",
    "AdjustSaturation(0.5)": "0f22347e90a3952a3c617486c2d46a445669b3c6d8273a4c96a8bbad4254798c9e902538",
    "Solarize((100, 200))": "00254a906b46de082d5288633ee610355a805bc9ee183d627853d1f6204595704bd90328",
    "Solarize(128)": "00254a6f6b4621082d5277633e1910355a7f5b3611183d6278532e0920456a704b260328",
    "Posterize(3)": "0020406080a0c00020406080c0e000204060a0c0e000206080a0c0e020406080a0c00020",
    "Posterize(0)": "000000000000000000000000000000000000000000000000000000000000000000000000",
    "Rotate(90)": "52779c183d62d90328000000de082da4c9ee6a8fb40000006f94b9355a7ff62045000000",
    "Rotate(30)": "000000de082dde082d183d6200254a355a7fa4c9eed90328c1e610f62045f62045000000",
    "Rotate(-45, fill_value=7)": "c1e610c1e6106f94b907070787acd1355a7fa4c9ee52779c0707076a8fb4183d62183d62",
    "RandomColorAdjust(brightness=(1.3, 1.3))": "00306090c0f0ff0a3a6b9bcbfbff154575a5d5ffff1f4f7fb0e0ffff2a5a8abaeaff0434",
    "RandomRotation((60, 60))": "000000de082d183d62d903286f94b9355a7fa4c9ee6a8fb400254ac1e610f62045000000",
}


@pytest.mark.parametrize("made", GOLDEN)
def test_as_mindspore(made):
    """Within one where MindSpore rounds a number that ends in a half the other way."""
    wanted = np.frombuffer(bytes.fromhex(GOLDEN[made]), np.uint8).reshape(IMAGE.shape)
    before = IMAGE.copy()
    found = eval("vision." + made, {"vision": vision})(IMAGE)
    assert found.dtype == np.uint8 and (before == IMAGE).all()
    apart = np.abs(found.astype(int) - wanted.astype(int))
    assert apart.max() <= (1 if "Saturation" in made or "Contrast" in made else 0), apart


def test_random_colours_are_within_their_ranges():
    adjust = vision.RandomColorAdjust(brightness=0.5, saturation=(0.0, 2.0))
    found = np.array([adjust(np.full((1, 1, 3), 100, np.uint8))[0, 0, 0] for _ in range(40)])
    assert found.min() >= 50 and found.max() <= 150 and len({*found.tolist()}) > 5


@pytest.mark.parametrize(
    "call, kind, words",
    [
        (lambda: vision.AdjustBrightness(-1.0), ValueError, "'brightness_factor'"),
        (lambda: vision.AdjustContrast("1"), TypeError, "'contrast_factor'"),
        (
            lambda: vision.AdjustSaturation(1.0)(IMAGE[..., 0]),
            TypeError,
            "uint8, .height, width, 3.",
        ),
        (lambda: vision.Posterize(4)(IMAGE / 255), TypeError, "before Rescale, Normalize"),
        (lambda: vision.Posterize(9), ValueError, "'bits'"),
        (lambda: vision.Solarize((200, 100)), ValueError, "begins at 200"),
        (lambda: vision.Solarize((1, 2, 3)), TypeError, "'threshold'"),
        (
            lambda: vision.RandomColorAdjust(contrast=(2, 1)),
            ValueError,
            "a range from 2.* is empty",
        ),
        (lambda: vision.RandomColorAdjust(saturation="a"), TypeError, "'saturation'"),
        (lambda: vision.Rotate(90, fill_value=256), ValueError, "'fill_value'"),
        (lambda: vision.RandomRotation((1, 2, 3)), TypeError, "'degrees'"),
        (lambda: vision.RandomRotation(-1), ValueError, "'degrees'"),
    ],
)
def test_mistakes(call, kind, words):
    with pytest.raises(kind, match=words):
        call()
