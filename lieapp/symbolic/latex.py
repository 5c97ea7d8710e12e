"""Expressions on jets as LaTeX, in the order in which one writes an equation."""

from __future__ import annotations

import sympy as sp

from lieapp.symbolic.jets import JetSpace


def ordered_latex(expression: sp.Expr, jets: JetSpace) -> str:
    """LaTeX with terms in the order of `ordered_terms`."""
    # SymPy multiplies 2 (t + 1) out by itself; here it goes back
    written = [sp.latex(sp.factor_terms(term, fraction=True)) for term in ordered_terms(expression, jets)]
    return " + ".join(written).replace("+ - ", "- ")


def ordered_terms(expression: sp.Expr, jets: JetSpace) -> list[sp.Expr]:
    """The terms of a sum as one writes an equation: u_t, rising derivatives, undifferentiated terms."""

    def rank(term: sp.Expr) -> tuple[bool, bool, int, str]:
        orders = [J for _, J in jets.jets(term).values()]
        order = max((sum(J) for J in orders), default=0)
        # the evolution variable is the first by custom
        return not any(J[0] for J in orders), order == 0, order, str(term)

    return sorted(sp.Add.make_args(expression), key=rank)
