"""Whether the symbols and functions of SymPy's equations mean what their names say.

Results are written with names, so that one name must stand for one thing; and all of them are real.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import sympy as sp
from sympy.core.function import AppliedUndef

from lieapp.equations.jets import JetSpace
from lieapp.equations.readings import readings
from lieapp.errors import EquationError

SAME = "Make it once, with its assumptions, and use that one: t, x = sp.symbols('t x', real=True)."


def check_real(expressions: Iterable[sp.Expr], name: str) -> None:
    """Raises EquationError for symbols or functions that are no real numbers, or that are always 0."""
    for expression in expressions:
        atoms = sorted(expression.free_symbols | expression.atoms(AppliedUndef), key=str)
        for atom in atoms:
            if atom.is_commutative is False:
                problem = "is not commutative"
            elif atom.is_zero:
                problem = "is assumed to be 0"
            elif atom.is_extended_real is False:
                problem = "is assumed not to be real"
            elif atom.is_finite is False:
                problem = "is assumed to be infinite"
            else:
                continue
            raise EquationError(
                f"{name}: {atom} {problem}; everything in an equation is a real number here.",
                hint="Write complex equations as two real ones, and make symbols with real=True.",
            )
        if expression.is_commutative is False:
            raise EquationError(
                f"{name}: {expression} doesn't commute.", hint="Write matrix equations in their components."
            )


def check_distinct(symbols: Iterable[sp.Symbol], functions: Iterable[AppliedUndef], name: str) -> None:
    """Raises EquationError for a name that stands for two symbols, for a symbol and a function, or two functions.

    Args:
        symbols: all that occur.
        functions: all that occur, with their arguments: u(t, x) and u(t) are two.
        name: what messages call the equations.
    """
    known: dict[str, sp.Symbol] = {}
    for symbol in sorted(set(symbols), key=sp.default_sort_key):
        other = known.setdefault(symbol.name, symbol)
        if other != symbol:
            raise EquationError(f"{name}: two different symbols are named {symbol.name}.", hint=SAME)
    applied: dict[str, AppliedUndef] = {}
    for function in sorted(set(functions), key=str):
        called = function.func.__name__
        if called in known:
            arguments = ", ".join(map(str, function.args))
            raise EquationError(
                f"{name}: {called} is the name of a symbol and of the function {function}.",
                hint=f"Write {called} = sp.Function('{called}')({arguments}) for the function, or give the symbol "
                "another name.",
            )
        other = applied.setdefault(called, function)
        if other != function:
            raise EquationError(
                f"{name}: {called} is used at different arguments, as {other} and {function}.",
                hint="Delay and reflection equations have no point symmetries in this sense; a function of other "
                "variables needs a name of its own.",
            )


def check_no_jets(names: Sequence[str], jets: JetSpace, name: str) -> None:
    """Raises EquationError for a name that results would confuse with a derivative: u_x beside u."""
    variables = [str(x) for x in jets.independent]
    for called in names:
        for u in jets.dependent:
            if called.startswith(f"{u}_") and readings(called[len(u) + 1 :], variables):
                raise EquationError(
                    f"{name}: the name {called} is that of a derivative of {u}.",
                    hint=f"Write u.diff(x) for the derivative, or choose a name other than {called}.",
                )
