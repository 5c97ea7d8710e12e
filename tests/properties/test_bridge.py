"""The bridge from SymPy to torch agrees with exact evaluation on random expressions."""

import math

import pytest
import sympy as sp
import torch
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from lieapp.errors import EquationError
from lieapp.numerics.codegen import Tape

x, y = sp.symbols("x y", real=True)
NUMBERS = [sp.Integer(0), sp.Integer(-2), sp.Rational(1, 3), sp.sqrt(2), sp.pi, sp.Float("0.7")]

UNARY = [
    sp.sin,
    sp.cos,
    sp.tanh,
    sp.sech,
    sp.atan,
    sp.Abs,
    sp.sign,
    sp.Heaviside,
    lambda e: sp.sqrt(2) * e,
    lambda e: sp.exp(sp.tanh(e)),
    lambda e: sp.log(1 + e**2),
    lambda e: sp.sqrt(1 + e**2),
    lambda e: (1 + e**2) ** sp.Rational(-1, 3),
    lambda e: 2 ** sp.sin(e),
    lambda e: e**2,
    lambda e: e**3,
    lambda e: (2 + sp.sin(e)) ** -3,
    lambda e: (2 + sp.cos(e)) ** -1,
]
"""Tame functions, so that round-off is not amplified beyond the tolerance."""

BINARY = [
    lambda a, b: a + b,
    lambda a, b: a - b,
    lambda a, b: a * b,
    sp.Max,
    sp.Min,
    lambda a, b: sp.Piecewise((sp.Rational(1, 3), a > b), (sp.sqrt(2), True)),
    lambda a, b: sp.Piecewise((a, sp.And(a < 1, b >= -1)), (b, True)),
    lambda a, b: sp.atan2(a, 2 + sp.sin(b)),
]

EXPRESSIONS = st.recursive(
    st.sampled_from([x, y, *NUMBERS]),
    lambda below: st.one_of(
        st.tuples(st.sampled_from(UNARY), below).map(lambda p: p[0](p[1])),
        st.tuples(st.sampled_from(BINARY), below, below).map(lambda p: p[0](p[1], p[2])),
    ),
    max_leaves=8,
)
COORDINATE = st.floats(-2, 2, width=32)


def exactly(expression: sp.Expr, a: float, b: float) -> float:
    return float(expression.xreplace({x: sp.Float(a, 40), y: sp.Float(b, 40)}).evalf(30))


def smooth_here(expression: sp.Expr, a: float, b: float) -> float:
    """The value, if no jump and no huge number lies at the point; the example is dropped otherwise."""
    value, near = exactly(expression, a, b), exactly(expression, a + 1e-7, b - 1e-7)
    assume(math.isfinite(value) and abs(value) < 1e3 and abs(value - near) < 1e-3)
    return value


@settings(max_examples=150, deadline=None, derandomize=True)
@given(EXPRESSIONS, COORDINATE, COORDINATE)
def test_tape_agrees_with_evalf(expression, a, b):
    value = smooth_here(expression, a, b)
    for dtype, tolerance in ((torch.float64, 1e-11), (torch.float32, 1e-3)):
        (found,) = Tape([expression], [x, y])(torch.full((2, 3), a, dtype=dtype), torch.tensor(b, dtype=dtype))
        assert found.dtype == dtype and found.shape == (2, 3)
        assert abs(float(found[0, 0]) - value) <= tolerance * max(1.0, abs(value)), expression


@settings(max_examples=30, deadline=None, derandomize=True)
@given(EXPRESSIONS, COORDINATE, COORDINATE)
def test_forward_derivative_of_a_tape_is_the_symbolic_one(expression, a, b):
    derivative = sp.diff(expression, x)
    assume(not derivative.has(sp.DiracDelta, sp.Derivative, sp.Subs))
    value = smooth_here(derivative, a, b)
    tape = Tape([expression], [x, y])
    point = torch.tensor(a, dtype=torch.float64), torch.tensor(b, dtype=torch.float64)
    direction = torch.ones_like(point[0]), torch.zeros_like(point[0])
    found = torch.func.jvp(lambda *z: tape(*z)[0], point, direction)[1]
    assert abs(float(found) - value) <= 1e-9 * max(1.0, abs(value)), expression


@pytest.mark.parametrize("power", [*range(-9, 10), sp.Rational(1, 2), sp.Rational(-5, 2)])
def test_powers(power):
    values = torch.tensor([0.3, 1.7], dtype=torch.float64)
    (found,) = Tape([x**power], [x])(values)
    torch.testing.assert_close(found, values ** float(power), rtol=1e-14, atol=0)


def test_constants_keep_the_dtype_of_the_arguments():
    cases = [sp.Integer(2), sp.sqrt(2), sp.Piecewise((1, x > 0), (2, True)), sp.Max(x, sp.sqrt(3)), sp.Heaviside(x)]
    for dtype in (torch.float32, torch.float64):
        for found in Tape(cases, [x])(torch.linspace(-1, 1, 3, dtype=dtype)):
            assert found.dtype == dtype and found.shape == (3,)
    doubled = Tape([sp.Piecewise((sp.Rational(1, 3), x > 0), (sp.sqrt(2), True))], [x])(
        torch.tensor([1.0, -1.0]).double()
    )
    assert doubled[0].tolist() == [1 / 3, math.sqrt(2)]


def test_value_at_a_jump():
    zero = torch.zeros(1, dtype=torch.float64)
    cases = [sp.Heaviside(x), sp.Heaviside(x, 0), sp.sign(x), sp.Piecewise((1, sp.Eq(x, 0)), (5, True))]
    assert [float(v) for v in Tape(cases, [x])(zero)] == [0.5, 0, 0, 1]


def test_what_can_t_be_computed_is_named():
    with pytest.raises(EquationError, match="gamma can't be computed"):
        Tape([sp.gamma(x)], [x])
    with pytest.raises(EquationError, match="y has no value"):
        Tape([x + y], [x])
    with pytest.raises(EquationError, match="is not real"):
        Tape([sp.I * x], [x])
    with pytest.raises(TypeError, match="takes 2 arguments, not 1"):
        Tape([x + y], [x, y])(torch.zeros(1))


@pytest.mark.parametrize("expression", [sp.exp(sp.sin(x)), sp.sin(x**2), 1 / (1 + x**4), sp.exp(1 / x)])
def test_antiderivatives_that_are_not_elementary(expression):
    tape = Tape([3 * sp.Integral(expression, x)], [x])
    base = 0 if expression.subs(x, 0).is_finite else 1
    for end in (0.5, 1.0, 17.3):
        point = torch.full((2, 1), end, dtype=torch.float64)
        value, rate = torch.func.jvp(lambda z: tape(z)[0], (point,), (torch.ones_like(point),))
        exact = 3 * sp.Integral(expression, (x, base, sp.Float(end, 30))).evalf(15)
        assert value[0, 0].item() == pytest.approx(float(exact), rel=1e-10)
        assert rate[1, 0].item() == pytest.approx(float(3 * expression.subs(x, end)), rel=1e-9)


def test_an_antiderivative_to_both_sides_at_once():
    tape = Tape([sp.Integral(sp.exp(-(x**2)), x)], [x])
    points = torch.linspace(-30, 30, 61, dtype=torch.float64)
    exact = torch.erf(points) * math.sqrt(math.pi) / 2
    assert (tape(points)[0] - exact).abs().max() < 1e-12
    assert tape(torch.zeros(3, dtype=torch.float64))[0].tolist() == [0, 0, 0]
    strange = torch.tensor([1.0, torch.nan, torch.inf], dtype=torch.float64)
    assert torch.isfinite(tape(strange)[0]).tolist() == [True, False, False]
