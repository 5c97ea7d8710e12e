"""What outputs of ordinary differential equations determine: the rank test of observability and identifiability.

For generic parameters and initial states z the Taylor coefficients of the outputs at a time, y⁽ᵏ⁾ for k < dim z,
tell all that the outputs can tell near z: the directions in which they stay the same are those that their Jacobian
∂y⁽ᵏ⁾/∂z sends to 0 (Hermann & Krener 1977, IEEE Trans. Autom. Control 22, 728-740). It is computed exactly at a
random point modulo a prime, from the series of the solution and of its derivative with respect to z (Sedoglavic
2002, J. Symb. Comput. 33, 735-755). Its rank there is no more than the generic one, and less only with negligible
probability.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np
import sympy as sp
from sympy.polys.matrices import DomainMatrix

from lieapp.equations.coefficients import CoefficientField, Element, FunctionOrderError
from lieapp.equations.equation import System
from lieapp.equations.jets import Jet
from lieapp.equations.leading import Leading
from lieapp.equations.residues import BadPointError
from lieapp.lie.certificate.taylor import Point, random_prime

BITS = 31
"""Of the prime: a product of two residues is an int64."""

POINTS = 2
"""Random points, each modulo a prime of its own, that must agree."""

Jets = Any
"""int64 array (order + 1, 1 + z): Taylor coefficients in time of a value and of its derivatives by z, modulo p."""


@dataclass(frozen=True)
class Observed:
    """What is determined near a generic point, by the name of each parameter and initial state, and what isn't.

    `directions` is the number of independent directions in which outputs stay the same.
    """

    determined: dict[str, bool]
    directions: int


def states_of(leading: Leading) -> list[Jet]:
    """The initial values that a solution depends on: derivatives below the leading one of each unknown."""
    return sorted((a, (k,)) for a, (order,) in leading.rules for k in range(order))


def observed(system: System, leading: Leading, parameters: Sequence[sp.Symbol]) -> Observed | None:
    """The rank test at POINTS random points, which must agree.

    None where they don't, where no point is usable, and for arbitrary functions of unknowns.
    """
    if any(arguments != (str(system.jets.independent[0]),) for arguments in system.functions.values()):
        return None
    try:
        first, *others = (_Model(system, leading, parameters, Random(seed)).observed() for seed in range(POINTS))
    except BadPointError:
        return None
    return first if all(other == first for other in others) else None


class _Model:
    """States, parameters and atoms as series in time with rational rates, at a random point."""

    def __init__(self, system: System, leading: Leading, parameters: Sequence[sp.Symbol], random: Random) -> None:
        jets, self.random = system.jets, random
        states = states_of(leading)
        self.z = (*(jets.symbol(*jet) for jet in states), *parameters)
        known = [s for s in system.parameters if s not in parameters]
        self.field = CoefficientField((*jets.independent, *self.z), known)
        follow = [leading.reduce(jets.symbol(a, (k + 1,))) for a, (k,) in states]
        found = self.field.elements([*follow, *(leading.reduce(h) for h in system.outputs)])
        self.outputs = found[len(states) :]
        self.point = Point(self.field, 0, random, prime=random_prime(random, BITS))
        self.p = self.point.p
        self.order = max(len(self.z) - 1, 1)
        self.series = self._expand([self.field.one, *found[: len(states)]])

    def observed(self) -> Observed:
        """What the Jacobian of the outputs' Taylor coefficients determines."""
        values, residues = (_value(h, self.series, self.p) for h in self.outputs), sp.GF(self.p)
        rows = [[residues(int(e)) for e in row[1:]] for value in values for row in value]
        reduced, pivots = DomainMatrix(rows, (len(rows), len(self.z)), residues).rref()
        # a unit vector is in the span of the rows exactly when it is one of the reduced ones
        alone = {row.index(1) for row in reduced.to_list()[: len(pivots)] if sum(map(bool, row)) == 1}
        return Observed({str(s): k in alone for k, s in enumerate(self.z)}, len(self.z) - len(pivots))

    def _expand(self, rates: Sequence[Element]) -> list[Jets]:
        """All generators of the field, order by order: time and states by their rates, atoms by the chain rule."""
        gens, size = self.field.field.gens, len(self.z)
        series = [np.zeros((self.order + 1, size + 1), np.int64) for _ in gens]
        for n, value in enumerate(self.point.values):
            series[n][0, 0] = value
        for k in range(size):
            series[k + 1][0, k + 1] = 1
        moving: dict[int, Element | None] = dict(enumerate(rates))
        for n in range(len(self.field.variables) + len(self.field.constants), len(gens)):
            try:
                slopes = [self.field.diff(gens[n], v) for v in range(size + 1)]
            except FunctionOrderError:
                # the highest derivative of an arbitrary function of time: generic
                moving[n] = None
                continue
            series[n][0, 1:] = [self.point.value(slope) for slope in slopes[1:]]
            moving[n] = sum((s * rate for s, rate in zip(slopes, rates, strict=False)), self.field.zero)
        for m in range(self.order):
            now, inverse = [value[: m + 1] for value in series], pow(m + 1, -1, self.p)
            fresh = {n: None if rate is None else _value(rate, now, self.p)[m] for n, rate in moving.items()}
            for n, row in fresh.items():
                if row is None:
                    series[n][m + 1, 0] = self.random.randrange(self.p)
                else:
                    series[n][m + 1] = row * inverse % self.p
        return series


def _value(element: Element, series: Sequence[Jets], p: int) -> Jets:
    """An element of the field at the series of its generators. Raises BadPointError at a pole."""
    numer = _polynomial(element.numer, series, p)
    return numer if element.denom == 1 else _times(numer, _inverse(_polynomial(element.denom, series, p), p), p)


def _polynomial(polynomial: Any, series: Sequence[Jets], p: int) -> Jets:
    total = np.zeros_like(series[0])
    for monomial, c in polynomial.items():
        term = np.zeros_like(series[0])
        term[0, 0] = int(c) % p
        for n, e in enumerate(monomial):
            for _ in range(e):
                term = _times(term, series[n], p)
        total = (total + term) % p
    return total


def _times(a: Jets, b: Jets, p: int) -> Jets:
    """The product, with the derivatives by its rule."""
    total = np.zeros_like(a)
    for k in range(len(a)):
        total[k:] += a[k, 0] * b[: len(a) - k] % p
        total[k:, 1:] += b[: len(a) - k, :1] * a[k, 1:] % p
    return total % p


def _inverse(a: Jets, p: int) -> Jets:
    """1/a by Newton's iteration, which doubles the number of known coefficients. Raises BadPointError at a pole."""
    if not a[0, 0]:
        raise BadPointError
    found = np.zeros_like(a)
    found[0, 0] = pow(int(a[0, 0]), -1, p)
    # twice more than the coefficients in time take: the derivatives are of first order too
    for _ in range(len(a).bit_length() + 1):
        rest = -_times(a, found, p) % p
        rest[0, 0] = (rest[0, 0] + 2) % p
        found = _times(found, rest, p)
    return found
