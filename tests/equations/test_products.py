"""Products of equations are refused; powers and what can be divided out are reduced to the equation itself."""

import pytest

from lieapp.equations.parsing import parse_system
from lieapp.errors import EquationError
from lieapp.lie.determining import determining_equations
from lieapp.lie.stages import derive


def system(equations, variables="t,x", unknowns="u", parameters=(), functions=()):
    equations = [equations] if isinstance(equations, str) else equations
    return parse_system(equations, variables.split(","), unknowns.split(","), parameters, functions)


@pytest.mark.parametrize(
    ("equation", "factors"),
    [
        ("u_t*u_x", "u_t = 0 or u_x = 0"),
        ("u_x**2*u_t", "u_t = 0 or u_x = 0"),
        ("u_xx*u_t", "u_t = 0 or u_xx = 0"),
        ("exp(u)*u_t*u_x", "u_t = 0 or u_x = 0"),
        ("u_t*u_x/u", "u_t = 0 or u_x = 0"),
        ("sin(u_x)*u_t", "u_t = 0 or sin(u_x) = 0"),
        ("u_x*(u_t - u_xx)", "u_x = 0 or u_t - u_xx = 0"),
        ("(u_t - u_xx)*(u_t + u_xx)", "u_t - u_xx = 0 or u_t + u_xx = 0"),
        ("u_t**2 - u_x**2", "u_t - u_x = 0 or u_t + u_x = 0"),
    ],
)
def test_each_factor_is_offered(equation, factors):
    with pytest.raises(EquationError, match="product of equations") as caught:
        derive(system(equation))
    assert factors in caught.value.hint


@pytest.mark.parametrize("equation", ["y_x*y_xx", "y_x*y_xx - y_x**3"])
def test_products_of_ordinary_equations(equation):
    with pytest.raises(EquationError, match="product of equations"):
        derive(system(equation, "x", "y"))


@pytest.mark.parametrize(
    ("equation", "parameters", "root"),
    [
        ("u_t**2 - 2*u_x**2", (), "sqrt(2)"),
        ("u_t**2 - c*u_x**2", ("c:positive",), "sqrt(c)"),
        ("u_t**2 - x*u_x**2", (), "sqrt(x)"),
        ("u_t**2 - exp(u)*u_x**2", (), "exp(-u/2)"),
        ("u_t**4 - u*u_x**4", (), "sqrt(u)"),
        ("(u_t - u_x)**2 - u*u_x**2", (), "sqrt(u)"),
    ],
)
def test_factors_with_roots_of_the_coefficients(equation, parameters, root):
    """Each side has symmetries of its own, so one root doesn't stand for the other."""
    with pytest.raises(EquationError, match="product of equations") as caught:
        derive(system(equation, parameters=parameters))
    assert root in caught.value.hint


@pytest.mark.parametrize("equation", ["u_t**2 - u_x**2 - 1", "u_x**2 + u_t**2 - u", "u_t**3 - x*u_x**3"])
def test_one_root_stands_for_all_where_derivatives_join_them(equation):
    assert determining_equations(system(equation)).equations


def test_products_in_systems():
    with pytest.raises(EquationError, match=r"u_t\*v_x = 0 is a product"):
        derive(system(["u_t*v_x", "v_t - u_x"], unknowns="u,v"))


def test_products_that_the_equations_imply_together():
    """u_tx = 0 both ways says u_x u_xx = 0."""
    with pytest.raises(EquationError, match="product of equations"):
        derive(system(["u_t - u_x**2", "u_tx"]))


@pytest.mark.parametrize(
    ("equation", "parameters", "functions", "assumed"),
    [
        ("(u_t - u_xx)**2", (), (), []),
        ("(u_t - u_xx)**3/x", (), (), []),
        ("sqrt(u_t - u_xx)", (), (), []),
        ("exp(u)*(u_t - u_xx)", (), (), []),
        ("(1 + u_x**2)*(u_t - u_xx)", (), (), []),
        ("x*(u_t - u_xx)", (), (), []),
        ("u*u_t - u*u_xx", (), (), ["u"]),
        ("u**2*(u - x)*(u_t - u_xx)", (), (), ["u", "-u + x"]),
        ("nu*(u_t - u_xx)", ("nu",), (), ["nu"]),
        ("nu*(u_t - u_xx)", ("nu:positive",), (), []),
        ("k(x)*(u_t - u_xx)", (), ("k:x",), ["k"]),
    ],
)
def test_what_is_divided_out_is_told_where_it_may_vanish(equation, parameters, functions, assumed):
    """All have the algebra of the heat equation."""
    result = derive(system(equation, parameters=parameters, functions=functions))
    heat = derive(system("u_t - u_xx"))
    assert result.certified
    assert [f.as_json() for f in result.generators] == [f.as_json() for f in heat.generators]
    assert [str(e) for e in result.assumed_nonzero] == assumed
    assert len(result.families) == 1


def test_squares_of_first_order():
    result = derive(system("(u_t - u_x)**2"))
    assert result.infinite and result.certified
    assert [str(r) for r in result.determining.system.residuals] == ["u_t - u_x"]


@pytest.mark.parametrize(
    ("equations", "variables", "unknowns", "step"),
    [
        (["u_t - v_x", "v - u**2"], "t,x", "u,v", "Put u**2 in place of v everywhere"),
        (["u_t - v_x", "u*v - 1"], "t,x", "u,v", "Put 1/u in place of v everywhere"),
        (["x_t - y", "x**2 + y**2 - 1"], "t", "x,y", "sqrt(1 - x)*sqrt(x + 1), one branch of it, in place of y"),
        (["x_t - y", "x**3 + y**3 - 3*x*y"], "t", "x,y", "by a parameter"),
    ],
)
def test_a_curve_is_a_constraint_and_no_product(equations, variables, unknowns, step):
    with pytest.raises(EquationError, match="is an algebraic constraint: it has no derivatives") as caught:
        derive(system(equations, variables, unknowns))
    assert step in caught.value.hint
