"""Polynomials over ℚ in derivatives along the axes of space: total derivatives and the Euler operator, exactly.

Time is a parameter: an unknown and its derivatives along the axes are functions of x at one time. A polynomial T is
a total divergence, T = Div X, exactly if E_a(T) = Σ_J (-D)_J ∂T/∂uᵃ_J = 0 for every unknown (Olver 1993, Thm 4.7).
Elements are those of a SymPy `PolyRing`, whose arithmetic takes microseconds where expressions take milliseconds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import sympy as sp
from sympy import QQ
from sympy.polys.rings import PolyRing

from lieapp.equations.evolution import Evolution
from lieapp.equations.jets import Jet, MultiIndex, multi_indices, raised

Polynomial: TypeAlias = Any
"""An element of the ring; SymPy's class has no type parameters."""


class JetRing:
    """The ring of polynomials in uᵃ_J, |J| ≤ order, J along the axes of space.

    Coefficients of the equations that aren't rational and don't depend on x are independent constants here. So an
    identity that holds in the ring holds, and one that needs a relation between such coefficients isn't seen.

    Args:
        evolution: the unknowns and axes, and the equations.
        order: the highest order of a derivative that will occur.
    """

    def __init__(self, evolution: Evolution, order: int) -> None:
        self.evolution, self.jets = evolution, evolution.jets
        self.unknowns = len(self.jets.dependent)
        order = max(order, self.jets.order(evolution.rhs))
        self.places: dict[Jet, int] = {}
        symbols: list[sp.Symbol] = []
        for a in range(self.unknowns):
            for J in spatial(evolution, order):
                self.places[a, J] = len(symbols)
                symbols.append(self.jets.symbol(a, J))
        self._constants: dict[sp.Expr, sp.Symbol] = {}
        rates = [self._with_constants(f) for f in evolution.rhs]
        self.ring = PolyRing([*symbols, *self._constants.values()], QQ, sp.polys.orderings.lex)
        self._keys = list(self.places)
        self._rates_below: list[dict[MultiIndex, Polynomial]] = [{} for _ in evolution.rhs]
        self.rates: list[Polynomial] | None = None
        if all(rate is not None for rate in rates):
            self.rates = [self.ring.from_expr(rate) for rate in rates]

    def _with_constants(self, f: sp.Expr) -> sp.Expr | None:
        """A right-hand side with a symbol for each coefficient that isn't rational; None if it is no polynomial."""
        inside = list(self.jets.jets(f))
        space = {self.jets.independent[i] for i in self.evolution.space}
        if not f.is_polynomial(*inside) or f.free_symbols & space:
            return None
        result = sp.S.Zero
        for powers, c in sp.Poly(f, *inside).terms() if inside else [((), f)]:
            if not c.is_Rational:
                c = self._constants.setdefault(c, sp.Dummy("c"))
            result += c * sp.Mul(*(s**n for s, n in zip(inside, powers, strict=True)))
        return result

    def monomial(self, jets: Sequence[Jet]) -> Polynomial:
        """The product of derivatives, which may repeat."""
        result = self.ring.one
        for jet in jets:
            result *= self.ring.gens[self.places[jet]]
        return result

    def own_rate(self, a: int) -> Polynomial:
        """The coefficient of uᵃ, alone and not differentiated, in Fᵃ."""
        assert self.rates is not None
        u = self.ring.gens[self.places[a, self.jets.zero]]
        constant = self.rates[a].diff(u)
        for n in range(len(self._keys)):
            constant = constant.subs(self.ring.gens[n], 0)
        return constant

    def total(self, p: Polynomial, i: int) -> Polynomial:
        """D_i p."""
        result = self.ring.zero
        for n in self._present(p):
            a, J = self._keys[n]
            result += p.diff(self.ring.gens[n]) * self.ring.gens[self.places[a, raised(J, i)]]
        return result

    def euler(self, p: Polynomial, a: int) -> Polynomial:
        """E_a(p) = Σ_J (-D)_J ∂p/∂uᵃ_J."""
        slopes = {J: slope for (b, J), slope in self.slopes(p).items() if b == a}
        return alternating(slopes, self.total, self.ring.zero)

    def totals(self, p: Polynomial, J: MultiIndex, known: dict[MultiIndex, Polynomial]) -> Polynomial:
        """D_J p; those of lower J are kept in `known`."""
        if not any(J):
            return p
        if J not in known:
            i = max(k for k, n in enumerate(J) if n)
            known[J] = self.total(self.totals(p, raised(J, i, -1), known), i)
        return known[J]

    def slopes(self, p: Polynomial) -> dict[Jet, Polynomial]:
        """∂p/∂uᵃ_J for each derivative that occurs."""
        return {self._keys[n]: p.diff(self.ring.gens[n]) for n in self._present(p)}

    def rate(self, p: Polynomial) -> Polynomial:
        """D_t p on solutions, for a p that doesn't depend on t explicitly: Σ ∂p/∂uᵃ_J D_J Fᵃ."""
        assert self.rates is not None
        result = self.ring.zero
        for (a, J), slope in self.slopes(p).items():
            result += slope * self.totals(self.rates[a], J, self._rates_below[a])
        return result

    def vanishes(self, columns: Sequence[Sequence[Polynomial]], values: Sequence[sp.Expr]) -> bool:
        """Whether the combination of lists of polynomials with these rational coefficients is 0."""
        numbers = [QQ.from_sympy(c) for c in values]
        for parts in zip(*columns, strict=True):
            if sum((p.mul_ground(c) for p, c in zip(parts, numbers, strict=True)), self.ring.zero):
                return False
        return True

    def gradient(self, p: Polynomial) -> list[Polynomial]:
        """E_a(p) of every unknown; all are 0 exactly if p is a total divergence."""
        return [self.euler(p, a) for a in range(self.unknowns)]

    def change(self, p: Polynomial) -> list[Polynomial]:
        """E_b(D_t p) on solutions, for every b: all are 0 exactly if ∫ p dx is conserved (Olver 1993, ch. 4.3).

        D_t p = Σ_a E_a(p) Fᵃ up to a total divergence.
        """
        assert self.rates is not None
        rate = self.ring.zero
        for part, f in zip(self.gradient(p), self.rates, strict=True):
            rate += part * f
        return self.gradient(rate)

    def _present(self, p: Polynomial) -> list[int]:
        """The places of the derivatives in a polynomial; constants stand behind them."""
        return sorted({n for m in p for n, e in enumerate(m[: len(self._keys)]) if e})


def alternating(
    terms: dict[MultiIndex, Polynomial], total: Callable[[Polynomial, int], Polynomial], zero: Polynomial
) -> Polynomial:
    """Σ (-D)_J P_J for polynomials P_J by their J, lower variables first.

    From the highest derivatives down, so that each Dᵢ is taken of a whole sum.
    """
    terms = dict(terms)
    while any(map(any, terms)):
        J = max(terms, key=lambda J: (sum(J), J))
        i = min(k for k, n in enumerate(J) if n)
        below = raised(J, i, -1)
        terms[below] = terms.get(below, zero) - total(terms.pop(J), i)
    return sum(terms.values(), zero)


def spatial(evolution: Evolution, order: int) -> list[MultiIndex]:
    """The multi-indices over all variables of the derivatives along the axes of space up to an order, ascending."""
    found = []
    for n in range(order + 1):
        for J in multi_indices(len(evolution.space), n):
            whole = [0] * len(evolution.jets.independent)
            for i, k in zip(evolution.space, J, strict=True):
                whole[i] = k
            found.append(tuple(whole))
    return found


def orders_needed(evolution: Evolution, order: int) -> int:
    """The order of a ring in which `JetRing.change` of polynomials of some order can be taken."""
    return 2 * max(2 * order, evolution.jets.order(evolution.rhs))
