"""Invariant solutions u = U(x, w(z)) of a system, and the equations for w with one variable fewer.

With (z, τ) as new variables the residuals are combinations of reduced equations with coefficients that may
depend on τ (Olver 1993, Thm 3.41). These equations are read off at one value of τ, and then it is checked that
the residuals at every τ vanish with them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import sympy as sp

from lieapp.equations.equation import System
from lieapp.equations.jets import JetSpace, MultiIndex
from lieapp.errors import EquationError
from lieapp.lie.certificate.counting import check_time
from lieapp.lie.reduction.exact import tidy
from lieapp.lie.reduction.invariants import Frame
from lieapp.lie.reduction.target import (
    Reduction,
    Target,
    follows,
    fresh_names,
    names_in_use,
    proportional,
    sections,
)

VARIABLES = ("z", "r", "s", "q", "m", "n")
UNKNOWNS = ("w", "f", "g", "h")


def similarity_reduction(system: System, frame: Frame, taken: Sequence[sp.Expr], deadline: float) -> Reduction:
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
    target = _target(system, frame, places, taken)
    U = {u: tidy(frame.orbits.values[u].xreplace(places)) for u in frame.dependent}
    problem = _functions_moved(system, frame, U)
    if problem:
        return Reduction(reason=problem)
    residuals = _substituted(system, frame, U, places, target, deadline)
    variables = {str(z): frame.positive.leave(places[target.stand_in[z]]) for z in target.jets.independent}
    ansatz = {str(frame.positive.leave(u)): target.leave(frame.positive.leave(e)) for u, e in U.items()}
    reason = "it isn't found, or the check by substitution doesn't come to 0"
    for section in sections(residuals):
        check_time(deadline)
        target.assumed.clear()
        raw = [_on_section(e, frame, section) for e in residuals]
        if any(e is None for e in raw):
            continue
        try:
            equations = [target.cleaned(e) for e in raw]
        except (EquationError, ZeroDivisionError):
            continue
        check_time(deadline)
        if not _holds(residuals, raw, equations, frame, target, places):
            continue
        if any(e is None for e in equations):
            return Reduction(
                reason="the ansatz leaves an equation without the unknowns that isn't satisfied: there are no "
                "invariant solutions"
            )
        distinct = tuple(dict.fromkeys(e for e in equations if e is not None and e != 0))
        apart = target.decoupled(distinct)
        if apart is not None and follows(residuals, apart, target, places):
            distinct = apart
        return Reduction(
            "similarity", target.jets, variables, ansatz, distinct, tuple(target.parameters), tuple(target.assumed)
        )
    return Reduction(reason=f"the reduced equation: {reason}")


def _target(system: System, frame: Frame, places: Mapping[sp.Symbol, sp.Expr], taken: Sequence[sp.Expr]) -> Target:
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
    free = set().union(*(e.free_symbols for e in taken)) - set(system.jets.coordinates)
    parameters = [*system.parameters, *sorted(free - set(system.parameters), key=str)]
    return Target(jets, stand_in, parameters, system.nonzero)


def _functions_moved(system: System, frame: Frame, U: Mapping[sp.Symbol, sp.Expr]) -> str:
    """Why arbitrary functions stand in the way: their arguments must not be moved."""
    for k, arguments in system.functions.items():
        for name in arguments:
            X = next(d for d in (*frame.independent, *frame.dependent) if d.name == name)
            kept = U[X] == frame.orbits.constant[X] if X in U else frame.orbits.invariants.get(
                frame.orbits.constant.get(X, X)) == X  # fmt: skip
            if not kept:
                return f"the argument {name} of the arbitrary function {k} isn't invariant"
    return ""


def _substituted(
    system: System,
    frame: Frame,
    U: Mapping[sp.Symbol, sp.Expr],
    places: Mapping[sp.Symbol, sp.Expr],
    target: Target,
    deadline: float,
) -> list[sp.Expr]:
    """The residuals of the ansatz in old variables (stand-ins) and jets of the new unknowns."""
    slopes = [[sp.diff(places[target.stand_in[z]], x) for z in target.jets.independent] for x in frame.independent]
    known: dict[tuple[int, MultiIndex], sp.Expr] = {
        (a, system.jets.zero): U[u] for a, u in enumerate(frame.dependent)
    }

    def of(a: int, J: MultiIndex) -> sp.Expr:
        if (a, J) not in known:
            check_time(deadline)
            i = max(k for k, n in enumerate(J) if n)
            below = of(a, system.jets.raised(J, i, -1))
            known[(a, J)] = _total(below, frame.independent[i], slopes[i], target)
        return known[(a, J)]

    result = []
    for residual in system.residuals:
        values = {s: of(a, J) for s, (a, J) in system.jets.jets(residual).items()}
        # the unknowns themselves before the variables: stand-ins don't collide with symbols
        result.append(residual.xreplace({**frame.positive.stand_in, **values}))
    return result


def _total(expression: sp.Expr, x: sp.Symbol, slopes: Sequence[sp.Expr], target: Target) -> sp.Expr:
    """The derivative in an old variable with the chain rule through w(z)."""
    result = sp.diff(expression, x)
    for s, (a, J) in target.jets_in(expression).items():
        inner = sp.Add(*(target.symbol(a, target.jets.raised(J, k)) * c for k, c in enumerate(slopes) if c != 0))
        result += inner * sp.diff(expression, s)
    return sp.expand(result)


def _on_section(residual: sp.Expr, frame: Frame, section: sp.Expr) -> sp.Expr | None:
    """The residual at one value of τ, in the new variables; None where it is singular."""
    try:
        there = {x: frame.orbits.values[x].subs(frame.tau, section) for x, _ in frame.similarity}
        result = residual.xreplace({**there, frame.tau: section})
    except (ZeroDivisionError, ValueError):
        return None
    return None if result.has(sp.zoo, sp.nan, sp.oo, -sp.oo, sp.I) else result


def _holds(
    residuals: Sequence[sp.Expr],
    raw: Sequence[sp.Expr],
    equations: Sequence[sp.Expr | None],
    frame: Frame,
    target: Target,
    places: Mapping[sp.Symbol, sp.Expr],
) -> bool:
    """Whether the ansatz solves the system wherever w solves the reduced equations."""
    others = list(frame.independent)
    if all(
        proportional(old, new.xreplace(dict(places)), list(target.jets_in(old)), others)
        for old, new in zip(residuals, raw, strict=True)
    ):
        return True
    proper = [e for e in equations if e is not None and e != 0]
    return None not in equations and bool(proper) and follows(residuals, proper, target, places)
