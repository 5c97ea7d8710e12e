"""The domain of colours: fields in the cube [0, 1]³ change the colours of pictures (paper, app. "Color-space").

(θ_s f)(x) = θ_s(f(x)) at every pixel; valid is what keeps the features of a network in their direction. Following
the flow from every pixel's colour would take most of the time, so it is followed from a table of colours: by
default a lattice over the cube, whose displacements are interpolated trilinearly; as in the paper the sampled
colours, a pixel taking the displacement of the nearest.
"""

from __future__ import annotations

from dataclasses import replace

import torch
from jaxtyping import Float
from torch import Tensor

from lieapp.domains.base import Arguments, Characteristics, Fields, Flowing, ReferenceField, Stack
from lieapp.domains.color_data import ColorBatch
from lieapp.domains.color_fields import COLOR_FIELDS
from lieapp.domains.color_space import interpolated, lattice, nearest
from lieapp.domains.extractor import PictureFeatures
from lieapp.domains.seen import Seen

SIDE = 7
"""Nodes of the lattice along each axis; for fields with second derivatives of 10 it errs by .03 s."""

OUTSIDE = 1e-4
"""How far beyond the cube a channel may lie before its pixel counts as clipped: round-off isn't."""


class ColorDomain(Seen[ColorBatch]):
    """Pictures seen through an extractor, their colours being moved.

    Args:
        name: of the plugin.
        features: of a batch of pictures.
        interpolation: of displacements, "trilinear" or "nearest".
        side: nodes of the lattice along each axis.
        outside: what the extractor gets where colours leave the cube, "clipped" or "kept".
    """

    arguments = Arguments(("r", "g", "b"), (False, False, False), (False, False, False))
    components = ("r", "g", "b")

    def __init__(
        self, name: str, features: PictureFeatures, interpolation: str = "trilinear", side: int = SIDE,
        outside: str = "kept",
    ) -> None:  # fmt: skip
        super().__init__(name, features)
        self.interpolation, self.side, self.outside = interpolation, side, outside

    def reference(self) -> tuple[ReferenceField, ...]:
        """What picture editors have sliders for, nothing being derivable."""
        return COLOR_FIELDS

    def act(self, flow: Flowing, batch: ColorBatch, s: Float[Tensor, " slot"]) -> ColorBatch:
        """All pictures with their colours moved by each slot's flow, slot after slot."""
        free = (batch.pixels + self._displacement(flow, batch, s)).flatten(0, 1)
        outside = ((free < -OUTSIDE) | (free > 1 + OUTSIDE)).any(1).flatten(1)
        return replace(
            batch,
            pixels=free.clamp(0, 1) if self.outside == "clipped" else free,
            features=batch.features.repeat(len(s), 1),
            sample=None,
            clipped=outside.to(free).mean(1),
        )

    def _displacement(
        self, flow: Flowing, batch: ColorBatch, s: Float[Tensor, " slot"]
    ) -> Float[Tensor, "slot batch channel height width"]:
        if self.interpolation == "nearest":
            start = batch.points
            moved = flow(start.expand(len(s), *start.shape), s) - start
            chosen = moved[:, 0, :, nearest(start[0], batch.pixels)]
            return chosen.movedim(1, 2)
        nodes = lattice(self.side, batch.pixels)
        start = nodes.flatten(1)[None]
        moved = flow(start.expand(len(s), *start.shape), s) - start
        return interpolated(moved[:, 0].unflatten(2, nodes.shape[1:]), batch.pixels)

    def characteristic(self, batch: ColorBatch, fields: Fields) -> tuple[Stack, Characteristics]:
        """The fields at the sampled colours, and Q = V(f): how each picture begins to change."""
        v = fields.jvp(batch.points, torch.zeros_like(batch.points))[0]
        q = fields.jvp(batch.pixels, torch.zeros_like(batch.pixels))[0]
        return v, Characteristics(q, torch.zeros_like(q))
