"""What `lieapp discover --fields generalised` found: symmetries by their characteristics."""

from __future__ import annotations

from typing import Literal

import msgspec

from lieapp.document import Formula
from lieapp.results.from_data import FoundVerdict, FromData


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
    verdict: FoundVerdict
    eta: float | None
    s: float | None = None
    moved: list[float] = []


class GeneralisedFromData(FromData, tag_field="result", tag="generalised_from_data", kw_only=True):
    """Generalised symmetries found in data. Candidates are monomials, each in every unknown's component.

    Args:
        generalised: proved ones first; point symmetries are among them, marked.
        powers: the highest power of the evolution variable.
        learned: how many directions of a network's features a gap sets apart, formulas or not; None without a
            network.
        degree: with a network: highest number of factors of a monomial, powers of the evolution variable among
            them.
        axis, place, solution: the variable in space, its values, and the first unknown of the held-out solution
            that is moved; empty unless there is one periodic axis.
        kept: the highest Fourier mode along each axis that was kept; -1 where the axis isn't periodic.
    """

    generalised: list[CharacteristicFound] = []
    powers: int = 0
    learned: int | None = None
    degree: int | None = None
    axis: str = "x"
    place: list[float] = []
    solution: list[float] = []
    kept: list[int] = []

    def formulas(self) -> list[Formula]:
        return [part for row in self.generalised if row.proved for part in row.characteristic_shown]

    def etas(self) -> list[float | None]:
        return [row.eta for row in self.generalised]
