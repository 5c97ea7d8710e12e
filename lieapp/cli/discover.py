"""`lieapp discover`: the main job."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from lieapp.cli.options import Common, Outcome, common

if TYPE_CHECKING:
    from lieapp.config import DiscoverConfig
    from lieapp.registry.catalog import Catalog
    from lieapp.runs.directory import RunDirectory


@click.command("discover")
@common("plugin", "plugins", "config", "sets", "seed", "device", "out", "resume")
@click.option("--method", metavar="neural|spectrum", help="How symmetries are found.")
@click.option("--preset", metavar="quick|paper", help="Defaults of the settings: fast ones or the paper's.")
@click.option("--slots", type=int, metavar="N", help="How many fields are learned at most.")
def command(settings: Common, method: str | None, preset: str | None, slots: int | None) -> Outcome:
    """Find the symmetries in data of a plugin's equation and compare them with the derived ones.

    Makes a run directory with data, learned fields, tables and report.html.
    """
    from lieapp.cli.tables import console

    if settings.resume is not None:
        summary = _resumed(settings, settings.resume, method, preset, slots)
    else:
        summary = _started(settings, method, preset, slots)

    def show() -> None:
        from lieapp.report.tables import discover_tables

        for part in discover_tables(summary):
            console().print(part)

    return Outcome(summary, show)


def _started(settings: Common, method: str | None, preset: str | None, slots: int | None) -> dict[str, Any]:
    """A new run. Everything that was typed is checked before its folder is made."""
    from lieapp.config import DiscoverConfig
    from lieapp.data.declared import check_discovery
    from lieapp.runs.devices import check_device
    from lieapp.runs.directory import RunDirectory

    config = settings.load(DiscoverConfig, method=method, preset=preset, slots=slots)
    catalog = settings.catalog()
    entry = catalog.get(config.plugin)
    check_device(config.device)
    check_discovery(entry.declaration)
    run = RunDirectory.create(settings.out, config, config.plugin, entry=entry, folders=catalog.folders)
    return _work(settings, run, config, catalog)


def _resumed(
    settings: Common, text: str, method: str | None, preset: str | None, slots: int | None
) -> dict[str, Any]:
    """An earlier run, with its own settings; a finished one gives its result again."""
    from lieapp.config import DiscoverConfig
    from lieapp.runs.devices import check_device
    from lieapp.runs.resume import find_resumable, plugin_folders

    given = settings.given(DiscoverConfig, method=method, preset=preset, slots=slots)
    run = find_resumable(settings.out, text, "discover", given)
    config = run.config_as(DiscoverConfig)
    summary = run.summary()
    if run.state == "done" and summary is not None:
        return summary
    check_device(config.device)
    return _work(settings, run, config, settings.catalog(plugin_folders(run)))


def _work(settings: Common, run: RunDirectory, config: DiscoverConfig, catalog: Catalog) -> dict[str, Any]:
    from lieapp.runs import cost
    from lieapp.runs.reporter import RunReporter, reporting
    from lieapp.runs.resume import changed_plugin
    from lieapp.runs.session import running

    with reporting(settings.quiet) as inner, running(run):
        report = RunReporter(inner, run)
        report.line(f"run {run.path}")
        entry = catalog.get(config.plugin)
        changed = changed_plugin(run, entry.sha256)
        notes = (changed, catalog.note(config.plugin), *cost.warnings(config, entry.declaration))
        for warning in filter(None, notes):
            report.warn(warning)
        # torch and the engine: more than a second, so only once everything typed is known to be right
        from lieapp.runs.discover import execute

        summary: dict[str, Any] = execute(config, run, catalog, report)
        run.write_summary(summary)
    return summary
