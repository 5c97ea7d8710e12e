"""The class of fluxes on an open axis: what D_t T + D_x X = 0 lets X hold for the densities T that are tried.

On solutions D_t T puts a term of Fᵇ in the place of a factor uᵇ_J of T and keeps the number of derivatives in all.
So X is made of monomials with those factors and one derivative less. Any of them is Σ D_x^i of representatives
modulo D_x. In weak form the bumps take D_x^i, so few derivatives of data are needed. Free of torch.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import msgspec
import sympy as sp

from lieapp.config_laws import Laws
from lieapp.equations.evolution import Evolution
from lieapp.equations.jet_ring import JetRing
from lieapp.equations.jets import MultiIndex, raised
from lieapp.equations.monomials import Monomial, monomials, representatives
from lieapp.errors import ConfigError
from lieapp.pde.laws.densities import Class, class_of

MOST_COLUMNS = 1000
"""Densities and terms of fluxes at most."""

Unknowns: TypeAlias = tuple[int, ...]
"""Those of the factors of a monomial, ascending."""


@dataclass(frozen=True)
class FluxTerm:
    """D_x^derivatives of a monomial times a function of the variables.

    Without a monomial, derivatives = -1, it is an antiderivative of the function in x.
    """

    factor: sp.Expr
    monomial: Monomial
    derivatives: int

    def divergence(self, evolution: Evolution) -> dict[MultiIndex, sp.Expr]:
        """D_x of it as J and E of ∂^J E."""
        jets, (x,) = evolution.jets, evolution.space
        return {raised(jets.zero, x, self.derivatives + 1): self.factor * self.monomial.expression(jets)}


@dataclass(frozen=True)
class OpenClass(Class):
    """Densities with the terms of their fluxes on one open axis."""

    fluxes: list[FluxTerm]


@dataclass(frozen=True)
class _Part:
    """A term of Fᵃ: a function of the variables, the unknowns of its factors, derivatives in all."""

    a: int
    factor: sp.Expr
    unknowns: Unknowns
    derivatives: int


def open_class_of(evolution: Evolution, settings: Laws, order: int, most: int = MOST_COLUMNS) -> OpenClass:
    """The densities that settings mean and their fluxes, with a lower weight where they are more than `most`.

    Raises ConfigError where a weight was set, or the lowest one doesn't help.
    """
    given, most = settings.weight, min(most, MOST_COLUMNS)
    while True:
        found = class_of(evolution, settings, order)
        fluxes = flux_terms(found)
        if len(found.densities) + len(fluxes) <= most:
            return OpenClass(**vars(found), fluxes=fluxes)
        if given is not None or found.weight <= found.unknown_weight:
            raise ConfigError(
                f"{evolution.name}: {len(found.densities)} densities of weight up to {found.weight} and "
                f"{len(fluxes)} terms of their fluxes are sought; these data allow {most} in all.",
                hint="Lower laws.weight or laws.order, or give more or longer trajectories.",
            )
        settings = msgspec.structs.replace(settings, weight=found.weight - 1)


def flux_terms(tried: Class) -> list[FluxTerm]:
    """The terms of the fluxes of all densities of a class on one axis of space. The equation is polynomial."""
    evolution = tried.ring.evolution
    wanted = _wanted(evolution, tried)
    bare = [FluxTerm(factor, Monomial(()), -1) for factor, _ in wanted.pop((), {})]
    if not wanted:
        return bare
    highest = {unknowns: max(n for _, n in found) for unknowns, found in wanted.items()}
    weight = max(len(unknowns) * tried.unknown_weight + n for unknowns, n in highest.items())
    order = (max(highest.values()) + 1) // 2
    inside = [
        m for m in monomials(evolution, weight, tried.unknown_weight, order)
        if m.derivatives <= highest.get(m.kind()[0], -1)
    ]  # fmt: skip
    found = [
        FluxTerm(factor, monomial, n - monomial.derivatives)
        for monomial in representatives(JetRing(evolution, 2 * order), inside)
        for factor, n in wanted[monomial.kind()[0]]
        if n >= monomial.derivatives
    ]
    return bare + sorted(found, key=lambda term: term.derivatives)


Wanted: TypeAlias = dict[Unknowns, dict[tuple[sp.Expr, int], None]]
"""For the unknowns of monomials: their functions of the variables, and how many derivatives there are in all."""


def _wanted(evolution: Evolution, tried: Class) -> Wanted:
    parts, found = list(_parts(evolution)), Wanted()
    for density in tried.densities:
        unknowns = density.monomial.kind()[0]
        for part in parts:
            if part.a not in unknowns:
                continue
            place = unknowns.index(part.a)
            replaced = sorted((*unknowns[:place], *unknowns[place + 1 :], *part.unknowns))
            whole = density.monomial.derivatives + part.derivatives - 1
            slopes = _slopes(evolution, part.factor, whole) if replaced else [part.factor]
            for taken, slope in enumerate(slopes):
                kind = _function(evolution, density.factor * slope), whole - taken
                found.setdefault(tuple(replaced), {})[kind] = None
    return found


def _parts(evolution: Evolution) -> Iterator[_Part]:
    jets = evolution.jets
    for a, f in enumerate(evolution.rhs):
        inside = jets.jets(f)
        for powers, c in sp.Poly(f, *inside).terms() if inside else [((), f)]:
            factors = [jet for jet, n in zip(inside.values(), powers, strict=True) for _ in range(n)]
            if c != 0:
                yield _Part(a, c, tuple(sorted(b for b, _ in factors)), sum(sum(J) for _, J in factors))


def _slopes(evolution: Evolution, factor: sp.Expr, most: int) -> Sequence[sp.Expr]:
    """A coefficient and its derivatives in space: parts of the derivatives may fall on it. Up to `most`, or 0."""
    (x,) = (evolution.jets.independent[i] for i in evolution.space)
    found = [factor] if most >= 0 else []
    while 0 < len(found) <= most and (slope := sp.diff(found[-1], x)) != 0:
        found.append(slope)
    return found


def _function(evolution: Evolution, factor: sp.Expr) -> sp.Expr:
    """Without constant factors."""
    variables = [v for v in evolution.jets.independent if factor.has(v)]
    return factor.as_independent(*variables, as_Add=False)[1] if variables else sp.S.One
