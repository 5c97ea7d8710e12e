"""Processes of Dask that have the chunks of a run at hand."""

import pickle
from functools import partial
from types import SimpleNamespace

import msgspec
import pytest

pytest.importorskip("distributed")

from distributed import CancelledError, KilledWorker

from lieapp.errors import PluginError
from lieapp.runs.store.directory import versions
from lieapp.sweeps import team
from lieapp.sweeps.connecting import ClusterError
from lieapp.sweeps.team import DaskTeam, Order


class Future:
    """What a task gives, once it is asked for so often."""

    def __init__(self, client, function, arguments, key):
        self.client, self.function, self.arguments, self.key = client, function, arguments, key
        self.late, self.cancelled, self.callbacks = 2, False, []

    def add_done_callback(self, called):
        self.callbacks.append(called)

    def exception(self, timeout):
        self.late -= 1
        if self.client.status != "running" or self.late > 0:
            raise TimeoutError

    def result(self, timeout=None):
        # as of a result whose way here is long
        if timeout is not None:
            raise TimeoutError
        given = [z.result() if isinstance(z, Future) else z for z in self.arguments]
        for called in self.callbacks:
            called(self)
        return given[1](10) if self.function is team.ask else self.function(*given)

    def cancel(self):
        self.cancelled = True


@pytest.fixture
def client():
    found = SimpleNamespace(status="running", sent=[])

    def submit(function, *arguments, pure):
        found.sent.append(Future(found, function, arguments, str(len(found.sent))))
        return found.sent[-1]

    found.submit = submit
    return found


ORDER = Order("/runs/a", "discover", "kdv", "0" * 64, {}, {}, versions())


def test_what_tasks_give_is_merged_in_their_order(client):
    told = []
    tasks = [partial(lambda n, ten: [n * ten], n) for n in range(5)]
    found = DaskTeam(client, ORDER).merged(iter(tasks), lambda one, other: one + other, told.append)
    assert found == [0, 10, 20, 30, 40] and client.sent[-1].cancelled
    assert len(client.sent) == 5 + 4 and told[0] == 0


def test_a_scheduler_that_is_lost_is_told(client):
    def lose(done):
        client.status = "closed"

    with pytest.raises(ClusterError, match="connection to the scheduler was lost"):
        DaskTeam(client, ORDER).merged([partial(pow, 2)] * 2, int.__add__, lose)
    assert client.sent[-1].cancelled


def raising(error):
    def task(ten):
        raise error

    return task


def test_a_task_without_time_is_an_error_not_a_wait(client):
    with pytest.raises(TimeoutError, match="the disk"):
        DaskTeam(client, ORDER).merged([raising(TimeoutError("the disk"))] * 2, int.__add__, lambda done: None)


def test_workers_that_die_again_and_again_are_told(client):
    killed = KilledWorker("a", None, 3)
    with pytest.raises(ClusterError, match="4 workers died while they computed on one chunk") as told:
        DaskTeam(client, ORDER).merged([raising(killed)], int.__add__, lambda done: None)
    assert "memory" in told.value.hint and client.sent[-1].cancelled


def test_what_is_cancelled_with_the_scheduler_is_told(client):
    with pytest.raises(ClusterError, match="connection to the scheduler was lost"):
        DaskTeam(client, ORDER).merged([raising(CancelledError())], int.__add__, lambda done: None)


@pytest.fixture
def order(tmp_path):
    (tmp_path / "config.json").write_text("{}")
    return msgspec.structs.replace(ORDER, run=str(tmp_path))


def test_a_worker_with_another_plugin_says_so(order):
    with pytest.raises(PluginError, match=r"kdv: .* has sha256 .* on a worker, and 00000000 where the run began"):
        team.ask(msgspec.msgpack.encode(order), team._ready)


def test_a_worker_that_comes_later_is_checked_too(order):
    older = msgspec.structs.replace(order, versions={**order.versions, "lieapp": "0.0.1"})
    with pytest.raises(ClusterError, match=r"a worker on .* has lieapp .* \(here 0\.0\.1\)"):
        team.ask(msgspec.msgpack.encode(older), team._ready)
    with pytest.raises(ClusterError, match="don't see /runs/a, where the chunks of the run are kept"):
        team.ask(msgspec.msgpack.encode(ORDER), team._ready)


def test_a_worker_keeps_nothing_of_a_plugin_that_changed(monkeypatch):
    monkeypatch.setattr(team, "_kept", {})
    monkeypatch.setattr(team, "_keeper", lambda order: order.sha256)
    def task(kept):
        return kept

    changed = msgspec.structs.replace(ORDER, sha256="1" * 64)
    found = [team.ask(msgspec.msgpack.encode(order), task) for order in (ORDER, changed, ORDER)]
    assert found == ["0" * 64, "1" * 64, "0" * 64] and len(team._kept) == 1


def test_errors_cross_processes_with_their_hints():
    error = pickle.loads(pickle.dumps(PluginError("a", hint="b")))
    assert (error.message, error.hint) == ("a", "b")


def test_workers_let_go_of_the_chunks_of_a_run_that_is_over(client, monkeypatch):
    encoded, other = msgspec.msgpack.encode(ORDER), b"other"
    monkeypatch.setattr(team, "_kept", {encoded: 1, other: 2})
    client.run = lambda function, *arguments, on_error: function(*arguments)
    DaskTeam(client, ORDER).leave()
    assert team._kept == {other: 2}
