"""Sizes of grids that Fourier transforms are fast on; without torch, for what is checked before any work."""

from __future__ import annotations

import math


def fast_size(least: int) -> int:
    """The smallest even 2^a 3^b 5^c that is at least `least`."""
    best = 1 << math.ceil(math.log2(max(least, 2)))
    for five in range(7):
        for three in range(9):
            odd = 5**five * 3**three
            if odd <= best:
                best = min(best, odd * 2 ** max(1, math.ceil(math.log2(max(least / odd, 1)))))
    return best
