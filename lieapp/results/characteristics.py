"""What `lieapp discover --fields generalised` found: symmetries by their characteristics."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

from lieapp.document import Formula
from lieapp.results.base import Compared, Result
from lieapp.results.discovery import Spectrum
from lieapp.results.identification import Identification

SymmetryVerdict: TypeAlias = Literal["proved", "approximate", "undecided"]


class CharacteristicFound(msgspec.Struct, kw_only=True):
    """A symmetry u -> u + ε Q, or a characteristic whose residual is small.

    Args:
        characteristic: Qᵃ for each unknown; exact numbers where it is proved, else rounded ones.
        order: of the highest derivative in it.
        kind: whether it is that of a point or a contact symmetry, u_t replaced by the right side, or neither.
        proved: whether the linearised equations vanish on solutions, exactly.
        verdict: `undecided` where nothing is proved; `approximate` where the whole class is known to hold no
            further symmetry.
        s: how far a held-out solution is moved for the figure; None where there is none.
        moved: u + s Q of the first unknown there.
        eta: T rms(D_t Q - F'[u] Q) / rms(Q) on held-out data, T the length of the time window.
    """

    characteristic: dict[str, str]
    characteristic_shown: list[Formula]
    order: int
    kind: Literal["point", "contact", "generalised"]
    proved: bool
    verdict: SymmetryVerdict
    eta: float | None
    s: float | None = None
    moved: list[float] = []


class GeneralisedFromData(Result, tag_field="result", tag="generalised_from_data", kw_only=True):
    """Generalised symmetries found in data.

    Args:
        generalised: proved ones first; point symmetries are among them, marked.
        spectrum: η of every combination, and after how many the largest gap lies.
        candidates: the monomials that were tried, each in every unknown's component.
        order, weight, unknown_weight, powers: the class: highest order and weight of a monomial, weight of a
            factor, highest power of the evolution variable.
        learned: how many directions of a network's features a gap sets apart, formulas or not; None without a
            network.
        degree: with a network: highest number of factors of a monomial, powers of the evolution variable among
            them.
        derived: how many symmetries the class holds by the exact condition; None if the equation isn't polynomial.
        angle: between the span found and what is derived, in radians.
        axis, place, solution: the variable in space, its values, and the first unknown of the held-out solution
            that is moved; empty unless there is one periodic axis.
        kept: the highest Fourier mode along each axis that was kept; -1 where the axis isn't periodic.
        misfit, fitted, identified: as in `EquationResult`.
    """

    method: str = "spectrum"
    seconds: dict[str, float] = {}
    count: int = 0
    generalised: list[CharacteristicFound] = []
    spectrum: Spectrum = msgspec.field(default_factory=Spectrum)
    candidates: list[str] = []
    order: int = 0
    weight: int = 0
    unknown_weight: int = 0
    powers: int = 0
    learned: int | None = None
    degree: int | None = None
    derived: int | None = None
    angle: float | None = None
    axis: str = "x"
    place: list[float] = []
    solution: list[float] = []
    kept: list[int] = []
    equation_shown: list[Formula] = []
    misfit: float | None = None
    fitted: float | None = None
    identified: Identification | None = None

    @property
    def level(self) -> Literal["success", "info"]:
        """A success if a symmetry is proved."""
        return "success" if self.count else "info"

    def compared(self) -> Compared:
        shown = [row.characteristic_shown for row in self.generalised if row.proved]
        return Compared(
            method=self.method, count=self.count, formulas=[part for parts in shown for part in parts],
            angle=self.angle, etas=[row.eta for row in self.generalised], seconds=self.seconds,
        )  # fmt: skip
