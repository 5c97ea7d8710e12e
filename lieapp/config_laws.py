"""Settings of what `lieapp discover` seeks beside point symmetries: conservation laws, generalised symmetries."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from lieapp.config_types import Count, Positive, Settings, Share, told

Few = Annotated[int, msgspec.Meta(ge=2)]


class Laws(Settings, kw_only=True, frozen=True):
    """Settings of `--laws`: which densities are tried, and on how many times."""

    order: Annotated[
        Count | None,
        told(
            "Highest order of the derivatives in densities. Default: 3, or the highest that the data resolve if "
            "that is lower."
        ),
    ] = None
    weight: Annotated[
        Positive | None,
        told(
            "Highest weight of the densities: each derivative weighs 1, each factor as much as the equation's "
            "terms say (laws-from-data.md). Default: two more than four factors weigh, lowered if that gives "
            "more than 120 densities."
        ),
    ] = None
    times: Annotated[
        Few, told("Times of each trajectory, spread evenly, at which totals are computed on periodic axes.")
    ] = 60


class Generalised(Settings, kw_only=True, frozen=True):
    """Settings of `--fields generalised`: which characteristics are tried."""

    order: Annotated[Positive, told("Highest order of the derivatives in characteristics.")] = 5
    basis: Annotated[
        Literal["monomials", "network"],
        told(
            "What characteristics are sought in: monomials up to a weight, or features of the derivatives that a "
            "network learns; what it finds is then written in monomials up to its degree."
        ),
    ] = "monomials"
    weight: Annotated[
        Positive | None,
        told("Highest weight of their monomials, as for laws. Default: that of the highest derivative."),
    ] = None
    powers: Annotated[Count, told("Highest power of the evolution variable that multiplies a monomial.")] = 1
    network_degree: Annotated[
        Few, told("Network: degree of its features, polynomials in the evolution variable and the derivatives.")
    ] = 3
    network_width: Annotated[Positive, told("Network: units in each layer.")] = 64
    network_features: Annotated[
        Positive, told("Network: features it computes; characteristics are linear in them.")
    ] = 64
    network_steps: Annotated[Positive, told("Network: training steps.")] = 300
    network_batch: Annotated[Positive, told("Network: batch size, in time slices.")] = 12
    network_rate: Annotated[Share, told("Network: highest learning rate.", "Learning rate")] = 0.03
