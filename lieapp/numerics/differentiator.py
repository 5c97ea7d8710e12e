"""The differentiators of moved data by name."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any

from lieapp.errors import ConfigError
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
        options: weno takes extra, chunk, recompute; curvilinear accuracy, padding; bilinear accuracy.

    Raises ConfigError on an unknown name or option, and what the differentiator itself raises.
    """
    if name not in DIFFERENTIATORS:
        raise ConfigError(f"no differentiator is called {name!r}.", hint=f"Choose {', '.join(DIFFERENTIATORS)}.")
    made = DIFFERENTIATORS[name]
    parameters = inspect.signature(made).parameters.values()
    known = [p.name for p in parameters if p.kind is p.KEYWORD_ONLY]
    for option in options:
        if option not in known:
            raise ConfigError(f"{name} has no option {option!r}.", hint=f"It takes {', '.join(known)}.")
    return made(grid, orders, **options)
