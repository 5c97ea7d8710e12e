"""Start and resume runs: a folder is written, a process of its own does the work.

Short work that somebody waits for, a derivation or a self-check, begins at once.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from typing import Any

import msgspec

from lieapp.errors import ConfigError, RunError
from lieapp.extension import Work
from lieapp.registry.catalog import Catalog, Entry
from lieapp.runs.overview import compared
from lieapp.runs.process.queue import enqueue, ensure_runner, start_now
from lieapp.runs.store.directory import RunDirectory
from lieapp.runs.store.status import ACTIVE
from lieapp.settings import from_values
from lieapp.sweeps.kept import create
from lieapp.sweeps.place import check_installed
from lieapp.sweeps.resolve import resolve
from lieapp.sweeps.spec import MANY, SweepConfig
from lieapp.ui.navigation import newest_first, runs_root, typed_plugins
from lieapp.ui.words import RESUMABLE

SWEEP = "sweep"
"""The kind of runs whose cells are runs too."""

KINDS = ("truth", "check", "laws")
"""The kinds of runs that don't wait behind a training."""

MOST = 2
"""How many of them work beside each other; more take turns with the other runs."""

LOOKED_AT = 60
"""How many of the newest runs are looked through for one of them."""


def checked(work: Work, values: Mapping[str, Any], catalog: Catalog) -> msgspec.Struct:
    """The settings of a run that can be started.

    Raises ConfigError for the settings, UnknownPluginError or PluginError for the plugin, EquationError, GridError,
    DataError or UsageError if nothing can be learned from it.
    """
    declaration = catalog.get(values["plugin"]).declaration
    config: msgspec.Struct = work.complete(from_values(catalog.settings(work), values), declaration, runs_root())
    work.check(config, declaration)
    return config


def took(config: msgspec.Struct) -> float | None:
    """Seconds that the last finished run of the same plugin, command, method and files took; None without one."""
    keys = ("kind", "plugin", "domain", "preset", "method", "model")
    wanted = {key: getattr(config, key) for key in keys if hasattr(config, key)}
    files = files_of(msgspec.to_builtins(config))
    named = [run for run in newest_first() if f"-{wanted['plugin']}-" in run.id]
    for run in named[:LOOKED_AT]:
        own = run.known_config()
        same = all(own.get(key) == value for key, value in wanted.items()) and files_of(own) == files
        if run.state == "done" and same:
            with contextlib.suppress(RunError):
                return compared(run).seconds.get("total")
    return None


def files_of(config: Mapping[str, Any]) -> list[str]:
    """The data files of a run's settings."""
    data = config.get("data")
    return list(data.get("files") or ()) if isinstance(data, Mapping) else []


def resume(run: RunDirectory) -> None:
    """Queue a run that ended early once more; it goes on from its checkpoint. Of a sweep the rest is done.

    Raises RunError if its process is active or there is nothing to resume.
    """
    with run.locked() as free:
        state = run.state
        if not free or not (state in RESUMABLE or (state == "done" and kind_of(run) == SWEEP)):
            raise RunError(
                f"{run.id} is {state}; only a run that ended early can be resumed.", hint="Start another run."
            )
        # the old request to stop was obeyed; it would end the run again before it begins
        (run.path / "cancel").unlink(missing_ok=True)
        run.update(state="queued", pid=None, host="", process="", error=None, finished=None)
    ensure_runner(run.path.parent)


def start(config: msgspec.Struct, entry: Entry | None, catalog: Catalog) -> str:
    """Start a run, or queue it and see that somebody works on the queue; the run's id.

    Raises RunError if the folder of runs can't be written or no process can be started.
    """
    root = runs_root()
    run_id = enqueue(root, config, entry=entry, folders=catalog.folders)
    short = getattr(config, "kind", "") in KINDS
    busy = [run for run in newest_first()[:LOOKED_AT] if run.state in ACTIVE and kind_of(run) in KINDS]
    if short and len(busy) < MOST:
        start_now(root, run_id)
    else:
        ensure_runner(root)
    return run_id


def start_sweep(config: SweepConfig) -> str:
    """Queue a sweep with all of its cells checked; the id of its run.

    Raises LieappError that names the cell and what is wrong with it, or says what start does.
    """
    check_installed()
    if config.plugins:
        raise ConfigError(
            "plugins: the app loads no folders of plugin files that a page names.",
            hint="Put the files into ./plugins, or start `lieapp app` with --plugins DIR.",
        )
    if config.size > MANY:
        raise ConfigError(
            f"the grid has {config.size} cells, more than {MANY}.",
            hint="Start it with `lieapp sweep`, which asks first; its run appears here too.",
        )
    root = runs_root()
    folders = [folder for folder in (typed_plugins(),) if folder.is_dir()]
    run = create(config, resolve(config, config.name, root, folders), root)
    # only now: a runner that is at work takes what is queued at once
    run.update(state="queued")
    ensure_runner(root)
    return run.id


def latest(kind: str, entry: Entry) -> RunDirectory | None:
    """The newest run of a kind on exactly this file's content; None if there is none."""
    named = [run for run in newest_first() if f"-{entry.name}-" in run.id]
    for run in named[:LOOKED_AT]:
        origin = run.origin().plugin
        same = origin is not None and (origin.sha256, origin.name) == (entry.sha256, entry.name)
        if same and kind_of(run) == kind:
            return run
    return None


def kind_of(run: RunDirectory) -> str:
    """The kind in a run's settings; empty if they can't be read."""
    return str(run.known_config().get("kind", ""))
