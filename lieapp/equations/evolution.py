"""The evolution form uᵃ_t = Fᵃ[u] of a system and the Fréchet derivative F'[u](Q) = Σ_J ∂F/∂u_J · D_J Q."""

from __future__ import annotations

from dataclasses import dataclass

import sympy as sp

from lieapp.equations.equation import System
from lieapp.equations.jets import JetSpace, MultiIndex
from lieapp.errors import EquationError


@dataclass(frozen=True)
class Evolution:
    """u_t = F with F free of t-derivatives.

    Args:
        jets: variables and unknowns.
        time: position of the evolution variable among the independent ones.
        rhs: Fᵃ in the order of the unknowns, on the jet space.
    """

    jets: JetSpace
    time: int
    rhs: tuple[sp.Expr, ...]
    name: str = "equation"

    @property
    def space(self) -> tuple[int, ...]:
        """Positions of the other independent variables."""
        return tuple(i for i in range(len(self.jets.independent)) if i != self.time)

    def frechet(self) -> dict[tuple[int, int, MultiIndex], sp.Expr]:
        """∂Fᵃ/∂uᵇ_J as a map from (a, b, J), only entries that don't vanish."""
        entries = {}
        for a, f in enumerate(self.rhs):
            for s, (b, J) in self.jets.jets(f).items():
                entries[(a, b, J)] = sp.diff(f, s)
        return {key: value for key, value in entries.items() if value != 0}


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
                    f"{system.name}: the equation contains {_written(jets, a, J)}; data can be simulated for "
                    f"{jets.dependent[a]}_{t} = F only, with no {t}-derivative in F.",
                    hint=f"Introduce v = {jets.symbol(a, first)} as a second unknown."
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


def tidy(expression: sp.Expr, jets: JetSpace) -> sp.Expr:
    """Collect an expression that is polynomial in the jets, coefficients in lowest terms."""
    found = list(jets.jets(expression))
    expression = sp.expand(expression)
    if not found or not expression.is_polynomial(*found):
        return sp.simplify(expression)
    terms = sp.Poly(expression, *found).terms()
    return sp.Add(*(sp.factor(c) * sp.Mul(*(s**n for s, n in zip(found, m, strict=True))) for m, c in terms))


def _written(jets: JetSpace, a: int, J: MultiIndex) -> str:
    arguments = ", ".join(
        str(x) if count == 1 else f"{x}, {count}" for x, count in zip(jets.independent, J, strict=True) if count
    )
    return f"{jets.dependent[a]}.diff({arguments})"
