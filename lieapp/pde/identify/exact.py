"""A measured number as an exact one: only within its spread, and only where chance wouldn't find one so short."""

from __future__ import annotations

import math
from collections.abc import Iterator

import sympy as sp

from lieapp.compare.closed_form.numbers import simplest

MARGIN = 5.0
"""Bits by which a number must be shorter to write than the measured one is accurate."""

WITHIN = 3.0
"""Spreads within which a number counts as the same."""

ROUNDING = 1e-10
"""Relative error that a measured number has at least: integrals are no better."""

FACTORS: tuple[tuple[sp.Expr, float], ...] = (
    (sp.S.One, 0.0), (sp.pi, 3.0), (1 / sp.pi, 3.0), (sp.sqrt(2), 4.0), (sp.pi**2, 4.0), (sp.sqrt(3), 5.0),
)  # fmt: skip
"""With the bits that writing them takes."""

LARGEST = 64
"""Of numerators and denominators."""


def exact(value: float, spread: float) -> sp.Expr | None:
    """The shortest number within the spread; None unless it is much shorter than the value is accurate."""
    if value == 0 or not math.isfinite(value):
        return None
    near = max(WITHIN * spread, ROUNDING * abs(value))
    bits = math.log2(abs(value) / near) if near < abs(value) else 0.0
    fitting = [(cost, n) for cost, n in _numbers(abs(value), near) if abs(float(n) - abs(value)) <= near]
    if not fitting:
        return None
    cost, best = min(fitting, key=lambda pair: pair[0])
    return best * (1 if value > 0 else -1) if cost + MARGIN <= bits else None


def _numbers(value: float, near: float) -> Iterator[tuple[float, sp.Expr]]:
    """Numbers near a positive value with the bits that they take."""
    for factor, cost in FACTORS:
        rest, margin = value / float(factor), near / float(factor)
        found = simplest(rest - margin, rest + margin)
        if found and max(found.numerator, found.denominator) <= LARGEST:
            p, q = found.numerator, found.denominator
            yield cost + math.log2(p * q), sp.Rational(p, q) * factor
        for base in (2, 10):
            power = round(math.log(rest, base))
            yield cost + 2 + math.log2(abs(power) + 1), sp.Integer(base) ** power * factor
        for digits in (1, 2):
            power = math.floor(math.log10(rest)) - digits + 1
            p = round(rest / 10.0**power)
            yield cost + math.log2(p) + 2 + math.log2(abs(power) + 1), p * sp.Integer(10) ** power * factor


def rounded(value: float, spread: float) -> str:
    """The value with the digits that its spread leaves, two of which are uncertain."""
    if not spread or not math.isfinite(spread):
        return f"{value:.12g}"
    digits = math.floor(math.log10(abs(value))) - math.floor(math.log10(spread)) + 2
    return f"{value:.{min(max(digits, 2), 12)}g}"
