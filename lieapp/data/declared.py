"""What a declaration must bring before data can be made of it, said without torch and before any work."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef

from lieapp.api import MIN_POINTS, PDE, SumOfSines
from lieapp.equations.equation import read_pde, read_transform
from lieapp.equations.evolution import Evolution, evolution_form
from lieapp.equations.regular import check_periodic, check_regular
from lieapp.errors import DataError, EquationError, GridError, PluginError, UsageError

SMALLEST, LARGEST = sp.Rational(1, 10**100), sp.Integer(10) ** 100
"""Sizes of numbers whose squares and cubes are still numbers of double precision."""


def check_equation(declaration: Any, command: str, words: tuple[str, str]) -> None:
    """Raises UsageError for a declaration of something else, one and several, where an equation is needed."""
    if not isinstance(declaration, PDE):
        raise UsageError(
            f"{declaration.name}: it is {words[0]}, not an equation, but `lieapp {command}` needs one.",
            hint=f"`lieapp discover --plugin {declaration.name}` finds symmetries of {words[1]}.",
        )


def check_data(pde: PDE) -> None:
    """Whether data can be made of a declaration, as far as that shows without making them.

    Raises EquationError if the equation isn't of evolution form, GridError if it can't be simulated on its axes,
    DataError or PluginError for what its other keywords say.
    """
    own = evolution_form(read_pde(pde))
    check_coefficients(pde, own)
    if pde.source is not None:
        return
    solved = own
    if pde.transform is not None:
        solved = evolution_form(read_transform(pde, pde.transform))
        check_coefficients(pde, solved)
    _check_axes(pde, own, "data are simulated")
    for name in solved.jets.dependent:
        initial_of(pde.initial, name)
    check_times(pde, own)


def check_times(pde: PDE, evolution: Evolution, least: int = 1) -> None:
    """Raises DataError unless `keep_last` leaves between `least` and all of the time samples."""
    count = pde.points[evolution.jets.independent[evolution.time]]
    if pde.keep_last is None or pde.source is not None:
        return
    if not isinstance(pde.keep_last, int) or pde.keep_last < 1:
        raise DataError(
            f"{pde.name}: keep_last is {pde.keep_last!r}; it is a number of time samples, at least 1.",
            hint="Leave keep_last out to keep all of them.",
        )
    if pde.keep_last > count:
        raise DataError(
            f"{pde.name}: keep_last is {pde.keep_last}, but there are {count} time samples only.",
            hint="Lower keep_last or raise points of the time variable.",
        )
    if pde.keep_last < least:
        raise DataError(
            f"{pde.name}: keep_last is {pde.keep_last}; symmetries are learned from how data change in time, which "
            f"takes at least {least} samples.",
            hint="Raise keep_last, or leave it out to keep all of them.",
        )


def check_coefficients(pde: PDE, evolution: Evolution) -> None:
    """Raises EquationError unless coefficients are finite in the region and periodic where solutions are.

    Their numbers must be of a size that data can be computed with; exact derivations take any.
    """
    strange = [n for n in _numbers(evolution) if n != 0 and not SMALLEST <= abs(n) <= LARGEST]
    if strange:
        raise EquationError(
            f"{pde.name}: the equation has the number {sp.N(strange[0], 3)}; data are computed with numbers from "
            f"{float(SMALLEST):g} to {float(LARGEST):g}.",
            hint="Measure the variables or unknowns in other units; `lieapp truth` derives symmetries with any.",
        )
    space = [x for x in pde.periodic if x != evolution.jets.independent[evolution.time]]
    check_regular(evolution.rhs, evolution.jets, pde.region, evolution.name)
    check_periodic(evolution.rhs, evolution.jets, pde.region, space, evolution.name)


def check_discovery(pde: PDE) -> None:
    """Whether symmetries can be learned: data can be made, and derivatives taken along every axis of space.

    Raises what `check_data` raises.
    """
    own = evolution_form(read_pde(pde))
    _check_axes(pde, own, "symmetries are learned")
    check_times(pde, own, MIN_POINTS)
    check_data(pde)


def _numbers(evolution: Evolution) -> list[sp.Number]:
    """The finite numbers in the right-hand sides, the largest first."""
    found = {n for side in evolution.rhs for n in side.atoms(sp.Number) if n.is_finite}
    return sorted(found, key=abs, reverse=True)


def _check_axes(pde: PDE, evolution: Evolution, what: str) -> None:
    axes = [evolution.jets.independent[i] for i in evolution.space]
    if not axes:
        (only,) = evolution.jets.independent
        raise GridError(
            f"{pde.name}: {only} is the only variable; {what} on at least one axis of space.",
            hint="`lieapp truth` derives symmetries of ordinary differential equations.",
        )
    bad = ", ".join(str(axis) for axis in axes if axis not in pde.periodic)
    if bad and pde.source is None:
        raise GridError(
            f"{pde.name}: {bad} is not periodic; data are simulated on periodic axes only.",
            hint=f"Add periodic=[{bad}] if solutions repeat over the region, or give data in files: "
            f"`lieapp discover --plugin {pde.name} --data FILE`.",
        )
    time = evolution.jets.independent[evolution.time]
    if time in pde.periodic:
        raise GridError(
            f"{pde.name}: periodic has {time}, the evolution variable; {what} from one end of it to the other.",
            hint=f"Leave {time} out of periodic; `lieapp truth --periodic {time}` derives symmetries for it.",
        )


def unknown_name(key: Any) -> str:
    """The unknown that u(t, x), the function u or the text "u" means."""
    return str(key.func if isinstance(key, AppliedUndef) else key)


def initial_of(declaration: Any, name: str) -> SumOfSines:
    """The initial state of one unknown. Raises PluginError for something that isn't an initial-condition object."""
    if isinstance(declaration, Mapping):
        declaration = {unknown_name(k): v for k, v in declaration.items()}.get(name)
    if not isinstance(declaration, SumOfSines):
        raise PluginError(
            f"initial state of {name} is {declaration!r}; it must be an initial-condition object.",
            hint="Use SumOfSines(terms=…, amplitude=…, wavenumbers=…) from lieapp.api.",
        )
    return declaration
