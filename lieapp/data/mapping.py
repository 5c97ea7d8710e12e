"""The typed mapping `u=usol(x,t), x=x, t=tt`, and the options `every`, `window` of reading."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass

from lieapp.errors import UsageError

EXAMPLE = 'For example --map "u=usol(x,t), x=x, t=tt".'


@dataclass(frozen=True)
class Entry:
    """One part of a mapping: an array of the file, or points computed from a start and a step.

    Args:
        name: of the unknown or axis.
        array: in the file; empty if the points are computed.
        index: `[…]` behind the array, a whole number or slice for each dimension, Ellipsis for those left out.
        part: `real` or `imag` of a complex array.
        dims: the names of the dimensions that are left, `sample` for trajectories; empty if not typed.
        start, step: of computed points, `x=0:0.5`.
    """

    name: str
    array: str = ""
    index: tuple[object, ...] = ()
    part: str = ""
    dims: tuple[str, ...] = ()
    start: float = 0.0
    step: float = 0.0


def parse_mapping(text: str) -> dict[str, Entry]:
    """The entries by their names. Raises UsageError for text that isn't a mapping."""
    found: dict[str, Entry] = {}
    for start, part in _split(text):
        try:
            entry = _part(part)
            if entry.name in found:
                raise UsageError(f"--map: {entry.name} is given twice.", hint="Give each unknown and axis once.")
        except UsageError as error:
            # the caret stands below the part that can't be read
            place = start + len(part) - len(part.lstrip())
            raise UsageError(f"{error.message}\n  {text}\n  {' ' * place}^", hint=error.hint) from None
        found[entry.name] = entry
    return found


def _part(text: str) -> Entry:
    name, equals, value = (piece.strip() for piece in text.partition("="))
    if not equals or not name.isidentifier() or not value:
        raise UsageError(f"--map: {text.strip()!r} isn't of the form name=array.", hint=EXAMPLE)
    return _entry(name, value)


def _split(text: str) -> Iterator[tuple[int, str]]:
    """The parts between commas outside brackets, and where they begin."""
    depth, start = 0, 0
    for i, letter in enumerate(text):
        depth += (letter in "([") - (letter in ")]")
        if letter == "," and depth == 0:
            yield start, text[start:i]
            start = i + 1
    if text[start:].strip():
        yield start, text[start:]


def _entry(name: str, value: str) -> Entry:
    steps = re.fullmatch(r"([^:()\[\]]+):([^:()\[\]]+)", value)
    if steps and not value[0].isalpha():
        start, step = (number(piece, f"--map: {name}={value}") for piece in steps.groups())
        if not step > 0:
            raise UsageError(f"--map: {name}={value}: the step is {step:g}; it must be above 0.", hint=EXAMPLE)
        return Entry(name, start=start, step=step)
    match = re.fullmatch(r"([^()\[\]]+?)(\[[^\]]*\])?(?:\.(real|imag))?(\([^)]*\))?", value)
    if match is None:
        raise UsageError(f"--map: {name}={value} can't be read.", hint=EXAMPLE)
    array, index, part, dims = match.groups()
    names = tuple(d.strip() for d in dims[1:-1].split(",")) if dims else ()
    if any(not d.isidentifier() for d in names) or len(set(names)) < len(names):
        raise UsageError(f"--map: {name}={value}: the brackets name each dimension once.", hint=EXAMPLE)
    return Entry(name, array.strip(), tuple(_indices(index or "", name)), part or "", names)


def _indices(text: str, name: str) -> Iterator[object]:
    for piece in text[1:-1].split(",") if text else ():
        bounds = piece.strip().split(":")
        try:
            if piece.strip() == "...":
                yield Ellipsis
            elif len(bounds) == 1:
                yield int(bounds[0])
            else:
                yield slice(*(int(b) if b.strip() else None for b in bounds))
        except (ValueError, TypeError):
            raise UsageError(
                f"--map: {name}=…{text}: {piece.strip()!r} is neither a whole number nor a slice.",
                hint='For example --map "u=velocity[..., 0](sample,t,x,y)".',
            ) from None


def number(text: str, whose: str) -> float:
    """A finite number, also a fraction `1/16`. Raises UsageError."""
    try:
        top, _, bottom = text.partition("/")
        found = float(top) / float(bottom or 1)
    except (ValueError, ZeroDivisionError):
        found = math.nan
    if not math.isfinite(found):
        raise UsageError(f"{whose}: {text.strip()!r} isn't a number.", hint="Write 0.5, 1e-3 or 1/16.")
    return found


def parse_every(text: str) -> dict[str, int]:
    """`t=4,x=2` as steps of axes. Raises UsageError."""
    found = {}
    for name, value in _pairs(text, "--every", "t=4,x=2"):
        if not value.isdecimal() or int(value) < 1:
            raise UsageError(f"--every: {name}={value}; it must be a whole number above 0.", hint="--every t=4,x=2")
        found[name] = int(value)
    return found


def parse_window(text: str) -> dict[str, tuple[float, float]]:
    """`t=0:10,x=-1:1` as intervals of axes; an end may be left out. Raises UsageError."""
    found = {}
    for name, value in _pairs(text, "--window", "t=0:10"):
        low, colon, high = value.partition(":")
        left = number(low, "--window") if low.strip() else -math.inf
        right = number(high, "--window") if high.strip() else math.inf
        if not colon or not left < right:
            raise UsageError(f"--window: {name}={value} isn't an interval.", hint="--window t=0:10")
        found[name] = (left, right)
    return found


def _pairs(text: str, option: str, example: str) -> Iterator[tuple[str, str]]:
    for part in filter(str.strip, text.split(",")):
        name, equals, value = part.partition("=")
        if not equals:
            text = f"{option}: {part.strip()!r} isn't of the form name=value."
            raise UsageError(text, hint=f"{option} {example}")
        yield name.strip(), value.strip()
