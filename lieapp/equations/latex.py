"""Expressions on jets in writing, in the order in which one writes an equation."""

from __future__ import annotations

from collections.abc import Callable

import sympy as sp

from lieapp.document import Formula
from lieapp.equations.jets import JetSpace


def equation_of(residual: sp.Expr, jets: JetSpace) -> Formula:
    """`residual = 0` in both forms."""
    return Formula(f"{_ordered(residual, jets, str)} = 0", f"{ordered_latex(residual, jets)} = 0")


def ordered_latex(expression: sp.Expr, jets: JetSpace) -> str:
    """LaTeX with terms in the order of `ordered_terms`."""
    return _ordered(expression, jets, sp.latex)


def _ordered(expression: sp.Expr, jets: JetSpace, write: Callable[[sp.Expr], str]) -> str:
    # SymPy multiplies 2 (t + 1) out by itself; here it goes back
    terms = [sp.factor_terms(term, fraction=True) for term in ordered_terms(expression, jets)]
    return " + ".join(map(write, terms)).replace("+ - ", "- ").replace("+ -", "- ")


def ordered_terms(expression: sp.Expr, jets: JetSpace) -> list[sp.Expr]:
    """The terms of a sum as one writes an equation: u_t, rising derivatives, undifferentiated terms."""

    def rank(term: sp.Expr) -> tuple[bool, bool, int, str]:
        orders = [J for _, J in jets.jets(term).values()]
        order = max((sum(J) for J in orders), default=0)
        # the evolution variable is the first by custom
        return not any(J[0] for J in orders), order == 0, order, str(term)

    return sorted(sp.Add.make_args(expression), key=rank)
