"""Training with data moved along symmetries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lieapp.augment.dataset import moved

__all__ = ["moved"]


def __getattr__(name: str) -> Any:
    # loaded when it is asked for: other modules of this room don't need it
    if name == "moved":
        from lieapp.augment.dataset import moved

        return moved
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
