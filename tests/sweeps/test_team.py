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


class Future:
    """What a task gives, once it is asked for so often."""

    def __init__(self, client, function, arguments, key):
        self.client, self.function, self.arguments, self.key = client, function, arguments, key
        self.late, self.cancelled, self.callbacks = 2, False, []

    def add_done_callback(self, called):
        self.callbacks.append(called)

    def result(self, timeout):
        self.late -= 1
        if self.client.status != "running" or self.late > 0:
            raise TimeoutError
        given = [z.result(0) if isinstance(z, Future) else z for z in self.arguments]
        for called in self.callbacks:
            called(self)
        return cloudpickle.loads(given[1])(10) if self.function is team.ask else self.function(*given)

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


ORDER = Order("/runs/a", "discover", "kdv", "0" * 64, {}, {})


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


def test_a_worker_with_another_plugin_says_so():
    with pytest.raises(PluginError, match=r"kdv: .* has sha256 .* on a worker, and 00000000 where the run began"):
        team.ask(msgspec.msgpack.encode(ORDER), b"")


def test_errors_cross_processes_with_their_hints():
    error = cloudpickle.loads(cloudpickle.dumps(PluginError("a", hint="b")))
    assert (error.message, error.hint) == ("a", "b")
