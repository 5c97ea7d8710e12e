"""The functions that formulas are made of: monomials, and what occurs in the equation's own coefficients.

A coefficient a(t) brings its powers and the factors exp(±∫a dt) of its integral, which are the functions that
appear in symmetries of equations with such coefficients, and the antiderivatives of these where they are
elementary: from 1/(2(t+1)) come 1/(t+1), log(t+1), sqrt(t+1), 1/sqrt(t+1), (t+1)^(3/2). The antiderivative of a(t)
itself is taken in also where it isn't elementary.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import combinations_with_replacement

import sympy as sp

from lieapp.equations.coefficients import CoefficientField
from lieapp.equations.equation import System
from lieapp.equations.evolution import evolution_form
from lieapp.errors import EquationError
from lieapp.lie.normal_form import coordinates_in

LONGEST = 12
"""Operations in an antiderivative that is still called simple."""

MOST_ATOMS = 24
"""Functions of one coordinate that are taken in."""

KNOWN = (sp.exp, sp.log, sp.sin, sp.cos, sp.tan, sp.sinh, sp.cosh, sp.tanh)
"""What antiderivatives may be made of."""


def library(
    system: System, periodic: Sequence[bool], degree: int = 2, further: Sequence[sp.Expr] = ()
) -> list[sp.Expr]:
    """Functions of the coordinates, the simplest first, none a multiple of another.

    Args:
        system: whose coefficients bring atoms.
        periodic: for each coordinate; monomials in a periodic one aren't functions on the domain.
        degree: highest total degree of the monomials; an atom is multiplied by monomials of degree up to 1.
        further: functions of one coordinate each, which are multiplied by all monomials in the others.
    """
    coordinates = system.jets.coordinates
    free = [c for c, closed in zip(coordinates, periodic, strict=True) if not closed]
    closed = {c for c, is_closed in zip(coordinates, periodic, strict=True) if is_closed}
    found: dict[sp.Expr, None] = dict.fromkeys(monomials(coordinates, periodic, degree))
    usable = [a for a in atoms(system) if not any(c in closed and not _is_wave(a, c) for c in a.free_symbols)]
    usable.sort(key=lambda a: (sp.count_ops(a), str(a)))
    # bare ones first: of functions that depend on each other the earlier ones are kept
    for factor in (sp.S.One, *free):
        for atom in usable:
            found.setdefault(sp.powsimp(factor * atom))
    for n in range(degree + 1):
        for atom in further:
            others = [c for c in free if c not in atom.free_symbols]
            for factors in combinations_with_replacement(others, n):
                found.setdefault(sp.Mul(atom, *factors))
    return _independent(list(found), system)


def monomials(coordinates: Sequence[sp.Symbol], periodic: Sequence[bool], degree: int) -> list[sp.Expr]:
    """Those in the coordinates that aren't periodic, of rising degree."""
    free = [c for c, closed in zip(coordinates, periodic, strict=True) if not closed]
    return [sp.Mul(*chosen) for n in range(degree + 1) for chosen in combinations_with_replacement(free, n)]


def _independent(functions: Sequence[sp.Expr], system: System) -> list[sp.Expr]:
    """Those that aren't linear combinations of earlier ones, exactly: t/(t+1) is 1 - 1/(t+1)."""
    field = CoefficientField(system.jets.coordinates, system.parameters)
    elements = field.elements(functions)
    kept: list[int] = []
    for k, element in enumerate(elements):
        basis = [[field.lift(elements[j])] for j in kept]
        if not kept or coordinates_in(basis, [[field.lift(element)]], field)[0] is None:
            kept.append(k)
    return [functions[k] for k in kept]


def atoms(system: System) -> list[sp.Expr]:
    """Functions of one coordinate that the coefficients bring, without constant factors."""
    found: dict[sp.Expr, None] = {}
    for v in system.jets.independent:
        for a in _coefficients(system, v):
            for f in _relatives(a, v):
                f = _without_factor(f, v)
                if f.has(v) and not f.is_polynomial(v):
                    found.setdefault(f)
    for f in _of_damping(system):
        found.setdefault(f)
    for v in system.jets.unknowns:
        for residual in system.residuals:
            inside = sorted(residual.atoms(sp.Function, sp.Pow), key=str)
            for f in (f for f in inside if f.free_symbols == {v} and not f.is_polynomial(v)):
                found.setdefault(f)
    return list(found)[:MOST_ATOMS]


def _of_damping(system: System) -> Iterator[sp.Expr]:
    """Exponentials and waves of t where solutions constant in space obey u_t = A u with a constant matrix A.

    Symmetries that add to u or multiply it by a matrix grow at rates that are eigenvalues of A, their opposites or
    differences, if the rest of the equation lets them.
    """
    try:
        evolution = evolution_form(system)
    except EquationError:
        return
    jets = evolution.jets
    slopes = {s: 0 for f in evolution.rhs for s, (_, J) in jets.jets(f).items() if any(J)}
    matrix = sp.Matrix([[sp.diff(f.subs(slopes), u) for u in jets.unknowns] for f in evolution.rhs])
    if matrix.is_zero_matrix or matrix.free_symbols:
        return
    own = [value for value, count in matrix.eigenvals().items() for _ in range(count)]
    rates = dict.fromkeys([*own, *(-a for a in own), *(a - b for a in own for b in own)])
    t = jets.independent[evolution.time]
    for rate in rates:
        grown, turned = sp.exp(sp.re(rate) * t), sp.im(rate) * t
        if turned == 0:
            yield from [grown] * bool(rate != 0)
        elif sp.im(rate).is_positive:
            yield from (grown * sp.cos(turned), grown * sp.sin(turned))


def _coefficients(system: System, v: sp.Symbol) -> list[sp.Expr]:
    """The factors in v alone of the residuals' terms, one term for each product of jets: t + 1, not t."""
    found: dict[sp.Expr, None] = {}
    for residual in system.residuals:
        terms: dict[sp.Expr, sp.Expr] = {}
        for term in sp.Add.make_args(sp.expand(residual)):
            own, rest = term.as_independent(*system.jets.jets(term), as_Add=False)
            terms[rest] = terms.get(rest, sp.S.Zero) + own
        for term in (own * rest for rest, own in terms.items()):
            factor = sp.Mul(*(f for f in sp.Mul.make_args(sp.factor_terms(term)) if f.free_symbols == {v}))
            if factor.has(v):
                found.setdefault(_without_factor(factor, v))
    return list(found)


def _relatives(a: sp.Expr, v: sp.Symbol) -> Iterator[sp.Expr]:
    """a, its powers, exp(±∫a) and their antiderivatives."""
    first = [a, 1 / a, sp.sqrt(a), 1 / sp.sqrt(a)]
    primitive = _antiderivative(a, v)
    if primitive is None:
        first.append(sp.Integral(a, v))
    else:
        first += [primitive, sp.exp(primitive), sp.exp(-primitive)]
    first = [sp.powdenest(sp.expand_log(f, force=True), force=True) for f in first]
    first = [sp.powsimp(f) for f in first if sp.count_ops(f) <= LONGEST]
    yield from first
    yield from (p for f in first[1:] if not f.has(sp.Integral) and (p := _antiderivative(f, v)) is not None)


@cache  # a basis and the formulas ask for the same ones, and integrals take seconds
def _antiderivative(f: sp.Expr, v: sp.Symbol) -> sp.Expr | None:
    positive = sp.Dummy(positive=True)
    try:
        # by rules of calculus only: what they don't find is no simple function
        found = sp.integrate(f.xreplace({v: positive}), positive, manual=True)
    except (NotImplementedError, ValueError, TypeError, RecursionError):
        return None
    if found.has(sp.Integral, sp.Piecewise, sp.I) or not all(
        isinstance(a, KNOWN) for a in found.atoms(sp.Function)
    ):
        return None
    found = found.xreplace({positive: v})
    return found if sp.count_ops(found) <= LONGEST else None


def _without_factor(f: sp.Expr, v: sp.Symbol) -> sp.Expr:
    """f over its factor without v, also under the roots of t/2 + 1/2."""
    _, dependent = sp.factor(sp.powsimp(f, force=True)).as_independent(v, as_Add=False)
    return sp.Mul(*(_of_unit_slope(g, v) for g in sp.Mul.make_args(dependent)))


def _of_unit_slope(f: sp.Expr, v: sp.Symbol) -> sp.Expr:
    """(2t + 2)^p as (t + 1)^p, a constant multiple."""
    if f.is_Pow and f.base.is_polynomial(v) and f.base.has(v):
        return sp.expand(f.base / sp.Poly(f.base, v).LC()) ** f.exp
    return f


def _is_wave(f: sp.Expr, v: sp.Symbol) -> bool:
    """Whether a function of a periodic variable is made of sines and cosines."""
    inside: Iterable[sp.Basic] = f.atoms(sp.sin, sp.cos)
    return bool(inside) and not f.xreplace({w: sp.Dummy() for w in inside}).has(v)
