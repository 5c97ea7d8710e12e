"""From the settings of a cell to a run that can begin: everything is checked before any worker is asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from lieapp.config_types import FILE_OPTIONS, DiscoverData, FileData
from lieapp.data.opening import readers_of
from lieapp.errors import ConfigError, LieappError
from lieapp.given_data import files_of
from lieapp.registry.catalog import Catalog, load_catalog
from lieapp.results.sweep import Key
from lieapp.settings import load_config
from lieapp.sweeps.data_files import DataFile, together
from lieapp.sweeps.spec import SEED, SweepConfig, said

OF_EQUATION = ("equation", "independent", "dependent")
"""What an equation is typed with, in place of a plugin."""

LISTS = ("data", "parameter", "equation", "independent", "dependent")
"""Options that are given as lists; a single value is a list of one."""

OPTIONS = (
    *FILE_OPTIONS.values(), "method", "preset", "slots", "samples", "laws", "fields", "order", "variants", "seeds",
    "model",
)  # fmt: skip
"""Keys that mean what the options of the commands mean; all others are settings."""


class Plan(msgspec.Struct, frozen=True):
    """A cell with everything that its run needs.

    Args:
        sha256: of the plugin's file.
        config: the settings.
        data: the files of the user's own that the run reads.
        run: the id of the run.
    """

    key: Key
    plugin: str
    sha256: str
    config: msgspec.Raw
    data: tuple[DataFile, ...] = ()
    run: str = ""


@dataclass(frozen=True)
class Resolved:
    """The cells of a sweep, and the folders that their plugins come from."""

    plans: list[Plan]
    catalog: Catalog


def resolve(sweep: SweepConfig, origin: str, out: Path, folders: Sequence[Path] = ()) -> Resolved:
    """Check every cell, and complete its settings.

    Args:
        origin: the file, for errors.
        out: the folder of runs; equations that are typed have their plugins in it.
        folders: of plugin files, besides those that the sweep names.

    Raises LieappError that names the cell and what is wrong with it.
    """
    cells = [_Cell(key, sweep.settings(key), origin) for key in sweep.cells()]
    more = [Path(folder).resolve() for folder in [*sweep.plugins, *map(str, folders)]]
    typed = dict.fromkeys(folder for cell in cells if (folder := cell.plugin_of_equation(out)) is not None)
    catalog = load_catalog([*more, *typed])
    checked: set[bytes] = set()
    return Resolved([cell.plan(sweep.command, catalog, out, checked) for cell in cells], catalog)


class _Cell:
    """The settings of one cell on their way to a plan."""

    def __init__(self, key: Key, values: Mapping[str, object], origin: str) -> None:
        self.key, self.origin = key, origin
        self.values = {
            name: [value] if name in LISTS and not isinstance(value, list) else value
            for name, value in values.items()
        }

    def plugin_of_equation(self, out: Path) -> Path | None:
        """The folder of the plugin of an equation, which from now on is the cell's; None if none is typed."""
        if "equation" not in self.values:
            return None
        from lieapp.pde.typed import plugin_of

        try:
            if "plugin" in self.values:
                raise ConfigError("plugin and equation are both given.", hint="Give one of them.")
            texts, independent, dependent = (_names(name, self.values.pop(name, [])) for name in OF_EQUATION)
            name, folder = plugin_of(texts, self._data(), out, independent, dependent)
        except LieappError as error:
            raise self._named(error) from None
        self.values["plugin"] = name
        return folder.resolve()

    def plan(self, command: str, catalog: Catalog, out: Path, checked: set[bytes]) -> Plan:
        """Everything that the cell's run needs. Raises LieappError that names the cell.

        Args:
            checked: settings that were found good, without their seed; those of this cell join them.
        """
        try:
            return self._plan(command, catalog, out, checked)
        except LieappError as error:
            raise self._named(error) from None

    def _plan(self, command: str, catalog: Catalog, out: Path, checked: set[bytes]) -> Plan:
        name = self.values.get("plugin")
        if not isinstance(name, str):
            told = "is missing" if name is None else f"is {name!r}: expected the name of a plugin"
            raise ConfigError(f"plugin {told}.", hint="Write plugin into [grid] or [set].")
        entry = catalog.get(name)
        work = catalog.work(entry, command)
        typed = {option: self.values.get(option) for option in OPTIONS}
        if command == "train":
            typed["data"] = next(iter(_names("data", typed["data"] or [])), None)
        rest = {key: value for key, value in self.values.items() if key not in OPTIONS}
        given = load_config(
            catalog.settings(work), owners=catalog.all_settings, origin=self.origin,
            **{**rest, **{key: value for key, value in work.typed(name, typed).items() if value is not None}},
        )  # fmt: skip
        config = work.complete(given, entry.declaration, out)
        # a check takes 25 ms, and no seed changes its outcome
        seedless = msgspec.structs.replace(config, seed=0) if hasattr(config, SEED) else config
        if (known := msgspec.json.encode(seedless)) not in checked:
            work.check(config, entry.declaration)
            checked.add(known)
        data = getattr(config, "data", None)
        paths, readers = data.files if isinstance(data, FileData) else (), readers_of(catalog)
        files = tuple(file for path in paths for file in together(path, readers))
        return Plan(self.key, name, entry.sha256, msgspec.Raw(msgspec.json.encode(config)), files)

    def _data(self) -> DiscoverData:
        return files_of({option: self.values.get(option) for option in (*FILE_OPTIONS.values(), "samples")})

    def _named(self, error: LieappError) -> LieappError:
        """The error with the cell in front."""
        error.message = f"{self.origin}, cell {said(self.key)}: {error.message}"
        error.args = (error.message,)
        return error


def _names(what: str, value: object) -> list[str]:
    """A list of texts. Raises ConfigError for anything else."""
    if isinstance(value, list) and all(isinstance(part, str) for part in value):
        return value
    raise ConfigError(f"{what} is {value!r}: expected text, or a list of texts.", hint='Write "…" around it.')
