"""`lieapp discover`: the main job."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from lieapp.cli.options import Common, Outcome, common
from lieapp.cli.working import resume, work
from lieapp.errors import RunError

if TYPE_CHECKING:
    from lieapp.results.base import Result
    from lieapp.runs.kinds import Kind


@click.command("discover")
@common("plugin", "plugins", "config", "sets", "seed", "device", "out", "resume")
@click.option("--method", metavar="neural|spectrum", help="How symmetries are found.")
@click.option("--preset", metavar="quick|paper", help="Defaults of the settings: fast ones or the paper's.")
@click.option("--data", metavar="PLACE", help="Pictures: a file, a folder, or a set with a name.")
@click.option("--slots", type=int, metavar="N", help="How many fields are learned at most.")
def command(settings: Common, **typed: Any) -> Outcome:
    """Find the symmetries in data of a plugin and compare them with the derived ones.

    In pictures, fields are sought that keep what a network sees of them, and compared with the affine ones. Makes
    a run directory with data, learned fields and tables.
    """
    from lieapp.cli.tables import print_result

    if settings.resume is not None:
        kind = _kind(settings, settings.resume)
        given = settings.given(kind.config, **typed)
        summary = resume(settings, settings.resume, "discover", kind.config, given, kind.execute, kind.warnings)
    else:
        summary = _started(settings, typed)

    return Outcome(summary, lambda: print_result(summary))


def _started(settings: Common, typed: dict[str, Any]) -> Result:
    """A new run. Everything that was typed is checked before its folder is made."""
    from lieapp.config import DiscoverConfig
    from lieapp.runs.devices import check_device
    from lieapp.runs.directory import RunDirectory
    from lieapp.runs.kinds import kind_of

    name = settings.typed("plugin")
    if not isinstance(name, str):
        settings.load(DiscoverConfig, **typed)  # raises: the plugin is missing
    catalog = settings.catalog()
    entry = catalog.get(str(name))
    kind = kind_of(entry.declaration)
    config = settings.load(kind.config, **typed)
    check_device(config.device)
    kind.check(config, entry.declaration)
    run = RunDirectory.create(settings.out, config, config.plugin, entry=entry, folders=catalog.folders)
    return work(settings, run, config, catalog, kind.execute, kind.warnings)


def _kind(settings: Common, text: str) -> Kind:
    """That of the run to resume; if there is none, that is said later."""
    from lieapp.runs.directory import RunDirectory
    from lieapp.runs.kinds import kind_of_run

    try:
        return kind_of_run(RunDirectory.find(settings.out, text).config())
    except RunError:
        return kind_of_run({})
