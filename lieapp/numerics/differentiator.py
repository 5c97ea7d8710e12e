"""The differentiators of moved data by name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lieapp.numerics.bilinear import Bilinear
from lieapp.numerics.curvilinear import Curvilinear
from lieapp.numerics.grid import Grid
from lieapp.numerics.moved import MovedDifferentiator, MultiIndex
from lieapp.numerics.weno import WENO

DIFFERENTIATORS: dict[str, type] = {"weno": WENO, "curvilinear": Curvilinear, "bilinear": Bilinear}


def differentiator(name: str, grid: Grid, orders: Sequence[MultiIndex], **options: Any) -> MovedDifferentiator:
    """The differentiator of that name for these orders.

    Args:
        name: weno, curvilinear or bilinear.
        grid: the unmoved nodes, time first.
        orders: the derivatives to make, multi-indices over all axes.
        options: weno takes extra; curvilinear and bilinear accuracy.

    Raises what the differentiator itself raises.
    """
    return DIFFERENTIATORS[name](grid, orders, **options)
