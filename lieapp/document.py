"""A document: the presentation of a result, built once for the terminal, the report and the app.

A document is a list of blocks. Builders write plain text and formulas; the renderers
`report/terminal.py`, `report/page.py` and `ui/rendering.py` handle escaping, fonts and widths.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_DOWN, Decimal
from itertools import zip_longest
from typing import TYPE_CHECKING, Literal, TypeAlias

import msgspec

if TYPE_CHECKING:
    from lieapp.drawing import Drawing


def percent(share: float) -> str:
    """Per cent without a power of ten, `0.03 %`."""
    return f"{100 * share:.0f} %" if share >= 0.1 else f"{100 * share:.1g} %"


def number(value: float | None) -> str:
    """Two digits, `3e-6` and `290` rather than `3e-06` and `2.9e+02`; a dash for None and non-finite values."""
    if value is None or not math.isfinite(value):
        return "–"
    if 10 <= abs(value) < 1e5:
        return f"{value:.0f}".replace("-", "−")
    mantissa, _, exponent = f"{value:.2g}".partition("e")
    # the true minus sign in front, as wide as a digit; the exponent stays copyable
    return mantissa.replace("-", "−") + (f"e{int(exponent)}" if exponent else "")


MOST_DECIMALS = 10
"""Largest number of decimals of a cosine."""


def cosine(value: float | None, decimals: int = 5) -> str:
    """One cosine in the format of `cosines`."""
    return cosines([value], decimals)[0]


def cosines(values: Sequence[float | None], decimals: int = 5) -> list[str]:
    """A column of cosines: all with the same number of decimals, truncated rather than rounded.

    There are enough decimals to show how far each value is from 1: 0.9999999976. So an angle of 7e-5 has a matching
    cosine. The limit is ten: beyond is round-off. What is no cosine, even with round-off, is a dash.
    """
    # the shortest decimal number that is this float: exactly, .99998 is a little less
    known = [
        None if value is None or not abs(value) < 2 else min(Decimal(repr(float(value))), Decimal(1))
        for value in values
    ]
    shown = max((_decimals(exact, decimals) for exact in known if exact is not None), default=decimals)
    unit = Decimal(1).scaleb(-shown)
    return ["–" if e is None else f"{e.quantize(unit, ROUND_DOWN):f}".replace("-", "−") for e in known]


def _decimals(exact: Decimal, least: int) -> int:
    """Number of decimals that show how far a cosine is from 1, without trailing zeros."""
    missing = 1 - exact
    if not 0 < missing < 1:
        return least
    most = min(max(least, 1 - missing.adjusted()), MOST_DECIMALS)
    digits = f"{exact.quantize(Decimal(1).scaleb(-most), ROUND_DOWN):f}".partition(".")[2]
    return max(least, len(digits.rstrip("0")))


class Formula(msgspec.Struct, frozen=True):
    """A formula in two forms; as a block it is a displayed formula.

    Args:
        text: for terminals and to copy, `2*sqrt(t + 1) ∂x`.
        latex: for pages.
    """

    text: str
    latex: str


Words: TypeAlias = "str | Formula | Sequence[str | Formula]"
"""A line of text with formulas; `backticks` mark code."""


@dataclass(frozen=True)
class Heading:
    """The beginning of a section, which ends at the next heading.

    Args:
        key: identifies the section: its anchor in a report, its position on a page.
        term: terms that the app explains beside it: keys of `ui.help.TERMS`, separated by blanks.
        pages_only: whether terminals omit the section.
    """

    text: str
    key: str = ""
    term: str = ""
    pages_only: bool = False


@dataclass(frozen=True)
class Text:
    """A paragraph; `small` is for explanations of a table or figure above it."""

    words: Words
    small: bool = False


@dataclass(frozen=True)
class Notice:
    """An important sentence: the outcome of a run, a warning."""

    words: Words
    level: Literal["success", "info", "warning", "error"] = "info"


@dataclass(frozen=True)
class Column:
    """A column of a table; `number` right-aligns its cells as numbers."""

    head: Words
    number: bool = False


Cell: TypeAlias = "Words | None"
"""Content of a table cell; None is shown as a dash."""


@dataclass(frozen=True)
class Table:
    """Columns, and rows with a cell for each column."""

    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell]]


class Caption(msgspec.Struct, frozen=True, omit_defaults=True):
    """Title and caption of a figure; `key` is its file name in figures/, without the suffix."""

    key: str
    title: str
    caption: str = ""


@dataclass(frozen=True)
class Figure:
    """A figure as data or, if they are missing, a `note` that says so.

    Args:
        key: file name in figures/, without the suffix.
    """

    key: str
    title: str
    caption: str = ""
    drawing: Drawing | None = None
    note: str = ""


Draw: TypeAlias = Callable[[str], Figure]
"""A function from a key to a figure: drawn, or with a note that says why not."""


def undrawn(key: str) -> Figure:
    """An empty figure, for documents whose figures aren't used."""
    return Figure(key, "")


Block: TypeAlias = Heading | Text | Formula | Notice | Table | Figure
Document: TypeAlias = Sequence[Block]


def table(columns: Sequence[Column | str], rows: Iterable[Sequence[Cell]]) -> Table:
    """A table without its empty columns."""
    heads = [column if isinstance(column, Column) else Column(column) for column in columns]
    cells = [list(row) for row in rows]
    kept = [k for k, column in enumerate(zip_longest(*cells)) if any(cell not in (None, "") for cell in column)]
    return Table([heads[k] for k in kept], [[row[k] for k in kept] for row in cells])


def sections(document: Document) -> list[tuple[Heading, list[Block]]]:
    """Each heading with its blocks; blocks before the first heading get an empty one."""
    found: list[tuple[Heading, list[Block]]] = [(Heading(""), [])]
    for block in document:
        if isinstance(block, Heading):
            found.append((block, []))
        else:
            found[-1][1].append(block)
    return [entry for entry in found if entry[1]]


def section(document: Document, *keys: str) -> list[Block]:
    """The sections with these keys, including headings, in the order of the document."""
    return [block for head, blocks in sections(document) if head.key in keys for block in (head, *blocks)]


def inline(words: Words) -> Sequence[str | Formula]:
    """The parts of a line."""
    return (words,) if isinstance(words, str | Formula) else words


def joined(pieces: Iterable[Words], separator: str = ", ") -> list[str | Formula]:
    """Several parts joined into one line."""
    line: list[str | Formula] = []
    for piece in pieces:
        line += [separator] * bool(line) + list(inline(piece))
    return line


def plain_text(words: Words) -> str:
    """A line as plain text."""
    return "".join(part if isinstance(part, str) else part.text for part in inline(words))


def without(document: Document, warnings: Collection[str]) -> Document:
    """A document without some of its warnings, which are shown elsewhere."""
    return [
        block for block in document
        if not (isinstance(block, Notice) and block.level == "warning" and plain_text(block.words) in warnings)
    ]  # fmt: skip


def figures(shown: Iterable[Caption], draw: Draw) -> Iterator[Block]:
    """A section for each figure with a drawing."""
    for told in shown:
        if drawing := draw(told.key).drawing:
            yield from (Heading(told.title, told.key), Figure(told.key, told.title, told.caption, drawing))


def seconds(taken: Mapping[str, float]) -> list[Block]:
    """The section with the time of each stage, in order: a line, because a table would be too wide."""
    said = ", ".join(f"{stage} {value:.1f}" for stage, value in taken.items())
    return [Heading("Seconds per stage", "seconds"), Text(said or "No times were recorded.")]


def duration(seconds: float | None) -> str:
    """`8 s`, `3 min 20 s`, `2 h 5 min`."""
    if seconds is None or seconds < 0:
        return "–"
    whole = round(seconds)
    if whole < 60:
        return f"{seconds:.1f} s" if seconds < 10 else f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"
