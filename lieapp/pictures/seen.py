"""Pictures as a network sees them: the angle between features, and its derivative for a small flow."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn import functional

from lieapp.data.images.pictures import Pixels
from lieapp.domains.base import Arguments, Characteristics, Fields, Flowing, Line, ReferenceField, Stack, Validity
from lieapp.domains.formulas import forward
from lieapp.pictures.extractor import PictureFeatures


@dataclass(frozen=True)
class PictureBatch:
    """Some pictures, moved or not; all have the same points, so a field is evaluated once for all of them.

    Args:
        points, weight: x and y of the pixels, or sampled colours, as a batch of one; and ω of each.
        pixels: of the pictures as they are.
        features: of the same pictures unmoved.
        sample: the number of each picture.
        lines: the axes of the plane; none where colours lie scattered.
        pairs: neighbours among those, between which fields should be smooth.
        clipped: share of each picture's pixels whose colours left the cube, clipped or not; None where none can.
    """

    points: Float[Tensor, "1 coordinate *space"]
    weight: Float[Tensor, "1 *space"]
    pixels: Pixels
    features: Float[Tensor, "batch feature"]
    sample: Int[Tensor, " batch"] | None = None
    lines: list[Line] = field(default_factory=list)
    pairs: Int[Tensor, "2 pair"] | None = None
    clipped: Float[Tensor, " batch"] | None = None


class Seen(ABC):
    """What domains of pictures share: a moved picture is valid if its features keep their direction.

    See `base.Domain` and `base.Movable`, both of which it is.
    """

    arguments: Arguments
    components: tuple[str, ...]
    stages: tuple[str, ...] = ("flow",)

    def __init__(self, name: str, features: PictureFeatures) -> None:
        self.name, self.features = name, features

    @abstractmethod
    def reference(self) -> Sequence[ReferenceField]:
        """Named fields to compare with."""

    @abstractmethod
    def act(self, flow: Flowing, batch: PictureBatch, s: Float[Tensor, " slot"]) -> PictureBatch:
        """All pictures moved by each slot's flow, slot after slot."""

    @abstractmethod
    def characteristic(self, batch: PictureBatch, fields: Fields) -> tuple[Stack, Characteristics]:
        """The fields on the batch's points, and how each picture begins to change."""

    def truth(self, budget: float | None = None) -> None:
        """Nothing can be derived of pictures."""
        return None

    def validity(self, before: PictureBatch | None, after: PictureBatch, power: int = 1) -> Validity:
        """Angle in radians between the features of each picture before and after; that of unmoved ones is 0.

        `power` is of no account: a picture has one angle. `share` is that of pixels whose colours stayed in range.
        """
        score = angle(after.features, self.features(after.pixels))
        none = torch.zeros_like(score.detach())
        return Validity(score, 1 - (none if after.clipped is None else after.clipped), none)

    def tangent(self, batch: PictureBatch, q: Characteristics) -> Float[Tensor, "field batch feature"]:
        """Derivative of the direction of the features along each Q: its norm is the limit of angle/|s| for s -> 0.

        For extractors that torch differentiates forward.
        """

        def direction(pixels: Pixels) -> Float[Tensor, "batch feature"]:
            return functional.normalize(self.features(pixels), dim=1)

        return torch.stack([forward(direction, batch.pixels, own)[1] for own in q.value])


def angle(first: Float[Tensor, "batch feature"], second: Float[Tensor, "batch feature"]) -> Float[Tensor, " batch"]:
    """Angle between features as 2 atan2(|a - b|, |a + b|) of unit vectors, which keeps its digits near 0."""
    a, b = functional.normalize(first, dim=1), functional.normalize(second, dim=1)
    tiny = torch.finfo(a.dtype).eps ** 2
    apart, along = ((a - b).square().sum(1) + tiny).sqrt(), ((a + b).square().sum(1) + tiny).sqrt()
    return 2 * torch.atan2(apart, along)
