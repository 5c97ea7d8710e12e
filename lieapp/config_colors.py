"""The configuration struct of discoveries of colours: every field documented in docs/command-line.md."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

import msgspec

from lieapp.config import Count, DiscoverPictures, Positive, Share

COLORS_PAPER: dict[str, Any] = {
    "pictures": 0, "steps": 17600, "batch": 128, "rate": 1e-4, "cooling": 1.0, "trunk": 256,
    "interpolation": "nearest", "weight_pictures": 0, "ordered": False,
}  # fmt: skip
"""What the paper does (appendix "Color-space Results"); what it doesn't say there is as of its images."""


class DiscoverColorsConfig(DiscoverPictures, kw_only=True, frozen=True):
    """`lieapp discover` of colours: network, weight of colours, discovery by the finite flow, comparison.

    sigma and tau count in units in which red, green and blue reach from 0 to 1.
    """

    presets: ClassVar[dict[str, dict[str, Any]]] = {"quick": {}, "paper": COLORS_PAPER}

    domain: Literal["colors"] = "colors"
    slots: Positive = 3
    sigma: Share = 0.2
    tau: Share = 10.0
    batch: Positive = 16
    solver_step: Share = 0.2
    colors: Annotated[int, msgspec.Meta(ge=16)] = 1024
    """Colours sampled from the pictures, on which fields are compared."""
    neighbours: Positive = 6
    """Nearest colours of each between which a field should be smooth, and towards which its weight is measured."""
    weight_pictures: Count = 256
    """Pictures that the weight of colours is measured on; 0 takes all."""
    interpolation: Literal["trilinear", "nearest"] = "trilinear"
    """Of the displacement of a pixel's colour: in a lattice over the cube, or from the nearest sampled colour."""
    outside: Literal["kept", "clipped"] = "kept"
    """What features are taken of where colours leave the cube: the colours as they are, or clipped to it."""
    lattice: Annotated[int, msgspec.Meta(ge=2, le=65)] = 7
    """Nodes of that lattice along each axis."""
