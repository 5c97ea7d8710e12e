"""What files of a run hold: any bytes give a value of the expected type, or one error that says why not."""

from __future__ import annotations

import stat
from pathlib import Path
from typing import Any, TypeVar

import msgspec

Known = TypeVar("Known")

LARGEST = 256 * 2**20
"""Bytes of the largest file with text; runs write a hundredth of it."""

DEEPEST = 40
"""Levels of nesting in JSON without a type; settings have five."""


class UnreadableError(ValueError):
    """A file that doesn't hold what it should; the text is the reason, without a full stop."""


def reason(error: OSError | UnreadableError) -> str:
    """Why a file can't be read, without its name and a full stop."""
    return error.strerror or str(error) if isinstance(error, OSError) else str(error)


def contents(file: Path, most: int = LARGEST) -> bytes:
    """The bytes of a file. Raises OSError, and UnreadableError for a folder, a pipe or more than `most` bytes."""
    about = file.stat()
    if not stat.S_ISREG(about.st_mode):
        raise UnreadableError("it isn't a regular file")
    if about.st_size > most:
        raise UnreadableError(f"it has {about.st_size} bytes, more than {most}")
    return file.read_bytes()


def decode(content: bytes | str, kind: type[Known]) -> Known:
    """The value of that type that JSON holds. Raises UnreadableError for anything else."""
    try:
        return msgspec.json.decode(content, type=kind)
    except RecursionError:
        raise UnreadableError("its JSON is nested too deeply") from None
    except (ValueError, MemoryError) as error:
        raise UnreadableError(str(error) or type(error).__name__) from None


def read(file: Path, kind: type[Known]) -> Known:
    """The value of that type that a JSON file holds. Raises OSError, and UnreadableError for anything else."""
    return decode(contents(file), kind)


def decode_object(content: bytes | str) -> dict[str, Any]:
    """An object of any keys, nested at most `DEEPEST` times. Raises UnreadableError for anything else."""
    found = decode(content, dict[str, Any])
    level: list[Any] = [found]
    for _ in range(DEEPEST):
        level = [inner for value in level for inner in _inside(value)]
        if not level:
            return found
    raise UnreadableError("its JSON is nested too deeply")


def _inside(value: object) -> list[Any]:
    """The arrays and objects directly in a value."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [one for one in inner if isinstance(one, dict | list)]


def facts_in(content: bytes, key: str, kind: type[Known]) -> Known:
    """What the header of a safetensors file says under `key` of its metadata, which is JSON.

    Raises UnreadableError for anything else.
    """
    return decode(text_in(content, key), kind)


def text_in(content: bytes, key: str) -> str:
    """The same as it stands there. Raises UnreadableError for anything else."""
    length = int.from_bytes(content[:8], "little")
    header = decode(content[8 : 8 + length], _Header)
    if key not in header.metadata:
        raise UnreadableError(f"its header has no {key!r}")
    return header.metadata[key]


class _Header(msgspec.Struct):
    metadata: dict[str, str] = msgspec.field(name="__metadata__", default_factory=dict)
