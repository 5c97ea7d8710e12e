"""Fixed scalar features: Fourier in periodic arguments x Chebyshev in the others x monomials in the unknowns."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import torch
from torch import Tensor

from lieapp.domains.base import Arguments, Points, Scalars


@dataclass(frozen=True)
class Degrees:
    """How far the basis goes.

    Args:
        modes: highest Fourier mode in each periodic argument.
        chebyshev: degree in each other argument that is no unknown.
        unknowns: total degree in the unknowns.
    """

    modes: int = 1
    chebyshev: int = 4
    unknowns: int = 1


class TensorBasis:
    """Products of functions of one argument each."""

    def __init__(self, arguments: Arguments, degrees: Degrees) -> None:
        self.arguments, self.degrees = arguments, degrees
        self._kinds = [
            "unknown" if d else "fourier" if p else "chebyshev"
            for p, d in zip(arguments.periodic, arguments.dependent, strict=True)
        ]
        sizes = {
            "unknown": degrees.unknowns + 1,
            "fourier": 2 * degrees.modes + 1,
            "chebyshev": degrees.chebyshev + 1,
        }
        self._sizes = [sizes[kind] for kind in self._kinds]
        self.terms = [
            term
            for term in itertools.product(*(range(n) for n in self._sizes))
            if sum(n for n, kind in zip(term, self._kinds, strict=True) if kind == "unknown") <= degrees.unknowns
        ]
        self.count = len(self.terms)

    def up_to(self, degree: int) -> list[int]:
        """The features whose Chebyshev polynomials have at most this degree."""
        return [
            k
            for k, term in enumerate(self.terms)
            if all(n <= degree or kind != "chebyshev" for n, kind in zip(term, self._kinds, strict=True))
        ]

    def at(self, points: Points) -> Scalars:
        """Values alone."""
        return self.jvp(points, torch.zeros_like(points))[0]

    def jvp(self, points: Points, tangents: Points) -> tuple[Scalars, Scalars]:
        factors = [
            _FACTORS[kind](points[:, i], size)
            for i, (kind, size) in enumerate(zip(self._kinds, self._sizes, strict=True))
        ]
        value, rate = factors[0][0], factors[0][1] * tangents[:, 0]
        for i, (f, df) in enumerate(factors[1:], start=1):
            df = df * tangents[:, i]
            value, rate = (
                (value[:, None] * f[None]).flatten(0, 1),
                (rate[:, None] * f[None] + value[:, None] * df[None]).flatten(0, 1),
            )
        if self.count == value.shape[0]:
            return value, rate
        keep = torch.tensor(
            [sum(n * math.prod(self._sizes[i + 1 :]) for i, n in enumerate(term)) for term in self.terms],
            device=points.device,
        )
        return value[keep], rate[keep]


def _fourier(x: Tensor, size: int) -> tuple[Tensor, Tensor]:
    values, slopes = [torch.ones_like(x)], [torch.zeros_like(x)]
    for k in range(1, size // 2 + 1):
        w = 2 * math.pi * k
        c, s = torch.cos(w * x), torch.sin(w * x)
        values += [c, s]
        slopes += [-w * s, w * c]
    return torch.stack(values), torch.stack(slopes)


def _chebyshev(x: Tensor, size: int) -> tuple[Tensor, Tensor]:
    """T_n(2x - 1) and its derivative by the three-term recurrence."""
    y = 2 * x - 1
    values, slopes = [torch.ones_like(y), y], [torch.zeros_like(y), torch.full_like(y, 2.0)]
    for n in range(2, size):
        values.append(2 * y * values[n - 1] - values[n - 2])
        slopes.append(4 * values[n - 1] + 2 * y * slopes[n - 1] - slopes[n - 2])
    return torch.stack(values[:size]), torch.stack(slopes[:size])


def _monomials(x: Tensor, size: int) -> tuple[Tensor, Tensor]:
    values = torch.stack([x**n for n in range(size)])
    slopes = torch.stack([n * x ** (n - 1) if n else torch.zeros_like(x) for n in range(size)])
    return values, slopes


_FACTORS = {"fourier": _fourier, "chebyshev": _chebyshev, "unknown": _monomials}
