"""The domain of pictures f: [-1, 1]² -> [0, 1]^c: fields in the plane move pixels (paper, "Images").

(θ_s f)(x) = f(θ_s⁻¹(x)), resampled bilinearly; valid is what keeps the features of a network in their direction.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn import functional

from lieapp.domains.base import Characteristics, Fields, Validity
from lieapp.domains.extractor import Features
from lieapp.domains.image_data import ImageBatch
from lieapp.domains.image_grid import gradient, resample
from lieapp.domains.reference import AFFINE, ReferenceField


class ImageDomain:
    """Pictures seen through an extractor.

    Args:
        name: of the plugin.
        features: of a batch of pictures.
        padding: what lies outside a picture, "border" or "zeros".
    """

    coordinates: tuple[str, ...] = ("x", "y")
    periodic: tuple[bool, ...] = (False, False)
    dependent: tuple[bool, ...] = (False, False)
    # for s -> 0 resampling hides everything on pictures that aren't smoothed (docs/method.md)
    stages: tuple[str, ...] = ("flow",)

    def __init__(self, name: str, features: Features, padding: str = "border") -> None:
        self.name, self.features, self.padding = name, features, padding

    def reference(self) -> tuple[ReferenceField, ...]:
        """The affine generators, nothing being derivable."""
        return AFFINE

    def act(
        self, flow: Callable[[Tensor, Tensor], Tensor], batch: ImageBatch, s: Float[Tensor, " slot"]
    ) -> ImageBatch:
        """All pictures moved by each slot's flow, slot after slot: f(φ_{-s}(x)) at every pixel x."""
        slots, count = len(s), len(batch.pixels)
        places = flow(batch.points.expand(slots, *batch.points.shape), -s)[:, 0]
        places = places.repeat_interleave(count, 0)
        pixels = resample(batch.pixels.repeat(slots, 1, 1, 1), places, self.padding)
        return replace(batch, pixels=pixels, features=batch.features.repeat(slots, 1), sample=None)

    def validity(self, before: ImageBatch | None, after: ImageBatch, power: int = 1) -> Validity:
        """Angle in radians between the features of each picture before and after; that of unmoved ones is 0.

        `power` is of no account: a picture has one angle.
        """
        score = angle(after.features, self.features(after.pixels))
        return Validity(score, torch.ones_like(score.detach()), torch.zeros_like(score.detach()))

    def characteristic(self, batch: ImageBatch, fields: Fields) -> tuple[Tensor, Characteristics]:
        """The fields in the plane and Q = -ξ·∇f, how each picture begins to change; no variable evolves."""
        v = fields.jvp(batch.points, torch.zeros_like(batch.points))[0]
        q = -(v[:, :, :, None] * gradient(batch.pixels)[None]).sum(2)
        return v, Characteristics(q, torch.zeros_like(q))

    def tangent(self, batch: ImageBatch, q: Characteristics) -> Float[Tensor, "field batch feature"]:
        """Derivative of the direction of the features along each Q: its norm is the limit of angle/|s| for s -> 0.

        It means something on smooth pictures only, and for extractors that torch differentiates forward.
        """

        def direction(pixels: Tensor) -> Tensor:
            return functional.normalize(self.features(pixels), dim=1)

        return torch.stack([torch.func.jvp(direction, (batch.pixels,), (own,))[1] for own in q.value])


def angle(first: Float[Tensor, "batch feature"], second: Float[Tensor, "batch feature"]) -> Float[Tensor, " batch"]:
    """Angle between features as 2 atan2(|a - b|, |a + b|) of unit vectors, which keeps its digits near 0."""
    a, b = functional.normalize(first, dim=1), functional.normalize(second, dim=1)
    tiny = torch.finfo(a.dtype).eps ** 2
    apart, along = ((a - b).square().sum(1) + tiny).sqrt(), ((a + b).square().sum(1) + tiny).sqrt()
    return 2 * torch.atan2(apart, along)
