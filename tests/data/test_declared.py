"""What a declaration lacks is said before any work, and without torch."""

import subprocess
import sys

import pytest
import sympy as sp
from small import T, U, X

from lieapp.api import ChangeOfVariables
from lieapp.data.declared import check_data, check_discovery
from lieapp.errors import LieappError

HEAT = U.diff(X, 2)
SECOND = sp.Eq(U.diff(T, 2), HEAT)


@pytest.mark.parametrize(
    ("changes", "kind", "words"),
    [
        ({"periodic": []}, "GridError", "small: x is not periodic; data are simulated on periodic axes only"),
        ({"periodic": [T]}, "GridError", "x is not periodic"),
        ({"keep_last": 20}, "DataError", "keep_last is 20, but there are 9 time samples only"),
        ({"keep_last": 0}, "DataError", "keep_last is 0; it is a number of time samples, at least 1"),
        ({"keep_last": 2.5}, "DataError", "keep_last is 2.5; it is a number"),
        ({"initial": 3}, "PluginError", "initial state of u is 3"),
        ({"initial": {"v": 3}}, "PluginError", "initial state of u is None"),
        ({"equation": SECOND}, "EquationError", "u.diff(t, 2)"),
        ({"transform": ChangeOfVariables(equation=SECOND, unknowns={})}, "EquationError", "small (transform)"),
    ],
)
def test_what_no_data_can_be_made_of(declare, changes, kind, words):
    with pytest.raises(LieappError) as caught:
        check_data(declare(HEAT, **changes))
    assert type(caught.value).__name__ == kind and words in caught.value.message and caught.value.hint


def test_one_variable_is_not_enough(declare):
    u = sp.Function("u")(T)
    with pytest.raises(LieappError, match="t is the only variable"):
        check_data(declare(0, equation=u.diff(T) - u, region={T: (0, 1)}, points={T: 9}, periodic=[]))


def test_a_source_brings_its_own_axes_but_derivatives_need_periodic_ones(declare):
    sourced = declare(HEAT, periodic=[], source=lambda samples, seed: {})
    check_data(sourced)
    with pytest.raises(LieappError, match="x is not periodic; symmetries are learned on periodic axes only"):
        check_discovery(sourced)
    check_discovery(declare(HEAT, source=lambda samples, seed: {}))
    check_discovery(declare(HEAT, keep_last=9))


def test_it_is_said_without_torch(pytestconfig):
    code = "import sys, lieapp.data.declared; sys.exit('torch' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], cwd=pytestconfig.rootpath, check=True)
