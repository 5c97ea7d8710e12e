"""Invariants of a generator: p + q - 1 independent functions I(x, u) with V(I) = 0 (Olver 1993, ch. 2.1).

They are the constants of integration of dX/dτ = V(X)/V(τ) along a coordinate τ that V moves. Those with
formulas in the independent variables alone are the similarity variables of the reduction.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import sympy as sp

from lieapp.equations.jets import JetSpace
from lieapp.errors import EquationError
from lieapp.lie.certificate.counting import TooLargeError, check_time
from lieapp.lie.reduction.exact import Positive, tidy, vanishes
from lieapp.lie.reduction.orbits import Orbits, orbits
from lieapp.lie.vector_field import Field

SECONDS = 20.0
"""Time for one field when no deadline is given."""


@dataclass(frozen=True)
class Frame:
    """Coordinates adapted to a field, in positive stand-ins: a place τ on the orbit, and which orbit it is.

    Args:
        positive: the stand-ins of the coordinates.
        tau: the coordinate along which the orbits are followed.
        orbits: the other coordinates in terms of τ and constants, and the constants in terms of all.
        rates: V(X) of each coordinate.
        independent, dependent: the coordinates, as stand-ins.
    """

    positive: Positive
    tau: sp.Symbol
    orbits: Orbits
    rates: dict[sp.Symbol, sp.Expr]
    independent: tuple[sp.Symbol, ...]
    dependent: tuple[sp.Symbol, ...]

    @property
    def rate(self) -> sp.Expr:
        """V(τ)."""
        return self.rates[self.tau]

    @property
    def similarity(self) -> list[tuple[sp.Symbol, sp.Symbol]]:
        """(coordinate, constant) for each independent variable but τ."""
        return [(x, self.orbits.constant[x]) for x in self.independent if x != self.tau]

    def invariants(self) -> tuple[sp.Expr, ...]:
        """The invariants in the coordinates themselves, similarity variables first."""
        names = [X for X in (*self.independent, *self.dependent) if self.tau != X]
        return tuple(self.positive.leave(self.orbits.invariants[self.orbits.constant[X]]) for X in names)


@dataclass(frozen=True)
class Invariants:
    """Invariants of a generator.

    Args:
        expressions: p + q - 1 functionally independent invariants, similarity variables first; empty if none
            are found.
        similarity: how many of the first ones depend on the independent variables only.
        reason: why there are none.
    """

    expressions: tuple[sp.Expr, ...] = ()
    similarity: int = 0
    reason: str = ""


def invariants(jets: JetSpace, generator: Field, deadline: float | None = None) -> Invariants:
    """The invariants of a field on the space of variables and unknowns, each one put into V(I) = 0.

    Never raises for a field that can't be integrated: `reason` says so.
    """
    deadline = time.perf_counter() + SECONDS if deadline is None else deadline
    if all(value == 0 for value in generator.components.values()):
        return Invariants(reason="the field is zero: everything is invariant")
    try:
        for frame in frames(jets, generator, deadline):
            found = frame.invariants()
            p = [x for x in jets.independent if frame.positive.stand_in[x] != frame.tau]
            plain = [not e.free_symbols & set(jets.unknowns) for e in found[: len(p)]]
            return Invariants(found, sum(plain))
    except TooLargeError:
        return Invariants(reason="the time ran out while its orbits were integrated")
    except (NotImplementedError, sp.PolynomialError, RecursionError):
        return Invariants(reason="SymPy can't simplify what comes out")
    return Invariants(reason="its orbits aren't found in closed form")


def frames(jets: JetSpace, generator: Field, deadline: float) -> Iterator[Frame]:
    """Adapted coordinates along each independent variable that the field moves, else along each unknown.

    Only frames whose invariants pass `are_invariants`. Raises TooLargeError after the deadline.
    """
    positive = Positive(jets.coordinates)
    rates = {
        positive.stand_in[X]: tidy(positive.enter(generator.components.get(str(X), sp.S.Zero)))
        for X in jets.coordinates
    }
    independent = tuple(positive.stand_in[x] for x in jets.independent)
    dependent = tuple(positive.stand_in[u] for u in jets.unknowns)
    for tau in _candidates(rates, independent, dependent):
        check_time(deadline)
        rate = rates[tau]
        found = orbits({X: tidy(f / rate) for X, f in rates.items() if tau != X}, tau, deadline)
        if found is None:
            continue
        expressions = [found.invariants[K] for K in found.constant.values()]
        if are_invariants(expressions, rates):
            yield Frame(positive, tau, found, rates, independent, dependent)


def _candidates(
    rates: dict[sp.Symbol, sp.Expr], independent: Sequence[sp.Symbol], dependent: Sequence[sp.Symbol]
) -> list[sp.Symbol]:
    """Independent variables before unknowns, those that move by themselves before others."""
    moved = [X for X in independent if rates[X] != 0] or [X for X in dependent if rates[X] != 0]
    return sorted(moved, key=lambda X: bool(rates[X].free_symbols & (set(rates) - {X})))


def are_invariants(expressions: Sequence[sp.Expr], rates: dict[sp.Symbol, sp.Expr]) -> bool:
    """Whether V(I) = 0 for each, exactly, and their Jacobian has full rank."""
    for e in expressions:
        if not vanishes(sum((f * sp.diff(e, X) for X, f in rates.items()), sp.S.Zero)):
            return False
    jacobian = sp.Matrix([[sp.diff(e, X) for X in rates] for e in expressions])
    return not expressions or generic_rank(jacobian) == len(expressions)


def generic_rank(matrix: sp.Matrix) -> int:
    """The rank at a point with unrelated coordinates: a lower bound of the rank, equal to it but by accident."""
    symbols = sorted(matrix.free_symbols, key=lambda s: (s.name, str(s.assumptions0)))
    point = {s: sp.Rational(1009 + 211 * k * k, 701 + 97 * k) for k, s in enumerate(symbols)}
    values = matrix.xreplace(point).evalf(40)
    return int(values.rank(iszerofunc=lambda e: abs(e) < 1e-25))


def combined(fields: Sequence[Field], coefficients: Sequence[sp.Expr]) -> Field:
    """c₁ V₁ + c₂ V₂ + …, as d_t + c d_x for travelling waves; coefficients may be symbols.

    Raises EquationError if the numbers of fields and coefficients differ.
    """
    if len(fields) != len(coefficients) or not fields:
        raise EquationError(
            f"{len(coefficients)} coefficients for {len(fields)} fields can't be combined.",
            hint="Give one coefficient for each field, and at least one field.",
        )
    names = list(dict.fromkeys(n for f in fields for n in f.components))
    return Field(
        {
            n: sp.Add(*(c * f.components.get(n, sp.S.Zero) for f, c in zip(fields, coefficients, strict=True)))
            for n in names
        }
    )
