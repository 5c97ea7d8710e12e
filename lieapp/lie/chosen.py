"""What a caller of a truth's methods means: V1 by its number, a field or a combination; a parameter's name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import sympy as sp

from lieapp.equations.distinct import SAME
from lieapp.equations.equation import as_expression, exact
from lieapp.errors import EquationError, UsageError
from lieapp.lie.consequences import free_name, taken_by
from lieapp.lie.reduction.invariants import combined
from lieapp.lie.vector_field import Field

if TYPE_CHECKING:
    from lieapp.lie.truth import Truth

Generator = int | Field | Mapping[int, Any]
"""How one is given: 1 is V1, {1: 1, 2: c} is V1 + c V2."""

HINT = "Give its number as printed (1 for V1), a field, or a combination such as {1: 1, 2: c}."


def chosen(truth: Truth, generator: Generator) -> Field:
    """The field that is meant. Raises EquationError or UsageError for what is none of this truth's."""
    if isinstance(generator, Mapping):
        if not generator:
            raise UsageError("the combination is empty.", hint=HINT)
        fields = [_numbered(truth, number) for number in generator]
        found = combined(fields, [_constant(truth, c) for c in generator.values()])
    elif isinstance(generator, Field):
        found = _own(truth, generator)
    else:
        found = _numbered(truth, generator)
    if all(value == 0 for value in found.components.values()):
        raise EquationError("the field is 0 everywhere.", hint="Give a generator that moves something.")
    return found


def parameter_named(truth: Truth, field: Field, wanted: object) -> str:
    """The name of a flow's parameter. Raises UsageError for one that is no name, or is taken."""
    taken = taken_by(truth.system) | {str(s) for value in field.components.values() for s in value.free_symbols}
    if wanted is None:
        return free_name(taken)
    name = str(wanted) if isinstance(wanted, (str, sp.Symbol)) else ""
    if not name.isidentifier() or name in taken:
        raise UsageError(
            f"parameter is {wanted!r}; it must be a name that the equation doesn't use.",
            hint="Leave it out, or write parameter='s'.",
        )
    return name


def _numbered(truth: Truth, number: Any) -> Field:
    if isinstance(number, bool) or not isinstance(number, (int, sp.Integer)):
        raise UsageError(f"{number!r} is no generator.", hint=HINT)
    if not 1 <= number <= len(truth.generators):
        raise EquationError(
            f"There is no V{number}; there are {len(truth.generators)} generators.",
            hint="Count them from 1, as they are printed.",
        )
    return truth.generators[int(number) - 1]


def _own(truth: Truth, field: Field) -> Field:
    """Raises EquationError for a field in other coordinates, or in other symbols of the same names."""
    names = {name for one in (*truth.generators, field) for name in one.components}
    if truth.generators and set(field.components) != names:
        raise EquationError(
            f"{field} is no field in {', '.join(truth.generators[0].components)}.",
            hint="Give a field of this equation, or a combination of its generators such as {1: 1, 2: c}.",
        )
    for value in field.components.values():
        _check_symbols(truth, value)
    return field


def _constant(truth: Truth, coefficient: Any) -> sp.Expr:
    """Raises EquationError for a coefficient that is no real constant."""
    found = as_expression(coefficient, "the combination")
    if isinstance(coefficient, bool) or not isinstance(found, sp.Expr) or found.has(sp.nan, sp.oo, sp.zoo, -sp.oo):
        raise EquationError(f"{coefficient!r} is no coefficient.", hint=HINT)
    found = exact(found)
    moved = {str(s): s for s in _symbols(truth)[0]}
    _check_symbols(truth, found)
    inside = sorted(str(s) for s in found.free_symbols if str(s) in moved)
    if inside or found.is_extended_real is False or not found.is_commutative:
        raise EquationError(
            f"the coefficient {found} is no real constant.",
            hint="Combine generators with numbers and with symbols that are not coordinates: {1: 1, 2: c}.",
        )
    return found


def _check_symbols(truth: Truth, expression: sp.Expr) -> None:
    """Raises EquationError for a symbol named as one of the equation's that is another one."""
    coordinates, parameters = _symbols(truth)
    known = {s.name: s for s in (*coordinates, *parameters)}
    for symbol in sorted(expression.free_symbols, key=str):
        if known.get(symbol.name, symbol) != symbol:
            raise EquationError(f"two different symbols are named {symbol.name}.", hint=SAME)


def _symbols(truth: Truth) -> tuple[tuple[sp.Symbol, ...], tuple[sp.Symbol, ...]]:
    """Coordinates and parameters."""
    return truth.system.jets.coordinates, truth.system.parameters
