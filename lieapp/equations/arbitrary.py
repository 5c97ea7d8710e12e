"""Arbitrary functions: of variables, unknowns and derivatives, k(x, u), or of one expression, F(x - t).

Derivatives of k(x, u) are SymPy's. Those of F(x - t) in its argument are functions F_s, F_ss, … of their own at the
same place, for a letter s that its declaration gives, since SymPy would write them with a substitution.
"""

from __future__ import annotations

from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef, UndefinedFunction

from lieapp.equations.jets import MultiIndex


class Composed(AppliedUndef):
    """F, F_s, … at an expression."""

    base: str
    letter: str
    order: int

    @classmethod
    def class_key(cls) -> tuple[int, int, str]:
        """Another one than of a plain function of that name, by which SymPy would take one for the other."""
        return 4, 0, f"{cls.__name__}()"

    def fdiff(self, argindex: int = 1) -> sp.Expr:
        """The next derivative, at the same place."""
        return composed(self.base, self.letter, self.order + 1)(self.args[0])


def composed(base: str, letter: str, order: int = 0) -> Any:
    """The class of a derivative of F in its argument."""
    name = base + (f"_{letter * order}" if order else "")
    own = {"base": base, "letter": letter, "order": order}
    return UndefinedFunction(name, bases=(Composed,), __dict__=own, real=True)


def parent(e: sp.Expr) -> tuple[sp.Expr, MultiIndex]:
    """The function that a derivative is of, and how often it is differentiated by each argument."""
    if isinstance(e, Composed):
        return composed(e.base, e.letter)(*e.args), (e.order,)
    if not isinstance(e, sp.Derivative):
        return e, (0,) * len(e.args)
    counts = {v: int(n) for v, n in e.variable_count}
    return e.expr, tuple(counts.get(a, 0) for a in e.expr.args)


def child(function: sp.Expr, K: MultiIndex) -> sp.Expr:
    """A derivative of a function."""
    if isinstance(function, Composed):
        return composed(function.base, function.letter, K[0])(*function.args)
    counts = [(a, n) for a, n in zip(function.args, K, strict=True) if n]
    # by `diff`, which has one order of the variables
    return sp.diff(function, *counts) if counts else function
