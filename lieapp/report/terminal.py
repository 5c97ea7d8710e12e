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
            return _text(block.words, "dim" if block.small else "")
        case doc.Notice(level="warning"):
            return _text(["warning: ", *doc.inline(block.words)], _STYLES["warning"])
        case doc.Notice():
            return _text(block.words, _STYLES[block.level])
        case doc.Formula():
            return RichText(f"  {block.text}")
        case doc.Table():
            return _table(block)
        case doc.Figure():
            return None


def _text(words: doc.Words, style: str) -> RichText:
    """A line in which what stands between backticks, commands to type, is bold."""
    parts = doc.plain_text(words).split("`")
    if len(parts) % 2 == 0:
        return RichText("`".join(parts), style=style)
    tokens = ((part, "bold" if place % 2 else None) for place, part in enumerate(parts))
    return RichText("", style=style).append_tokens(tokens)


def _table(block: doc.Table) -> RichTable:
    table = RichTable()
    for column in block.columns:
        table.add_column(doc.plain_text(column.head), justify="right" if column.number else "left", overflow="fold")
    for row in block.rows:
        table.add_row(*map(_cell, row))
    return table


def _cell(cell: doc.Cell) -> RichText:
    return RichText("–" if cell in (None, "") else doc.plain_text(cell))
