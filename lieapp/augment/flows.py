"""Finite flows of generators on many samples at once, each with coefficients of its own.

A flow sends (t, x, u) to (t, x, u) + d(t, x, u) with d smooth, whatever the solution is. On a solution's grid d is
asked for at tens of thousands of points; a table of some hundred nodes holds it to TOLERANCE: Chebyshev polynomials
in t and u, Fourier modes in x. It is compared with the flow at random points of the data before it is used.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import sympy as sp
import torch
from jaxtyping import Float
from torch import Tensor

from lieapp.augment.learned import Learned
from lieapp.domains.solutions import Scales
from lieapp.equations.jets import JetSpace
from lieapp.lie.consequences import free_name
from lieapp.lie.reduction.flows import flow
from lieapp.lie.vector_field import Field
from lieapp.methods.fields import Combination
from lieapp.methods.flow import Flow, Solver
from lieapp.numerics.codegen import Tape
from lieapp.numerics.moved import column

Points = Float[Tensor, "sample coordinate time x"]
Coefficients = Float[Tensor, "sample generator"]


class FormulaVelocity:
    """Fields given as formulas: `names` of them, in coordinates (physical - origin) / size, which are `scales`.

    Here these coordinates are the physical ones.
    """

    def __init__(self, names: Sequence[str], fields: Sequence[Field], jets: JetSpace) -> None:
        self.names, self._count = tuple(names), len(jets.coordinates)
        self.scales = Scales((0.0,) * self._count, (1.0,) * self._count)
        every = [field.components[str(c)] for field in fields for c in jets.coordinates]
        self._tape = Tape(every, jets.coordinates)

    def combined(self, points: Points, coefficients: Coefficients) -> Points:
        """Σ_k c_k V_k at scaled points, with the c_k of each sample."""
        values = torch.stack(self._tape(*points.unbind(1)), 1).unflatten(1, (-1, self._count))
        return torch.einsum("sk,skc...->sc...", coefficients, values)


class LearnedVelocity:
    """Some of a run's learned fields, in its scaled coordinates but in the order of the system's."""

    def __init__(self, names: Sequence[str], learned: Learned, slots: Sequence[int], jets: JetSpace) -> None:
        self.names, self._fields, self._slots = tuple(names), learned.fields, list(slots)
        own = [str(c) for c in jets.coordinates]
        places = [learned.arguments.index(c) for c in own]
        self._theirs = [own.index(c) for c in learned.arguments]
        self._moved = [learned.components.index(c) for c in own]
        origin, size = ([v[i] for i in places] for v in (learned.scales.origin, learned.scales.size))
        self.scales = Scales(tuple(origin), tuple(size))

    def combined(self, points: Points, coefficients: Coefficients) -> Points:
        fields, slots, points = self._fields, self._slots, points[:, self._theirs]
        if isinstance(fields, Combination):
            # combining the fields' coefficients first spares most of the work
            own = torch.einsum("sk,kfc->sfc", coefficients, fields.coefficients[slots].to(points))
            return torch.einsum("sfc,fs...->sc...", own, fields.features.at(points))[:, self._moved]
        values = fields.each(points.expand(len(slots), *points.shape), slots)
        return torch.einsum("sk,ks...->s...", coefficients, values.to(points))[:, self._moved]


Velocity = FormulaVelocity | LearnedVelocity


def physical_velocity(velocity: Velocity, points: Points, coefficients: Coefficients) -> Points:
    """Σ_k c_k V_k at physical points, in physical units."""
    origin, size = columns(velocity.scales, points)
    return size * velocity.combined((points - origin) / size, coefficients)


def columns(
    scales: Scales, like: Points
) -> tuple[Float[Tensor, "coordinate 1 1"], Float[Tensor, "coordinate 1 1"]]:
    """Origin and size, to be broadcast over points."""
    both = torch.tensor((scales.origin, scales.size), dtype=like.dtype, device=like.device)[..., None, None]
    return both[0], both[1]


SIZES = ((6, 3, 3), (12, 5, 5), (20, 9, 8), (28, 17, 12))
"""Nodes in t, x and u that are tried in turn; an odd number in x. The last are a sixth of a usual grid's points."""

TOLERANCE = 1e-8
"""Error of the displacement in scaled coordinates up to which a table is used."""

CHECKED = 48
"""Points of each sample at which that is looked at."""

Follow = Callable[[Points], Points]


class Box(NamedTuple):
    """Where a sample's graph lies: the places of t, x and u among the coordinates, and the period of x."""

    places: tuple[int, int, int]
    period: float


def moved_by_table(follow: Follow, points: Points, box: Box) -> Points | None:
    """Points of solutions on a regular grid, moved; None where no table is good enough.

    They are in scaled coordinates, t along the third axis, x along the last; `follow` moves any such points.
    """
    t, x, u = (points[:, i] for i in box.places)
    where = torch.linspace(0, t[0].numel() - 1, CHECKED, device=points.device).long()
    some = points.flatten(2)[..., where][..., None]
    exact = follow(some)
    for size in SIZES:
        if 2 * size[0] * size[1] * size[2] > t[0].numel():
            return None
        shift = _shift(follow, (t[0, :, 0], x[0, 0], u), size, box)
        moved = points + shift
        off = (moved.flatten(2)[..., where][..., None] - exact).abs().amax()
        # not finite counts as off
        if float(off) < TOLERANCE:
            return moved
    return None


def _shift(
    follow: Follow,
    lines: tuple[Float[Tensor, " time"], Float[Tensor, " x"], Float[Tensor, "sample time x"]],
    size: tuple[int, int, int],
    box: Box,
) -> Float[Tensor, "sample coordinate time x"]:
    t, x, u = lines
    n, m, k = size
    samples, like = len(u), {"dtype": u.dtype, "device": u.device}
    cosines, roots = (torch.cos(torch.pi * (torch.arange(c, **like) + 0.5) / c) for c in (n, k))
    (t_middle, t_half), (u_middle, u_half) = _interval(t[None]), _interval(u.flatten(1))
    angles = torch.arange(m, **like) / m
    grid = torch.meshgrid(t_middle + t_half * cosines, x[0] + box.period * angles, roots, indexing="ij")
    nodes = [z.flatten().expand(samples, -1) for z in grid]
    nodes[2] = u_middle[:, None] + u_half[:, None] * nodes[2]
    start = torch.stack([nodes[box.places.index(i)] for i in range(3)], 1)[..., None]
    table = (follow(start) - start).reshape(samples, 3, n, m, k)
    in_t = _chebyshev((t - t_middle) / t_half, n) @ torch.linalg.inv(_chebyshev(cosines, n))
    in_x = _fourier((x - x[0]) / box.period, m) @ torch.linalg.inv(_fourier(angles, m))
    in_u = torch.linalg.inv(_chebyshev(roots, k))
    # one axis after the other: all at once would take the products of the matrices first
    coefficients = torch.einsum("lk,scijk->lscij", in_u, table)
    coefficients = torch.einsum("ti,lscij->lsctj", in_t, coefficients)
    coefficients = torch.einsum("xj,lsctj->lsctx", in_x, coefficients)
    return _series(coefficients, ((u - u_middle[:, None, None]) / u_half[:, None, None])[:, None])


def _interval(values: Float[Tensor, "sample point"]) -> tuple[Float[Tensor, " sample"], Float[Tensor, " sample"]]:
    """Middle and half length; a constant's length is 1."""
    low, high = values.amin(1), values.amax(1)
    half = (high - low) / 2
    return (high + low) / 2, torch.where(half > 0, half, 0.5)


def _chebyshev(y: Float[Tensor, " point"], count: int) -> Float[Tensor, "point {count}"]:
    """T_0 … T_{count-1}."""
    return torch.cos(torch.arange(count, dtype=y.dtype, device=y.device) * torch.acos(y.clamp(-1, 1))[:, None])


def _fourier(y: Float[Tensor, " point"], count: int) -> Float[Tensor, "point {count}"]:
    """1 and cosines and sines of an odd count, of period 1."""
    angle = 2 * torch.pi * y[:, None] * torch.arange(1, count // 2 + 1, dtype=y.dtype, device=y.device)
    return torch.cat([torch.ones_like(y)[:, None], torch.cos(angle), torch.sin(angle)], 1)


def _series(
    coefficients: Float[Tensor, "order sample coordinate time x"], y: Float[Tensor, "sample 1 time x"]
) -> Float[Tensor, "sample coordinate time x"]:
    """Σ c_l T_l(y), by Clenshaw's recurrence."""
    last, before = torch.zeros_like(coefficients[0]), torch.zeros_like(coefficients[0])
    for c in coefficients[1:].flip(0):
        last, before = c + 2 * y * last - before, last
    return coefficients[0] + y * last - before


TRIED, ALIKE = 0.05, 1e-3
"""Flow parameter in scaled coordinates at which flows are compared, and by what share of it they may differ."""


class ClosedFlow:
    """Moves points by exp(sV) in closed form, V divided by its norm; `names` are of the generators, here one."""

    def __init__(self, name: str, tape: Tape, norm: float) -> None:
        self.names: tuple[str, ...] = (name,)
        self._tape, self._norm = tape, norm

    def __call__(self, points: Points, coefficients: Coefficients) -> Points:
        """Physical points moved; not finite where the flow doesn't exist."""
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
        origin, size = columns(self._velocity.scales, points)
        s = coefficients.abs().amax(1)
        unit = coefficients / s.clamp_min(torch.finfo(s.dtype).tiny)[:, None] / self._norm.to(points)
        flow = Flow(_Combined(self._velocity, unit), self._solver, strict=False)

        def follow(scaled: Points) -> Points:
            return flow(scaled[:, None], s)[:, 0]

        scaled = (points - origin) / size
        with torch.no_grad():
            moved = None
            if self._box:
                # in the coordinates of the fields
                period = self._box.period / float(size[self._box.places[1]].flatten()[0])
                moved = moved_by_table(follow, scaled, Box(self._box.places, period))
            return origin + size * (follow(scaled) if moved is None else moved)


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


Motion = ClosedFlow | OdeFlow


def closed_flow(name: str, field: Field, jets: JetSpace, norm: float) -> ClosedFlow | None:
    """The flow of a formula; None if no closed form was found."""
    symbols = {s for value in field.components.values() for s in value.free_symbols}
    parameter = free_name({str(s) for s in [*jets.coordinates, *symbols]})
    values = flow(field, parameter)
    if values is None:
        return None
    every = [values.get(str(c), c) for c in jets.coordinates]
    # the solver may have made the parameter with other assumptions
    symbol = sp.Symbol(parameter, real=True)
    known = {parameter: symbol, **{str(c): c for c in jets.coordinates}}
    own = [e.xreplace({s: known[str(s)] for s in e.free_symbols}) for e in every]
    return ClosedFlow(name, Tape(own, [symbol, *jets.coordinates]), norm)


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
