"""What config.json and provenance.json of every run have in common: typed, whatever kind of run wrote them."""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypeVar

import msgspec

from lieapp.reading import UnreadableError, contents, decode, decode_object
from lieapp.runs.store.sealed import KEY


class Settings(msgspec.Struct):
    """The settings that lists and pages show; each kind of run has more."""

    kind: str = ""
    plugin: str | None = None
    equation: list[str] | None = None
    domain: str | None = None
    method: str | None = None
    seed: int | None = None
    budget: float | None = None
    order: int | None = None


class Origin(msgspec.Struct):
    """The plugin's file as it was when the run began."""

    name: str = ""
    title: str = ""
    file: str | None = None
    sha256: str = ""


class Provenance(msgspec.Struct):
    """What later processes read of a run's provenance; reports show all of it."""

    plugin: Origin | None = None
    folder: str = ""
    plugins: list[str] = []
    data_files: dict[str, list[str | float | None]] | None = None


Common = TypeVar("Common", Settings, Provenance)


def read_common(file: Path, kind: type[Common]) -> tuple[dict[str, Any], Common]:
    """All that a file holds, and what every run has. Raises OSError, and UnreadableError for anything else.

    Its checksum, which is looked at where a run is resumed, is left out.
    """
    content = contents(file)
    found, common = decode_object(content), decode(content, kind)
    found.pop(KEY, None)
    return found, common


def known(file: Path, kind: type[Common]) -> tuple[dict[str, Any], Common]:
    """The same; nothing where the file can't be read."""
    try:
        return read_common(file, kind)
    except (OSError, UnreadableError):
        return {}, kind()
