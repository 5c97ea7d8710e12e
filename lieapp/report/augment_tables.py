"""What `lieapp augment` prints."""

from __future__ import annotations

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from lieapp.report.augment_words import TEXT, Summary, measure, rows, sentence


def augment_tables(summary: Summary) -> list[RenderableType]:
    """The table, the sentence and the place of the report."""
    heads, lines = rows(summary)
    table = Table(title=measure(summary), title_justify="left")
    for head in heads:
        table.add_column(head, justify="left" if head in TEXT else "right")
    for line in lines:
        # Text, not markup: a bracket in a name is no style
        table.add_row(*map(Text, line))
    warnings = [Text(f"warning: {words}") for words in summary["warnings"]]
    total = summary["seconds"].get("total")
    closing = [] if total is None else [Text(f"report: {summary['run']}/report.html ({total:.1f} s)")]
    return [table, Text(f"{sentence(summary)}.", style="bold"), *warnings, *closing]
