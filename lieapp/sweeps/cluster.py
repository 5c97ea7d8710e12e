"""The workers of a sweep: cells go, answers come back."""

from __future__ import annotations

import contextlib
import queue
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec
from distributed import Client, Future, KilledWorker

from lieapp.results.sweep import Failure
from lieapp.runs.store.directory import versions
from lieapp.sweeps import worker
from lieapp.sweeps.connecting import CONNECTING, ClusterError, first_line
from lieapp.sweeps.data_files import DataFile
from lieapp.sweeps.hands import HandLostError
from lieapp.sweeps.lending import Lender, Lent
from lieapp.sweeps.messages import Answer, Task
from lieapp.sweeps.worker import Facts, Placed, Returned, Shared, differing

TRIES = 3
"""How often a cell is tried once more whose process was ended by somebody else, as by a lack of memory."""

BEGUN = 10
"""How often a cell begins whose worker dies: that is hardly its own doing, as it has a process of its own, and a
cell that is longer than the time limit of its workers begins again with each."""

SENT = 100
"""How often a cell is sent: of those that wait on a worker, each loses its place when that dies."""

UNSENT = Failure(
    "DataError", f"its data files were sent {SENT} times, and its worker still lacks them.",
    "The log of Dask's worker tells more; the folder LIEAPP_CACHE there keeps the files.",
)  # fmt: skip

AHEAD = 2
"""Cells sent for each thread of the workers: the next one is there when one ends."""


@dataclass
class _Sent:
    """A cell on its way: how often it was sent, and to which workers, if not to all.

    Args:
        apart: workers on other machines than the one that refused it.
    """

    cell: int
    task: Task
    folder: bytes
    times: int = 0
    only: frozenset[str] = frozenset()
    apart: frozenset[str] = frozenset()
    is_again: bool = False


class Cluster:
    """Workers that execute the cells of a sweep.

    Args:
        client: connected.
        shared: what all workers get.
    """

    def __init__(self, client: Client, shared: Shared) -> None:
        self._client, self._sweep = client, shared.sweep
        self._ended: queue.SimpleQueue[Future | Lent] = queue.SimpleQueue()
        self._lender = Lender(client, shared.sweep)
        self._refused: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._sent: dict[str, _Sent] = {}
        self._futures: dict[str, Future] = {}
        self._workers: dict[str, int] = {}
        self._begun: Counter[str] = Counter()
        self._avoided: set[str] = set()
        client.subscribe_topic(worker.named(shared.sweep), lambda event: self._refused.put(str(event[1])))
        client.subscribe_topic(worker.begun(shared.sweep), lambda event: self._begun.update([str(event[1])]))
        # the scheduler forgets it together with this client
        self._here = client.submit(int, key=worker.named(shared.sweep), pure=False)
        client.register_plugin(Placed(shared))

    @property
    def capacity(self) -> int:
        """How many more cells can be sent now."""
        self._workers = self._client.nthreads()
        return max(AHEAD * sum(self._workers.values()), 1) - len(self._sent)

    @property
    def has_workers(self) -> bool:
        """Whether a worker was connected when the capacity was asked for last."""
        return bool(self._workers)

    @property
    def cells(self) -> list[int]:
        """The cells that were sent and haven't ended."""
        return [sent.cell for sent in self._sent.values()]

    def refused(self) -> Iterator[str]:
        """The workers that get no more cells, since this was asked last, and why."""
        yield from _all_of(self._refused)

    def lent(self) -> Iterator[str]:
        """The data files that were sent to workers, since this was asked last."""
        yield from _all_of(self._lender.words)

    def send(self, cell: int, task: Task, folder: bytes = b"") -> None:
        """Send a cell; `folder` is what there is of its run, for workers that don't share it."""
        self._submit(_Sent(cell, task, folder))

    def answers(self, seconds: float) -> Iterator[tuple[int, Returned]]:
        """The cells that ended, after at most so many seconds.

        Raises ClusterError if the scheduler is lost, DataError if a file that a worker lacks has changed here.
        """
        with contextlib.suppress(queue.Empty):
            yield from self._answer(self._ended.get(timeout=seconds))
            while True:
                yield from self._answer(self._ended.get_nowait())
        self._free_restricted()
        if self._client.status != "running":
            raise ClusterError(
                "the connection to the scheduler was lost.",
                hint="Start it and its workers again, then the sweep with --resume.",
            )

    def stop(self) -> None:
        """Take back the cells that wait, and ask those at work to stop, which answer then."""
        at_work: list[str] = []

        def ask() -> None:
            for found in self._client.run(worker.stop, self._sweep, on_error="ignore").values():
                at_work.extend(found)

        # a worker that is cut off may never answer
        asking = threading.Thread(target=ask, daemon=True)
        asking.start()
        asking.join(CONNECTING)
        for key in [key for key, sent in self._sent.items() if sent.task.run not in at_work]:
            del self._sent[key]
            self._futures.pop(key).cancel()

    def leave(self) -> None:
        """Take everything of this sweep off the workers."""
        with contextlib.suppress(Exception):  # whatever is wrong with the cluster, the sweep is over
            self._client.unregister_worker_plugin(worker.named(self._sweep))

    def _submit(self, sent: _Sent) -> None:
        free = frozenset(self._workers) - self._avoided
        sent.only = sent.apart & free or free if self._avoided else frozenset()
        key = f"{sent.task.run}-{sent.times}"
        sent.times += 1
        future = self._client.submit(
            worker.execute, msgspec.json.encode(sent.task), sent.folder, key=key, pure=False, retries=TRIES,
            workers=sorted(sent.only) or None,
        )  # fmt: skip
        self._sent[key], self._futures[key] = sent, future
        future.add_done_callback(self._ended.put)

    def _free_restricted(self) -> None:
        """Send cells again that wait for workers of which none is left."""
        for key, sent in [*self._sent.items()]:
            if sent.only and not sent.only & self._workers.keys():
                del self._sent[key]
                self._futures.pop(key).cancel()
                self._submit(sent)

    def _answer(self, ended: Future | Lent) -> Iterator[tuple[int, Returned]]:
        key = str(ended.key)
        sent = self._sent.get(key)
        if sent is None:
            return
        returned = ended.told if isinstance(ended, Lent) else _returned(ended)
        if returned is not None and returned.lacks:
            self._lend(key, sent.task, returned)
            return
        del self._sent[key], self._futures[key]
        if returned is not None:
            if self._is_tried_elsewhere(sent, returned):
                self._submit(sent)
            else:
                yield sent.cell, returned
        elif isinstance(ended, Lent):
            if ended.wrong is not None:
                raise ended.wrong
            if sent.times < SENT:
                self._submit(sent)
            else:
                yield sent.cell, Returned(Answer("failed", UNSENT), "", "")
        else:
            yield from self._without_answer(sent, ended)

    def _without_answer(self, sent: _Sent, future: Future) -> Iterator[tuple[int, Returned]]:
        if future.status in ("cancelled", "lost"):
            # by somebody else, or with the scheduler, which is told as the error that it is
            if self._client.status == "running":
                self._submit(sent)
            return
        error = future.exception()
        lost = isinstance(error, KilledWorker) and self._begun[sent.task.run] < BEGUN and sent.times < SENT
        if error is None or lost:
            self._submit(sent)
        else:
            yield sent.cell, Returned(Answer("failed", _failure(error)), "", "")

    def _lend(self, key: str, task: Task, returned: Returned) -> None:
        """Send a worker the data files that it lacks: as long as that takes, others go on."""

        def lend() -> None:
            self._ended.put(self._lender.lend(key, task, returned, lambda: key in self._sent))

        threading.Thread(target=lend, daemon=True).start()

    def _is_tried_elsewhere(self, sent: _Sent, returned: Returned) -> bool:
        """Whether a cell fails by its worker's machine, as by a full disk, and another worker may do it; once."""
        answer, address = returned.answer, returned.address
        others = self._workers.keys() - self._avoided - {address}
        if not (answer.elsewhere and others) or sent.is_again:
            return False
        if address not in self._avoided:
            self._avoided.add(address)
            why = answer.error.message if answer.error else ""
            self._refused.put(f"{returned.worker}: {why} It gets no more cells")
        sent.folder, sent.is_again = returned.folder or sent.folder, True
        sent.apart = frozenset(other for other in others if _machine(other) != _machine(address))
        return True


def _returned(future: Future) -> Returned | None:
    """What a worker gave back, None without an answer of its own."""
    if future.status != "finished":
        return None
    try:
        return msgspec.msgpack.decode(future.result(), type=Returned)
    except Exception:  # the worker died before its answer was fetched: what the future has then is looked at
        return None


def _machine(address: str) -> str:
    return address.rpartition(":")[0]


def _all_of(told: queue.SimpleQueue[str]) -> Iterator[str]:
    with contextlib.suppress(queue.Empty):
        while True:
            yield told.get_nowait()


def _failure(error: BaseException | None) -> Failure:
    if isinstance(error, HandLostError):
        return Failure("HandLostError", f"{error}; tried {TRIES + 1} times.", "The machine may lack memory.")
    if isinstance(error, KilledWorker):
        return Failure("KilledWorker", "its workers died while they computed it.", "The machine may lack memory.")
    return Failure(type(error).__name__, " ".join(str(error).split()), "The log of Dask's worker tells more.")


def check_workers(client: Client, sweep: Path, proof: str, data: Sequence[DataFile]) -> list[Facts]:
    """What the workers that are there now are.

    Args:
        sweep: its folder; `proof`: what stands in there for those that share it.
        data: the files that cells read.

    Raises ClusterError that names those with other versions, without lieapp, or without files that can't be sent.
    """
    told = client.run(worker.facts, str(sweep), proof, msgspec.json.encode(list(data)), on_error="return")
    found, wrong = [], []
    here = versions()
    for address, answer in told.items():
        if not isinstance(answer, bytes):
            wrong.append(f"{address} can't load lieapp: {first_line(answer)}")
            continue
        about = msgspec.json.decode(answer, type=Facts)
        found.append(about)
        name = f"{address} on {about.host}"
        if other := differing(here, about.versions):
            wrong.append(f"{name} has {other}")
        elif about.unseen:
            wrong.append(f"{name} doesn't see {', '.join(about.unseen)} as it was when the sweep began")
    if wrong:
        raise ClusterError(
            f"{len(wrong)} of {len(told)} workers can't take part: {'; '.join(wrong)}.",
            hint="Install the same lieapp and torch on every machine, put folders of data and files of more than "
            "256 MB where all of them read them at the same path, and start these workers again.",
        )
    return found


def described(workers: Sequence[Facts], threads: int) -> Iterator[str]:
    """The workers in words, host by host.

    Args:
        threads: that settings ask for.
    """
    if not workers:
        yield "no worker is connected: all work waits for the first one"
    for host in dict.fromkeys(one.host for one in workers):
        own = [one for one in workers if one.host == host]
        given = " and ".join(dict.fromkeys(one.threads or "all" for one in own))
        yield f"{host}: workers {len(own)}, cores {own[0].cores}, threads of each for linear algebra {given}"
        if not all(one.shares for one in own):
            yield f"{host} doesn't share the folder of runs: the folders of runs are sent back"
        if threads * len(own) > own[0].cores:
            yield f"{host}: the settings ask for threads = {threads}, so that workers share cores"
