"""`lieapp inspect`: what a data file holds and how it is understood."""

from __future__ import annotations

from pathlib import Path

import click

from lieapp.cli.options import FOLDER, Common, Outcome, common, print_document
from lieapp.errors import DataError

MAP = click.option(
    "--map", "mapping", default="", metavar="MAP", help='Which array is what: "u=usol(x,t), x=x, t=tt".'
)


@click.command("inspect")
@common("plugins")
@click.argument("file", type=FOLDER)
@MAP
@click.option("--html", type=FOLDER, metavar="FILE.html", help="Write the same as a page, with a picture.")
def inspect(settings: Common, file: Path, mapping: str, html: Path | None) -> Outcome:
    """Show the arrays of a data file, what they are taken for and why, its axes, noise, and what to type next."""
    from lieapp.data.inspection import inspect as look
    from lieapp.data.inspection import inspection_document
    from lieapp.data.opening import readers_of

    found = look(file, mapping, readers=readers_of(settings.catalog()))
    document = inspection_document(found)
    if html is not None:
        from lieapp.report.page import page

        try:
            html.write_text(page(file.name, "Data", document), encoding="utf-8")
        except OSError as error:
            raise DataError(f"{html} can't be written: {error.strerror}.", hint="Give another file.") from None
    return Outcome(found.result, lambda: print_document(document))
