"""What lieapp ships, registered through the same hooks as a plugin's."""

from __future__ import annotations

from lieapp.api import hookimpl
from lieapp.extension import Kind, Method
from lieapp.methods.shipped import METHODS
from lieapp.pde.kind import COLORS, IMAGES, PDES


@hookimpl
def lieapp_kinds() -> list[Kind]:
    """Equations, pictures and their colours."""
    return [PDES, IMAGES, COLORS]


@hookimpl
def lieapp_methods() -> list[Method]:
    """The default, what it is made of, and the others."""
    return list(METHODS)
