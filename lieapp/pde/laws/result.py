"""Laws found in trajectories as a result: formulas, fluxes, drift, and what can't be judged."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import sympy as sp
import torch
from jaxtyping import Float
from torch import Tensor

from lieapp.document import Formula
from lieapp.equations.printing import sum_of
from lieapp.methods.verdict import gap_after
from lieapp.pde.beyond.agreement import angle, visible
from lieapp.pde.beyond.quotient import NOTHING, Quotient, directions
from lieapp.pde.beyond.readings import Combination
from lieapp.pde.domain import PDEDomain
from lieapp.pde.laws.densities import Class, Density
from lieapp.pde.laws.document import sentence
from lieapp.pde.laws.fluxes import fluxes, multipliers
from lieapp.pde.laws.totals import Totals
from lieapp.pde.laws.written import Law, Proof
from lieapp.results.conserved import LawFound, LawsFromData, LawVerdict, SameTotal, Unconserved
from lieapp.results.discovery import Spectrum

Terms = Sequence[tuple[Density, sp.Expr]]


@dataclass(frozen=True)
class Found:
    """All that is known of the laws of one equation.

    Args:
        quotient: of the totals on the trajectories that laws were found on.
        laws: each law with the combination it was read from.
        known: a basis of the conserved combinations by the exact condition; None if it can't be had.
        learn, judge: totals on the trajectories that laws were found on, and on held-out ones.
    """

    domain: PDEDomain
    tried: Class
    quotient: Quotient
    laws: list[tuple[Combination, Law]]
    proof: Proof
    known: list[list[sp.Rational]] | None
    learn: list[Totals]
    judge: list[Totals]

    def expression(self, terms: Terms) -> sp.Expr:
        """A density in jet symbols."""
        jets = self.domain.evolution.jets
        return sp.Add(*(c * density.expression(jets) for density, c in terms))

    def shown(self, terms: Terms) -> Formula:
        """A density for readers, terms in the order of the class."""
        return sum_of([c * density.expression(self.domain.evolution.jets) for density, c in terms])

    def along(self, terms: Terms) -> list[Float[Tensor, "sample time"]]:
        """The total on held-out trajectories, relative to the sizes of its terms there."""
        places = [self.tried.densities.index(density) for density, _ in terms]
        c = torch.tensor([float(value) for _, value in terms], dtype=torch.float64)
        return [
            (piece.values[..., places] @ c) / (piece.sizes[:, places] @ c.abs())[:, None]
            for piece in self.judge
        ]


def result_of(found: Found) -> LawsFromData:
    """Everything but how the run was made."""
    domain, ordered = found.domain, directions(found.quotient)
    laws = sorted((_law(found, law) for _, law in found.laws), key=lambda law: not law.proved)
    same = _same(found)
    result = LawsFromData(
        title=domain.declaration.title,
        count=sum(law.proved for law in laws),
        laws=laws,
        same=same,
        same_directions=ordered.nothing,
        spectrum=Spectrum(
            method="quotient of variances", eta=ordered.eta.tolist(), gap_after=gap_after(ordered.eta.tolist())
        ),
        candidates=[str(density.expression(domain.evolution.jets)) for density in found.tried.densities],
        weight=found.tried.weight,
        unknown_weight=found.tried.unknown_weight,
        order=found.tried.order,
        derived=None if found.known is None else len(found.known),
        angle=angle(found.quotient, [one for one, _ in found.laws], found.known or []),
        time=found.judge[0].time.tolist(),
        unconserved=_unconserved(found),
        equation_shown=domain.shown(),
        fitted=domain.declaration.fitted,
    )
    result.sentence = sentence(result)
    return result


def _law(found: Found, law: Law) -> LawFound:
    evolution, density = found.domain.evolution, found.expression(law.terms)
    values = found.along(law.terms)
    made = LawFound(
        density=str(density),
        shown=found.shown(law.terms),
        order=law.order,
        proved=law.proved and not found.domain.fitted,
        verdict=_verdict(found, law),
        eta=law.eta,
        drift=_drift(values),
        values=values[0][0].tolist(),
    )
    if made.proved:
        made.flux = {axis: str(flux) for axis, flux in fluxes(evolution, density).items()}
        made.multiplier = [str(one) for one in multipliers(evolution, density)]
    return made


def _verdict(found: Found, law: Law) -> LawVerdict:
    """An unproved one only hardly changes where all laws of the class are proved."""
    if found.domain.fitted:
        return "undecided"
    if law.proved:
        return "proved"
    proved = sum(one.proved for _, one in found.laws)
    # those that are the same on all data are no candidates
    conserved = len(visible(found.quotient, found.known or []))
    return "approximate" if found.known is not None and proved == conserved else "undecided"


def _same(found: Found) -> list[SameTotal]:
    """Densities that have one total on all data."""
    spread = torch.linalg.vector_norm(found.quotient.below, dim=0)
    rows = []
    for k in torch.nonzero(spread <= NOTHING).flatten().tolist():
        terms = [(found.tried.densities[k], sp.S.One)]
        value = float(torch.cat([piece.values[..., k].flatten() for piece in found.learn]).mean())
        size = float(found.quotient.sizes[k])
        rows.append(SameTotal(
            density=str(found.expression(terms)),
            shown=found.shown(terms),
            value=value if abs(value) > NOTHING * size else 0.0,
            proved=None if found.domain.fitted else found.proof.holds([k], [sp.S.One]),
        ))  # fmt: skip
    return rows


def _unconserved(found: Found) -> Unconserved | None:
    """The first density whose total changes much along the held-out trajectories."""
    for density in found.tried.densities:
        values = found.along([(density, sp.S.One)])
        drift = _drift(values)
        if drift is not None and drift > VISIBLE:
            terms = [(density, sp.S.One)]
            return Unconserved(
                density=str(found.expression(terms)), shown=found.shown(terms), drift=drift,
                values=values[0][0].tolist(),
            )  # fmt: skip
    return None


VISIBLE = 0.05
"""Drift of a density that is shown as one that isn't conserved."""


def _drift(values: Sequence[Float[Tensor, "sample time"]]) -> float | None:
    """The largest change since the first time on any trajectory."""
    largest = max(float((piece - piece[:, :1]).abs().max()) for piece in values)
    return largest if math.isfinite(largest) else None
