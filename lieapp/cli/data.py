"""`lieapp data`: trajectories of a plugin's equation in a file."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import click

from lieapp.cli.options import FOLDER, Common, Outcome, common
from lieapp.config import DataConfig
from lieapp.errors import DataError, UsageError, refused
from lieapp.numerics.processor import check_device
from lieapp.runs.store.reporter import reporting


@click.command("data")
@common("plugin", "plugins", "config", "sets", "seed", "device")
@click.option("--samples", type=int, metavar="N", help="Number of trajectories.")
@click.option(
    "--moved-by", metavar="SPEC", help="Move them along symmetries: truth, the fields of a run, or a mix."
)
@click.option("--out", type=FOLDER, required=True, metavar="FILE.nc", help="The file to write.")
@click.option("--force", is_flag=True, help="Replace the file if it exists.")
def data(settings: Common, samples: int | None, moved_by: str | None, out: Path, force: bool) -> Outcome:
    """Simulate trajectories of a plugin's equation and write them to a netCDF file."""
    from lieapp.data.declared import check_data, check_equation

    config = settings.load(DataConfig, samples=samples, moved_by=moved_by)
    entry = settings.entry(config.plugin)
    check_device(config.device)
    check_equation(entry.declaration, "data", entry.kind.words)
    check_data(entry.declaration)
    _check_target(out, force)
    further = {}
    if config.moved_by != "none":
        from lieapp.augment.dataset import mover_for

        further["change"] = mover_for(config, entry.declaration)
    with reporting(settings.quiet) as report:
        from lieapp.data.store import simulate_to_file

        document = {**simulate_to_file(entry.declaration, config, out, report, **further), "file": str(out)}
    return Outcome(
        document, lambda: click.echo(_told(document.get("samples", config.samples), entry.title, document))
    )


def _told(samples: int, title: str, document: dict[str, Any]) -> str:
    text = f"{samples} {'trajectory' if samples == 1 else 'trajectories'} of {title}: {document['file']}"
    if "moved_by" in document:
        text += (
            f"\nmoved along {document['generators']}; {document['shape'][1]} time samples are left of each; "
            f"{document['drawn_again']} combinations were drawn again, {document['left_out']} copies left out"
        )
    return text


def _check_target(out: Path, force: bool) -> None:
    """Before any work: raises UsageError if `out` would be replaced unasked, DataError if it can't be written."""
    if out.is_file() and not force:
        raise UsageError(
            f"--out {out}: the file already exists.", hint="Give --force to replace it, or another file."
        )
    with refused(DataError, f"{out} can't be written", "Give --out a file in an existing folder."):
        if out.is_dir():
            raise IsADirectoryError(21, "it is a folder")
        with tempfile.TemporaryFile(dir=out.parent):
            pass
