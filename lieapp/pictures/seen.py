"""Pictures as a network sees them: the angle between features, and its derivative for a small flow."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Generic, Protocol, TypeVar, runtime_checkable

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn import functional

from lieapp.data.images.pictures import Pixels
from lieapp.domains.base import Arguments, Batch, Characteristics, Fields, Flowing, ReferenceField, Stack, Validity
from lieapp.domains.formulas import forward
from lieapp.pictures.extractor import PictureFeatures


@runtime_checkable
class Sight(Batch, Protocol):
    """A batch of pictures, moved or not, with the features of the unmoved ones."""

    @property
    def pixels(self) -> Pixels:
        """As they are now."""
        ...

    @property
    def features(self) -> Float[Tensor, "batch feature"]:
        """Of the same pictures unmoved."""
        ...

    @property
    def clipped(self) -> Float[Tensor, " batch"] | None:
        """Share of each picture's pixels whose colours left their range; None where none can."""
        ...


SightT = TypeVar("SightT", bound=Sight)


class Seen(ABC, Generic[SightT]):
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
    def act(self, flow: Flowing, batch: SightT, s: Float[Tensor, " slot"]) -> SightT:
        """All pictures moved by each slot's flow, slot after slot."""

    @abstractmethod
    def characteristic(self, batch: SightT, fields: Fields) -> tuple[Stack, Characteristics]:
        """The fields on the batch's points, and how each picture begins to change."""

    def truth(self, budget: float | None = None) -> None:
        """Nothing can be derived of pictures."""
        return None

    def validity(self, before: SightT | None, after: SightT, power: int = 1) -> Validity:
        """Angle in radians between the features of each picture before and after; that of unmoved ones is 0.

        `power` is of no account: a picture has one angle. `share` is that of pixels whose colours stayed in range.
        """
        score = angle(after.features, self.features(after.pixels))
        none = torch.zeros_like(score.detach())
        return Validity(score, 1 - (none if after.clipped is None else after.clipped), none)

    def tangent(self, batch: SightT, q: Characteristics) -> Float[Tensor, "field batch feature"]:
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
