"""Cells: the base class, layers, containers and losses."""

from cellgrad.nn.cell import Cell
from cellgrad.nn.containers import CellList, SequentialCell
from cellgrad.nn.layers import Dense, ReLU, Sigmoid, Softmax, Tanh, get_activation
from cellgrad.nn.loss import LossBase, MSELoss

__all__ = [
    "Cell",
    "CellList",
    "Dense",
    "LossBase",
    "MSELoss",
    "ReLU",
    "SequentialCell",
    "Sigmoid",
    "Softmax",
    "Tanh",
    "get_activation",
]
