"""Exact numbers: the simplest rational, times a root or a parameter, within the spread of what was measured."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import log2
from typing import TypeAlias

import sympy as sp

Choices: TypeAlias = Sequence[tuple[sp.Expr, float]]
"""Factors that a rational may be multiplied by, with what they cost."""

LARGEST = 10**6
"""Largest numerator or denominator that is still recognised."""


def factors(parameters: Iterable[sp.Expr]) -> list[tuple[sp.Expr, float]]:
    """Factors that a rational may be multiplied by, with what they cost: roots, π, powers of the parameters."""
    found: dict[sp.Expr, float] = {sp.S.One: 0.0}
    for value, cost in ((sp.sqrt(2), 3.0), (sp.sqrt(3), 3.0), (sp.pi, 4.0), (1 / sp.pi, 4.0)):
        found.setdefault(value, cost)
    for p in parameters:
        if p.is_positive and p != 1:
            for power, cost in ((1, 1.0), (-1, 1.0), (sp.Rational(1, 2), 2.0), (-sp.Rational(1, 2), 2.0), (2, 2.0)):
                found.setdefault(p**power, cost)
    return list(found.items())


def simplest(low: float, high: float) -> Fraction | None:
    """The rational of smallest denominator in [low, high] (Stern and Brocot); None beyond LARGEST."""
    if low > high:
        low, high = high, low
    if low <= 0 <= high:
        return Fraction(0)
    if high < 0:
        mirrored = simplest(-high, -low)
        return None if mirrored is None else -mirrored
    result = _between(Fraction(low), Fraction(high))
    return result if max(abs(result.numerator), result.denominator) <= LARGEST else None


def _between(low: Fraction, high: Fraction) -> Fraction:
    """The same of positive ends: their continued fractions as long as they agree."""
    whole = low.numerator // low.denominator
    if whole == low or whole + 1 <= high:
        return Fraction(whole if whole == low else whole + 1)
    return whole + 1 / _between(1 / (high - whole), 1 / (low - whole))


def numbers(value: float, spread: float, choices: Choices, most: int = 6) -> list[sp.Expr]:
    """Exact numbers within value (1 ± spread), the simplest first; closer ones may follow that are less simple."""
    ranked: list[tuple[float, str, sp.Expr]] = []
    for factor, cost in choices:
        centre = value / float(factor)
        for rank, share in enumerate((1.0, 0.3, 0.1, 0.01)):
            width = abs(centre) * max(share * spread, 1e-12)
            found = simplest(centre - width, centre + width)
            if found:
                bits = log2(abs(found.numerator)) + log2(found.denominator)
                number = sp.Rational(found.numerator, found.denominator) * factor
                ranked.append((cost + bits + 4 * rank, str(number), number))
    ranked.sort(key=lambda item: item[:2])
    return list(dict.fromkeys(number for _, _, number in ranked))[:most]
