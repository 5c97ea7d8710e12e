"""An ODE, or a system of them, of one order less (Olver 1993, ch. 2.5).

The new variable r and unknowns w are invariants of the field, v is a first-order differential invariant. With
y' in terms of (x, y, v, w') every higher derivative follows from D = ∂ₓ + y' ∂_y + r' (v_r ∂_v + …), and the
equation depends on r, v, w and their derivatives in r alone. Its order in v is one less; y comes back by the
first-order equation for y'.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import sympy as sp

from lieapp.equations.equation import System
from lieapp.equations.jets import JetSpace
from lieapp.errors import EquationError
from lieapp.lie.certificate.counting import check_time
from lieapp.lie.reduction.exact import tidy
from lieapp.lie.reduction.integrals import primitive
from lieapp.lie.reduction.invariants import Frame
from lieapp.lie.reduction.orbits import orbits
from lieapp.lie.reduction.target import (
    Reduction,
    Target,
    follows,
    fresh_names,
    names_in_use,
    proportional,
    sections,
)

VARIABLES = ("r", "z", "s", "q", "m")
UNKNOWNS = ("v", "f", "g", "h", "V")


@dataclass(frozen=True)
class Chart:
    """Old coordinates with the first derivatives in new terms.

    Args:
        frame: the adapted coordinates.
        target: the new jets.
        first: y' of each unknown in coordinates and new jets.
        rate: r' likewise.
    """

    frame: Frame
    target: Target
    first: tuple[sp.Expr, ...]
    rate: sp.Expr

    def total(self, expression: sp.Expr) -> sp.Expr:
        """d/dx along solutions."""
        result = sp.diff(expression, self.frame.independent[0])
        for y, slope in zip(self.frame.dependent, self.first, strict=True):
            result += slope * sp.diff(expression, y)
        for s, (a, J) in self.target.jets_in(expression).items():
            result += self.rate * self.target.symbol(a, self.target.jets.raised(J, 0)) * sp.diff(expression, s)
        return sp.expand(result)


def order_reduction(system: System, frame: Frame, taken: Sequence[sp.Expr], deadline: float) -> Reduction:
    """The reduction in adapted coordinates; `taken` are expressions whose symbols' names are in use.

    Raises TooLargeError after the deadline.
    """
    if system.functions:
        return Reduction(reason="ODEs with arbitrary functions aren't reduced")
    chart = _chart(system, frame, taken, deadline)
    if chart is None:
        return Reduction(reason="no first-order differential invariant is found in closed form")
    target, places = chart.target, dict(frame.orbits.invariants)
    residuals = _substituted(system, chart, deadline)
    for section in sections(residuals):
        check_time(deadline)
        target.assumed.clear()
        raw = [_on_section(e, frame, section) for e in residuals]
        if any(e is None for e in raw):
            continue
        try:
            equations = [target.cleaned(e) for e in raw if e is not None]
        except (EquationError, ZeroDivisionError):
            continue
        proper = tuple(dict.fromkeys(e for e in equations if e is not None and e != 0))
        if len(proper) < len(set(equations)) or not proper:
            continue
        others = [*frame.independent, *frame.dependent]
        pairs = zip(residuals, (e.xreplace(places) for e in raw if e is not None), strict=True)
        if all(proportional(old, new, list(target.jets_in(old)), others) for old, new in pairs) or follows(
            residuals, proper, target, places
        ):
            return _result(system, chart, proper)
    return Reduction(reason="the reduced equation isn't found, or the check by substitution doesn't come to 0")


def _chart(system: System, frame: Frame, taken: Sequence[sp.Expr], deadline: float) -> Chart | None:
    moved = [X for X in (*frame.independent, *frame.dependent) if frame.tau != X]
    r, *others = (frame.orbits.constant[X] for X in moved)
    target = _target(system, frame, r, others, taken)
    radius = frame.orbits.invariants[r]
    v = target.symbol(len(others), target.jets.zero)
    if not others:
        first = _by_prolongation(frame, v, deadline)
        if first is not None:
            return Chart(frame, target, (first,), _along(radius, frame, [first]))
    primes = [target.symbol(k, (1,)) for k in range(len(others))]
    slopes = _by_canonical_coordinate(frame, radius, others, primes, v)
    return None if slopes is None else Chart(frame, target, slopes, _along(radius, frame, slopes))


def _target(
    system: System, frame: Frame, r: sp.Symbol, others: Sequence[sp.Symbol], taken: Sequence[sp.Expr]
) -> Target:
    used = names_in_use(system, taken)
    old = frame.positive.leave(frame.orbits.invariants[r])
    variable = old if old in system.jets.coordinates else sp.Symbol(fresh_names(VARIABLES, used, 1)[0], real=True)
    used.add(variable.name)
    names = fresh_names([f"w{k}" for k in range(1, len(others) + 1)] or ["w"], used, len(others))
    jets = JetSpace((variable,), (*names, *fresh_names(UNKNOWNS, used, 1)))
    stand_ins = [*others, sp.Dummy("v", positive=True)]
    stand_in = {variable: r, **dict(zip(jets.unknowns, stand_ins, strict=True))}
    free = set().union(*(e.free_symbols for e in taken)) - set(system.jets.coordinates) - set(system.parameters)
    return Target(jets, stand_in, [*system.parameters, *sorted(free, key=str)], system.nonzero)


def _by_prolongation(frame: Frame, v: sp.Symbol, deadline: float) -> sp.Expr | None:
    """y' = h v + p from the first prolongation φ¹ = Dφ - y' Dξ, where that is linear in y'."""
    (x,), (y,) = frame.independent, frame.dependent
    slope = sp.Dummy("y1", positive=True)
    xi, phi = frame.rates[x], frame.rates[y]
    prolonged = sp.expand(
        sp.diff(phi, x) + slope * sp.diff(phi, y) - slope * (sp.diff(xi, x) + slope * sp.diff(xi, y))
    )
    if not prolonged.is_polynomial(slope) or sp.degree(prolonged, slope) > 1:
        return None
    found = orbits({slope: tidy((prolonged / frame.rate).xreplace(frame.orbits.values))}, frame.tau, deadline)
    if found is None:
        return None
    value = found.values[slope].xreplace({found.constant[slope]: v})
    return tidy(value.xreplace(frame.orbits.invariants))


def _by_canonical_coordinate(
    frame: Frame, radius: sp.Expr, others: Sequence[sp.Symbol], primes: Sequence[sp.Symbol], v: sp.Symbol
) -> tuple[sp.Expr, ...] | None:
    """y' from v = r'/s' with V(s) = 1, or v = s' where r = x, and w' = (D w)/r': linear equations."""
    time = primitive(tidy((1 / frame.rate).xreplace(frame.orbits.values)), frame.tau)
    if time is None:
        return None
    s = tidy(time.xreplace(frame.orbits.invariants))
    slopes = [sp.Dummy(f"y{k}") for k in range(len(frame.dependent))]
    r_rate, s_rate = _along(radius, frame, slopes), _along(s, frame, slopes)
    equations = [s_rate - v if r_rate == 1 else r_rate - v * s_rate]
    for K, prime in zip(others, primes, strict=True):
        equations.append(_along(frame.orbits.invariants[K], frame, slopes) - prime * r_rate)
    matrix = sp.Matrix([[sp.diff(e, d) for d in slopes] for e in equations])
    rest = sp.Matrix([e.xreplace(dict.fromkeys(slopes, sp.S.Zero)) for e in equations])
    if tidy(matrix.det()) == 0:
        return None
    return tuple(tidy(e) for e in -(matrix.adjugate() * rest) / matrix.det())


def _along(expression: sp.Expr, frame: Frame, slopes: Sequence[sp.Expr]) -> sp.Expr:
    """d/dx of a function of the coordinates."""
    result = sp.diff(expression, frame.independent[0])
    for y, slope in zip(frame.dependent, slopes, strict=True):
        result += slope * sp.diff(expression, y)
    return sp.expand(result)


def _substituted(system: System, chart: Chart, deadline: float) -> list[sp.Expr]:
    """The residuals in old coordinates (stand-ins) and new jets."""
    derivatives = [[y, first] for y, first in zip(chart.frame.dependent, chart.first, strict=True)]
    result = []
    for residual in system.residuals:
        values: dict[sp.Symbol, sp.Expr] = {}
        for symbol, (a, (n,)) in system.jets.jets(residual).items():
            while len(derivatives[a]) <= n:
                check_time(deadline)
                derivatives[a].append(chart.total(derivatives[a][-1]))
            values[symbol] = derivatives[a][n]
        result.append(residual.xreplace({**chart.frame.positive.stand_in, **values}))
    return result


def _on_section(residual: sp.Expr, frame: Frame, section: sp.Expr) -> sp.Expr | None:
    """The residual at one value of τ, in the new variables; None where it is singular."""
    try:
        there = {X: value.subs(frame.tau, section) for X, value in frame.orbits.values.items()}
        result = residual.xreplace({**there, frame.tau: section})
    except (ZeroDivisionError, ValueError):
        return None
    return None if result.has(sp.zoo, sp.nan, sp.oo, -sp.oo, sp.I) else result


def _result(system: System, chart: Chart, equations: tuple[sp.Expr, ...]) -> Reduction:
    frame, target = chart.frame, chart.target

    def written(e: sp.Expr) -> sp.Expr:
        return target.leave(frame.positive.leave(e))

    (r,) = target.jets.independent
    invariants: Mapping[sp.Symbol, sp.Expr] = frame.orbits.invariants
    ansatz = {str(system.jets.symbol(a, (1,))): written(e) for a, e in enumerate(chart.first)}
    ansatz |= {str(w): written(invariants[target.stand_in[w]]) for w in target.jets.unknowns[:-1]}
    return Reduction(
        "order",
        target.jets,
        {str(r): written(invariants[target.stand_in[r]])},
        ansatz,
        equations,
        tuple(target.parameters),
        tuple(target.assumed),
    )
