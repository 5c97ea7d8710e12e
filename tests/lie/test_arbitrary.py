"""Arbitrary functions of several arguments, of derivatives, and at an expression."""

from random import Random

import pytest
import sympy as sp

from lieapp.api import symmetries
from lieapp.equations.coefficients import CoefficientField
from lieapp.equations.parsing import parse_system
from lieapp.errors import EquationError
from lieapp.lie.certificate.taylor import Point
from lieapp.lie.invariance import is_symmetry
from lieapp.lie.stages import derive

x, t, u, p = sp.symbols("x t u p", real=True)


def derived(equation, functions, independent="t,x", dependent="u"):
    return derive(parse_system([equation], independent.split(","), dependent.split(","), [], functions), budget=60)


KNOWN = {
    # Akhatov, Gazizov and Ibragimov 1989, nonlinear filtration: the principal algebra
    "filtration": ("u_t - f(u_x)*u_xx", ["f:u_x"], ["d_t", "d_x", "d_u", "2*t d_t + x d_x + u d_u"], 0),
    # Ibragimov, Torrisi and Valenti 1991, J. Math. Phys. 32, 2988: the principal algebra
    "waves": ("u_tt - f*u_xx - g", ["f:x,u_x", "g:x,u_x"], ["d_t", "d_u", "t d_u"], 0),
    "source": ("u_t - u_xx - f", ["f:u,u_x"], ["d_t", "d_x"], 0),
    "source in x": ("u_t - u_xx - f", ["f:x,u"], ["d_t"], 0),
    "diffusion": ("u_t - (k(x, u)*u_x)_x", ["k:x,u"], ["d_t"], 0),
    "potential": ("u_t - u_xx - F(x - t)*u", ["F:s"], ["d_t + d_x", "u d_u"], 1),
    "scaled": ("u_t - F(u/x)*u_xx", ["F:s"], ["d_t", "2*t d_t + x d_x + u d_u"], 0),
    "boost": ("u_tt - u_xx - F(x**2 - t**2)*exp(u)", ["F:s"], ["x d_t + t d_x"], 0),
    "two places": ("u_tt - u_xx - F(x - t) - F(x + t)*u**2", ["F:s"], [], 0),
}


@pytest.mark.parametrize("name", KNOWN)
def test_generic_algebras(name):
    equation, functions, generators, families = KNOWN[name]
    found = derived(equation, functions)
    assert found.certified and not found.unsolved
    assert [str(f) for f in found.generators] == generators
    assert len(found.families) == families


def test_ordinary_equations():
    assert derived("y_xx - f(x, y)", ["f:x,y"], "x", "y").dimension == 0
    assert derived("y_xx - f(y_x)", ["f:y_x"], "x", "y").dimension == 2
    assert [str(f) for f in derived("y_xx - F(y_x/y)*y", ["F:s"], "x", "y").generators] == ["d_x", "y d_y"]
    assert [str(f) for f in derived("y_xx - F(y - x)", ["F:s"], "x", "y").generators] == ["d_x + d_y"]


@pytest.mark.parametrize("special", [sp.exp(p), p**3, 1 / (1 + p**2), sp.Integer(1), 1 / p**2])
def test_functions_with_more_symmetries_are_told(special):
    """For each of them, one of the sets that are assumed to be independent is dependent (rank at random points)."""
    found = derived("u_t - f(u_x)*u_xx", ["f:u_x"])
    more = derived(f"u_t - ({special})*u_xx".replace("p**", "u_x**").replace("(p)", "(u_x)"), [])
    assert more.dimension > found.dimension or more.infinite
    random = Random(1)
    values = {"f": special, "f_u_x": sp.diff(special, p), "u_x": p}

    def dependent(span):
        rows = []
        for _ in span:
            point = sp.Rational(random.randrange(2, 99), 7)
            at = {s: values[s.name].subs(p, point) for e in span for s in e.free_symbols}
            rows.append([sp.N(sp.sympify(e).subs(at), 60) for e in span])
        return abs(sp.Matrix(rows).det()) < 1e-30

    assert any(dependent(span) for span in found.assumed_independent)


def test_conditions_on_functions():
    with_it = derived("u_t - (k(u)*u_x)_x", ["k:u; k_u != 0"])
    without = derived("u_t - (k(u)*u_x)_x", ["k:u"])
    assert [str(e) for e in without.assumed_nonzero if e not in with_it.assumed_nonzero] == ["k_u"]
    assert with_it.dimension == without.dimension == 3


def test_series_of_arbitrary_functions_have_the_derivatives_that_atoms_say():
    """At a random point modulo a prime: ∂ᵥ of the series of each generator is the series of its rate."""
    field = CoefficientField((t, x, u), ())
    k, F = sp.Function("k", real=True)(x, u), parse_system(["u_t - F(x*t)"], ["t", "x"], ["u"], [], ["F:s"])
    field.elements([k, sp.diff(k, x, u), sp.exp(k), *F.residuals[0].atoms(sp.Function)])
    point = Point(field, 3, Random(3))
    for v, rates in field._rates.items():
        for n, rate in rates:
            if rate is None:
                continue
            found = {}
            for key, c in point.series_of[n].items():
                exponents = point.exponents(key)
                if exponents[v]:
                    found[key - point.unit(v)] = c * exponents[v] % point.p
            assert found == {key: c for key, c in point.series(rate, 2).items() if c}


def test_a_function_of_a_derivative_that_is_solved_for():
    """Refused with a way out; that is the same as the value written in."""
    equations, names = ["u_x - v**2", "v_t - (f(u_x))_x"], (["t", "x"], ["u", "v"], [])
    with pytest.raises(EquationError, match="can't be solved") as caught:
        derive(parse_system(equations, *names, ["f:u_x"]))
    assert "f:s" in caught.value.hint
    found = derive(parse_system(equations, *names, ["f:s"]))
    written = parse_system(["u_x - v**2", "v_t - (f(v**2))_x"], *names, ["f:s"])
    assert found.certified and found.infinite
    (scaling,) = found.generators
    assert str(scaling) == "t d_t + x d_x + u d_u" and is_symmetry(written, scaling.components)


def test_arguments_that_no_field_holds_are_named():
    with pytest.raises(EquationError, match="arguments of an arbitrary function") as caught:
        derived("u_t - F(exp(x)*u)", ["F:s"])
    assert caught.value.hint


def test_the_same_from_sympy():
    w, k = sp.Function("u")(t, x), sp.Function("k")
    equation = sp.Eq(w.diff(t), (k(x, w) * w.diff(x)).diff(x))
    found = symmetries(equation, dependent=[w])
    assert [str(f) for f in found.generators] == ["d_t"] and found.certified


@pytest.mark.parametrize("argument", ["2", "a"])
def test_functions_of_a_constant_are_refused(argument):
    with pytest.raises(EquationError, match="is a constant"):
        derive(parse_system([f"u_t - F({argument})*u_xx - a*u"], ["t", "x"], ["u"], ["a"], ["F:s"]))


QUOTIENTS = ["F((x + 1)**2)/F(x**2 + 2*x + 1)", "F(1/x + 1/(x + 1))/F((2*x + 1)/(x**2 + x))"]


@pytest.mark.parametrize("quotient", QUOTIENTS)
def test_the_same_argument_written_otherwise_is_the_same_function(quotient):
    found = derived(f"u_t - u_xx - {quotient}*u", ["F:s"])
    assert found.certified and found.dimension == 6
