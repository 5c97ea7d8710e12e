"""What the results of searches beyond point symmetries share: the spectrum of a class and what is proved of it."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

from lieapp.document import Formula
from lieapp.results.base import Compared, Result
from lieapp.results.discovery import Spectrum
from lieapp.results.identification import Identification

FoundVerdict: TypeAlias = Literal["proved", "approximate", "undecided"]


class FromData(Result, kw_only=True):
    """Combinations of a class of monomials that data show.

    Args:
        count: how many of what was found is proved.
        spectrum: the quotient of every combination, and after how many the largest gap lies.
        candidates: what was tried.
        order, weight, unknown_weight: the class: highest order of a derivative, highest weight, weight of a factor.
        derived: how many the class holds by the exact condition; None if the equation isn't polynomial.
        angle: between the span found and what is derived, in radians.
        misfit, fitted, identified: as in `EquationResult`.
    """

    method: str = "spectrum"
    seconds: dict[str, float] = {}
    count: int = 0
    spectrum: Spectrum = msgspec.field(default_factory=Spectrum)
    candidates: list[str] = []
    order: int = 0
    weight: int = 0
    unknown_weight: int = 0
    derived: int | None = None
    angle: float | None = None
    equation_shown: list[Formula] = []
    misfit: float | None = None
    fitted: float | None = None
    identified: Identification | None = None

    @property
    def level(self) -> Literal["success", "info"]:
        """A success if something is proved."""
        return "success" if self.count else "info"

    def compared(self) -> Compared:
        """The proved formulas, and the quotient of all that was found."""
        return Compared(
            method=self.method, count=self.count, formulas=self.formulas(), angle=self.angle, etas=self.etas(),
            seconds=self.seconds,
        )  # fmt: skip

    def formulas(self) -> list[Formula]:
        """What is proved."""
        return []

    def etas(self) -> list[float | None]:
        """The quotient of all that was found."""
        return []
