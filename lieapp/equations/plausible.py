"""What no equation can mean, refused when it is read: infinite or complex numbers, integrals."""

from __future__ import annotations

from collections.abc import Mapping

import sympy as sp

from lieapp.equations.jets import JetSpace
from lieapp.errors import EquationError

INFINITE = (sp.oo, -sp.oo, sp.zoo, sp.nan)

NOT_LOCAL = (sp.Integral, sp.Sum, sp.Product, sp.Limit, sp.Subs)
"""What makes an equation depend on more than the point, the unknowns and their derivatives there."""


def with_values(expression: sp.Expr, values: Mapping[sp.Expr, sp.Expr], jets: JetSpace, name: str) -> sp.Expr:
    """An expression on jets with its parameters replaced.

    Raises EquationError if it is infinite or complex then, or isn't local.
    """
    for node in expression.atoms(*NOT_LOCAL):
        raise EquationError(
            f"{name}: {node} is no expression in the unknowns and their derivatives at one point.",
            hint="Carry out integrals and sums; that of an unknown becomes an unknown v with v.diff(x) = u.",
        )
    result: sp.Expr = expression.subs(values)
    if result.has(*INFINITE):
        bad = [term for term in sp.Add.make_args(expression) if term.subs(values).has(*INFINITE)]
        coefficient, what = (bad or [expression])[0].as_independent(*jets.jets(expression), as_Add=False)
        used = ", ".join(f"{s} = {v}" for s, v in values.items() if coefficient.has(s))
        told = f" with {used}" if used else ""
        raise EquationError(
            f"{name}: the coefficient {coefficient} of {what} isn't a finite number{told}.",
            hint="Correct the equation or its parameters.",
        )
    if any(node.is_number and node.is_extended_real is False for node in sp.preorder_traversal(result)):
        raise EquationError(
            f"{name}: {result} = 0 is complex; an equation must be real.",
            hint="Write u = v + i w, and give the real and the imaginary part as two equations in v and w.",
        )
    return result
