"""Generalised symmetries: Qᵃ(x, u, …, u_K) with Σ ∂Δ/∂uᵃ_J D_J Qᵃ = 0 on solutions (Olver 1993, ch. 5.1).

Q depends on derivatives that are free on solutions only, so that no two differ by what vanishes on solutions. The
determining equations are linear in Q, a function of more variables than a point symmetry's components: the same
solver and the same certificate work on them.
"""

from __future__ import annotations

from lieapp.equations.coefficients import CoefficientField
from lieapp.equations.equation import System
from lieapp.equations.evolution import evolution_form
from lieapp.equations.leading import Leading, check_equations, solve_for_leading
from lieapp.errors import EquationError
from lieapp.lie.beyond.jet_forms import JetForms, arguments
from lieapp.lie.determining import DeterminingSystem, primitive_parts, slopes_of
from lieapp.lie.linear import Form, add


def solved_leading(system: System) -> Leading:
    """The system solved for first derivatives in time if it is an evolution system, else for leading derivatives.

    Raises EquationError where that can't be done linearly.
    """
    check_equations(system)
    try:
        rates = evolution_form(system)
    except EquationError:
        leading = solve_for_leading(system)
    else:
        leading = Leading(system.jets)
        leading.rules = {system.jets.index(s): leading.canonical(rate) for s, rate in rates.rates()}
    if leading.relations:
        named = ", ".join(str(system.jets.symbol(*jet)) for jet in leading.relations)
        raise EquationError(
            f"{system.name}: it isn't solved for {named}; beyond point symmetries that is needed.",
            hint="Solve the equation for its highest derivative, or differentiate it once.",
        )
    return leading


def generalised_equations(system: System, order: int, leading: Leading | None = None) -> DeterminingSystem:
    """The determining equations of characteristics of differential order up to `order`.

    They depend on derivatives that are free if the system is solved for `leading` ones, by default as
    `solved_leading` does.
    """
    leading = leading or solved_leading(system)
    jets = system.jets
    own = arguments(leading, order)
    slopes = [
        {key: leading.reduce(e) for key, e in slopes_of(r, jets).items() if not isinstance(key, int)}
        for r in system.residuals
    ]
    asked = {J for found in slopes for _, J in found}
    forms = JetForms(leading, system.parameters, own, asked, [e for found in slopes for e in found.values()])
    unknowns = forms.unknowns
    components = [unknowns.new(range(forms.size)) for _ in jets.dependent]
    known = [{jets.zero: unknowns.form(forms.field, f)} for f in components]
    conditions = []
    for found in slopes:
        condition: Form = {}
        for (a, J), slope in found.items():
            c = forms.field.element(slope)
            for key, d in forms.totals(known[a][jets.zero], J, known[a]).items():
                add(condition, key, forms.product(c, d))
        conditions.append(condition)
    return assembled(system, leading, forms, components, conditions)


def assembled(
    system: System, leading: Leading, forms: JetForms, components: list[int], conditions: list[Form]
) -> DeterminingSystem:
    """Conditions on functions of derivatives, split by the derivatives that these don't depend on."""
    target = CoefficientField(forms.field.variables[: forms.size], system.parameters)
    equations, divisors = primitive_parts(conditions, forms.field, forms.size, target)
    plain = list(dict.fromkeys([*leading.assumed_nonzero, *divisors]))
    return DeterminingSystem(
        system, leading, target, forms.unknowns, components, equations, list(system.residuals), plain
    )
