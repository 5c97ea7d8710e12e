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
        return [f"{_ordered(residual)} = 0" for residual in read_pde(declaration).residuals]
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
    return Formulas([f"{sp.latex(jets.symbol(a, time))} = {_ordered(rhs)}" for a, rhs in enumerate(form.rhs)])


def _ordered(expression: Any) -> str:
    """LaTeX with time derivatives and short terms first, as one writes an equation."""
    import sympy as sp

    terms = sp.Add.make_args(expression)
    ranked = sorted(terms, key=lambda term: ("_t" not in str(term), len(str(term))))
    # brackets with a blank inside, SymPy's way, would widen every (t + 1)
    return " + ".join(sp.latex(term) for term in ranked).replace("+ -", "- ").replace(r" \right)", r"\right)")
