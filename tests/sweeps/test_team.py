"""Processes of Dask that have the chunks of a run at hand."""

from functools import partial
from types import SimpleNamespace

import cloudpickle
import msgspec
import pytest

pytest.importorskip("distributed")

from lieapp.errors import PluginError
from lieapp.sweeps import team
from lieapp.sweeps.cluster import ClusterError
from lieapp.sweeps.team import DaskTeam, Order


class Answered:
    def __init__(self, client, task):
        self.client, self.task = client, task

    def result(self, timeout):
        self.client.waiting -= 1
        if self.client.status != "running":
            raise TimeoutError
        return cloudpickle.loads(self.task)(10)


@pytest.fixture
def client():
    found = SimpleNamespace(status="running", waiting=0, most=0, cancelled=[])

    def submit(function, order, task, pure):
        found.waiting += 1
        found.most = max(found.most, found.waiting)
        return Answered(found, task)

    found.submit, found.nthreads, found.cancel = submit, lambda: {"a": 1, "b": 1}, found.cancelled.extend
    return found


ORDER = Order("/runs/a", "discover", "kdv", "0" * 64, {}, {})


def test_answers_come_in_order_and_few_tasks_wait(client):
    found = DaskTeam(client, ORDER).each(partial(pow, 2) for _ in range(3))
    assert list(found) == [1024] * 3
    answers = DaskTeam(client, ORDER).each(partial(divmod, n) for n in range(30))
    assert list(answers) == [divmod(n, 10) for n in range(30)]
    assert client.most == team.AHEAD * 2 and client.cancelled == []


def test_a_scheduler_that_is_lost_is_told(client):
    answers = DaskTeam(client, ORDER).each(partial(pow, 2) for _ in range(9))
    next(answers)
    client.status = "closed"
    with pytest.raises(ClusterError, match="connection to the scheduler was lost"):
        next(answers)
    assert len(client.cancelled) == 3


def test_a_worker_with_another_plugin_says_so():
    with pytest.raises(PluginError, match=r"kdv: .* has sha256 .* on a worker, and 00000000 where the run began"):
        team.ask(msgspec.msgpack.encode(ORDER), b"")


def test_errors_cross_processes_with_their_hints():
    error = cloudpickle.loads(cloudpickle.dumps(PluginError("a", hint="b")))
    assert (error.message, error.hint) == ("a", "b")
