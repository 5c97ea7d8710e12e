"""Split u_t = F into a stiff linear part and the rest, as exponential integrators want it."""

from __future__ import annotations

from dataclasses import dataclass

import sympy as sp

from lieapp.symbolic.evolution import Evolution
from lieapp.symbolic.jets import MultiIndex


@dataclass(frozen=True)
class Splitting:
    """u_t = L(t) u + N(t, x, u, u_J, …).

    Args:
        evolution: the equation.
        linear: c(t) for each (a, b, J) with L = Σ c ∂^J uᵇ in equation a.
        nonlinear: Nᵃ, everything else.
        degree: polynomial degree of N in the jets; 3 where N isn't polynomial.
        semilinear: whether the highest derivatives all stand in L.
    """

    evolution: Evolution
    linear: dict[tuple[int, int, MultiIndex], sp.Expr]
    nonlinear: tuple[sp.Expr, ...]
    degree: int
    semilinear: bool

    @property
    def autonomous(self) -> bool:
        """Whether L is constant in time."""
        t = self.evolution.jets.independent[self.evolution.time]
        return not any(c.has(t) for c in self.linear.values())


def split(evolution: Evolution) -> Splitting:
    """Collect the terms linear in one jet whose coefficient depends on t alone."""
    jets, t = evolution.jets, evolution.jets.independent[evolution.time]
    linear: dict[tuple[int, int, MultiIndex], sp.Expr] = {}
    rest = []
    for a, f in enumerate(evolution.rhs):
        remaining = []
        for term in sp.Add.make_args(sp.expand(f)):
            found = list(jets.jets(term).items())
            coefficient = sp.cancel(term / found[0][0]) if len(found) == 1 else None
            if coefficient is not None and coefficient.free_symbols <= {t}:
                key = (a, *found[0][1])
                linear[key] = linear.get(key, sp.S.Zero) + coefficient
            else:
                remaining.append(term)
        rest.append(sp.Add(*remaining))
    linear = {key: c for key, value in linear.items() if (c := sp.simplify(value)) != 0}
    return Splitting(evolution, linear, tuple(rest), degree(evolution, rest), _semilinear(evolution, rest))


def degree(evolution: Evolution, expressions: list[sp.Expr] | tuple[sp.Expr, ...]) -> int:
    """Polynomial degree in the jets, at least 1; 3 where an expression isn't polynomial."""
    result = 1
    for e in expressions:
        found = list(evolution.jets.jets(e))
        if found:
            result = max(result, sp.Poly(e, *found).total_degree() if e.is_polynomial(*found) else 3)
    return result


def _semilinear(evolution: Evolution, rest: list[sp.Expr]) -> bool:
    """Whether no derivative of the highest order (from the second on) is left in N."""
    top = evolution.jets.order(evolution.rhs)
    return top < 2 or evolution.jets.order(rest) < top
