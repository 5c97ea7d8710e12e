"""Settings of discoveries of colours."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

import msgspec

from lieapp.config_pictures import DiscoverPictures, PictureFlow
from lieapp.config_types import DATA, Count, DomainKind, Positive, Share, told

COLORS_PAPER: dict[str, Any] = {
    "pictures": 0, "interpolation": "nearest", "weight_pictures": 0,
    "flow": {"steps": 17600, "batch": 128, "rate": 1e-4, "cooling": 1.0, "trunk": 256, "ordered": False},
}  # fmt: skip
"""What the paper does (appendix "Color-space Results"); what it doesn't say there is as of its images."""


class ColorsFlow(PictureFlow, kw_only=True, frozen=True):
    """How fields are learned by a descent on pictures moved along them; red, green and blue reach from 0 to 1."""

    sigma: Annotated[Share, told("Colours are moved to flow parameters within [-sigma, sigma].", "Flow size")] = 0.2
    tau: Annotated[
        Share, told("Lipschitz constant of a field, per unit of colour, above which it costs.", "Lipschitz bound")
    ] = 10.0
    batch: Annotated[Positive, told("Pictures in one step.")] = 16


class DiscoverColorsConfig(DiscoverPictures, kw_only=True, frozen=True):
    """`lieapp discover` of colours: network, weight of colours, discovery by the finite flow, comparison.

    sigma and tau count in units in which red, green and blue reach from 0 to 1.
    """

    presets: ClassVar[dict[str, dict[str, Any]]] = {"quick": {}, "paper": COLORS_PAPER}

    domain: Annotated[Literal["colors"], DomainKind] = "colors"
    slots: Annotated[Positive, told("How many fields are learned.")] = 3
    colors: Annotated[
        int, msgspec.Meta(ge=16),
        told("Colours sampled from the pictures, on which fields are compared.", group=DATA),
    ] = 1024  # fmt: skip
    neighbours: Annotated[
        Positive,
        told(
            "Nearest colours of each between which a field should be smooth, and towards which its weight is "
            "measured.",
            group=DATA,
        ),
    ] = 6
    weight_pictures: Annotated[
        Count, told("Pictures that the weight of colours is measured on; 0 takes all.", group=DATA)
    ] = 256
    interpolation: Annotated[
        Literal["trilinear", "nearest"],
        told(
            "Of the displacement of a pixel's colour: `trilinear` in a lattice over the cube, or that of the "
            "`nearest` sampled colour, as in the paper.", group=DATA,
        ),
    ] = "trilinear"  # fmt: skip
    outside: Annotated[
        Literal["kept", "clipped"],
        told(
            "What features are taken of where colours leave the cube: the colours as they are, or clipped to it.",
            "Outside the cube", DATA,
        ),
    ] = "kept"  # fmt: skip
    lattice: Annotated[
        int, msgspec.Meta(ge=2, le=65), told("Nodes of that lattice along each axis.", group=DATA)
    ] = 7
    flow: ColorsFlow = ColorsFlow()
