"""Reduction of a system by a generator: fewer variables, or an ODE of lower order (Olver 1993, ch. 2.5 and 3).

Invariant solutions are u = U(x, w(z)). With (z, τ) as new variables the residuals are combinations of reduced
equations with coefficients that may depend on τ (Thm 3.41). An ODE, or a system of them, becomes one of lower
order: the new variable r and unknowns w are invariants of the field, v is a first-order differential invariant.
With y' in terms of (x, y, v, w') every higher derivative follows from D = ∂ₓ + y' ∂_y + r' (v_r ∂_v + …), and the
equation depends on r, v, w and their derivatives in r alone; y comes back by the first-order equation for y'. In
both cases the equations are read off at one value of τ, and then it is checked that the residuals at every τ vanish
with them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence

import sympy as sp

from lieapp.equations.equation import System
from lieapp.equations.jets import Jet, JetSpace
from lieapp.errors import EquationError
from lieapp.lie.certificate.counting import TooLargeError, check_time
from lieapp.lie.invariance import is_symmetry
from lieapp.lie.reduction.exact import tidy
from lieapp.lie.reduction.flows import Frame, frames
from lieapp.lie.reduction.integrals import primitive
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
from lieapp.lie.vector_field import Field

SECONDS = 30.0
"""Time for one reduction when no deadline is given."""

Exprs = Mapping[sp.Symbol, sp.Expr]

VARIABLES, ORDER_VARIABLES = ("z", "r", "s", "q", "m", "n"), ("r", "z", "s", "q", "m")
UNKNOWNS, ORDER_UNKNOWNS = ("w", "f", "g", "h"), ("v", "f", "g", "h", "V")
"""Names of what is new, the first that are free."""


def reduce(system: System, field: Field, deadline: float | None = None) -> Reduction:
    """Reduce a system by a generator of its symmetries.

    With several independent variables: the equations that invariant solutions satisfy, in one variable fewer. With
    one: an equation of one order less in canonical coordinates. Checked by substitution, exactly; `reason`
    says why there is none. The deadline is a value of `time.perf_counter()`.
    """
    deadline = time.perf_counter() + SECONDS if deadline is None else deadline
    components = {str(X): field.components.get(str(X), sp.S.Zero) for X in system.jets.coordinates}
    p = len(system.jets.independent)
    if all(value == 0 for value in components.values()):
        return Reduction(reason="the field is zero")
    if p > 1 and all(components[str(x)] == 0 for x in system.jets.independent):
        return Reduction(
            reason="the field moves no independent variable, so that no solution is invariant but where the field "
            "vanishes; its invariants contain all independent variables"
        )
    if not is_symmetry(system, components):
        return Reduction(reason=f"{field} generates no symmetries of the system")
    result = Reduction(reason="the orbits of the field aren't found in closed form")
    try:
        for frame in frames(system.jets, field, deadline):
            taken = tuple(components.values())
            method = _similarity_reduction if p > 1 else _order_reduction
            result = method(system, frame, taken, deadline)
            if result:
                return result
    except TooLargeError:
        return Reduction(reason="the time ran out")
    except (NotImplementedError, sp.PolynomialError, RecursionError):
        return Reduction(reason="SymPy can't simplify what comes out")
    return result


def _similarity_reduction(system: System, frame: Frame, taken: Sequence[sp.Expr], deadline: float) -> Reduction:
    """The reduction in adapted coordinates; `taken` are expressions whose symbols' names are in use.

    Raises TooLargeError after the deadline.
    """
    places = {K: frame.orbits.invariants[K] for _, K in frame.similarity}
    moving = [e for e in places.values() if e.free_symbols & set(frame.dependent)]
    if moving:
        written = ", ".join(str(frame.positive.leave(e)) for e in moving)
        return Reduction(
            reason=f"the similarity variable {written} depends on the unknowns; invariant solutions are implicit"
        )
    target = _similarity_target(system, frame, places, taken)
    U = {u: tidy(frame.orbits.values[u].xreplace(places)) for u in frame.dependent}
    problem = _functions_moved(system, frame, U)
    if problem:
        return Reduction(reason=problem)
    residuals = _of_ansatz(system, frame, U, places, target, deadline)
    variables = {str(z): frame.positive.leave(places[target.stand_in[z]]) for z in target.jets.independent}
    ansatz = {str(frame.positive.leave(u)): target.leave(frame.positive.leave(e)) for u, e in U.items()}
    for equations in _read_off(residuals, frame, target, [x for x, _ in frame.similarity], places, deadline):
        if None in equations:
            return Reduction(
                reason="the ansatz leaves an equation without the unknowns that isn't satisfied: there are no "
                "invariant solutions"
            )
        distinct = _proper(equations)
        apart = target.decoupled(distinct)
        if apart is not None and follows(residuals, apart, target, places):
            distinct = apart
        return Reduction(
            "similarity", target.jets, variables, ansatz, distinct, tuple(target.parameters), tuple(target.assumed)
        )
    return Reduction(reason="the reduced equation: it isn't found, or the check by substitution doesn't come to 0")


def _similarity_target(system: System, frame: Frame, places: Exprs, taken: Sequence[sp.Expr]) -> Target:
    """New names; a similarity variable that is an old variable keeps its name."""
    used = names_in_use(system, taken)
    fresh = iter(fresh_names(VARIABLES, used, len(places)))
    variables = []
    for K in places:
        old = frame.positive.leave(places[K])
        variables.append(old if old in system.jets.independent else sp.Symbol(next(fresh), real=True))
    q = len(frame.dependent)
    names = fresh_names(UNKNOWNS if q == 1 else [f"w{k}" for k in range(1, q + 1)], used, q)
    jets = JetSpace(tuple(variables), tuple(names))
    stand_in = dict(zip(variables, places, strict=True))
    stand_in |= {w: frame.orbits.constant[u] for w, u in zip(jets.unknowns, frame.dependent, strict=True)}
    return Target.of(system, taken, jets, stand_in)


def _functions_moved(system: System, frame: Frame, U: Exprs) -> str:
    """Why arbitrary functions stand in the way: their arguments must not be moved."""
    for k, arguments in system.functions.items():
        for name in arguments:
            X = next((d for d in (*frame.independent, *frame.dependent) if d.name == name), None)
            if X is None:
                return f"the arbitrary function {k} isn't one of coordinates"
            kept = U[X] == frame.orbits.constant[X] if X in U else frame.orbits.invariants.get(
                frame.orbits.constant.get(X, X)) == X  # fmt: skip
            if not kept:
                return f"the argument {name} of the arbitrary function {k} isn't invariant"
    return ""


def _of_ansatz(
    system: System, frame: Frame, U: Exprs, places: Exprs, target: Target, deadline: float
) -> list[sp.Expr]:
    """The residuals of the ansatz in old variables (stand-ins) and jets of the new unknowns."""
    slopes = [[sp.diff(places[target.stand_in[z]], x) for z in target.jets.independent] for x in frame.independent]
    known: dict[Jet, sp.Expr] = {(a, system.jets.zero): U[u] for a, u in enumerate(frame.dependent)}

    def total(below: sp.Expr, i: int) -> sp.Expr:
        check_time(deadline)
        return sp.expand(sp.diff(below, frame.independent[i]) + _through(below, slopes[i], target))

    return _put_into(system, frame, known, total)


def _put_into(
    system: System, frame: Frame, known: dict[Jet, sp.Expr], total: Callable[[sp.Expr, int], sp.Expr]
) -> list[sp.Expr]:
    """The residuals with derivatives in new coordinates, made from those that are known."""
    result = []
    for residual in system.residuals:
        jets = system.jets.jets(residual)
        values = {s: system.jets.from_below(known, jet, total) for s, jet in jets.items()}
        # the unknowns themselves before the variables: stand-ins don't collide with symbols
        result.append(residual.xreplace({**frame.positive.stand_in, **values}))
    return result


def _read_off(
    residuals: Sequence[sp.Expr],
    frame: Frame,
    target: Target,
    moved: Sequence[sp.Symbol],
    places: Exprs,
    deadline: float,
) -> Iterator[list[sp.Expr | None]]:
    """Equations that the residuals are at one place of the orbits, and with which they vanish at every other."""
    others = [*frame.independent, *frame.dependent]
    for section in sections(residuals):
        check_time(deadline)
        target.assumed.clear()
        try:
            # the residuals at one value of τ, in the new variables; not where it is singular
            there = {X: frame.orbits.values[X].subs(frame.tau, section) for X in moved}
            raw = [e.xreplace({**there, frame.tau: section}) for e in residuals]
            if any(e.has(sp.zoo, sp.nan, sp.oo, -sp.oo, sp.I) for e in raw):
                continue
            equations = [target.cleaned(e) for e in raw]
        except (EquationError, ZeroDivisionError, ValueError):
            continue
        check_time(deadline)
        pairs = zip(residuals, (e.xreplace(dict(places)) for e in raw), strict=True)
        proper = _proper(equations)
        if all(proportional(old, new, list(target.jets_in(old)), others) for old, new in pairs) or (
            None not in equations and proper and follows(residuals, proper, target, places)
        ):
            yield equations


def _proper(equations: Sequence[sp.Expr | None]) -> tuple[sp.Expr, ...]:
    """Different equations that say something."""
    return tuple(dict.fromkeys(e for e in equations if e is not None and e != 0))


def _through(expression: sp.Expr, rates: Sequence[sp.Expr], target: Target) -> sp.Expr:
    """The derivative through the new unknowns, as the new variables change at these rates."""
    result = sp.S.Zero
    for s, (a, J) in target.jets_in(expression).items():
        inner = sp.Add(*(target.symbol(a, target.jets.raised(J, k)) * c for k, c in enumerate(rates) if c != 0))
        result += inner * sp.diff(expression, s)
    return result


def _order_reduction(system: System, frame: Frame, taken: Sequence[sp.Expr], deadline: float) -> Reduction:
    """The same for an ODE or a system of them."""
    if system.functions:
        return Reduction(reason="ODEs with arbitrary functions aren't reduced")
    chart = _chart(system, frame, taken, deadline)
    if chart is None:
        return Reduction(reason="no first-order differential invariant is found in closed form")
    target, first, rate = chart
    places = frame.orbits.invariants
    known: dict[Jet, sp.Expr] = {(a, (0,)): y for a, y in enumerate(frame.dependent)}
    known |= {(a, (1,)): e for a, e in enumerate(first)}

    def total(below: sp.Expr, _: int) -> sp.Expr:
        check_time(deadline)
        return sp.expand(_along(below, frame, first) + _through(below, [rate], target))

    def written(e: sp.Expr) -> sp.Expr:
        return target.leave(frame.positive.leave(e))

    residuals = _put_into(system, frame, known, total)
    for equations in _read_off(residuals, frame, target, list(frame.orbits.values), places, deadline):
        if len(proper := _proper(equations)) == len(set(equations)):
            variables = {str(r): written(places[target.stand_in[r]]) for r in target.jets.independent}
            ansatz = {str(system.jets.symbol(a, (1,))): written(e) for a, e in enumerate(first)}
            ansatz |= {str(w): written(places[target.stand_in[w]]) for w in target.jets.unknowns[:-1]}
            told = tuple(target.parameters), tuple(target.assumed)
            return Reduction("order", target.jets, variables, ansatz, proper, *told)
    return Reduction(reason="the reduced equation isn't found, or the check by substitution doesn't come to 0")


def _chart(
    system: System, frame: Frame, taken: Sequence[sp.Expr], deadline: float
) -> tuple[Target, tuple[sp.Expr, ...], sp.Expr] | None:
    """The new jets, and y' of each unknown and r' in terms of these and of adapted coordinates."""
    moved = [X for X in (*frame.independent, *frame.dependent) if frame.tau != X]
    r, *others = (frame.orbits.constant[X] for X in moved)
    radius, used = frame.orbits.invariants[r], names_in_use(system, taken)
    variable = frame.positive.leave(radius)
    if variable not in system.jets.coordinates:
        variable = sp.Symbol(fresh_names(ORDER_VARIABLES, used, 1)[0], real=True)
    used.add(variable.name)
    names = fresh_names([f"w{k}" for k in range(1, len(others) + 1)] or ["w"], used, len(others))
    jets = JetSpace((variable,), (*names, *fresh_names(ORDER_UNKNOWNS, used, 1)))
    stand_ins = [*others, sp.Dummy("v", positive=True)]
    stand_in = {variable: r, **dict(zip(jets.unknowns, stand_ins, strict=True))}
    target = Target.of(system, taken, jets, stand_in)
    v = target.symbol(len(others), target.jets.zero)
    if not others:
        first = _by_prolongation(frame, v, deadline)
        if first is not None:
            return target, (first,), _along(radius, frame, [first])
    primes = [target.symbol(k, (1,)) for k in range(len(others))]
    slopes = _by_canonical_coordinate(frame, radius, others, primes, v)
    return None if slopes is None else (target, slopes, _along(radius, frame, slopes))


def _by_prolongation(frame: Frame, v: sp.Symbol, deadline: float) -> sp.Expr | None:
    """y' = h v + p from the first prolongation φ¹ = Dφ - y' Dξ, where that is linear in y'."""
    (x,), (y,) = frame.independent, frame.dependent
    slope = sp.Dummy("y1", positive=True)
    xi, phi = frame.rates[x], frame.rates[y]
    prolonged = sp.expand(_along(phi, frame, [slope]) - slope * _along(xi, frame, [slope]))
    if not prolonged.is_polynomial(slope) or sp.degree(prolonged, slope) > 1:
        return None
    rate = (prolonged / frame.rates[frame.tau]).xreplace(frame.orbits.values)
    found = orbits({slope: tidy(rate)}, frame.tau, deadline)
    if found is None:
        return None
    value = found.values[slope].xreplace({found.constant[slope]: v})
    return tidy(value.xreplace(frame.orbits.invariants))


def _by_canonical_coordinate(
    frame: Frame, radius: sp.Expr, others: Sequence[sp.Symbol], primes: Sequence[sp.Symbol], v: sp.Symbol
) -> tuple[sp.Expr, ...] | None:
    """y' from v = r'/s' with V(s) = 1, or v = s' where r = x, and w' = (D w)/r': linear equations."""
    time = primitive(tidy((1 / frame.rates[frame.tau]).xreplace(frame.orbits.values)), frame.tau)
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
