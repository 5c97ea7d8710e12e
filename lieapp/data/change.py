"""Data through a change of variables: another equation is solved, its solutions are sent to the plugin's."""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp
import torch
from jaxtyping import Float
from torch import Tensor

from lieapp.api import PDE
from lieapp.data.declared import unknown_name
from lieapp.data.stepping import State
from lieapp.equations.equation import as_expression, exact, on_jets, with_values
from lieapp.equations.evolution import Evolution
from lieapp.errors import EquationError
from lieapp.numerics.codegen import Tape
from lieapp.numerics.grid import Grid
from lieapp.numerics.spectral import SpectralDifferentiator


def unknowns_on_jets(pde: PDE, own: Evolution, solved: Evolution) -> tuple[sp.Expr, ...]:
    """Each unknown of the plugin's equation as an expression in the jets of the equation that is solved.

    Raises EquationError when an unknown is missing or a symbol has no value.
    """
    assert pde.transform is not None
    jets = solved.jets
    functions = [sp.Function(name)(*jets.independent) for name in jets.dependent]
    given = {unknown_name(k): v for k, v in pde.transform.unknowns.items()}
    called = f"{pde.name} (transform)"
    values = {as_expression(symbol, called): exact(value) for symbol, value in pde.parameters.items()}
    result = []
    for name in own.jets.dependent:
        if name not in given:
            raise EquationError(
                f"{pde.name}: transform gives no expression for {name}.",
                hint=f"Add {name} to unknowns={{…}} of ChangeOfVariables.",
            )
        written = as_expression(given[name], called)
        expression = with_values(on_jets(written, jets, functions, called), values, jets, called)
        stray = expression.free_symbols - set(jets.independent) - set(jets.jets(expression))
        if stray:
            names = ", ".join(sorted(map(str, stray)))
            raise EquationError(
                f"{pde.name} (transform): {names} has no value.", hint=f"Add parameters={{{names}: …}}."
            )
        result.append(expression)
    return tuple(result)


def transformed(
    expressions: tuple[sp.Expr, ...], solved: Evolution, state: State
) -> Float[Tensor, "sample component *space"]:
    """The expressions of `unknowns_on_jets` on a state of the equation that was solved."""
    time = state.values.new_full(state.grid.shape, state.time)
    return torch.stack(evaluated(expressions, solved, time, state.values, state.grid), dim=1)


def evaluated(
    expressions: Sequence[sp.Expr], evolution: Evolution, time: Tensor,
    values: Float[Tensor, "..."], grid: Grid,
) -> list[Tensor]:  # fmt: skip
    """Expressions in an equation's jets on solutions.

    `values` are `*batch component *space`; `time` and what comes out broadcast to `*batch *space`.
    """
    jets, component = evolution.jets, -1 - len(grid.axes)
    found = {s: index for e in expressions for s, index in jets.jets(e).items()}
    differentiator = SpectralDifferentiator(grid, values.dtype, values.device)
    coordinates = list(grid.mesh(values.dtype, values.device))
    coordinates.insert(evolution.time, time)
    derivatives = []
    for b, J in found.values():
        order = tuple(J[i] for i in evolution.space)
        derivatives.append(differentiator.derivatives(values.select(component, b), [order])[order])
    return Tape(list(expressions), [*jets.independent, *found])(*coordinates, *derivatives)
