"""Split u_t = F into a stiff linear part and the rest, as exponential integrators want it; the rest into fluxes.

f(u) u_x is ∂_x of the integral of f: as a flux it needs u alone, one Fourier transform less at every stage.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import sympy as sp

from lieapp.equations.evolution import Evolution
from lieapp.equations.jets import MultiIndex


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


def common_rate(splitting: Splitting) -> tuple[sp.Expr, Splitting] | None:
    """a(t) and the splitting of u_τ = G[u] for u_t = a(t) G[u], which is autonomous in the time τ = ∫ a dt.

    None if t doesn't enter by one common factor alone.
    """
    evolution = splitting.evolution
    t = evolution.jets.independent[evolution.time]
    parts = [*splitting.linear.values(), *(term for n in splitting.nonlinear for term in sp.Add.make_args(n))]
    rates = {term.as_independent(*(term.free_symbols - {t}), as_Add=False)[0] for term in parts if term != 0}
    rates = {rate.as_independent(t, as_Add=False)[1] for rate in rates}
    if len(rates) != 1 or not (rate := rates.pop()).free_symbols:
        return None
    linear = {key: sp.cancel(c / rate) for key, c in splitting.linear.items()}
    nonlinear = tuple(sp.expand(sp.cancel(sp.expand(n) / rate)) for n in splitting.nonlinear)
    if any(e.has(t) for e in (*linear.values(), *nonlinear)):
        return None
    return rate, replace(splitting, linear=linear, nonlinear=nonlinear)


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


@dataclass(frozen=True)
class Flux:
    """The term rate(t) · ∂^J density of equation `component`."""

    component: int
    J: MultiIndex
    rate: sp.Expr
    density: sp.Expr


def fluxes(evolution: Evolution, nonlinear: tuple[sp.Expr, ...]) -> list[Flux]:
    """N as a sum of c(t) ∂^J E, with as few and as low derivatives inside E as one sees at once."""
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
