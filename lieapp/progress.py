"""How long work tells its caller where it stands: the one interface between engines and screens."""

from __future__ import annotations

from typing import Protocol, runtime_checkable


@runtime_checkable
class Reporter(Protocol):
    """What a pipeline calls while it works; bars, lines and files are made by whoever implements it."""

    def stage(self, name: str) -> None:
        """A new stage begins: data, truth, discovery, report."""

    def progress(self, step: int, total: int | None, text: str = "") -> None:
        """`step` of `total` is done (None: the end isn't known); cheap enough to call every step."""

    def line(self, text: str) -> None:
        """Something worth one line of the log."""

    def warn(self, text: str) -> None:
        """Something the reader of the result must know; shown even with --quiet."""


class SilentReporter:
    """Says nothing: for library use and tests. Warnings are kept in `warnings`."""

    def __init__(self) -> None:
        self.warnings: list[str] = []

    def stage(self, name: str) -> None:
        """Nothing."""

    def progress(self, step: int, total: int | None, text: str = "") -> None:
        """Nothing."""

    def line(self, text: str) -> None:
        """Nothing."""

    def warn(self, text: str) -> None:
        """Kept."""
        self.warnings.append(text)


def has_count(text: str) -> bool:
    """Whether a text of `progress` says itself how far it is, as `1.5 of 9.0 MiB read` does."""
    return " of " in text and any(map(str.isdigit, text))
