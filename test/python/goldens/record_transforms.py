"""Records results of MindSpore's data set transforms (2.10) into transforms.json.

    /tmp/mindspore/bin/python test/python/goldens/record_transforms.py

For each expression the dtype, the shape, the first elements, and the sum of the elements weighted by
cos(0), cos(1), ...
"""

import json
from pathlib import Path

import mindspore as ms
import mindspore.dataset.transforms as T
import mindspore.dataset.vision as V
import numpy as np

OUT = Path(__file__).with_name("transforms.json")
IMAGE = np.random.default_rng(0).integers(0, 256, (9, 7, 3)).astype(np.uint8)
NAMES = {
    "ms": ms,
    "np": np,
    "T": T,
    "V": V,
    "img": IMAGE,
    "chw": np.ascontiguousarray(IMAGE.transpose(2, 0, 1)),
    "g": np.arange(12).reshape(3, 4).astype(np.float32),
}
CASES = [
    "T.TypeCast(ms.int32)(g)",
    "T.TypeCast('int32')(g)",
    "T.TypeCast(np.float64)(g)",
    "T.OneHot(4)(np.array(2))",
    "T.OneHot(4)(np.array([1, 2]))",
    "T.OneHot(4, 0.1)(np.array(3))",
    "T.Fill(3)(g)",
    "T.Slice(slice(0, 2))(np.arange(5))",
    "T.Slice([0, 2])(np.arange(5))",
    "T.Slice(1)(np.arange(5))",
    "T.Mask(T.Relational.GE, 3)(g)",
    "T.PadEnd([5], 7)(np.arange(3))",
    "T.PadEnd([2, 6], 0)(g)",
    "T.Concatenate(0, np.array([9, 9]), np.array([8]))(np.arange(3))",
    "T.Compose([T.TypeCast(ms.int32), T.Fill(2)])(g)",
    "T.Compose([lambda x: x + 1, T.TypeCast(ms.float16)])(g)",
    "T.RandomApply([lambda x: x + 1], prob=1.0)(g)",
    "T.RandomChoice([lambda x: x + 1])(g)",
    "V.Rescale(1 / 255, 0)(img)",
    "V.Rescale(2.0, -1.0)(g)",
    "V.Normalize(mean=(0.1307,), std=(0.3081,))(g)",
    "V.Normalize([1, 2, 3], [4, 5, 6])(img)",
    "V.Normalize([1, 2, 3], [4, 5, 6], is_hwc=False)(chw)",
    "V.Normalize([0.5], [0.5])(img)",
    "V.HWC2CHW()(img)",
    "V.HWC2CHW()(g)",
    "V.ToTensor()(img)",
    "V.ToTensor()(img[:, :, 0].copy())",
    "V.ToTensor(np.float16)(img)",
    "V.ToType(np.float32)(img)",
    "V.CenterCrop(3)(img)",
    "V.CenterCrop((2, 5))(img)",
    "V.CenterCrop((10, 4))(img)",
    "V.CenterCrop(12)(img)",
    "V.Crop((1, 2), (2, 3))(img)",
    "V.HorizontalFlip()(img)",
    "V.VerticalFlip()(img)",
    "V.RandomHorizontalFlip(1.0)(img)",
    "V.RandomHorizontalFlip(0.0)(img)",
    "V.RandomVerticalFlip(1.0)(img)",
    "V.Pad(1)(img)",
    "V.Pad((1, 2))(img)",
    "V.Pad((1, 2, 3, 4), 5)(img)",
    "V.Pad(1, (1, 2, 3))(img)",
    "V.Pad(2, padding_mode=V.Border.REFLECT)(img)",
    "V.Pad(2, padding_mode=V.Border.EDGE)(img)",
    "V.Pad(2, padding_mode=V.Border.SYMMETRIC)(img)",
    "V.Invert()(img)",
    "V.RandomCrop((9, 7))(img)",
    "V.RandomCrop((11, 9), 1)(img)",
    "V.Resize((18, 14))(img)",
    "V.Resize((5, 4))(img)",
    "V.Resize(20)(img)",
    "V.Resize((20, 9))(img)",
    "V.Resize((4, 16))(img)",
    "V.Resize((31, 33))(img[:, :, 0].copy())",
    "V.Resize((8, 8))(g)",
    "V.Resize((10, 12), V.Inter.NEAREST)(img)",
    "V.Resize((3, 2), V.Inter.NEAREST)(img)",
]


def entry(call: str) -> dict:
    got = np.asarray(eval(call, dict(NAMES)))
    flat = got.astype(np.float64).ravel()
    return {
        "dtype": str(got.dtype),
        "shape": list(got.shape),
        "sum": float((flat * np.cos(np.arange(flat.size))).sum()),
        "first": flat[:4].tolist(),
    }


if __name__ == "__main__":
    OUT.write_text(json.dumps({call: entry(call) for call in CASES}, indent=0) + "\n")
