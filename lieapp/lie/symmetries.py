"""`lieapp.api.symmetries`: from equations as SymPy or text writes them to their certified algebra."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sympy.core.function import AppliedUndef

from lieapp.equations.arguments import among, declarations, known_nonzero, lengths_of, names, seconds, several
from lieapp.equations.equation import System
from lieapp.equations.free_equations import read_free
from lieapp.equations.parsing import parse_system
from lieapp.errors import EquationError
from lieapp.lie.stages import Truth, derive

Names = str | Sequence[Any] | None


def system_of(
    equations: Any,
    independent: Names = (),
    dependent: Names = (),
    parameters: Names | Mapping[Any, Any] = (),
    functions: Names | Mapping[Any, Any] = (),
    nonzero: Sequence[Any] = (),
) -> System:
    """The system of one equation or a list of them; see `lieapp.api.symmetries`.

    Raises EquationError, ParseError or UsageError for what can't be meant.
    """
    given = several(equations)
    variables, unknowns = names(independent, "independent"), names(dependent, "dependent")
    constants, arbitrary = declarations(parameters, "parameters"), declarations(functions, "functions")
    known = known_nonzero(nonzero)
    if all(isinstance(e, str) for e in given):
        if known:
            raise EquationError(
                "nonzero belongs to SymPy's equations.", hint="With text write it to a parameter: 'g, g != 3'."
            )
        for what, found in (("independent", variables), ("dependent", unknowns)):
            if not found:
                raise EquationError(
                    f"{what} variables of {given[0]!r} are not given.",
                    hint="For example symmetries('u_t - u_xx', 't,x', 'u').",
                )
        return parse_system(given, _texts(variables), _texts(unknowns), constants, arbitrary)
    if any(isinstance(e, str) for e in given):
        raise EquationError(
            "Some equations are text and some are SymPy's.", hint="Write all of a system's equations in one way."
        )
    if constants or arbitrary:
        raise EquationError(
            "parameters and functions belong to equations typed as text.",
            hint="In SymPy's equations every further symbol is a parameter, and k(u) an arbitrary function.",
        )
    return read_free(given, variables, unknowns, known)


def symmetries(
    equations: Any,
    independent: Names = (),
    dependent: Names = (),
    parameters: Names | Mapping[Any, Any] = (),
    functions: Names | Mapping[Any, Any] = (),
    periodic: Names = (),
    lengths: Mapping[Any, Any] | None = None,
    nonzero: Sequence[Any] = (),
    budget: float | None = None,
) -> Truth:
    """See `lieapp.api.symmetries`."""
    limit = seconds(budget)
    system = system_of(equations, independent, dependent, parameters, functions, nonzero)
    variables = among(names(periodic, "periodic"), system.jets.independent, "periodic")
    return derive(system, variables, lengths_of(lengths, variables) or None, limit)


def _texts(given: Sequence[Any]) -> list[str]:
    """The names of variables and unknowns: u of u(t, x)."""
    return [e.func.__name__ if isinstance(e, AppliedUndef) else str(e) for e in given]
