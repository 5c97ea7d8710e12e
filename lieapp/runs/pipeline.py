"""A run from its settings to its report, the same for every kind; and the run that --resume goes on with."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from lieapp.document import Document
from lieapp.errors import DataError, PluginError, ResumeError, RunError, SimulationError
from lieapp.extension import Method, Work
from lieapp.numerics.tree import Team
from lieapp.progress import Reporter
from lieapp.registry.catalog import Catalog, Entry
from lieapp.registry.loader import HERE
from lieapp.report.documents import provenance
from lieapp.results.base import Result
from lieapp.runs.process.claim import at_work, running
from lieapp.runs.store.directory import RunDirectory
from lieapp.runs.store.label import delete
from lieapp.runs.store.reporter import RunReporter, reporting
from lieapp.runs.store.sealed import check_sealed
from lieapp.runs.store.session import Session
from lieapp.settings import leaves

Found = TypeVar("Found", bound=Result)
"""What a command finds."""

Helpers = Callable[[Reporter], contextlib.AbstractContextManager[Team[Any] | None]]
"""Processes that help with a run, for the time of a block."""


def alone(report: Reporter) -> contextlib.AbstractContextManager[None]:
    """No process helps."""
    return contextlib.nullcontext()


def sitting(
    run: RunDirectory, config: Any, work: Callable[[Session], Found], folders: Sequence[Path] = (),
    methods: Mapping[str, Method] | None = None, *, quiet: bool = False, help: Helpers = alone,
) -> Found:  # fmt: skip
    """Work on a run with everything told and kept, with the processes that `help` brings."""
    with reporting(quiet) as inner, running(run):
        report = RunReporter(inner, run)
        report.line(f"run {run.path}")
        if without := check_sealed(run.path):
            report.warn(f"{run.id}: an earlier version wrote {', '.join(without)}, without checksums; damage there "
                        "can't be seen")  # fmt: skip
        with help(report) as team:
            session = Session(run, report, config, folders, methods)
            session.team = team
            return work(session)


def work_on(
    run: RunDirectory, config: Any, catalog: Catalog, work: Work, *, entry: Entry | None = None,
    quiet: bool = False, help: Helpers = alone,
) -> Result:  # fmt: skip
    """Do or go on with a run; returns its result, which is kept in the run with its report.

    Args:
        help: brings the processes that help.
        entry: what is worked on, unless the plugin of the settings.
    """

    def execute(session: Session) -> Result:
        found = entry or catalog.get(config.plugin)
        session.here = found.source == HERE
        changed, costly = _changed_plugin(run, found.sha256), work.costs(config, found.declaration)
        note = "" if session.here else catalog.note(config.plugin)
        for warning in filter(None, (changed, note, *costly)):
            session.report.warn(warning)
        result = work.execute(config, found.declaration, session)
        if not isinstance(result, Result):
            raise PluginError(
                f"{found.kind.name}: execute returned {type(result).__name__}; it must return a Result.",
                hint="docs/hooks.md has the keywords of Work.",
            )
        run.write_summary(result)
        told, title = work.document(result, work.draw(result, run.path)), result.title or result.plugin or "Run"
        write_run_report(run, title, work.about(result), told)
        return result

    methods = {name: known.item for name, known in catalog.methods.items()}
    return sitting(run, config, execute, catalog.folders, methods, quiet=quiet, help=help)


def write_run_report(run: RunDirectory, title: str, about: str, told: Document) -> Path:
    """What a result says, and where it comes from, as report.html, its figures in figures/; its path."""
    # matplotlib and NumPy take their time to load
    from lieapp.report.page import write_report

    origin = provenance(run.provenance(), run.known_config())
    return write_report(run.path, title, f"{about} · run {run.id}", [*told, *origin])


@contextlib.contextmanager
def unless_refused(run: RunDirectory) -> Iterator[None]:
    """Work on a new run; of one whose files are refused, before anything is learned, no folder is left."""
    try:
        yield
    except SimulationError:
        raise  # a solution that blows up is looked into by the run's log
    except DataError:
        if run.status().stage in ("", "reading", "data"):
            delete(run)
        raise


def find_resumable(root: Path, text: str, kind: str, given: Mapping[str, Any]) -> RunDirectory:
    """The run of that kind; `given` are the settings typed beside --resume, which must be the run's own.

    Raises ResumeError if there is no such run, if it is of another kind or plugin, has other settings, or
    is still being worked on.
    """
    try:
        run = RunDirectory.find(root, text)
        config = run.config()
    except RunError as error:
        raise ResumeError(f"nothing to resume: {error.message}", hint=error.hint) from None
    if config.get("kind") != kind:
        raise ResumeError(
            f"{run.id} is a run of `lieapp {config.get('kind')}`, not of `lieapp {kind}`.",
            hint=f"Type `lieapp {config.get('kind')} --resume {run.path}`.",
        )
    own = dict(leaves(config))
    for key, value in given.items():
        if own.get(key) != value:
            raise ResumeError(
                f"{run.id} has {key} = {own.get(key)!r}, not {value!r}.",
                hint=f"Omit {key} to continue that run, or omit --resume to start a new one.",
            )
    status = run.status()
    if status.state == "running":
        with run.locked() as free:
            if not free:
                raise at_work(run, status)
    return run


def _changed_plugin(run: RunDirectory, sha256: str) -> str:
    """A warning if the plugin's file is another than the one the run began with; empty if it isn't."""
    origin = run.origin().plugin
    before = origin.sha256 if origin else ""
    if not before or before == sha256:
        return ""
    return f"{run.id}: the plugin's file changed since the run began (sha256 {before[:8]}, now {sha256[:8]})."
