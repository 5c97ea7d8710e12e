"""Short work as runs, as a derivation or a classification: results in summary.json, what is done in the status."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from lieapp.config import TruthConfig
from lieapp.config_symbolic import ClassifyConfig, LawsConfig
from lieapp.config_types import FileData
from lieapp.errors import CancelledError, ResumeError
from lieapp.extension import Check
from lieapp.pde.derivation import derive_in_child
from lieapp.pde.questions import classify_in_child, laws_in_child
from lieapp.progress import Reporter
from lieapp.reading import UnreadableError, contents, decode, reason
from lieapp.registry.catalog import Entry, load_catalog
from lieapp.report.questions_document import classify_document, laws_document, totals_drawn
from lieapp.report.truth_document import document
from lieapp.results.base import result_of
from lieapp.results.check import CheckResult, CheckRow
from lieapp.results.classification import ClassifyResult
from lieapp.results.laws import LawsResult
from lieapp.results.truth import TruthResult
from lieapp.runs.pipeline import write_run_report
from lieapp.runs.store.directory import RunDirectory
from lieapp.runs.store.files import encode, write_atomic
from lieapp.runs.store.sealed import opened, sealed
from lieapp.runs.store.session import Session

if TYPE_CHECKING:
    from lieapp.pde.laws.along import Along


def rows_of(
    entry: Entry, report: Reporter, *, among: bool = False, files: FileData | None = None
) -> list[CheckRow]:
    """Each check of a plugin; `among` others, which are checked whatever this one raises.

    Args:
        files: data of the user's own that an equation is checked on, in place of simulated ones.
    """
    report.stage(f"check {entry.name}")
    try:
        if files is None:
            checks = entry.kind.check(entry.declaration, report)
        else:
            from lieapp.pde.check import check_files

            checks = check_files(entry.declaration, files, report)
    except Exception as error:  # a plugin's own code may raise anything
        if not among or isinstance(error, CancelledError):
            raise
        checks = [Check("check", False, f"ended early: {type(error).__name__}: {error}")]
    return [
        CheckRow(
            plugin=entry.name, name=str(found.name), ok=None if found.ok is None else bool(found.ok),
            detail=str(found.detail),
        )
        for found in checks
    ]  # fmt: skip


def checked(rows: Sequence[CheckRow], entry: Entry | None = None, run: str | None = None) -> CheckResult:
    """The rows with their outcome in one sentence; of one plugin unless `entry` is None."""
    failed = [row.name for row in rows if row.ok is False]
    left = sum(row.ok is None for row in rows)
    sentence = f"failed: {', '.join(failed)}" if failed else f"all {len(rows) - left} checks passed"
    return CheckResult(
        run=run,
        plugin=entry.name if entry else None,
        title=entry.title if entry else "",
        sentence=f"{sentence}; {left} not run" if left else sentence,
        ok=not failed,
        checks=list(rows),
    )


def check(entry: Entry, session: Session) -> CheckResult:
    """Check, and store the result with the run's id as summary.json."""
    result = checked(rows_of(entry, session.report), entry, session.directory.id)
    session.directory.write_summary(result)
    return result


def derive(config: TruthConfig, session: Session) -> TruthResult:
    """Derive, and store the result with the run's id as summary.json; what it says as report.html.

    Raises CancelledError if the run was asked to stop, and what `derive_in_child` raises.
    """
    run = session.directory
    session.report.stage("deriving")
    with watched(session.report, run) as (notes, watch):
        result = derive_in_child(config, session.folders, notes, watch)
    result.run = run.id
    run.write_summary(result)
    write_run_report(run, result.title or "; ".join(config.equation), "Symmetries derived", document(result))
    return result


def classify(config: ClassifyConfig, session: Session) -> ClassifyResult:
    """Classify, or go on where the run ended, and store the result as `derive` does.

    What is gone on from has a checksum, which summary.json hasn't. Raises ResumeError if it can't be read.
    """
    run = session.directory
    begun = _begun(run.path)
    session.report.stage("classifying")
    with watched(session.report, run) as (notes, watch):
        result = classify_in_child(config, session.folders, begun, notes, watch)
    result.run = run.id
    (run.path / BRANCHES).parent.mkdir(exist_ok=True)
    write_atomic(run.path / BRANCHES, sealed(result))
    run.write_summary(result)
    title = result.title or "; ".join(config.equation)
    write_run_report(run, title, "Special cases with more symmetries", classify_document(result))
    return result


BRANCHES = "checkpoint/branches.json"


def _begun(folder: Path) -> ClassifyResult | None:
    """What a run has classified; of one of an earlier version that has no checkpoint, its result."""
    file = folder / BRANCHES
    if not file.exists():
        return result_of(folder, ClassifyResult)
    try:
        return decode(encode(opened(contents(file))), ClassifyResult)
    except (OSError, UnreadableError) as error:
        raise ResumeError(f"{file} can't be read: {reason(error)}.", hint="Start a new run.") from None


def laws(config: LawsConfig, session: Session) -> LawsResult:
    """Derive conservation laws, and store the result as `derive` does."""
    run = session.directory
    session.report.stage("conservation laws")
    along = files_of(config, session.folders, session.report, session.checkpoint.folder)
    with watched(session.report, run) as (notes, watch):
        result = laws_in_child(config, session.folders, notes, watch)
    if along is not None:
        add_files(result, along, session.report)
        session.checkpoint.drop_data()
    result.run = run.id
    run.write_summary(result)
    title = result.title or "; ".join(config.equation)
    write_run_report(run, title, "Conservation laws", laws_document(result, totals_drawn(result)))
    return result


def files_of(config: LawsConfig, folders: Sequence[Path], report: Reporter, folder: Path) -> Along | None:
    """The trajectories of files, where there are any, checked before laws are derived. Raises LieappError.

    Args:
        folder: see `read_along`.
    """
    if not config.data.files or config.plugin is None:
        return None
    from lieapp.pde.laws.along import read_along

    pde = load_catalog(folders).get(config.plugin).declaration
    return read_along(pde, config.data, config.misfit, report, folder)


def add_files(result: LawsResult, along: Along, report: Reporter) -> None:
    """The totals of laws along the trajectories of files."""
    from lieapp.pde.laws.along import add_totals

    add_totals(result, along, report)


@contextlib.contextmanager
def watched(report: Reporter, run: RunDirectory | None = None) -> Iterator[tuple[str, Callable[[], None]]]:
    """A file for what a child process works on, and what is to be called meanwhile: it tells the reporter.

    That raises CancelledError if the run was asked to stop.
    """
    with tempfile.TemporaryDirectory() as place:
        notes, stage = Path(place) / "stage", ""

        def watch() -> None:
            nonlocal stage
            if run is not None and run.cancel_requested:
                raise CancelledError(f"{run.id}: asked to stop.", hint="Start it again.")
            now = notes.read_text(encoding="utf-8") if notes.exists() else ""
            if now and now != stage:
                stage = now
                report.stage(stage)

        yield str(notes), watch
