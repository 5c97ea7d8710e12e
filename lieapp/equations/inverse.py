"""Equations with their highest derivatives inside functions, opened: y_xx - y = log(y_x) for exp(y_xx - y) = y_x.

Branches are the real generic ones, as for coefficients: what a root or logarithm is taken of counts as positive.
"""

from __future__ import annotations

import sympy as sp

from lieapp.equations.jets import JetSpace


def opened(equation: sp.Expr, jets: JetSpace) -> tuple[sp.Expr, list[sp.Expr]]:
    """The equation with its highest derivatives outside of functions, as far as these have an inverse.

    And what was divided by. An equation with a highest derivative outside stays as it is.
    """
    divided: list[sp.Expr] = []
    while (step := _opened(equation, jets)) is not None:
        equation, slope = step
        divided.append(slope)
    return equation, divided


def _opened(equation: sp.Expr, jets: JetSpace) -> tuple[sp.Expr, sp.Expr] | None:
    order = jets.order([equation])
    highest = {s for s, (_, J) in jets.jets(equation).items() if sum(J) == order}
    if not any(f.free_symbols & highest for f in opaque(equation)):
        return None
    numer = sp.numer(sp.together(equation))
    names = {f: sp.Dummy(real=True) for f in opaque(numer) if f.free_symbols & highest}
    outer = numer.xreplace(names)
    if not order or outer.free_symbols & highest:
        return None
    for f, name in names.items():
        rest = numer.xreplace({f: name})
        slope = sp.diff(rest, name)
        if slope.has(name) or rest.free_symbols & f.free_symbols & highest:
            continue
        inside = _inverse(f, sp.cancel(-rest.xreplace({name: sp.S.Zero}) / slope), highest)
        if inside is not None:
            return inside, slope
    return None


def opaque(expression: sp.Expr) -> list[sp.Expr]:
    """The largest parts that aren't made by + - * / and integer powers."""
    if not expression.args:
        return []
    if expression.is_Add or expression.is_Mul or (expression.is_Pow and expression.exp.is_Integer):
        return [e for a in expression.args for e in opaque(a)]
    return [expression]


def _inverse(f: sp.Expr, value: sp.Expr, highest: set[sp.Symbol]) -> sp.Expr | None:
    """What vanishes where f(g) has the value: g less the inverse of f there; None if f has no single inverse."""
    if isinstance(f, sp.log):
        return f.args[0] - sp.exp(value)
    if isinstance(f, sp.sinh):
        return f.args[0] - sp.log(value + sp.sqrt(value**2 + 1))
    if isinstance(f, sp.tanh):
        return f.args[0] - sp.log((1 + value) / (1 - value)) / 2
    base, exponent = f.as_base_exp()
    if f == base:
        return None
    above, below = exponent.free_symbols & highest, base.free_symbols & highest
    if above - below:
        return exponent - sp.log(value) / sp.log(base)
    even = exponent.is_Rational and exponent.p % 2 == 0
    unreal = exponent.is_Rational and exponent.q % 2 == 0 and value.is_negative
    return None if above or even or unreal else base - value ** (1 / exponent)
