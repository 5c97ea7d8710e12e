"""Divergences inverted one derivative at a time, where the integral over a scaling fails: with arbitrary f(u).

If L is linear in its highest derivative Dᵢ v, L = c Dᵢ v + …, then L - Dᵢ ∫ c dv has lower derivatives, or fewer of
that order. Repeated until nothing is left, this gives Xⁱ with Σ Dᵢ Xⁱ = L.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import sympy as sp
from sympy.core.function import AppliedUndef

from lieapp.equations.coefficients import CoefficientField
from lieapp.equations.jets import Jet, JetSpace, raised
from lieapp.equations.variational import NoPotentialError
from lieapp.errors import EquationError
from lieapp.lie.solving.antiderivative import parts_of_functions

STEPS = 60
"""After which another order of the variables is tried: parts may go round in circles."""


def stripped(divergence: sp.Expr, jets: JetSpace, order: Sequence[int]) -> list[sp.Expr]:
    """Xⁱ with Σ Dᵢ Xⁱ = L, parts taken by the variables in this order.

    Raises NoPotentialError if that doesn't end.
    """
    left = _normal(divergence, jets)
    result = [sp.S.Zero] * len(jets.independent)
    for _ in range(STEPS):
        if left == 0:
            return result
        for i, primitive in _step(left, jets, order).items():
            result[i] += primitive
            left = _normal(left - jets.total_derivative(primitive, i), jets)
    raise NoPotentialError


def _normal(expression: sp.Expr, jets: JetSpace) -> sp.Expr:
    """Expanded, and 0 if it vanishes by relations of the roots in it."""
    expanded = sp.expand(expression)
    if all(power.exp.is_Integer for power in expanded.atoms(sp.Pow)):
        return expanded
    inside = (*jets.independent, *jets.jets(expanded))
    field = CoefficientField(inside, sorted(expanded.free_symbols.difference(inside), key=str))
    try:
        return sp.expand(field.expression(field.element(expanded)))
    except EquationError:
        return expanded


def _step(left: sp.Expr, jets: JetSpace, order: Sequence[int]) -> dict[int, sp.Expr]:
    """∫ c dv for the highest derivative Dᵢ v for which that is found, by i.

    Of several i, each term of c has the first one for which v is in it, so that v Dᵢ v is Dᵢ(v²/2).
    """
    inside = jets.jets(left)

    def height(s: sp.Symbol) -> tuple[int, Jet]:
        return sum(inside[s][1]), inside[s]

    for s in sorted(inside, key=height, reverse=True):
        slope, (a, J) = sp.diff(left, s), inside[s]
        if slope.has(s):
            continue
        below = {i: jets.symbol(a, raised(J, i, -1)) for i in order if J[i]}
        parts: defaultdict[int, sp.Expr] = defaultdict(lambda: sp.S.Zero)
        for term in sp.Add.make_args(sp.expand(slope)):
            parts[next((i for i, v in below.items() if term.has(v)), next(iter(below), -1))] += term
        found = {i: _primitive(c, below[i]) for i, c in parts.items() if i in below}
        done = {i: e for i, e in found.items() if e is not None}
        if done and len(done) == len(parts):
            return done
    raise NoPotentialError


def _primitive(slope: sp.Expr, v: sp.Symbol) -> sp.Expr | None:
    """∫ c dv; integrals of arbitrary functions of v alone stay as they are."""
    found, rest = parts_of_functions(sp.expand(slope), v)
    for term in sp.Add.make_args(sp.expand(rest)):
        outside, inside = term.as_independent(v, as_Add=False)
        value = sp.Integral(inside, v)
        if not inside.atoms(AppliedUndef):
            value = sp.integrate(inside, v, meijerg=False, heurisch=False)
            if value.has(sp.Integral, sp.Piecewise):
                return None
        elif inside.free_symbols != {v}:
            return None
        found += outside * value
    return found
