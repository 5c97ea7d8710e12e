"""The exact invariance condition of a given field, Σ ∂Δ/∂uᵃ_J · D_J Qᵃ = 0 on solutions.

Olver 1993, Prop. 5.5. Independent of the solver: it uses the characteristic, not the prolonged general field.
"""

from __future__ import annotations

from collections.abc import Mapping

import sympy as sp

from lieapp.symbolic.coefficients import CoefficientField
from lieapp.symbolic.equation import System
from lieapp.symbolic.jets import JetSpace, MultiIndex
from lieapp.symbolic.leading import Leading, solve_for_leading
from lieapp.symbolic.prolongation import characteristic


def defect(
    system: System, components: Mapping[str, sp.Expr], leading: Leading | None = None
) -> tuple[sp.Expr, ...]:
    """What is left of the invariance condition, one expression for each equation; all 0 for a symmetry."""
    leading = leading or solve_for_leading(system)
    derivatives = _Derivatives(system.jets, characteristic(system.jets, components))
    result = []
    for residual in system.residuals:
        terms = [(sp.diff(residual, s), derivatives.of(a, J)) for s, (a, J) in system.jets.jets(residual).items()]
        result.append(_on_solutions(terms, system, leading))
    return tuple(result)


def is_symmetry(system: System, components: Mapping[str, sp.Expr], leading: Leading | None = None) -> bool:
    """Whether a field generates point symmetries of the system, decided exactly."""
    return all(e == 0 for e in defect(system, components, leading))


class _Derivatives:
    """D_J Qᵃ, each from the one below it."""

    def __init__(self, jets: JetSpace, Q: tuple[sp.Expr, ...]) -> None:
        self.jets = jets
        self.known = {(a, jets.zero): q for a, q in enumerate(Q)}

    def of(self, a: int, J: MultiIndex) -> sp.Expr:
        """D_J Qᵃ."""
        if (a, J) not in self.known:
            i = max(k for k, n in enumerate(J) if n)
            below = self.of(a, (*J[:i], J[i] - 1, *J[i + 1 :]))
            self.known[(a, J)] = self.jets.total_derivative(below, i)
        return self.known[(a, J)]


def _on_solutions(terms: list[tuple[sp.Expr, sp.Expr]], system: System, leading: Leading) -> sp.Expr:
    """Σ factor · factor with the principal derivatives replaced; exactly 0 if it vanishes by any relation."""
    jets = system.jets
    found = {s: j for pair in terms for e in pair for s, j in jets.jets(e).items()}
    values = {s: leading.normal(j) for s, j in found.items() if leading.is_principal(j)}
    terms = [(a.xreplace(values), b.xreplace(values)) for a, b in terms]
    symbols = set().union(*(e.free_symbols for pair in terms for e in pair))
    free = sorted((s for s in symbols if jets.is_jet(s)), key=jets.index)
    variables = [*jets.independent, *free]
    constants = sorted(symbols - set(variables), key=str)
    field = CoefficientField(variables, constants)
    factors = [(field.element(a), field.element(b)) for a, b in terms]
    total = field.zero
    for a, b in factors:
        total += field.lift(a) * field.lift(b)
    total = field.reduce(total)
    return field.expression(total) if total else sp.S.Zero
