"""The Euler operator, and total divergences inverted.

Eₐ(L) = Σ_J (-D)_J ∂L/∂uᵃ_J (Olver 1993, eq. 4.4) vanishes identically exactly when L is a total divergence Σ Dᵢ Xⁱ
(Thm 4.7). Parts are taken off one derivative at a time, v_J P = Dᵢ(v_{J-i} P) - v_{J-i} Dᵢ P. With v = u this
inverts a divergence too: along u -> λ u the slope of L is λ⁻¹ Σ u_J ∂L/∂u_J, and on terms of degree m the integral
over λ from 0 to 1 is a factor 1/m. Unknowns may be scaled by different powers of λ, so that no term has degree 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice, product

import sympy as sp
from sympy.core.function import AppliedUndef

from lieapp.equations.jets import JetSpace, MultiIndex, raised

TRIED = 27
"""Number of choices of weights."""


class NoPotentialError(Exception):
    """A divergence whose potentials aren't found in closed form."""


def euler(expression: sp.Expr, jets: JetSpace, a: int) -> sp.Expr:
    """Eₐ of an expression on the jet space, expanded."""
    slopes = {J: sp.diff(expression, s) for s, (b, J) in jets.jets(expression).items() if b == a}
    return _integrated_by_parts(slopes, jets)


def adjoint(q: Sequence[sp.Expr], multiplier: Sequence[sp.Expr], jets: JetSpace) -> list[sp.Expr]:
    """The adjoint of the linearised q, applied to a multiplier: Σ (-D)_J (∂qᵇ/∂uᵃ_J Λᵇ) for each unknown uᵃ."""
    found = []
    for a in range(len(jets.dependent)):
        slopes: dict[MultiIndex, sp.Expr] = {}
        for e, m in zip(q, multiplier, strict=True):
            for s, (b, J) in jets.jets(e).items():
                if b == a:
                    slopes[J] = slopes.get(J, sp.S.Zero) + sp.diff(e, s) * m
        found.append(_integrated_by_parts(slopes, jets))
    return found


def _integrated_by_parts(slopes: dict[MultiIndex, sp.Expr], jets: JetSpace) -> sp.Expr:
    """Σ (-D)_J P_J."""
    for J, i, slope in _taken_off(slopes, range(len(jets.independent))):
        lower = raised(J, i, -1)
        slopes[lower] = slopes.get(lower, sp.S.Zero) - jets.total_derivative(slope, i)
    return sp.expand(slopes.get(jets.zero, sp.S.Zero))


def _taken_off(
    slopes: dict[MultiIndex, sp.Expr], order: Sequence[int]
) -> Iterator[tuple[MultiIndex, int, sp.Expr]]:
    """J, i and ∂L/∂u_J, the highest first, out of a dictionary to which the caller adds those with J - i.

    i is the first of the variables in `order` by which u_J is differentiated.
    """
    while any(any(J) for J in slopes):
        J = max(slopes, key=lambda J: (sum(J), J))
        slope = sp.expand(slopes.pop(J))
        if slope != 0:
            yield J, next(i for i in order if J[i]), slope


def potentials(divergence: sp.Expr, jets: JetSpace, order: Sequence[int]) -> list[sp.Expr]:
    """Xⁱ with Σ Dᵢ Xⁱ = L, for an L with Eₐ(L) = 0; derivatives are taken off by the variables in this order.

    Raises NoPotentialError where an integral over λ isn't found.
    """
    whole = sp.expand(divergence)
    _check_functions(whole, jets)
    weights, rest = _of_degree_zero(whole, jets)
    result = _along(sp.expand(whole - rest), jets, order, 0, weights)
    if rest == 0:
        return [sp.expand(x) for x in result]
    return [sp.expand(x + y) for x, y in zip(result, _from_a_base(rest, jets, order), strict=True)]


def _check_functions(expression: sp.Expr, jets: JetSpace) -> None:
    """Raises NoPotentialError for arbitrary functions of the unknowns or their derivatives."""
    if any(jets.jets(f) for f in expression.atoms(AppliedUndef)):
        raise NoPotentialError


def _of_degree_zero(whole: sp.Expr, jets: JetSpace) -> tuple[tuple[int, ...], sp.Expr]:
    """Weights of the unknowns for which few terms have degree 0, and these; all if one is of no degree.

    Terms of one degree are a divergence by themselves if all have a degree.
    """
    found, terms = jets.jets(whole), sp.Add.make_args(whole)
    best: tuple[int, ...] = (1,) * len(jets.dependent)
    least = terms
    for weights in islice(product(range(1, 4), repeat=len(jets.dependent)), TRIED):
        degrees = [_degree(term, found, weights) for term in terms]
        left = tuple(term for term, degree in zip(terms, degrees, strict=True) if degree == 0)
        if None not in degrees and len(left) < len(least):
            best, least = weights, left
        if not least:
            break
    return best, sp.Add(*least)


def _from_a_base(whole: sp.Expr, jets: JetSpace, order: Sequence[int]) -> list[sp.Expr]:
    """Potentials from the values at u = 0 or at u = 1 on, where these are finite."""
    for base in (0, 1):
        start = {u: sp.Integer(base) for u in jets.unknowns}
        start |= {s: sp.S.Zero for s, (_, J) in jets.jets(whole).items() if any(J)}
        # homogeneous terms have no value there
        terms = [e for e in sp.Add.make_args(whole) if base or _degree(e, jets.jets(whole)) in (None, 0)]
        left = sp.Add(*terms).xreplace(start)
        if left.has(sp.zoo, sp.nan, sp.oo):
            continue
        try:
            parts = _along(whole, jets, order, base)
        except NoPotentialError:
            continue
        if left != 0:
            # free of the unknowns
            i = order[0]
            parts[i] += sp.integrate(left, jets.independent[i])
        return parts
    raise NoPotentialError


def _along(
    whole: sp.Expr, jets: JetSpace, order: Sequence[int], base: int, weights: Sequence[int] = ()
) -> list[sp.Expr]:
    """The potentials of L[u] - L[base] along base + λ (u - base), or along λ^m u for each unknown's weight m."""
    result = [sp.S.Zero] * len(jets.independent)
    for a in range(len(jets.dependent)):
        slopes = {J: sp.diff(whole, s) for s, (b, J) in jets.jets(whole).items() if b == a}
        for J, i, slope in _taken_off(slopes, order):
            lower = raised(J, i, -1)
            slopes[lower] = slopes.get(lower, sp.S.Zero) - jets.total_derivative(slope, i)
            v = jets.symbol(a, lower)
            result[i] += sp.expand((v if any(lower) else v - base) * slope * (weights[a] if weights else 1))
    return [over_scale(x, jets, base, weights) for x in result]


def over_scale(expression: sp.Expr, jets: JetSpace, base: int = 0, weights: Sequence[int] = ()) -> sp.Expr:
    """∫₀¹ λ⁻¹ X[base + λ (u - base)] dλ, or with λ^m u for each unknown's weight m, term by term.

    Raises NoPotentialError where an integral isn't found.
    """
    scale = sp.Dummy("lambda", positive=True)
    found = jets.jets(expression)
    scaled = {s: scale * s if any(J) or not base else base + scale * (s - base) for s, (_, J) in found.items()}
    total = sp.S.Zero
    rest = sp.S.Zero
    for term in sp.Add.make_args(expression):
        degree = None if base else _degree(term, found, weights)
        if degree is not None and degree != 0:
            total += term / degree
        else:
            rest += term
    _check_functions(rest, jets)
    if rest != 0:
        # positive, so that no case apart where one of them or a parameter vanishes is told
        free = rest.free_symbols - set(jets.independent)
        positive = {s: sp.Dummy(str(s), positive=True) for s in sorted(free, key=str)}
        inside = sp.expand(sp.simplify((rest.xreplace(scaled) / scale).xreplace(positive)))
        value = sp.integrate(inside, (scale, 0, 1)).replace(sp.Piecewise, _generic)
        value = value.xreplace({d: s for s, d in positive.items()})
        if value.has(sp.Integral, sp.Piecewise, sp.zoo, sp.nan, sp.oo):
            raise NoPotentialError
        total += value
    return total


def _generic(*cases: tuple[sp.Expr, sp.Basic]) -> sp.Expr:
    """The case in which nothing vanishes, as a - b in exp(λ (a - b))."""
    value, condition = cases[0]
    if not isinstance(condition, sp.Ne):
        raise NoPotentialError
    return value


def _degree(
    term: sp.Expr, found: dict[sp.Symbol, tuple[int, MultiIndex]], weights: Sequence[int] = ()
) -> sp.Expr | None:
    """The degree of an expression that is homogeneous in the jets, as a product of their powers; else None.

    Unknowns count with their weights, 1 unless given.
    """
    degree = sp.S.Zero
    for factor in sp.Mul.make_args(term):
        power, exponent = factor.as_base_exp()
        if not factor.free_symbols & found.keys():
            continue
        if exponent.free_symbols & found.keys():
            return None
        own: set[sp.Expr | None] = {None}
        if power in found:
            own = {sp.Integer(weights[found[power][0]]) if weights else sp.S.One}
        elif power.is_Add:
            own = {_degree(part, found, weights) for part in power.args}
        if len(own) > 1 or None in own:
            return None
        degree += exponent * own.pop()
    return degree
