"""What a declaration lacks is said before any work, and without torch."""

import subprocess
import sys

import pytest
import sympy as sp
from small import T, U, X

from lieapp.api import ChangeOfVariables, SumOfSines
from lieapp.data.declared import check_data, check_discovery
from lieapp.errors import LieappError

HEAT = U.diff(X, 2)
SECOND = sp.Eq(U.diff(T, 2), HEAT)


@pytest.mark.parametrize(
    ("changes", "kind", "words"),
    [
        ({"periodic": []}, "GridError", "small: x is not periodic; data are simulated on periodic axes only"),
        ({"periodic": [T]}, "GridError", "x is not periodic"),
        ({"periodic": [X, T]}, "GridError", "small: periodic has t, the evolution variable; data are simulated"),
        ({"equation": U.diff(T) - U / (T - 1) - HEAT}, "EquationError", "the coefficient 1/(t - 1) of u isn't"),
        ({"equation": T * U.diff(T) - HEAT}, "EquationError", "the coefficient 1/t of u_xx isn't a finite real"),
        ({"equation": U.diff(T) - X * HEAT}, "EquationError", "coefficient x of u_xx isn't periodic in x over"),
        ({"keep_last": 20}, "DataError", "keep_last is 20, but there are 9 time samples only"),
        ({"keep_last": 0}, "DataError", "keep_last is 0; it is a number of time samples, at least 1"),
        ({"keep_last": 2.5}, "DataError", "keep_last is 2.5; it is a number"),
        ({"initial": 3}, "PluginError", "initial state of u is 3"),
        ({"initial": {"v": 3}}, "PluginError", "initial state of u is None"),
        ({"equation": SECOND}, "EquationError", "u_tt"),
        ({"transform": ChangeOfVariables(equation=SECOND, unknowns={})}, "EquationError", "small (transform)"),
    ],
)
def test_what_no_data_can_be_made_of(declare, changes, kind, words):
    with pytest.raises(LieappError) as caught:
        check_data(declare(HEAT, **changes))
    assert type(caught.value).__name__ == kind and words in caught.value.message and caught.value.hint


def test_few_times_are_data_but_nothing_to_learn_from(declare):
    check_data(declare(HEAT, keep_last=7))
    with pytest.raises(LieappError, match=r"keep_last is 7; symmetries are learned .* at least 8 samples"):
        check_discovery(declare(HEAT, keep_last=7))
    check_discovery(declare(HEAT, keep_last=8))


@pytest.mark.parametrize(
    ("keywords", "words"),
    [
        ({"amplitude": 0}, "amplitude is 0; it must be a finite number above 0"),
        ({"amplitude": -1}, "amplitude is -1; it must be a finite"),
        ({"amplitude": float("nan")}, "amplitude is nan; it must"),
        ({"amplitude": float("inf")}, "amplitude is inf; it must"),
        ({"amplitude": "big"}, "amplitude is 'big'; it must"),
        ({"terms": 0}, "terms is 0; it must be a whole number, at least 1"),
        ({"wavenumbers": ()}, "wavenumbers is (); it must be whole numbers, not all of them 0"),
        ({"wavenumbers": (0.5,)}, "wavenumbers is (0.5,); it must"),
        ({"rescale": (1, 1)}, "rescale is (1, 1); it must be a pair (a, b) of finite numbers with a < b"),
        ({"rescale": 3}, "rescale is 3; it must"),
        ({"shape": 3}, "shape is 3; it must be a function"),
    ],
)
def test_an_initial_state_that_is_none(keywords, words):
    with pytest.raises(LieappError) as caught:
        SumOfSines(**keywords)
    assert words in caught.value.message and caught.value.hint
    SumOfSines(terms=3, amplitude=sp.Rational(1, 2), wavenumbers=[0, 1], rescale=[0, 1], shape=sp.exp)


@pytest.mark.parametrize(
    "value", ["x", float("nan"), float("inf"), sp.oo, sp.I, sp.Symbol("b"), None, True], ids=str
)
def test_a_parameter_is_a_finite_real_number(declare, value):
    nu = sp.Symbol("nu")
    with pytest.raises(
        LieappError, match=r"small: parameters gives nu the value .*; it must be a finite real number"
    ):
        declare(nu * HEAT, parameters={nu: value})
    for right in (1, 0.5, sp.pi, sp.Rational(1, 3), sp.sqrt(2), "1/3"):
        check_data(declare(nu * HEAT, parameters={nu: right}))


def test_one_variable_is_not_enough(declare):
    u = sp.Function("u")(T)
    with pytest.raises(LieappError, match="t is the only variable"):
        check_data(declare(0, equation=u.diff(T) - u, region={T: (0, 1)}, points={T: 9}, periodic=[]))


def test_a_source_brings_its_own_axes_and_simulations_need_periodic_ones(declare):
    sourced = declare(HEAT, periodic=[], source=lambda samples, seed: {})
    check_data(sourced)
    check_discovery(sourced)
    with pytest.raises(LieappError, match="x is not periodic; data are simulated on periodic axes only") as caught:
        check_discovery(declare(HEAT, periodic=[]))
    assert "--data FILE" in caught.value.hint
    check_discovery(declare(HEAT, source=lambda samples, seed: {}))
    check_discovery(declare(HEAT, keep_last=9))


def test_it_is_said_without_torch(pytestconfig):
    code = "import sys, lieapp.data.declared; sys.exit('torch' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], cwd=pytestconfig.rootpath, check=True)
