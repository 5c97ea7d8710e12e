"""Print tables: as wide as the terminal, and wide enough for any reader where there is none."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from lieapp.document import Document
from lieapp.report.terminal import rendered

PIPE_WIDTH = 200


def console() -> Console:
    """A console on stdout."""
    return Console(width=None if sys.stdout.isatty() else PIPE_WIDTH, highlight=False)


def print_table(title: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """A table; cells are shown as text, None as a dash."""
    # not the table's own title, which is folded to the table's width
    print_line(title, style="bold")
    table = Table()
    for column in columns:
        table.add_column(column, overflow="fold")
    for row in rows:
        # Text, not markup: a bracket in a formula or a path is no style
        table.add_row(*(Text("–" if cell is None else str(cell)) for cell in row))
    console().print(table)


def print_line(text: str, style: str = "") -> None:
    """One line of text."""
    console().print(Text(text), style=style, soft_wrap=True)


def print_document(document: Document) -> None:
    """What a result says; lines stay whole, tables are folded."""
    for item in rendered(document):
        console().print(item, soft_wrap=isinstance(item, Text))
