"""What mutable objects contained, to be put back after work on them was interrupted anywhere."""

from __future__ import annotations

from typing import Any


class Snapshot:
    """The attributes of some objects, with their lists, sets and dictionaries as they are now.

    What those contain is never changed in place, but for lists in dictionaries.
    """

    def __init__(self, *objects: Any) -> None:
        self._saved = [(o, {name: _copied(value) for name, value in vars(o).items()}) for o in objects]

    def restore(self) -> None:
        """Put everything back; may be done again."""
        for o, attributes in self._saved:
            vars(o).clear()
            vars(o).update({name: _copied(value) for name, value in attributes.items()})


def _copied(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: list(v) if isinstance(v, list) else v for key, v in value.items()}
    if isinstance(value, (list, set)):
        return type(value)(value)
    return value
