"""Fixed scalar features: Fourier in periodic arguments x Chebyshev in the others x monomials in the unknowns."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from lieapp.domains.base import Arguments, Points, Scalars


@dataclass(frozen=True)
class Degrees:
    """How far the basis goes.

    Args:
        modes: highest Fourier mode in the periodic arguments, |k| + |l| of several together.
        chebyshev: total degree in the other arguments that are no unknowns.
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
        self.terms: list[tuple[int, ...]] = [()]
        self._steps: list[tuple[list[int], list[int]]] = []
        for size in self._sizes:
            pairs = [(k, n) for k, term in enumerate(self.terms) for n in range(size) if self._allowed((*term, n))]
            self.terms = [(*self.terms[k], n) for k, n in pairs]
            self._steps.append(([k for k, _ in pairs], [n for _, n in pairs]))
        self.count = len(self.terms)

    def _allowed(self, term: tuple[int, ...]) -> bool:
        """Whether modes, degrees in the unknowns and degrees in the rest are low enough, each in total."""
        d = self.degrees
        return (
            self._total(term, "fourier") <= d.modes
            and self._total(term, "unknown") <= d.unknowns
            and self._total(term, "chebyshev") <= d.chebyshev
        )

    def _total(self, term: tuple[int, ...], kind: str) -> int:
        own = [n for n, known in zip(term, self._kinds, strict=False) if known == kind]
        return sum((n + 1) // 2 for n in own) if kind == "fourier" else sum(own)

    def up_to(self, degree: int) -> list[int]:
        """The features whose Chebyshev polynomials have together at most this degree."""
        return [k for k, term in enumerate(self.terms) if self._total(term, "chebyshev") <= degree]

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
            before, own = (torch.tensor(places, device=points.device) for places in self._steps[i])
            value, rate = value[before] * f[own], rate[before] * f[own] + value[before] * df[own]
        return value, rate


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
