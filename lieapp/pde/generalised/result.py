"""Characteristics found in data as a result: formulas, kinds, held-out defects, agreement with what is derived."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import sympy as sp
import torch

from lieapp.config_laws import Generalised
from lieapp.document import Formula
from lieapp.equations.monomials import unknown_weight
from lieapp.equations.printing import sum_of
from lieapp.methods.verdict import gap_after
from lieapp.pde.beyond.agreement import angle
from lieapp.pde.beyond.quotient import Quotient, directions
from lieapp.pde.beyond.readings import Combination
from lieapp.pde.domain import PDEDomain
from lieapp.pde.generalised.characteristics import Term, expressions, kind_of
from lieapp.pde.generalised.document import sentence
from lieapp.pde.generalised.network import Learned
from lieapp.results.characteristics import CharacteristicFound, GeneralisedFromData
from lieapp.results.discovery import Spectrum
from lieapp.results.from_data import FoundVerdict


@dataclass(frozen=True)
class Symmetry:
    """A characteristic, and the combination that it was read from."""

    terms: tuple[tuple[Term, sp.Expr], ...]
    proved: bool
    measured: Combination


@dataclass(frozen=True)
class Found:
    """All that is known of the symmetries of one equation.

    Args:
        learn, judge: the quotient on the data that they were found on, and on held-out ones.
        symmetries: each with the combination of fewest terms as measured.
        known: a basis of the symmetries in the class by the exact condition; None if it can't be had.
        network: what was learned, if they were sought in a network's features.
    """

    domain: PDEDomain
    settings: Generalised
    terms: list[Term]
    learn: Quotient
    judge: Quotient
    symmetries: list[tuple[Combination, Symmetry]]
    known: list[list[sp.Rational]] | None
    network: Learned | None = None


def result_of(found: Found) -> GeneralisedFromData:
    """Everything but how the run was made."""
    domain, network = found.domain, found.network
    etas: list[float] = directions(found.learn).eta.tolist() if network is None else network.eta
    method = "spectrum" if network is None else "neural"
    if network is None:
        between = angle(found.learn, [one for one, _ in found.symmetries], found.known or [])
    else:
        between = network.angle(found.known or [])
    rows = sorted((_row(found, one) for _, one in found.symmetries), key=lambda row: not row.proved)
    factor, monomials = unknown_weight(domain.evolution), dict.fromkeys(term.monomial for term in found.terms)
    result = GeneralisedFromData(
        title=domain.declaration.title,
        count=sum(row.proved for row in rows),
        generalised=rows,
        method=method,
        spectrum=Spectrum(method=method, eta=[*etas], gap_after=gap_after(etas)),
        candidates=[str(monomial.expression(domain.evolution.jets)) for monomial in monomials],
        order=found.settings.order,
        powers=found.settings.powers,
        weight=max(monomial.degree * factor + monomial.derivatives for monomial in monomials),
        unknown_weight=factor,
        derived=None if found.known is None else len(found.known),
        angle=between,
        learned=None if network is None else network.count,
        degree=None if network is None else found.settings.network_degree,
        equation_shown=domain.shown(),
        fitted=domain.declaration.fitted,
    )
    result.sentence = sentence(result)
    return result


def _row(found: Found, one: Symmetry) -> CharacteristicFound:
    evolution = found.domain.evolution
    q, names = expressions(one.terms, evolution), evolution.jets.dependent
    return CharacteristicFound(
        characteristic={name: str(part) for name, part in zip(names, q, strict=True)},
        characteristic_shown=[_shown(found, one, a) for a in range(len(names))],
        order=evolution.jets.order(q),
        kind=kind_of(evolution, q),
        proved=one.proved,
        verdict=_verdict(found, one),
        eta=_eta(found.judge, [found.terms.index(term) for term, _ in one.terms], [c for _, c in one.terms]),
    )


def _shown(found: Found, one: Symmetry, a: int) -> Formula:
    return sum_of(c * term.expression(found.domain.evolution) for term, c in one.terms if term.unknown == a)


def _verdict(found: Found, one: Symmetry) -> FoundVerdict:
    """An unproved one is only approximate where all symmetries of the class are proved."""
    if one.proved:
        return "proved"
    proved = sum(symmetry.proved for _, symmetry in found.symmetries)
    return "approximate" if found.known is not None and proved == len(found.known) else "undecided"


def _eta(judge: Quotient, columns: Sequence[int], coefficients: Sequence[sp.Expr]) -> float:
    c = torch.zeros(judge.below.shape[1], dtype=torch.float64)
    c[list(columns)] = torch.tensor([float(value) for value in coefficients], dtype=torch.float64)
    scaled = c * judge.sizes
    return float((judge.above @ scaled).norm() / (judge.below @ scaled).norm())
