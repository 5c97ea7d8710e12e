"""The exact invariance condition of a given field: Σ ∂Δ/∂uᵃ_J · D_J Qᵃ = 0 on solutions (Olver 1993, Prop. 5.5).

Independent of the solver: it uses the characteristic, not the prolonged general field.
"""

from __future__ import annotations

from collections.abc import Mapping

import sympy as sp

from lieapp.symbolic.coefficients import CoefficientField
from lieapp.symbolic.equation import System
from lieapp.symbolic.leading import Leading, solve_for_leading
from lieapp.symbolic.prolongation import characteristic


def defect(
    system: System, components: Mapping[str, sp.Expr], leading: Leading | None = None
) -> tuple[sp.Expr, ...]:
    """What is left of the invariance condition, one expression for each equation; all 0 for a symmetry."""
    leading = leading or solve_for_leading(system)
    jets = system.jets
    Q = characteristic(jets, components)
    result = []
    for residual in system.residuals:
        total = sp.S.Zero
        for s, (a, J) in jets.jets(residual).items():
            total += sp.diff(residual, s) * jets.total_derivatives(Q[a], J)
        total = leading.reduce(sp.expand(total))
        result.append(_exact(total, system))
    return tuple(result)


def is_symmetry(system: System, components: Mapping[str, sp.Expr], leading: Leading | None = None) -> bool:
    """Whether a field generates point symmetries of the system, decided exactly."""
    return all(e == 0 for e in defect(system, components, leading))


def _exact(expression: sp.Expr, system: System) -> sp.Expr:
    """The expression, exactly 0 if it vanishes by the relations between its functions."""
    variables = [*system.jets.independent, *system.jets.jets(expression)]
    constants = sorted(expression.free_symbols - set(variables), key=str)
    field = CoefficientField(variables, constants)
    element = field.element(expression)
    return field.expression(element) if element else sp.S.Zero
