"""What `lieapp discover --laws` found: densities whose totals along trajectories are constant."""

from __future__ import annotations

import msgspec

from lieapp.document import Formula
from lieapp.results.from_data import FoundVerdict, FromData


class LawFound(msgspec.Struct, kw_only=True):
    """One conservation law D_t T + Σ D_i Xⁱ = 0, or a density whose total hardly changes.

    Args:
        density: T; exact numbers where it is proved, else rounded ones.
        flux: Xⁱ for each axis of space, of a proved law; empty where it wasn't found in closed form.
        multiplier: E_a(T) for each equation, of a proved law.
        order: of the highest derivative in the density.
        proved: whether E_b(D_t T) = 0 on solutions, exactly, for every unknown.
        verdict: `undecided` where the data don't tell and nothing is proved; `approximate` where the whole class is
            known to hold no further law, so that the total only changes little.
        eta: root of the quotient of variances on the training trajectories; on an open axis, the share of the
            change of the density that no flux explains.
        drift: largest change of the total along a held-out trajectory, relative to the sizes of its terms; on an
            open axis, of what a window holds and what has flown out of it.
        values: the total along the first held-out trajectory, relative to its terms' sizes.
    """

    density: str
    shown: Formula
    flux: dict[str, str] = {}
    flux_shown: list[Formula] = []
    multiplier: list[str] = []
    order: int
    proved: bool
    verdict: FoundVerdict
    eta: float | None
    drift: float | None
    values: list[float | None] = []


class SameTotal(msgspec.Struct, kw_only=True):
    """A density whose total is the same on all data, so that these can't show whether it is conserved.

    Args:
        value: of the total; None on an open axis, where totals don't change in any window.
        proved: whether it is conserved by the equation, exactly; None if that isn't known.
    """

    density: str
    shown: Formula
    value: float | None
    proved: bool | None


class Unconserved(msgspec.Struct, kw_only=True):
    """A density whose total changes, for comparison in the figure; as in `LawFound`."""

    density: str
    shown: Formula
    drift: float | None
    values: list[float | None]


class LawsFromData(FromData, tag_field="result", tag="laws_from_data", kw_only=True):
    """Conservation laws found in trajectories.

    Args:
        laws: proved ones first.
        same: what is the same on all data; `same_directions`: of how many independent combinations that is so.
        flux_terms: how many terms of fluxes were tried with densities on an open axis; None where all are periodic.
        trajectories, held_out: how many were used.
        time: of `values` of laws; `unconserved`: a density for comparison.
    """

    method: str = "laws"
    laws: list[LawFound] = []
    same: list[SameTotal] = []
    same_directions: int = 0
    flux_terms: int | None = None
    trajectories: int = 0
    held_out: int = 0
    time: list[float] = []
    unconserved: Unconserved | None = None

    def formulas(self) -> list[Formula]:
        return [law.shown for law in self.laws if law.proved]

    def etas(self) -> list[float | None]:
        return [law.eta for law in self.laws]
