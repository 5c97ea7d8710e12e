"""The small steps of the solver on single equations with known solutions."""

import pytest
import sympy as sp

from lieapp.equations.coefficients import CoefficientField
from lieapp.lie.linear import Unknowns
from lieapp.lie.solving import State, solve
from lieapp.lie.solving.antiderivative import antiderivative
from lieapp.lie.solving.ode import fundamental_system

t, x = sp.symbols("t x", real=True)
a = sp.Symbol("a", real=True)
y = sp.Function("y")(t)


def empty():
    return State(CoefficientField((t, x), (a,)), Unknowns(2), [], [])


def state_of(*equations, functions=((0, 1),)):
    """Equations as maps from (number of the function, multi-index) to a coefficient."""
    field, unknowns = CoefficientField((t, x), (a,)), Unknowns(2)
    ids = [unknowns.new(arguments) for arguments in functions]
    forms = [{(ids[f], K): field.element(c) for (f, K), c in e.items()} for e in equations]
    forms = [{key: field.lift(c) for key, c in form.items()} for form in forms]
    return State(field, unknowns, forms, [unknowns.form(field, f) for f in ids])


ODES = {
    "first order": [1 / (2 * (t + 1)), 1],
    "decay": [a, 1],
    "growing rate": [2 * t, 1],
    "oscillator": [4, 0, 1],
    "damped": [5, 2, 1],
    "triple root": [1, 3, 3, 1],
    "with a parameter": [-(a**2), 0, 1],
    "Euler": [-2 / t**2, 0, 1],
    "shifted Euler": [sp.Rational(1, 4) / (t + 1) ** 2, 0, 1],
    "Euler of order three": [6 / t**3, -6 / t**2, 3 / t, 1],
    "of a derivative": [0, -sp.cos(t) / sp.sin(t), 1],
    "of a second derivative": [0, 0, -sp.cos(t) / sp.sin(t), 1],
    "Euler with waves": [4 / t**2, 1 / t, 1],
    "waves of t squared": [4 * t**2, -1 / t, 1],
    "waves of t squared in normal form": [4 * t**2 - sp.Rational(3, 4) / t**2, 0, 1],
    "their products": [16 * t + 3 / t**3, 16 * t**2 - 3 / t**2, 0, 1],
}


@pytest.mark.parametrize("case", ODES)
def test_fundamental_systems_solve_and_are_independent(case):
    coefficients = [sp.sympify(c) for c in ODES[case]]
    state = empty()
    basis = fundamental_system(state, state.field.elements(coefficients), 0)
    assert basis is not None and len(basis) == len(coefficients) - 1
    solutions = [state.field.expression(s) for s in basis]
    for s in solutions:
        left = sum(c * sp.diff(s, t, k) for k, c in enumerate(coefficients))
        assert abs(left.subs({t: sp.Rational(7, 5), a: sp.Rational(3, 4)}).evalf(30)) < 1e-20
    wronskian = sp.Matrix([[sp.diff(s, t, k) for s in solutions] for k in range(len(solutions))]).det()
    assert abs(wronskian.subs({t: sp.Rational(7, 5), a: sp.Rational(3, 4)}).evalf(30)) > 1e-6


def test_what_no_function_here_solves_is_refused():
    state = empty()
    assert fundamental_system(state, state.field.elements([-(t**3) - t, sp.S.Zero, sp.S.One]), 0) is None


@pytest.mark.parametrize(
    "expression", [t**3 * x, 1 / (t + 1), sp.exp(t / 50), t * sp.exp(2 * t), sp.sqrt(t + 1), x / t**2], ids=str
)
def test_antiderivatives(expression):
    state = empty()
    found = antiderivative(state, state.field.element(expression), 0)
    difference = sp.diff(state.field.expression(found), t) - expression
    assert not state.field.element(difference)


def test_polynomial_in_both_variables():
    """f_tt = 0 and f_xx = 0: four constants."""
    solution = solve(state_of({(0, (2, 0)): 1}, {(0, (0, 2)): 1}))
    assert len(solution.constants) == 4 and not solution.groups


def test_split_and_exponentials():
    """f(t) + exp(t) g(x) x = 0: f exp(-t) and x g are one constant."""
    solution = solve(state_of({(0, (0, 0)): 1, (1, (0, 0)): x * sp.exp(t)}, functions=((0,), (1,))))
    assert len(solution.constants) == 1 and not solution.groups


def test_integrability_condition():
    """f_t = x f and f_x = -t f contradict each other: f = 0."""
    solution = solve(state_of({(0, (1, 0)): 1, (0, (0, 0)): -x}, {(0, (0, 1)): 1, (0, (0, 0)): t}))
    assert not solution.constants and not solution.groups


def test_particular_solution():
    """f_t + f/(t+1) = g(x): f = (t+1) g/2 + h/(t+1)."""
    state = state_of({(0, (1, 0)): 1, (0, (0, 0)): 1 / (t + 1), (1, (0, 0)): -1}, functions=((0, 1), (1,)))
    solution = solve(state)
    assert not solution.state.equations
    assert len(solution.groups) == 2


def test_heat_equation_stays_as_a_condition():
    solution = solve(state_of({(0, (1, 0)): 1, (0, (0, 2)): -1}))
    ((functions, conditions),) = solution.groups
    assert len(functions) == len(conditions) == 1 and solution.finite == [False]


def test_constants_are_taken_out_of_a_family():
    """f_t - f_xx + g + x h = 0 with constants g and h: f = β - t g - t x h."""
    solution = solve(
        state_of({(0, (1, 0)): 1, (0, (0, 2)): -1, (1, (0, 0)): 1, (2, (0, 0)): x}, functions=((0, 1), (), ()))
    )
    ((functions, conditions),) = solution.groups
    assert len(functions) == len(conditions) == 1 and len(solution.constants) == 2
    assert all(len(condition) == 2 for condition in conditions)


def test_a_source_that_other_equations_determine_is_no_family():
    """f_t - f_xx + g = 0 with g_t = -g and g_x = g: g = c exp(x - t), and f = β + c exp(x - t)/2."""
    source = {(0, (1, 0)): 1, (0, (0, 2)): -1, (1, (0, 0)): 1}
    known = [{(1, (1, 0)): 1, (1, (0, 0)): 1}, {(1, (0, 1)): 1, (1, (0, 0)): -1}]
    solution = solve(state_of(source, *known, functions=((0, 1), (0, 1))))
    ((functions, (condition,)),) = solution.groups
    assert len(functions) == 1 and len(condition) == 2 and len(solution.constants) == 1


def test_what_no_function_here_solves_stays_unsolved():
    solution = solve(state_of({(0, (2, 0)): 1, (0, (0, 0)): -(t**3) - t}, functions=((0,),)))
    assert solution.finite == [True] and not solution.constants


def test_two_equations_for_one_function_are_reduced_before_either_is_solved():
    # each alone has solutions, the first one with an integral that takes SymPy a minute or more
    hard = {(0, (1, 0)): sp.sin(t) ** 2 * t, (0, (0, 0)): t**2 * sp.cos(t) - sp.sin(t) ** 3}
    solution = solve(state_of(hard, {(0, (1, 0)): 1 + t**2, (0, (0, 0)): 1}, functions=((0,),)))
    assert [s.rule for s in solution.state.steps] == ["reduce", "vanish"] and not solution.constants
    # nothing is lost where both share a solution
    solution = solve(
        state_of({(0, (2, 0)): 1, (0, (0, 0)): -1}, {(0, (1, 0)): 1, (0, (0, 0)): -1}, functions=((0,),))
    )
    assert solution.state.steps[0].rule == "reduce" and len(solution.constants) == 1


def test_steps_are_recorded():
    solution = solve(state_of({(0, (2, 0)): 1}, {(0, (0, 1)): 1}))
    assert [s.rule for s in solution.state.steps] == ["integrate", "integrate"]
    assert solution.state.steps[0].function == 0
