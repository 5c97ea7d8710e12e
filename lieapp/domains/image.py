"""The domain of pictures f: [-1, 1]² -> [0, 1]^c: fields in the plane move pixels (paper, "Images").

(θ_s f)(x) = f(θ_s⁻¹(x)), resampled; valid is what keeps the features of a network in their direction.
"""

from __future__ import annotations

from dataclasses import replace

import torch
from jaxtyping import Float
from torch import Tensor

from lieapp.domains.base import Arguments, Characteristics, Fields, Flowing, ReferenceField, Stack
from lieapp.domains.extractor import PictureFeatures
from lieapp.domains.image_data import ImageBatch
from lieapp.domains.image_grid import coarse_nodes, gradient, resample, spread
from lieapp.domains.reference import AFFINE
from lieapp.domains.seen import Seen


class ImageDomain(Seen[ImageBatch]):
    """Pictures seen through an extractor.

    Args:
        name: of the plugin.
        features: of a batch of pictures.
        padding: what lies outside a picture, "border" or "zeros".
        interpolation: between pixels, "bicubic" or, as the paper has it, "bilinear".
        nodes: along the shorter side, from which flows are followed, the places of pixels between them being
            interpolated; 0: from every pixel. 16 leave a tenth of a pixel of a whirl as steep as 3.
    """

    # for s -> 0 resampling hides everything on pictures that aren't smoothed (docs/method.md), so flow is the stage
    arguments = Arguments(("x", "y"), (False, False), (False, False))
    components = ("x", "y")

    def __init__(
        self, name: str, features: PictureFeatures, padding: str = "border", interpolation: str = "bilinear",
        nodes: int = 0,
    ) -> None:  # fmt: skip
        super().__init__(name, features)
        self.padding, self.interpolation, self.nodes = padding, interpolation, nodes

    def reference(self) -> tuple[ReferenceField, ...]:
        """The affine generators, nothing being derivable."""
        return AFFINE

    def act(self, flow: Flowing, batch: ImageBatch, s: Float[Tensor, " slot"]) -> ImageBatch:
        """All pictures moved by each slot's flow, slot after slot: f(φ_{-s}(x)) at every pixel x."""
        slots, count = len(s), len(batch.pixels)
        nodes = coarse_nodes(batch.points, self.nodes)
        moved = flow(nodes.expand(slots, *nodes.shape), -s)[:, 0]
        places = spread(moved, nodes, batch.points).repeat_interleave(count, 0)
        pixels = resample(batch.pixels.repeat(slots, 1, 1, 1), places, self.padding, self.interpolation)
        return replace(batch, pixels=pixels, features=batch.features.repeat(slots, 1), sample=None)

    def characteristic(self, batch: ImageBatch, fields: Fields) -> tuple[Stack, Characteristics]:
        """The fields in the plane and Q = -ξ·∇f, how each picture begins to change; no variable evolves."""
        v = fields.jvp(batch.points, torch.zeros_like(batch.points))[0]
        q = -(v[:, :, :, None] * gradient(batch.pixels)[None]).sum(2)
        return v, Characteristics(q, torch.zeros_like(q))
