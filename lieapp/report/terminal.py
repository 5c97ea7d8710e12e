"""A document on a terminal: headings, tables and lines; figures stand in the report."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType
from rich.table import Table as RichTable
from rich.text import Text as RichText

from lieapp.document import (
    Block,
    Cell,
    Document,
    Figure,
    Formula,
    Heading,
    Notice,
    Table,
    Text,
    plain_text,
    sections,
)

_STYLES = {"success": "bold green", "info": "", "warning": "yellow", "error": "bold red"}


def rendered(document: Document) -> Iterator[RenderableType]:
    """What is printed one below the other. Text, never markup: a bracket in a formula is no style."""
    for head, blocks in sections(document):
        shown = [] if head.pages_only else [item for block in blocks if (item := _block(block)) is not None]
        if shown and head.text:
            yield RichText(head.text, style="bold")
        yield from shown


def _block(block: Block) -> RenderableType | None:
    match block:
        case Heading():
            return RichText(block.text)
        case Text():
            return RichText(plain_text(block.words), style="dim" if block.small else "")
        case Notice(level="warning"):
            return RichText(f"warning: {plain_text(block.words)}", style=_STYLES["warning"])
        case Notice():
            return RichText(plain_text(block.words), style=_STYLES[block.level])
        case Formula():
            return RichText(f"  {block.text}")
        case Table():
            return _table(block)
        case Figure():
            return None


def _table(block: Table) -> RichTable:
    table = RichTable()
    for column in block.columns:
        table.add_column(plain_text(column.head), justify="right" if column.number else "left", overflow="fold")
    for row in block.rows:
        table.add_row(*map(_cell, row))
    return table


def _cell(cell: Cell) -> RichText:
    return RichText("–" if cell in (None, "") else plain_text(cell))
