"""What becomes of cells on workers that can't execute them, with a stand-in for Dask's client."""

import errno
import time
from pathlib import Path
from types import SimpleNamespace

import msgspec
import pytest

pytest.importorskip("distributed")

from distributed import KilledWorker

from lieapp.errors import DataError, RunError, refused
from lieapp.results.sweep import Failure
from lieapp.sweeps import hand
from lieapp.sweeps.cluster import BEGUN, SENT, Cluster
from lieapp.sweeps.connecting import ClusterError
from lieapp.sweeps.data_files import described
from lieapp.sweeps.lending import Lent
from lieapp.sweeps.messages import Answer, Task
from lieapp.sweeps.worker import Returned, Shared, differing

FULL = Answer("failed", Failure("FileError", "a: No space left on device."), elsewhere=True)
TASK = Task("run", "/runs", "discover", "norm", "0" * 64, msgspec.Raw(b"{}"), "sweep")


class Sent:
    """A future of Dask that ends when it is told to."""

    def __init__(self, key, only):
        self.key, self.only, self.status = key, only, "pending"

    def add_done_callback(self, called):
        self.called = called

    def cancel(self):
        self.status = "cancelled"

    def end(self, answer, worker="tcp://a:1", folder=b"", lacks=()):
        self.status, self.answer = "finished", Returned(answer, worker, f"worker {worker}", folder, [*lacks])
        self.called(self)

    def fail(self, error):
        self.status, self.error = "error", error
        self.called(self)

    def result(self):
        return msgspec.msgpack.encode(self.answer)

    def exception(self):
        return self.error


@pytest.fixture
def client():
    found = SimpleNamespace(sent=[], workers={"tcp://a:1": 1, "tcp://b:1": 1}, status="running")

    def submit(function, *given, key, workers=None, **options):
        if given:
            found.sent.append(Sent(key, workers))
            return found.sent[-1]

    found.submit, found.nthreads = submit, lambda: found.workers
    found.run = lambda *arguments, **options: {}
    found.topics = {}
    found.subscribe_topic = found.topics.__setitem__
    found.register_plugin = lambda plugin: None
    return found


@pytest.fixture
def cluster(client):
    made = Cluster(client, Shared(Path("/runs"), "sweep", "", {}, [], "", {}, False))
    assert made.capacity == 4
    made.send(7, TASK)
    return made


def test_a_full_disk_is_left_to_another_worker_once(cluster, client):
    client.sent[0].end(FULL)
    assert list(cluster.answers(0.01)) == [] and client.sent[1].only == ["tcp://b:1"]
    (words,) = cluster.refused()
    assert words.startswith("worker tcp://a:1: a: No space left on device.")
    cluster.send(8, TASK)
    assert client.sent[2].only == ["tcp://b:1"]
    client.sent[1].end(FULL, "tcp://b:1")
    ((cell, returned),) = cluster.answers(0.01)
    assert cell == 7 and returned.answer == FULL and cluster.cells == [8]


def test_another_machine_is_tried_before_another_worker_of_the_same(cluster, client):
    client.workers |= {"tcp://a:2": 1, "tcp://a:3": 1}
    assert cluster.capacity == 7
    client.sent[0].end(FULL)
    assert list(cluster.answers(0.01)) == [] and client.sent[1].only == ["tcp://b:1"]
    # once that is gone, what is left has to do
    del client.workers["tcp://b:1"]
    assert cluster.capacity == 5 and list(cluster.answers(0.01)) == []
    assert client.sent[2].only == ["tcp://a:2", "tcp://a:3"]


def test_the_last_worker_with_a_full_disk_answers(cluster, client):
    client.workers.pop("tcp://b:1")
    assert cluster.capacity == 1
    client.sent[0].end(FULL)
    assert [returned.answer for _, returned in cluster.answers(0.01)] == [FULL]


def test_cells_kept_for_workers_that_are_gone_are_sent_again(cluster, client):
    client.sent[0].end(FULL)
    assert list(cluster.answers(0.01)) == []
    client.workers = {"tcp://a:1": 1, "tcp://c:1": 1}
    assert cluster.capacity == 3 and list(cluster.answers(0.01)) == []
    assert client.sent[1].status == "cancelled" and client.sent[2].only == ["tcp://c:1"]
    assert len({future.key for future in client.sent}) == 3 and cluster.cells == [7]


def killed(client):
    """The worker of what was sent last has died."""
    client.sent[-1].fail(KilledWorker("run", SimpleNamespace(address="tcp://a:1"), 2))


def test_a_cell_whose_workers_die_is_sent_again_but_not_for_ever(cluster, client):
    for _ in range(BEGUN):
        client.topics["lieapp-sweep-begun"]((0, TASK.run))
        killed(client)
        found = list(cluster.answers(0.01))
    assert len(client.sent) == BEGUN and found[0][1].answer.error.type == "KilledWorker"
    assert "memory" in found[0][1].answer.error.hint


def test_a_cell_whose_answer_is_lost_with_its_worker_is_sent_again(cluster, client):
    future = client.sent[0]

    def lost():
        future.status, future.error = "error", KilledWorker("run", SimpleNamespace(address="tcp://a:1"), 2)
        raise future.error

    future.result = lost
    future.end(Answer("done"))
    assert list(cluster.answers(0.01)) == [] and len(client.sent) == 2 and cluster.cells == [7]


def test_a_cell_that_only_waited_on_workers_that_died_is_sent_again(cluster, client):
    for _ in range(3 * BEGUN):
        client.topics["lieapp-sweep-begun"]((0, "another run"))
        killed(client)
        assert list(cluster.answers(0.01)) == []
    client.sent[-1].end(Answer("done"))
    ((cell, returned),) = cluster.answers(0.01)
    assert cell == 7 and returned.answer.state == "done" and len(client.sent) == 3 * BEGUN + 1


def test_a_worker_is_sent_the_files_that_it_lacks_and_the_cell_again(cluster, client, tmp_path):
    own = tmp_path / "own.nc"
    own.write_bytes(b"waves")
    known = described(str(own))
    cluster.send(8, msgspec.structs.replace(TASK, run="other", data=(known,)))
    received = []

    def run(function, file, sweep, start, piece, **options):
        received.append(piece)
        return {"tcp://a:1": bool(piece)}

    client.run = run
    client.sent[1].end(Answer("missing"), lacks=[known.sha256])
    deadline = time.monotonic() + 20
    while len(client.sent) < 3 and time.monotonic() < deadline:
        assert list(cluster.answers(0.01)) == []
    assert received == [b"", b"waves"] and cluster.cells == [7, 8]
    assert list(cluster.lent()) == [f"{own}: 0.0 KiB sent to worker tcp://a:1"]
    # what has changed since can't be sent
    own.write_bytes(b"others")
    client.sent[2].end(Answer("missing"), lacks=[known.sha256])
    with pytest.raises(DataError, match=r"own\.nc has changed since the sweep began"):
        while time.monotonic() < deadline:
            assert list(cluster.answers(0.01)) == []


def test_a_cell_whose_files_never_arrive_fails_in_the_end(cluster, client, tmp_path):
    for _ in range(SENT):
        key = client.sent[-1].key
        cluster._ended.put(Lent(key))
        found = list(cluster.answers(0.01))
    assert len(client.sent) == SENT and "data files were sent 100 times" in found[0][1].answer.error.message


def test_a_cell_that_somebody_else_cancels_is_sent_again(cluster, client):
    client.sent[0].cancel()
    client.sent[0].called(client.sent[0])
    assert list(cluster.answers(0.01)) == [] and len(client.sent) == 2 and cluster.cells == [7]
    cluster.stop()
    client.sent[1].called(client.sent[1])
    assert list(cluster.answers(0.01)) == [] and len(client.sent) == 2 and cluster.cells == []


def test_a_lost_scheduler_ends_the_sweep(cluster, client):
    client.status = "connecting"
    with pytest.raises(ClusterError, match="connection to the scheduler was lost"):
        list(cluster.answers(0.01))


def test_errors_of_the_machine_are_told_from_others():
    full = OSError(errno.ENOSPC, "No space left on device", "a")
    with pytest.raises(RunError) as raised, refused(RunError, "a", ""):
        raise full
    assert hand._of_machine(full) and hand._of_machine(raised.value)
    assert not hand._of_machine(RunError("a")) and not hand._of_machine(OSError(errno.ENOENT, "none", "a"))


def test_versions_that_differ_are_named():
    assert differing({"lieapp": "1", "torch": "2"}, {"lieapp": "1", "torch": "2", "sympy": "9"}) == ""
    found = differing({"lieapp": "1", "torch": "2"}, {"lieapp": "3"})
    assert found == "lieapp 3 (here 1), torch not installed (here 2)"
