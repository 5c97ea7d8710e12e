"""Where cells run, reached or started: a scheduler of Dask, or processes of this machine."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import dask
from distributed import Client, LocalCluster
from distributed.core import rpc
from distributed.security import Security
from tornado.ioloop import PeriodicCallback

from lieapp.errors import LieappError
from lieapp.sweeps.interrupts import afterwards
from lieapp.sweeps.place import Local, Remote

CONNECTING = 5.0
"""Seconds until a scheduler counts as unreachable."""

DEATHS = 3
"""How often a chunk begins whose worker dies."""

LOCALLY = {
    # each death of a worker counts against all cells that it had; `Cluster` sends those again that only waited
    "distributed.scheduler.allowed-failures": DEATHS - 1,
    # no process imports from the working folder, whatever its files are called (lieapp.child)
    "distributed.nanny.pre-spawn-environ.PYTHONSAFEPATH": 1,
    # Dask gives up a worker that takes longer than this to come back, which it does on a busy machine
    "distributed.deploy.lost-worker-timeout": "10 weeks",
}
"""How Dask is set for processes of this machine."""

LOOK = 5.0
"""Seconds between two looks whether all processes of this machine are there."""

VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
"""What numerical libraries take their number of threads from."""

HERE = "127.0.0.1"


class ClusterError(LieappError):
    """A scheduler that can't be reached, or workers that can't execute cells."""


@contextlib.contextmanager
def connected(place: Local | Remote) -> Iterator[Client]:
    """Processes of this machine, started now, or the scheduler that somebody started. Raises ClusterError.

    Processes of this machine listen on it alone.
    """
    # what the user needs to know is an error of the sweep
    for name in ("distributed", "distributed.client"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    if isinstance(place, Local):
        with dask.config.set(LOCALLY):
            cluster = _local(place)
            client = Client(cluster, set_as_default=False)
            watch = PeriodicCallback(partial(_restore, cluster, place.workers, set()), 1000 * LOOK)
            loop = client.loop
            assert loop is not None  # once it is connected
            loop.add_callback(watch.start)
            try:
                with afterwards(client.close), afterwards(cluster.close):
                    yield client
                    loop.add_callback(watch.stop)
            except KeyboardInterrupt:
                loop.add_callback(watch.stop)
                _kill(cluster)
                raise
        return
    _check_certificates(place.address)
    _check_scheduler(place.address)
    try:
        client = Client(place.address, timeout=CONNECTING, set_as_default=False)
    except Exception as error:  # of many kinds: sockets, certificates, names
        raise _unreachable(place.address, error) from None
    with afterwards(client.close):
        yield client


def _check_scheduler(address: str) -> None:
    """Raises ClusterError unless a scheduler answers in time: Dask's client would wait for the word of anything."""
    # a notebook has a loop in this thread
    with ThreadPoolExecutor(1) as pool:
        error = pool.submit(asyncio.run, _asked(address)).exception()
    if isinstance(error, OSError):
        raise _unreachable(address, error)
    if error is not None:  # of many kinds: its bytes are taken for lengths and names
        raise ClusterError(
            f"{address}: what answers there isn't a scheduler of Dask.",
            hint="Give the address that `dask scheduler` prints; docs/scaling.md has more.",
        )


async def _asked(address: str) -> None:
    """Ask a scheduler what it is. Raises OSError without an answer, anything for another one."""
    security = Security().get_connection_args("client")
    # Dask's own error, which has the reason, comes before the other one
    first = 0.9 * CONNECTING
    async with asyncio.timeout(CONNECTING), rpc(address, timeout=first, connection_args=security) as scheduler:
        await scheduler.identity(n_workers=0)


def _unreachable(address: str, error: BaseException) -> ClusterError:
    cause = error
    while cause.__cause__ is not None:
        cause = cause.__cause__
    why = getattr(cause, "strerror", None)
    return ClusterError(
        f"{address}: no scheduler answers within {CONNECTING:.0f} s{f' ({why})' if why else ''}.",
        hint="`dask scheduler` starts one, `dask worker ADDRESS` its workers; docs/scaling.md has more.",
    )


def _check_certificates(address: str) -> None:
    """Raises ClusterError if the address asks for certificates, and Dask's configuration lacks a client's."""
    keys = [f"distributed.comm.tls.{key}" for key in ("ca-file", "client.cert", "client.key")]
    missing = [key for key in keys if not dask.config.get(key, None)]
    if address.startswith("tls://") and missing:
        raise ClusterError(
            f"{address}: Dask's configuration doesn't name {' and '.join(missing)}.",
            hint="Name the files of the certificates there; docs/scaling.md has more.",
        )


def _local(place: Local) -> LocalCluster:
    threads = dict.fromkeys(VARIABLES, str(place.threads))
    try:
        return LocalCluster(
            n_workers=place.workers, threads_per_worker=1, processes=True, host=HERE,
            dashboard_address=f"{HERE}:0", memory_limit=None, env=threads, silence_logs=logging.CRITICAL,
        )  # fmt: skip
    except Exception as error:  # of many kinds: no memory, no process, no socket
        raise ClusterError(
            f"{place}: its processes can't be started ({first_line(error)}).", hint="Start fewer: --on local:N."
        ) from None


def _restore(cluster: LocalCluster, count: int, dead: set[object]) -> None:
    """Start workers in place of those that Dask no longer starts again, as one that was killed while it started.

    Args:
        dead: their names at the last look; a nanny has until the next one to start its worker by itself.
    """
    for name, nanny in [*cluster.workers.items()]:
        if nanny.is_alive():
            dead.discard(name)
        elif name in dead:
            del cluster.workers[name]
            dead.discard(name)
            nanny.loop.add_callback(nanny.close)
        else:
            dead.add(name)
    cluster.scale(count)


def _kill(cluster: LocalCluster) -> None:
    """End the workers without a word; the processes of their cells end with them."""
    # or Dask would close it in order at the end of this process
    cluster.shutdown_on_close = False
    for nanny in cluster.workers.values():
        nanny.auto_restart = False
        if nanny.pid is not None:
            os.kill(nanny.pid, signal.SIGKILL)


def first_line(error: BaseException) -> str:
    """What an error says, without a full stop."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".")
