"""The conservation laws of an equation: the JSON of `lieapp laws`.

Expressions are strings in SymPy's syntax; beside each stands how it is shown, `<key>_shown`.
"""

from __future__ import annotations

from typing import Literal

import msgspec
from msgspec import UNSET, UnsetType

from lieapp.document import Formula
from lieapp.results.base import Result
from lieapp.results.truth import CertificateResult


class LawResult(msgspec.Struct, kw_only=True):
    """D_t T + Σ Dᵢ Xⁱ = 0 on solutions; see `lie.beyond.laws.Law`.

    Args:
        multiplier: Λ for each equation as it was given.
        density: T; null where no closed form was found, and then `flux` too.
        flux: X for each variable but the one in which the density is conserved.
        order: differential order of the multiplier.
        proved: the Euler operator annihilates Λ·Δ, and the divergence vanishes on solutions, both exactly.
        symmetry: the point symmetry whose characteristic is the multiplier, where there is a Lagrangian (Noether).
        drift: of the total ∫ T dx along trajectories of files, the largest change since their first time, relative
            to ∫ |T| dx; null where it doesn't apply.
        values: the total along the first trajectory, relative too.
        functions: arbitrary functions of a family, with their arguments; `conditions` on them, `= 0` understood.
    """

    multiplier: list[str]
    density: str | None
    flux: dict[str, str] | None
    order: int
    proved: bool
    symmetry: dict[str, str] | None = None
    drift: float | None = None
    values: list[float | None] = []
    functions: dict[str, list[str]] = {}
    conditions: list[str] = []
    multiplier_shown: list[Formula] = []
    density_shown: Formula | None = None
    symmetry_shown: Formula | None = None
    flux_shown: list[Formula] = []
    functions_shown: list[Formula] = []
    conditions_shown: list[Formula] = []


class ActionResult(msgspec.Struct, kw_only=True):
    """What a symmetry makes of each law: coefficients in the laws, null for one that isn't among them."""

    characteristic: list[str]
    images: list[list[str] | None]
    characteristic_shown: list[Formula] = []


class LawsResult(Result, tag_field="result", tag="laws", kw_only=True):
    """The conservation laws with multipliers up to an order; see `lie.beyond.laws.Laws`.

    Args:
        laws: a basis modulo the families.
        families: laws with arbitrary functions.
        variable: the one in which densities are conserved.
        general: whether multipliers were any functions, not polynomials alone.
        unsolved: what is missing; there may be more laws then.
        lagrangian: there if the linearised equation is self-adjoint.
        actions: what symmetries make of the laws; left out unless asked for.
        time, trajectories: of the files whose totals are told; empty and 0 without files.
        misfit: what those data leave of the equation, relative to their change in time.
        left_out: what was asked for and isn't told, in words; the laws are complete all the same.
        generating: laws, counted from 0, from which the symmetries make all; null if that isn't known.
    """

    laws: list[LawResult]
    families: list[LawResult]
    variable: str
    order: int
    sought: str = msgspec.field(name="class")
    certified: bool
    certificate: CertificateResult
    unsolved: list[str]
    assumed_nonzero: list[str]
    lagrangian: str | None
    seconds: float
    actions: list[ActionResult] | UnsetType = UNSET
    generating: list[int] | UnsetType | None = UNSET
    time: list[float] = []
    trajectories: int = 0
    misfit: float | None = None
    general: bool = True
    left_out: str = ""
    equation_shown: list[Formula]
    assumed_nonzero_shown: list[Formula] = []
    lagrangian_shown: Formula | None = None

    @property
    def level(self) -> Literal["success", "info"]:
        """Success if all laws of the class are there."""
        return "success" if self.certified else "info"
