"""Who may talk to the app: pages of the app itself, under the names of this machine.

The app starts processes. A page of another site could reach it by a name of its own that it points to this machine
(DNS rebinding), or show it in a frame. Its requests bear that name as their host, or another origin: they are
refused.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from typing import Any
from urllib.parse import urlsplit

LOCAL = ("localhost", "127.0.0.1", "::1")
"""The names under which the app is opened; a port forwarded by ssh has one of them too."""

GUARDS = (
    (b"content-security-policy", b"frame-ancestors 'none'"),
    (b"x-frame-options", b"DENY"),
    (b"cross-origin-resource-policy", b"same-origin"),
)
"""Headers of every answer: no page of another site shows the app or what it serves."""

REFUSED = b"This app answers requests of its own pages only, under the address that it was started with.\n"

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Served = Callable[[Scope, Receive, Send], Awaitable[None]]
"""An ASGI application."""


class Pinned:
    """Answers requests under known names only.

    Args:
        app: what answers them.
        hosts: the names, without ports.
    """

    def __init__(self, app: Served, hosts: Iterable[str] = LOCAL) -> None:
        self.app, self.hosts = app, frozenset(hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or refuse it."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
        elif self._allowed(scope):
            await self.app(scope, receive, _guarding(send))
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
        else:
            plain = [(b"content-type", b"text/plain"), *GUARDS]
            await send({"type": "http.response.start", "status": 403, "headers": plain})
            await send({"type": "http.response.body", "body": REFUSED})

    def _allowed(self, scope: Scope) -> bool:
        """One host, of a known name; an origin, which browsers add, is that host."""
        hosts, origins = ([v.decode("latin-1") for k, v in scope["headers"] if k == key] for key in KEYS)
        if len(hosts) != 1 or len(origins) > 1 or _name(f"//{hosts[0]}") not in self.hosts:
            return False
        return not origins or (origins[0].startswith(("http://", "https://")) and _place(origins[0]) == hosts[0])


KEYS = (b"host", b"origin")


def _place(address: str) -> str:
    """The host and port in an address; empty where it has none."""
    try:
        return urlsplit(address).netloc
    except ValueError:
        return ""


def _name(address: str) -> str:
    """The host in an address, without a port; empty where it has none."""
    try:
        found = urlsplit(address)
        _ = found.port  # raises ValueError where that is no number
        return "" if found.username is not None or found.path or found.query else found.hostname or ""
    except ValueError:
        return ""


def _guarding(send: Send) -> Send:
    async def guarded(message: Message) -> None:
        if message["type"] == "http.response.start":
            own = {name for name, _ in GUARDS}
            message["headers"] = [pair for pair in message.get("headers", ()) if pair[0].lower() not in own]
            message["headers"] += GUARDS
        await send(message)

    return guarded
