"""Writes `mindspore.ckpt`, a checkpoint of every dtype, by MindSpore 2.10.

python -m venv /tmp/mindspore && /tmp/mindspore/bin/pip install mindspore==2.10.0 'numpy<2'
/tmp/mindspore/bin/python test/python/checkpoints/record.py
"""

from pathlib import Path

import mindspore as ms
import numpy as np

DTYPES = [
    "bool_",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "float16",
    "bfloat16",
    "float32",
    "float64",
]


def main() -> None:
    parameters = [
        ms.Parameter(ms.Tensor([[1, 0, 2], [3, 4, 100]], getattr(ms, d)), name=f"body.{d}")
        for d in DTYPES
    ]
    parameters.append(ms.Parameter(ms.Tensor(np.array([np.nan, np.inf, -0.0])), name="special"))
    ms.save_checkpoint(
        parameters,
        str(Path(__file__).with_name("mindspore.ckpt")),
        append_dict={"epoch": 3, "lr": 0.5, "done": True, "note": "größer"},
        crc_check=True,
    )


if __name__ == "__main__":
    main()
