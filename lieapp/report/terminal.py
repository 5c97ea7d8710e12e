"""A document on a terminal: headings, tables and lines; figures stand in the report."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType
from rich.table import Table as RichTable
from rich.text import Text as RichText

from lieapp import document as doc

_STYLES = {"success": "bold green", "info": "", "warning": "yellow", "error": "bold red"}


def rendered(document: doc.Document) -> Iterator[RenderableType]:
    """What is printed one below the other. Text, never markup: a bracket in a formula is no style."""
    for head, blocks in doc.sections(document):
        shown = [] if head.pages_only else [item for block in blocks if (item := _block(block)) is not None]
        if shown and head.text:
            yield RichText(head.text, style="bold")
        yield from shown


def _block(block: doc.Block) -> RenderableType | None:
    match block:
        case doc.Heading():
            return RichText(block.text)
        case doc.Text():
            return RichText(doc.plain_text(block.words), style="dim" if block.small else "")
        case doc.Notice(level="warning"):
            return RichText(f"warning: {doc.plain_text(block.words)}", style=_STYLES["warning"])
        case doc.Notice():
            return RichText(doc.plain_text(block.words), style=_STYLES[block.level])
        case doc.Formula():
            return RichText(f"  {block.text}")
        case doc.Table():
            return _table(block)
        case doc.Figure():
            return None


def _table(block: doc.Table) -> RichTable:
    table = RichTable()
    for column in block.columns:
        table.add_column(doc.plain_text(column.head), justify="right" if column.number else "left", overflow="fold")
    for row in block.rows:
        table.add_row(*map(_cell, row))
    return table


def _cell(cell: doc.Cell) -> RichText:
    return RichText("–" if cell in (None, "") else doc.plain_text(cell))
