"""Whether a given field is a symmetry, classifications and conservation laws, by a child process within a budget.

The child is `python -m lieapp.pde.questions`, like that of a derivation.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from lieapp.config_symbolic import ClassifyConfig, HoldsConfig, LawsConfig
from lieapp.errors import BudgetError, UsageError
from lieapp.pde.derivation import LONGEST, answer, ask_child, noting, system_asked
from lieapp.results.classification import ClassifyResult
from lieapp.results.holding import HoldsResult
from lieapp.results.laws import LawsResult

if TYPE_CHECKING:
    from lieapp.equations.equation import System

MODULE = "lieapp.pde.questions"


class HoldsRequest(msgspec.Struct, tag="holds"):
    """What the child is asked: whether a field holds, and the plugin folders outside the working folder."""

    config: HoldsConfig
    folders: list[str]


def holds_in_child(config: HoldsConfig, folders: Sequence[Path] = ()) -> HoldsResult:
    """Whether a field is a symmetry of a plugin's or typed equation.

    Raises UsageError if no field is given, and what `derive_in_child` raises.
    """
    if not config.field.strip():
        raise UsageError("the field is empty.", hint="Give --field 'x: a*t, u: 1', or --field 'a*t*d_x + d_u'.")
    return ask_child(MODULE, HoldsRequest(config, [str(folder) for folder in folders]), config, HoldsResult)


def holds(request: HoldsRequest) -> HoldsResult:
    """The test itself, here in this process. Raises LieappError."""
    from lieapp.lie.deadline import Clock, OutOfTimeError

    clock = Clock(min(request.config.budget, LONGEST))
    try:
        with clock.limit():
            from lieapp.lie.given.field import given_field
            from lieapp.lie.given.holding import holding
            from lieapp.lie.given.told import told

            system, _, _, title = system_asked(request.config, request.folders)
            given = given_field(request.config.field, system)
    except OutOfTimeError:
        raise BudgetError(f"{clock.told()} before the equation was parsed.", hint="Raise --budget.") from None
    result = told(holding(system, given, clock))
    result.plugin, result.title = request.config.plugin, title
    return result


class ClassifyRequest(msgspec.Struct, tag="classify"):
    """What the child is asked: a classification, or more of one that was `begun`; `notes` as of a derivation."""

    config: ClassifyConfig
    folders: list[str]
    begun: ClassifyResult | None = None
    notes: str = ""


def classify_in_child(
    config: ClassifyConfig,
    folders: Sequence[Path] = (),
    begun: ClassifyResult | None = None,
    notes: str = "",
    watch: Callable[[], None] | None = None,
) -> ClassifyResult:
    """The classification of a plugin's or typed equation, or more of one that was begun.

    Arguments and errors are those of `derive_in_child`.
    """
    request = ClassifyRequest(config, [str(folder) for folder in folders], begun, notes)
    return ask_child(MODULE, request, config, ClassifyResult, watch)


def classify(request: ClassifyRequest) -> ClassifyResult:
    """The classification itself, here in this process. Raises LieappError."""
    from lieapp.lie.deadline import Clock, OutOfTimeError

    clock = Clock(min(request.config.budget, LONGEST), noting(request.notes))
    try:
        with clock.limit():
            from lieapp.lie.classes import classification
            from lieapp.lie.classes.told import begun, told

            system, title = _class(request)
            earlier = begun(system, request.begun) if request.begun else None
    except OutOfTimeError:
        raise BudgetError(f"{clock.told()} before the equation was parsed.", hint="Raise --budget.") from None
    result = told(classification.classify(system, clock, earlier))
    result.plugin, result.title = request.config.plugin, title
    return result


def _class(request: ClassifyRequest) -> tuple[System, str]:
    """The equation with its parameters free, also those of a plugin, and the title."""
    system, _, _, title = system_asked(request.config, request.folders)
    if request.config.plugin is None:
        return system, title
    from lieapp.equations.free_equations import read_free
    from lieapp.registry.catalog import load_catalog

    folders = [Path(folder) for folder in request.folders]
    declaration = load_catalog(folders).get(request.config.plugin).declaration
    given = declaration.equation
    found = read_free(given if isinstance(given, (list, tuple)) else [given], list(declaration.region), [], [])
    return replace(found, name=system.name), title


class LawsRequest(msgspec.Struct, tag="laws"):
    """What the child is asked: conservation laws; `notes` as of a derivation."""

    config: LawsConfig
    folders: list[str]
    notes: str = ""


def laws_in_child(
    config: LawsConfig,
    folders: Sequence[Path] = (),
    notes: str = "",
    watch: Callable[[], None] | None = None,
) -> LawsResult:
    """The conservation laws of a plugin's or typed equation.

    Arguments and errors are those of `derive_in_child`.
    """
    request = LawsRequest(config, [str(folder) for folder in folders], notes)
    return ask_child(MODULE, request, config, LawsResult, watch)


def laws(request: LawsRequest) -> LawsResult:
    """The conservation laws themselves, here in this process. Raises LieappError."""
    from lieapp.lie.deadline import Clock, OutOfTimeError

    clock = Clock(min(request.config.budget, LONGEST), noting(request.notes))
    try:
        with clock.limit():
            from lieapp.lie.beyond.laws import conservation_laws
            from lieapp.lie.beyond.told import told_laws

            system, _, _, title = system_asked(request.config, request.folders)
    except OutOfTimeError:
        raise BudgetError(f"{clock.told()} before the equation was parsed.", hint="Raise --budget.") from None
    result = told_laws(conservation_laws(system, request.config.order, clock, request.config.actions))
    result.plugin, result.title = request.config.plugin, title
    return result


def work(request: bytes) -> msgspec.Struct:
    """The answer to a request."""
    asked = msgspec.json.decode(request, type=HoldsRequest | ClassifyRequest | LawsRequest)
    if isinstance(asked, HoldsRequest):
        return holds(asked)
    return classify(asked) if isinstance(asked, ClassifyRequest) else laws(asked)


if __name__ == "__main__":
    answer(work)
