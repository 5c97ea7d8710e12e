"""What a training of a network found, and what is known of a network wherever it is used."""

from __future__ import annotations

import msgspec

from lieapp.results.base import Compared, Result


class Origin(msgspec.Struct, kw_only=True, omit_defaults=True):
    """Where a ready network comes from.

    Args:
        title: what it is, in a sentence.
        source: its package with the version, or the file of its weights; "random weights" of an untrained one.
        sha256: of the file.
        accuracy: as published, a share.
        published: what that is of, and where it is published.
    """

    title: str
    source: str
    sha256: str | None = None
    accuracy: float | None = None
    published: str | None = None


class Planted(msgspec.Struct, kw_only=True):
    """What planting an invariance did, on validation pictures; angles in radians, accuracies as shares.

    Args:
        field: whose moves leave the features.
        reach: its largest flow parameter.
        angle, angle_before: by which they turn the features, to half of `reach` either way.
        others, others_before: the same of each other named field.
        accuracy_before: of the nearest mean feature, in the network as it was.
    """

    field: str
    reach: float
    angle: float
    angle_before: float
    others: dict[str, float]
    others_before: dict[str, float]
    accuracy_before: float


class Network(msgspec.Struct, kw_only=True, omit_defaults=True):
    """What is known of a network that sees pictures: of a ready-made one its name, of one from the user's own file
    what stands there, else how it was trained, and its accuracy on the validation pictures.

    Args:
        loss: mean cross-entropy; None where classes are told by the nearest mean feature.
        flip: whether mirror images were learned from.
        cached: whether it was found in the cache.
        input: rows and columns of the pictures that enter it.
        origin: of a ready network.
        planted: of a network that was made invariant.
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
    input: list[int] = []
    origin: Origin | None = None
    planted: Planted | None = None

    @property
    def percent(self) -> str:
        """The accuracy in words."""
        return share_words(self.accuracy)


class Training(Result, tag_field="result", tag="training", kw_only=True):
    """A network of some kind, its numbers, and the pictures of a source and shape (channels, rows, columns)."""

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
    planted: Planted | None = None

    def compared(self) -> Compared:
        return Compared(accuracy=self.accuracy, seconds=self.seconds)


def share_words(value: float | None) -> str:
    """A share as 97.2 %; a dash where it isn't known."""
    return "–" if value is None else f"{100 * value:.1f} %"
