"""The class of densities in which conservation laws are sought. Free of torch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import sympy as sp

from lieapp.config_laws import Laws
from lieapp.equations.evolution import Evolution
from lieapp.equations.jet_ring import JetRing, orders_needed
from lieapp.equations.jets import JetSpace
from lieapp.equations.monomials import Monomial, monomials, representatives, unknown_weight
from lieapp.errors import ConfigError

ORDER = 3
"""Highest order of derivatives unless it is set: data seldom resolve more, squared."""

USUAL, MOST = 120, 400
"""Densities unless a weight is set, and at most."""


@dataclass(frozen=True)
class Density:
    """A monomial times a function of the evolution variable."""

    monomial: Monomial
    factor: sp.Expr = sp.S.One

    @property
    def order(self) -> int:
        """The highest order of a derivative."""
        return self.monomial.order

    def expression(self, jets: JetSpace) -> sp.Expr:
        """In the variables and jet symbols."""
        return self.factor * self.monomial.expression(jets)


Terms: TypeAlias = Sequence[tuple[Density, sp.Expr]]
"""Densities with their coefficients."""


@dataclass(frozen=True)
class Class:
    """Densities of weights up to `weight`.

    Args:
        ring: in which they can be put to the exact condition.
        densities: one of each class modulo total divergences, ascending in weight; where unknowns are damped, each
            also with the factors that undo it.
        unknown_weight: of a factor.
    """

    ring: JetRing
    densities: list[Density]
    weight: int
    unknown_weight: int
    order: int


def class_of(evolution: Evolution, settings: Laws, order: int) -> Class:
    """The densities that settings mean, with derivatives up to an order."""
    factor = unknown_weight(evolution)
    ring = JetRing(evolution, orders_needed(evolution, order))
    weight = settings.weight or 4 * factor + 2
    while True:
        # a few times as many as their representatives
        found = monomials(evolution, weight, factor, order, 10 * MOST + 1)
        kept = representatives(ring, found) if len(found) <= 10 * MOST else []
        if settings.weight is not None or 0 < len(kept) <= USUAL or weight <= 2 * factor:
            break
        weight -= 1
    if not found:
        raise ConfigError(
            f"{evolution.name}: no density has a weight of {weight} or less: each factor weighs {factor}.",
            hint=f"Set laws.weight to {factor} or more.",
        )
    if not 0 < len(kept) <= MOST:
        raise ConfigError(
            f"{evolution.name}: densities of weight {weight} are {len(kept) or 'more than ' + str(MOST)}; at most "
            f"{MOST} are tried.",
            hint=f"Set laws.weight between {factor} and {max(factor, weight - 1)}; each factor weighs {factor}.",
        )
    growth = undamped(evolution)
    densities = [
        Density(monomial, each) for monomial in kept
        for each in dict.fromkeys((sp.S.One, _product(evolution, [growth[a] for a, _ in monomial.factors])))
    ]  # fmt: skip
    return Class(ring, densities, weight, factor, order)


def undamped(evolution: Evolution) -> list[sp.Expr]:
    """g(t) = exp(-∫a dt) for each unknown, uᵃ_t = a(t) uᵃ + …, with which g uᵃ isn't damped; 1 if none is found."""
    jets, t = evolution.jets, evolution.jets.independent[evolution.time]
    found = []
    for u, f in zip(jets.unknowns, evolution.rhs, strict=True):
        rate = sp.diff(f, u).subs(dict.fromkeys(jets.jets(f), sp.S.Zero))
        growth = sp.exp(-sp.integrate(rate, t)) if rate.free_symbols <= {t} else sp.S.One
        found.append(sp.S.One if growth.has(sp.Integral, sp.nan, sp.oo, sp.zoo) else growth)
    return found


def _product(evolution: Evolution, functions: Sequence[sp.Expr]) -> sp.Expr:
    """A product of functions of time without constant factors: t + 1 of sqrt(2*t + 2)**2."""
    t = evolution.jets.independent[evolution.time]
    whole: sp.Expr = sp.factor(sp.powsimp(sp.simplify(sp.Mul(*functions))), deep=True)
    return whole.as_independent(t, as_Add=False)[1]
