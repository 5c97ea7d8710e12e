"""What follows from each generator: its finite flow, its invariants and the equation reduced by it."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, TypeVar

import sympy as sp

from lieapp.lie.deadline import Clock
from lieapp.lie.reduction.flows import Invariants, domain, flow, invariants
from lieapp.lie.reduction.reduce import SECONDS, reduce
from lieapp.lie.reduction.target import Reduction
from lieapp.lie.vector_field import Field

if TYPE_CHECKING:
    from lieapp.equations.equation import System
    from lieapp.lie.truth import Truth

T = TypeVar("T")

LATE = "the time ran out"

PARAMETERS = ("s", "epsilon", "lambda_", "sigma", "theta")
"""Names of the flow's parameter, the first that the equation doesn't use."""


def parameter_of(system: System) -> str:
    """A name for the parameter of flows that no coordinate, parameter or function has."""
    return free_name(taken_by(system))


def free_name(taken: Collection[str]) -> str:
    """The first of the usual names that is free."""
    free = [name for name in PARAMETERS if name not in taken]
    return free[0] if free else "s_" + "_".join(sorted(taken))


@dataclass(frozen=True)
class Flow:
    """The finite transformation of one generator: each coordinate in the coordinates and the parameter.

    Without an answer the values are None and `reason` says why. What is in `domain` must be positive, the generic
    real branch being meant.
    """

    values: dict[str, sp.Expr] | None
    domain: tuple[sp.Expr, ...] = ()
    reason: str = ""


@dataclass(frozen=True)
class Reduced:
    """The invariants of one generator and the reduction by it."""

    invariants: Invariants
    reduction: Reduction


def flows(truth: Truth, clock: Clock) -> list[Flow]:
    """The flow of each generator, each with an equal share of what is left of the time.

    Checked: dX/ds = V(X), X = x at s = 0, and the group law.
    """
    name = parameter_of(truth.system)

    def one(field: Field, deadline: float) -> Flow:
        values = flow(field, name, deadline)
        if values is None:
            return Flow(None, reason=LATE if time.perf_counter() > deadline else "no closed form was found")
        every = {c: values.get(c, sp.Symbol(c)) for c in field.components}
        return Flow(every, tuple(domain(values, name)))

    return _each(truth, clock, one, Flow(None, reason=LATE), "finite flow")


def reductions(truth: Truth, clock: Clock) -> list[Reduced]:
    """The invariants of each generator, and the reduction by it or the reason why there is none."""
    system = truth.system

    def one(field: Field, deadline: float) -> Reduced:
        return Reduced(invariants(system.jets, field, deadline), reduce(system, field, deadline))

    late = Reduced(Invariants(reason=LATE), Reduction(reason=LATE))
    return _each(truth, clock, one, late, "invariants and reduction")


def _each(truth: Truth, clock: Clock, one: Callable[[Field, float], T], late: T, what: str) -> list[T]:
    """Something of each generator; what takes longer than its share is interrupted."""
    rows = []
    for k, field in enumerate(truth.fields):
        clock.note(f"{what} of V{k + 1}")
        own = clock.part(1 / (len(truth.fields) - k))
        deadline = time.perf_counter() + (SECONDS if own.seconds is None else own.seconds)
        rows.append(own.within(0.0, partial(one, field, deadline), late))
    return rows


def taken_by(system: System) -> set[str]:
    """The names of coordinates, parameters and functions."""
    return {str(s) for s in (*system.jets.coordinates, *system.parameters)} | set(system.functions)


def flows_latex(truth: Truth, found: Sequence[Flow]) -> list[str]:
    """Rows of an `aligned` block."""
    s = sp.latex(sp.Symbol(parameter_of(truth.system)))
    rows = []
    for k, row in enumerate(found, start=1):
        if row.values is None:
            rows.append(rf"e^{{{s} V_{{{k}}}}} &: \text{{{row.reason}}}")
            continue
        names = ", ".join(sp.latex(sp.Symbol(c)) for c in row.values)
        moved = ",\\ ".join(sp.latex(e) for e in row.values.values())
        where = "".join(rf",\quad {sp.latex(e)} > 0" for e in row.domain)
        rows.append(rf"e^{{{s} V_{{{k}}}}} &: ({names}) \mapsto \left({moved}\right){where}")
    return rows


def reductions_latex(found: Sequence[Reduced]) -> list[str]:
    """Rows of an `aligned` block, those of a generator under its name."""
    rows = []
    for k, row in enumerate(found, start=1):
        rows.append(rf"& \text{{reduced by }} V_{{{k}}}\text{{:}}")
        if row.reduction.reason:
            rows.append(rf"& \quad\text{{none: {row.reduction.reason}}}")
        else:
            rows += [rf"& \quad {line.replace('&', '')}" for line in row.reduction.latex_rows()]
    return rows
