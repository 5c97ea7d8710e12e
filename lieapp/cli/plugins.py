"""`lieapp plugins`: what was loaded, from where, with which hooks, and what is broken."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from lieapp.cli.options import Common, Outcome, common

if TYPE_CHECKING:
    from lieapp.registry.catalog import Catalog


@click.command("plugins")
@common("plugins")
def command(settings: Common) -> Outcome:
    """List the plugins, where each came from, and the files that are broken."""
    catalog = settings.catalog()
    document = {
        "plugins": [
            {
                "name": entry.name,
                "title": entry.title,
                "equation": equation_text(entry.declaration),
                "file": None if entry.file is None else str(entry.file),
                "sha256": entry.sha256,
                "source": entry.source,
                "hooks": list(entry.hooks),
            }
            for entry in catalog.entries
        ],
        "broken": [
            {
                "name": broken.name,
                "file": None if broken.file is None else str(broken.file),
                "line": broken.line,
                "source": broken.source,
                "error": broken.error,
            }
            for broken in catalog.broken
        ],
    }
    return Outcome(document, lambda: _show(catalog))


def _show(catalog: Catalog) -> None:
    from lieapp.cli.tables import print_line, print_table

    rows = [
        (entry.name, entry.title, entry.source, entry.file, ", ".join(entry.hooks)) for entry in catalog.entries
    ]
    print_table("Plugins", ("name", "title", "source", "file", "hooks"), rows)
    for broken in catalog.broken:
        print_line(f"broken: {broken}", style="red")


def equation_text(declaration: Any) -> str | None:
    """The equation as SymPy writes it; None for a domain that isn't an equation's."""
    equation = getattr(declaration, "equation", None)
    if equation is None:
        return None
    parts = equation if isinstance(equation, (list, tuple)) else [equation]
    return "; ".join(f"{part.lhs} = {part.rhs}" if hasattr(part, "lhs") else f"{part} = 0" for part in parts)
