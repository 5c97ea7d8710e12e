"""A run whose chunks several processes of Dask make and compute on, all with the same folder of runs."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import socket
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from distributed import CancelledError, Client, Future, KilledWorker, fire_and_forget

from lieapp.data.opening import read_by
from lieapp.errors import PluginError
from lieapp.extension import Work
from lieapp.numerics.processor import use_processor
from lieapp.numerics.tree import merged
from lieapp.progress import Reporter, SilentReporter
from lieapp.registry.catalog import Catalog, Entry, load_catalog
from lieapp.runs.store.directory import RunDirectory, versions
from lieapp.runs.store.reporter import RunReporter
from lieapp.runs.store.session import Session
from lieapp.sweeps.carried import Files, plugin_files, write_files
from lieapp.sweeps.cluster import check_workers, described
from lieapp.sweeps.connecting import CONNECTING, ClusterError, connected
from lieapp.sweeps.hand import choose_gpu
from lieapp.sweeps.interrupts import afterwards
from lieapp.sweeps.kept import PROOF, prove
from lieapp.sweeps.place import Local, Remote
from lieapp.sweeps.worker import differing

LOOK = 0.3
"""Seconds between two looks at the scheduler."""

Found = TypeVar("Found")


class Order(msgspec.Struct, frozen=True):
    """What every worker needs to have the chunks of a run at hand.

    Args:
        run: its folder, absolute.
        sha256: of the plugin's file.
        files: the plugin files.
        versions: that are asked for.
    """

    run: str
    command: str
    plugin: str
    sha256: str
    config: dict[str, Any]
    files: Files
    versions: dict[str, str]


class DaskTeam:
    """The workers of a scheduler; see `numerics.tree.Team`.

    What tasks give stays on the workers, where it is merged too: one result comes back.
    """

    def __init__(self, client: Client, order: Order) -> None:
        self._client, self._order = client, msgspec.msgpack.encode(order)

    def merged(
        self, tasks: Iterable[Callable[[Any], Found]], merge: Callable[[Found, Found], Found],
        progress: Callable[[int], None],
    ) -> Found:  # fmt: skip
        """See `numerics.tree.Team`.

        Raises what a task raises, ClusterError if the scheduler is lost or workers die again and again.
        """
        done: list[str] = []

        def sent() -> Iterator[Future]:
            for task in tasks:
                future = self._client.submit(ask, self._order, task, pure=False)
                # without a reference to it: what is merged is forgotten
                future.add_done_callback(lambda ended: done.append(ended.key))
                yield future

        whole = merged(sent(), lambda one, other: self._client.submit(merge, one, other, pure=False))
        try:
            while not _has_ended(whole):
                progress(len(done))
                if self._client.status != "running":
                    raise CancelledError
            # however long it takes from a worker to here
            found: Found = whole.result()
            return found
        except CancelledError:
            raise ClusterError(
                "the connection to the scheduler was lost.", hint="Start it again, and resume the run."
            ) from None
        except KilledWorker as error:
            raise ClusterError(
                f"{error.allowed_failures + 1} workers died while they computed on one chunk.",
                hint="The machine may lack memory: resume the run on fewer workers, or start one with lower chunk.",
            ) from None
        finally:
            whole.cancel()


    def load(self) -> None:
        """Have the workers load what they need, while this process does."""
        for address in self._client.nthreads():
            there = {"workers": address, "allow_other_workers": True}
            fire_and_forget(self._client.submit(ask, self._order, _ready, pure=False, **there))

    def leave(self) -> None:
        """Have the workers let go of the chunks, whose files would stay on the disk while they are open."""

        def ask_all() -> None:
            with contextlib.suppress(Exception):  # whatever is wrong with the workers, the run is over
                self._client.run(forget, self._order, on_error="ignore")

        # a worker that is cut off may never answer
        asking = threading.Thread(target=ask_all, daemon=True)
        asking.start()
        asking.join(CONNECTING)


def _has_ended(future: Future) -> bool:
    """Whether it is there, after a look; an error of its own counts as an end."""
    try:
        future.exception(timeout=LOOK)
    except TimeoutError:
        return False
    return True


@contextlib.contextmanager
def helped(
    place: Local | Remote, run: RunDirectory, config: Any, catalog: Catalog, entry: Entry, work: Work,
    report: Reporter,
) -> Iterator[DaskTeam]:  # fmt: skip
    """Workers for the chunks of a run, started or found.

    Raises ClusterError if there are none, if they have other versions, or if one doesn't share the folder of runs.
    """
    with connected(place) as client:
        proof, own = prove(run), run.path.resolve()
        try:
            workers = check_workers(client, own, proof, [])
        finally:
            (own / PROOF).unlink(missing_ok=True)
        if apart := sorted({one.host for one in workers if not one.shares}):
            raise _apart(", ".join(apart), own)
        for words in described(workers, getattr(config, "threads", 1)):
            report.line(words)
        built = msgspec.to_builtins(config)
        files, here = plugin_files(catalog), dict(versions())
        team = DaskTeam(client, Order(str(own), work.command, entry.name, entry.sha256, built, files, here))
        with afterwards(team.leave):
            team.load()
            yield team


def _ready(keeper: Any) -> None:
    """A task without work: what has the chunks at hand is loaded for it."""


def _apart(hosts: str, run: Path) -> ClusterError:
    return ClusterError(
        f"{hosts}: its workers don't see {run}, where the chunks of the run are kept.",
        hint="Give --out a folder that all machines share at the same path.",
    )


_lock = threading.Lock()
_kept: dict[bytes, Any] = {}
"""What has the chunks of the last run at hand, by its order: a run that is resumed may have another plugin file."""


def ask(order: bytes, task: Callable[[Any], Any]) -> Any:
    """Do a task on the worker that this is called on, one at a time."""
    with _lock:
        keeper = _kept.get(order)
        if keeper is None:
            _kept.clear()
            keeper = _kept[order] = _keeper(msgspec.msgpack.decode(order, type=Order))
        return task(keeper)


def forget(order: bytes) -> None:
    """Let go of the chunks of a run on the worker that this is called on."""
    if _kept.pop(order, None) is not None:
        gc.collect()


def _keep_memory() -> None:
    """Let freed memory stay with this process, as it does in any other but Dask's workers: tasks ask for it again.

    Dask sets MALLOC_TRIM_THRESHOLD_ for its workers (see `hands.TRIM`), and simulations take several times as long.
    """
    with contextlib.suppress(OSError, AttributeError):  # glibc alone has it
        for parameter, value in ALLOCATION:
            ctypes.CDLL(None).mallopt(parameter, value)


ALLOCATION = ((-1, 2**30), (-3, 2**25))
"""glibc's M_TRIM_THRESHOLD and M_MMAP_THRESHOLD, with what they become at most by themselves."""


def _keeper(order: Order) -> Any:
    """Raises ClusterError on a worker that came later, and has other versions or not the folder of runs."""
    run, host = RunDirectory(Path(order.run)), socket.gethostname()
    if wrong := differing(order.versions, versions()):
        raise ClusterError(
            f"a worker on {host} has {wrong}.", hint="Install the same lieapp and torch on every machine."
        )
    if not (run.path / "config.json").is_file():
        raise _apart(host, run.path)
    _keep_memory()
    with tempfile.TemporaryDirectory(prefix="lieapp-") as folder:
        catalog = load_catalog(write_files(order.files, Path(folder)))
        read_by(catalog)
        entry = catalog.get(order.plugin)
        if entry.sha256 != order.sha256:
            raise PluginError(
                f"{order.plugin}: {entry.file} has sha256 {entry.sha256[:8]} on a worker, and {order.sha256[:8]} "
                "where the run began.", hint="Install the same lieapp and the same plugins everywhere.",
            )  # fmt: skip
        work = catalog.work(entry, order.command)
        config = msgspec.convert(order.config, catalog.settings(work))
        session = Session(run, RunReporter(SilentReporter(), run), config, catalog.folders)
        assert work.keeper is not None  # checked before
        use_processor(getattr(config, "threads", 1))
        choose_gpu(config)
        return work.keeper(config, entry.declaration, session)
