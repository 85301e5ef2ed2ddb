"""Optimizers as Cells."""

from cellgrad.nn.optim.adafactor import AdaFactor
from cellgrad.nn.optim.adam import Adam, AdaMax, AdamOffload, AdamWeightDecay, Lamb, LazyAdam
from cellgrad.nn.optim.adaptive import FTRL, Adadelta, Adagrad, ProximalAdagrad, RMSProp
from cellgrad.nn.optim.descent import ASGD, SGD, Momentum, Rprop
from cellgrad.nn.optim.layerwise import LARS
from cellgrad.nn.optim.lbfgs import LBFGS
from cellgrad.nn.optim.optimizer import Optimizer

__all__ = [
    "ASGD",
    "FTRL",
    "LARS",
    "LBFGS",
    "SGD",
    "AdaFactor",
    "AdaMax",
    "Adadelta",
    "Adagrad",
    "Adam",
    "AdamOffload",
    "AdamWeightDecay",
    "Lamb",
    "LazyAdam",
    "Momentum",
    "Optimizer",
    "ProximalAdagrad",
    "RMSProp",
    "Rprop",
]
