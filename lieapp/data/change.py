"""Data through a change of variables: another equation is solved, its solutions are sent to the plugin's."""

from __future__ import annotations

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
    jets = solved.jets
    found = {s: index for e in expressions for s, index in jets.jets(e).items()}
    differentiator = SpectralDifferentiator(state.grid, state.values.dtype, state.values.device)
    coordinates = list(state.grid.mesh(state.values.dtype, state.values.device))
    coordinates.insert(solved.time, torch.full_like(coordinates[0], state.time))
    values = []
    for b, J in found.values():
        order = tuple(J[i] for i in solved.space)
        values.append(differentiator.derivatives(state.values[:, b], [order])[order])
    return torch.stack(Tape(expressions, [*jets.independent, *found])(*coordinates, *values), dim=1)
