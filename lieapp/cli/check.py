"""`lieapp check`: a plugin verifies itself."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from lieapp.cli.options import FOLDER, Common, Outcome, common, print_document
from lieapp.cli.working import begun, sitting
from lieapp.errors import UsageError

if TYPE_CHECKING:
    from lieapp.registry.catalog import Entry
    from lieapp.results.check import CheckResult
    from lieapp.runs.directory import RunDirectory

ALL = "all"


@click.command("check")
@common("plugin", "plugins", "resume")
@click.option("--out", type=FOLDER, metavar="DIR", help="Keep the checks as a run in this folder of runs.")
def check(settings: Common, out: Path | None) -> Outcome:
    """Let a plugin verify itself: equation, derived symmetries, data. `--plugin all` checks every one."""
    if settings.resume is not None:
        return _resumed(settings, out or Path("runs"))
    if settings.plugin is None:
        raise UsageError("check needs a plugin.", hint="Give --plugin NAME, or --plugin all.")
    if out is not None:
        return _kept(settings, settings.plugin, out)
    from lieapp.results.check import CheckRow
    from lieapp.runs.checks import checked, rows_of
    from lieapp.runs.reporter import reporting

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
    from lieapp.runs.directory import RunDirectory

    if plugin == ALL:
        raise UsageError("--out keeps the checks of one plugin.", hint="Give --plugin NAME, or leave --out out.")
    catalog = settings.catalog()
    entry = catalog.get(plugin)
    config = CheckConfig(plugin=plugin)
    run = RunDirectory.create(out, config, plugin, entry=entry, folders=catalog.folders)
    return _work(settings, run, entry)


def _resumed(settings: Common, root: Path) -> Outcome:
    from lieapp.config import CheckConfig
    from lieapp.results.check import CheckResult
    from lieapp.runs.resume import plugin_folders

    run, config, result = begun(settings, root, "check", CheckConfig, CheckResult)
    if result is not None:
        return _outcome(result)
    return _work(settings, run, settings.catalog(plugin_folders(run)).get(config.plugin))


def _work(settings: Common, run: RunDirectory, entry: Entry) -> Outcome:
    from lieapp.config import CheckConfig
    from lieapp.runs.checks import execute

    return _outcome(sitting(settings, run, CheckConfig(plugin=entry.name), lambda session: execute(entry, session)))


def _outcome(result: CheckResult) -> Outcome:
    from lieapp.report.check_document import document

    return Outcome(result, lambda: print_document(document(result)), code=0 if result.ok else 1)
