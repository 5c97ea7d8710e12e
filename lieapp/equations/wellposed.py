"""What a system must be before symmetries mean anything: no empty equation, no unknown that stays arbitrary."""

from __future__ import annotations

from collections.abc import Iterable

import sympy as sp

from lieapp.equations.coefficients import CoefficientField
from lieapp.equations.equation import System
from lieapp.equations.jets import JetSpace, MultiIndex
from lieapp.errors import DeclarationError, EquationError

Jet = tuple[int, MultiIndex]


def check_equations(system: System) -> None:
    """Raises EquationError for an equation that is identically zero or impossible; DeclarationError for an unknown
    in none, and where no derivative occurs.

    Whether an equation is zero is decided with all relations, as sin² + cos² = 1.
    """
    count = len(system.residuals)
    used: set[int] = set()
    for n, residual in enumerate(system.residuals, start=1):
        which = f"equation {n} of {count}" if count > 1 else "the equation"
        left = without_vanishing(residual, system)
        if left == 0:
            raise EquationError(
                f"{system.name}: {which}, {residual} = 0, is identically zero.",
                hint="It holds for every function and says nothing; leave it out or correct it.",
            )
        found = system.jets.jets(left)
        if not found:
            raise EquationError(
                f"{system.name}: {which}, {residual} = 0, contains no unknown.",
                hint="Write it in the unknowns and their derivatives, or leave it out.",
            )
        used |= {a for a, _ in found.values()}
    missing = [u for a, u in enumerate(system.jets.dependent) if a not in used]
    if missing:
        raise DeclarationError(
            f"{system.name}: the unknown {missing[0]} occurs in no equation.",
            hint=f"Leave {missing[0]} out of the unknowns, or add the equation that determines it.",
        )
    if system.jets.order(system.residuals) == 0:
        raise DeclarationError(
            f"{system.name}: no derivative occurs; it is no differential equation.",
            hint=f"Derivatives are written {_example(system.jets)}.",
        )


def without_vanishing(expression: sp.Expr, system: System) -> sp.Expr:
    """The expression itself, 0 if it vanishes identically, or a form of it without jets that cancel."""
    found = system.jets.jets(expression)
    if expression.is_polynomial(*expression.free_symbols):
        return sp.expand(expression)
    field = CoefficientField((*system.jets.independent, *found), system.parameters)
    normal = field.expression(field.element(expression))
    if normal == 0 or len(system.jets.jets(normal)) < len(found):
        return normal
    return expression


def check_determined(leads: Iterable[Jet], jets: JetSpace, name: str) -> None:
    """Raises EquationError if the leading derivatives leave an unknown arbitrary.

    Of a system completed by its integrability conditions, an unknown with no leading derivative is an
    arbitrary function of all variables (Riquier; Seiler 2010, *Involution*, ch. 9).
    """
    determined = {a for a, _ in leads}
    free = [u for a, u in enumerate(jets.dependent) if a not in determined]
    if free:
        names = " and ".join(free)
        raise EquationError(
            f"{name}: the system is underdetermined: {names} may be any function of {_list(jets)}.",
            hint="Add the missing equation, or declare what is given as a function of a variable: k:x.",
        )


def check_differential(leads: Iterable[Jet], values: Iterable[sp.Expr], jets: JetSpace, name: str) -> None:
    """Raises EquationError if an unknown is fixed without derivatives: it is no independent coordinate then."""
    for (a, J), value in zip(leads, values, strict=True):
        if not any(J):
            u = jets.dependent[a]
            raise EquationError(
                f"{name}: the equations say {u} = {value}, without a derivative of {u}.",
                hint=f"Put this in place of {u} everywhere and leave {u} out of the unknowns.",
            )


def _example(jets: JetSpace) -> str:
    J = tuple(int(i == len(jets.zero) - 1) for i in range(len(jets.zero)))
    return str(jets.symbol(0, J))


def _list(jets: JetSpace) -> str:
    return ", ".join(str(x) for x in jets.independent)
