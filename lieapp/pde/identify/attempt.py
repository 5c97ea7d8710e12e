"""One try to find an equation: a left side u_t or u_tt for each unknown, and candidates."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import sympy as sp

from lieapp.lie.vector_field import Field
from lieapp.pde.identify.part import Drift, Measured, Part
from lieapp.pde.identify.restricted import restricted, untied
from lieapp.pde.identify.windows import Windows

SYMMETRY = "--symmetry"
"""Where errors say that fields were given."""


class Attempt:
    """All unknowns with one set of candidates.

    Args:
        order: of the left sides in time.
        fields: symmetries that the right sides keep.

    Raises UsageError as `restricted`.
    """

    def __init__(
        self, windows: Windows, candidates: Sequence[sp.Expr], order: int = 1, fields: Sequence[Field] = ()
    ) -> None:
        self.measured = found = Measured(windows, candidates, order)
        kept = restricted(fields, found.candidates, windows.jets, SYMMETRY) if fields else None
        self.parts = [Part(found, tied) for tied in kept or untied(len(found.lefts), len(found.names))]

    @property
    def error(self) -> float:
        """The largest of all unknowns."""
        return max(part.step.error for part in self.parts)

    @cached_property
    def failing(self) -> list[Part]:
        """Those whose change isn't explained."""
        return [part for part in self.parts if part.fails]

    @cached_property
    def inexpressible(self) -> bool:
        """Whether no short equation is made of the candidates, for no other reason that is seen."""
        others = self.drifting or any(part.hidden or part.apart() for part in self.parts)
        return bool(self.failing) and not others

    @cached_property
    def drifting(self) -> list[tuple[Part, Drift]]:
        """Those with a coefficient whose change in time explains their error; the one that changes most."""
        return [(part, drift) for part in self.parts if (drift := part.drift())]
