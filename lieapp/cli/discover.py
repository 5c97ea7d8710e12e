"""`lieapp discover`: the main job."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from lieapp.cli.options import Common, Outcome, common
from lieapp.errors import RunError

if TYPE_CHECKING:
    from lieapp.config import DiscoverConfig, DiscoverImagesConfig
    from lieapp.registry.catalog import Catalog
    from lieapp.runs.directory import RunDirectory
    from lieapp.runs.reporter import RunReporter

    Config = DiscoverConfig | DiscoverImagesConfig

IMAGES = "images"
"""What the configuration of a run of pictures has for its domain."""


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
    from lieapp.cli.tables import console

    if settings.resume is not None:
        summary = _resumed(settings, settings.resume, typed)
    else:
        summary = _started(settings, typed)

    def show() -> None:
        from lieapp.report.image_tables import image_tables
        from lieapp.report.tables import discover_tables

        for part in image_tables(summary) if summary.get("domain") == IMAGES else discover_tables(summary):
            console().print(part)

    return Outcome(summary, show)


def _started(settings: Common, typed: dict[str, Any]) -> dict[str, Any]:
    """A new run. Everything that was typed is checked before its folder is made."""
    from lieapp.api import Images
    from lieapp.config import DiscoverConfig, DiscoverImagesConfig
    from lieapp.data.images.places import check_file, check_place
    from lieapp.runs.devices import check_device
    from lieapp.runs.directory import RunDirectory

    name = settings.typed("plugin")
    if not isinstance(name, str):
        settings.load(DiscoverConfig, **typed)  # raises: the plugin is missing
    catalog = settings.catalog()
    entry = catalog.get(str(name))
    pictures = isinstance(entry.declaration, Images)
    struct: type[Config] = DiscoverImagesConfig if pictures else DiscoverConfig
    config = settings.load(struct, **typed)
    check_device(config.device)
    if isinstance(config, DiscoverImagesConfig):
        check_place(config.data or entry.declaration.data)
        if config.trained:
            check_file(config.trained)
    else:
        from lieapp.data.declared import check_discovery

        check_discovery(entry.declaration)
    run = RunDirectory.create(settings.out, config, config.plugin, entry=entry, folders=catalog.folders)
    return _work(settings, run, config, catalog)


def _resumed(settings: Common, text: str, typed: dict[str, Any]) -> dict[str, Any]:
    """An earlier run, with its own settings; a finished one gives its result again."""
    from lieapp.config import DiscoverConfig, DiscoverImagesConfig
    from lieapp.runs.devices import check_device
    from lieapp.runs.resume import find_resumable, plugin_folders

    struct: type[Config] = DiscoverImagesConfig if _is_of_pictures(settings, text) else DiscoverConfig
    run = find_resumable(settings.out, text, "discover", settings.given(struct, **typed))
    config = run.config_as(struct)
    summary = run.summary()
    if run.state == "done" and summary is not None:
        return summary
    check_device(config.device)
    return _work(settings, run, config, settings.catalog(plugin_folders(run)))


def _is_of_pictures(settings: Common, text: str) -> bool:
    """Whether the run to resume is one of pictures; if there is none, that is said later."""
    from lieapp.runs.directory import RunDirectory

    try:
        return RunDirectory.find(settings.out, text).config().get("domain") == IMAGES
    except RunError:
        return False


def _work(settings: Common, run: RunDirectory, config: Config, catalog: Catalog) -> dict[str, Any]:
    from lieapp.config import DiscoverImagesConfig
    from lieapp.runs import cost
    from lieapp.runs.reporter import RunReporter, reporting
    from lieapp.runs.resume import changed_plugin
    from lieapp.runs.session import running

    with reporting(settings.quiet) as inner, running(run):
        report = RunReporter(inner, run)
        report.line(f"run {run.path}")
        entry = catalog.get(config.plugin)
        changed = changed_plugin(run, entry.sha256)
        costly = [] if isinstance(config, DiscoverImagesConfig) else cost.warnings(config, entry.declaration)
        for warning in filter(None, (changed, catalog.note(config.plugin), *costly)):
            report.warn(warning)
        summary = _executed(config, run, catalog, report)
        run.write_summary(summary)
    return summary


def _executed(config: Config, run: RunDirectory, catalog: Catalog, report: RunReporter) -> dict[str, Any]:
    # torch and the engine: more than a second, so only once everything typed is known to be right
    from lieapp.config import DiscoverImagesConfig

    if isinstance(config, DiscoverImagesConfig):
        from lieapp.runs.discover_images import execute as of_pictures

        return of_pictures(config, run, catalog, report)
    from lieapp.runs.discover import execute

    return execute(config, run, catalog, report)
