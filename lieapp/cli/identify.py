"""`lieapp identify`: the equation that data in files solve."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
import msgspec

from lieapp.cli.options import FOLDER, SAMPLES, Common, Outcome, common, of_data, print_document
from lieapp.config_types import FILE_OPTIONS, FileData
from lieapp.errors import DataError
from lieapp.runs.store.reporter import reporting


def _names(context: click.Context, parameter: click.Parameter, texts: Sequence[str]) -> tuple[str, ...]:
    return tuple(part.strip() for text in texts for part in text.split(",") if part.strip())


@click.command("identify")
@common("plugins")
@of_data
@SAMPLES
@click.option("--order", type=click.IntRange(1, 6), default=4, show_default=True,
              help="Highest number of derivatives in a term.")  # fmt: skip
@click.option("--degree", type=click.IntRange(1, 5), default=3, show_default=True,
              help="Highest degree of a term in the unknowns and their derivatives.")  # fmt: skip
@click.option("--terms", multiple=True, callback=_names, metavar="u_xx,u*u_x",
              help="The candidates, in place of all of that order and degree.")  # fmt: skip
@click.option("--explicit", multiple=True, callback=_names, metavar="t,x",
              help="Variables that may multiply terms.")  # fmt: skip
@click.option("--symmetry", "symmetries", multiple=True, metavar="FIELD|RUN",
              help="Keep to equations with this symmetry, t*d_x+d_u, or with those that a run proved.")  # fmt: skip
@click.option("--write", type=FOLDER, metavar="FILE.py", help="Write the equation as a plugin file.")
@click.option("--html", type=FOLDER, metavar="FILE.html", help="Write the same as a page, with a figure.")
def identify(
    settings: Common, order: int, degree: int, terms: tuple[str, ...], explicit: tuple[str, ...],
    symmetries: tuple[str, ...], write: Path | None, html: Path | None, **typed: Any,
) -> Outcome:  # fmt: skip
    """Find the equation that the data of --data solve: its terms, their coefficients and how sure they are.

    Nothing is claimed where the data don't decide; the exit code is then 1.
    """
    from lieapp.pde.identify.document import identification_document
    from lieapp.pde.identify.files import check_plugin, identify_files, write_plugin
    from lieapp.pde.identify.find import Wanted

    if write is not None:
        check_plugin(write)
    read = {**FILE_OPTIONS, "samples": "samples"}
    own = {key: typed[option] for key, option in read.items() if typed.get(option)}
    data = msgspec.convert(own, FileData)
    with reporting(settings.quiet) as report:
        found = identify_files(data, Wanted(order, degree, terms, explicit, symmetries), report)
    if write is not None:
        found = write_plugin(found, data, write)
    document = identification_document(found)
    if html is not None:
        from lieapp.report.page import page

        try:
            html.write_text(page(Path(data.files[0]).name, "Equation", document), encoding="utf-8")
        except OSError as error:
            raise DataError(f"{html} can't be written: {error.strerror}.", hint="Give another file.") from None
    return Outcome(found, lambda: print_document(document), code=0 if found.equations else 1)
