"""Transformations that a network may be trained with: their names, and the text that chooses them."""

from __future__ import annotations

import math
from difflib import get_close_matches

PLANE: dict[str, float] = {
    "rotation": math.pi,
    "shear-x": 0.5,
    "shear-y": 0.5,
    "translation-x": 0.3,
    "translation-y": 0.3,
    "scaling": 0.3,
    "scaling-x": 0.3,
    "scaling-y": 0.3,
}
"""Of the plane: largest flow parameter unless given, an angle, a slope, a length (pictures have 2), a logarithm."""

COLORS: dict[str, float] = {"hue": math.pi, "brightness": 0.5, "contrast": 0.5, "saturation": 0.7}
"""Of the colours: an angle about the grey axis, and logarithms of factors."""

KINDS = {**PLANE, **COLORS}


def parse_kinds(text: str) -> dict[str, float]:
    """`rotation, shear-x:0.4` as the largest flow parameter of each kind; nothing for an empty text.

    Raises ValueError for a kind that isn't known or is named twice, and a range that isn't a positive number.
    """
    found: dict[str, float] = {}
    for item in filter(None, (part.strip() for part in text.split(","))):
        name, sign, size = (part.strip() for part in item.partition(":"))
        if name not in KINDS:
            near = get_close_matches(name, KINDS, n=1)
            meant = f"did you mean {near[0]}?" if near else f"the kinds are {', '.join(KINDS)}"
            raise ValueError(f"augment = {text}: there is no kind {name!r}; {meant}")
        if name in found:
            raise ValueError(f"augment = {text}: {name} is named twice")
        found[name] = _size(size, item) if sign else KINDS[name]
    return found


def _size(text: str, item: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 < value < math.inf:
        raise ValueError(f"augment = {item}: {text!r} isn't a positive number; write it as rotation:0.5")
    return value
