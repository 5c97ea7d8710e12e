"""What commands that keep a run share: doing its work with everything told and kept, and taking it up again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from lieapp.cli.options import Common

Found = TypeVar("Found", bound="Result")
"""What a command finds."""

if TYPE_CHECKING:
    from lieapp.registry.catalog import Catalog
    from lieapp.results.base import Result
    from lieapp.runs.directory import RunDirectory
    from lieapp.runs.reporter import RunReporter

    Execute = Callable[[Any, RunDirectory, Catalog, RunReporter], Found]
    Costs = Callable[[Any, Any], Iterable[str]]


def _none(config: Any, declaration: Any) -> Iterable[str]:
    return ()


def work(
    settings: Common, run: RunDirectory, config: Any, catalog: Catalog, execute: Execute[Found],
    costs: Costs = _none,
) -> Found:  # fmt: skip
    """Do or go on with a run; returns its summary, which is kept in the run.

    Args:
        execute: what is done.
        costs: warnings about settings that would take long, of a configuration and a declaration.
    """
    from lieapp.runs.reporter import RunReporter, reporting
    from lieapp.runs.resume import changed_plugin
    from lieapp.runs.session import running

    with reporting(settings.quiet) as inner, running(run):
        report = RunReporter(inner, run)
        report.line(f"run {run.path}")
        entry = catalog.get(config.plugin)
        changed = changed_plugin(run, entry.sha256)
        costly = costs(config, entry.declaration)
        for warning in filter(None, (changed, catalog.note(config.plugin), *costly)):
            report.warn(warning)
        summary = execute(config, run, catalog, report)
        run.write_summary(summary)
    return summary


def resume(
    settings: Common, text: str, command: str, config: type[Any], given: Mapping[str, Any], execute: Execute[Found],
    costs: Costs = _none,
) -> Found:  # fmt: skip
    """Go on with an earlier run, with its own settings; a finished one gives its result again.

    Args:
        text: what was typed of its name.
        command: whose run it has to be.
        config: the class of its settings.
        given: settings that were typed again; they have to be those of the run.

    Raises RunError, ConfigError and DeviceError as `runs.resume` and `runs.devices` do.
    """
    from lieapp.results.base import Result, read_result
    from lieapp.runs.devices import check_device
    from lieapp.runs.resume import find_resumable, plugin_folders

    run = find_resumable(settings.out, text, command, given)
    kept = run.config_as(config)
    found = read_result(run.path) if run.state == "done" else None
    # an equation's is a dictionary yet
    summary = run.summary() if type(found) is Result else found
    if summary is not None:
        return cast("Found", summary)
    check_device(kept.device)
    return work(settings, run, kept, settings.catalog(plugin_folders(run)), execute, costs)
