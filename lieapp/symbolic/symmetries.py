"""`lieapp.api.symmetries`: from equations as SymPy or text writes them to their certified algebra."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lieapp.errors import EquationError
from lieapp.symbolic.equation import System, as_expression, exact
from lieapp.symbolic.free_equations import read_free
from lieapp.symbolic.parsing import parse_system
from lieapp.symbolic.truth import Truth, derive

Names = str | Sequence[Any]


def system_of(
    equations: Any,
    independent: Names = (),
    dependent: Names = (),
    parameters: Names = (),
    functions: Names = (),
    nonzero: Sequence[Any] = (),
) -> System:
    """The system of one equation or a list of them; see `lieapp.api.symmetries`."""
    given = list(equations) if isinstance(equations, (list, tuple)) else [equations]
    if not given:
        raise EquationError("There is no equation.", hint="Give one, such as 'u_t - u_xx'.")
    if all(isinstance(e, str) for e in given):
        constants = _texts(parameters, ";")
        return parse_system(given, _texts(independent), _texts(dependent), constants, _texts(functions, ";"))
    if any(isinstance(e, str) for e in given):
        raise EquationError(
            "Some equations are text and some are SymPy's.", hint="Write all of a system's equations in one way."
        )
    if _texts(parameters) or _texts(functions):
        raise EquationError(
            "parameters and functions belong to equations typed as text.",
            hint="In SymPy's equations every further symbol is a parameter, and k(u) an arbitrary function.",
        )
    return read_free(given, tuple(independent), tuple(dependent), nonzero)


def symmetries(
    equations: Any,
    independent: Names = (),
    dependent: Names = (),
    parameters: Names = (),
    functions: Names = (),
    periodic: Names = (),
    lengths: Mapping[Any, Any] | None = None,
    nonzero: Sequence[Any] = (),
    budget: float | None = None,
) -> Truth:
    """See `lieapp.api.symmetries`."""
    system = system_of(equations, independent, dependent, parameters, functions, nonzero)
    named = {str(x): x for x in system.jets.independent}
    unknown = [str(x) for x in _texts(periodic) if str(x) not in named]
    if unknown:
        raise EquationError(
            f"periodic in {unknown[0]}: the variables are {', '.join(named)}.",
            hint="Name one of the independent variables.",
        )
    variables = [named[str(x)] for x in _texts(periodic)]
    known = {
        named[str(x)]: exact(as_expression(L, "lengths")) for x, L in (lengths or {}).items() if str(x) in named
    }
    return derive(system, variables, known or None, budget)


def _texts(names: Names, separator: str = ",") -> list[str]:
    """Names from 't,x' or from a list."""
    if isinstance(names, str):
        return [part.strip() for part in names.split(separator) if part.strip()]
    return [str(n) for n in names]
