"""What reports on pictures call things, by what is moved."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Shown:
    """A figure: `key` names its file in figures/, `note` says what its reader should know."""

    key: str
    title: str
    note: str


@dataclass(frozen=True)
class Words:
    """Of one domain.

    Args:
        share: the key of summary.json that says how much of a slot lies in the span of the named fields.
        are: what a slot is that lies there nearly all: "3 of 6 slots are …".
        named: heading of the named fields.
        share_note, named_note: below the tables of learned and of named fields.
        figures: those before the strips.
    """

    share: str
    are: str
    named: str
    share_note: str
    named_note: str
    figures: tuple[Shown, ...]


ANGLE = "Angle: between the features of held-out pictures before and after, mean over flow parameters."

PARTS = (
    "Components: coefficients of named fields of norm 1; these aren't orthogonal to each other, so that one may be "
    "above 1."
)

IMAGES = Words(
    share="affine",
    are="affine",
    named="Affine fields",
    share_note=f"{ANGLE} Affine: length of the projection of the field, of norm 1, on the span of the affine ones. "
    f"{PARTS} Nothing is proved of pictures.",
    named_note="Angles of affine fields of norm 1: how well the network bears each, beside what was learned.",
    figures=(
        Shown(
            "fields", "Fields in the plane",
            "Arrows of one panel share a scale; behind them the weight of pixels. The shorter side of a picture "
            "reaches from −1 to 1.",
        ),
        Shown(
            "weight", "Weight of pixels",
            "How much the features depend on where a pixel's content stands: inner products count pixels by it.",
        ),
    ),
)  # fmt: skip

COLORS = Words(
    share="named",
    are="nearly sums of named fields",
    named="Named fields",
    share_note=f"{ANGLE} Named: length of the projection of the field, of norm 1, on the span of the named ones. "
    f"{PARTS} Clipped: share of pixels that leave the cube at the largest flow parameters. Nothing is proved of "
    "pictures.",
    named_note="Angles of named fields of norm 1: how well the network bears each, beside what was learned.",
    figures=(
        Shown(
            "fields", "Fields in the cube of colours",
            "Arrows start at sampled colours and share a scale in each slot; the dotted line is the grey axis.",
        ),
        Shown("palette", "Moved palettes", "Sampled colours, from dark to light, moved along each slot."),
        Shown(
            "weight", "Weight of colours",
            "How much the features depend on pixels of a colour: inner products count colours by it.",
        ),
    ),
)  # fmt: skip

WORDS = {"images": IMAGES, "colors": COLORS}
"""By `domain` of summary.json."""
