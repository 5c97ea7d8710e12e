"""`lieapp.api.symmetries`: from equations as SymPy or text writes them to their certified algebra.

As a process of its own, `python -m lieapp.lie.symmetries`, it only tries to read typed equations.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from math import inf
from typing import Any

from sympy.core.function import AppliedUndef

from lieapp.child import child_command
from lieapp.equations.arguments import among, declarations, known_nonzero, lengths_of, names, seconds, several
from lieapp.equations.equation import System
from lieapp.equations.free_equations import read_free
from lieapp.equations.parsing import parse_system
from lieapp.errors import BudgetError, EquationError, ParseError
from lieapp.lie.deadline import Clock, OutOfTimeError, has_alarms
from lieapp.lie.stages import Truth, derive

Names = str | Sequence[Any] | None


def system_of(
    equations: Any,
    independent: Names = (),
    dependent: Names = (),
    parameters: Names | Mapping[Any, Any] = (),
    functions: Names | Mapping[Any, Any] = (),
    nonzero: Sequence[Any] = (),
    clock: Clock | None = None,
) -> System:
    """The system of one equation or a list of them; see `lieapp.api.symmetries`.

    Raises EquationError, ParseError or UsageError for what can't be meant, and OutOfTimeError if text can't be read
    in the time that a clock has left.
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
        typed = (given, _texts(variables), _texts(unknowns), constants, arbitrary)
        if clock is not None and clock.left() < inf and not has_alarms():
            _try_apart(typed, clock.left())
        return parse_system(*typed)
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
    clock = Clock(seconds(budget))
    try:
        with clock.limit():
            system = system_of(equations, independent, dependent, parameters, functions, nonzero, clock)
    except OutOfTimeError:
        first = several(equations)[0]
        raise BudgetError(
            f"{first}: {clock.told()} before the equation was read.",
            hint="Raise the budget, or write the equation with fewer functions inside one another.",
        ) from None
    variables = among(names(periodic, "periodic"), system.jets.independent, "periodic")
    return derive(system, variables, lengths_of(lengths, variables) or None, clock)


def _try_apart(typed: Sequence[Sequence[str]], left: float) -> None:
    """Read typed equations in a process that can be ended, where nothing could interrupt it here.

    Raises OutOfTimeError if that takes longer than so many seconds.
    """
    command = child_command("lieapp.lie.symmetries")
    try:
        subprocess.run(command, input=json.dumps(typed).encode(), timeout=max(left, 0.0), check=False)
    except subprocess.TimeoutExpired:
        raise OutOfTimeError from None


def _texts(given: Sequence[Any]) -> list[str]:
    """The names of variables and unknowns: u of u(t, x)."""
    return [e.func.__name__ if isinstance(e, AppliedUndef) else str(e) for e in given]


if __name__ == "__main__":
    # what is wrong with the text is said by the one that asked, who reads it once more
    with suppress(ParseError):
        parse_system(*json.load(sys.stdin))
