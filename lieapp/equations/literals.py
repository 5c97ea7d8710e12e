"""Numbers of typed equations: read exactly from their digits, and refused where they are too large to be meant."""

from __future__ import annotations

from decimal import Decimal
from typing import NamedTuple

import sympy as sp

MAX_DIGITS = 60
MAX_POWER_OF_TEN = 100
"""Largest power of ten of a number as it is typed, in either direction."""
MAX_GROWTH = 10**4
"""Largest argument of exp, sinh and cosh: their values have four thousand digits there."""
MAX_BITS = 2**13
"""Of the numerator and denominator of a number that comes out, and of the whole part of any other."""
MAX_EXPONENT = 64
"""Largest numeric exponent: powers are expanded, so a larger one only eats memory."""
MAX_DENOMINATOR = 1000
"""Of an exponent: what stands below it is raised to its numerator."""
MAX_RAISED, MAX_FACTORED = 256, 64
"""Bits of a number that is raised to a power; to one that isn't an integer, for which it is factorised."""

GROWING = (sp.exp, sp.sinh, sp.cosh)

PARAMETER = "Put a parameter, such as a, in place of the number."
NONZERO = "Write an equation whose denominators don't vanish identically."
POWER = "Lower the exponent, or put a parameter, such as n, in its place."
REAL = "Look for a division by zero, or a root or logarithm of a negative number."
"""Next steps."""

LARGE = ("this number is too large to be meant", PARAMETER)
LONG = ("this number is too long", PARAMETER)
ZERO = ("division by zero", NONZERO)
UNREAL = ("this is not a finite real expression", REAL)
"""Problems with their next steps."""


class PowerProblem(NamedTuple):
    """Why a power isn't read: which part of it errors point to, the problem and the next step."""

    part: str
    problem: tuple[str, str]


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


def number_problem(value: sp.Expr) -> tuple[str, str] | None:
    """What is wrong with a number: infinite, undefined, complex, or with more digits than anything needs.

    Expressions become so by the numbers in them. None for all else.
    """
    if not value.is_number:
        return None
    if value.is_Rational:
        return LARGE if _bits(value) > MAX_BITS else None
    if value.has(sp.zoo, sp.oo, -sp.oo, sp.nan, sp.I) or value.is_extended_real is False:
        return UNREAL
    size = abs(sp.N(value, 2))
    return LARGE if size.is_finite and not bool(size <= sp.Integer(2) ** MAX_BITS) else None


def power_problem(base: sp.Expr, exponent: sp.Expr) -> PowerProblem | None:
    """What is wrong with a power before it is made; None if nothing is."""
    # a constant part of an exponent becomes a factor, and nested powers multiply their exponents
    constant = exponent if exponent.is_number else exponent.as_coeff_Add()[0] if base.is_number else sp.S.Zero
    inner = base.exp if base.is_Pow and base.exp.is_number else 1
    if base.is_number and base.is_negative and exponent.is_number and not exponent.is_integer:
        return PowerProblem("power", UNREAL)
    # a comparison that can't be decided stays a relation
    if (abs(inner * constant) <= MAX_EXPONENT) != True:  # noqa: E712
        return PowerProblem("exponent", (f"exponents above {MAX_EXPONENT} are not supported", POWER))
    if constant.is_Rational and constant.q > MAX_DENOMINATOR:
        return PowerProblem(
            "exponent", (f"exponents with denominators above {MAX_DENOMINATOR} are not supported", POWER)
        )
    below = base.atoms(sp.Rational) if constant.is_number and not constant.is_integer else {base}
    most = MAX_RAISED if constant.is_integer else MAX_FACTORED
    if any(number.is_Rational and _bits(number) > most for number in below):
        return PowerProblem("base", LONG)
    if base == 0 and not exponent.is_positive:
        return PowerProblem("exponent", ZERO)
    return None


def _bits(number: sp.Rational) -> int:
    return int(max(abs(number.p), number.q).bit_length())
