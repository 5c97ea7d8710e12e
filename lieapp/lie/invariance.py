"""The exact invariance condition of a given field, Σ ∂Δ/∂uᵃ_J (D_J Qᵃ + ξⁱ uᵃ_{J+i}) + ξⁱ ∂Δ/∂xⁱ = 0 on solutions.

Olver 1993, Thms 2.31 and 2.36. Independent of the solver: it uses the characteristic Q, not the prolonged general
field. The terms with ξ add ξⁱ DᵢΔ, which vanishes on solutions, and cancel the derivatives of highest order.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sympy as sp

from lieapp.equations.coefficients import CoefficientField, Element, parted
from lieapp.equations.equation import System
from lieapp.equations.jets import JetSpace, MultiIndex
from lieapp.equations.leading import Leading, solve_for_leading
from lieapp.lie.prolongation import characteristic


def defect(
    system: System, components: Mapping[str, sp.Expr], leading: Leading | None = None
) -> tuple[sp.Expr, ...]:
    """What is left of the invariance condition, one expression for each equation; all 0 for a symmetry."""
    leading = leading or solve_for_leading(system)
    jets = system.jets
    derivatives = _Derivatives(jets, characteristic(jets, components))
    xi = {i: components[str(x)] for i, x in enumerate(jets.independent) if components.get(str(x), 0) != 0}
    result = []
    for residual in system.residuals:
        terms = [(sp.diff(residual, jets.independent[i]), value) for i, value in xi.items()]
        for s, (a, J) in jets.jets(residual).items():
            moved = sum((value * jets.symbol(a, jets.raised(J, i)) for i, value in xi.items()), sp.S.Zero)
            terms.append((sp.diff(residual, s), sp.expand(derivatives.of(a, J) + moved)))
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
            below = self.of(a, self.jets.raised(J, i, -1))
            self.known[(a, J)] = self.jets.total_derivative(below, i)
        return self.known[(a, J)]


def _on_solutions(terms: list[tuple[sp.Expr, sp.Expr]], system: System, leading: Leading) -> sp.Expr:
    """Σ factor · factor with the principal derivatives replaced; exactly 0 if it vanishes by any relation."""
    jets = system.jets
    found = {s: j for pair in terms for e in pair for s, j in jets.jets(e).items()}
    values = {s: leading.normal(j) for s, j in found.items() if leading.is_principal(j)}
    inside = {s for pair in terms for e in pair for s in _inside_functions(e)}
    if inside & values.keys():
        # a root or exponential of what is replaced: only the expression knows
        terms = [(a.xreplace(values), b.xreplace(values)) for a, b in terms]
        values = {}
    symbols = set().union(
        *(e.free_symbols for pair in terms for e in pair), *(v.free_symbols for v in values.values())
    )
    present = sorted((s for s in symbols if jets.is_jet(s)), key=jets.index)
    variables = [*jets.independent, *present]
    field = CoefficientField(variables, sorted(symbols - set(variables), key=str))
    factors = [(field.element(a), field.element(b)) for a, b in terms]
    replaced = {field.position[s]: field.element(v) for s, v in values.items()}
    total = field.zero
    for a, b in factors:
        total += field.lift(a) * field.lift(b)
    replaced = {n: field.lift(v) for n, v in replaced.items()}
    left = field.reduce_polynomial(_replaced(total.numer, replaced, field))
    if not left:
        return sp.S.Zero
    # what was multiplied by on the way, for the value itself
    below = _replaced(total.denom, replaced, field)
    for part, sign in ((total.numer, 1), (total.denom, -1)):
        for n, value in replaced.items():
            degree = sign * max((m[n] for m in part), default=0)
            below = below * field.field.raw_new(value.denom) ** degree
    return sp.factor_terms(field.expression(field.reduce(field.field.raw_new(left) / below)))


def _replaced(polynomial: Any, values: Mapping[int, Element], field: CoefficientField) -> Any:
    """The numerator of a polynomial with some generators replaced by fractions: no common divisors are sought."""
    degrees = {n: max((m[n] for m in polynomial), default=0) for n in values}
    ring, powers = field.field.ring, {}
    for n, value in values.items():
        for e in range(degrees[n] + 1):
            # a ring refuses 0**0
            numer = value.numer**e if e else ring.one
            powers[n, e] = field.reduce_polynomial(numer * value.denom ** (degrees[n] - e))
    total = ring.zero
    for on, part in parted(polynomial, values).items():
        for n in values:
            if degrees[n]:
                part *= powers[n, on[n]]
        total += part
    return total


def _inside_functions(expression: sp.Expr) -> set[sp.Symbol]:
    """The symbols that occur in anything that isn't rational."""
    if expression.is_rational_function(*expression.free_symbols):
        return set()
    nodes = sp.preorder_traversal(expression)
    opaque = (e for e in nodes if e.args and not (e.is_Add or e.is_Mul or (e.is_Pow and e.exp.is_Integer)))
    return set().union(*(e.free_symbols for e in opaque))
