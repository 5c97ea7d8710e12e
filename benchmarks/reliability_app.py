"""Sessions with the app, as browsers open them but without a browser: one server, and many who visit its pages.

A session is a websocket on which a page is asked for; the server answers with what the page shows, piece by piece.
The first text is the first heading, paragraph or table that comes.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import websockets
from reliability_runs import Forked, command, load_everything, prepare

PAGES = ("", "explore", "discover", "runs", "compare", "plugins", "help", "data")
TEXTS = ("markdown", "heading", "text", "arrow_data_frame", "alert", "html")
VISITORS = 10
"""Who come and go at the same time in the soak."""

FORGOTTEN = 150.0
"""Seconds after which Streamlit has dropped sessions that were closed: it keeps them for two minutes."""


class Visit(msgspec.Struct):
    """Seconds until the first text and until the page is complete; whether it showed an exception or no text."""

    first: float
    whole: float
    broken: bool


class Moment(msgspec.Struct):
    """What the server is made of at a moment: MB of its memory, its threads and its processes."""

    when: str
    memory: float
    threads: int
    processes: int


class Sessions(msgspec.Struct):
    """All visits: of sessions opened one after the other, all at once, and in the soak; and the moments between."""

    alone: list[Visit]
    together: list[Visit]
    soak: list[Visit]
    moments: list[Moment]


def sessions(folder: Path, count: int, seconds: float, seed: int) -> Sessions:
    """Open so many sessions, close them, and let visitors come and go for so many seconds."""
    folder.mkdir(parents=True)
    prepare(folder / "work", folder / "runs")
    load_everything()
    if Forked(command("laws", folder / "runs"), folder / "work").wait().code:
        raise SystemExit("the run to be shown failed")
    with served(folder) as (port, pid):
        return asyncio.run(_visited(port, pid, count, seconds, random.Random(seed)))


@contextlib.contextmanager
def served(folder: Path) -> Iterator[tuple[int, int]]:
    """The app as `lieapp app` starts it; its port and process."""
    from lieapp.child import child_command
    from lieapp.cli.app import RUNS_VARIABLE, SCRIPT, SETTINGS

    with socket.socket() as free:
        free.bind(("localhost", 0))
        port = int(free.getsockname()[1])
    wanted = {**SETTINGS, "server.port": str(port), "server.headless": "true"}
    options = [part for key, value in wanted.items() for part in (f"--{key}", value)]
    environment = {**os.environ, RUNS_VARIABLE: str(folder / "runs")}
    with (folder / "server.log").open("wb") as log:
        server = subprocess.Popen(
            child_command("streamlit", "run", str(SCRIPT), *options), cwd=folder / "work", env=environment,
            stdout=log, stderr=log, start_new_session=True,
        )  # fmt: skip
    try:
        end = time.monotonic() + 120
        while not _answers(port):
            if time.monotonic() > end or server.poll() is not None:
                raise SystemExit((folder / "server.log").read_text(errors="replace"))
            time.sleep(0.2)
        yield port, server.pid
    finally:
        server.terminate()
        try:
            server.wait(20)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()


def _answers(port: int) -> bool:
    try:
        return bool(urllib.request.urlopen(f"http://localhost:{port}/_stcore/health", timeout=2).status == 200)
    except OSError:
        return False


async def _visited(port: int, pid: int, count: int, seconds: float, chance: random.Random) -> Sessions:
    found = Sessions([], [], [], [])

    def note(when: str) -> None:
        found.moments.append(moment(when, pid))
        print(found.moments[-1], flush=True)

    # the server loads its libraries for whoever comes first
    async with _Session(port) as one:
        for page in PAGES:
            await one.visit(page)
    note("after the first session")
    async with contextlib.AsyncExitStack() as stack:
        for number in range(count):
            one = await stack.enter_async_context(_Session(port))
            found.alone.append(await one.visit(PAGES[number % len(PAGES)]))
        note(f"{count} sessions open, opened one by one")
    async with contextlib.AsyncExitStack() as stack:
        every = [await stack.enter_async_context(_Session(port)) for _ in range(count)]
        found.together += await asyncio.gather(*(s.visit(PAGES[n % len(PAGES)]) for n, s in enumerate(every)))
        note(f"{count} sessions open, opened at once")
    end = time.monotonic() + seconds
    visitors = [random.Random(chance.random()) for _ in range(VISITORS)]
    await asyncio.gather(*(_visitor(port, end, visitor, found.soak) for visitor in visitors))
    note("at the end of the soak")
    await asyncio.sleep(FORGOTTEN)
    note(f"{FORGOTTEN:.0f} s after all were closed")
    return found


async def _visitor(port: int, end: float, chance: random.Random, found: list[Visit]) -> None:
    """Come, look at some pages, leave, in the middle of a page or not, and come again."""
    while time.monotonic() < end:
        async with _Session(port) as one:
            for _ in range(chance.randint(1, 4)):
                found.append(await one.visit(chance.choice(PAGES)))
                await asyncio.sleep(chance.uniform(0, 2))
            if chance.random() < 0.3:
                await one.ask(chance.choice(PAGES))


class _Session:
    """One websocket."""

    def __init__(self, port: int) -> None:
        self._port, self._socket = port, None

    async def __aenter__(self) -> _Session:
        address, origin = f"ws://localhost:{self._port}/_stcore/stream", f"http://localhost:{self._port}"
        self._socket: Any = await websockets.connect(
            address, origin=origin, subprotocols=["streamlit"], max_size=None, open_timeout=60
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._socket.close()

    async def ask(self, page: str) -> None:
        """Ask for a page."""
        from streamlit.proto.BackMsg_pb2 import BackMsg

        message = BackMsg()
        message.rerun_script.page_name = page
        message.rerun_script.query_string = ""
        await self._socket.send(message.SerializeToString())

    async def visit(self, page: str) -> Visit:
        """Ask for a page and wait until it is complete. Raises TimeoutError after two minutes."""
        from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

        began, first, broken = time.perf_counter(), 0.0, False
        await self.ask(page)
        async with asyncio.timeout(120):
            while True:
                message = ForwardMsg.FromString(await self._socket.recv())
                kind = message.WhichOneof("type")
                shown = message.delta.new_element.WhichOneof("type") if kind == "delta" else None
                broken |= shown == "exception"
                if not first and shown in TEXTS:
                    first = time.perf_counter() - began
                # a page that starts itself anew isn't complete
                if kind == "script_finished" and message.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN:
                    whole = time.perf_counter() - began
                    return Visit(first or whole, whole, broken or not first)


def moment(when: str, pid: int) -> Moment:
    """The server now."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines()
    facts = dict(line.split(":", 1) for line in status)
    told = subprocess.run(["ps", "-eo", "sid=,stat="], capture_output=True, text=True, check=False).stdout
    processes = sum(int(line.split()[0]) == pid for line in told.splitlines())
    return Moment(when, int(facts["VmRSS"].split()[0]) / 1024, int(facts["Threads"]), processes)
