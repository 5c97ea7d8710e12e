"""Finite flows: known closed forms, and that they carry solutions to solutions."""

import pytest
import sympy as sp

from lieapp.equations.parsing import parse_expression
from lieapp.errors import EquationError
from lieapp.lie.reduction.exact import vanishes
from lieapp.lie.reduction.flows import domain, flow, is_flow
from lieapp.lie.vector_field import Field

t, x, y, u, v, s = sp.symbols("t x y u v s", real=True)
NAMES = {str(c): c for c in (t, x, y, u, v, s)}


def field(coordinates, **components):
    return Field({c: parse_expression(components.get(c, "0"), NAMES) for c in coordinates.split(",")})


KNOWN = [
    (field("t,x,u", x="1"), {"x": "x + s"}),
    (field("t,x,u", t="2*t", x="x"), {"t": "t*exp(2*s)", "x": "x*exp(s)"}),
    (field("t,x,u", x="2*t", u="-x*u"), {"x": "x + 2*s*t", "u": "u*exp(-s*x - s**2*t)"}),
    (
        field("t,x,u", t="t**2", x="t*x", u="-(x**2/4 + t/2)*u"),
        {"t": "t/(1-s*t)", "x": "x/(1-s*t)", "u": "u*sqrt(1-s*t)*exp(-s*x**2/(4*(1-s*t)))"},
    ),
    (field("u,v", u="-v", v="u"), {"u": "u*cos(s) - v*sin(s)", "v": "u*sin(s) + v*cos(s)"}),
    (field("t,x", t="x", x="t"), {"t": "t*cosh(s) + x*sinh(s)", "x": "x*cosh(s) + t*sinh(s)"}),
    (field("t,x,u", t="t**2", x="t*x", u="x - t*u"), {"t": "t/(1-s*t)", "x": "x/(1-s*t)", "u": "u*(1-s*t) + s*x"}),
    (field("t,x,u", u="exp(t)*u"), {"u": "u*exp(s*exp(t))"}),
    (field("t,x,u", t="1", x="x*log(x)"), {"t": "t + s", "x": "exp(exp(s)*log(x))"}),
    (
        field("x,y,u", x="u**2", y="4*y**2", u="4*y*u"),
        {"x": "x + s*u**2/(1-4*s*y)", "y": "y/(1-4*s*y)", "u": "u/(1-4*s*y)"},
    ),
]


@pytest.mark.parametrize(("generator", "expected"), KNOWN)
def test_closed_forms(generator, expected):
    found = flow(generator)
    assert found is not None
    point = {
        t: sp.Rational(1, 3),
        x: sp.Rational(3, 2),
        y: sp.Rational(1, 5),
        u: sp.Rational(7, 5),
        v: -2,
        s: sp.Rational(1, 7),
    }
    for name, value in found.items():
        wanted = parse_expression(expected.get(name, name), NAMES)
        assert abs(sp.N((value - wanted).subs(point), 30)) < 1e-25, f"{name}: {value}"


def test_the_check_refuses_wrong_flows():
    X, S = sp.symbols("X S", positive=True)
    far = float("inf")
    assert is_flow({X: X * sp.exp(S)}, {X: X}, S, far)
    assert not is_flow({X: X * sp.exp(2 * S)}, {X: X}, S, far)
    assert not is_flow({X: X + S}, {X: X}, S, far)
    assert not is_flow({X: (X + 1) * sp.exp(S)}, {X: X}, S, far)


def test_zero_is_decided_exactly():
    a, b = sp.symbols("a b", positive=True)
    assert vanishes(sp.sqrt(a**2 + 2 * a * b + b**2) - a - b)
    assert vanishes(sp.atan((a + b) ** 2) - sp.atan(a**2 + 2 * a * b + b**2))
    assert not vanishes(sp.sqrt(a**2 + b) - a)
    assert not vanishes(sp.exp(a + b) - sp.exp(a) - sp.exp(b))


def test_a_field_without_closed_form_gives_none():
    assert flow(field("x,u", x="sin(u) + x**2", u="exp(x*u)")) is None


def test_where_a_flow_exists():
    assert domain(flow(KNOWN[3][0])) == [-s * t + 1]
    assert domain(flow(KNOWN[1][0])) == []


def test_a_parameter_that_is_a_coordinate_is_refused():
    with pytest.raises(EquationError, match="one of its own"):
        flow(field("t,x,u", x="1"), parameter="t")


def moved(solution, found, at, step):
    """The graph of a solution moved by a flow: points and values, as expressions in the old point."""
    place = {u: solution, s: step}
    return {name: value.subs(place, simultaneous=True) for name, value in found.items()}


@pytest.mark.parametrize(
    ("generator", "solution", "residual"),
    [
        (KNOWN[3][0], sp.exp(-x) * sp.exp(t), lambda ut, ux, uxx, _u: ut - uxx),
        (KNOWN[2][0], sp.exp(-(x**2) / (4 * t + 4)) / sp.sqrt(t + 1), lambda ut, ux, uxx, _u: ut - uxx),
        (KNOWN[6][0], x / (t + 1), lambda ut, ux, uxx, U: ut + U * ux - uxx),
    ],
)
def test_flows_carry_solutions_to_solutions(generator, solution, residual):
    """Derivatives along the moved graph by the chain rule, exactly (heat and Burgers equations)."""
    new = moved(solution, flow(generator), None, sp.Rational(1, 5))
    jacobian = sp.Matrix([[sp.diff(new[a], b) for b in (t, x)] for a in ("t", "x")])
    inverse = jacobian.inv()

    def along(expression):
        row = sp.Matrix([[sp.diff(expression, t), sp.diff(expression, x)]]) * inverse
        return row[0], row[1]

    ut, ux = along(new["u"])
    uxx = along(ux)[1]
    left = residual(ut, ux, uxx, new["u"])
    assert abs(sp.N(left.subs({t: sp.Rational(2, 3), x: sp.Rational(4, 7)}), 30)) < 1e-25
