"""The file of a sweep, and the cells of its grid."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from itertools import product
from pathlib import Path
from typing import Annotated, Literal

from lieapp.config_types import RunKind, Settings, told
from lieapp.errors import ConfigError
from lieapp.results.sweep import Key
from lieapp.settings import from_values, leaves, parse_toml, read_toml
from lieapp.sweeps.place import LOCAL

SEED = "seed"
"""The setting over which tables show the spread."""

MANY = 1000
"""Cells from which a grid has to be confirmed."""


def said(key: Key) -> str:
    """A cell in words: `plugin=ckdv, seed=0`."""
    return ", ".join(f"{name}={text_of(value)}" for name, value in key.items())


def text_of(value: object) -> str:
    """A setting in words: lists without the brackets of Python."""
    return ";".join(map(text_of, value)) if isinstance(value, list) else str(value)


class SweepFile(Settings, kw_only=True, frozen=True):
    """What a sweep's file holds."""

    command: Annotated[
        Literal["discover", "train", "augment"], told("What a cell is: a run of this command.")
    ] = "discover"
    plugins: Annotated[list[str], told("Additional folders of plugin files.")] = []  # noqa: RUF012
    grid: Annotated[dict[str, object], told("Settings that differ: each with a list of values.")]
    set: Annotated[dict[str, object], told("Settings that all cells share.")] = {}  # noqa: RUF012

    @property
    def lists(self) -> dict[str, list[object]]:
        """The values of each setting that differs, by its dotted key."""
        return {key: list(values) for key, values in leaves(self.grid) if isinstance(values, list)}

    @property
    def size(self) -> int:
        """The number of cells."""
        return math.prod(map(len, self.lists.values()))

    def cells(self) -> Iterator[Key]:
        """The cells in the order of the file: the last setting changes first."""
        for values in product(*self.lists.values()):
            yield dict(zip(self.lists, values, strict=True))

    def settings(self, key: Key) -> dict[str, object]:
        """All settings of a cell, by their dotted keys."""
        return {**dict(leaves(self.set)), **key}


class SweepConfig(SweepFile, kw_only=True, frozen=True):
    """A sweep as a run: the content of its file, what the file is called, and where its cells run."""

    kind: Annotated[Literal["sweep"], RunKind] = "sweep"
    name: Annotated[str, told("Name of the file, without its ending.")]
    on: Annotated[str, told("Where the cells run, unless --resume says otherwise.")] = LOCAL

    @property
    def text(self) -> str:
        """What a file with this content holds."""
        lines = [f"command = {json.dumps(self.command)}"]
        lines += [f"plugins = {json.dumps(self.plugins)}"] if self.plugins else []
        for name, values in (("grid", self.grid), ("set", self.set)):
            # lists, texts and numbers are written in TOML as in JSON
            known = [f"{key} = {json.dumps(value)}" for key, value in leaves(values)]
            lines += ["", f"[{name}]", *known] if known else []
        return "\n".join(lines) + "\n"


def read_sweep(file: Path, on: str = LOCAL) -> SweepConfig:
    """The sweep in a file. Raises ConfigError for what isn't one, with the key, its value and the rule."""
    return _sweep_of(read_toml(file, "`lieapp sweep`"), str(file), file.stem, on)


def parse_sweep(text: str, name: str, on: str) -> SweepConfig:
    """The sweep that a file of such a name would hold. Raises ConfigError as `read_sweep` does."""
    return _sweep_of(parse_toml(text, name), name, name, on)


def _sweep_of(values: Mapping[str, object], origin: str, name: str, on: str) -> SweepConfig:
    if "grid" not in values:
        raise ConfigError(
            f"{origin}: it has no [grid].", hint="Write [grid], and below it lists such as seed = [0, 1, 2]."
        )
    try:
        found = from_values(SweepFile, values)
        _check(found)
    except ConfigError as error:
        raise ConfigError(f"{origin}: {error.message}", hint=error.hint) from None
    return SweepConfig(**{key: getattr(found, key) for key in found.__struct_fields__}, name=name, on=on)


def _check(found: SweepFile) -> None:
    _check_lists(found.grid)
    double = [key for key, _ in leaves(found.set) if key in found.lists]
    if double:
        raise ConfigError(
            f"{double[0]} stands in [grid] and in [set].", hint="Leave it out of one of them."
        )
    for key, values in found.lists.items():
        if any(value in values[:place] for place, value in enumerate(values)):
            raise ConfigError(f"grid.{key} is {values}: a value stands there twice.", hint="List each value once.")


def _check_lists(grid: Mapping[str, object]) -> None:
    """Raises ConfigError unless every setting of the grid is a list with a value at least."""
    if not grid:
        raise ConfigError("[grid] is empty.", hint="Give a setting a list of values, seed = [0, 1, 2].")
    for key, values in leaves(grid):
        if not isinstance(values, list) or not values:
            raise ConfigError(
                f"grid.{key} is {values!r}: expected a list of values.",
                hint=f"Write {key} = [{values!r}] there, or put {key} into [set]."
                if values != [] else f"Write a value into it, or leave {key} out.",
            )
