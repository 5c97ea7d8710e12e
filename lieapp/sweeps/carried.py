"""Plugin files on their way to workers: by content, and written where the same registry loads them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from lieapp.errors import PluginError
from lieapp.registry.catalog import Catalog
from lieapp.registry.loader import shipped_folder
from lieapp.registry.modules import PACKAGE

LARGEST = 2**24
"""Bytes of all plugin files of a sweep."""

FOLDER = "plugins"
"""In the folder of a sweep: a copy of the plugin files, which its cells are run with."""

Files = Mapping[str, bytes]
"""Contents by path in that folder; the first part is a number for each folder that they come from."""


def plugin_files(catalog: Catalog) -> dict[str, bytes]:
    """The Python files of all folders that plugins were loaded from, but those that lieapp ships.

    Raises PluginError for more than `LARGEST` bytes.
    """
    found: dict[str, bytes] = {}
    for number, place in enumerate(_places(catalog)):
        top = place if place.is_dir() else place.parent
        for file in _python(place):
            found[f"{number}/{file.relative_to(top).as_posix()}"] = file.read_bytes()
    if (size := sum(map(len, found.values()))) > LARGEST:
        raise PluginError(
            f"the plugin files of this sweep have {size} bytes, more than {LARGEST}.",
            hint="Leave only plugin files in their folders.",
        )
    return found


def _places(catalog: Catalog) -> Iterator[Path]:
    here, shipped = Path("plugins"), shipped_folder()
    if here.is_dir() and (shipped is None or here.resolve() != shipped.resolve()):
        yield here
    yield from catalog.folders


def _python(place: Path) -> Iterator[Path]:
    """The Python files of a folder and of the packages in it; a file given in place of a folder is alone."""
    for inside in sorted(place.iterdir()) if place.is_dir() else [place]:
        if inside.suffix == ".py" and inside.is_file():
            yield inside
        elif (inside / PACKAGE).is_file():
            yield from sorted(inside.rglob("*.py"))


def write_files(files: Files, folder: Path) -> list[Path]:
    """Write the files below a folder; the folders that the registry has to load, in order."""
    for name, content in files.items():
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)
    return folders_in(folder)


def folders_in(folder: Path) -> list[Path]:
    """The folders that the registry has to load, in order."""
    numbered = [place for place in folder.iterdir() if place.name.isdigit()] if folder.is_dir() else []
    return sorted((place.resolve() for place in numbered), key=lambda place: int(place.name))
