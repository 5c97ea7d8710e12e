"""Whether a given field is a symmetry, answered within a budget by a child process.

The child is `python -m lieapp.pde.special`, like that of a derivation.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from lieapp.config_symbolic import HoldsConfig
from lieapp.errors import BudgetError, UsageError
from lieapp.pde.derivation import LONGEST, answer, ask_child, system_asked
from lieapp.results.special import HoldsResult

MODULE = "lieapp.pde.special"


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
            from lieapp.lie.given_field import given_field
            from lieapp.lie.holding import holding
            from lieapp.lie.holding_told import told

            system, _, _, title = system_asked(request.config, request.folders)
            given = given_field(request.config.field, system)
    except OutOfTimeError:
        raise BudgetError(f"{clock.told()} before the equation was parsed.", hint="Raise --budget.") from None
    result = told(holding(system, given, clock))
    result.plugin, result.title = request.config.plugin, title
    return result


def work(request: bytes) -> msgspec.Struct:
    """The answer to a request."""
    return holds(msgspec.json.decode(request, type=HoldsRequest))


if __name__ == "__main__":
    answer(work)
