"""The app answers its own pages under the names of this machine; any other site is refused."""

import asyncio
import http.client
import os
import signal
import socket
import subprocess
import sys
import time

import pytest

from lieapp.ui.pinned import Pinned

GOOD = ("localhost", "localhost:8501", "127.0.0.1:1", "[::1]:8501", "LOCALHOST:8501")
BAD = (
    "evil.example", "evil.example:8501", "localhost.evil.example:8501", "evil@localhost:8501", "192.168.0.7:8501",
    "localhost/x", "localhost:port", "", "localhost\x00", "[::1", "0.0.0.0:8501",
)  # fmt: skip


async def _served(scope, receive, send):
    if scope["type"] == "websocket":
        await send({"type": "websocket.accept"})
        return
    await send({"type": "http.response.start", "status": 200, "headers": [(b"X-Frame-Options", b"ALLOWALL")]})
    await send({"type": "http.response.body", "body": b"page"})


def answer(kind: str, *headers: tuple[bytes, bytes]) -> list[dict]:
    sent = []

    async def send(message):
        sent.append(dict(message))

    asyncio.run(Pinned(_served)({"type": kind, "headers": list(headers)}, None, send))
    return sent


@pytest.mark.parametrize("host", GOOD)
@pytest.mark.parametrize("secure", ["http", "https"])
def test_own_pages_are_answered_and_framed_by_nobody(host, secure):
    own = (b"origin", f"{secure}://{host}".encode())
    for headers in ([(b"host", host.encode())], [(b"host", host.encode()), own]):
        start, body = answer("http", *headers)
        assert (start["status"], body["body"]) == (200, b"page")
        told = [value for name, value in start["headers"] if name.lower() == b"x-frame-options"]
        assert told == [b"DENY"]
        assert (b"content-security-policy", b"frame-ancestors 'none'") in start["headers"]
        assert answer("websocket", *headers) == [{"type": "websocket.accept"}]


@pytest.mark.parametrize("host", BAD)
def test_other_hosts_are_refused(host):
    start, _ = answer("http", (b"host", host.encode()))
    assert start["status"] == 403 and (b"x-frame-options", b"DENY") in start["headers"]
    assert answer("websocket", (b"host", host.encode())) == [{"type": "websocket.close", "code": 1008}]


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "", "http://localhost:3000", "http://localhost.evil.example:8501",
               "file://localhost:8501", "localhost:8501", "http://[::1"],
)  # fmt: skip
def test_other_origins_are_refused(origin):
    headers = [(b"host", b"localhost:8501"), (b"origin", origin.encode())]
    assert answer("http", *headers)[0]["status"] == 403
    assert answer("websocket", *headers)[0]["type"] == "websocket.close"


def test_several_hosts_or_none_are_refused():
    for headers in ([], [(b"host", b"localhost"), (b"host", b"evil.example")]):
        assert answer("http", *headers)[0]["status"] == 403
    assert answer("lifespan") != [], "what is no request passes"


@pytest.fixture(scope="module")
def port(tmp_path_factory):
    """The port of an app that `lieapp app` started."""
    with socket.socket() as free:
        free.bind(("localhost", 0))
        number = free.getsockname()[1]
    command = [sys.executable, "-m", "lieapp", "app", "--no-browser", "--port", str(number)]
    folder = tmp_path_factory.mktemp("app")
    with (folder / "log").open("wb") as log:
        started = subprocess.Popen(command, cwd=folder, stdout=log, stderr=log, start_new_session=True)
    try:
        for _ in range(300):
            if _status(number, "/_stcore/health", Host=f"localhost:{number}") == 200:
                break
            time.sleep(0.1)
        yield number
    finally:
        os.killpg(started.pid, signal.SIGINT)
        started.wait(20)


SOCKET = {
    "Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==",
}  # fmt: skip


def _status(port: int, path: str, **headers: str) -> int:
    line = http.client.HTTPConnection("localhost", port, timeout=5)
    try:
        line.request("GET", path, headers=headers)
        return line.getresponse().status
    except OSError:
        return 0
    finally:
        line.close()


def test_the_app_itself(port):
    own, other = f"localhost:{port}", f"evil.example:{port}"
    assert _status(port, "/", Host=own) == 200 and _status(port, "/", Host=other) == 403
    stream = "/_stcore/stream"
    assert _status(port, stream, Host=own, Origin=f"http://{own}", **SOCKET) == 101
    assert _status(port, stream, Host=other, Origin=f"http://{other}", **SOCKET) == 403
    assert _status(port, stream, Host=own, Origin="http://localhost:1", **SOCKET) == 403
