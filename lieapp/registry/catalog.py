"""The catalog: from the name typed after --plugin to a declaration and the file it came from."""

from __future__ import annotations

import reprlib
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from lieapp.api import PDE, Colors, Images
from lieapp.errors import PluginError, UnknownPluginError
from lieapp.registry.loader import Loader, Plugin
from lieapp.registry.modules import Broken, LoadError, guarded
from lieapp.registry.sources import SHIPPED, variable_folders

RENAME = "Write another name=… in one of them, or remove one of the files."

DECLARATIONS = (PDE, Images, Colors)
"""What `lieapp_domains` may return; every one has a name and a title."""


@dataclass(frozen=True)
class Entry:
    """One domain: what was declared, and where.

    Args:
        declaration: the object the plugin's hook returned.
        file: the plugin's file; None for an installed package without one.
        sha256: the content of that file.
        source: shipped, ./plugins, --plugins, LIEAPP_PLUGINS or entry point.
        hooks: all hooks that file offers.
    """

    declaration: Any
    file: Path | None
    sha256: str
    source: str
    hooks: tuple[str, ...]

    @property
    def name(self) -> str:
        """What is typed after --plugin."""
        return str(self.declaration.name)

    @property
    def title(self) -> str:
        """What tables and pages print."""
        return str(self.declaration.title)


class Catalog:
    """The domains that were found, and the files that couldn't be loaded.

    A name declared twice means the shipped domain of that name if there is one, else nothing; files that can't use
    their name are in `broken`.

    Args:
        found: every domain, in the order of loading; names may repeat.
        broken: files and hooks that can't be used.
        folders: folders outside the working folder, absolute; a run keeps them to find its plugin again.
    """

    def __init__(self, found: Sequence[Entry], broken: Sequence[Broken], folders: Sequence[Path] = ()) -> None:
        by_name: dict[str, list[Entry]] = {}
        for entry in found:
            by_name.setdefault(entry.name, []).append(entry)
        self._by_name = dict(sorted(by_name.items()))
        self._chosen = {name: _chosen(same) for name, same in self._by_name.items()}
        self.entries = [entry for entry in self._chosen.values() if entry is not None]
        self.folders = tuple(folders)
        self.broken = list(broken)
        for name, same in self._by_name.items():
            shipped = self._chosen[name]
            if shipped is None:
                self.broken.append(_unused(same[-1], f"{_duplicate(name, same)} {RENAME}"))
                continue
            text = f"the name {name!r} is that of the shipped {shipped.file}, which is used; write another name=…"
            self.broken += [
                _unused(entry, f"{text} in this file to use it.") for entry in same if entry is not shipped
            ]

    def get(self, name: str) -> Entry:
        """The domain of that name.

        Raises UnknownPluginError with the nearest name, PluginError if two files use the name and neither is
        shipped, or if the file called so is broken.
        """
        entry, same = self._chosen.get(name), self._by_name.get(name)
        if entry is not None:
            return entry
        if same:
            raise PluginError(_duplicate(name, same), hint=RENAME)
        meant = [b for b in self.broken if b.file is not None and Path(b.file).stem == name]
        if meant:
            raise PluginError(f"{name} could not be loaded: {meant[0]}", hint="Mend that file.")
        known = list(self._by_name)
        near = get_close_matches(name, known, n=1)
        advice = f"did you mean {near[0]!r}?" if near else f"known: {', '.join(known) or 'none'}."
        raise UnknownPluginError(f"there is no plugin {name!r}; {advice}", hint=self._advice())

    def note(self, name: str) -> str:
        """What a user of that name should know: other files that declare it too; empty if there are none."""
        entry = self._chosen.get(name)
        others = [str(other.file or other.source) for other in self._by_name.get(name, ()) if other is not entry]
        if entry is None or not others:
            return ""
        files = " and ".join(dict.fromkeys(others))
        return (
            f"{name!r} is the shipped {entry.file}, not that of {files}; write another name=… there to use "
            f"{'it' if len(others) == 1 else 'them'}"
        )

    @property
    def equations(self) -> list[Entry]:
        """The entries that are equations; others have no truth and no simulated data."""
        return [entry for entry in self.entries if isinstance(entry.declaration, PDE)]

    def _advice(self) -> str:
        advice = "`lieapp plugins` lists what was found."
        if self.broken:
            advice += " Not loaded: " + "; ".join(map(str, self.broken))
        return advice


def load_catalog(folders: Sequence[Path] = ()) -> Catalog:
    """Load all plugins; `folders` are those of --plugins.

    Raises UsageError if one of `folders` doesn't exist. Broken files don't raise: they are in `broken`.
    """
    loader = Loader()
    loader.load_all(folders)
    found: list[Entry] = []
    for plugin in list(loader.plugins):
        if "lieapp_domains" in plugin.hooks:
            found.extend(_domains(loader, plugin))
    outside = [folder.resolve() for folder in (*folders, *variable_folders())]
    return Catalog(found, loader.broken, list(dict.fromkeys(outside)))


def _domains(loader: Loader, plugin: Plugin) -> list[Entry]:
    """Ask one plugin for its domains; alone, so that an error in it stays its own."""
    others = [other.module for other in loader.plugins if other is not plugin]
    hook = loader.manager.subset_hook_caller("lieapp_domains", remove_plugins=others)
    try:
        with guarded(plugin.file):
            results = hook()
    except LoadError as error:
        loader.broken.append(plugin.broken(f"lieapp_domains: {error.error}", error.line))
        return []
    if not results:
        loader.broken.append(plugin.broken("lieapp_domains returned None; it must return a list of declarations."))
    found = []
    for result in results:
        if not isinstance(result, (list, tuple)):
            loader.broken.append(plugin.broken(f"lieapp_domains returned {_short(result)}; it must return a list."))
            continue
        for item in result:
            if isinstance(item, DECLARATIONS):
                found.append(Entry(item, plugin.file, plugin.sha256, plugin.source, plugin.hooks))
            else:
                kinds = ", ".join(kind.__name__ for kind in DECLARATIONS)
                text = f"lieapp_domains lists {_short(item)}; an item must be a {kinds} of lieapp.api."
                loader.broken.append(plugin.broken(text))
    return found


def _short(value: Any) -> str:
    # reprlib: short, and safe for objects whose repr raises
    return f"{type(value).__name__} {reprlib.repr(value)}"


def _chosen(same: Sequence[Entry]) -> Entry | None:
    """The one that a name means: the only one, or the only shipped one, so that no file takes that away."""
    shipped = [entry for entry in same if entry.source == SHIPPED]
    found = same if len(same) == 1 else shipped
    return found[0] if len(found) == 1 else None


def _unused(entry: Entry, error: str) -> Broken:
    return Broken(entry.file, error, None, entry.source, str(entry.file or entry.source))


def _duplicate(name: str, same: Sequence[Entry]) -> str:
    files = " and ".join(dict.fromkeys(str(entry.file or entry.source) for entry in same))
    return f"the name {name!r} is declared {len(same)} times, in {files}."
