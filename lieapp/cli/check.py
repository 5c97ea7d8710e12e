"""`lieapp check`: a plugin verifies itself."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from lieapp.cli.options import FOLDER, Common, Outcome, common
from lieapp.errors import UsageError

if TYPE_CHECKING:
    from lieapp.registry.catalog import Entry
    from lieapp.results.check import CheckResult
    from lieapp.runs.store.directory import RunDirectory

ALL = "all"


@click.command("check")
@common("plugin", "plugins", "resume")
@click.option("--out", type=FOLDER, metavar="DIR", help="Keep the checks as a run in this folder of runs.")
def command(settings: Common, out: Path | None) -> Outcome:
    """Let a plugin verify itself: equation, derived symmetries, data. `--plugin all` checks every one."""
    if settings.resume is not None:
        return _resumed(settings, settings.resume, out or Path("runs"))
    if settings.plugin is None:
        raise UsageError("check needs a plugin.", hint="Give --plugin NAME, or --plugin all.")
    if out is not None:
        return _kept(settings, settings.plugin, out)
    from lieapp.results.check import CheckRow
    from lieapp.runs.checks import checked, rows_of
    from lieapp.runs.store.reporter import reporting

    catalog = settings.catalog() if settings.plugin == ALL else None
    entries = catalog.entries if catalog else [settings.entry(settings.plugin)]
    broken = catalog.broken if catalog else []
    rows = [CheckRow(plugin=b.name, name="loads", ok=False, detail=str(b)) for b in broken]
    with reporting(settings.quiet) as report:
        rows += [row for entry in entries for row in rows_of(entry, report)]
    return _outcome(checked(rows, None if catalog else entries[0]))


def _kept(settings: Common, plugin: str, out: Path) -> Outcome:
    """The same as a run: what the app shows and starts."""
    from lieapp.config import CheckConfig
    from lieapp.runs.store.directory import RunDirectory

    if plugin == ALL:
        raise UsageError("--out keeps the checks of one plugin.", hint="Give --plugin NAME, or leave --out out.")
    catalog = settings.catalog()
    entry = catalog.get(plugin)
    config = CheckConfig(plugin=plugin)
    run = RunDirectory.create(out, config, plugin, entry=entry, folders=catalog.folders)
    return _work(settings, run, entry)


def _resumed(settings: Common, text: str, root: Path) -> Outcome:
    """Checks that were queued, or that ended early: they begin anew, for nothing is kept half way."""
    from lieapp.config import CheckConfig
    from lieapp.results.base import result_of
    from lieapp.results.check import CheckResult
    from lieapp.runs.resume import find_resumable, plugin_folders

    run = find_resumable(root, text, "check", settings.given(CheckConfig))
    if run.state == "done" and (result := result_of(run.path, CheckResult)):
        return _outcome(result)
    name = run.config_as(CheckConfig).plugin
    return _work(settings, run, settings.catalog(plugin_folders(run)).get(name))


def _work(settings: Common, run: RunDirectory, entry: Entry) -> Outcome:
    from lieapp.config import CheckConfig
    from lieapp.runs.checks import execute
    from lieapp.runs.pipeline import sitting

    config = CheckConfig(plugin=entry.name)
    return _outcome(sitting(run, config, lambda session: execute(entry, session), quiet=settings.quiet))


def _outcome(result: CheckResult) -> Outcome:
    def show() -> None:
        from lieapp.cli.tables import print_document
        from lieapp.report.documents import check_document

        print_document(check_document(result))

    return Outcome(result, show, code=0 if result.ok else 1)
