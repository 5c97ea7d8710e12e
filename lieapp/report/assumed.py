"""What a derived truth assumes of parameters and arbitrary functions, in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any


def lines(document: Mapping[str, Any]) -> Iterator[str]:
    """One line for each assumption of `lieapp truth --json`."""
    for expression in document.get("assumed_nonzero") or []:
        yield f"assumed not to vanish: {expression}"
    for span in document.get("assumed_independent") or []:
        yield f"assumed linearly independent: {', '.join(span)}"
    if document.get("assumed_generic"):
        names = ", ".join(document["assumed_generic"])
        yield f"assumed generic: {names} (solutions were counted at random values; special ones may have more)"
