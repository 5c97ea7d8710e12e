"""Data files sent to the workers that lack them, in a thread beside the sweep."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from dataclasses import dataclass

import msgspec
from distributed import Client

from lieapp.errors import LieappError, describe, file_error
from lieapp.results.sweep import Failure
from lieapp.sweeps import worker
from lieapp.sweeps.data_files import DataFile, pieces
from lieapp.sweeps.messages import Answer, Task
from lieapp.sweeps.worker import Returned


@dataclass(frozen=True)
class Lent:
    """A cell whose worker was sent what it lacks, and can be tried again unless there is an error.

    Args:
        key: of the cell.
        wrong: with a file here.
        told: by the worker, which can't keep a file.
    """

    key: str
    wrong: LieappError | None = None
    told: Returned | None = None


class Lender:
    """What sends files.

    Args:
        client: connected.
        sweep: its id.
    """

    def __init__(self, client: Client, sweep: str) -> None:
        self._client, self._sweep = client, sweep
        self._mutex = threading.Lock()
        self.words: queue.SimpleQueue[str] = queue.SimpleQueue()
        """Of each file that was sent."""

    def lend(self, key: str, task: Task, returned: Returned, is_wanted: Callable[[], bool]) -> Lent:
        """Send the files of a cell that its worker lacks, as long as they are wanted.

        Workers of one machine keep files in one place: of those that ask together, the first is sent a file, and
        the others find it.
        """
        with self._mutex:
            for file in task.data:
                if file.sha256 not in returned.lacks:
                    continue
                try:
                    error = self._send(file, returned, is_wanted)
                except LieappError as wrong:
                    return Lent(key, wrong=wrong)
                if error is not None:
                    failed = Answer("failed", Failure(**describe(error)), elsewhere=True)
                    return Lent(key, told=msgspec.structs.replace(returned, answer=failed, lacks=[]))
        return Lent(key)

    def _send(self, file: DataFile, returned: Returned, is_wanted: Callable[[], bool]) -> Exception | None:
        """The error of a worker that can't keep the file. One that is gone has none."""
        found = self._receive(file, returned.address, 0, b"")
        if found is not False:
            return _of_machine(found)
        for start, piece in pieces(file):
            if not is_wanted():
                return None
            found = self._receive(file, returned.address, start, piece)
            if found is not False:
                break
        if found is True:
            self.words.put(f"{file.path}: {_said(file.size or 0)} sent to {returned.worker}")
        return _of_machine(found)

    def _receive(self, file: DataFile, address: str, start: int, piece: bytes) -> bool | Exception:
        """Whether the worker has the whole file now, or why it doesn't take the piece."""
        try:
            answers = self._client.run(
                worker.receive, msgspec.json.encode(file), self._sweep, start, piece, workers=[address],
                on_error="return",
            )  # fmt: skip
        except Exception as error:  # of many kinds: the scheduler is gone, which the sweep notices itself
            return error
        found: bool | Exception = answers.get(address, ConnectionError(address))
        return found


def _said(size: int) -> str:
    return f"{size / 2**20:.1f} MiB" if size >= 2**20 else f"{size / 2**10:.1f} KiB"


def _of_machine(found: bool | Exception) -> Exception | None:
    """An error that the worker's machine makes again at the next try."""
    is_error = isinstance(found, Exception) and (isinstance(found, LieappError) or file_error(found) is not None)
    return found if is_error and isinstance(found, Exception) else None
