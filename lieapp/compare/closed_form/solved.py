"""Functions that a library lacks, from the determining equations and from what learned fields look like.

Which components occur in a learned span, and on which coordinates each depends, is measured. The determining
equations with these restrictions, f(t) ∂x + g(t) ∂u for example, are few and soon solved; whether a solution lies
in the learned span is asked of the data afterwards, as of any other function.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import sympy as sp
import torch
from jaxtyping import Float
from torch import Tensor

from lieapp.domains.base import Domain, EvolvingT, Fields
from lieapp.equations.equation import System
from lieapp.lie.deadline import Clock
from lieapp.lie.determining import determining_equations
from lieapp.lie.normal_form import expression_of
from lieapp.lie.solving import solve

SECONDS = 20.0
"""Within which the restricted equations are solved, or not at all."""

ABSENT = 1e-3
"""Share of a field's size, or of its change over the data, below which there is none."""


def dependence(
    domain: Domain[EvolvingT], fields: Fields, batches: Iterable[EvolvingT]
) -> dict[str, tuple[str, ...]]:
    """For each component of a learned span that occurs, the coordinates it depends on, all in scaled units."""
    sizes = changes = torch.zeros((), dtype=torch.float64)
    for batch in batches:
        points = batch.points
        rows = [torch.zeros_like(points) for _ in domain.arguments.names]
        for i, row in enumerate(rows):
            row[:, i] = 1.0
        moved = [fields.jvp(points, row) for row in rows]
        sizes = sizes + _squares(moved[0][0])
        changes = changes + torch.stack([_squares(rate) for _, rate in moved], 1)
    largest = sizes.max()
    names = domain.arguments.names
    return {
        c: tuple(z for z, change in zip(names, rates, strict=True) if change > ABSENT**2 * largest)
        for c, size, rates in zip(domain.components, sizes, changes, strict=True) if size > ABSENT**2 * largest
    }  # fmt: skip


def _squares(v: Float[Tensor, "field batch component *space"]) -> Float[Tensor, " component"]:
    return v.detach().double().square().transpose(0, 2).flatten(1).sum(1).cpu()


def functions_of(
    system: System, depends: Mapping[str, tuple[str, ...]], seconds: float = SECONDS
) -> list[sp.Expr]:  # fmt: skip
    """The functions of one coordinate, but for polynomials, in all symmetries whose components are such.

    Args:
        depends: for each component that occurs the coordinates that it may depend on.
        seconds: the most that it takes.

    Empty if the time isn't enough.
    """
    clock = Clock(seconds)
    found: list[sp.Expr] = clock.within(0.0, lambda: list(_solutions(system, depends, clock)), [])
    functions: dict[sp.Expr, None] = {}
    for expression in found:
        for term in sp.Add.make_args(sp.expand(expression)):
            for z in system.jets.coordinates:
                own = sp.Mul(*(f for f in sp.Mul.make_args(term) if f.free_symbols == {z}))
                if not own.is_polynomial(z):
                    functions.setdefault(own)
    return list(functions)


def _solutions(system: System, depends: Mapping[str, tuple[str, ...]], clock: Clock) -> Iterator[sp.Expr]:
    determining = determining_equations(system)
    state, names = determining.state(), [str(c) for c in system.jets.coordinates]
    zero = determining.unknowns.zero
    absent = []
    for f, name in zip(determining.components, names, strict=True):
        if name not in depends:
            absent.append({(f, zero): determining.field.one})
            continue
        free = (i for i, other in enumerate(names) if other not in depends[name])
        absent += [{(f, (*zero[:i], 1, *zero[i + 1 :])): determining.field.one} for i in free]
    state.add_equations(absent)
    solution = solve(state, clock)
    base = solution.state.field
    for vector in solution.vectors():
        yield from (expression_of(base.lift(c), base) for c in vector)
