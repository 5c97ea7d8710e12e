"""Numbers of typed equations: read exactly from their digits, and refused where they are too large to be meant."""

from __future__ import annotations

from decimal import Decimal

import sympy as sp

MAX_DIGITS = 60
MAX_POWER_OF_TEN = 100
"""Largest power of ten of a number as it is typed, in either direction."""
MAX_GROWTH = 10**6
"""Largest argument of exp, sinh and cosh: their values have half a million digits there."""

GROWING = (sp.exp, sp.sinh, sp.cosh)


def exact_number(text: str) -> sp.Rational | None:
    """The number that the digits of `12`, `0.1` or `1.5e-3` say; None if they or the exponent are too long."""
    digits = text.replace("_", "").lower()
    if digits.startswith(("0x", "0o", "0b")):
        value = Decimal(int(digits, 0))
    else:
        mantissa, _, power = digits.partition("e")
        if len(mantissa) > MAX_DIGITS or len(power) > len(str(MAX_POWER_OF_TEN)) + 1:
            return None
        value = Decimal(digits)
    if len(value.as_tuple().digits) > MAX_DIGITS or (value and abs(value.adjusted()) > MAX_POWER_OF_TEN):
        return None
    return sp.Rational(*value.as_integer_ratio())


def too_large(function: object, argument: sp.Expr) -> bool:
    """Whether exp or its like would make a number beyond all that is measured, or counted, anywhere.

    Asked from the innermost function outwards, so that the argument itself can be evaluated.
    """
    if function not in GROWING or not argument.is_number:
        return False
    size = abs(sp.N(argument))
    return bool(size.is_finite) and not bool(size <= MAX_GROWTH)


def is_impossible(value: sp.Expr) -> bool:
    """Whether a number is infinite, undefined or complex; expressions become so by the numbers in them."""
    if not value.is_number:
        return False
    return value.has(sp.zoo, sp.oo, -sp.oo, sp.nan, sp.I) or value.is_extended_real is False
