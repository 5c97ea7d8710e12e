"""Polynomials in the variables and the derivatives, with total derivatives on solutions and the Euler operator.

Dᵢ = ∂/∂xⁱ + Σ uᵃ_{J+i} ∂/∂uᵃ_J, where derivatives that a system determines are replaced by its rules. Without rules
all derivatives are free, and Eₐ(L) = Σ_J (-D)_J ∂L/∂uᵃ_J (Olver 1993, eq. 4.4) vanishes identically exactly for
total divergences. Elements are those of a SymPy `PolyRing` over ℤ, ℚ or a number field; parameters are generators
with Dᵢ = 0. With d the common multiple of the denominators, 1/d is one more generator r, with Dᵢ r = -(Dᵢ d) r².
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce
from operator import add
from typing import Any

import sympy as sp
from sympy.polys.orderings import grevlex
from sympy.polys.polyutils import dict_from_expr
from sympy.polys.rings import PolyRing

from lieapp.equations.jet_ring import Polynomial, alternating
from lieapp.equations.jets import Jet, MultiIndex, divides, raised
from lieapp.equations.leading import Leading
from lieapp.errors import EquationError


class PolynomialJets:
    """The ring of polynomials in the variables and the derivatives that occur in D_J of `own` and `given`.

    Args:
        leading: the rules for the derivatives that are replaced.
        parameters: the constants without a value.
        own: derivatives that aren't.
        given: expressions in such derivatives; each can be asked for as an `element`.
        asked: the J of all D_J that will be taken, lower variables first.
        name: what messages call the system.

    Raises EquationError where a rule or a given expression isn't rational.
    """

    def __init__(
        self,
        leading: Leading,
        parameters: Sequence[sp.Symbol],
        own: Iterable[Jet],
        given: Sequence[sp.Expr],
        asked: Iterable[MultiIndex],
        name: str,
    ) -> None:
        jets = leading.jets
        self.leading, self.jets, self.name = leading, jets, name
        self.size, self.constants = len(jets.independent), tuple(parameters)
        self._known = (*jets.independent, *parameters)
        self._supports: dict[Jet, frozenset[Jet]] = {}
        parts = {e: sp.fraction(sp.together(e)) for e in (*leading.rules.values(), *given)}
        # with a denominator any polynomial may have r, and so all derivatives in all denominators
        self._dividing = frozenset[Jet]().union(*(jets.jets(below).values() for _, below in parts.values()))
        first = self._dividing.union(own, *(jets.jets(e).values() for e in given))
        self.places = {jet: len(self._known) + n for n, jet in enumerate(self._reached(first, asked))}
        self._jets = list(self.places)
        self._inverse = sp.Dummy("r")
        self.symbols = [*self._known, *(jets.symbol(*jet) for jet in self._jets)]
        fractions = {e: self._fraction(*part) for e, part in parts.items()}
        self.denominator = reduce(sp.lcm, (below for _, below in fractions.values()), sp.Poly(1, *self._known))
        more = {e: self.denominator.exquo(below) for e, (_, below) in fractions.items()}
        coefficients = [sp.S.One, *self.denominator.coeffs(), *(c for p in more.values() for c in p.coeffs())]
        coefficients += [c for above, _ in fractions.values() for c in above.values()]
        domain = sp.construct_domain(coefficients, extension=True)[0]
        if domain.is_EX:
            numbers = ", ".join(sorted({str(c) for c in coefficients if not c.is_Rational}))
            raise EquationError(
                f"{name}: polynomials can't be computed exactly with the numbers {numbers}.",
                hint="Give them as fractions, or as parameters.",
            )
        self.ring = PolyRing([*self.symbols, self._inverse], domain, grevlex)
        self.domain = domain[self.constants] if self.constants else domain
        self.has_denominator = not self.denominator.is_ground
        self._below = self._embedded(self.denominator)
        over = self.ring.gens[-1] if self.has_denominator else self.ring.one
        self._elements = {
            e: self._polynomial(above) * self._embedded(more[e]) * over for e, (above, _) in fractions.items()
        }
        self._values: dict[Jet, Polynomial] = {}
        self._rates: list[dict[int, list[tuple[MultiIndex, Any]]]] = [{} for _ in jets.independent]

    def element(self, expression: sp.Expr) -> Polynomial:
        """A given expression in the ring."""
        return self._elements[expression]

    def total(self, p: Polynomial, i: int) -> Polynomial:
        """Dᵢ p, for a number i of a variable."""
        result: dict[MultiIndex, Any] = {}
        rates = self._rates[i]
        for powers, c in p.items():
            for v, power in enumerate(powers):
                if power:
                    left, scaled = (*powers[:v], power - 1, *powers[v + 1 :]), c * power
                    for by, rate in rates.get(v) or self._rate(v, i):
                        key = tuple(map(add, left, by))
                        result[key] = result.get(key, 0) + scaled * rate
        return self.ring.from_dict({key: c for key, c in result.items() if c})

    def totals(self, known: dict[MultiIndex, Polynomial], J: MultiIndex) -> Polynomial:
        """D_J of known[0], lower variables first; those on the way are kept in `known`."""
        if J not in known:
            i = max(k for k, n in enumerate(J) if n)
            known[J] = self.total(self.totals(known, raised(J, i, -1)), i)
        return known[J]

    def euler(self, p: Polynomial, a: int) -> Polynomial:
        """Eₐ(p)."""
        present = {v for powers in p for v, power in enumerate(powers) if power}
        if len(self.symbols) in present:
            present |= {v for powers in self._below for v, power in enumerate(powers) if power}
        slopes = {J: self._slope(p, v) for (b, J), v in self.places.items() if b == a and v in present}
        return alternating(slopes, self.total, self.ring.zero)

    def _slope(self, p: Polynomial, v: int) -> Polynomial:
        """∂p by a generator, on which r may depend."""
        slope = p.diff(self.ring.gens[v])
        if self.has_denominator:
            slope -= p.diff(self.ring.gens[-1]) * self._below.diff(self.ring.gens[v]) * self.ring.gens[-1] ** 2
        return slope

    def cleared(self, parts: Sequence[Polynomial]) -> list[Polynomial]:
        """The parts times the least power of the denominator after which none has its inverse r."""
        if not self.has_denominator:
            return list(parts)
        most = max((powers[-1] for p in parts for powers in p), default=0)
        power = [self.ring.one]
        for _ in range(most):
            power.append(power[-1] * self._below)

        def times(powers: MultiIndex, c: Any) -> Polynomial:
            return self.ring.from_dict({(*powers[:-1], 0): c}) * power[most - powers[-1]]

        return [sum((times(*term) for term in p.items()), self.ring.zero) for p in parts]

    def coefficients(self, p: Polynomial) -> dict[MultiIndex, Any]:
        """The coefficients of products of variables and derivatives, elements of `domain`."""
        if not self.constants:
            return dict(p.items())
        before, after = self.size, len(self._known)
        found: dict[MultiIndex, dict[MultiIndex, Any]] = {}
        for powers, c in p.items():
            found.setdefault((*powers[:before], *powers[after:]), {})[powers[before:after]] = c
        return {powers: self.domain.ring.from_dict(parts) for powers, parts in found.items()}

    def _reached(self, first: frozenset[Jet], asked: Iterable[MultiIndex]) -> list[Jet]:
        """All derivatives in D_J of the first ones, for all J that are asked for and those on the way."""
        reached = {self.jets.zero: first}

        def reach(J: MultiIndex) -> frozenset[Jet]:
            if J not in reached:
                i = max(k for k, n in enumerate(J) if n)
                reached[J] = self._raised_support(reach(raised(J, i, -1)), i)
            return reached[J]

        for J in asked:
            reach(J)
        return sorted(frozenset().union(*reached.values()), key=lambda jet: (sum(jet[1]), jet))

    def _raised_support(self, jets: Iterable[Jet], i: int) -> frozenset[Jet]:
        return frozenset(jets).union(*(self._support((a, raised(J, i))) for a, J in jets))

    def _support(self, jet: Jet) -> frozenset[Jet]:
        """The derivatives that may occur in the value of a derivative."""
        if jet not in self._supports:
            below = self._lower(jet)
            if below is None:
                self._supports[jet] = frozenset([jet])
            elif below == jet:
                self._supports[jet] = self._dividing.union(self.jets.jets(self.leading.rules[jet]).values())
            else:
                self._supports[jet] = self._raised_support(self._support(below), self._direction(below, jet))
        return self._supports[jet]

    def _value(self, jet: Jet) -> Polynomial:
        """A derivative in terms of the free ones."""
        if jet not in self._values:
            below = self._lower(jet)
            if below is None:
                self._values[jet] = self.ring.gens[self.places[jet]]
            elif below == jet:
                self._values[jet] = self.element(self.leading.rules[jet])
            else:
                self._values[jet] = self.total(self._value(below), self._direction(below, jet))
        return self._values[jet]

    def _lower(self, jet: Jet) -> Jet | None:
        """Of which derivative this one is the next; itself for a leading one, None for a free one."""
        a, J = jet
        if jet in self.leading.rules:
            return jet
        lead = next((K for b, K in self.leading.rules if a == b and divides(K, J)), None)
        if lead is None:
            return None
        return a, raised(J, max(k for k, n in enumerate(J) if n > lead[k]), -1)

    @staticmethod
    def _direction(below: Jet, jet: Jet) -> int:
        return next(k for k, (m, n) in enumerate(zip(below[1], jet[1], strict=True)) if m < n)

    def _rate(self, v: int, i: int) -> list[tuple[MultiIndex, Any]]:
        """The terms of Dᵢ of a generator."""
        if v not in self._rates[i]:
            if v < len(self._known):
                rate = self.ring.one if v == i else self.ring.zero
            elif v < len(self.symbols):
                a, J = self._jets[v - len(self._known)]
                rate = self._value((a, raised(J, i)))
            else:
                rate = -self.total(self._below, i) * self.ring.gens[-1] ** 2
            self._rates[i][v] = list(rate.terms())
        return self._rates[i][v]

    def _fraction(self, above: sp.Expr, below: sp.Expr) -> tuple[dict[MultiIndex, sp.Expr], sp.Poly]:
        """Numerator, by its monomials, and monic denominator, in those of the symbols that occur in it."""
        try:
            terms, _ = dict_from_expr(above, gens=self.symbols)
            denom = sp.Poly(below, *self._known, *self.jets.jets(below), field=True)
        except sp.PolynomialError:
            raise self._not_rational(above / below) from None
        return {powers: c / denom.LC() for powers, c in terms.items()}, denom.monic()

    def _polynomial(self, terms: dict[MultiIndex, sp.Expr]) -> Polynomial:
        return self.ring.from_dict({(*powers, 0): self.ring.domain.from_sympy(c) for powers, c in terms.items()})

    def _embedded(self, p: sp.Poly) -> Polynomial:
        """A polynomial in some of the symbols, in the ring."""
        places = [self.symbols.index(s) for s in p.gens]
        terms = {}
        for powers, c in p.terms():
            whole = [0] * len(self.symbols)
            for v, n in zip(places, powers, strict=True):
                whole[v] = n
            terms[tuple(whole)] = c
        return self._polynomial(terms)

    def _not_rational(self, e: sp.Expr) -> EquationError:
        return EquationError(
            f"{self.name}: {e} isn't rational in variables, parameters and derivatives; polynomial solutions are "
            "sought for such equations only.",
            hint="Change the unknown or the variables so that the equation is rational, as v = exp(u).",
        )
