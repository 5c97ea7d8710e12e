"""Random well-posed evolution equations, as declarations: number n is the same equation in every process.

Orders 2 to 5, one or two unknowns, none to three nonlinear terms; coefficients are numbers, or functions of t or x.
Leading terms diffuse or disperse, so that trajectories can be simulated; nothing is known of the symmetries.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

import sympy as sp

from lieapp.api import PDE, SumOfSines

t, x = sp.symbols("t x", real=True)
U, V = (sp.Function(name)(t, x) for name in "uv")
SIZES = [sp.Rational(a, b) for a, b in ((1, 5), (1, 3), (1, 2), (1, 1), (2, 1), (3, 1))]
GROWING = (sp.sqrt(t + 1), 1 + sp.sin(t) / 2, sp.exp(-t / 5), 1 / (t + 1), 1 + t / 4)
"""Positive functions of t."""

TIMES = {2: (1, 2, 4, 8), 3: (4, 8, 16), 4: (2, 4, 8), 5: (4, 8)}
LENGTHS = {2: (8, 16, 32), 3: (16, 32), 4: (16, 32), 5: (16, 32)}


def equation(number: int, points: int = 64) -> PDE:
    """Equation `number`, on so many points of x."""
    rng = random.Random(f"lieapp calibration {number}")
    unknowns = [U, V] if rng.random() < 0.2 else [U]
    order = rng.choices((2, 3, 4, 5), (35, 30, 20, 15))[0] if len(unknowns) == 1 else rng.choice((2, 2, 3))
    length, window = rng.choice(LENGTHS[order]), rng.choice(TIMES[order])
    moving = rng.choices(("", "t", "x"), (65, 22, 13))[0]
    sides = [_side(rng, w, unknowns, order) for w in unknowns]
    _vary(rng, sides, moving, order, length)
    equations = [sp.Eq(w.diff(t) - sp.Add(*side), 0) for w, side in zip(unknowns, sides, strict=True)]
    initial = SumOfSines(
        terms=6, amplitude=rng.choice((0.2, 0.3, 0.5)), wavenumbers=rng.choice(((1, 2), (1, 2, 3))),
        rescale=(0.2, 1.0) if any(_quasilinear(side, order) for side in sides) else None,
    )  # fmt: skip
    return PDE(
        name=f"random{number}", title=f"Random equation {number}", equation=equations, periodic=[x],
        region={t: (0, window), x: (0, length)}, points={t: 64, x: points}, initial=initial,
    )  # fmt: skip


def text(pde: PDE) -> str:
    """The equation in jet notation with its region, for a table."""
    found = []
    for one in pde.equation:
        for w in (U, V):
            one = one.replace(
                lambda e, w=w: isinstance(e, sp.Derivative) and e.expr == w,
                lambda e: sp.Symbol(f"{e.expr.func}_{''.join(str(s) * n for s, n in e.variable_count)}"),
            ).subs(w, sp.Symbol(str(w.func)))
        found.append(f"{one.lhs} = 0")
    (_, window), (_, length) = pde.region[t], pde.region[x]
    return f"{'; '.join(found)} (t < {window}, x < {length})"


def _side(rng: random.Random, w: sp.Expr, unknowns: Sequence[sp.Expr], order: int) -> list[sp.Expr]:
    """The terms of w_t, the leading one first."""
    sign = {2: 1, 4: -1}.get(order) or rng.choice((-1, 1))
    terms = [sign * rng.choice(SIZES[:4] if order == 2 else SIZES[2:5]) * w.diff(x, order)]
    for lower, share in ((0, 0.15), (1, 0.15), (2, 0.2), (3, 0.2)):
        if lower < order and rng.random() < share:
            # lower diffusion dissipates, except where a fourth derivative holds its growth
            free = lower != 2 or (order == 4 and rng.random() < 0.5)
            terms.append((rng.choice((-1, 1)) if free else 1) * rng.choice(SIZES[:4]) * w.diff(x, lower))
    pool = _nonlinear(w, unknowns, order)
    for term in rng.sample(pool, min(rng.choices((0, 1, 2, 3), (10, 45, 30, 15))[0], len(pool))):
        terms.append(rng.choice(SIZES[:5]) * term)
    return terms


def _nonlinear(w: sp.Expr, unknowns: Sequence[sp.Expr], order: int) -> list[sp.Expr]:
    """Terms with which equations of this order stay well-posed; signs are those that don't grow."""
    s = w.diff(x)
    pool = [-w * s, w * s, -(w**2) * s, s**2 / 2, -(w**3)]
    pool += [w**2 / 4, -(s**2)] if order in (2, 4) else [-(s**3), w**3 * s]
    if order == 4:
        pool += [(w**2).diff(x, 2).doit() / 4, (w**3).diff(x, 2).doit(), w * w.diff(x, 2) / 4]
    if order == 2:
        pool += [(w**2).diff(x, 2).doit() / 4]
    if order == 5:
        pool += [w * w.diff(x, 3) / 2, s * w.diff(x, 2) / 2, (w**2).diff(x, 3).doit() / 4]
    for other in (z for z in unknowns if z != w):
        pool += 2 * [-other * s, -w * other.diff(x), other * other.diff(x)]
        pool += 2 * [w * other / 4, -w * other**2, other**2 / 4]
    return pool


def _vary(rng: random.Random, sides: list[list[sp.Expr]], moving: str, order: int, length: int) -> None:
    """Give one or two terms a coefficient that depends on t or x; with x not the leading ones."""
    k = 2 * sp.pi * x / length
    waves = (1 + sp.sin(k) / 2, sp.cos(k), sp.exp(sp.sin(k) / 2))
    places = [(a, n) for a, side in enumerate(sides) for n in range(len(side))]
    if moving == "x":
        # a quasilinear term's coefficient must stay positive, and a diffusion with it
        places = [(a, n) for a, n in places if _order(sides[a][n]) < min(2, order)]
    for a, n in rng.sample(places, min(len(places), rng.choice((1, 1, 2)))) if moving else ():
        sides[a][n] *= rng.choice(GROWING) if moving == "t" else rng.choice(waves)


def _order(term: sp.Expr) -> int:
    """The highest derivative in x."""
    return max((d.derivative_count for d in term.atoms(sp.Derivative)), default=0)


def _quasilinear(side: Sequence[sp.Expr], order: int) -> bool:
    """Whether a nonlinear term has the leading derivative: then data must stay positive."""
    return any(_order(term) >= order for term in side[1:])
