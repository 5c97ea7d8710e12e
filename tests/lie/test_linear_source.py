"""Linear equations with a source have the algebra of the homogeneous ones, moved along a particular solution."""

import pytest
import sympy as sp

from lieapp.equations.parsing import parse_system
from lieapp.lie.inhomogeneous import particular_solution, sources
from lieapp.lie.stages import derive


def system_of(equations, independent, dependent, functions=()):
    return parse_system(
        equations.split("; "), independent.split(","), dependent.split(","), functions=list(functions)
    )


def of_source(equations, independent, dependent, functions=()):
    """Dimension, whether there are families, and whether that is certified."""
    found = derive(system_of(equations, independent, dependent, functions))
    assert not found.unsolved
    return found.dimension, found.infinite, found.certified


PARTIAL = {
    "u_t - u_xx - 1": 6,
    "u_t - u_xx - x*t": 6,
    "u_t - u_xx + u_x + 1": 6,
    "u_t - u_xx - sin(x)": 6,
    "u_t - u_xx - exp(t + x)": 6,
    "u_t - u_xx - exp(-x**2)": 6,
    "u_t - u_xx - exp(-2*t)*sin(x)": 6,
    "u_tt - u_xx - 1": 1,
    "u_tt - u_xx - t*x": 1,
}
"""By what the homogeneous equations have modulo superposition (and the conformal families of u_tt = u_xx)."""


@pytest.mark.parametrize("equation", PARTIAL)
def test_partial_equations(equation):
    assert of_source(equation, "t,x", "u") == (PARTIAL[equation], True, True)


@pytest.mark.parametrize("equation", ["y_xx - 1", "y_xx + y + x", "y_xx + 2*y_x - exp(x)"])
def test_ordinary_equations_of_second_order_have_eight(equation):
    """Any linear one does (Lie)."""
    assert of_source(equation, "x", "y") == (8, False, True)


@pytest.mark.slow
@pytest.mark.parametrize("equation", ["y_xx + y - tan(x)", "y_xx + y - f(x)"])
def test_variation_of_constants(equation):
    assert of_source(equation, "x", "y", ["f:x"] if "f(" in equation else []) == (8, False, True)


def test_arbitrary_sources():
    assert of_source("u_t - u_xx - f(t)", "t,x", "u", ["f:t"]) == (6, True, True)


def test_systems():
    """The free Schroedinger equation in real form has seven (and its superposition)."""
    assert of_source("u_t + v_xx - 1; v_t - u_xx - x", "t,x", "u,v") == (7, True, True)


SOLVABLE = {
    "u_tt - u_xx - u_yy - t*x*y": (),
    "u_t - u_xx - u_yy - x*f(t)": ("f:t",),
    "u_t - x*u_xx - u_yy - exp(t)*x**2 - log(y)": (),
    "u_xx + u_yy - 3*u - 1 + t*x": (),
}


@pytest.mark.parametrize("equation", SOLVABLE)
def test_particular_solutions_solve(equation):
    system = system_of(equation, "t,x,y", "u", SOLVABLE[equation])
    solved = particular_solution(system, sources(system))
    assert solved is not None
    found, _ = solved
    jets = system.jets
    (residual,) = system.residuals
    values = {
        s: sp.diff(found[a], *zip(jets.independent, J, strict=True)) for s, (a, J) in jets.jets(residual).items()
    }
    assert sp.simplify(residual.xreplace(values).doit()) == 0


def test_what_is_not_linear_or_has_no_source_has_none():
    for equation in ("u_t + u*u_x - 1", "u_t - u_xx", "u_t - u_xx - exp(u)"):
        assert sources(system_of(equation, "t,x", "u")) is None


def test_without_a_particular_solution_the_family_is_not_certified():
    found = derive(system_of("u_t - u_xx - g(x)*u - 1", "t,x", "u", ["g:x"]))
    assert not found.certified
    assert any("the 2 generators of the homogeneous equation" in told for told in found.unsolved)


def test_arbitrary_functions_are_periodic_on_a_periodic_domain():
    system = system_of("u_t - u_xx - g(x)*u - 1", "t,x", "u", ["g:x"])
    found = derive(system, [system.jets.independent[1]])
    assert found.periodic == found.generators and len(found.generators) == 1
    assert len(found.periodic_families) == len(found.families) == 1


def test_the_derivation_is_that_of_the_homogeneous_equation():
    explained = derive(system_of("u_t - u_xx - 1", "t,x", "u")).explain()
    assert explained.moved["u"].text in ("t", "-x**2/2")
    assert {"u_t = u_xx", "u_xx = u_t"} & {formula.text for formula in explained.leading}


@pytest.mark.parametrize(
    ("equation", "dimension"),
    [("u_t - u_xx - u_x**2 - exp(-u)", 6), ("u_tt + u_t**2 - u_xx - u_x**2 - exp(-u)", 1)],
)
def test_what_a_point_transformation_makes_linear(equation, dimension):
    """exp(u) solves the heat or the wave equation with the source 1."""
    assert of_source(equation, "t,x", "u") == (dimension, True, True)
