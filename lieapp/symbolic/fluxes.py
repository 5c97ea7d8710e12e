"""Write N as a sum of c(t) ∂^J E, with as few and as low derivatives inside E as one sees at once.

f(u) u_x is ∂_x of the integral of f: E then needs u alone, one Fourier transform less at every stage of a stepper.
"""

from __future__ import annotations

from dataclasses import dataclass

import sympy as sp

from lieapp.symbolic.evolution import Evolution
from lieapp.symbolic.jets import MultiIndex


@dataclass(frozen=True)
class Flux:
    """The term rate(t) · ∂^J density of equation `component`."""

    component: int
    J: MultiIndex
    rate: sp.Expr
    density: sp.Expr


def fluxes(evolution: Evolution, nonlinear: tuple[sp.Expr, ...]) -> list[Flux]:
    """The terms of N, those with the same component, derivative and rate added up."""
    jets, t = evolution.jets, evolution.jets.independent[evolution.time]
    space = [jets.independent[i] for i in evolution.space]
    grouped: dict[tuple[int, MultiIndex, sp.Expr], sp.Expr] = {}
    for a, n in enumerate(nonlinear):
        for term in sp.Add.make_args(sp.expand(n)):
            rate, rest = term.as_independent(*jets.jets(term), *space, as_Add=False)
            number, rate = rate.as_independent(t, as_Add=False)
            J, density = _integrated(evolution, rest)
            key = (a, J, rate)
            grouped[key] = grouped.get(key, sp.S.Zero) + number * density
    return [Flux(a, J, rate, density) for (a, J, rate), density in grouped.items() if density != 0]


def _integrated(evolution: Evolution, term: sp.Expr) -> tuple[MultiIndex, sp.Expr]:
    """J and E with ∂^J E = term, J = 0 unless the term is f(u) u_x with a power f."""
    jets = evolution.jets
    found = jets.jets(term)
    for s, (b, J) in found.items():
        u = jets.symbol(b, jets.zero)
        f = sp.cancel(term / s)
        if sum(J) == 1 and f.free_symbols == {u} and f.is_polynomial(u):
            return J, sp.integrate(f, u)
    return jets.zero, term
