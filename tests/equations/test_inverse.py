"""Derivatives inside functions, powers and exponents: opened where an inverse exists, else refused in words."""

import pytest
import sympy as sp

from lieapp.equations.inverse import opened
from lieapp.equations.parsing import parse_system
from lieapp.errors import EquationError, LieappError
from lieapp.lie.stages import derive


def system(equation):
    ordinary = "y" in equation
    variables, unknown = (["x"], "y") if ordinary else (["t", "x"], "u")
    return parse_system([equation], variables, [unknown], ["a"] if equation.startswith("a*") else [])


@pytest.mark.parametrize(
    ("equation", "plain"),
    [
        ("exp(y_xx - y) - y_x", "y_xx - y - log(y_x)"),
        ("log(y_xx) - y_x*y", "y_xx - exp(y*y_x)"),
        ("sqrt(y_xx - y) + y_x", "y_xx - y - y_x**2"),
        ("exp(u_t - u_xx) - 1", "u_t - u_xx"),
        ("log(u_xx/u) - u_t", "u_xx/u - exp(u_t)"),
        ("2*(u_t - u_xx)**(1/3) - u", "u_t - u_xx - u**3/8"),
        ("tanh(u_xx) - 1/3", "u_xx - log(2)/2"),
        ("3**u_xx - u_t", "u_xx - log(u_t)/log(3)"),
    ],
)
def test_opened_has_the_same_solutions_and_symmetries(equation, plain):
    closed, direct = system(equation), system(plain)
    found, _ = opened(closed.residuals[0], closed.jets)
    assert sp.simplify(found - direct.residuals[0]) == 0
    one, other = derive(closed), derive(direct)
    assert one.certified and other.certified
    assert [f.as_json() for f in one.generators] == [f.as_json() for f in other.generators]


@pytest.mark.parametrize(
    "equation", ["u_t - exp(u_x - u)", "y_xx - exp(y_x)", "exp(y_xx) + exp(2*y_xx) - y", "cosh(y_x) - y"]
)
def test_others_stay_as_they_are(equation):
    found = system(equation)
    assert opened(found.residuals[0], found.jets)[0] == found.residuals[0]


@pytest.mark.parametrize(
    "equation", ["exp(y_x - y)", "(3/u)**u_x", "exp(y_x) + exp(y)", "cosh(u_xx)", "2**y_x", "1/(u_t - u_x)"]
)
def test_what_never_vanishes_is_refused(equation):
    with pytest.raises(EquationError, match="never vanishes"):
        derive(system(equation))


@pytest.mark.parametrize(
    ("equation", "plain"),
    [
        ("exp(y_x - y)*y_xx", "y_xx"),
        ("(3/u)**u_x*(u_t - u_xx)", "u_t - u_xx"),
        ("sqrt(1 + y_x**2)*y_xx", "y_xx"),
        ("exp(y_x - y)*y_xx - exp(y_x - y)", "y_xx - 1"),
    ],
)
def test_factors_that_never_vanish_are_left_out(equation, plain):
    one, other = derive(system(equation)), derive(system(plain))
    assert [f.as_json() for f in one.generators] == [f.as_json() for f in other.generators]


def test_what_is_divided_by_is_told():
    assert [str(e) for e in derive(system("a*exp(y_xx - y_x) - y_x")).assumed_nonzero] == ["a"]


SHAPES = (
    "exp(D - U)", "(3/U)**D", "D**U", "U**D", "D**D", "log(D/U)", "sin(D - U)", "tan(D*U)", "sqrt(D*U)", "cosh(D)",
    "(D + U)**(2/3)", "exp(exp(D))", "2**(D - U)", "tanh(D)**2", "1/(1 + exp(D))",
)  # fmt: skip
PLACES = ("{}", "{} - 1", "{} - U", "{}*E", "{}*E - U", "E - {}", "E**2 - {}", "{} + x*D")


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("names", [("y", "y_x", "y_xx"), ("u", "u_x", "u_t")], ids=["ordinary", "partial"])
@pytest.mark.slow
def test_no_shape_ends_in_a_fault(shape, place, names):
    """Each is answered or refused with a next step."""
    text = place.format(f"({shape})")
    for letter, name in zip("UDE", names, strict=True):
        text = text.replace(letter, name)
    try:
        found = derive(system(text), budget=20)
    except LieappError as error:
        assert error.hint and "report" not in error.hint
    else:
        assert found.certified or found.unsolved or found.certificate.reason
