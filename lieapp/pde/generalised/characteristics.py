"""Characteristics made of monomials in derivatives, the exact condition, and which are point symmetries.

Qᵃ[u] is the characteristic of a symmetry of uᵃ_t = Fᵃ exactly if D_t Q = F'[u](Q) on solutions (Olver 1993, ch.
5.1). Free of torch.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeAlias

import sympy as sp

from lieapp.api import PDE
from lieapp.config import DiscoverConfig
from lieapp.config_laws import Generalised
from lieapp.equations.equation import read_pde
from lieapp.equations.evolution import Evolution, evolution_form
from lieapp.equations.jet_ring import JetRing, Polynomial
from lieapp.equations.jets import Jet
from lieapp.equations.monomials import Monomial, monomials, relations, unknown_weight
from lieapp.errors import ConfigError, UsageError

SymmetryKind: TypeAlias = Literal["point", "contact", "generalised"]


MOST = 400
"""Terms at most: the null space then takes a minute."""


@dataclass(frozen=True)
class Term:
    """t^power · monomial as the component `unknown` of a characteristic."""

    unknown: int
    power: int
    monomial: Monomial

    def expression(self, evolution: Evolution) -> sp.Expr:
        """In the variables and jet symbols."""
        t = evolution.jets.independent[evolution.time]
        return t**self.power * self.monomial.expression(evolution.jets)


Characteristic: TypeAlias = Sequence[tuple[Term, sp.Expr]]
"""Terms with their coefficients."""


def expressions(characteristic: Characteristic, evolution: Evolution) -> list[sp.Expr]:
    """Qᵃ for each unknown."""
    found = [sp.S.Zero] * len(evolution.rhs)
    for term, c in characteristic:
        found[term.unknown] += c * term.expression(evolution)
    return found


def terms_of(
    evolution: Evolution, order: int, powers: int, weight: int | None = None, degree: int | None = None
) -> list[Term]:
    """Monomials with derivatives up to an order, of weight up to that of the highest one, times 1, t, … t^powers.

    Args:
        weight: another highest weight.
        degree: in place of a weight: the highest number of factors, t among them.
    """
    factor = unknown_weight(evolution)
    if degree is not None:
        weight = degree * (factor + order)
    found = [Monomial(()), *monomials(evolution, weight or factor + order, factor, order, MOST + 1, degree)]
    unknowns = range(len(evolution.rhs))
    return [
        Term(a, power, monomial)
        for monomial in found
        for power in range(powers + 1)
        for a in unknowns
        if degree is None or power + monomial.degree <= degree
    ]


def terms_for(evolution: Evolution, settings: Generalised) -> list[Term]:
    """Those that the settings of a run ask for."""
    degree = settings.network_degree if settings.basis == "network" else None
    return terms_of(evolution, settings.order, settings.powers, settings.weight, degree)


class Condition:
    """D_t Q - F'[u](Q) on solutions for terms of characteristics, each computed once, in a ring of polynomials."""

    def __init__(self, evolution: Evolution, terms: Sequence[Term]) -> None:
        self.evolution, self.terms = evolution, terms
        highest = max(term.monomial.order for term in terms)
        self.ring = JetRing(evolution, highest + evolution.jets.order(evolution.rhs))
        self._known: dict[tuple[int, Monomial], list[Polynomial]] = {}

    @property
    def derivable(self) -> bool:
        """Whether the equation is polynomial in the derivatives."""
        return self.ring.rates is not None

    @cached_property
    def _slopes(self) -> dict[tuple[int, int, tuple[int, ...]], Polynomial]:
        """∂Fᵃ/∂uᵇ_J by (a, b, J)."""
        assert self.ring.rates is not None
        slopes = [self.ring.slopes(rate) for rate in self.ring.rates]
        return {(a, b, J): slope for a, own in enumerate(slopes) for (b, J), slope in own.items()}

    def left(self, k: int) -> list[Polynomial]:
        """What a term leaves for each power of t and each equation."""
        term, highest = self.terms[k], max(term.power for term in self.terms)
        zero, count = self.ring.ring.zero, len(self.evolution.rhs)
        result = [zero] * (count * (highest + 1))
        for a, p in enumerate(self._of_monomial(term.unknown, term.monomial)):
            result[count * term.power + a] = p
        if term.power:
            place = count * (term.power - 1) + term.unknown
            result[place] += term.power * self.ring.monomial(term.monomial.factors)
        return result

    def _of_monomial(self, unknown: int, monomial: Monomial) -> list[Polynomial]:
        """Without a power of t."""
        if (unknown, monomial) not in self._known:
            ring, q = self.ring, self.ring.monomial(monomial.factors)
            result = [ring.ring.zero] * len(self.evolution.rhs)
            result[unknown] = ring.rate(q)
            totals: dict[tuple[int, ...], Polynomial] = {}
            for (a, b, J), slope in self._slopes.items():
                if b == unknown:
                    result[a] -= slope * ring.totals(q, J, totals)
            self._known[unknown, monomial] = result
        return self._known[unknown, monomial]

    def holds(self, columns: Sequence[int], values: Sequence[sp.Expr]) -> bool:
        """Whether the combination with these rational coefficients fulfils it."""
        return self.ring.vanishes([self.left(k) for k in columns], values)

    def symmetries(self) -> list[list[sp.Rational]]:
        """A basis of all combinations of the terms that fulfil it."""
        return relations([self.left(k) for k in range(len(self.terms))])


def kind_of(evolution: Evolution, q: Sequence[sp.Expr]) -> SymmetryKind:
    """Whether Q is that of a point symmetry, φ - ξ u_x - τ u_t with u_t = F, of a contact symmetry, or neither."""
    jets, order = evolution.jets, evolution.jets.order(evolution.rhs)
    tau = _time_part(evolution, q) if order > 1 and jets.order(q) == order else sp.S.Zero
    if tau is None:
        return "generalised"
    rest = [sp.expand(e + tau * f) for e, f in zip(q, evolution.rhs, strict=True)]
    if jets.order(rest) > 1:
        return "generalised"
    if _is_point(evolution, rest):
        return "point"
    return "contact" if len(rest) == 1 else "generalised"


def _time_part(evolution: Evolution, q: Sequence[sp.Expr]) -> sp.Expr | None:
    """τ(t, x, u) for which Q + τ F has no highest derivative of one equation; None if there is none."""
    jets, order = evolution.jets, evolution.jets.order(evolution.rhs)
    for e, f in zip(q, evolution.rhs, strict=True):
        for symbol, (_, J) in jets.jets(f).items():
            if sum(J) == order:
                tau = sp.cancel(-sp.diff(e, symbol) / sp.diff(f, symbol))
                return tau if not any(any(K) for _, K in jets.jets(tau).values()) else None
    return None


def _is_point(evolution: Evolution, q: Sequence[sp.Expr]) -> bool:
    """Whether Q is linear in first derivatives, each uᵃ_i with the same -ξⁱ(t, x, u) in its own equation alone."""
    jets = evolution.jets
    for i in evolution.space:
        shifts = set()
        for a, e in enumerate(q):
            for b in range(len(q)):
                first: Jet = (b, jets.raised(jets.zero, i))
                slope = sp.expand(sp.diff(e, jets.symbol(*first)))
                if any(any(J) for _, J in jets.jets(slope).values()) or (a != b and slope != 0):
                    return False
                if a == b:
                    shifts.add(slope)
        if len(shifts) > 1:
            return False
    return True


def check_generalised(config: DiscoverConfig, pde: PDE) -> None:
    """Raises ConfigError for too many terms, UsageError for simulated trajectories beside files."""
    if config.data.extend:
        raise UsageError(
            "--extend adds trajectories to find point symmetries; generalised ones are found in files alone.",
            hint="Leave --extend out.",
        )
    settings, evolution = config.generalised, evolution_form(read_pde(pde))
    count = len(terms_for(evolution, settings))
    if count > MOST:
        raise ConfigError(
            f"{pde.name}: characteristics up to order {settings.order} have more than {MOST} terms.",
            hint=f"Lower --order, generalised.{'network_degree' if settings.basis == 'network' else 'weight'} or "
            "generalised.powers.",
        )
