"""Does a change of variables send solutions to solutions? Decided exactly, by substitution on jets."""

from __future__ import annotations

import sympy as sp

from lieapp.api import PDE
from lieapp.data.change import unknowns_on_jets
from lieapp.equations.equation import read_pde, read_transform
from lieapp.equations.evolution import Evolution, evolution_form
from lieapp.equations.jets import MultiIndex


def change_leaves(pde: PDE) -> tuple[sp.Expr, ...]:
    """What the change of variables leaves in each of the plugin's equations; all 0 if it is right."""
    assert pde.transform is not None
    system = read_pde(pde)
    solved = evolution_form(read_transform(pde, pde.transform))
    expressions = unknowns_on_jets(pde, evolution_form(system), solved)
    result = []
    for residual in system.residuals:
        values = {
            s: solved.jets.total_derivatives(expressions[a], J) for s, (a, J) in system.jets.jets(residual).items()
        }
        result.append(_vanishing(_on_solutions(residual.xreplace(values), solved)))
    return tuple(result)


def _on_solutions(expression: sp.Expr, solved: Evolution) -> sp.Expr:
    """Replace every time derivative by derivatives in space."""
    jets = solved.jets
    while True:
        found = {s: _reduced(solved, a, J) for s, (a, J) in jets.jets(expression).items() if J[solved.time]}
        if not found:
            return expression
        expression = expression.xreplace(found)


def _reduced(solved: Evolution, a: int, J: MultiIndex) -> sp.Expr:
    below = tuple(n - (i == solved.time) for i, n in enumerate(J))
    return solved.jets.total_derivatives(solved.rhs[a], below)


def _vanishing(expression: sp.Expr) -> sp.Expr:
    """0 if the numerator expands to 0, else a simplified form."""
    numerator, _ = sp.fraction(sp.together(expression))
    return sp.S.Zero if sp.expand(numerator) == 0 else sp.simplify(expression)
