"""Derivatives as Cells."""

from cellgrad.nn.grad.cell_grad import Jvp, Vjp

__all__ = ["Jvp", "Vjp"]
