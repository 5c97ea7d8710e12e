"""Equations as somebody types them into a page: texts, which `reader.py` has read by the whitelist parser."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lieapp.errors import LieappError

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
        latex: each equation as LaTeX.
        parameters: names of the parameters.
        error: why the equations can't be read; None if they can.
        place: the number of the equation that the error points into; None for everything else.
    """

    latex: tuple[str, ...] = ()
    parameters: tuple[str, ...] = ()
    error: LieappError | None = None
    place: int | None = None
