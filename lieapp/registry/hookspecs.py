"""The hooks a plugin file may offer, one function each; docs/hooks.md shows them in use."""

from __future__ import annotations

from typing import Any

import pluggy

from lieapp.extension import Kind, Method, Reader, ReadyNetwork

hookspec = pluggy.HookspecMarker("lieapp")


@hookspec
def lieapp_domains() -> list[Any]:  # type: ignore[empty-body]
    """The domains this file adds: a list of declarations, each of a registered kind, as `lieapp.api.PDE`.

    Called once, when the plugins are loaded, and expected to be quick: data and truth are made later,
    from the declaration.
    """


@hookspec
def lieapp_kinds() -> list[Kind]:  # type: ignore[empty-body]
    """The kinds of declarations this file adds: a list of `lieapp.api.Kind`.

    Called once, when the plugins are loaded; the functions in a kind load what they need when they are called.
    """


@hookspec
def lieapp_methods() -> list[Method]:  # type: ignore[empty-body]
    """The methods of discovery this file adds: a list of `lieapp.api.Method`.

    Called once, when the plugins are loaded; the functions in a method load what they need when they are called.
    """


@hookspec
def lieapp_readers() -> list[Reader]:  # type: ignore[empty-body]
    """The file formats and layouts this file adds: a list of `lieapp.api.Reader`.

    Called once, when the plugins are loaded; the functions in a reader load what they need when they are called.
    """


@hookspec
def lieapp_networks() -> list[ReadyNetwork]:  # type: ignore[empty-body]
    """The ready networks this file adds, for discoveries on pictures: a list of `lieapp.api.ReadyNetwork`.

    Called once, when the plugins are loaded; the functions in a network load what they need when they are called.
    """
