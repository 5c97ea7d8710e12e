"""A document: what is said of a result, built once for the terminal, the report and the app.

A document is a list of blocks. Builders write plain text and formulas; escaping, fonts and widths belong to the
renderers `report/terminal.py`, `report/page.py` and `ui/rendering.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Literal, TypeAlias

import msgspec


class Formula(msgspec.Struct, frozen=True):
    """Mathematics in its two forms; in a list of blocks it stands on a line of its own.

    Args:
        text: for terminals and to copy, `2*sqrt(t + 1) ∂x`.
        latex: for pages.
    """

    text: str
    latex: str


Words: TypeAlias = "str | Formula | Sequence[str | Formula]"
"""A line of text with formulas in it; what stands between `backticks` is to be typed."""


@dataclass(frozen=True)
class Heading:
    """The beginning of a section, which lasts until the next heading.

    Args:
        key: names the section: its anchor in a report, its place on a page.
        term: what the app explains beside it: keys of `ui.help.TERMS`, with blanks between.
        pages_only: whether a terminal leaves the section out.
    """

    text: str
    key: str = ""
    term: str = ""
    pages_only: bool = False


@dataclass(frozen=True)
class Text:
    """A paragraph; `small` is for what explains a table or figure above it."""

    words: Words
    small: bool = False


@dataclass(frozen=True)
class Notice:
    """A sentence that must not be missed: the outcome of a run, a warning."""

    words: Words
    level: Literal["success", "info", "warning", "error"] = "info"


@dataclass(frozen=True)
class Column:
    """A column of a table; `number` sets its cells as numbers, aligned at the right."""

    head: Words
    number: bool = False


Cell: TypeAlias = "Words | None"
"""What stands in a table's cell; None is shown as a dash."""


@dataclass(frozen=True)
class Table:
    """Rows below columns, with a cell for each."""

    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell]]


class Figure(msgspec.Struct, frozen=True, omit_defaults=True):
    """A picture or, where its data are absent, the sentence that says so.

    Args:
        key: file name in figures/, without its ending.
        svg: the picture; empty when `note` stands instead.
    """

    key: str
    title: str
    caption: str = ""
    svg: str = ""
    note: str = ""


Block: TypeAlias = Heading | Text | Formula | Notice | Table | Figure
Document: TypeAlias = Sequence[Block]


def table(columns: Sequence[Column | str], rows: Iterable[Sequence[Cell]]) -> Table:
    """A table without the columns in which no row has anything."""
    heads = [column if isinstance(column, Column) else Column(column) for column in columns]
    cells = [list(row) for row in rows]
    kept = [k for k, column in enumerate(zip_longest(*cells)) if any(cell not in (None, "") for cell in column)]
    return Table([heads[k] for k in kept], [[row[k] for k in kept] for row in cells])


def sections(document: Document) -> list[tuple[Heading, list[Block]]]:
    """Each heading with its blocks; what stands before the first one has an empty heading."""
    found: list[tuple[Heading, list[Block]]] = [(Heading(""), [])]
    for block in document:
        if isinstance(block, Heading):
            found.append((block, []))
        else:
            found[-1][1].append(block)
    return [entry for entry in found if entry[1]]


def section(document: Document, *keys: str) -> list[Block]:
    """The sections of these keys, with their headings, in the order of the document."""
    return [block for head, blocks in sections(document) if head.key in keys for block in (head, *blocks)]


def inline(words: Words) -> Sequence[str | Formula]:
    """The pieces of a line."""
    return (words,) if isinstance(words, str | Formula) else words


def joined(pieces: Iterable[Words], separator: str = ", ") -> list[str | Formula]:
    """Several pieces in one line."""
    line: list[str | Formula] = []
    for piece in pieces:
        line += [separator] * bool(line) + list(inline(piece))
    return line


def plain_text(words: Words) -> str:
    """A line as text alone."""
    return "".join(part if isinstance(part, str) else part.text for part in inline(words))
