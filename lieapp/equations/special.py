"""Special functions as pairs y, y1 with slopes linear in both, and recurrences that reduce others to these.

What isn't independent of these is rewritten: Bessel functions of half an odd order are elementary (DLMF 10.16.1,
10.39.1, 10.39.2), and those of order -n are combinations of those of order n (DLMF 10.2.3, 10.27.2, 10.27.3).

Airy: y'' = z y (DLMF 9.2.1). Bessel: DLMF 10.6.1, 10.6.2, 10.29.1, 10.29.2. Mathieu: DLMF 28.2.1. Hermite: DLMF
18.9.1, 18.9.25. Legendre: DLMF 14.10.3 to 14.10.5. The derivatives of the second solutions of Airy's and Bessel's
equations follow from the Wronskian (DLMF 9.2.7, 10.5.2, 10.28.2), so that no relation between atoms is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import sympy as sp

from lieapp.errors import EquationError

Rule = Callable[[sp.Expr, sp.Expr, sp.Expr, sp.Expr], sp.Expr]
"""Of the order n, the argument z, y = f(n, z) and y1 = f(n+1, z)."""


@dataclass(frozen=True)
class Ordered:
    """A function f(n, z): the derivatives of y and of y1 in z, and f(n+2, z) and f(n-1, z) in both."""

    slope: Rule
    slope1: Rule
    above: Rule
    below: Rule


BESSEL = Ordered(
    slope=lambda n, z, y, y1: n / z * y - y1,
    slope1=lambda n, z, y, y1: y - (n + 1) / z * y1,
    above=lambda n, z, y, y1: 2 * (n + 1) / z * y1 - y,
    below=lambda n, z, y, y1: 2 * n / z * y - y1,
)
ORDERED: dict[type[sp.Function], Ordered] = {
    sp.besselj: BESSEL,
    sp.bessely: BESSEL,
    sp.besseli: Ordered(
        slope=lambda n, z, y, y1: n / z * y + y1,
        slope1=lambda n, z, y, y1: y - (n + 1) / z * y1,
        above=lambda n, z, y, y1: y - 2 * (n + 1) / z * y1,
        below=lambda n, z, y, y1: 2 * n / z * y + y1,
    ),
    sp.besselk: Ordered(
        slope=lambda n, z, y, y1: n / z * y - y1,
        slope1=lambda n, z, y, y1: -y - (n + 1) / z * y1,
        above=lambda n, z, y, y1: y + 2 * (n + 1) / z * y1,
        below=lambda n, z, y, y1: y1 - 2 * n / z * y,
    ),
    sp.hermite: Ordered(
        slope=lambda n, z, y, y1: 2 * z * y - y1,
        slope1=lambda n, z, y, y1: 2 * (n + 1) * y,
        above=lambda n, z, y, y1: 2 * z * y1 - 2 * (n + 1) * y,
        below=lambda n, z, y, y1: (2 * z * y - y1) / (2 * n),
    ),
    sp.legendre: Ordered(
        slope=lambda n, z, y, y1: (n + 1) * (y1 - z * y) / (z**2 - 1),
        slope1=lambda n, z, y, y1: (n + 1) * (z * y1 - y) / (z**2 - 1),
        above=lambda n, z, y, y1: ((2 * n + 3) * z * y1 - (n + 1) * y) / (n + 2),
        below=lambda n, z, y, y1: ((2 * n + 1) * z * y - (n + 1) * y1) / n,
    ),
}
FIRST: dict[type[sp.Function], type[sp.Function]] = {sp.bessely: sp.besselj, sp.besselk: sp.besseli}
"""The first solution beside a second one."""

DERIVATIVES: dict[type[sp.Function], type[sp.Function]] = {
    sp.airyai: sp.airyaiprime,
    sp.airybi: sp.airybiprime,
    sp.mathieuc: sp.mathieucprime,
    sp.mathieus: sp.mathieusprime,
}
"""Functions whose derivatives have names."""

PRIMITIVES = {prime: f for f, prime in DERIVATIVES.items()}

SPECIAL = (*ORDERED, *DERIVATIVES, *PRIMITIVES)


HALF: dict[type[sp.Function], Callable[[sp.Expr], sp.Expr]] = {
    sp.besselj: lambda z: sp.sqrt(2 / (sp.pi * z)) * sp.sin(z),
    sp.bessely: lambda z: -sp.sqrt(2 / (sp.pi * z)) * sp.cos(z),
    sp.besseli: lambda z: sp.sqrt(2 / (sp.pi * z)) * sp.sinh(z),
    sp.besselk: lambda z: sp.sqrt(sp.pi / (2 * z)) * sp.exp(-z),
}
"""Of order 1/2."""

REFLECTED: dict[type[sp.Function], Callable[[sp.Expr, sp.Expr], sp.Expr]] = {
    sp.besselj: lambda n, z: sp.cos(sp.pi * n) * sp.besselj(n, z) - sp.sin(sp.pi * n) * sp.bessely(n, z),
    sp.bessely: lambda n, z: sp.sin(sp.pi * n) * sp.besselj(n, z) + sp.cos(sp.pi * n) * sp.bessely(n, z),
    sp.besseli: lambda n, z: sp.besseli(n, z) + 2 / sp.pi * sp.sin(sp.pi * n) * sp.besselk(n, z),
    sp.besselk: lambda n, z: sp.besselk(n, z),
}
"""f(-n, z) in functions of order n."""


def elementary(e: sp.Function) -> sp.Expr:
    """A Bessel function of half an odd order, from that of order 1/2 and its slope."""
    f, (n, z), half = e.func, e.args, sp.Rational(1, 2)
    w = sp.Dummy("w", positive=True)
    y, slope = HALF[f](w), ORDERED[f].slope
    y1 = (sp.diff(y, w) - slope(half, w, y, sp.S.Zero)) / slope(half, w, sp.S.Zero, sp.S.One)
    return shifted(f, half, int(n - half), w, y, y1).subs(w, z)


def by_wronskian(g: sp.Function) -> sp.Expr:
    """What stands for g1 = g(n+1, z), or for Bi', beside a second solution g."""
    z = g.args[-1]
    if isinstance(g, sp.airybi):
        return (1 / sp.pi + sp.airyaiprime(z) * g) / sp.airyai(z)
    f, n = FIRST[g.func], g.args[0]
    if f is sp.besselj:
        return (f(n + 1, z) * g - 2 / (sp.pi * z)) / f(n, z)
    return (1 / z - f(n + 1, z) * g) / f(n, z)


def second_slope(y: sp.Function) -> sp.Expr:
    """y'' of a function whose derivative has a name."""
    if isinstance(y, (sp.airyai, sp.airybi)):
        return y.args[0] * y
    a, q, z = y.args
    return (2 * q * sp.cos(2 * z) - a) * y


def shifted(f: type[sp.Function], n: sp.Expr, steps: int, z: sp.Expr, y: sp.Expr, y1: sp.Expr) -> sp.Expr:
    """f(n + steps, z) in y = f(n, z) and y1 = f(n+1, z)."""
    rules = ORDERED[f]
    for _ in range(steps):
        n, y, y1 = n + 1, y1, rules.above(n, z, y, y1)
    for _ in range(-steps):
        n, y, y1 = n - 1, rules.below(n, z, y, y1), y
    return y


def check_related(e: sp.Expr, others: Iterable[sp.Expr]) -> None:
    """Raises EquationError for Airy functions beside Bessel functions of order 1/3 or 2/3, which are related.

    Ai(z) = √(z/3)/π K_{1/3}(2/3 z^(3/2)) (DLMF 9.6.2): taken as independent they would hide symmetries.
    """
    kinds = {_is_airy(f) for f in (e, *others) if isinstance(f, AIRY) or _is_third(f)}
    if len(kinds) > 1:
        raise EquationError(
            f"{e} isn't supported beside both Airy functions and Bessel functions whose order is a third.",
            hint="Write them as functions of one kind (DLMF 9.6).",
        )


AIRY = (sp.airyai, sp.airybi, sp.airyaiprime, sp.airybiprime)


def _is_airy(f: sp.Expr) -> bool:
    return isinstance(f, AIRY)


def _is_third(f: sp.Expr) -> bool:
    bessel = isinstance(f, (sp.besselj, sp.bessely, sp.besseli, sp.besselk))
    return bessel and bool((3 * f.args[0]).is_Integer) and not f.args[0].is_Integer
