"""What of a long answer is told: the beginning of lists and texts, and how much is left out."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import TypeVar

import msgspec

MOST = 15_000
"""Characters of a list in a derivation, written as JSON."""
LONGEST = 2_000
"""Characters of one condition that is left unsolved."""

Told = TypeVar("Told", bound=msgspec.Struct)


def beginning(found: Sequence[Told]) -> list[Told]:
    """As many of the first as have at most `MOST` characters together."""
    sizes = accumulate(len(msgspec.json.encode(one)) for one in found)
    return [one for one, size in zip(found, sizes, strict=True) if size <= MOST]


def left_out(what: str, found: Sequence[Told]) -> list[str]:
    """`12 of 117 determining equations are told`, if `beginning` has not all."""
    count = len(beginning(found))
    return [f"{count} of {len(found)} {what} are told: all of them would be too long"] if count < len(found) else []


def shortened(texts: Sequence[str]) -> list[str]:
    """Texts of at most `LONGEST` characters each and `MOST` together, with a word on what is left out."""
    cut = [t if len(t) <= LONGEST else f"{t[:LONGEST]}… ({len(t)} characters)" for t in texts]
    sizes = list(accumulate(map(len, cut)))
    kept = [text for text, size in zip(cut, sizes, strict=True) if size <= MOST]
    return kept if len(kept) == len(cut) else [*kept, f"and {len(cut) - len(kept)} more, which would be too long"]
