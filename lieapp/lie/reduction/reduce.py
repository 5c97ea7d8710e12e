"""Reduction of a system by one of its generators: fewer variables, or an ODE of lower order."""

from __future__ import annotations

import time

import sympy as sp

from lieapp.equations.equation import System
from lieapp.lie.certificate.counting import TooLargeError
from lieapp.lie.invariance import is_symmetry
from lieapp.lie.reduction.invariants import frames
from lieapp.lie.reduction.order import order_reduction
from lieapp.lie.reduction.similarity import similarity_reduction
from lieapp.lie.reduction.target import Reduction
from lieapp.lie.vector_field import Field

SECONDS = 30.0
"""Time for one reduction when no deadline is given."""


def reduce(system: System, field: Field, deadline: float | None = None) -> Reduction:
    """Reduce a system by a generator of its symmetries.

    With several independent variables: the equations that invariant solutions satisfy, in one variable fewer. With
    one: an equation of one order less in canonical coordinates. Checked by substitution, exactly; `reason`
    says why there is none. The deadline is a value of `time.perf_counter()`.
    """
    deadline = time.perf_counter() + SECONDS if deadline is None else deadline
    components = {str(X): field.components.get(str(X), sp.S.Zero) for X in system.jets.coordinates}
    p = len(system.jets.independent)
    if all(value == 0 for value in components.values()):
        return Reduction(reason="the field is zero")
    if p > 1 and all(components[str(x)] == 0 for x in system.jets.independent):
        return Reduction(
            reason="the field moves no independent variable, so that no solution is invariant but where the field "
            "vanishes; its invariants contain all independent variables"
        )
    if not is_symmetry(system, components):
        return Reduction(reason=f"{field} generates no symmetries of the system")
    result = Reduction(reason="the orbits of the field aren't found in closed form")
    try:
        for frame in frames(system.jets, field, deadline):
            taken = tuple(components.values())
            method = similarity_reduction if p > 1 else order_reduction
            result = method(system, frame, taken, deadline)
            if result:
                return result
    except TooLargeError:
        return Reduction(reason="the time ran out")
    except (NotImplementedError, sp.PolynomialError, RecursionError):
        return Reduction(reason="SymPy can't simplify what comes out")
    return result
