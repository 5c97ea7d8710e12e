"""What follows from each generator: its finite flow, its invariants and the equation reduced by it."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, TypeVar

import sympy as sp

from lieapp.errors import EquationError, UsageError
from lieapp.symbolic.chosen import Generator, chosen
from lieapp.symbolic.deadline import Clock
from lieapp.symbolic.fields import Field
from lieapp.symbolic.reduction.flow import domain, flow
from lieapp.symbolic.reduction.invariants import Invariants, invariants
from lieapp.symbolic.reduction.reduce import SECONDS, reduce
from lieapp.symbolic.reduction.result import Reduction

if TYPE_CHECKING:
    from lieapp.symbolic.equation import System
    from lieapp.symbolic.truth import Truth

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
    """The finite transformation of one generator.

    Args:
        values: each coordinate as an expression in the coordinates and the parameter; None if there is no answer.
        domain: where it holds: what must be positive, the generic real branch being meant.
        reason: why there is no answer.
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
    name = parameter_of(system_of(truth))

    def one(field: Field, deadline: float) -> Flow:
        values = flow(field, name, deadline)
        if values is None:
            return Flow(None, reason=LATE if time.perf_counter() > deadline else "no closed form was found")
        every = {c: values.get(c, sp.Symbol(c)) for c in field.components}
        return Flow(every, tuple(domain(values, name)))

    return _each(truth, clock, one, Flow(None, reason=LATE), "finite flow")


def reductions(truth: Truth, clock: Clock) -> list[Reduced]:
    """The invariants of each generator, and the reduction by it or the reason why there is none."""
    system = system_of(truth)

    def one(field: Field, deadline: float) -> Reduced:
        return Reduced(invariants(system.jets, field, deadline), reduce(system, field, deadline))

    late = Reduced(Invariants(reason=LATE), Reduction(reason=LATE))
    return _each(truth, clock, one, late, "invariants and reduction")


def _each(truth: Truth, clock: Clock, one: Callable[[Field, float], T], late: T, what: str) -> list[T]:
    """Something of each generator; what takes longer than its share is interrupted."""
    rows = []
    for k, field in enumerate(truth.generators):
        clock.note(f"{what} of V{k + 1}")
        own = clock.part(1 / (len(truth.generators) - k))
        deadline = time.perf_counter() + (SECONDS if own.seconds is None else own.seconds)
        rows.append(own.within(0.0, (), partial(one, field, deadline), late))
    return rows


def taken_by(system: System) -> set[str]:
    """The names of coordinates, parameters and functions."""
    return {str(s) for s in (*system.jets.coordinates, *system.parameters)} | set(system.functions)


def flows_latex(truth: Truth, found: Sequence[Flow]) -> list[str]:
    """Rows of an `aligned` block."""
    s = sp.latex(sp.Symbol(parameter_of(system_of(truth))))
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


def system_of(truth: Truth) -> System:
    """Raises EquationError where the truth doesn't know its equations."""
    if truth.determining is None:
        raise EquationError("This truth has no equations with it.", hint="Derive it with lieapp.api.symmetries.")
    return truth.determining.system


def _parameter(truth: Truth, field: Field, wanted: object) -> str:
    """The name of a flow's parameter. Raises UsageError for one that is no name, or is taken."""
    system = system_of(truth)
    taken = taken_by(system) | {str(s) for value in field.components.values() for s in value.free_symbols}
    if wanted is None:
        return free_name(taken)
    name = str(wanted) if isinstance(wanted, (str, sp.Symbol)) else ""
    if not name.isidentifier() or name in taken:
        raise UsageError(
            f"parameter is {wanted!r}; it must be a name that the equation doesn't use.",
            hint="Leave it out, or write parameter='s'.",
        )
    return name


class Consequences:
    """Methods of a derived truth that work on one generator.

    It is given by its number as printed, 1 for V1, as a field, or as a combination: {1: 1, 2: c} is V1 + c V2,
    where c is a number or a constant symbol. They raise EquationError or UsageError for what is none of these.
    """

    def flow(self: Truth, generator: Generator, parameter: str | None = None) -> dict[str, sp.Expr] | None:  # type: ignore[misc]
        """The finite transformation exp(s V): coordinate -> expression; None if no closed form was found.

        Args:
            generator: its number, a field, or a combination {1: 1, 2: c}.
            parameter: the name of s; one that the equation doesn't use if None.
        """
        field = chosen(self, generator)
        return flow(field, _parameter(self, field, parameter))

    def invariants(self: Truth, generator: Generator) -> tuple[sp.Expr, ...]:  # type: ignore[misc]
        """Functionally independent I with V(I) = 0, similarity variables first.

        The generator is given by its number, as a field, or as a combination {1: 1, 2: c}.
        """
        return tuple(invariants(system_of(self).jets, chosen(self, generator)).expressions)

    def reduction(self: Truth, generator: Generator) -> Reduction:  # type: ignore[misc]
        """The system reduced by a generator.

        Given by its number, as a field, or as a combination: {1: 1, 2: c} is V1 + c V2, whose invariant
        solutions of an equation with translations are travelling waves; c may be a symbol.
        """
        return reduce(system_of(self), chosen(self, generator))
