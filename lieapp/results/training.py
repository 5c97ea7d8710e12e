"""What a training of a network found, and what is known of a network wherever it is used."""

from __future__ import annotations

import msgspec

from lieapp.results.base import Result


class Network(msgspec.Struct, kw_only=True, omit_defaults=True):
    """What is known of a network that sees pictures; a file of the user's may say less. JSON has no nulls of it.

    Args:
        network: the name of a ready-made one, of which nothing else is known.
        accuracy: share of the pictures kept aside that it tells right.
        loss: mean cross-entropy on them.
        flip: whether mirror images were learned from.
        settings: of its training.
        cached: whether it was found in the cache.
    """

    network: str | None = None
    accuracy: float | None = None
    loss: float | None = None
    learned_from: int | None = None
    judged_on: int | None = None
    flip: bool | None = None
    classes: list[str] = []
    settings: dict[str, object] = {}
    cached: bool | None = None

    @property
    def told_right(self) -> str:
        """The accuracy in words."""
        return share_words(self.accuracy)


class Training(Result, tag_field="result", tag="training", kw_only=True):
    """A network trained by `lieapp train`.

    Args:
        network: its kind.
        parameters: how many numbers it consists of.
        file: where it is.
        cached: whether it had been trained before.
        source: where the pictures come from; `pictures` of them, of this `shape` (channels, rows, columns).
        device: where it was trained.
    """

    network: str
    accuracy: float | None
    loss: float | None
    learned_from: int | None
    judged_on: int | None
    classes: list[str]
    parameters: int
    file: str
    cached: bool
    seconds: dict[str, float]
    source: str
    pictures: int
    shape: list[int]
    device: str
    settings: dict[str, object]


def share_words(value: float | None) -> str:
    """A share as 97.2 %; a dash where it isn't known."""
    return "–" if value is None else f"{100 * value:.1f} %"
