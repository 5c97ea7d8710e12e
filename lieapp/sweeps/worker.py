"""What a worker of Dask does for a sweep."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec
from distributed import Status, Worker, WorkerPlugin, get_worker
from tornado.ioloop import PeriodicCallback

from lieapp.errors import HINT, LieappError, RunError, describe
from lieapp.results.sweep import Failure
from lieapp.runs.store.directory import versions
from lieapp.sweeps.carried import FOLDER, Files, folders_in, write_files
from lieapp.sweeps.data_files import DataFile, forget, is_seen, kept, take
from lieapp.sweeps.hands import Hand, HandLostError
from lieapp.sweeps.kept import PROOF
from lieapp.sweeps.messages import Answer, Setup, Task
from lieapp.sweeps.packing import packed, unpack
from lieapp.sweeps.place import cores

SAME = ("lieapp", "torch")
"""Packages whose versions must be the same everywhere."""

MISSING = "missing"
"""State of a cell that never began."""

THREADS = "OMP_NUM_THREADS"
"""What numerical libraries take their number of threads from when they are loaded."""

UNSEEN = "Put it where all machines read it at the same path; folders and files of more than 256 MB aren't sent."

WATCH = 10.0
"""Seconds between two looks whether the process of the sweep is still there."""

LEAVING = 0.5
"""Seconds in which a worker that is refused says why."""


class Returned(msgspec.Struct, frozen=True):
    """What a worker gives back: the answer, its address and name, and the run's folder if it isn't shared.

    Args:
        lacks: the sha256 of files that the worker has to be sent before it can begin.
    """

    answer: Answer
    address: str
    worker: str
    folder: bytes = b""
    lacks: list[str] = []


@dataclass(frozen=True)
class Shared:
    """What all workers get once.

    Args:
        root: the folder of runs, absolute; `sweep`: the folder in it of the sweep.
        proof: the content of `PROOF`.
        files: the plugin files.
        command: what was typed, and in which `folder`.
        versions: that are asked for.
        same_terminal: whether Ctrl-C there reaches the workers too, which must not obey it.
    """

    root: Path
    sweep: str
    proof: str
    files: Files
    command: Sequence[str]
    folder: str
    versions: Mapping[str, str]
    same_terminal: bool


def named(sweep: str) -> str:
    """What workers know a sweep by, and the scheduler the task that tells whether its process is there."""
    return f"lieapp-{sweep}"


def begun(sweep: str) -> str:
    """The topic under which workers tell that they begin a cell, by its run."""
    return f"{named(sweep)}-begun"


def differing(wanted: Mapping[str, str], found: Mapping[str, str]) -> str:
    """What isn't the same, `lieapp 0.2.0 (here 0.1.0)`; empty if everything is."""
    pairs = [(name, found.get(name, "not installed"), wanted[name]) for name in SAME]
    return ", ".join(f"{name} {there} (here {here})" for name, there, here in pairs if there != here)


class Placed(WorkerPlugin):
    """A sweep on a worker: its folders, and processes that execute cells."""

    def __init__(self, shared: Shared) -> None:
        self.shared, self.name = shared, named(shared.sweep)

    def setup(self, worker: Worker) -> None:
        """Get ready. A worker with other versions, which came later, has to leave.

        One whose disk is full stays, and answers every cell with that.
        """
        if self.shared.same_terminal and threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, signal.SIG_IGN)
        self.worker, self.address = worker, str(worker.address)
        self.hands: list[Hand] = []
        self.idle: list[Hand] = []
        self.running: set[Path] = set()
        self.is_stopping, self.is_shared = False, True
        self.refused: Failure | None = None
        self.watch: PeriodicCallback | None = None
        if wrong := differing(self.shared.versions, versions()):
            worker.log_event(self.name, f"{place(self.address)} has {wrong}; it has to leave")
            worker.loop.call_later(LEAVING, worker.close, nanny=True, reason=f"{self.name}: it has {wrong}")
            return
        self.watch = PeriodicCallback(self._leave_if_over, 1000 * WATCH, jitter=0.5)
        self.watch.start()
        own = self.shared.root / self.shared.sweep
        self.is_shared = _content(own / PROOF) == self.shared.proof
        self.own = own if self.is_shared else _cache() / "sweeps" / self.shared.sweep
        self.root = self.shared.root if self.is_shared else self.own
        try:
            if not self.is_shared:
                forget(self.own.parent)
                self.own.mkdir(parents=True, exist_ok=True)
                write_files(self.shared.files, self.own / FOLDER)
            self.idle.append(self._hand())
        except OSError as error:
            self.refused = self._told(error)

    async def _leave_if_over(self) -> None:
        """Take a sweep off all workers whose process is gone, as by kill -9: its task is forgotten then."""
        scheduler = self.worker.scheduler
        with contextlib.suppress(Exception):  # without a scheduler the worker ends, and others may have done so
            if (await scheduler.get_task_status(keys=[self.name]))[self.name] is None:
                await scheduler.unregister_worker_plugin(name=self.name)

    def _told(self, error: LieappError | OSError) -> Failure:
        """That this machine can't keep what a cell needs."""
        if isinstance(error, LieappError):
            return Failure(**describe(error))
        return Failure("FileError", f"{self.own} can't be written: {error.strerror or error}.", HINT)

    def teardown(self, worker: Worker) -> None:
        """End the processes; where the sweep itself is over, remove what only this worker has of it."""
        if self.watch is not None:
            self.watch.stop()
        for hand in self.hands:
            hand.end()
        # one that closes is started again by its nanny, and goes on with what it has
        if worker.status == Status.running and not self.is_shared:
            shutil.rmtree(self.own, ignore_errors=True)

    def execute(self, task: Task, folder: bytes) -> Returned:
        """A cell, by a process that is free. Raises HandLostError if that ends.

        Args:
            folder: what an earlier worker left of the run, for one that doesn't share the folder of runs.
        """
        if self.is_stopping:
            return Returned(Answer(MISSING), self.address, place(self.address))
        places = self._places(task.data)
        if isinstance(places, Returned):
            return places
        try:
            if self.refused is None:
                return self._execute(task, folder, places)
            failed = self.refused
        except (RunError, OSError) as error:
            failed = self._told(error)
        return Returned(Answer("failed", failed, elsewhere=True), self.address, place(self.address))

    def _execute(self, task: Task, folder: bytes, places: dict[str, str]) -> Returned:
        """Raises HandLostError, and RunError and OSError if the machine can't keep what a cell needs."""
        run = self.root / task.run
        if not self.is_shared and not run.exists():
            unpack(folder, run)
        self.worker.log_event(begun(task.sweep), task.run)
        hand = self.idle.pop() if self.idle else self._hand()
        self.running.add(run)
        try:
            answer = hand.ask(msgspec.structs.replace(task, root=str(self.root), places=places))
        except HandLostError:
            hand.end()
            raise
        finally:
            self.running.discard(run)
        self.idle.append(hand)
        return Returned(answer, self.address, place(self.address), b"" if self.is_shared else packed(run))

    def _places(self, data: Sequence[DataFile]) -> dict[str, str] | Returned:
        """Where files lie that were sent here; what is answered in place of beginning where some aren't here."""
        name, away = place(self.address), [file for file in data if not is_seen(file)]
        groups = {file.group for file in away if file.group}
        unseen = [file for file in data if file in away or file.group in groups]
        if here := [file.path for file in unseen if not file.sha256]:
            told = f"{name} doesn't see {', '.join(here)} as it was when the sweep began."
            failed = Answer("failed", Failure("DataError", told, UNSEEN), elsewhere=True)
            return Returned(failed, self.address, name)
        places = {file.path: str(found) for file in unseen if (found := kept(file, _data())) is not None}
        lacks = [file.sha256 for file in unseen if file.path not in places]
        return Returned(Answer(MISSING), self.address, name, lacks=lacks) if lacks else places

    def stop(self) -> list[str]:
        """Ask the cells at work to stop, and begin no more; the runs of those at work."""
        self.is_stopping = True
        at_work = [*self.running]
        for run in at_work:
            with contextlib.suppress(OSError):
                (run / "cancel").touch()
        return [run.name for run in at_work]

    def _hand(self) -> Hand:
        """One more process."""
        folders = [str(folder) for folder in folders_in(self.own / FOLDER)]
        hand = Hand(Setup(folders, [*self.shared.command], self.shared.folder), self.own)
        self.hands.append(hand)
        return hand


def execute(task: bytes, folder: bytes) -> bytes:
    """A cell on the worker that this is called on. Raises HandLostError."""
    cell = msgspec.json.decode(task, type=Task)
    placed = get_worker().plugins[named(cell.sweep)]
    assert isinstance(placed, Placed)  # by its name
    return msgspec.msgpack.encode(placed.execute(cell, folder))


def receive(file: bytes, sender: str, start: int, piece: bytes) -> bool:
    """A piece of a data file for the machine that this is called on; see `data_files.take`."""
    return take(msgspec.json.decode(file, type=DataFile), _data(), sender, start, piece)


class Facts(msgspec.Struct, frozen=True):
    """What a worker is: its host, the versions it has, its threads and cores, and what it sees of the disk.

    Args:
        shares: whether it has the folder of runs; `unseen`: files that it doesn't see, and that can't be sent.
    """

    host: str
    versions: dict[str, str]
    threads: str
    cores: int
    shares: bool
    unseen: list[str]


def facts(sweep: str, proof: str, data: bytes) -> bytes:
    """Those of the worker that this is called on, as JSON.

    Args:
        sweep: the folder of a sweep; `proof`: what its `PROOF` holds.
        data: the files that cells read, as JSON.
    """
    files = msgspec.json.decode(data, type=list[DataFile])
    unseen = [file.path for file in files if not file.sha256 and not is_seen(file)]
    shares = _content(Path(sweep) / PROOF) == proof
    return msgspec.json.encode(
        Facts(socket.gethostname(), versions(), os.environ.get(THREADS, ""), cores(), shares, unseen)
    )


def stop(sweep: str, dask_worker: Worker) -> list[str]:
    """Ask the cells of a sweep on a worker to stop; their runs. Dask gives the worker, by the argument's name."""
    placed = dask_worker.plugins.get(named(sweep))
    return placed.stop() if isinstance(placed, Placed) else []


def place(address: str) -> str:
    """A worker by name."""
    return f"worker {address} on {socket.gethostname()}"


def _data() -> Path:
    """Where this machine keeps the data files that it was sent."""
    return _cache() / "data"


def _cache() -> Path:
    """That of this machine; cells begin in a folder of their own."""
    # NumPy and more: rarely needed
    from lieapp.data.images.sources import cache_folder

    return cache_folder().absolute()


def _content(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return ""
