"""A sweep from its cells to its table: send what is missing, take what comes back, stop when asked."""

from __future__ import annotations

import math
import os
import sys
import time
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from lieapp.errors import CancelledError
from lieapp.results.base import Compared, Result
from lieapp.results.sweep import Cell, Failure, Sweep
from lieapp.runs.pipeline import write_run_report
from lieapp.runs.process.claim import running
from lieapp.runs.store.directory import RunDirectory, versions
from lieapp.runs.store.files import write_atomic
from lieapp.runs.store.reporter import RunReporter
from lieapp.runs.store.status import ACTIVE
from lieapp.sweeps import kept
from lieapp.sweeps.board import AtWork, Board, board
from lieapp.sweeps.carried import FOLDER, folders_in
from lieapp.sweeps.interrupts import Asked, afterwards, asked
from lieapp.sweeps.messages import Task
from lieapp.sweeps.packing import packed, unpack
from lieapp.sweeps.place import Local, Remote
from lieapp.sweeps.resolve import Plan
from lieapp.sweeps.spec import SweepConfig, said
from lieapp.sweeps.table import MISSING, as_csv, document, outcome, rows_of, sentence, so_far

if TYPE_CHECKING:
    from lieapp.sweeps.cluster import Cluster
    from lieapp.sweeps.worker import Returned

LOOK = 0.3
"""Seconds between two looks at what is at work."""

ALONE = 30.0
"""Seconds without a worker after which the sweep says so."""

STOPPING = 30.0
"""Seconds that cells have to stop in."""


def execute(run: RunDirectory, config: SweepConfig, place: Local | Remote, *, quiet: bool = False) -> Sweep:
    """Do what is missing of a sweep; its table, which is kept in the run with a report, CSV and figure.

    Raises ClusterError if the workers can't execute the cells, CancelledError if it was asked to stop; what is done
    by then is kept.
    """
    try:
        with board(quiet) as shown, running(run):
            return _Sweeping(run, config, shown).run(place)
    except CancelledError:
        if not run.path.exists():
            raise
        raise CancelledError(
            f"{run.id}: cancelled; {so_far(run).sentence}.",
            hint=f"What is done is kept; `lieapp sweep --resume {run.path}` does the rest.",
        ) from None


class _Sweeping:
    def __init__(self, run: RunDirectory, config: SweepConfig, shown: Board) -> None:
        self.directory, self.config, self.board = run, config, shown
        self.report = RunReporter(shown, run)
        self.root = run.path.parent
        self.plans: Sequence[Plan] = kept.read_cells(run)
        self.runs = [RunDirectory(self.root / plan.run) for plan in self.plans]
        self.cells = [Cell(key=plan.key, state=MISSING) for plan in self.plans]
        self.found: dict[int, Compared] = {}
        self.failed = 0
        self.began = time.monotonic()
        self.result, self.is_shared = Sweep(), True

    def run(self, place: Local | Remote) -> Sweep:
        """All of it."""
        self.report.line(f"sweep {self.directory.path}: {len(self.cells)} cells")
        missing = kept.unfinished(self.runs)
        for cell in range(len(self.runs)):
            self._note(cell)
        with asked(self.directory) as stop:
            try:
                with afterwards(self._keep):
                    if missing:
                        self._work(place, deque(missing), stop)
            finally:
                # Ctrl-C also ends workers that just start, which comes out as any other error
                if stop:
                    raise CancelledError("asked to stop.")
        return self.result

    def _work(self, place: Local | Remote, waiting: deque[int], stop: Asked) -> None:
        # Dask takes half a second to load
        from lieapp.sweeps.cluster import Cluster, check_workers, described
        from lieapp.sweeps.connecting import connected
        from lieapp.sweeps.worker import Shared

        self.report.stage("starting workers" if isinstance(place, Local) else "connecting to workers")
        data = list(dict.fromkeys(file for plan in self.plans for file in plan.data))
        with connected(place) as client:
            proof, own = kept.prove(self.directory), self.directory.path.resolve()
            workers = check_workers(client, own, proof, data)
            self.is_shared = all(one.shares for one in workers)
            for words in described(workers, max(_threads(plan) for plan in self.plans)):
                self.report.line(words)
            shared = Shared(
                own.parent, self.directory.id, proof, kept.read_files(self.directory),
                [Path(sys.argv[0]).name, *sys.argv[1:]], os.getcwd(), versions(), isinstance(place, Local),
            )  # fmt: skip
            cluster = Cluster(client, shared)
            with afterwards(cluster.leave):
                self.report.stage("cells")
                self._feed(cluster, waiting, stop)

    def _feed(self, cluster: Cluster, waiting: deque[int], stop: Asked) -> None:
        """Send cells as workers take them, until all have ended or the sweep is to stop."""
        end: float | None = None
        seen = time.monotonic()
        while waiting or cluster.cells:
            if stop and end is None:
                waiting.clear()
                self.report.line("stopping: the cells at work keep what they have …")
                cluster.stop()
                end = time.monotonic() + STOPPING
            for _ in range(min(cluster.capacity, len(waiting))):
                self._send(cluster, waiting.popleft())
            for cell, returned in cluster.answers(LOOK):
                self._take(cell, returned)
            for words in cluster.refused():
                self.report.warn(words)
            for words in cluster.lent():
                self.report.line(words)
            if cluster.has_workers:
                seen = time.monotonic()
            elif time.monotonic() - seen > ALONE:
                seen = math.inf
                self.report.warn("no worker is connected any more: all work waits for the next one")
            self._show(cluster)
            if end is not None and time.monotonic() > end:
                break

    def _send(self, cluster: Cluster, cell: int) -> None:
        plan = self.plans[cell]
        task = Task(
            plan.run, str(self.root), self.config.command, plan.plugin, plan.sha256, plan.config,
            self.directory.id, plan.data,
        )  # fmt: skip
        cluster.send(cell, task, b"" if self.is_shared else packed(self.runs[cell].path))

    def _take(self, cell: int, returned: Returned) -> None:
        run, answer = self.runs[cell], returned.answer
        if returned.folder:
            unpack(returned.folder, run.path)
            self._settle(run)
        self.failed += answer.error is not None
        self._note(cell, answer.state, answer.error)
        where = f" ({returned.worker})" if returned.worker else ""
        error = f"{where}: {answer.error.message}" if answer.error else ""
        done = f"{len(self.found)} of {len(self.cells)}"
        self.report.line(f"{done}: {said(self.plans[cell].key)} {answer.state}{error}")

    def _settle(self, run: RunDirectory) -> None:
        """Put paths of this machine in place of those of a worker's."""
        folders = folders_in(self.directory.path / FOLDER)
        run.add_provenance(plugins=[str(folder) for folder in folders])
        result = run.summary()
        # of a plugin that isn't here the result stays as it is
        if result is not None and type(result) is not Result:
            result.run = str(run.path)
            run.write_summary(result)

    def _note(self, place: int, state: str = "", error: Failure | None = None) -> None:
        """Note how a cell ended, with what its run has to compare."""
        cell, found = outcome(self.runs[place], self.plans[place].key, state)
        if error is not None:
            cell.error = error
        self.cells[place] = cell
        if found is not None:
            self.found[place] = found

    def _show(self, cluster: Cluster) -> None:
        rows = []
        for place in cluster.cells:
            status = self.runs[place].status() if self.runs[place].path.exists() else None
            row = AtWork(said(self.plans[place].key), "sent")
            if status is not None and status.state in ACTIVE:
                row.state, row.stage = status.state, status.stage
                row.step = f"{status.step}/{status.total}" if status.total else ""
            rows.append(row)
        self.board.show(len(self.found), self.failed, len(self.cells), rows)
        # not through the reporter, which would end all at a request to stop: cells have to stop first
        self.directory.progress(len(self.found) + self.failed, len(self.cells))

    def _keep(self) -> None:
        """Keep the table so far, with CSV, figure and report."""
        taken = {"cells": sum(one.seconds.get("total", 0.0) for one in self.found.values())}
        taken["total"] = time.monotonic() - self.began
        result = self.result = Sweep(
            run=str(self.directory.path), title=f"Sweep {self.config.name}", sentence=sentence(self.cells),
            warnings=self.report.warnings, cells=self.cells, table=rows_of(self.cells, self.found),
            seconds={name: round(value, 2) for name, value in taken.items()},
        )  # fmt: skip
        self.directory.write_summary(result)
        write_atomic(self.directory.path / "cells.csv", as_csv(result, self.found))
        write_run_report(self.directory, result.title, "A grid of runs", document(result))


class _Threads(msgspec.Struct):
    threads: int = 1


def _threads(plan: Plan) -> int:
    return msgspec.json.decode(plan.config, type=_Threads).threads
