"""Loops for operations that are written with them. They are of a layer above this one, which fills them in."""

from __future__ import annotations

from typing import Any

ForiLoop: Any
WhileLoop: Any
