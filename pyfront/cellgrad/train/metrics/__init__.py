"""Metrics: computed over the batches of an evaluation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cellgrad.core.arguments import argument_error
from cellgrad.core.errors import error
from cellgrad.train.metrics.classification import (
    F1,
    Accuracy,
    ConfusionMatrix,
    ConfusionMatrixMetric,
    Fbeta,
    Precision,
    Recall,
    Top1CategoricalAccuracy,
    Top5CategoricalAccuracy,
    TopKCategoricalAccuracy,
)
from cellgrad.train.metrics.metric import Metric, rearrange_inputs
from cellgrad.train.metrics.rankings import ROC, BleuScore, OcclusionSensitivity, auc
from cellgrad.train.metrics.surfaces import (
    HausdorffDistance,
    MeanSurfaceDistance,
    RootMeanSquareDistance,
)
from cellgrad.train.metrics.values import MAE, MSE, CosineSimilarity, Dice, Loss, Perplexity

__all__ = [
    "F1",
    "MAE",
    "MSE",
    "ROC",
    "Accuracy",
    "BleuScore",
    "ConfusionMatrix",
    "ConfusionMatrixMetric",
    "CosineSimilarity",
    "Dice",
    "Fbeta",
    "HausdorffDistance",
    "Loss",
    "MeanSurfaceDistance",
    "Metric",
    "OcclusionSensitivity",
    "Perplexity",
    "Precision",
    "Recall",
    "RootMeanSquareDistance",
    "Top1CategoricalAccuracy",
    "Top5CategoricalAccuracy",
    "TopKCategoricalAccuracy",
    "auc",
    "get_metric_fn",
    "get_metrics",
    "names",
    "rearrange_inputs",
]

_FACTORY: dict[str, Callable[..., Any]] = {
    "accuracy": Accuracy,
    "acc": Accuracy,
    "precision": Precision,
    "recall": Recall,
    "F1": F1,
    "dice": Dice,
    "cosine_similarity": CosineSimilarity,
    "topk": TopKCategoricalAccuracy,
    "top_1_accuracy": Top1CategoricalAccuracy,
    "top_5_accuracy": Top5CategoricalAccuracy,
    "mae": MAE,
    "mse": MSE,
    "loss": Loss,
    "perplexity": Perplexity,
    "roc": ROC,
    "auc": auc,
    "bleu_score": BleuScore,
    "hausdorff_distance": HausdorffDistance,
    "mean_surface_distance": MeanSurfaceDistance,
    "root_mean_square_distance": RootMeanSquareDistance,
    "occlusion_sensitivity": OcclusionSensitivity,
    "confusion_matrix": ConfusionMatrix,
    "confusion_matrix_metric": ConfusionMatrixMetric,
}


def names() -> list[str]:
    """The names of metrics, sorted, and of the function "auc".

    >>> ms.train.names()[:4]
    ['F1', 'acc', 'accuracy', 'auc']
    """
    return sorted(_FACTORY)


def get_metric_fn(name: str, *args: object, **kwargs: object) -> Metric:
    """The metric of a name, made with further arguments; of "auc", the area under the curve that they are.

    Raises:
        KeyError: an unknown name.

    >>> metric = ms.train.get_metric_fn("accuracy")
    >>> isinstance(metric, ms.train.Accuracy)
    True
    """
    if name not in _FACTORY:
        raise error(KeyError, f"Unsupport metric {name}: it must be in {names()}.")
    return _FACTORY[name](*args, **kwargs)  # type: ignore[no-any-return]  # "auc" is no class


def get_metrics(metrics: object) -> dict[str, Metric] | None:
    """The metrics of a set of names, by name; a dict of metrics, or None, as it is.

    Raises:
        TypeError: something else.
        KeyError: an unknown name.

    >>> print(list(nn.get_metrics({"accuracy"})))
    ['accuracy']
    """
    if metrics is None:
        return None
    if isinstance(metrics, dict):
        for name, metric in metrics.items():
            if not isinstance(name, str) or not isinstance(metric, Metric):
                kinds = f"{type(name).__name__}: {type(metric).__name__}"
                raise error(
                    TypeError,
                    f"For 'get_metrics', a dict must have metrics by name, but got {kinds}.",
                )
        return metrics
    if isinstance(metrics, set):
        return {name: get_metric_fn(name) for name in metrics}
    raise argument_error(
        TypeError, "get_metrics", "metrics", "None, a set of names or a dict", metrics
    )
