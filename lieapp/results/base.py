"""What all results share, and how they are written and read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Literal, TypeVar

import msgspec

from lieapp import reading
from lieapp.document import Formula
from lieapp.errors import RunError
from lieapp.reading import UnreadableError, contents

SCHEMA = 1
"""Version of summary.json: raised when a key changes its meaning, not when one is added."""


class Nearest(msgspec.Struct):
    """The named field that is nearest to a learned one, and their cosine."""

    name: str
    cosine: float | None


class Compared(msgspec.Struct, kw_only=True):
    """What is put beside other runs; empty or None where a kind of run has nothing of it.

    Args:
        method: how it was found.
        count: how many fields are exact.
        names: of the derived generators; `fields`: their formulas; `cosines`: of each with the learned span.
        formulas: the proved closed forms.
        angle: between the learned and the derived span, in radians.
        etas: the defect of each slot.
        turns: how far each slot turns features, in radians; `nearest`: the named field that is.
        accuracy: of a network.
        seconds: of each stage, and in all.
    """

    method: str | None = None
    count: int | None = None
    names: list[str] = []
    fields: list[Formula] = []
    formulas: list[Formula] = []
    cosines: list[float | None] | None = None
    angle: float | None = None
    etas: list[float | None] = []
    turns: list[float | None] = []
    nearest: list[Nearest] = []
    accuracy: float | None = None
    seconds: dict[str, float] = {}


class Result(msgspec.Struct, kw_only=True):
    """What every run tells. A kind of run adds its own in a subclass, `class Training(Result, tag="training", …)`.

    JSON carries the tag as `result`. A result whose class isn't there, of a plugin that is gone, is read as this.

    Args:
        run: path or id of the run; None of a result that is no run's.
        plugin: the name typed after --plugin; None of a typed equation.
        title: of the plugin.
        sentence: the outcome.
        warnings: what the reader must know.
        schema: the version of these keys.
    """

    run: str | None = None
    plugin: str | None = None
    title: str = ""
    sentence: str = ""
    warnings: list[str] = []
    schema: int = SCHEMA

    @property
    def level(self) -> Literal["success", "info"]:
        """How the outcome is shown: `info` where less was found than was looked for."""
        return "success"

    def compared(self) -> Compared:
        """What lists and comparisons of runs show of it."""
        return Compared()


Kind = TypeVar("Kind", bound=Result)


class _Tag(msgspec.Struct):
    result: str = ""


def decode(content: bytes, place: str = "the summary") -> Result:
    """The result that some JSON is. Raises RunError, which names `place` and the key, for what can't be read."""
    try:
        tag = reading.decode(content, _Tag).result
        kind = next((cls for cls in _kinds(Result) if cls.__struct_config__.tag == tag), Result)
        return reading.decode(content, kind)
    except UnreadableError as error:
        raise _unreadable(place, error) from None


def read_result(folder: Path) -> Result | None:
    """The result of a run, None where there is none yet. Raises RunError if it can't be read."""
    file = folder / "summary.json"
    try:
        content = contents(file)
    except FileNotFoundError:
        return None
    except (OSError, UnreadableError) as error:
        raise _unreadable(str(file), error) from None
    return decode(content, str(file))


def _unreadable(place: str, error: OSError | UnreadableError) -> RunError:
    hint = "It may be damaged, or of another version of lieapp: run it again."
    return RunError(f"{place} can't be read: {reading.reason(error)}.", hint=hint)


def result_of(folder: Path, kind: type[Kind]) -> Kind | None:
    """The result of a run of this kind, None where there is none yet. Raises RunError for anything else."""
    found = read_result(folder)
    if found is None or isinstance(found, kind):
        return found
    raise RunError(
        f"{folder / 'summary.json'} can't be read: it holds the result of another kind of run.",
        hint="It may be of another version of lieapp: run it again.",
    )


def _kinds(cls: type[Result]) -> Iterator[type[Result]]:
    for kind in cls.__subclasses__():
        yield kind
        yield from _kinds(kind)
