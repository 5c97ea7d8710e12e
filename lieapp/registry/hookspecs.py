"""The hooks a plugin file may offer, one function each; docs/hooks.md shows them in use."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pluggy

if TYPE_CHECKING:
    from lieapp.api import PDE, Colors, Images

hookspec = pluggy.HookspecMarker("lieapp")


@hookspec
def lieapp_domains() -> list[PDE | Images | Colors]:  # type: ignore[empty-body]
    """The domains this file adds: a list of declarations, `PDE`, `Images` or `Colors` of `lieapp.api`.

    Called once, when the plugins are loaded, and expected to be quick: data and truth are made later,
    from the declaration.
    """
