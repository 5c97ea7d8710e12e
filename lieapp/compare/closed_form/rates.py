"""Functions of one coordinate that a learned span itself brings: exponentials and waves, at rates read off it.

With a translation ∂z in the span, dV/dz = A V with a constant matrix A. So every field is a sum of exponentials of
z whose rates are eigenvalues of A, times polynomials. A rate is read as the simplest number within its spread, or
as a root of z² - s z + p with such numbers s and p.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

import numpy as np
import sympy as sp
from numpy.typing import NDArray

from lieapp.compare.closed_form.numbers import Choices, numbers

NEAR = 0.05
"""Eigenvalues nearer than this, for an interval of length 1, are one: a multiple eigenvalue splits by roots of the
error; and exponentials slower than this are polynomials, as far as data tell."""

SPREAD = 1e-3
"""Least relative uncertainty of a rate; the proof decides."""


Read: TypeAlias = "partial[list[sp.Expr]]"
"""Reads a number, beside a scale."""


@dataclass(frozen=True)
class Part:
    """Fields of one rate.

    Args:
        functions: exp(a z), or exp(a z) cos(b z) and exp(a z) sin(b z); the fields are these times functions of the
            other coordinates.
        weights: the fields as combinations of the learned ones.
    """

    functions: tuple[sp.Expr, ...]
    weights: NDArray[np.float64]


def parts(
    matrix: NDArray[np.float64], length: float, z: sp.Symbol, choices: Choices, spread: float = 0.0
) -> list[Part]:
    """The invariant subspaces of the rates that aren't 0.

    Args:
        matrix: of derivatives in z / length.
        choices: factors that a rational may be multiplied by, with what they cost.
        spread: relative uncertainty of the rates, if it is more than SPREAD.
    """
    read = partial(_read, choices=choices, spread=max(spread, SPREAD))
    found: list[Part] = []
    clusters = [own for own in _clusters(list(np.linalg.eigvals(matrix))) if abs(_mean(own)) > NEAR]
    means = [_mean(own) for own in clusters]
    for own, value in zip(clusters, means, strict=True):
        real = abs(value.imag) <= NEAR
        if real:
            rates = _real(value.real / length, [m.real / length for m in means], read)
            functions = [sp.exp(rate * z) for rate in rates]
        else:
            functions = _waves(value / length, z, read) if value.imag > 0 else []
        if functions:
            size = len(own) * (1 if real else 2)
            found.append(Part(tuple(functions), _invariant(matrix, value, size, real)))
    return found


def _waves(value: complex, z: sp.Symbol, read: Read) -> list[sp.Expr]:
    """exp(a z) cos(b z) and exp(a z) sin(b z) of a rate a + i b, a root of λ² - s λ + p."""
    sums, products = read(2 * value.real, scale=abs(value)), read(abs(value) ** 2)
    if not sums or not products:
        return []
    turn = sp.sqrt(products[0] - sums[0] ** 2 / 4)
    grown = sp.exp(sums[0] * z / 2)
    return [grown * sp.cos(turn * z), grown * sp.sin(turn * z)] if turn.is_positive else []


def _invariant(matrix: NDArray[np.float64], value: complex, size: int, real: bool) -> NDArray[np.float64]:
    """The rows w with w (A - λ)^m = 0, of a pair with its conjugate."""
    one = np.eye(len(matrix))
    factor = matrix - value.real * one
    factor = factor if real else factor @ factor + value.imag**2 * one
    power = np.linalg.matrix_power(factor, size if real else size // 2)
    return np.linalg.svd(power)[0][:, -size:].T


def _clusters(values: Sequence[complex]) -> list[list[complex]]:
    """Eigenvalues that lie together."""
    left, found = sorted(map(complex, values), key=lambda v: (v.real, v.imag)), list[list[complex]]()
    while left:
        found.append([v for v in left if abs(v - left[0]) <= NEAR])
        left = [v for v in left if v not in found[-1]]
    return found


def _mean(values: Sequence[complex]) -> complex:
    return sum(values) / len(values)


def _real(value: float, others: Sequence[float], read: Read) -> list[sp.Expr]:
    """The rate as a number, or with another one as a root of a quadratic: whatever has fewer digits."""
    found = [(_digits(number), number) for number in read(value)[:1]]
    for other in others:
        s, p = read(value + other, scale=abs(value)), read(value * other)
        if other != value and s and p and (square := s[0] ** 2 / 4 - p[0]).is_positive:
            root = sp.sqrt(square) if value > other else -sp.sqrt(square)
            found.append((_digits(s[0]) + _digits(p[0]), s[0] / 2 + root))
    return [min(found, key=lambda pair: pair[0])[1]] if found else []


def _digits(number: sp.Expr) -> int:
    """Of the integers that it is written with."""
    top, down = sp.fraction(number)
    parts = [top] if down == 1 else [top, down]
    return sum(len(str(abs(n))) for part in parts for n in part.atoms(sp.Integer))


def _read(value: float, choices: Choices, spread: float, scale: float = 0.0) -> list[sp.Expr]:
    """Numbers within the spread, the simplest first; 0 for what is small beside `scale`."""
    if abs(value) <= spread * scale:
        return [sp.S.Zero]
    return numbers(value, spread, choices, most=1)
