"""From a path to the contents of a file: its reader by its first bytes, then the layout of its arrays."""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from lieapp.arrays import Contents, Index
from lieapp.errors import DataError, LieappError, not_utf8
from lieapp.extension import Reader
from lieapp.registry.catalog import Catalog, load_catalog
from lieapp.registry.loader import SHIPPED

START = 520
"""Bytes at the start of a file that readers may look at; HDF5 inside a .mat file begins at byte 512."""

TEXT = "Write its text in UTF-8."
SUFFERED = "The file is damaged or incomplete: compare its size with the original, or write it again."

_places: dict[Path, Path] = {}
"""Where files lie on this machine that were sent here from another one, by their paths there."""


@contextmanager
def lying(places: Mapping[str, str]) -> Iterator[None]:
    """Within the block, read files that another machine names from where they lie on this one."""
    _places.update({Path(path): Path(place) for path, place in places.items()})
    try:
        yield
    finally:
        _places.clear()


def place_of(path: Path) -> Path:
    """Where a file lies on this machine; it is called by its path everywhere else."""
    return _places.get(path, path)


_readers: list[Reader] = []
"""Those of plugins that were sent here from another machine; none on the machine of the user."""


def read_by(catalog: Catalog) -> None:
    """From now on, this process reads files with the readers of these plugins, wherever it is started."""
    _readers[:] = readers_of(catalog)


def all_readers() -> list[Reader]:
    """The readers of lieapp and of all plugins."""
    return [*_readers] or readers_of(load_catalog())


def readers_of(catalog: Catalog) -> list[Reader]:
    """The registered readers; those of plugins first, so that they can take a file from a shipped one."""
    known = catalog.readers.values()
    return [r.item for r in sorted(known, key=lambda registered: registered.source == SHIPPED)]


@contextmanager
def opened(path: Path, readers: Sequence[Reader]) -> Iterator[list[Contents]]:
    """The contents of a file, one for each grid; it stays open meanwhile.

    Raises DataError for a file that doesn't exist, that no reader knows, that is damaged, in use or that changes.
    """
    before = stamp(path)
    reader = _reader(path, readers)
    assert reader.open is not None
    with damage(path, reader.name):
        contents = reader.open(place_of(path))
    safe = tuple(replace(a, load=_guarded(path, reader.name, a.load)) for a in contents.arrays)
    contents = replace(contents, arrays=safe)
    try:
        if path.suffix.lower() not in reader.suffixes and path.suffix:
            note = f"the name ends with {path.suffix}, but the content is {reader.name}"
            contents = replace(contents, notes=(*contents.notes, note))
        yield _laid_out(contents, path, readers)
    finally:
        contents.close()
    if stamp(path) != before:
        raise moving(path)


def moving(path: Path) -> DataError:
    """What is raised for a file that another program writes meanwhile."""
    return DataError(f"{path} changed while it was read.", hint="Read it again when it is finished.")


def _guarded(path: Path, kind: str, load: Callable[[Index], Any]) -> Callable[[Index], Any]:
    """What reads values, with damage told as an error of the file."""

    def guarded(index: Index) -> Any:
        with damage(path, kind):
            return load(index)

    return guarded


def _laid_out(contents: Contents, path: Path, readers: Sequence[Reader]) -> list[Contents]:
    for reader in readers:
        if reader.layout is not None and contents.format in reader.formats and not contents.layout:
            found = reader.layout(contents, place_of(path))
            if found:
                return [replace(part, layout=part.layout or reader.name) for part in found]
    return [contents]


def stamp(path: Path) -> tuple[int, int]:
    """Size and time of a file: it changed if they did. Raises DataError for one that can't be found."""
    try:
        state = place_of(path).stat()
    except (OSError, ValueError) as error:
        # ValueError: a name that no file can have
        why = getattr(error, "strerror", None) or error
        text = "doesn't exist" if isinstance(error, FileNotFoundError) else f"can't be read: {why}"
        raise DataError(f"{path} {text}.", hint="Check the name of the file.") from None
    return state.st_size, state.st_mtime_ns


def beside(path: Path, readers: Sequence[Reader]) -> list[Path]:
    """The files that a layout may read besides this one."""
    found = [other for reader in readers for other in reader.beside(path)]
    return [other for other in dict.fromkeys(found) if other.is_file()]


def _reader(path: Path, readers: Sequence[Reader]) -> Reader:
    start, place = b"", place_of(path)
    if not (place.is_dir() or place.is_file()):
        # reading a pipe would wait for a writer
        raise DataError(f"{path} is a pipe or a device, not a file.", hint="Write its content to a file first.")
    if not place.is_dir():
        with damage(path, "a file"), place.open("rb") as stream:
            start = stream.read(START)
        if not start:
            raise DataError(f"{path} is empty: 0 bytes.", hint="Write or download it again.")
    found = next((r for r in readers if r.open is not None and r.recognizes(place, start)), None)
    if found is not None:
        return found
    formats = ", ".join(r.name for r in readers if r.open is not None)
    if place.is_dir():
        raise DataError(f"{path} is a folder, not a file.", hint="Give its files, or a zarr store.")
    meant = next((r for r in readers if path.suffix.lower() in r.suffixes and r.open is not None), None)
    if meant is not None:
        raise DataError(
            f"{path} isn't {meant.name}, as its name says: it begins with {start[:8]!r}.",
            hint=f"{SUFFERED} Formats that can be read: {formats}.",
        )
    raise DataError(
        f"{path}: no reader knows this format; the file begins with {start[:8]!r}.",
        hint=f"Formats that can be read: {formats}; a plugin can add one by the hook lieapp_readers.",
    )


@contextmanager
def damage(path: Path, kind: str) -> Iterator[None]:
    """Turn the errors of libraries that read a damaged file into DataError."""
    try:
        yield
    except (LieappError, MemoryError):
        raise
    except UnicodeDecodeError as error:
        raise DataError(f"{path} can't be read as {kind}: {not_utf8(error)}.", hint=TEXT) from error
    except Exception as error:
        text = " ".join(str(error).split()) or type(error).__name__
        if getattr(error, "errno", None) in (errno.EAGAIN, errno.EACCES) or "unable to lock" in text:
            raise DataError(
                f"{path} is in use by another program or can't be read: {text}.", hint="Wait until it is closed."
            ) from error
        raise DataError(f"{path} can't be read as {kind}: {text[:200]}.", hint=SUFFERED) from error
