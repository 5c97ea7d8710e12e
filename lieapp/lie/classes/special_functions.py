"""Functions for which an expression in them and their derivatives vanishes: short ordinary differential equations.

F(x, y, y', …) = 0 is brought to lower order until a first-order equation can be integrated: the lowest derivative
that occurs is the new unknown; y' = s y where F is homogeneous in y; y' = p(y) where x doesn't occur (Olver 1993,
ch. 2.5). Everything that is divided by on the way gives solutions of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import sympy as sp
from sympy.polys.polyerrors import BasePolynomialError

MAX_TERMS = 40
"""Terms of an equation beyond which no solution is looked for."""

MAX_DEPTH = 6

FAILURES = (
    *(ArithmeticError, AttributeError, LookupError, NotImplementedError, RecursionError, TypeError, ValueError),
    BasePolynomialError,
)
"""What SymPy's integrals, roots and solutions raise where they give up, besides what they say they do."""


class UnsolvedError(Exception):
    """An equation that isn't solved in closed form."""


def asked(call: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
    """What a function of SymPy's gives. Raises UnsolvedError where it gives up, in whichever way."""
    try:
        return call(*arguments, **options)
    except FAILURES:
        raise UnsolvedError from None


@dataclass
class Constants:
    """The constants of integration that were brought in, and what solutions were `missed`, in words."""

    made: list[sp.Symbol] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)

    def new(self) -> sp.Symbol:
        """Another one."""
        last = max((int(c.name[1:]) for c in self.made if c.name[1:].isdigit()), default=0)
        self.made.append(sp.Symbol(f"C{last + 1}", real=True))
        return self.made[-1]


def constants_in(y: sp.Expr, known: Iterable[sp.Symbol]) -> list[sp.Symbol]:
    """What isn't known in an expression, C2 before C10."""
    return sorted(y.free_symbols - {*known}, key=lambda c: (len(c.name), c.name))


def solutions(
    equation: sp.Expr, jets: Sequence[sp.Symbol], x: sp.Symbol, constants: Constants
) -> list[sp.Expr]:
    """Functions y(x) with F = 0, in closed form: all but those of which special constants are told apart.

    `jets` are the symbols of y, y', …. Raises UnsolvedError where one can't be found.
    """
    found: dict[sp.Expr, None] = {}
    for factor in _factors(equation, jets):
        for y in _solved(factor, list(jets), x, constants, MAX_DEPTH):
            if y.has(sp.I):
                constants.missed.append("complex ones")
            else:
                found[tidy(y)] = None
    return list(found)


def tidy(y: sp.Expr) -> sp.Expr:
    """(x + a)**n in place of exp(n log(x + a)), factors put together."""
    y = y.replace(
        lambda e: isinstance(e, sp.exp) and e.exp.has(sp.log),
        lambda e: sp.Mul(*(_as_power(term) for term in sp.Add.make_args(sp.expand(e.exp)))),
    )
    terms = [asked(sp.powsimp, asked(sp.factor, term)) for term in sp.Add.make_args(asked(sp.powsimp, y))]
    return asked(sp.powsimp, sp.factor_terms(sp.Add(*terms)))


def _as_power(term: sp.Expr) -> sp.Expr:
    logs = [f for f in sp.Mul.make_args(term) if isinstance(f, sp.log)]
    return logs[0].args[0] ** (term / logs[0]) if logs else sp.exp(term)


def _factors(equation: sp.Expr, jets: Iterable[sp.Symbol]) -> list[sp.Expr]:
    numer = sp.numer(sp.together(equation))
    if len(sp.Add.make_args(sp.expand(numer))) > MAX_TERMS:
        raise UnsolvedError
    inside = {*jets}
    return [f for f, _ in asked(sp.factor_list, numer)[1] if f.free_symbols & inside]


def _solved(
    F: sp.Expr, jets: list[sp.Symbol], x: sp.Symbol, constants: Constants, depth: int
) -> Iterator[sp.Expr]:
    """Solutions of an irreducible F = 0."""
    present = [n for n, y in enumerate(jets) if y in F.free_symbols]
    low, order = present[0], present[-1]
    if not depth:
        raise UnsolvedError
    if low:
        for y in _solved(F, jets[low:], x, constants, depth - 1):
            yield from _integrated(y, low, x, constants)
    elif order == 0:
        yield from _algebraic(F, jets[0])
    elif _homogeneous(F, jets[: order + 1]):
        yield from _by_logarithm(F, jets[: order + 1], x, constants, depth)
    elif order == 1:
        yield from _first_order(F, jets, x, constants)
    elif x not in F.free_symbols:
        yield from _autonomous(F, jets[: order + 1], x, constants, depth)
    else:
        raise UnsolvedError


def _algebraic(F: sp.Expr, y: sp.Symbol) -> list[sp.Expr]:
    found = asked(sp.roots, F, y) if F.is_polynomial(y) else {}
    if not found or sum(found.values()) != asked(sp.degree, F, y):
        raise UnsolvedError
    return [value for value in found if value.is_real is not False]


def _integrated(y: sp.Expr, times: int, x: sp.Symbol, constants: Constants) -> Iterator[sp.Expr]:
    """All antiderivatives, also where a constant is special."""
    if not times:
        yield y
        return
    for integral in integrals(y, x, constants.made):
        yield from _integrated(integral + constants.new(), times - 1, x, constants)


def integrals(y: sp.Expr, x: sp.Symbol, constants: Sequence[sp.Symbol]) -> list[sp.Expr]:
    """∫ y dx for generic constants, and for those for which it has another form."""
    value = asked(sp.integrate, sp.expand(y) if y.is_polynomial(x) else y, x, conds="none")
    if value.has(sp.Integral, sp.Piecewise, sp.erf, sp.I):
        raise UnsolvedError
    found = [value]
    for c, special in _poles(value, x, constants):
        here = y.subs(c, special)
        if not here.has(sp.nan, sp.zoo, sp.oo):
            found += integrals(here, x, [k for k in constants if k != c])
    return list(dict.fromkeys(found))


def _poles(value: sp.Expr, x: sp.Symbol, constants: Sequence[sp.Symbol]) -> Iterator[tuple[sp.Symbol, sp.Expr]]:
    """Values of constants for which something that doesn't depend on x is divided by 0."""
    below = {e.base for e in sp.together(value).atoms(sp.Pow) if e.exp.is_negative and x not in e.free_symbols}
    below |= {e.base for e in value.atoms(sp.Pow) if e.exp.is_negative and x not in e.free_symbols}
    seen = set()
    for base in sorted(below, key=str):
        for factor, _ in asked(sp.factor_list, base)[1] if base.free_symbols else []:
            for c in constants:
                if c in factor.free_symbols and factor.is_polynomial(c) and asked(sp.degree, factor, c) == 1:
                    root = asked(sp.solve, factor, c)[0]
                    if (c, root) not in seen:
                        seen.add((c, root))
                        yield c, root
                    break


def _homogeneous(F: sp.Expr, jets: Sequence[sp.Symbol]) -> bool:
    return bool(F.is_polynomial(*jets) and asked(sp.Poly, F, *jets).is_homogeneous)


def _by_logarithm(
    F: sp.Expr, jets: Sequence[sp.Symbol], x: sp.Symbol, constants: Constants, depth: int
) -> Iterator[sp.Expr]:
    """y' = s y: the equation for s, and y = C exp(∫ s dx)."""
    slopes = [sp.Dummy(f"s{n}") for n in range(len(jets) - 1)]
    # y⁽ⁿ⁾/y as polynomials in s, s', …
    ratios: list[sp.Expr] = [sp.S.One]
    for _ in jets[1:]:
        last = ratios[-1]
        ratios.append(sp.expand(slopes[0] * last + _rate(last, slopes)))
    reduced = F.subs(dict(zip(jets, ratios, strict=True)), simultaneous=True)
    for factor in _factors(sp.expand(reduced), slopes):
        for s in _solved(factor, slopes, x, constants, depth - 1):
            for integral in integrals(_with_roots(s, x, constants), x, constants.made):
                yield constants.new() * sp.exp(integral)


def _with_roots(s: sp.Expr, x: sp.Symbol, constants: Constants) -> sp.Expr:
    """A rational function with a real root of its denominator in place of another constant."""
    if not s.is_rational_function(x):
        return s
    for factor, _ in asked(sp.factor_list, sp.denom(sp.together(s)))[1]:
        linear = constants.made if asked(sp.degree, factor, x) == 2 else []
        own = [c for c in linear if asked(sp.degree, factor, c) == 1]
        if own:
            constants.missed.append("those with arctan")
            root = constants.new()
            return asked(sp.apart, s.subs(own[0], asked(sp.solve, factor.subs(x, root), own[0])[0]), x)
    return s


def simple_forms(x: sp.Symbol, constants: Constants) -> tuple[sp.Symbol, list[sp.Expr]]:
    """Exponentials and powers, which translations and scalings of x keep, and the constant that is their rate."""
    rate, shift, factor = constants.new(), constants.new(), constants.new()
    return rate, [factor * sp.exp(rate * x), factor * (x + shift) ** rate]


def values_of(y: sp.Expr, jets: Sequence[sp.Symbol], x: sp.Symbol) -> dict[sp.Symbol, sp.Expr]:
    """y, y', … by their symbols."""
    return {jet: sp.diff(y, x, n) for n, jet in enumerate(jets)}


def particular(F: sp.Expr, jets: Sequence[sp.Symbol], x: sp.Symbol, constants: Constants) -> list[sp.Expr]:
    """Solutions that are exponentials or powers, if there are any."""
    rate, forms = simple_forms(x, constants)
    inside = [jet for jet in jets if jet in F.free_symbols]
    poly = asked(sp.Poly, F, *inside)
    found = []
    for y, balanced in zip(forms, ([sp.S.Zero], _balanced(poly, jets)), strict=True):
        left = asked(sp.simplify, F.subs(values_of(y, jets, x), simultaneous=True) / y ** poly.total_degree())
        left = sp.numer(sp.together(asked(sp.factor, left)))
        if left.is_polynomial(rate):
            special = [rate] if left == 0 else list(asked(sp.roots, left, rate))
        else:
            # terms of several degrees
            special = [value for value in balanced if asked(sp.simplify, left.subs(rate, value)) == 0]
        found += [y.subs(rate, value) for value in special if not value.free_symbols - {rate}]
    return list(dict.fromkeys(found))


def _balanced(poly: sp.Poly, jets: Sequence[sp.Symbol]) -> list[sp.Rational]:
    """Exponents r of xʳ for which two terms of different degrees in the jets have the same power of x."""
    degrees = {
        (sum(m), sum(n * jets.index(jet) for n, jet in zip(m, poly.gens, strict=True))) for m in poly.monoms()
    }
    pairs = [(a, b) for a in degrees for b in degrees if a[0] > b[0]]
    return sorted({sp.Rational(a[1] - b[1], a[0] - b[0]) for a, b in pairs})


def _rate(e: sp.Expr, jets: Sequence[sp.Symbol]) -> sp.Expr:
    """dE/dx by the jets only."""
    return sp.Add(*(sp.diff(e, y) * above for y, above in pairwise(jets)))


def _autonomous(
    F: sp.Expr, jets: Sequence[sp.Symbol], x: sp.Symbol, constants: Constants, depth: int
) -> Iterator[sp.Expr]:
    """y' = p(y): the equation for p, then y by separation."""
    y = sp.Symbol("Y", real=True)
    slopes = [sp.Dummy(f"p{n}") for n in range(len(jets) - 1)]
    values: list[sp.Expr] = [y, slopes[0]]
    for _ in jets[2:]:
        values.append(sp.expand(slopes[0] * _rate(values[-1], slopes) + slopes[0] * sp.diff(values[-1], y)))
    reduced = sp.expand(F.subs(dict(zip(jets, values, strict=True)), simultaneous=True))
    for factor in _factors(reduced, slopes):
        for p in _solved(factor, slopes, y, constants, depth - 1):
            yield from _separated(p, y, x, constants)


def _separated(p: sp.Expr, y: sp.Symbol, x: sp.Symbol, constants: Constants) -> Iterator[sp.Expr]:
    """Solutions of y' = p(y): ∫ dy/p = x + C."""
    if p == 0:
        yield constants.new()
        return
    for factor, _ in asked(sp.factor_list, sp.numer(sp.together(p)))[1]:
        if any(asked(sp.degree, factor, c) == 1 for c in constants.made if y not in factor.free_symbols):
            # for a special constant the slope is 0
            yield constants.new()
    # where it rests
    yield from (root for root in asked(sp.roots, sp.numer(sp.together(p)), y) if p.is_rational_function(y))
    for integral in integrals(asked(sp.simplify, 1 / p), y, constants.made):
        found = asked(sp.solve, integral - x - constants.new(), y)
        if not found:
            raise UnsolvedError
        yield found[0]


def _first_order(F: sp.Expr, jets: Sequence[sp.Symbol], x: sp.Symbol, constants: Constants) -> Iterator[sp.Expr]:
    """y' = g(x, y): separated, linear or of Bernoulli's kind, g = a y + b yⁿ."""
    y, slope = jets[0], jets[1]
    for rate in _algebraic(F, slope):
        if x not in rate.free_symbols:
            yield from _separated(rate.subs(y, Y), Y, x, constants)
            continue
        if not rate.is_polynomial(y):
            raise UnsolvedError
        terms = asked(sp.Poly, rate, y).as_dict()
        degrees = {int(m[0]) for m in terms}
        if degrees <= {0, 1}:
            yield from _linear(terms.get((1,), sp.S.Zero), terms.get((0,), sp.S.Zero), x, constants)
        elif len(degrees - {1}) == 1:
            (n,) = degrees - {1}
            # v = y^(1-n) solves v' = (1-n) (a v + b)
            a, b = ((1 - n) * terms.get((k,), sp.S.Zero) for k in (1, n))
            for v in _linear(a, b, x, constants):
                yield v ** sp.Rational(1, 1 - n)
            yield sp.S.Zero
        else:
            raise UnsolvedError


Y = sp.Symbol("Y", real=True)


def _linear(a: sp.Expr, b: sp.Expr, x: sp.Symbol, constants: Constants) -> Iterator[sp.Expr]:
    """Solutions of y' = a y + b."""
    for whole in integrals(a, x, constants.made):
        factor = sp.exp(whole)
        for part in integrals(asked(sp.simplify, b / factor), x, constants.made):
            yield sp.expand(factor * (part + constants.new()))
