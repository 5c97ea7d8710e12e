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

    from lieapp.equations.equation import read_pde
    from lieapp.equations.printing import ordered_latex

    try:
        system = read_pde(declaration)
        return [f"{ordered_latex(residual, system.jets)} = 0" for residual in system.residuals]
    except LieappError:
        equations = declaration.equation
        return [sp.latex(e) for e in (equations if isinstance(equations, (list, tuple)) else [equations])]


def evolution_latex(declaration: Any) -> Formulas:
    """u_t = F for every unknown."""
    import sympy as sp

    from lieapp.equations.equation import read_pde
    from lieapp.equations.evolution import evolution_form
    from lieapp.equations.printing import ordered_latex

    try:
        form = evolution_form(read_pde(declaration))
    except LieappError as error:
        return Formulas([], f"{error.message} {error.hint}".strip())
    jets, time = form.jets, form.jets.raised(form.jets.zero, form.time)
    return Formulas(
        [f"{sp.latex(jets.symbol(a, time))} = {ordered_latex(rhs, jets)}" for a, rhs in enumerate(form.rhs)]
    )
