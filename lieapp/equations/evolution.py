"""The evolution form uᵃ_t = Fᵃ[u] of a system and the Fréchet derivative F'[u](Q) = Σ_J ∂F/∂u_J · D_J Q.

Exponential integrators want F split into a stiff linear part and the rest, and the rest into fluxes: f(u) u_x is
∂_x of the integral of f, which needs u alone, one Fourier transform less at every stage.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import sympy as sp

from lieapp.equations.equation import System
from lieapp.equations.jets import JetSpace, MultiIndex
from lieapp.errors import EquationError


@dataclass(frozen=True)
class Evolution:
    """uᵃ_t = Fᵃ with `rhs` F free of t-derivatives; `time` is the position of t among the independent variables."""

    jets: JetSpace
    time: int
    rhs: tuple[sp.Expr, ...]
    name: str = "equation"

    @property
    def space(self) -> tuple[int, ...]:
        """Positions of the other independent variables."""
        return tuple(i for i in range(len(self.jets.independent)) if i != self.time)

    def rates(self) -> list[tuple[sp.Symbol, sp.Expr]]:
        """uᵃ_t and Fᵃ for each unknown."""
        first = self.jets.raised(self.jets.zero, self.time)
        return [(self.jets.symbol(a, first), f) for a, f in enumerate(self.rhs)]

    @property
    def homogeneous(self) -> bool:
        """Whether F is linear in the unknowns, without a term free of them, and of second order at least.

        Symmetries of first-order linear equations may be of any degree in u: f(u) ∂u for every f.
        """
        free = dict.fromkeys((s for f in self.rhs for s in self.jets.jets(f)), sp.S.Zero)
        slopes = self.frechet()
        return (
            not any(self.jets.jets(slope) for slope in slopes.values())
            and all(f.subs(free) == 0 for f in self.rhs)
            and max((sum(J) for _, _, J in slopes), default=0) > 1
        )

    def frechet(self) -> dict[tuple[int, int, MultiIndex], sp.Expr]:
        """∂Fᵃ/∂uᵇ_J as a map from (a, b, J), only entries that don't vanish."""
        found = ((a, f, s, jet) for a, f in enumerate(self.rhs) for s, jet in self.jets.jets(f).items())
        return {(a, *jet): slope for a, f, s, jet in found if (slope := sp.diff(f, s)) != 0}


def time_variable(system: System) -> int:
    """Position of the evolution variable.

    The one called t; else the first in which every equation has first derivatives alone; else the first.
    """
    names = [str(x) for x in system.jets.independent]
    if "t" in names:
        return names.index("t")
    orders = [J for residual in system.residuals for _, J in system.jets.jets(residual).values()]
    for i in range(len(names)):
        own = {J for J in orders if J[i] > 0}
        if own == {system.jets.raised(system.jets.zero, i)}:
            return i
    return 0


def evolution_form(system: System) -> Evolution:
    """Solve the system for uᵃ_t.

    Raises EquationError when t-derivatives of higher order or mixed ones occur, or no solution is linear.
    """
    jets, time = system.jets, time_variable(system)
    t = jets.independent[time]
    first = jets.raised(jets.zero, time)
    leading = [jets.symbol(a, first) for a in range(len(jets.dependent))]
    for residual in system.residuals:
        for a, J in jets.jets(residual).values():
            if J[time] > 0 and first != J:
                raise EquationError(
                    f"{system.name}: the equation contains {jets.symbol(a, J)}; data must be of an equation "
                    f"{jets.dependent[a]}_{t} = F, with no {t}-derivative in F.",
                    hint=f"Introduce v = {jets.symbol(a, first)} as a second unknown; files need its array too. "
                    "`lieapp truth` derives the symmetries without data."
                    if J[time] > 1
                    else "`lieapp truth` derives its symmetries; to learn them, write it as a system of that form.",
                )
    if len(system.residuals) != len(leading):
        raise EquationError(
            f"{system.name}: {len(system.residuals)} equations for {len(leading)} unknowns; an evolution "
            "system has one for each.",
            hint="Give one evolution equation for each unknown.",
        )
    matrix = sp.Matrix([[sp.diff(r, s) for s in leading] for r in system.residuals])
    if any(entry.has(*leading) for entry in matrix) or sp.simplify(matrix.det()) == 0:
        raise EquationError(
            f"{system.name}: the equations can't be solved linearly for {', '.join(map(str, leading))}.",
            hint="Each unknown needs an equation in which its first time derivative occurs linearly.",
        )
    rest = sp.Matrix([r.subs(dict.fromkeys(leading, 0)) for r in system.residuals])
    rhs = matrix.LUsolve(-rest) if len(leading) > 1 else sp.Matrix([-rest[0] / matrix[0]])
    return Evolution(jets, time, tuple(tidy(f, jets) for f in rhs), system.name)


LONGEST = 150
"""Operations of an expression that is simplified: longer ones, of learned numbers, take minutes."""


def tidy(expression: sp.Expr, jets: JetSpace) -> sp.Expr:
    """Collect an expression that is polynomial in the jets, coefficients in lowest terms."""
    found = list(jets.jets(expression))
    expression = sp.expand(expression)
    if not found or not expression.is_polynomial(*found):
        return sp.simplify(expression) if sp.count_ops(expression) <= LONGEST else expression
    terms = sp.Poly(expression, *found).terms()
    return sp.Add(*(sp.factor(c) * sp.Mul(*(s**n for s, n in zip(found, m, strict=True))) for m, c in terms))


@dataclass(frozen=True)
class Splitting:
    """u_t = L(t) u + N(t, x, u, u_J, …).

    `linear` has c(t) for each (a, b, J) with L = Σ c ∂^J uᵇ in equation a, `nonlinear` is N, `degree` its
    polynomial degree in the jets, 3 where N isn't polynomial; it is semilinear if the highest derivatives all
    stand in L.
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
    # no derivative of the highest order (from the second on) is left in N
    top = evolution.jets.order(evolution.rhs)
    semilinear = top < 2 or evolution.jets.order(rest) < top
    return Splitting(evolution, linear, tuple(rest), degree(evolution, rest), semilinear)


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


Weak = tuple[sp.Expr, MultiIndex, sp.Expr]
"""c(t), J and E of a term c ∂^J E."""


def weak_terms(evolution: Evolution, a: int) -> list[tuple[sp.Expr, Weak]]:
    """The terms of Fᵃ, each with c(t) ∂^J E, where E has as few derivatives as one sees at once."""
    jets = evolution.jets
    space = [jets.independent[i] for i in evolution.space]
    found = []
    for term in sp.Add.make_args(sp.expand(evolution.rhs[a])):
        rate, rest = term.as_independent(*jets.jets(term), *space, as_Add=False)
        inside = jets.jets(rest)
        if list(inside) == [rest]:
            (b, J), = inside.values()
            found.append((term, (rate, J, jets.symbol(b, jets.zero))))
        else:
            found.append((term, (rate, *_integrated(evolution, rest))))
    return found


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
