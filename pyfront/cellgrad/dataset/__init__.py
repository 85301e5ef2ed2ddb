"""Data sets: rows of named columns, shuffled, mapped, batched and repeated as they are read."""

from cellgrad.dataset import config, text, transforms, vision
from cellgrad.dataset._text_files import Shuffle, TextFileDataset
from cellgrad.dataset.images import Cifar10Dataset, ImageFolderDataset, MnistDataset
from cellgrad.dataset.pipeline import BatchInfo, Dataset, zip
from cellgrad.dataset.samplers import (
    DistributedSampler,
    PKSampler,
    RandomSampler,
    Sampler,
    SequentialSampler,
    SubsetRandomSampler,
    SubsetSampler,
    WeightedRandomSampler,
)
from cellgrad.dataset.sources import GeneratorDataset, NumpySlicesDataset

__all__ = [
    "BatchInfo",
    "Cifar10Dataset",
    "Dataset",
    "DistributedSampler",
    "GeneratorDataset",
    "ImageFolderDataset",
    "MnistDataset",
    "NumpySlicesDataset",
    "PKSampler",
    "RandomSampler",
    "Sampler",
    "SequentialSampler",
    "Shuffle",
    "SubsetRandomSampler",
    "SubsetSampler",
    "TextFileDataset",
    "WeightedRandomSampler",
    "config",
    "text",
    "transforms",
    "vision",
    "zip",
]
