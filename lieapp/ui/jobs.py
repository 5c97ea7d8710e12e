"""Start, stop and resume runs: a folder is written, a process of its own does the work."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from lieapp.errors import RunError
from lieapp.runs.process import queue as cancelling
from lieapp.runs.process.queue import enqueue, ensure_runner
from lieapp.runs.store.directory import RunDirectory
from lieapp.settings import from_values
from lieapp.ui.places import runs_root
from lieapp.ui.words import RESUMABLE

if TYPE_CHECKING:
    from lieapp.extension import Work
    from lieapp.registry.catalog import Catalog


def start(work: Work, values: Mapping[str, Any], catalog: Catalog) -> str:
    """Queue a run and see that somebody works on the queue; the run's id.

    Raises ConfigError for the settings, UnknownPluginError or PluginError for the plugin, EquationError, GridError,
    DataError or UsageError if nothing can be learned from it, RunError if the folder of runs can't be written.
    """
    root, entry = runs_root(), catalog.get(values["plugin"])
    config = work.complete(from_values(catalog.settings(work), values), root)
    work.check(config, entry.declaration)
    run_id = enqueue(root, config, entry=entry, folders=catalog.folders)
    ensure_runner(root)
    return run_id


def cancel(run: RunDirectory) -> None:
    """Ask a run to stop. Raises RunError if there is nothing to stop."""
    cancelling.cancel(run)


def wake() -> None:
    """See that somebody works on the queue: after a restart of the machine nobody does.

    Raises RunError if no runner can be started.
    """
    ensure_runner(runs_root())


def resume(run: RunDirectory) -> None:
    """Queue a run that ended early once more; it goes on from its checkpoint.

    Raises RunError if a process works on it or it has nothing to go on with.
    """
    with run.locked() as free:
        state = run.state
        if not free or state not in RESUMABLE:
            raise RunError(
                f"{run.id} is {state}; only a run that ended early can be resumed.", hint="Start another run."
            )
        # the old request to stop was obeyed; it would end the run again before it begins
        (run.path / "cancel").unlink(missing_ok=True)
        run.update(state="queued", pid=None, host="", process="", error=None, finished=None)
    ensure_runner(run.path.parent)
