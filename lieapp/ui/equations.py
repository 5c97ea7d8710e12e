"""A declaration's equation and evolution form as LaTeX; SymPy is loaded here and only when a page asks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from lieapp.errors import LieappError


@dataclass(frozen=True)
class Formulas:
    """Formulas, or why there are none."""

    formulas: list[str]
    error: str = ""


def system_latex(declaration: Any) -> list[str]:
    """Each equation in jet notation, u_{xx} for the second derivative; as declared where it can't be read."""
    import sympy as sp

    from lieapp.symbolic.equation import read_pde

    try:
        system = read_pde(declaration)
        return [f"{_ordered(residual, system.jets)} = 0" for residual in system.residuals]
    except LieappError:
        equations = declaration.equation
        return [sp.latex(e) for e in (equations if isinstance(equations, (list, tuple)) else [equations])]


def evolution_latex(declaration: Any) -> Formulas:
    """u_t = F for every unknown."""
    import sympy as sp

    from lieapp.symbolic.equation import read_pde
    from lieapp.symbolic.evolution import evolution_form

    try:
        form = evolution_form(read_pde(declaration))
    except LieappError as error:
        return Formulas([], f"{error.message} {error.hint}".strip())
    jets, time = form.jets, form.jets.raised(form.jets.zero, form.time)
    return Formulas([f"{sp.latex(jets.symbol(a, time))} = {_ordered(rhs, jets)}" for a, rhs in enumerate(form.rhs)])


def _ordered(expression: Any, jets: Any) -> str:
    """LaTeX in the order in which one writes an equation: u_t, rising derivatives, undifferentiated terms."""
    import sympy as sp

    def rank(term: Any) -> tuple[bool, bool, int, str]:
        orders = [J for _, J in jets.jets(term).values()]
        order = max((sum(J) for J in orders), default=0)
        # the evolution variable is the first by custom
        return not any(J[0] for J in orders), order == 0, order, str(term)

    terms = sorted(sp.Add.make_args(expression), key=rank)
    # SymPy multiplies 2 (t + 1) out by itself; here it goes back
    written = [sp.latex(sp.factor_terms(term, fraction=True)) for term in terms]
    return " + ".join(written).replace("+ - ", "- ")
