"""Where plugins are looked for: files of folders in a fixed order, then installed packages."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import lieapp
from lieapp.errors import UsageError

MODULES = ("lieapp.pde.kind", "lieapp.pictures.kind", "lieapp.methods.shipped")
"""Modules that offer hooks as a plugin's file does: the kinds and methods that lieapp ships."""

SHIPPED = "shipped"
WORKING = "./plugins"
OPTION = "--plugins"
PACKAGE = "__init__.py"
VARIABLE = "LIEAPP_PLUGINS"


@dataclass(frozen=True)
class Candidate:
    """A plugin file, or a folder that should hold some but can't be read.

    Args:
        file: the path as it was found; of a package its `__init__.py`.
        source: which of the sources found it.
        error: why it can't be read; empty if nothing is known yet.
    """

    file: Path
    source: str
    error: str = ""


def shipped_folder() -> Path | None:
    """The plugins that come with lieapp: in the wheel inside the package, in a checkout beside it."""
    package = Path(lieapp.__file__).parent
    inside = package / "_plugins"
    if inside.is_dir():
        return inside
    beside = package.parent / "plugins"
    # without the check, site-packages/plugins of somebody else would be taken for ours
    return beside if beside.is_dir() and (package.parent / "pyproject.toml").is_file() else None


def variable_folders() -> list[Path]:
    """The folders named by the environment variable LIEAPP_PLUGINS."""
    return [Path(part) for part in os.environ.get(VARIABLE, "").split(os.pathsep) if part]


def candidates(folders: Sequence[Path]) -> Iterator[Candidate]:
    """Every plugin file, in the order in which files are loaded; `folders` are those of --plugins.

    Raises UsageError for a folder of --plugins that doesn't exist: it was typed a moment ago.
    """
    for folder in folders:
        if not folder.exists():
            raise UsageError(
                f"--plugins {folder}: there is no such folder.",
                hint="Give a folder with plugin files, or one plugin file ending in .py.",
            )
    shipped = shipped_folder()
    if shipped is not None:
        yield from _files(shipped, SHIPPED)
    if Path("plugins").is_dir():
        yield from _files(Path("plugins"), WORKING)
    for folder in folders:
        yield from _files(folder, OPTION)
    for folder in variable_folders():
        yield from _files(folder, VARIABLE)


def _files(place: Path, source: str) -> Iterator[Candidate]:
    """The plugin files and packages of a folder, sorted; what starts with `_` or `.` are helpers and left alone."""
    if place.is_file():
        yield Candidate(place, source)
        return
    try:
        names = sorted(os.listdir(place))
    except OSError as error:
        yield Candidate(place, source, f"the folder can't be read: {error.strerror}")
        return
    for name in names:
        if name.startswith(("_", ".")):
            continue
        if name.endswith(".py"):
            yield Candidate(place / name, source)
        elif (place / name / PACKAGE).is_file():
            yield Candidate(place / name / PACKAGE, source)
