"""Data sets: rows of named columns, shuffled, mapped, batched and repeated as they are read."""

from cellgrad.dataset import config, transforms, vision
from cellgrad.dataset.images import MnistDataset
from cellgrad.dataset.pipeline import BatchInfo, Dataset, zip
from cellgrad.dataset.sources import GeneratorDataset, NumpySlicesDataset

__all__ = [
    "BatchInfo",
    "Dataset",
    "GeneratorDataset",
    "MnistDataset",
    "NumpySlicesDataset",
    "config",
    "transforms",
    "vision",
    "zip",
]
