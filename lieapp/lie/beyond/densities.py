"""Densities and fluxes of conservation laws, as short as parts and the equations allow."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

import sympy as sp

from lieapp.equations.by_parts import by_parts
from lieapp.equations.coefficients import CoefficientField
from lieapp.equations.equation import System
from lieapp.equations.evolution import time_variable
from lieapp.equations.jets import JetSpace, raised
from lieapp.equations.leading import Leading
from lieapp.equations.variational import NoPotentialError, potentials
from lieapp.errors import EquationError
from lieapp.lie.beyond.stripping import stripped


def shortest(product: sp.Expr, system: System, leading: Leading) -> list[sp.Expr] | None:
    """Components T and Xⁱ of the divergence that a product Λ·Δ is; None where none are found.

    Parts are taken in space first; in time first where the density is shorter then. Leading derivatives are
    replaced unless the density has fewer time derivatives with them, as that of u_tt = u_xx does.
    """
    found: list[list[sp.Expr]] = []
    t, order = time_variable(system), in_space_first(system)
    plain = product.is_polynomial(*system.jets.jets(product))
    if not plain:
        # an integral over a scaling takes long, or there is none
        for along in (order[::-1], order):
            with suppress(NoPotentialError):
                return simplified(stripped(product, system.jets, along), system, leading)
    for along in (order, order[::-1]):
        with suppress(NoPotentialError):
            parts = potentials(product, system.jets, along)
            found.append(simplified(parts, system, leading))
            if _in_time(found[-1][t], system) > 1:
                found.append(simplified(parts, system, Leading(system.jets)))
        if found and plain:
            break
    return min(found, key=lambda parts: (_in_time(parts[t], system), sp.count_ops(parts[t])), default=None)


def _in_time(density: sp.Expr, system: System) -> int:
    """How many time derivatives occur."""
    t = time_variable(system)
    return sum(J[t] > 0 for _, J in system.jets.jets(density).values())


def in_space_first(system: System) -> list[int]:
    """The positions of the variables, time last."""
    t = time_variable(system)
    return [*(i for i in range(len(system.jets.independent)) if i != t), t]


def simplified(found: Sequence[sp.Expr], system: System, leading: Leading) -> list[sp.Expr]:
    """Density and fluxes on solutions, the density with derivatives as low as parts in space allow."""
    jets, t = system.jets, time_variable(system)
    result = [leading.reduce(x) for x in found]
    for J, E in by_parts(result[t], jets, in_space_first(system)[:-1]).items():
        if any(J):
            # D_t Dᵢ E is the same divergence as Dᵢ D_t E
            i = next(i for i, n in enumerate(J) if n)
            inner = jets.total_derivatives(E, raised(J, i, -1))
            result[t] -= jets.total_derivative(inner, i)
            result[i] += jets.total_derivative(inner, t)
    whole = [_collected(sp.expand(leading.reduce(x)), system) for x in result]
    return list(map(tidied, _without_functions_of_variables(whole, jets)))


def _collected(expression: sp.Expr, system: System) -> sp.Expr:
    """With one coefficient in lowest terms for each product of functions, if there are parameters."""
    if expression.is_polynomial(*expression.free_symbols) or not expression.free_symbols & {*system.parameters}:
        return expression
    inside = (*system.jets.independent, *system.jets.jets(expression))
    field = CoefficientField(inside, system.parameters)
    try:
        whole = field.expression(field.element(expression))
    except EquationError:
        # a special function that nothing could be proved of
        raise NoPotentialError from None
    found: dict[sp.Expr, sp.Expr] = {}
    for term in sp.Add.make_args(sp.expand(whole)):
        coefficient, rest = term.as_independent(*inside, as_Add=False)
        found[rest] = found.get(rest, sp.S.Zero) + coefficient
    return sp.Add(*(sp.factor(c) * rest for rest, c in found.items()))


def _without_functions_of_variables(parts: Sequence[sp.Expr], jets: JetSpace) -> list[sp.Expr]:
    """The components without terms that are free of the unknowns, if these have no divergence by themselves."""
    free = [sp.Add(*(e for e in sp.Add.make_args(x) if not jets.jets(e))) for x in parts]
    left = sp.Add(*(sp.diff(e, s) for e, s in zip(free, jets.independent, strict=True)))
    return [x - e for x, e in zip(parts, free, strict=True)] if sp.expand(left) == 0 else list(parts)


def tidied(expression: sp.Expr) -> sp.Expr:
    """Expanded, or as one fraction in lowest terms where that is shorter."""
    forms = [sp.expand(expression)]
    if not forms[0].is_polynomial(*forms[0].free_symbols):
        forms.append(sp.factor_terms(sp.cancel(sp.together(expression))))
    return min(forms, key=sp.count_ops)


def vanishes(expression: sp.Expr, system: System) -> bool:
    """Whether an expression in the jets vanishes identically, by all relations of the functions in it."""
    expanded = sp.expand(expression)
    if expanded == 0 or expanded.is_polynomial(*expanded.free_symbols):
        return bool(expanded == 0)
    jets = system.jets
    field = CoefficientField((*jets.independent, *jets.jets(expanded)), system.parameters)
    return not field.element(expanded)
