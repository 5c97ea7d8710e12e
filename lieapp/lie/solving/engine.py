"""The order of the small steps, and what is left sorted into constants, families and unsolved parts."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from lieapp.equations.coefficients import FunctionOrderError
from lieapp.lie.deadline import Clock
from lieapp.lie.solving.complete import common_divisor, complete, is_finite
from lieapp.lie.solving.eliminate import decouple, eliminate, separate
from lieapp.lie.solving.guess import count_and_guess, free_constants, guess
from lieapp.lie.solving.integrate import first_integral, integrate, one_term
from lieapp.lie.solving.ode import ordinary
from lieapp.lie.solving.split import split
from lieapp.lie.solving.state import Solution, State, coupled
from lieapp.lie.solving.vanishing import vanishing


def formal(state: State) -> bool:
    """Integrate one equation; integrals that aren't elementary stay as they are, ∫ g(t) dt, ∫ exp(cos(t)) dt.

    Late, since most functions turn out to vanish before they must be integrated, and since two such integrals may
    depend on each other without the coefficient field knowing it.
    """
    state.formal = True
    try:
        return integrate(state) or ordinary(state)
    finally:
        state.formal = False


STEPS = (
    one_term,
    split,
    eliminate,
    integrate,
    partial(split, arbitrary=True),
    common_divisor,
    first_integral,
    partial(eliminate, varying=True),
    count_and_guess,
    ordinary,
    vanishing,
    separate,
    complete,
    decouple,
    free_constants,
    partial(eliminate, sources=True, varying=True),
    partial(one_term, mixed=True),
    formal,
    partial(separate, large=True),
    guess,
)
MAX_STEPS = 1500
"""Far more than any equation of the suites needs; a bound against running in circles."""


def solve(state: State, clock: Clock | None = None) -> Solution:
    """Take steps until none applies, or until the clock leaves its reserve only.

    Without a clock they change the state that is given. With one each works on a copy, so that of a step that is
    interrupted nothing is left: the solution has the state after the last complete one.
    """
    for _ in range(MAX_STEPS):
        if not state.equations:
            return sorted_out(state)
        if clock is None:
            state, taken = _step(state)
        else:
            state, taken = clock.within(clock.reserve, partial(_step, state.copy()), (state, False))
        if not taken:
            return replace(sorted_out(state), exhausted=not (clock and clock.left(clock.reserve) <= 0))
    return replace(sorted_out(state), exhausted=False)


def _step(state: State) -> tuple[State, bool]:
    """Take the first step that applies, and say whether one does.

    One that lacks higher derivatives of an arbitrary function is undone.
    """
    for step in STEPS:
        equations, values, count = state.equations, state.values, len(state.steps)
        try:
            if state.kept(partial(step, state)):
                return state, True
        except FunctionOrderError:
            state.equations, state.values = equations, values
            del state.steps[count:]
            state.lift()
    return state, False


def sorted_out(state: State) -> Solution:
    """Group the functions that are left by the equations that couple them."""
    groups = [functions for functions, _ in coupled(state)]
    used = {f for value in state.values for f, _ in value}
    groups += [[f] for f in used.difference(*groups)]
    constants, families, finite = [], [], []
    for functions in sorted(groups):
        conditions = [e for e in state.equations if min(e)[0] in functions]
        if not conditions and not state.unknowns.arguments[functions[0]]:
            constants.append(functions[0])
        else:
            families.append((functions, conditions))
            finite.append(is_finite(state, functions, conditions))
    return Solution(state, constants, families, finite)
