"""Primitives by which a network of MindSpore's hands values to its summary files."""

from __future__ import annotations

from cellgrad.core.arguments import argument_error, check_instance
from cellgrad.core.notices import warn_once
from cellgrad.core.record import check_tensor
from cellgrad.core.tensor import Tensor
from cellgrad.ops._elementwise import Primitive

__all__ = ["HistogramSummary", "ImageSummary", "ScalarSummary", "TensorSummary"]


class _Summary(Primitive):
    least, most = 1, 99  # dimensions of what is handed on

    def __call__(self, name: str, value: Tensor) -> None:
        if not check_instance(name, self.name, "name", str):
            raise argument_error(ValueError, self.name, "name", "a string with letters", name)
        if not self.least <= check_tensor(value, self.name, "value").ndim <= self.most:
            words = f"{self.least} dimensions"
            if self.most > self.least:
                words = (
                    f"{self.least} to {self.most} dimensions"
                    if self.most < 99
                    else f"{words} or more"
                )
            raise argument_error(ValueError, self.name, "value", f"a Tensor with {words}", value)
        warn_once(
            ("summary", self.name),
            f"'{self.name}' writes nothing: MindSpore's summary files are for MindInsight.",
            "give the value to train.SummaryRecord.add_value, which writes TensorBoard's files",
        )


class ScalarSummary(_Summary):
    """Takes a name and a Tensor with at most one dimension, and writes nothing; a warning says so once.

    Raises:
        TypeError: `name` is no string, `value` no Tensor.
        ValueError: an empty name, or more dimensions.

    >>> import warnings
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     print(ops.ScalarSummary()("loss", Tensor(1.0)))
    None
    """

    least, most = 0, 1


class ImageSummary(_Summary):
    """As `ScalarSummary`, of a Tensor with four dimensions.

    >>> import warnings
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     print(ops.ImageSummary()("image", ops.zeros((1, 3, 4, 4))))
    None
    """

    least, most = 4, 4


class TensorSummary(_Summary):
    """As `ScalarSummary`, of a Tensor with one dimension or more.

    >>> import warnings
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     print(ops.TensorSummary()("weights", ops.zeros((2, 3))))
    None
    """


class HistogramSummary(_Summary):
    """As `ScalarSummary`, of a Tensor with one dimension or more.

    >>> import warnings
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     print(ops.HistogramSummary()("weights", ops.zeros((2, 3))))
    None
    """
