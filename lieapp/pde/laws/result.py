"""Laws found in trajectories as a result: formulas, fluxes, drift, and what can't be judged."""

from __future__ import annotations

from dataclasses import dataclass

import sympy as sp
import torch

from lieapp.document import Formula
from lieapp.equations.printing import sum_of
from lieapp.lie.beyond.told import component
from lieapp.methods.verdict import gap_after
from lieapp.pde.beyond.agreement import angle, visible
from lieapp.pde.beyond.quotient import NOTHING, Quotient, directions
from lieapp.pde.beyond.readings import Combination
from lieapp.pde.domain import PDEDomain
from lieapp.pde.laws.densities import Class, Terms
from lieapp.pde.laws.document import sentence
from lieapp.pde.laws.flux_terms import OpenClass
from lieapp.pde.laws.fluxes import fluxes, multipliers
from lieapp.pde.laws.measured import Measured
from lieapp.pde.laws.written import Law, Proof
from lieapp.results.conserved import LawFound, LawsFromData, SameTotal, Unconserved
from lieapp.results.discovery import Spectrum
from lieapp.results.from_data import FoundVerdict

VISIBLE = 0.05
"""Drift of a density that is shown as one that isn't conserved."""


@dataclass(frozen=True)
class Found:
    """All that is known of the laws of one equation.

    Args:
        measured: what the data tell of totals.
        laws: each law with the combination it was read from.
        known: a basis of the conserved combinations by the exact condition; None if it can't be had.
    """

    domain: PDEDomain
    tried: Class
    measured: Measured
    laws: list[tuple[Combination, Law]]
    proof: Proof
    known: list[list[sp.Rational]] | None

    @property
    def quotient(self) -> Quotient:
        """Of the totals on the trajectories that laws were found on."""
        return self.measured.quotient

    def expression(self, terms: Terms) -> sp.Expr:
        """A density in jet symbols."""
        jets = self.domain.evolution.jets
        return sp.Add(*(c * density.expression(jets) for density, c in terms))

    def shown(self, terms: Terms) -> Formula:
        """A density for readers, terms in the order of the class."""
        return sum_of([c * density.expression(self.domain.evolution.jets) for density, c in terms])


def result_of(found: Found) -> LawsFromData:
    """Everything but how the run was made."""
    domain, ordered = found.domain, directions(found.quotient)
    laws = sorted((_law(found, law) for _, law in found.laws), key=lambda law: not law.proved)
    same, terms = _same(found), found.tried.fluxes if isinstance(found.tried, OpenClass) else None
    method = "quotient of variances" if terms is None else "share that fluxes leave"
    result = LawsFromData(
        title=domain.declaration.title,
        count=sum(law.proved for law in laws),
        laws=laws,
        same=same,
        same_directions=ordered.nothing,
        spectrum=Spectrum(method=method, eta=ordered.eta.tolist(), gap_after=gap_after(ordered.eta.tolist())),
        candidates=[str(density.expression(domain.evolution.jets)) for density in found.tried.densities],
        weight=found.tried.weight,
        unknown_weight=found.tried.unknown_weight,
        order=found.tried.order,
        flux_terms=None if terms is None else len(terms),
        derived=None if found.known is None else len(found.known),
        angle=angle(found.quotient, [one for one, _ in found.laws], found.known or []),
        time=found.measured.time,
        unconserved=_unconserved(found),
        equation_shown=domain.shown(),
        fitted=domain.declaration.fitted,
    )
    result.sentence = sentence(result)
    return result


def _law(found: Found, law: Law) -> LawFound:
    evolution, density = found.domain.evolution, found.expression(law.terms)
    proved = law.proved and not found.domain.fitted
    flux = fluxes(evolution, density) if proved else {}
    course = found.measured.course(law.terms, flux)
    return LawFound(
        density=str(density),
        shown=found.shown(law.terms),
        flux={axis: str(one) for axis, one in flux.items()},
        flux_shown=[component("X", axis, one) for axis, one in flux.items()],
        multiplier=[str(one) for one in multipliers(evolution, density)] if proved else [],
        order=law.order,
        proved=proved,
        verdict=_verdict(found, law),
        eta=law.eta,
        drift=course.drift,
        values=[*course.values],
    )


def _verdict(found: Found, law: Law) -> FoundVerdict:
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
        rows.append(SameTotal(
            density=str(found.expression(terms)),
            shown=found.shown(terms),
            value=found.measured.total(k),
            proved=None if found.domain.fitted else found.proof.holds([k], [sp.S.One]),
        ))  # fmt: skip
    return rows


def _unconserved(found: Found) -> Unconserved | None:
    """The first density whose total changes much along the held-out trajectories, and isn't conserved."""
    for k, density in enumerate(found.tried.densities):
        terms = [(density, sp.S.One)]
        course = found.measured.course(terms, {})
        if course.drift is not None and course.drift > VISIBLE and not found.proof.holds([k], [sp.S.One]):
            return Unconserved(
                density=str(found.expression(terms)), shown=found.shown(terms), drift=course.drift,
                values=[*course.values],
            )  # fmt: skip
    return None
