"""Right sides that keep given symmetries: the invariance condition as linear equations for unknown coefficients.

For u_t = F and V = τ(t) ∂t + ξⁱ ∂i + φᵃ ∂uᵃ the coefficient of ∂/∂uᵃ_t in pr V is, on solutions,
φᵃ_t + φᵃ_u·F - (ξⁱ_t + ξⁱ_u·F) uᵃᵢ - τ' Fᵃ. It has to be pr V(Fᵃ) (Olver 1993, Thm 2.36 and 2.31), in which no
derivative in time occurs as τ depends on t alone. Both sides are linear in F, so in the coefficients of its terms.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import sympy as sp

from lieapp.equations.jets import Jet, JetSpace
from lieapp.errors import UsageError
from lieapp.lie.vector_field import Field

Exact = list[list[sp.Expr]]
"""A coefficient of each candidate, for each unknown."""


@dataclass(frozen=True)
class Tied:
    """Right sides that have to be found together: their coefficients are fixed + Σ z combination.

    Args:
        unknowns: their positions; the entries of `fixed` and of each of the `combinations` are in their order.
    """

    unknowns: tuple[int, ...]
    fixed: Exact
    combinations: list[Exact]

    @cached_property
    def base(self) -> np.ndarray:
        """(unknown, candidate)."""
        return np.array(self.fixed, float)

    @cached_property
    def matrix(self) -> np.ndarray:
        """(unknown, candidate, combination)."""
        shape = (0, *self.base.shape)
        return np.moveaxis(np.array(self.combinations, float).reshape(-1, *shape[1:]), 0, -1)

    def names(self, candidates: Sequence[str]) -> list[str]:
        """The combinations in words: `u**3 + u*v**2` of each unknown, which semicolons separate."""
        return ["; ".join(in_words(row, candidates) for row in rows) for rows in self.combinations]


def in_words(row: Sequence[sp.Expr], candidates: Sequence[str]) -> str:
    """A combination of candidates: `u**3 - 2*u*v**2`."""
    found = ""
    for value, name in zip(row, candidates, strict=True):
        if value != 0:
            sign = "-" if value.could_extract_minus_sign() else "+"
            size = "" if abs(value) == 1 else f"{abs(value)}*"
            found += f" {sign} {size}{name}" if found else f"{sign.strip('+')}{size}{name}"
    return found or "0"


def untied(unknowns: int, candidates: int) -> list[Tied]:
    """Each unknown and each candidate by itself."""
    nothing = [[sp.S.Zero] * candidates]
    single = [[[sp.Integer(int(k == n)) for n in range(candidates)]] for k in range(candidates)]
    return [Tied((a,), nothing, single) for a in range(unknowns)]


def restricted(fields: Sequence[Field], candidates: Sequence[sp.Expr], jets: JetSpace, option: str) -> list[Tied]:
    """The right sides of these candidates that keep the fields, time first among the variables.

    Raises UsageError for a field with τ that depends on more than t, and where no right side keeps the fields;
    `option` is what it calls their place.
    """
    unknowns, count = len(jets.dependent), len(candidates)
    c = [[sp.Dummy(f"c{a}_{k}") for k in range(count)] for a in range(unknowns)]
    rates = [sp.Add(*(x * term for x, term in zip(row, candidates, strict=True))) for row in c]
    unknown = [x for row in c for x in row]
    matrix = sp.zeros(0, len(unknown) + 1)
    for field in fields:
        _check_time(field, jets, option)
        for condition in _conditions(field, rates, jets):
            matrix = matrix.col_join(_rows(condition, unknown))
        solved = _solved(matrix, unknown)
        if solved is None:
            others = " beside the other fields" if len(fields) > 1 else ""
            raise UsageError(
                f"{option} {field.text()}: no equation of these {count} candidates keeps it{others}.",
                hint="Raise --order or --degree, add --explicit or --terms, or leave the field out.",
            )
        matrix = solved
    return _parted(matrix, unknowns, count)


def _check_time(field: Field, jets: JetSpace, option: str) -> None:
    t = jets.independent[0]
    if (more := field.components[str(t)].free_symbols - {t}) != set():
        raise UsageError(
            f"{option} {field.text()}: its ∂{t} depends on {', '.join(sorted(map(str, more)))}.",
            hint=f"Give fields whose ∂{t} depends on {t} alone.",
        )


def _conditions(field: Field, rates: Sequence[sp.Expr], jets: JetSpace) -> list[sp.Expr]:
    """What is 0 for each unknown if u_t = F keeps the field."""
    (t, *space), u = jets.independent, jets.unknowns
    tau, *xi = (field.components[str(x)] for x in jets.independent)
    phi = [field.components[name] for name in jets.dependent]
    moved = _Prolonged(xi, phi, jets)
    found = []
    for a, rate in enumerate(rates):
        slopes = [jets.symbol(a, jets.raised(jets.zero, i)) for i in range(1, len(space) + 1)]
        value = sp.diff(phi[a], t) - sp.diff(tau, t) * rate - tau * sp.diff(rate, t)
        value -= sp.Add(*(sp.diff(x, t) * slope for x, slope in zip(xi, slopes, strict=True)))
        for b, other in enumerate(rates):
            along = sp.Add(*(sp.diff(x, u[b]) * slope for x, slope in zip(xi, slopes, strict=True)))
            value += (sp.diff(phi[a], u[b]) - along) * other
        value -= sp.Add(*(x * sp.diff(rate, z) for x, z in zip(xi, space, strict=True)))
        value -= sp.Add(*(moved.coefficient(jet) * sp.diff(rate, s) for s, jet in jets.jets(rate).items()))
        found.append(sp.expand(value))
    return found


class _Prolonged:
    """φᵃ_J for J in space alone: φᵃ_{J+i} = Dᵢ φᵃ_J - Σ Dᵢξᵏ uᵃ_{J+k} (Olver 1993, eq. 2.44)."""

    def __init__(self, xi: Sequence[sp.Expr], phi: Sequence[sp.Expr], jets: JetSpace) -> None:
        self.xi, self.jets = xi, jets
        self.known: dict[Jet, sp.Expr] = {(a, jets.zero): value for a, value in enumerate(phi)}

    def coefficient(self, jet: Jet) -> sp.Expr:
        """Of ∂/∂uᵃ_J."""
        if jet not in self.known:
            jets, (a, J) = self.jets, jet
            i = max(k for k, n in enumerate(J) if n)
            lower = jets.raised(J, i, -1)
            value = jets.total_derivative(self.coefficient((a, lower)), i)
            for k, x in enumerate(self.xi, start=1):
                value -= jets.total_derivative(x, i) * jets.symbol(a, jets.raised(lower, k))
            self.known[jet] = sp.expand(value)
        return self.known[jet]


def _rows(condition: sp.Expr, unknown: Sequence[sp.Symbol]) -> sp.Matrix:
    """The coefficients of each power of what isn't unknown, the constant part last."""
    numerator = sp.fraction(sp.together(condition))[0]
    if numerator == 0:
        return sp.zeros(0, len(unknown) + 1)
    others = [g for g in sp.Poly(numerator).gens if g not in unknown]
    rows: dict[tuple[int, ...], list[sp.Expr]] = {}
    for powers, value in sp.Poly(numerator, *unknown, *others).terms():
        own, rest = powers[: len(unknown)], powers[len(unknown) :]
        rows.setdefault(rest, [sp.S.Zero] * (len(unknown) + 1))[own.index(1) if 1 in own else -1] += value
    return sp.Matrix(list(rows.values()))


def _solved(matrix: sp.Matrix, unknown: Sequence[sp.Symbol]) -> sp.Matrix | None:
    """The echelon form of equations; None if they have no solution."""
    if not matrix.rows:
        return matrix
    echelon, pivots = sp.polys.matrices.DomainMatrix.from_Matrix(matrix).to_field().rref()
    return None if len(unknown) in pivots else echelon.to_Matrix()[: len(pivots), :]


def _parted(echelon: sp.Matrix, unknowns: int, count: int) -> list[Tied]:
    rows = [list(echelon[n, :]) for n in range(echelon.rows)]
    pivots = [next(k for k, e in enumerate(row) if e != 0) for row in rows]
    fixed = [sp.S.Zero] * (unknowns * count)
    for pivot, row in zip(pivots, rows, strict=True):
        fixed[pivot] = -row[-1]
    combinations = []
    for k in sorted(set(range(unknowns * count)) - set(pivots)):
        values = [sp.Integer(int(n == k)) for n in range(unknowns * count)]
        for pivot, row in zip(pivots, rows, strict=True):
            values[pivot] = -row[k]
        combinations.append(values)

    def among(values: Sequence[sp.Expr], members: Sequence[int]) -> Exact:
        return [list(values[a * count : (a + 1) * count]) for a in members]

    reach = [{n // count for n, value in enumerate(values) if value != 0} for values in combinations]
    return [
        Tied(members, among(fixed, members),
             [among(values, members) for values, own in zip(combinations, reach, strict=True) if own <= {*members}])
        for members in _joined(unknowns, reach)
    ]  # fmt: skip


def _joined(unknowns: int, reach: Sequence[set[int]]) -> list[tuple[int, ...]]:
    """The unknowns in groups, such that no combination reaches out of one."""
    groups = [{a} for a in range(unknowns)]
    for own in reach:
        one = set[int]().union(*(group for group in groups if group & own))
        groups = [*(group for group in groups if not group & own), one]
    return sorted(tuple(sorted(group)) for group in groups)
