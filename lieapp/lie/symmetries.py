"""`lieapp.derived.symmetries`: from equations as SymPy or text writes them to their certified algebra.

As a process of its own, `python -m lieapp.lie.symmetries`, it only tries to read typed equations.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from math import inf
from typing import Any, NoReturn

import sympy as sp
from sympy.core.function import AppliedUndef, UndefinedFunction

from lieapp.child import child_command, leave_with_parent
from lieapp.equations.equation import System, as_expression, exact
from lieapp.equations.free_equations import read_free, with_outputs
from lieapp.equations.parsing import parse_system
from lieapp.errors import BudgetError, EquationError, ParseError, UsageError
from lieapp.lie.deadline import Clock, OutOfTimeError, has_alarms
from lieapp.lie.parameters.moving import moved_of
from lieapp.lie.stages import Truth, derive

EXAMPLES = {
    "independent": "'t,x' or [t, x]",
    "dependent": "'u,v' or [u, v]",
    "parameters": "'g:positive, g != 3', a list of such, or {'g': 'positive'}",
    "functions": "'k:u' or 'k:x,u; q:u', a list of such, or {'k': 'u'}",
    "periodic": "'x' or [x]",
    "moving": "'nu,k' or [nu, k]",
}
"""How each argument is written."""

NAMED = (str, sp.Symbol, AppliedUndef)
"""What names something."""


def several(value: Any) -> list[Any]:
    """One equation or a list of them, as a list. Raises UsageError for what has no order, and other things."""
    if isinstance(value, (list, tuple)):
        given = list(value)
    elif isinstance(value, (str, sp.Basic, sp.MatrixBase, bool)):
        given = [value]
    else:
        raise UsageError(
            f"the equations are a {type(value).__name__}, {value!r}.",
            hint="Give one equation or a list of them, as text or as SymPy's: ['u_t - v_x', 'v_t - u_x'].",
        )
    if not given:
        raise EquationError("There is no equation.", hint="Give one, such as 'u_t - u_xx'.")
    return given


def names(value: Any, what: str, separator: str = ",") -> list[Any]:
    """Names, symbols or functions, in order: from 't,x', from one of them or from a list; none from None.

    Raises UsageError for anything else.
    """
    if isinstance(value, str):
        return [part.strip() for part in value.split(separator) if part.strip()]
    found = [] if value is None else [value] if isinstance(value, NAMED) else value
    if not isinstance(found, (list, tuple)) or not all(isinstance(e, NAMED) for e in found):
        _refuse(what, value)
    return list(found)


def declarations(value: Any, what: str) -> list[str]:
    """Parameters or functions of typed equations, each as on the command line: `g:positive`, `k:u`.

    A mapping {'g': 'positive'} or {'k': 'u'} says the same; several assumptions stand in a list.
    Raises UsageError for anything else.
    """
    texts = []
    if not isinstance(value, Mapping):
        for one in names(value, what, ";"):
            if isinstance(one, AppliedUndef):
                # k(u)
                one = f"{one.func.__name__}:{','.join(_called(a) for a in one.args)}"
            texts.append(str(one))
        return texts
    for key, known in value.items():
        words = [] if known is None else [known] if isinstance(known, NAMED) else known
        if (
            not isinstance(key, (str, sp.Symbol, UndefinedFunction))
            or not isinstance(words, (list, tuple))
            or not all(isinstance(w, NAMED) for w in words)
        ):
            _refuse(what, value)
        name = key if isinstance(key, str) else key.__name__ if isinstance(key, UndefinedFunction) else key.name
        texts.append(f"{name}:{', '.join(map(_called, words))}" if words else name)
    return texts


def _called(expression: Any) -> str:
    """u of u(t, x), and names and symbols themselves."""
    return str(expression.func.__name__) if isinstance(expression, AppliedUndef) else str(expression)


def _refuse(what: str, value: Any) -> NoReturn:
    raise UsageError(f"{what} is {value!r}.", hint=f"Write {what}={EXAMPLES[what]}.")


def known_nonzero(value: Any) -> list[Any]:
    """What doesn't vanish, as a list. Raises UsageError for what is none."""
    if value is None:
        return []
    if isinstance(value, sp.Expr) and not value.is_number:
        return [value]
    if not isinstance(value, (list, tuple)):
        raise UsageError(f"nonzero is {value!r}.", hint="Write nonzero=[g - 3] for a parameter g.")
    return list(value)


def among(given: Sequence[Any], variables: Sequence[sp.Symbol], what: str) -> list[sp.Symbol]:
    """The variables of these names. Raises EquationError for one that isn't there."""
    named = {str(x): x for x in variables}
    for x in given:
        if str(x) not in named:
            raise EquationError(
                f"{what} in {x}: the variables are {', '.join(named)}.",
                hint="Name one of the independent variables.",
            )
    return list(dict.fromkeys(named[str(x)] for x in given))


def lengths_of(value: Any, periodic: Sequence[sp.Symbol]) -> dict[sp.Symbol, sp.Expr]:
    """The lengths of periods, exactly. Raises UsageError or EquationError for those that are no lengths."""
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise UsageError(f"lengths is {value!r}.", hint="Write lengths={x: 2*sp.pi}, with periodic=[x].")
    named = {str(x): x for x in periodic}
    found = {}
    for x, length in value.items():
        if str(x) not in named:
            raise EquationError(
                f"lengths has {x}, which is not periodic.",
                hint=f"Give it in periodic too, as periodic=['{x}'], if it is one of the variables.",
            )
        L = as_expression(length, "lengths")
        if isinstance(L, sp.Expr) and not L.has(sp.nan):
            L = exact(L)
        if isinstance(length, bool) or not L.is_number or not L.is_positive or not L.is_finite:
            raise EquationError(
                f"lengths of {x} is {length}; the length of a period is a positive number.",
                hint=f"Write lengths={{{x}: 2*sp.pi}}; without it the restriction holds for every length.",
            )
        found[named[str(x)]] = L
    return found


def seconds(value: Any) -> float | None:
    """The budget; None if there is no limit. Raises UsageError unless it is a number above 0."""
    if value is None:
        return None
    try:
        number = 0.0 if isinstance(value, (str, bytes, bool)) else float(value)
    except (TypeError, ValueError, OverflowError):
        number = 0.0
    if not number > 0:
        raise UsageError(f"budget is {value!r}.", hint="Give it seconds, as budget=60.")
    return number


Names = str | Sequence[Any] | None


def system_of(
    equations: Any,
    independent: Names = (),
    dependent: Names = (),
    parameters: Names | Mapping[Any, Any] = (),
    functions: Names | Mapping[Any, Any] = (),
    nonzero: Sequence[Any] = (),
    clock: Clock | None = None,
    outputs: Any = (),
) -> System:
    """The system of one equation or a list of them, with its outputs; see `lieapp.derived.symmetries`.

    Raises EquationError, ParseError or UsageError for wrong arguments, and OutOfTimeError if text can't be read
    in the time that a clock has left.
    """
    given = several(equations)
    variables, unknowns = names(independent, "independent"), names(dependent, "dependent")
    constants, arbitrary = declarations(parameters, "parameters"), declarations(functions, "functions")
    known = known_nonzero(nonzero)
    measured = [] if outputs is None else list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]
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
        typed = (given, list(map(_called, variables)), list(map(_called, unknowns)), constants, arbitrary)
        if clock is not None and clock.left() < inf and not has_alarms():
            _try_apart(typed, clock.left())
        if not all(isinstance(h, str) for h in measured):
            raise UsageError(f"outputs are {outputs!r}.", hint="Write them as the equations: outputs='c*x'.")
        return parse_system(*typed, outputs=measured)
    if any(isinstance(e, str) for e in given):
        raise EquationError(
            "Some equations are text and some are SymPy's.", hint="Write all of a system's equations in one way."
        )
    if constants or arbitrary:
        raise EquationError(
            "parameters and functions belong to equations typed as text.",
            hint="In SymPy's equations every further symbol is a parameter, and k(u) an arbitrary function.",
        )
    return with_outputs(read_free(given, variables, unknowns, known), measured)


@dataclass(frozen=True)
class Given:
    """A system as it is given in Python; see `lieapp.derived.symmetries` for what each may be."""

    equations: Any
    independent: Names = ()
    dependent: Names = ()
    parameters: Names | Mapping[Any, Any] = ()
    functions: Names | Mapping[Any, Any] = ()
    nonzero: Sequence[Any] = ()
    outputs: Any = ()

    def system(self, clock: Clock) -> System:
        """The system, within what a clock leaves. Raises BudgetError if that doesn't suffice."""
        try:
            with clock.limit():
                return system_of(
                    self.equations, self.independent, self.dependent, self.parameters, self.functions, self.nonzero,
                    clock, self.outputs,
                )  # fmt: skip
        except OutOfTimeError:
            first = several(self.equations)[0]
            raise BudgetError(
                f"{first}: {clock.told()} before the equation was read.",
                hint="Raise the budget, or write the equation with fewer functions inside one another.",
            ) from None


def symmetries(
    given: Given,
    periodic: Names = (),
    lengths: Mapping[Any, Any] | None = None,
    budget: float | None = None,
    moving: Names = (),
    order: int | None = None,
) -> Truth:
    """See `lieapp.derived.symmetries`."""
    clock = Clock(seconds(budget))
    system = given.system(clock)
    variables = among(names(periodic, "periodic"), system.jets.independent, "periodic")
    moved = moved_of(system, names(moving, "moving"))
    return derive(system, variables, lengths_of(lengths, variables) or None, clock, moved, order)


def _try_apart(typed: Sequence[Sequence[str]], left: float) -> None:
    """Read typed equations in a process that can be ended, where nothing could interrupt it here.

    Raises OutOfTimeError if that takes longer than so many seconds.
    """
    command = child_command("lieapp.lie.symmetries")
    try:
        subprocess.run(command, input=json.dumps(typed).encode(), timeout=max(left, 0.0), check=False)
    except subprocess.TimeoutExpired:
        raise OutOfTimeError from None


if __name__ == "__main__":
    leave_with_parent()
    # what is wrong with the text is said by the one that asked, who reads it once more
    with suppress(ParseError):
        parse_system(*json.load(sys.stdin))
