"""What data tell of totals: which hardly change, and how they run along held-out trajectories."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import sympy as sp
from jaxtyping import Float
from torch import Tensor

from lieapp.pde.beyond.quotient import Quotient
from lieapp.pde.laws.densities import Terms


@dataclass(frozen=True)
class Course:
    """A total along held-out trajectories, relative to the sizes of its terms.

    Args:
        values: along the first one.
        drift: the largest change since the first time on any; None if it isn't finite.
    """

    values: list[float]
    drift: float | None


@runtime_checkable
class Measured(Protocol):
    """Densities of a class on the data of one equation."""

    @property
    def quotient(self) -> Quotient:
        """Small for combinations whose total hardly changes but by what flows through ends."""
        ...

    @property
    def time(self) -> list[float]:
        """Of the values of courses."""
        ...

    def course(self, terms: Terms, flux: Mapping[str, sp.Expr]) -> Course:
        """The total of a combination.

        Args:
            flux: along each axis, if it is known.
        """
        ...

    def total(self, k: int) -> float | None:
        """The total of a density that is the same on all data; None where ends are open."""
        ...


def largest_change(values: Sequence[Float[Tensor, "sample time"]]) -> float | None:
    """Since the first time, on any trajectory; None if it isn't finite."""
    return finite(max(float((piece - piece[:, :1]).abs().max()) for piece in values))


def finite(value: float) -> float | None:
    """None for what isn't finite."""
    return value if math.isfinite(value) else None
