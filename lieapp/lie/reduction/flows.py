"""Invariants and the finite flow exp(sV) of a generator, from its orbits (Olver 1993, ch. 1.3 and 2.1).

The p + q - 1 independent functions I(x, u) with V(I) = 0 are the constants of integration of dX/dτ = V(X)/V(τ)
along a coordinate τ that V moves. Those with formulas in the independent variables alone are the similarity
variables of the reduction. For the flow dX/ds = V(X), X(0) = X triangular fields are integrated coordinate by
coordinate. Where that stops, all others are found along one coordinate first (they are invariants times known
functions of it), which then moves by itself. Everything is checked by substitution.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import sympy as sp
from sympy.core.function import AppliedUndef

from lieapp.equations.jets import JetSpace
from lieapp.errors import EquationError
from lieapp.lie.certificate.counting import TooLargeError, check_time
from lieapp.lie.reduction.exact import Positive, tidy, vanishes, without_moduli
from lieapp.lie.reduction.orbits import Orbits, orbits
from lieapp.lie.vector_field import Field

SECONDS = 20.0
"""Time for one field when no deadline is given."""


@dataclass(frozen=True)
class Frame:
    """Coordinates adapted to a field, in positive stand-ins: a place τ on the orbit, and which orbit it is.

    `orbits` has the other coordinates in terms of τ and constants, and the constants in terms of all; `rates`
    V(X) of each.
    """

    positive: Positive
    tau: sp.Symbol
    orbits: Orbits
    rates: dict[sp.Symbol, sp.Expr]
    independent: tuple[sp.Symbol, ...]
    dependent: tuple[sp.Symbol, ...]

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
    """p + q - 1 functionally independent invariants of a generator, similarity variables first.

    The first `similarity` ones depend on the independent variables only. Empty if none are found; `reason` says
    why.
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
    moved = [X for X in independent if rates[X] != 0] or [X for X in dependent if rates[X] != 0]
    # those that move by themselves before others
    for tau in sorted(moved, key=lambda X: bool(rates[X].free_symbols & (set(rates) - {X}))):
        check_time(deadline)
        rate = rates[tau]
        found = orbits({X: tidy(f / rate) for X, f in rates.items() if tau != X}, tau, deadline)
        if found is None:
            continue
        expressions = [found.invariants[K] for K in found.constant.values()]
        if are_invariants(expressions, rates):
            yield Frame(positive, tau, found, rates, independent, dependent)


def are_invariants(expressions: Sequence[sp.Expr], rates: dict[sp.Symbol, sp.Expr]) -> bool:
    """Whether V(I) = 0 for each, exactly, and their Jacobian has full rank."""
    for e in expressions:
        if not vanishes(sum((f * sp.diff(e, X) for X, f in rates.items()), sp.S.Zero)):
            return False
    if not expressions:
        return True
    jacobian = sp.Matrix([[sp.diff(e, X) for X in rates] for e in expressions])
    # at a point with unrelated coordinates: a lower bound of the rank, equal to it but by accident; functions and
    # integrals that have no value there are given one, as if nothing tied them to the coordinates
    opaque = sorted(jacobian.atoms(sp.Integral, sp.Derivative, AppliedUndef), key=sp.count_ops, reverse=True)
    jacobian = jacobian.subs([(e, sp.Dummy()) for e in opaque])
    symbols = sorted(jacobian.free_symbols, key=lambda s: (s.name, str(s.assumptions0)))
    point = {s: sp.Rational(1009 + 211 * k * k, 701 + 97 * k) for k, s in enumerate(symbols)}
    values = jacobian.xreplace(point).evalf(40)
    return int(values.rank(iszerofunc=lambda e: abs(e) < 1e-25)) == len(expressions)


def combined(fields: Sequence[Field], coefficients: Sequence[sp.Expr]) -> Field:
    """c₁ V₁ + c₂ V₂ + …, as d_t + c d_x for travelling waves; coefficients may be symbols.

    Raises EquationError if the numbers of fields and coefficients differ.
    """
    if len(fields) != len(coefficients) or not fields:
        raise EquationError(
            f"{len(coefficients)} coefficients for {len(fields)} fields can't be combined.",
            hint="Give one coefficient for each field, and at least one field.",
        )
    total: dict[str, list[sp.Expr]] = {}
    for f, c in zip(fields, coefficients, strict=True):
        for name, value in f.components.items():
            total.setdefault(name, []).append(c * value)
    return Field({name: sp.Add(*terms) for name, terms in total.items()})


Values = dict[sp.Symbol, sp.Expr]


def flow(field: Field, parameter: str = "s", deadline: float | None = None) -> dict[str, sp.Expr] | None:
    """Where exp(sV) moves a point: each coordinate's expression in s and the old coordinates.

    None if no closed form is found or a check fails: the differential equation, the value at s = 0, and the
    group law X(s₁; X(s₂; X)) = X(s₁ + s₂; X). Valid near s = 0; see `domain`.
    Raises EquationError if the parameter is a name in use.
    """
    deadline = time.perf_counter() + SECONDS if deadline is None else deadline
    known = {s.name: s for e in field.components.values() for s in e.free_symbols}
    symbols = [known.get(name, sp.Symbol(name, real=True)) for name in field.components]
    if parameter in {*field.components, *known}:
        raise EquationError(
            f"{parameter} is a name in {field}; the flow's parameter needs one of its own.",
            hint="Give another parameter, such as epsilon.",
        )
    s = sp.Symbol(parameter, real=True)
    positive = Positive([s, *symbols])
    rates = {positive.stand_in[X]: positive.enter(field.components[X.name]) for X in symbols}
    try:
        for found in _values(rates, positive.stand_in[s], deadline):
            if is_flow(found, rates, positive.stand_in[s], deadline):
                return {X.name: positive.leave(found[positive.stand_in[X]]) for X in symbols}
    except (TooLargeError, NotImplementedError, sp.PolynomialError, RecursionError):
        return None
    return None


def is_flow(values: Values, rates: Values, s: sp.Symbol, deadline: float) -> bool:
    """Whether values solve dX/ds = rates(X), are the coordinates at s = 0, and form a group; decided exactly."""
    first, second = (sp.Dummy(f"s{k}", positive=True) for k in (1, 2))
    inner = {X: value.xreplace({s: second}) for X, value in values.items()}
    for X, value in values.items():
        check_time(deadline)
        start = value.subs(s, 0)
        if start.has(sp.nan, sp.zoo) or not vanishes(start - X):
            return False
        if not vanishes(sp.diff(value, s) - rates[X].xreplace(values), [s]):
            return False
        check_time(deadline)
        # xreplace at once: the coordinates occur on both sides
        composed = value.xreplace({**inner, s: first})
        if not vanishes(composed - value.xreplace({s: first + second}), [first, second]):
            return False
    return True


def domain(values: dict[str, sp.Expr], parameter: str = "s") -> list[sp.Expr]:
    """What must stay positive for a flow to exist, as `1 - s*t`; empty if it exists for all s.

    Only what can reach zero as s grows counts: exp(s) stands nowhere here.
    """
    s = sp.Symbol(parameter, real=True)
    found: dict[sp.Expr, None] = {}
    for value in values.values():
        for node in sp.preorder_traversal(value):
            base = None
            if node.is_Pow and node.base.has(s) and not (node.exp.is_Integer and node.exp.is_positive):
                base = node.base
            elif isinstance(node, sp.log) and node.args[0].has(s):
                base = node.args[0]
            elif isinstance(node, sp.tan) and node.has(s):
                base = sp.cos(node.args[0])
            if base is not None and not base.is_positive:
                found[sp.together(base)] = None
    factors = [f for e in found for f in sp.Mul.make_args(sp.factor(e)) if f.has(s) and not f.is_positive]
    result: dict[sp.Expr, None] = {}
    for base in (f.as_base_exp()[0] for f in factors):
        # ± it, positive at s = 0 for positive coordinates
        start = base.subs(s, 0)
        positive = {x: sp.Dummy(positive=True) for x in start.free_symbols}
        result[-base if start.xreplace(positive).is_negative else base] = None
    return list(result)


def _values(rates: Values, s: sp.Symbol, deadline: float) -> Iterator[Values]:
    found = orbits(rates, s, deadline, at_zero=True)
    if found is not None:
        back = {K: X for X, K in found.constant.items()}
        yield {X: _near_zero(tidy(value.xreplace(back)), s) for X, value in found.values.items()}
    yield from _along_one(rates, s, deadline)


def _near_zero(expression: sp.Expr, s: sp.Symbol) -> sp.Expr:
    """Signs as they are at s = 0: t/(1 - s t) for -t/(s t - 1), and roots of powers simplified with them."""
    if expression.is_Atom:
        return expression
    e = expression.func(*(_near_zero(a, s) for a in expression.args))
    if isinstance(e, sp.Abs):
        return without_moduli(e, [s])
    if not e.is_Pow:
        return e
    base, exponent = e.as_base_exp()
    if base.is_Pow and not exponent.is_Integer and base.base.subs(s, 0).is_positive:
        return base.base ** (base.exp * exponent)
    if base.is_Add and exponent.is_Integer and exponent.is_negative and base.subs(s, 0).is_negative:
        return (-1) ** exponent * sp.expand(-base) ** exponent
    return e


def _along_one(rates: Values, s: sp.Symbol, deadline: float) -> Iterator[Values]:
    """The others along a coordinate τ, then dτ/ds = V^τ on the orbit of the point, for each τ that moves."""
    for tau, rate in rates.items():
        if rate == 0:
            continue
        check_time(deadline)
        others = orbits({X: tidy(f / rate) for X, f in rates.items() if tau != X}, tau, deadline)
        if others is None:
            continue
        moved = orbits({tau: tidy(rate.xreplace(others.values))}, s, deadline, at_zero=True)
        if moved is None:
            continue
        own = moved.values[tau].xreplace({moved.constant[tau]: tau})
        values = {tau: own} | {X: value.xreplace({tau: own}) for X, value in others.values.items()}
        # the constants are functions of where the point starts
        start = others.invariants
        yield {X: _near_zero(tidy(values[X].xreplace(start)), s) for X in rates}
