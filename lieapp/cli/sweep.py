"""`lieapp sweep`: a grid of runs on the processes of this machine, or on a cluster."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path

import click

from lieapp.cli.options import FOLDER, Common, Outcome, common, on_cluster, print_document, print_line
from lieapp.errors import CancelledError, LieappError, ResumeError, UsageError
from lieapp.runs.pipeline import find_resumable
from lieapp.runs.store.directory import RunDirectory

LAST = "-"
"""Value of --resume where none is given: the last sweep of the file."""


@click.command("sweep")
@common("plugins", "out")
@click.argument("file", type=FOLDER, required=False, metavar="FILE.toml")
@on_cluster("Processes of this machine (by default one for each core), or a scheduler of Dask.")
@click.option("--resume", is_flag=False, flag_value=LAST, metavar="[RUN]",
              help="Do what is missing of the last sweep of FILE.toml, or of the sweep that is named.")  # fmt: skip
@click.option("--yes", is_flag=True, help="Start a grid of more than 1000 cells without asking.")
def sweep(
    settings: Common, file: Path | None, on: str | None, scheduler_file: Path | None, resume: str | None, yes: bool
) -> Outcome:
    """Run a command on every cell of a grid of plugins, methods, seeds, data and other settings.

    Each cell is an ordinary run. A table over the grid tells mean and spread over seeds.
    """
    from lieapp.sweeps.place import LOCAL, check_installed, place_of

    check_installed()
    place = place_of(on, scheduler_file)
    chosen = on is not None or scheduler_file is not None
    if resume not in (None, LAST) and file is None and Path(resume).suffix == ".toml":
        # `sweep --resume FILE.toml`: what follows an option is taken for its value
        file, resume = Path(resume), LAST
    if resume is None:
        run = _begun(settings, file, yes, str(place) if chosen else LOCAL)
    else:
        run = _resumed(settings, file, resume)

    from lieapp.sweeps.spec import SweepConfig
    from lieapp.sweeps.sweep import execute
    from lieapp.sweeps.table import document, so_far

    config = run.config_as(SweepConfig)
    try:
        result = execute(run, config, place if chosen else place_of(config.on, None), quiet=settings.quiet)
    except LieappError:
        # the cells that have a result are worth a look, however the sweep ended
        with contextlib.suppress(ResumeError):
            if not settings.json and (found := so_far(run)).has_results:
                print_document(document(found))
        raise
    done = all(cell.state == "done" for cell in result.cells)

    def show() -> None:
        print_document(document(result))
        print_line(f"report: {run.path / 'report.html'}")

    return Outcome(result, show, code=0 if done else 1)


def _begun(settings: Common, file: Path | None, yes: bool, on: str) -> RunDirectory:
    """A new sweep, with all of its cells checked."""
    from lieapp.sweeps.kept import create
    from lieapp.sweeps.resolve import resolve
    from lieapp.sweeps.spec import MANY, read_sweep

    config = read_sweep(_given(file), on)
    if config.size > MANY and not yes:
        _confirm(f"{file}: the grid has {config.size} cells, each of them a run of its own.")
    return create(config, resolve(config, str(file), settings.out, settings.plugins), settings.out)


def _confirm(words: str) -> None:
    """Ask on a terminal. Raises UsageError elsewhere, CancelledError for no."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise UsageError(words, hint="Give --yes to start them all.")
    if not click.confirm(f"{words} Start them?", err=True):
        raise CancelledError("nothing was started.")


def _resumed(settings: Common, file: Path | None, resume: str) -> RunDirectory:
    """The sweep that is gone on with."""
    from lieapp.sweeps.kept import earlier
    from lieapp.sweeps.spec import read_sweep

    if settings.plugins:
        raise ResumeError(
            "--plugins and --resume are both given: a sweep goes on with its own copy of plugin files.",
            hint="Leave --plugins out, or start a new sweep.",
        )
    if resume == LAST:
        found = earlier(read_sweep(_given(file)), settings.out)
    else:
        found = RunDirectory.find(settings.out, resume)
    return find_resumable(found.path.parent, str(found.path), "sweep", {})


def _given(file: Path | None) -> Path:
    if file is None:
        raise UsageError("no file is given.", hint="Type `lieapp sweep FILE.toml`; docs/scaling.md shows one.")
    return file
