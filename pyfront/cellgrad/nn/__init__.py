"""Cells: the base class, layers, containers and losses."""

__path__ = __import__("pkgutil").extend_path(__path__, __name__)

import importlib
import sys
from typing import Any

from cellgrad.core import absent
from cellgrad.core.errors import error
from cellgrad.nn import _forms, dynamic_lr, learning_rate_schedule
from cellgrad.nn._forms import *  # noqa: F403
from cellgrad.nn.activations import GELU, Hardtanh, PReLU
from cellgrad.nn.attention import *  # noqa: F403
from cellgrad.nn.attention import __all__ as _attention
from cellgrad.nn.cell import Cell
from cellgrad.nn.channels import *  # noqa: F403
from cellgrad.nn.channels import __all__ as _channels
from cellgrad.nn.containers import CellDict, CellList, SequentialCell
from cellgrad.nn.convolutions import *  # noqa: F403
from cellgrad.nn.convolutions import __all__ as _convolutions
from cellgrad.nn.dropout import *  # noqa: F403
from cellgrad.nn.dropout import __all__ as _dropout
from cellgrad.nn.dynamic_lr import *  # noqa: F403
from cellgrad.nn.grad import Jvp, Vjp
from cellgrad.nn.graph_cell import GraphCell
from cellgrad.nn.images import *  # noqa: F403
from cellgrad.nn.images import __all__ as _images
from cellgrad.nn.layers import Dense, Linear, Softmax2d, get_activation
from cellgrad.nn.learning_rate_schedule import *  # noqa: F403
from cellgrad.nn.loss import *  # noqa: F403
from cellgrad.nn.loss import __all__ as _losses
from cellgrad.nn.norm_pooling import *  # noqa: F403
from cellgrad.nn.norm_pooling import __all__ as _norm_poolings
from cellgrad.nn.normalization import *  # noqa: F403
from cellgrad.nn.normalization import __all__ as _normalization
from cellgrad.nn.older import *  # noqa: F403
from cellgrad.nn.older import __all__ as _older
from cellgrad.nn.optim import *  # noqa: F403
from cellgrad.nn.optim import __all__ as _optimizers
from cellgrad.nn.pooling import *  # noqa: F403
from cellgrad.nn.pooling import __all__ as _poolings
from cellgrad.nn.recurrent import GRUCell, LSTMCell, RNNCell
from cellgrad.nn.recurrent_layers import GRU, LSTM, RNN
from cellgrad.nn.tables import *  # noqa: F403
from cellgrad.nn.tables import __all__ as _tables
from cellgrad.nn.wrap import *  # noqa: F403
from cellgrad.nn.wrap import __all__ as _wrappers

__all__ = [
    *_forms.__all__,
    *_channels,
    *_convolutions,
    *_dropout,
    *_attention,
    *_images,
    *_losses,
    *_older,
    *_optimizers,
    *_tables,
    *_norm_poolings,
    *_poolings,
    *_wrappers,
    *dynamic_lr.__all__,
    *learning_rate_schedule.__all__,
    *_normalization,
    "GELU",
    "GRU",
    "GRUCell",
    "GraphCell",
    "Cell",
    "CellDict",
    "CellList",
    "Dense",
    "Hardtanh",
    "Jvp",
    "LSTM",
    "LSTMCell",
    "Linear",
    "PReLU",
    "RNN",
    "RNNCell",
    "SequentialCell",
    "Softmax2d",
    "Vjp",
    "get_activation",
]

# Names of other libraries, and what stands for them.
_ELSEWHERE = {
    "Module": "Cell",
    "ModuleList": "CellList",
    "Sequential": "SequentialCell",
    "ConvTranspose2d": "Conv2dTranspose",
}

_absent = absent.attributes(__name__)


def __getattr__(name: str) -> Any:
    """The metrics, which MindSpore has here, too, and `probability`, which is imported when it is used."""
    if name == "probability":
        return importlib.import_module("cellgrad.nn.probability")
    metrics = importlib.import_module("cellgrad.train.metrics")
    if name in metrics.__all__:
        return getattr(metrics, name)
    text = f"module 'cellgrad.nn' has no attribute '{name}'"
    if name in _ELSEWHERE:
        raise error(AttributeError, text, f"nn.{_ELSEWHERE[name]}")
    return _absent(name, sys._getframe(1))
