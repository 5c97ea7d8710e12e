"""What follows from each generator: its finite flow, its invariants and the equation reduced by it."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import sympy as sp

from lieapp.errors import EquationError
from lieapp.symbolic.fields import Field
from lieapp.symbolic.reduction.flow import domain, flow
from lieapp.symbolic.reduction.invariants import combined, invariants
from lieapp.symbolic.reduction.reduce import reduce
from lieapp.symbolic.reduction.result import Reduction

if TYPE_CHECKING:
    from lieapp.symbolic.equation import System
    from lieapp.symbolic.truth import Truth

PARAMETERS = ("s", "epsilon", "lambda_", "sigma", "theta")
"""Names of the flow's parameter, the first that the equation doesn't use."""


def parameter_of(system: System) -> str:
    """A name for the parameter of flows that no coordinate, parameter or function has."""
    taken = {str(s) for s in (*system.jets.coordinates, *system.parameters)} | set(system.functions)
    free = [name for name in PARAMETERS if name not in taken]
    return free[0] if free else "s_" + "_".join(sorted(taken))


def flows_json(truth: Truth, seconds: float) -> dict[str, Any]:
    """`parameter`, and for each generator `flow` (null where no closed form was found) and the `domain`.

    A flow sends the coordinates to expressions in themselves and the parameter; it holds where each expression of
    `domain` is positive, the generic real branch being meant. Each is checked: dX/ds = V(X), X = x at s = 0, and
    the group law.
    """
    system = system_of(truth)
    name = parameter_of(system)
    rows: list[dict[str, Any]] = []
    deadline = time.perf_counter() + seconds
    for k, field in enumerate(truth.generators):
        values = flow(field, name, share(deadline, len(truth.generators) - k))
        row: dict[str, Any] = {"flow": None, "domain": []}
        if values is not None:
            row["flow"] = {c: str(values.get(c, sp.Symbol(c))) for c in field.components}
            row["domain"] = [str(e) for e in domain(values, name)]
        rows.append(row)
    return {"parameter": name, "flows": rows}


def reductions_json(truth: Truth, seconds: float) -> list[dict[str, Any]]:
    """For each generator its `invariants` and the `reduction` by it, or the reason why there is none."""
    system = system_of(truth)
    rows = []
    deadline = time.perf_counter() + seconds
    for k, field in enumerate(truth.generators):
        until = share(deadline, len(truth.generators) - k)
        rows.append(
            {
                "invariants": invariants(system.jets, field, until).as_json(),
                "reduction": reduce(system, field, until).as_json(),
            }
        )
    return rows


def share(deadline: float, left: int) -> float:
    """When the next of `left` generators must be done, so that each has its share of the time."""
    now = time.perf_counter()
    return now + max(deadline - now, 0.0) / max(left, 1)


def system_of(truth: Truth) -> System:
    """Raises EquationError where the truth doesn't know its equations."""
    if truth.determining is None:
        raise EquationError("This truth has no equations with it.", hint="Derive it with lieapp.api.symmetries.")
    return truth.determining.system


class Consequences:
    """Methods of a derived truth that work on one generator, by its number as printed: V1, V2, …"""

    def flow(self: Truth, number: int, parameter: str | None = None) -> dict[str, sp.Expr] | None:  # type: ignore[misc]
        """The finite transformation exp(s V): coordinate -> expression; None if no closed form was found."""
        return flow(_numbered(self, number), parameter or parameter_of(system_of(self)))

    def invariants(self: Truth, number: int) -> tuple[sp.Expr, ...]:  # type: ignore[misc]
        """Functionally independent I with V(I) = 0, similarity variables first."""
        return tuple(invariants(system_of(self).jets, _numbered(self, number)).expressions)

    def reduction(self: Truth, generator: int | Field | Mapping[int, Any]) -> Reduction:  # type: ignore[misc]
        """The system reduced by a generator.

        Given by its number, as a field, or as a combination: {1: 1, 2: c} is V1 + c V2, whose invariant
        solutions of an equation with translations are travelling waves; c may be a symbol.
        """
        if isinstance(generator, Mapping):
            fields = [_numbered(self, number) for number in generator]
            generator = combined(fields, [sp.sympify(c, strict=True) for c in generator.values()])
        field = generator if isinstance(generator, Field) else _numbered(self, generator)
        return reduce(system_of(self), field)


def _numbered(truth: Truth, number: int) -> Field:
    if not 1 <= number <= len(truth.generators):
        raise EquationError(
            f"There is no V{number}; there are {len(truth.generators)} generators.",
            hint="Count them from 1, as they are printed.",
        )
    return truth.generators[number - 1]
