"""Of parameters: every special value with more symmetries than in general is told."""

import random

import pytest
import sympy as sp
from special_values import Case, drawn, untold

from lieapp.equations.coefficients import CoefficientField
from lieapp.equations.coincidences import coincidences

x, k, n = sp.symbols("x k n", real=True)

TOLD = {
    # equation, variables, unknown, parameter: values with more symmetries, and how many there are
    "power potential": ("u_t - u_xx - x**k*u", "t,x", "u", "k", {1: 6, 2: 6, -2: 4}),
    "Kolmogorov": ("u_t - u_xx + x**k*u_y", "t,x,y", "u", "k", {1: 8}),
    "diffusion by place": ("u_t - x**n*u_xx + x*u_y", "t,x,y", "u", "n", {0: 8}),
    "Emden and Fowler": ("y_xx - x**k*y**2", "x", "y", "k", {"-15/7": 2, "-20/7": 2, "-5": 2}),
    "wave by a power": ("u_xy - u**n", "x,y", "u", "n", {1: None, 0: None}),
    "shifted power": ("u_t - u_xx - (x + 1)**k*u", "t,x", "u", "k", {1: 6, 2: 6}),
    "exponential and power": ("u_tt - exp(n*u)*u_xx - exp(u)", "t,x", "u", "n", {0: None, 1: None}),
    "slope": ("u_t - u_x**n*u_xx", "t,x", "u", "n", {-2: None, 0: None}),
    "frequencies": ("y_xx + y - sin(k*x)", "x", "y", "k", {}),
}


@pytest.mark.parametrize("name", TOLD)
def test_special_values_are_told(name):
    equation, variables, unknown, parameter, values = TOLD[name]
    case = Case(equation, variables.split(","), unknown, [parameter])
    general = case.at({})
    symbol = sp.Symbol(parameter, real=True)
    for value, dimension in values.items():
        value = sp.Rational(value)
        special = case.at({parameter: value})
        more = special.infinite != general.infinite or special.dimension > general.dimension
        assert dimension is None or special.dimension == dimension
        told = any(sp.simplify(e.subs(symbol, value)) == 0 for e in general.assumed_nonzero)
        assert told or not more, (value, special.dimension, general.dimension)


@pytest.mark.parametrize("seed", range(6))
def test_random_equations_have_no_more_than_was_told(seed):
    found = untold(drawn(seed), random.Random(seed), count=2)
    assert not found, found


@pytest.mark.slow
@pytest.mark.parametrize("block", range(30))
def test_three_hundred_random_equations(block):
    for seed in range(10 + 10 * block, 20 + 10 * block):
        found = untold(drawn(seed), random.Random(seed))
        assert not found, (seed, drawn(seed).equation, found)


def zeros(*functions):
    """Values of k at which the coincidences of functions of x are told, of some candidates."""
    field = CoefficientField([x], [k, n])
    elements = field.elements(list(functions))
    monomials = [m for e in elements for m in e.numer]
    conditions = [field.expression(field.lift(c)) for c in coincidences(field, monomials, [0])]
    candidates = [sp.Rational(a, b) for b in (1, 2, 3) for a in range(-9, 10)]
    return {c for c in candidates if any(e.subs(k, c) == 0 for e in conditions)}


def wronskian_vanishes(functions, value):
    at = [sp.expand_trig(f.subs(k, value)) for f in functions]
    rows = [[sp.diff(f, x, j) for f in at] for j in range(len(at))]
    return sp.simplify(sp.Matrix(rows).det()) == 0


@pytest.mark.parametrize(
    "functions",
    [
        (x**k, x, sp.S.One),
        (x**k, x ** (2 * k), x**3),
        (sp.exp(k * x), sp.exp(x), sp.S.One),
        (x * sp.exp(k * x), x, sp.exp(2 * x)),
        ((x + 1) ** k, x**2, x, sp.S.One),
        (sp.log(x + k), sp.log(x)),
        (sp.sin(k * x), sp.sin(x)),
    ],
)
def test_monomials_are_dependent_only_where_it_is_told(functions):
    """Against the Wronskian at many values."""
    told = zeros(*functions)
    candidates = [sp.Rational(a, b) for b in (1, 2) for a in range(-2, 4)]
    dependent = {c for c in candidates if wronskian_vanishes(functions, c)}
    assert dependent <= told
