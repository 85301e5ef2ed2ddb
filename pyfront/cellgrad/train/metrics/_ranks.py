"""Metrics over the batches of all ranks."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np

from cellgrad.core import dtype as mstype
from cellgrad.core import ranks
from cellgrad.core.tensor import Tensor
from cellgrad.ops.collectives import all_gather
from cellgrad.train.metrics.metric import Metric


def merge_over_ranks(metrics: dict[str, Metric]) -> None:
    """Lets metrics have what those of the other ranks have seen. All ranks call this together."""
    states = {
        name: {key: getattr(metric, key) for key in metric.merged}
        for name, metric in metrics.items()
    }
    everyone = _of_all(states)
    for name, metric in metrics.items():
        if metric.merged:
            metric.merge([each[name] for each in everyone])


def _of_all(value: Any) -> list[Any]:
    """What each rank gives, in their order."""
    own = np.frombuffer(pickle.dumps(value), np.int8)
    lengths = all_gather(Tensor(np.array([own.size]), mstype.int64)).asnumpy()
    padded = np.zeros((1, int(lengths.max())), np.int8)
    padded[0, : own.size] = own
    rows = all_gather(Tensor(padded, mstype.int8)).asnumpy()
    return [pickle.loads(rows[r, : lengths[r]].tobytes()) for r in range(ranks.size())]
