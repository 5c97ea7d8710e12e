"""`lieapp plugins`: what was loaded, from where, with which hooks, and what is broken."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from lieapp.cli.options import Common, Outcome, common

if TYPE_CHECKING:
    from lieapp.registry.catalog import Catalog


@click.command("plugins")
@common("plugins")
def command(settings: Common) -> Outcome:
    """List the plugins, kinds and methods, where each came from, and the files that are broken."""
    catalog = settings.catalog()
    document = {
        "plugins": [
            {
                "name": entry.name,
                "title": entry.title,
                "kind": entry.kind.name,
                "equation": entry.kind.shown(entry.declaration),
                "file": None if entry.file is None else str(entry.file),
                "sha256": entry.sha256,
                "source": entry.source,
                "hooks": list(entry.hooks),
            }
            for entry in catalog.entries
        ],
        "kinds": [
            {
                "name": name,
                "declaration": known.item.declaration.__name__,
                "commands": [work.command for work in known.item.works],
                "place": known.place,
                "source": known.source,
            }
            for name, known in catalog.kinds.items()
        ],
        "methods": [
            {
                "name": name,
                "title": known.item.title,
                "parts": list(known.item.parts),
                "refines": known.item.refine is not None,
                "place": known.place,
                "source": known.source,
            }
            for name, known in catalog.methods.items()
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
    kinds = [
        (name, known.item.words[1], ", ".join(work.command for work in known.item.works), known.source, known.place)
        for name, known in catalog.kinds.items()
    ]
    print_table("Kinds", ("name", "what", "commands", "source", "place"), kinds)
    methods = [(name, known.item.title, known.source, known.place) for name, known in catalog.methods.items()]
    print_table("Methods", ("name", "what", "source", "place"), methods)
    for broken in catalog.broken:
        print_line(f"broken: {broken}", style="red")
