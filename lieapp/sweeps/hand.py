"""`python -m lieapp.sweeps.hand`: executes cells one after another in its main thread, as commands do.

Alarms and signals reach the main thread only, and a worker of Dask has its own work to do there. A process for each
cell would load torch and SymPy each time. This one reads a `Setup` from stdin, then a `Task` per line, and answers
each with an `Answer` on stdout. It ends with its parent.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter

import msgspec

import lieapp
from lieapp.child import leave_with_parent
from lieapp.data.opening import lying, read_by
from lieapp.errors import CancelledError, PluginError, ResumeError, describe, file_error
from lieapp.numerics.processor import check_device
from lieapp.registry.catalog import Catalog, load_catalog
from lieapp.results.sweep import Failure
from lieapp.runs.pipeline import unless_refused, work_on
from lieapp.runs.process.claim import is_free
from lieapp.runs.store.directory import RunDirectory
from lieapp.runs.store.files import process_lock
from lieapp.sweeps.messages import Answer, Setup, Task

LOOK = 0.5
"""Seconds between two looks at a run that another process still works on."""

_held = contextlib.ExitStack()
"""The lock of the GPU that this process has taken."""


def main() -> None:
    """Entry point."""
    leave_with_parent()
    # what plugins and libraries print must not end up among the answers
    answers = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)
    lines = iter(sys.stdin.buffer)
    setup = msgspec.json.decode(next(lines), type=Setup)
    # the folder of every run says what was typed
    sys.argv[:] = setup.command
    load_ahead()
    catalog = load_catalog([Path(folder) for folder in setup.folders])
    read_by(catalog)
    if os.path.isdir(setup.folder):
        os.chdir(setup.folder)
    # nobody may be left to read them
    with contextlib.suppress(BrokenPipeError):
        answers.write(b"\n")
        for line in lines:
            answer = execute(msgspec.json.decode(line, type=Task), catalog, [*catalog.folders])
            answers.write(msgspec.json.encode(answer) + b"\n")


def load_ahead() -> None:
    """Load what takes seconds, before the first cell is there."""
    import sympy  # noqa: F401
    import torch  # noqa: F401


def execute(task: Task, catalog: Catalog, folders: Sequence[Path]) -> Answer:
    """Do or go on with the run of a cell; never fails."""
    # the seconds of a run count from here
    lieapp.STARTED = perf_counter()
    run = RunDirectory(Path(task.root) / task.run)
    try:
        with lying(task.places):
            _work(task, run, catalog, folders)
        return Answer("done")
    except CancelledError as error:
        return Answer("cancelled", _failure(error))
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # a plugin's own code may raise anything
        return Answer("failed", _failure(error), _of_machine(error))


def _of_machine(error: BaseException) -> bool:
    """Whether the system refused a file. What is raised in place of its error has that as its context."""
    return any(one is not None and file_error(one) is not None for one in (error, error.__context__))


def _failure(error: BaseException) -> Failure:
    return Failure(**describe(error))


def _work(task: Task, run: RunDirectory, catalog: Catalog, folders: Sequence[Path]) -> None:
    entry = catalog.get(task.plugin)
    if entry.sha256 != task.sha256:
        raise PluginError(
            f"{task.plugin}: {entry.file} has sha256 {entry.sha256[:8]} here, and {task.sha256[:8]} where the "
            "sweep began.", hint="Install the same lieapp and the same plugins everywhere.",
        )  # fmt: skip
    work = catalog.work(entry, task.command)
    settings = catalog.settings(work)
    if run.path.exists():
        _wait(run)
        if run.state == "done" and run.summary() is not None:
            return
        config = run.config_as(settings)
        choose_gpu(config)
        work_on(run, config, catalog, work, quiet=True)
        return
    config = msgspec.json.decode(task.config, type=settings)
    choose_gpu(config)
    check_device(getattr(config, "device", "cpu"))
    root = Path(task.root)
    run = RunDirectory.create(root, config, task.plugin, entry=entry, folders=folders, run_id=task.run)
    sent = {file.path: file.sha256 for file in task.data if file.path in task.places}
    run.add_provenance(sweep=task.sweep, **({"data_sent": sent} if sent else {}))
    with unless_refused(run):
        work_on(run, config, catalog, work, quiet=True)


def choose_gpu(config: msgspec.Struct) -> None:
    """Take a GPU for work whose settings name none of its own."""
    if getattr(config, "device", "cpu") in ("auto", "cuda"):
        take_gpu()


@functools.cache
def take_gpu() -> None:
    """Make one GPU torch's current one, of those that this process sees one that the fewest others have taken.

    Processes of one host and user, also those of other sweeps, agree by locks, which end with them. The name of a
    GPU is the same for all of them, in whatever order CUDA_VISIBLE_DEVICES lists it.
    """
    import torch

    count = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if not count:
        return
    names = [torch.cuda.get_device_properties(number).uuid for number in range(count)]
    folder = Path(tempfile.gettempdir()) / f"lieapp-gpus-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    for others in itertools.count():
        for number, name in enumerate(names):
            if _held.enter_context(process_lock(folder / f"{name}-{others}")):
                torch.cuda.set_device(number)
                return


def _wait(run: RunDirectory) -> None:
    """Until nobody else works on a run, as a worker that was cut off may. Raises ResumeError if it is to stop."""
    while not is_free(run):
        if run.cancel_requested:
            raise ResumeError(f"{run.id}: another process is still running it.", hint="Wait for it.")
        time.sleep(LOOK)


if __name__ == "__main__":
    main()
