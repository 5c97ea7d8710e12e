"""Whether the coefficients of an equation are finite and real on a box, and periodic where it is.

Zeros of what stands below a line are found exactly for polynomials in one variable, else on a dense sample.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import mpmath
import sympy as sp

from lieapp.equations.jets import JetSpace
from lieapp.errors import EquationError

Box = Mapping[sp.Symbol, tuple[float, float]]

SAMPLES = (1025, 33, 13)
"""Points along each axis at which coefficients of one, two, three variables are looked at."""

ZERO = 1e-10
"""Share of the largest value below which the smallest one counts as a zero that only touches."""

JUMP, KINK = 1e-3, 1e-2
"""Differences of a coefficient and of its derivative, relative to their largest values, that break a period."""

POLES: dict[type, Callable[[sp.Expr], sp.Expr]] = {
    sp.tan: sp.cos, sp.sec: sp.cos, sp.cot: sp.sin, sp.csc: sp.sin, sp.coth: sp.sinh, sp.csch: sp.sinh,
    sp.log: lambda z: z,
}  # fmt: skip
"""What vanishes where these functions are infinite."""


def check_regular(expressions: Iterable[sp.Expr], jets: JetSpace, box: Box, name: str) -> None:
    """Raises EquationError for a coefficient that is infinite or not real somewhere in the box, ends included."""
    for coefficient, what in _coefficients(expressions, jets):
        if coefficient.is_polynomial(*coefficient.free_symbols):
            continue
        zeros = _poles(coefficient, box)
        infinite = (place for place, value in _sampled(coefficient, box) if value is None)
        place = next(itertools.chain(zeros, infinite), None)
        if place is None:
            continue
        at = ", ".join(f"{x} = {float(value):.6g}" for x, value in place.items())
        inside = ", ".join(f"{x} in {_interval(box, x)}" for x in place)
        raise EquationError(
            f"{name}: the coefficient {coefficient} of {what} isn't a finite real number at {at}; the region has "
            f"{inside}.",
            hint=f"Give {' or '.join(map(str, place))} an interval in region that leaves this place out.",
        )


def check_periodic(
    expressions: Iterable[sp.Expr], jets: JetSpace, box: Box, periodic: Sequence[sp.Symbol], name: str
) -> None:
    """Raises EquationError for a coefficient that doesn't go on smoothly where a periodic variable comes round."""
    for coefficient, what in _coefficients(expressions, jets):
        for x in periodic:
            ends = _ends(coefficient, x, box)
            if ends is not None:
                raise EquationError(
                    f"{name}: the coefficient {coefficient} of {what} isn't periodic in {x} over "
                    f"{_interval(box, x)}: {ends}.",
                    hint=f"Write it with functions of the period of {x}, such as sin(2*pi*{x}/L); `lieapp truth` "
                    f"derives symmetries with {x} left out of periodic.",
                )


def _coefficients(expressions: Iterable[sp.Expr], jets: JetSpace) -> Iterator[tuple[sp.Expr, sp.Expr]]:
    """Factors that depend on the variables only, each with what it multiplies."""
    for expression in expressions:
        for term in sp.Add.make_args(expression):
            coefficient, what = term.as_independent(*jets.jets(term), as_Add=False)
            if coefficient.free_symbols:
                yield coefficient, what
            # inside of functions of the unknowns too
            for node in sp.preorder_traversal(what):
                if isinstance(node, sp.Pow) and node.free_symbols and not jets.jets(node):
                    yield node, term


def has_pole(expression: sp.Expr, box: Box) -> bool:
    """Whether what stands below a line vanishes somewhere in the box, ends included, in a factor of its variables.

    On a grid that misses the place by rounding, 1/cos x is 1e16 there and not infinite.
    """
    factors = (f for f in sp.Mul.make_args(expression) if f.free_symbols and f.free_symbols <= set(box))
    return any(next(_poles(factor, box), None) is not None for factor in factors)


def _poles(expression: sp.Expr, box: Box) -> Iterator[dict[sp.Symbol, float]]:
    """A place for each part of the expression that is infinite in the box."""
    return (place for critical in _criticals(expression) if (place := _zero(critical, box)) is not None)


def _criticals(expression: sp.Expr) -> Iterator[sp.Expr]:
    """Expressions at whose zeros a coefficient is infinite."""
    for node in sp.preorder_traversal(expression):
        if isinstance(node, sp.Pow) and node.exp.is_negative and node.base.free_symbols:
            yield node.base
        elif type(node) in POLES and node.free_symbols:
            yield POLES[type(node)](node.args[0])


def _zero(expression: sp.Expr, box: Box) -> dict[sp.Symbol, float] | None:
    """A zero in the box."""
    symbols = expression.free_symbols
    if len(symbols) == 1 and expression.is_polynomial(*symbols):
        (x,) = symbols
        left, right = (float(end) for end in box[x])
        slack = 1e-9 * (right - left)
        try:
            roots = sp.Poly(sp.sqf_part(expression), x).nroots()
        except (sp.PolynomialError, mpmath.libmp.NoConvergence):
            roots = []
        real = [float(sp.re(r)) for r in roots if abs(sp.im(r)) < slack]
        return next(({x: r} for r in sorted(real) if left - slack <= r <= right + slack), None)
    samples = [(place, value) for place, value in _sampled(expression, box) if value is not None]
    if not samples:
        return None
    nearest, least = min(samples, key=lambda sample: abs(sample[1]))
    if len(symbols) == 1:
        nearest, least = _refined(expression, box, nearest)
    # continuous, so both signs need a zero between them; what jumps has a pole, which is met by itself
    signs = {value > 0 for _, value in samples}
    small = abs(least) <= ZERO * max(abs(value) for _, value in samples)
    return nearest if small or len(signs) == 2 else None


def _refined(expression: sp.Expr, box: Box, place: dict[sp.Symbol, float]) -> tuple[dict[sp.Symbol, float], Any]:
    """The smallest size of an expression in one variable near a sample, by golden sections."""
    ((x, middle),) = place.items()
    function = sp.lambdify([x], expression, modules="mpmath")
    left, right = (float(end) for end in box[x])
    step, golden = (right - left) / (SAMPLES[0] - 1), (5**0.5 - 1) / 2
    low, high = max(left, middle - step), min(right, middle + step)

    def size(at: float) -> float:
        value = _value(function, [at])
        return float("inf") if value is None else abs(float(value))

    for _ in range(80):
        a, b = high - golden * (high - low), low + golden * (high - low)
        low, high = (low, b) if size(a) < size(b) else (a, high)
    best = min((low, middle, high), key=size)
    return {x: best}, size(best)


def _sampled(expression: sp.Expr, box: Box) -> Iterator[tuple[dict[sp.Symbol, float], Any]]:
    """Places of a dense grid of the box and the values there, None where they aren't finite real numbers."""
    symbols = sorted(expression.free_symbols, key=str)
    count = SAMPLES[min(len(symbols), len(SAMPLES)) - 1]
    function = sp.lambdify(symbols, expression, modules="mpmath")
    lines = []
    for x in symbols:
        left, right = (float(end) for end in box[x])
        lines.append([*(left + (right - left) * k / (count - 1) for k in range(count - 1)), right])
    for place in itertools.product(*lines):
        yield dict(zip(symbols, place, strict=True)), _value(function, place)


def _value(function: Callable[..., Any], place: Sequence[float]) -> Any:
    try:
        value = function(*(mpmath.mpf(p) for p in place))
    except (ArithmeticError, ValueError):
        return None
    if isinstance(value, mpmath.mpc):
        value = value.real if abs(value.imag) <= 1e-12 * abs(value) else mpmath.nan
    return value if mpmath.isfinite(value) else None


def _ends(coefficient: sp.Expr, x: sp.Symbol, box: Box) -> str | None:
    """How the two ends of x differ, in words; None if they don't."""
    if not coefficient.has(x):
        return None
    others = {y: (float(box[y][0]) + 0.37 * float(box[y][1] - box[y][0])) for y in coefficient.free_symbols - {x}}
    along = coefficient.subs(others)
    left, right = ({x: float(end)} for end in box[x])
    for words, tolerance, expression in (
        ("it is", JUMP, along),
        (f"its derivative in {x} is", KINK, sp.diff(along, x)),
    ):
        if expression.has(sp.DiracDelta) or not expression.has(x):
            continue
        values = {place[x]: value for place, value in _sampled(expression, box)}
        first, last = values[left[x]], values[right[x]]
        if first is None or last is None:
            continue
        largest = max(abs(value) for value in values.values() if value is not None)
        if abs(first - last) > tolerance * largest:
            return f"{words} {float(first):.6g} at one end, {float(last):.6g} at the other"
    return None


def _interval(box: Box, x: sp.Symbol) -> str:
    return "({:g}, {:g})".format(*(float(end) for end in box[x]))
