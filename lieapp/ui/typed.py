"""Equations as somebody types them into a page: texts, read by the whitelist parser, never evaluated."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lieapp.errors import LieappError, UsageError

if TYPE_CHECKING:
    from lieapp.equations.equation import System

LISTS = ("equation", "independent", "dependent", "parameter", "function", "periodic")
"""The settings of a derivation that are typed."""

SEPARATORS = {"equation": "\n", "parameter": ";"}
"""What stands between several; a comma elsewhere. `g:positive, g != 3` is one parameter."""


@dataclass(frozen=True)
class Typed:
    """What was typed, as `lieapp truth` takes it."""

    equation: tuple[str, ...] = ()
    independent: tuple[str, ...] = ()
    dependent: tuple[str, ...] = ()
    parameter: tuple[str, ...] = ()
    function: tuple[str, ...] = ()
    periodic: tuple[str, ...] = ()

    def settings(self) -> dict[str, list[str]]:
        """The settings of a derivation."""
        return {name: list(getattr(self, name)) for name in LISTS}


def split(name: str, text: str) -> tuple[str, ...]:
    """The entries of one text field."""
    parts = re.split(SEPARATORS.get(name, ","), text)
    return tuple(part.strip() for part in parts if part.strip())


def joined(name: str, entries: Sequence[str]) -> str:
    """One text field of several entries; `split` takes it apart again."""
    separator = SEPARATORS.get(name, ",")
    return (separator if separator == "\n" else f"{separator} ").join(entries)


def typed_of(config: Mapping[str, Any]) -> Typed:
    """What was typed for a run, from its config.json; entries of other types are left out."""
    lists = {name: config.get(name) for name in LISTS}
    return Typed(
        **{
            name: tuple(entry for entry in entries if isinstance(entry, str))
            for name, entries in lists.items()
            if isinstance(entries, list)
        }
    )


@dataclass(frozen=True)
class Reading:
    """What the parser makes of it.

    Args:
        system: the equations; None where they can't be read.
        latex: each equation as LaTeX.
        error: why they can't be read.
        place: the number of the equation that the error points into; None for everything else.
    """

    system: System | None = None
    latex: tuple[str, ...] = ()
    error: LieappError | None = None
    place: int | None = None


def read(typed: Typed) -> Reading:
    """Parse what was typed, and write it as formulas. Raises nothing: the error is in the answer."""
    from lieapp.equations.latex import ordered_latex
    from lieapp.equations.parsing import parse_system

    try:
        _complete(typed)
        system = parse_system(typed.equation, typed.independent, typed.dependent, typed.parameter, typed.function)
        _check_periodic(typed)
    except LieappError as error:
        return Reading(error=error, place=_place(error, typed.equation))
    return Reading(system, tuple(f"{ordered_latex(r, system.jets)} = 0" for r in system.residuals))


def _complete(typed: Typed) -> None:
    """Raises UsageError for a field that must not be empty."""
    needed = {"equation": "an equation is", "independent": "the variables are", "dependent": "the unknowns are"}
    for name, what in needed.items():
        if not getattr(typed, name):
            hint = "For example u_t + u*u_x + u_xxx with variables t, x and unknown u."
            raise UsageError(f"{what} missing.", hint=hint)


def _check_periodic(typed: Typed) -> None:
    """Raises UsageError for a name that is no variable."""
    for name in typed.periodic:
        if name not in typed.independent:
            raise UsageError(
                f"periodic in {name}: the variables are {', '.join(typed.independent)}.",
                hint="Name one of the independent variables.",
            )


def _place(error: LieappError, equations: Sequence[str]) -> int | None:
    """Which equation a caret points into."""
    lines = error.message.split("\n")
    shown = lines[1].strip() if len(lines) > 1 else ""
    return equations.index(shown) if shown in equations else None
