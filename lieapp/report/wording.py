"""Numbers and cosines in words: the same for the terminal, the page and the report."""

from __future__ import annotations

import math
from decimal import ROUND_DOWN, Decimal


def number(value: float | None) -> str:
    """Two digits, `3e-6` and `290` rather than `3e-06` and `2.9e+02`; a dash for what isn't there or no number."""
    if value is None or not math.isfinite(value):
        return "–"
    if 10 <= abs(value) < 1e5:
        return f"{value:.0f}".replace("-", "−")
    mantissa, _, exponent = f"{value:.2g}".partition("e")
    # the true minus sign in front, as wide as a digit; the exponent stays copyable
    return mantissa.replace("-", "−") + (f"e{int(exponent)}" if exponent else "")


MOST_DECIMALS = 10
"""Of a cosine."""


def cosine(value: float | None, decimals: int = 5) -> str:
    """Cut rather than rounded, with as many decimals as it takes to tell what is missing to 1: 0.9999999976.

    An angle of 7e-5 then stands beside the cosine that it has. Ten decimals are the most: beyond them is round-off.
    """
    if value is None or not math.isfinite(value):
        return "–"
    # the shortest decimal number that is this float: exactly, .99998 is a little less
    exact = min(Decimal(repr(float(value))), Decimal(1))
    missing = 1 - exact
    shown = min(max(decimals, 1 - missing.adjusted()), MOST_DECIMALS) if 0 < missing < 1 else decimals
    whole, _, digits = f"{exact.quantize(Decimal(1).scaleb(-shown), ROUND_DOWN):f}".partition(".")
    return f"{whole}.{digits[:decimals]}{digits[decimals:].rstrip('0')}".replace("-", "−")
