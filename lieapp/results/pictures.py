"""What a discovery on pictures found: learned fields held against named ones, and how far they turn features."""

from __future__ import annotations

from typing import Literal

import msgspec

from lieapp.document import Caption, Formula
from lieapp.results.base import Compared, Nearest, Result
from lieapp.results.discovery import Subspace
from lieapp.results.training import Network

INSIDE = 0.9
"""Share from which on a slot counts as one of the named span; the paper's ten have .98 or more, or .12 or less."""


class Part(msgspec.Struct):
    """A named field of norm 1 with its coefficient."""

    name: str
    value: float | None


class Slot(msgspec.Struct, kw_only=True, omit_defaults=True):
    """A learned field: its angle between features before and after in radians, mean and at each flow parameter, its
    largest components, and the length of its projection on the span of the affine or of the named fields."""

    slot: int
    angle: float | None
    angles: list[float | None]
    nearest: Nearest
    components: list[Part]
    affine: float | None = None
    named: float | None = None

    @property
    def share(self) -> float | None:
        """How much of it lies in the span of the fields that it is compared with."""
        return self.named if self.affine is None else self.affine


class NamedField(msgspec.Struct):
    """A field that slots are compared with. It is `basic` where it is independent of those before it; the cosine is
    the length of its projection on the span of all slots."""

    name: str
    field: dict[str, str]
    shown: Formula
    basic: bool
    angle: float | None
    angles: list[float | None]
    cosine: float | None


class Basis(msgspec.Struct):
    """Products of each slot with the basic fields, orthonormalised in their order."""

    names: list[str]
    inner: list[list[float | None]]


class Gap(msgspec.Struct):
    """How many slots lie in the span of the named fields: `slots` of them have a share of `above` at least in it,
    the others of `below` at most, and no other number parts them further."""

    slots: int
    above: float
    below: float


class SmallFlow(msgspec.Struct, kw_only=True):
    """The fields that features bear best for s -> 0, by an eigenproblem: angle/|s| of each, of as many as there are
    slots the components, cosines of the slots with the span of those, and the largest principal angle."""

    method: str = "spectrum"
    degree: int
    slopes: list[float | None]
    components: list[list[Part]]
    cosines: list[float | None]
    angle: float | None


class PictureDiscovery(Result, tag_field="result", tag="pictures", kw_only=True):
    """A discovery on pictures, whatever of them is moved; nothing is counted, derived or proved of pictures.

    Args:
        domain: what is moved, images or colors.
        span: what the named fields are called: the key of each slot's share in their span.
        s: the flow parameters at which angles were measured.
        inner: products of fields of norm 1, slot x named field.
        subspace: the angle between slots and named fields; None with fewer slots than dimensions.
        gap: between slots in the span and the others; None of one slot, or of equal ones.
        network: the one that judges; None where a plugin brings its own features.
        figures: in figures/, of the run's arrays.
        clipped: of colours the share of pixels that each slot takes out of the cube at the largest s.
        cross_check: of colours; None too where features have no forward derivative.
    """

    domain: str
    span: str
    method: str = "flow"
    coordinates: list[str]
    seconds: dict[str, float] = msgspec.field(default_factory=dict)
    count: None = None
    more: None = None
    s: list[float]
    generators: list[Slot]
    reference: list[NamedField]
    inner: list[list[float | None]]
    basis: Basis
    subspace: Subspace
    gap: Gap | None = None
    formulas: tuple[()] = ()
    truth: tuple[()] = ()
    network: Network | None = None
    figures: list[Caption] = msgspec.field(default_factory=list)
    clipped: list[float | None] | None = None
    cross_check: SmallFlow | None = None

    def __post_init__(self) -> None:
        """Raises ValueError for lists that don't fit each other."""
        if not self.s or (self.clipped is not None and len(self.clipped) != len(self.generators)):
            raise ValueError("s has an entry or more, and clipped one for each of the generators")

    @property
    def level(self) -> Literal["success", "info"]:
        """A success if every slot lies in the span of the named fields."""
        return "success" if all((slot.share or 0.0) >= INSIDE for slot in self.generators) else "info"

    def compared(self) -> Compared:
        return Compared(
            method=self.method,
            cosines=[],
            turns=[slot.angle for slot in self.generators],
            nearest=[slot.nearest for slot in self.generators],
            accuracy=self.network.accuracy if self.network else None,
            seconds=self.seconds,
        )
