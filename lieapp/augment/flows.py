"""Finite flows of generators on many samples at once, each with coefficients of its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import sympy as sp
import torch
from jaxtyping import Float
from torch import Tensor

from lieapp.augment.table import Box, moved_by_table
from lieapp.augment.velocity import Coefficients, Points, Velocity, columns
from lieapp.domains.solutions import Scales
from lieapp.equations.jets import JetSpace
from lieapp.lie.consequences import free_name
from lieapp.lie.reduction.flows import flow
from lieapp.lie.vector_field import Field
from lieapp.methods.flow import Flow, Solver
from lieapp.numerics.codegen import Tape
from lieapp.numerics.moved import column

TRIED, ALIKE = 0.05, 1e-3
"""Flow parameter in scaled coordinates at which flows are compared, and by what share of it they may differ."""


@runtime_checkable
class Motion(Protocol):
    """Moves points along some generators.

    Args:
        names: of the generators.
    """

    names: tuple[str, ...]

    def __call__(self, points: Points, coefficients: Coefficients) -> Points:
        """Physical points moved; not finite where the flow doesn't exist."""
        ...


class ClosedFlow:
    """exp(sV) in closed form, V divided by its norm."""

    def __init__(self, name: str, values: dict[str, sp.Expr], parameter: str, jets: JetSpace, norm: float) -> None:
        self.names: tuple[str, ...] = (name,)
        self._norm = norm
        symbol = sp.Symbol(parameter, real=True)
        self._tape = Tape([values[str(c)] for c in jets.coordinates], [symbol, *jets.coordinates])

    def __call__(self, points: Points, coefficients: Coefficients) -> Points:
        """See `Motion`."""
        s = column(coefficients[:, 0] / self._norm, 2)
        return torch.stack(self._tape(s, *points.unbind(1)), 1)


class OdeFlow:
    """exp(Σ_k c_k V_k), each V_k divided by its norm, by RK4: one integration for all of them.

    Args:
        box: where points are that lie on a regular grid, so that a table of the flow may serve them; None if
            they may be anywhere.
    """

    def __init__(
        self, velocity: Velocity, norm: Float[Tensor, " generator"], step: float, box: Box | None = None
    ) -> None:
        self.names, self._velocity, self._norm = velocity.names, velocity, norm
        self._solver, self._box = Solver("rk4", step), box

    def __call__(self, points: Points, coefficients: Coefficients) -> Points:
        """See `Motion`."""
        origin, size = columns(self._velocity.scales, points)
        s = coefficients.abs().amax(1)
        unit = coefficients / s.clamp_min(torch.finfo(s.dtype).tiny)[:, None] / self._norm.to(points)
        flow = Flow(_Combined(self._velocity, unit), self._solver, strict=False)

        def follow(scaled: Points) -> Points:
            return flow(scaled[:, None], s)[:, 0]

        scaled = (points - origin) / size
        with torch.no_grad():
            moved = moved_by_table(follow, scaled, self._scaled(size)) if self._box else None
            return origin + size * (follow(scaled) if moved is None else moved)

    def _scaled(self, size: Float[Tensor, "coordinate 1 1"]) -> Box:
        """The box in the coordinates of the fields."""
        assert self._box is not None
        return Box(self._box.places, self._box.period / float(size[self._box.places[1]].flatten()[0]))


class _Combined:
    """Each sample's combination as the field of a slot of its own."""

    def __init__(self, velocity: Velocity, coefficients: Coefficients) -> None:
        self._velocity, self._coefficients = velocity, coefficients

    def each(
        self, points: Float[Tensor, "sample 1 coordinate time x"], which: Sequence[int] | None = None
    ) -> Float[Tensor, "sample 1 coordinate time x"]:
        """See `methods.fields.Followed`."""
        chosen = self._coefficients if which is None else self._coefficients[list(which)]
        return self._velocity.combined(points[:, 0], chosen)[:, None]


def closed_flow(name: str, field: Field, jets: JetSpace, norm: float) -> ClosedFlow | None:
    """The flow of a formula; None if no closed form was found."""
    parameter = free_name({str(s) for s in jets.coordinates} | set(map(str, _symbols(field))))
    values = flow(field, parameter)
    if values is None:
        return None
    every = {str(c): values.get(str(c), c) for c in jets.coordinates}
    # the solver may have made the parameter with other assumptions
    symbol = sp.Symbol(parameter, real=True)
    known = {parameter: symbol, **{str(c): c for c in jets.coordinates}}
    every = {c: e.xreplace({s: known[str(s)] for s in e.free_symbols}) for c, e in every.items()}
    return ClosedFlow(name, every, parameter, jets, norm)


def agree(one: Motion, other: Motion, points: Points, scales: Scales) -> bool:
    """Whether two flows of one generator move the data alike, by TRIED in both directions.

    A closed form may have a gap that the flow hasn't, as log(1 - s t)/t at t = 0, or be another branch.
    """
    _, size = columns(scales, points)
    for s in (-TRIED, TRIED):
        coefficients = torch.full((len(points), 1), s, dtype=points.dtype, device=points.device)
        off = ((one(points, coefficients) - other(points, coefficients)) / size).abs().amax()
        if not float(off) < ALIKE * TRIED:
            return False
    return True


def _symbols(field: Field) -> set[sp.Basic]:
    return {s for value in field.components.values() for s in value.free_symbols}
