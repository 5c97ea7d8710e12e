"""provenance.json: which code, plugin and command a run came from."""

from __future__ import annotations

import datetime
import os
import platform
import sys
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import lieapp

if TYPE_CHECKING:
    from lieapp.registry.catalog import Entry

PACKAGES = ("torch", "sympy", "numpy", "scipy")


def provenance(entry: Entry | None, folders: Sequence[Path], device: str) -> dict[str, Any]:
    """Everything about this moment that a result may depend on.

    `folders` are the plugin folders outside the working folder; a later process needs them to load the
    plugin again. Versions are read from package metadata: nothing heavy is imported.
    """
    return {
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "versions": versions(),
        "plugin": None if entry is None else plugin_origin(entry),
        "device": device,
        "platform": platform.platform(),
        "command": [Path(sys.argv[0]).name, *sys.argv[1:]],
        "folder": os.getcwd(),
        "plugins": [str(folder) for folder in folders],
    }


def plugin_origin(entry: Entry) -> dict[str, Any]:
    """Where a declaration came from: its name, title, file, content and source."""
    return {
        "name": entry.name,
        "title": entry.title,
        "file": str(entry.file.resolve()) if entry.file else None,
        "sha256": entry.sha256,
        "source": entry.source,
    }


def versions() -> dict[str, str]:
    """Versions of Python, lieapp and the libraries that numbers depend on."""
    found = {"python": platform.python_version(), "lieapp": lieapp.__version__}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "not installed"
    return found
