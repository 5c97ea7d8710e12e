"""Linear equations whose exponents have no short form in radicals; derived fields are put into the equation."""

from random import Random

import pytest
import sympy as sp

from lieapp.api import holds
from lieapp.equations.algebraic import RealRoot
from lieapp.equations.coefficients import CoefficientField
from lieapp.equations.parsing import parse_expression, parse_system
from lieapp.lie.certificate.taylor import Point
from lieapp.lie.solving.real_roots import is_hard, waves
from lieapp.lie.stages import derive

x, z = sp.symbols("x z", real=True)

HARD = {
    "one real root": z**3 + z + 1,
    "not monic": 2 * z**3 + z + 1,
    "three real roots": z**3 - 4 * z + 1,
    "a cyclic group": z**3 - 3 * z + 1,
    "no real root": z**4 + z + 1,
    "two real roots": 3 * z**4 - 5 * z + 1,
    "four real roots": z**4 - 4 * z**2 + z + 1,
    "shifted": z**4 + z**3 + z + 3,
    "degree 5": z**5 - z - 1,
    "degree 5, three real roots": 2 * z**5 - 5 * z**2 + 1,
    "cubic in a square": (z + 1) ** 6 - (z + 1) ** 2 - 1,
}


@pytest.mark.parametrize("name", HARD)
def test_waves_are_all_zeros(name):
    """Numbers of 30 digits: each zero p ± i q is one, all differ, and there are as many as the degree says."""
    polynomial = sp.Poly(HARD[name], z)
    assert is_hard(polynomial)
    found = [sp.N(p + sign * sp.I * q, 40) for p, q in waves(polynomial) for sign in ((1, -1) if q != 0 else (1,))]
    assert all(abs(polynomial.eval(zero)) < 1e-30 for zero in found)
    assert len(found) == polynomial.degree()
    assert min(abs(a - b) for k, a in enumerate(found) for b in found[:k]) > 1e-3


@pytest.mark.parametrize("easy", [z**3 - 2, z**3 + 3 * z**2 + 3 * z - 1, z**4 + z**2 + 3, z**6 + z**3 + 3])
def test_square_and_single_roots_stay(easy):
    assert not is_hard(sp.Poly(easy, z))


SOLVED = {
    # order n ≥ 3 with constant coefficients: a translation, the scaling of y, n solutions (Lie 1883; Olver 1993,
    # ch. 2): n + 2; Euler's equation in log(x)
    "y_xxx + y_x + y": 5,
    "2*y_xxx - 3*y_xx + 2*y_x - 7*y": 5,
    "y_xxx - 3*y_x + y": 5,
    "y_xxx + y_x + y - x*exp(x)": 5,
    "y_xxxx + y_x + y": 6,
    "y_xxxx - 4*y_xx + y_x + y": 6,
    "y_xxxx + y_xxx + y_x + 3*y": 6,
    "x**3*y_xxx + 3*x**2*y_xx - x*y_x + y": 5,
    "y_xxxxx - y_x - y": 7,
    "y_xxxxxx - y_xx - y": 8,
    # a double factor, and a linear one
    "y_xxxxxx + 2*y_xxxx + 2*y_xxx + y_xx + 2*y_x + y": 8,
    "y_xxxx + 2*y_xxx + 2*y_xx + 3*y_x + 2*y": 6,
}
QUICK = ("y_xxx + y_x + y", "y_xxx - 3*y_x + y", "y_xxx + y_x + y - x*exp(x)", "y_xxxx + y_x + y")


def numeric(e):
    """With numbers of 40 digits in place of real roots."""
    return e.xreplace({root: root.n(40) for root in e.atoms(RealRoot)})


def left_over(equation, component, at):
    """What the linear equation leaves, without its source, of y = component(x), relative to y."""
    system = parse_system([equation], ["x"], ["y"])
    y = numeric(component)
    total = sp.S.Zero
    for symbol, (_, J) in system.jets.jets(system.residuals[0]).items():
        total += sp.diff(system.residuals[0], symbol) * sp.diff(y, x, J[0])
    return sp.N((total / y).subs(x, at), 20)


@pytest.mark.parametrize("equation", [e if e in QUICK else pytest.param(e, marks=pytest.mark.slow) for e in SOLVED])
def test_linear_equations_with_such_exponents_are_solved(equation):
    found = derive(parse_system([equation], ["x"], ["y"]), budget=100)
    assert (found.dimension, found.certified, found.unsolved) == (SOLVED[equation], True, ())
    y = sp.Symbol("y", real=True)
    own = [f.components["y"] for f in found.generators if f.components["x"] == 0]
    solutions = [e for e in own if y not in e.free_symbols]
    assert len(solutions) == SOLVED[equation] - 2
    for e in solutions:
        assert abs(left_over(equation, e, sp.Rational(7, 10))) < 1e-12
        # what is told can be read again
        assert abs(numeric(parse_expression(str(e), {"x": x}) - e).subs(x, sp.Rational(1, 3))) < 1e-12
    rows = [[sp.N(sp.diff(numeric(e), x, k).subs(x, sp.Rational(1, 3)), 20) for e in solutions]
            for k in range(len(solutions))]  # fmt: skip
    assert abs(sp.Matrix(rows).det()) > 1e-6


def test_a_partial_equation_with_a_member_of_such_a_family():
    """u_t = u_xxx + u_x + u: both translations, u d_u, and 3t d_t + (x - 2t) d_x + 3t u d_u, which scales."""
    found = derive(parse_system(["u_t - u_xxx - u_x - u"], ["t", "x"], ["u"]), budget=60)
    assert (found.dimension, len(found.families), found.certified) == (4, 1, True)
    # in x alone the solutions have functions of t as their constants
    found = derive(parse_system(["u_xxx + u_x + u"], ["t", "x"], ["u"]), budget=60)
    assert (found.certified, found.unsolved) == (True, ())
    assert any("RealRoot" in str(family) for family in found.families)


def test_a_typed_field_with_such_an_exponent_is_tested():
    root, wrong = "RealRoot(0, 1, 0, 1, 1)", "RealRoot(0, 1, 0, 1, 2)"
    assert holds("y_xxx + y_x + y", "x", "y", field=f"y: exp(x*{root})").holds
    assert holds("y_xxx + y_x + y", "x", "y", field=f"y: exp(x*{wrong})").holds is False


def test_points_modulo_a_prime_have_the_roots():
    """Values of r, of q² = (3 r² + 4)/4 and of cos and sin fulfil their relations modulo the prime."""
    field = CoefficientField([x], [])
    ((r, _), (p, q)) = waves(sp.Poly(HARD["one real root"], z))
    field.elements([r, sp.exp(p * x) * sp.cos(q * x)])
    point = Point(field, 2, Random(5))
    for atom in field.table.atoms:
        if atom.degree:
            left = field.field.from_expr(atom.symbol**atom.degree - atom.power)
            assert point.series_of and point.value(left) == 0
