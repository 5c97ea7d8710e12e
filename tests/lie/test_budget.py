"""A budget ends exact work anywhere, undoes the step that was interrupted, and keeps what was proved."""

import signal
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import pytest

from lieapp.equations.parsing import parse_system
from lieapp.errors import BudgetError
from lieapp.lie import stages as truth
from lieapp.lie.deadline import Clock, OutOfTimeError
from lieapp.lie.determining import determining_equations
from lieapp.lie.invariance import is_symmetry
from lieapp.lie.solving import State, engine, solve

KDV = parse_system(["u_t + u*u_x + u_xxx"], ["t", "x"], ["u"])
HEAT = parse_system(["u_t - u_xx"], ["t", "x"], ["u"])


def state_of(system):
    found = determining_equations(system)
    values = [found.unknowns.form(found.field, f) for f in found.components]
    return State(found.field, found.unknowns, list(found.equations), values)


def sleep(*_):
    time.sleep(30)
    return True


def test_an_interrupted_step_is_undone(monkeypatch):
    def spoil_and_sleep(state):
        state.field.element(state.field.variables[0] ** 0)
        state.field.table.atoms.append("broken")
        state.unknowns.new(())
        state.equations.clear()
        return sleep()

    state = state_of(KDV)
    equations, atoms, functions = (
        list(state.equations),
        list(state.field.table.atoms),
        dict(state.unknowns.arguments),
    )
    monkeypatch.setattr(engine, "STEPS", (spoil_and_sleep,))
    solution = solve(state, Clock(0.5))
    assert not solution.exhausted
    assert state.equations == equations
    assert state.field.table.atoms == atoms and state.unknowns.arguments == functions


def test_time_that_suffices_changes_nothing():
    assert solve(state_of(KDV), Clock(60)).exhausted
    assert len(solve(state_of(KDV), Clock(60)).constants) == 4


@pytest.mark.parametrize("number", [1, 4, 9])
def test_a_partial_result_has_proved_generators_and_says_what_is_unsolved(monkeypatch, number):
    steps, taken = engine.STEPS, []

    def slow(state):
        if all(not state.arguments(e) for e in state.equations):
            return False
        taken.append(1)
        return len(taken) > number and sleep()

    monkeypatch.setattr(engine, "STEPS", (slow, *steps))
    started = time.perf_counter()
    found = truth.derive(HEAT, [HEAT.jets.independent[1]], budget=4.0)
    assert time.perf_counter() - started < 8
    assert found.unsolved[0] == "the budget of 4 s ran out" and len(found.unsolved) > 1
    assert not found.certified and not found.infinite
    texts = {frozenset((c, e) for c, e in f.as_json().items() if e != "0") for f in found.generators}
    affine = [{"t": "1"}, {"x": "1"}, {"u": "1"}, {"u": "u"}, {"u": "x"}, {"t": "2*t", "x": "x"}]
    assert texts >= {frozenset(f.items()) for f in affine}
    assert all(is_symmetry(HEAT, f.components) for f in found.generators)
    assert found.as_json()["certified"] is False


def test_no_time_for_the_determining_equations():
    with pytest.raises(BudgetError, match="before the determining equations were ready") as caught:
        truth.derive(KDV, budget=1e-4)
    assert caught.value.hint == "Raise the budget."


@pytest.mark.parametrize(
    ("equation", "parameters", "words", "other"),
    [
        ("u_t - u_" + 14 * "x", (), "fewer derivatives than 14", "parameters"),
        ("u_t - (u + nu)*(u + 1)*u_xx", ("nu",), "numbers in place of parameters, or expand", "derivatives"),
    ],
)
def test_the_hint_is_apt(equation, parameters, words, other):
    with pytest.raises(BudgetError) as caught:
        truth.derive(parse_system([equation], ["t", "x"], ["u"], parameters), budget=1e-4)
    assert words in caught.value.hint and other not in caught.value.hint


def test_no_time_for_the_certificate(monkeypatch):
    monkeypatch.setattr(truth, "certificate_seconds", lambda clock: 0.0)
    found = truth.derive(KDV, budget=60)
    assert found.dimension == 4 and not found.unsolved and not found.certified
    assert "too slow" in found.certificate.reason


def test_a_safeguard_that_does_not_end_is_given_up(monkeypatch):
    monkeypatch.setattr(truth, "disagreement", sleep)
    started = time.perf_counter()
    found = truth.derive(KDV, budget=6)
    assert time.perf_counter() - started < 9
    assert found.dimension == 4 and found.certified and not found.unsolved


def test_generators_that_were_not_proved_in_time_are_left_out(monkeypatch):
    proof, calls = truth.defect, []

    def slow(*arguments):
        calls.append(1)
        return sleep() if len(calls) == 3 else proof(*arguments)

    monkeypatch.setattr(truth, "defect", slow)
    found = truth.derive(KDV, budget=3)
    assert found.dimension == len(found.generators) == 2
    assert found.unsolved == ("the budget of 3 s ran out: 2 generators weren't proved",)
    assert found.certificate.reason == "the budget of 3 s ran out" and not found.certified


def test_an_alarm_ends_with_its_block_and_other_alarms_go_on():
    rung = []
    before = signal.signal(signal.SIGALRM, lambda *_: rung.append(1))
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        with pytest.raises(OutOfTimeError), Clock(0.05).limit():
            time.sleep(5)
        time.sleep(0.4)
        assert rung == [1]
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_an_alarm_that_rings_at_once_leaves_nothing_behind():
    before = signal.getsignal(signal.SIGALRM)
    for k in range(900):
        with suppress(OutOfTimeError), Clock(k % 300 * 1e-6).limit():
            sum(range(50))
        assert signal.getsignal(signal.SIGALRM) is before and signal.getitimer(signal.ITIMER_REAL) == (0, 0)


def test_without_alarms_the_solver_ends_between_two_steps(monkeypatch):
    """In a thread, as a notebook's or an app's, no alarm can be set."""
    monkeypatch.setattr(engine, "STEPS", (lambda state: time.sleep(0.05) is None,))
    with ThreadPoolExecutor(1) as pool:
        started = time.perf_counter()
        solution = pool.submit(solve, state_of(KDV), Clock(0.4)).result()
    assert not solution.exhausted and time.perf_counter() - started < 5
