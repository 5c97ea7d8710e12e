"""What commands that keep a run share: starting its work with everything checked, and taking it up again."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lieapp.cli.options import Common, Outcome
from lieapp.errors import ConfigError, ResumeError, RunError

if TYPE_CHECKING:
    from lieapp.extension import Work
    from lieapp.registry.catalog import Catalog
    from lieapp.results.base import Result


def done(settings: Common, command: str, typed: Mapping[str, Any]) -> Outcome:
    """A command that works on a plugin: a new run, or one that is gone on with; one that is done says its result.

    Args:
        typed: its own options, None for those that weren't typed.

    Raises LieappError for what was typed, before there is a run folder, and for what comes up on the way.
    """
    work, result = (_started if settings.resume is None else _resumed)(settings, command, typed)

    def show() -> None:
        from lieapp.cli.tables import print_document, print_line
        from lieapp.document import undrawn

        print_document(work.document(result, undrawn))
        if result.run and (report := Path(result.run) / "report.html").exists():
            print_line(f"report: {report}")

    return Outcome(result, show)


def _started(settings: Common, command: str, typed: Mapping[str, Any]) -> tuple[Work, Result]:
    from lieapp.numerics.processor import check_device
    from lieapp.runs.pipeline import work_on
    from lieapp.runs.store.directory import RunDirectory

    name = settings.typed("plugin")
    if not isinstance(name, str):
        told = "is missing" if name is None else f"is {name!r}: expected str, the name of a plugin"
        raise ConfigError(f"plugin {told}.", hint="Give --plugin NAME.")
    catalog = settings.catalog()
    entry = catalog.get(name)
    work = catalog.work(entry, command)
    given = settings.load(catalog.settings(work), owners=catalog.all_settings, **work.typed(name, typed))
    config = work.complete(given, settings.out)
    check_device(getattr(config, "device", "cpu"))
    work.check(config, entry.declaration)
    run = RunDirectory.create(settings.out, config, name, entry=entry, folders=catalog.folders)
    return work, work_on(run, config, catalog, work, quiet=settings.quiet)


def _resumed(settings: Common, command: str, typed: Mapping[str, Any]) -> tuple[Work, Result]:
    from lieapp.numerics.processor import check_device
    from lieapp.runs.pipeline import work_on
    from lieapp.runs.resume import find_resumable, plugin_folders
    from lieapp.runs.store.directory import RunDirectory

    text = settings.resume or ""
    try:
        found = RunDirectory.find(settings.out, text)
        document, folders = found.config(), plugin_folders(found)
    except RunError:
        document, folders = {}, []  # that there is none is said below
    catalog = settings.catalog(folders)
    work = catalog.work_of_run(document) if document.get("kind") == command else None
    given = {} if work is None else _given(settings, catalog, work, document, typed)
    run = find_resumable(settings.out, text, command, given)
    if work is None:
        raise ResumeError(
            f"{run.id} works on {document.get('domain')}, which no plugin here registers as a kind.",
            hint="Give --plugins the folder of the plugin that does; `lieapp plugins` lists what is registered.",
        )
    config, summary = run.config_as(catalog.settings(work)), run.summary()
    if run.state == "done" and summary is not None:
        return work, summary
    check_device(getattr(config, "device", "cpu"))
    return work, work_on(run, config, catalog, work, quiet=settings.quiet)


def _given(
    settings: Common, catalog: Catalog, work: Work, document: Mapping[str, Any], typed: Mapping[str, Any]
) -> dict[str, Any]:
    """The settings that were typed beside --resume, as the run's config.json would have them."""
    import msgspec

    from lieapp.settings import written

    cls, plugin = catalog.settings(work), str(document.get("plugin"))
    given = settings.given(cls, owners=catalog.all_settings, beside=document, **work.typed(plugin, typed))
    try:
        whole = msgspec.convert({**document, **{key: value for key, value in given.items() if "." not in key}}, cls)
    except msgspec.ValidationError:
        return given  # settings that aren't the run's, or a run that can't be read: said below
    completed = written(work.complete(whole, settings.out))
    return {key: completed.get(key, value) if "." not in key else value for key, value in given.items()}

