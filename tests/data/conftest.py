"""Small declarations to simulate."""

import pytest
import sympy as sp
from small import T, U, X

from lieapp.api import PDE, SumOfSines


@pytest.fixture
def declare():
    """A declaration in u(t, x) on [0, 1] x [0, 2π] unless told otherwise; give the right-hand side F."""

    def make(rhs, **changes):
        keywords = {
            "name": "small",
            "title": "Small",
            "equation": sp.Eq(U.diff(T), rhs),
            "region": {T: (0, 1), X: (0, 2 * sp.pi)},
            "points": {T: 9, X: 32},
            "periodic": [X],
            "initial": SumOfSines(terms=3, wavenumbers=(1,)),
        }
        return PDE(**{**keywords, **changes})

    return make
