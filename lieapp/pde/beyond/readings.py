"""Exact numbers for the coefficients of a combination, the simplest within their uncertainty first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import sympy as sp

from lieapp.compare.closed_form.numbers import Choices, factors, numbers

SPREADS = 6.0
"""Estimated uncertainties within which a coefficient is read."""

WIDEST = 0.3
"""Largest relative width within which one is."""


@dataclass(frozen=True)
class Combination:
    """Some columns and their coefficients.

    Args:
        columns: their numbers, ascending.
        coefficients: physical, one for each.
        spread: relative uncertainty of each.
        eta: the quotient.
    """

    columns: tuple[int, ...]
    coefficients: tuple[float, ...]
    spread: tuple[float, ...]
    eta: float


def rational_choices(parameters: Iterable[sp.Expr]) -> Choices:
    """Rational factors of rationals: those made of the equation's parameters."""
    return [(factor, cost) for factor, cost in factors(parameters) if factor.is_Rational]


def readings(combination: Combination, choices: Choices) -> Iterator[tuple[sp.Expr, ...]]:
    """Rational coefficients relative to the one that is known best."""
    best = min(range(len(combination.columns)), key=lambda k: combination.spread[k])
    options: list[list[sp.Expr]] = []
    for k, value in enumerate(combination.coefficients):
        spread = min(SPREADS * (combination.spread[k] + combination.spread[best]), WIDEST)
        ratio = value / combination.coefficients[best]
        options.append([sp.S.One] if k == best else numbers(ratio, spread, choices))
    yield from product(*options)


def whole(values: Sequence[sp.Expr]) -> list[sp.Expr]:
    """Rationals times a factor: whole numbers without a common divisor, the first of them positive."""
    below = sp.ilcm(1, *(value.q for value in values))
    found = [value * below for value in values]
    factor = sp.igcd(0, *map(int, found)) * (-1 if found[0] < 0 else 1)
    return [value / factor for value in found]


def rounded(combination: Combination) -> list[sp.Expr]:
    """Measured coefficients relative to the largest, to six digits, the first of them positive."""
    largest = max(combination.coefficients, key=abs)
    sign = 1 if combination.coefficients[0] * largest > 0 else -1
    ratios = [sign * value / largest for value in combination.coefficients]
    return [sp.Integer(round(ratio)) if abs(ratio) == 1 else sp.Float(ratio, 6) for ratio in ratios]
