"""A given field: whether it is a symmetry, for which values of its unknowns, and what is left if it isn't."""

import pytest
import sympy as sp

from lieapp.api import holds, symmetries
from lieapp.errors import BudgetError, LieappError, UsageError
from lieapp.lie.given.told import sentence
from lieapp.lie.given.told import told as words
from lieapp.lie.invariance import is_symmetry

KDV = ("u_t - 6*u*u_x + u_xxx", "t,x", "u")
HEAT = ("u_t - u_xx", "t,x", "u")
POWER = ("u_t - u**n*u_xx - n*u**(n - 1)*u_x**2", "t,x", "u", "n")
NLS = (["u_t + v_xx + (u**2 + v**2)*v", "v_t - u_xx - (u**2 + v**2)*u"], "t,x", "u,v")
BLASIUS = ("u_xxx + u*u_xx", "x", "u")


def told(found):
    return [{name: str(value) for name, value in row.items()} for row in found.values]


@pytest.mark.parametrize(
    ("equation", "field", "values"),
    [
        (KDV, "x: a*t, u: 1", [{"a": "-6"}]),
        (KDV, "a*t*d_x + d_u", [{"a": "-6"}]),
        (KDV, '{"t": "0", "x": "-6*t", "u": "1"}', [{}]),
        (KDV, "-6*t ∂x + ∂u", [{}]),
        (KDV, "t: a*t, x: b*x, u: c*u", [{"b": "a/3", "c": "-2*a/3"}]),
        (KDV, "t: a**3*t, x: b*x, u: -2*b*u", [{"b": "a**3/3"}]),
        (KDV, "x: f(t), u: g(t)", [{"f": "-6*c1*t + c2", "g": "c1"}]),
        (KDV, "x: 6*f(t), u: -f_t", [{"f": "c1 + c2*t"}]),
        (HEAT, "u: x**a", [{"a": "0"}, {"a": "1"}]),
        (HEAT, "u: exp(a*t + b*x)", [{"a": "b**2"}]),
        (HEAT, "u: f(t)*x**2 + g(t)", [{"f": "c1", "g": "2*c1*t + c2"}]),
        (("u_t - u_xx - airyai(x)*u", "t,x", "u"), "t: 1, u: besselj(0, a)*u", [{}]),
        (("y_xx - x*y", "x", "y"), "y: airyai(x) + a*airybi(x)", [{}]),
        (("y_xx - x*y", "x", "y"), "y: airyai(a*x)", [{"a": "1"}]),
        (HEAT, "u: f(u)", [{"f": "c1 + c2*u"}]),
        (NLS, "u: a*v, v: -a*u", [{}]),
        (NLS, "x: 2*t, u: -a*v*x, v: b*u*x", [{"a": "1", "b": "1"}]),
        (BLASIUS, "x: a*x, u: b*u", [{"b": "-a"}]),
        (POWER, "t: t, u: a*u", [{"a": "-1/n"}]),
        (("u_t - u_xx + n**2*u", "t,x", "u", "n"), "u: exp(a*x)", [{"a": "-n"}, {"a": "n"}]),
        (HEAT, "t: a*b*t, x: b*x", [{"a": "2"}]),
        (HEAT, "t: a**3*t, x: b**3*x + a**5", [{"a": "2**(1/3)*b"}]),
        (("y_xx - x**n*y**m", "x", "y", "n;m"), "x: a*x, y: b*y", [{"b": "a*(-n - 2)/(m - 1)"}]),
    ],
)  # fmt: skip
def test_values_of_unknowns(equation, field, values):
    found = holds(*equation, field=field)
    assert found.holds is True and told(found) == values and found.leftover == ()


@pytest.mark.parametrize(
    ("equation", "field"),
    [(("u_t - u_xx - n**2*u", "t,x", "u", "n"), "u: exp(a*x)"),
     (KDV, "t*d_x + d_u"), (KDV, "x: a*x"), (HEAT, "x: f(u)*x"), (HEAT, "u: a*u**2"), (NLS, "u: a*u"),
     (BLASIUS, "x: f(u)*x"), (POWER, "u: a*x")],
)  # fmt: skip
def test_what_does_not_hold_leaves_something(equation, field):
    found = holds(*equation, field=field)
    assert found.holds is False and found.values == [] and found.leftover


def test_the_leftover_is_the_invariance_condition():
    # pr V(u_t - 6 u u_x + u_xxx) of x ∂x is 3 (u_t - 4 u u_x), by hand
    found = holds(*KDV, field="x: x")
    u, u_t, u_x = sp.symbols("u u_t u_x", real=True)
    assert [sp.expand(e - 3 * (u_t - 4 * u * u_x)) for e in found.leftover] == [0]


@pytest.mark.parametrize(
    ("field", "special"),
    [
        # Ovsiannikov 1959: the fifth symmetry of (uⁿ u_x)_x is that of n = -4/3
        ("x: x**2, u: a*x*u", [{"n": "-4/3", "a": "-3"}]),
        ("x: x**2, u: -3*x*u", [{"n": "-4/3"}]),
        ("u: a", [{"n": "0"}]),
    ],
)
def test_special_parameters(field, special):
    found = holds(*POWER, field=field)
    assert found.holds is False and found.leftover
    assert [{name: str(value) for name, value in case.told.items()} for case in found.special] == special


def test_functions_of_derivatives_and_of_expressions_in_the_equation():
    slope = ("u_t - f*u_xx", "t,x", "u", (), "f:u_x")
    assert told(holds(*slope, field="t: 2*t, x: x, u: a*u")) == [{"a": "1"}]
    wave = ("u_t - u_xx - F(x - t)*u", "t,x", "u", (), "F:s")
    assert told(holds(*wave, field="t: 1, x: a")) == [{"a": "1"}]
    # the same F at another place
    assert holds(*wave, field="t: F(x)").holds is False


def test_conditions_of_functions_are_told_as_where():
    assert sentence(words(holds(*HEAT, field="u: f(t, x)"))) == "a symmetry where -f_t + f_xx = 0"


def test_a_special_value_against_an_assumption_is_none():
    equation = ("u_t - u**n*u_xx - n*u**(n - 1)*u_x**2", "t,x", "u", "n:positive")
    assert holds(*equation, field="x: x**2, u: a*x*u").special == ()


def test_functions_that_are_left_have_conditions():
    found = holds(*HEAT, field="u: f(t, x)")
    assert found.holds and [list(map(str, case.conditions)) for case in found.cases] == [["-f_t + f_xx"]]
    found = holds("u_tt - c**2*u_xx", "t,x", "u", "c:positive", field="t: f(t, x), x: g(t, x)")
    assert found.holds and len(found.cases[0].conditions) >= 2


@pytest.mark.parametrize("equation", [KDV, HEAT, NLS, BLASIUS, ("u_t + u*u_x + u_xxx + u/(2*(t + 1))", "t,x", "u")])
def test_every_derived_generator_holds_and_their_combination_with_another_only_without_it(equation):
    truth = symmetries(*equation)
    for generator in truth.generators:
        assert holds(*equation, field=generator).holds
    # Σ cᵢ Vᵢ + c W for a W that is no symmetry
    names = [str(c) for c in truth.system.jets.coordinates]
    other = {names[0]: sp.Symbol("z") * sp.Symbol(names[-1]) ** 2}
    terms = [{n: sp.Symbol(f"c{k}") * e for n, e in g.components.items()} for k, g in enumerate(truth.generators)]
    whole = {name: sp.Add(*(row.get(name, 0) for row in [*terms, other])) for name in names}
    found = holds(*equation, field=whole)
    assert found.holds and told(found) == [{"z": "0"}]


def test_sympy_equations_and_fields():
    t, x, a, n = sp.symbols("t x a n")
    u, k, f = sp.Function("u")(t, x), sp.Function("k"), sp.Function("f")
    diffusion = sp.Eq(u.diff(t), (k(u) * u.diff(x)).diff(x))
    assert holds(diffusion, field={t: a * t, x: x}).values == [{"a": 2}]
    found = holds(diffusion, field={t: t, u: 1})
    assert found.holds is False and "k + k_u" in map(str, found.unexamined)
    power = sp.Eq(u.diff(t), (u**n * u.diff(x)).diff(x))
    assert holds(power, field={"x": x**2, u: a * x * u}).special[0].told == {"n": sp.Rational(-4, 3), "a": -3}
    heat = sp.Eq(u.diff(t), u.diff(x, 2))
    assert told(holds(heat, field={"x": f(t), "u": f(t).diff(t) * u})) == [{"f": "c1"}]


def test_values_are_symmetries_by_the_independent_check():
    found = holds(*HEAT, field="t: a*t**2, x: b*t*x, u: (c*t + e*x**2)*u")
    (values,) = found.values
    field = {name: e.subs({sp.Symbol(k, real=True): v for k, v in values.items()})
             for name, e in found.field.components.items()}  # fmt: skip
    assert len(values) == 3 and is_symmetry(found.system, field)


@pytest.mark.parametrize(
    ("field", "said"),
    [
        ("", "is empty"), ("   ", "is empty"), ("x: 0", "is 0"), ({}, "is 0"), ("x: t - t", "is 0"),
        ("y: 1", "component of y"), ({"y": 1}, "component of y"), ("x: t, x: u", "two components of x"),
        ("x: f()", "function of nothing"), ("x: f(2*t)", "coordinates as its arguments"),
        ("x: f(a)", "coordinates as its arguments"), ("x: u_x", "depend on t, x, u only"),
        ("x: f(t), u: f(x)", "f is declared as f(t)"), ("x: f_t", "no function f"),
        ("x: f(t), u: f_x", "depend on x"), ("x: t(2)", "t is no function"), ("x: ", "missing"),
        ("x: 1 +", "missing"), ("a", "isn't a sum of components"), ("d_x*d_u", "isn't a sum of components"),
        ("d_y", "'d_y' is not declared"), ("{x: 1", "JSON"), (":", "is no field"),
        ("x: f(t)**2", "isn't linear in its unknown functions"), ("x: f(t)*g(x)", "isn't linear"),
        ("x: __import__('os')", "can't stand in a field"), ("x: I", "can't stand"), (7, "field is 7"),
        (None, "field is None"),
        ("x: Integral(t, t)", "can't stand"), ("x: 1/0", "component of x"),
    ],
)  # fmt: skip
def test_bad_fields_are_told_in_one_error(field, said):
    with pytest.raises(LieappError) as caught:
        holds(*HEAT, field=field)
    assert isinstance(caught.value, UsageError) and said in caught.value.message and caught.value.hint


def test_a_budget_that_is_too_small():
    with pytest.raises(BudgetError):
        holds(*NLS, field="u: v, v: -u", budget=1e-4)


NAVIER_STOKES = (
    ["u_t + u*u_x + v*u_y + p_x - nu*(u_xx + u_yy)", "v_t + u*v_x + v*v_y + p_y - nu*(v_xx + v_yy)", "u_x + v_y"],
    "t,x,y", "u,v,p", "nu",
)  # fmt: skip


def test_fields_of_a_system():
    # Lloyd 1981, Acta Mech. 38, 85: moving coordinates, scalings, and a pressure that depends on time alone
    found = holds(*NAVIER_STOKES, field="x: f(t), u: g(t), p: x*h(t)")
    assert [{name: str(e) for name, e in row.items()} for row in found.values] == [
        {"g": "Derivative(f(t), t)", "h": "-Derivative(f(t), (t, 2))"}
    ]
    scaling = holds(*NAVIER_STOKES, field="t: a*t, x: b*x, y: b*y, u: c*u, v: c*v, p: d*p")
    assert told(scaling) == [{"b": "a/2", "c": "-a/2", "d": "-a"}]
    # Euler's equations have one more: Olver 1993, example 2.45
    assert [case.told["nu"] for case in scaling.special] == [0]
    assert told(holds(*NAVIER_STOKES, field="p: f(t, x)")) == [{"f": "f1(t)"}]


@pytest.mark.parametrize(
    ("equation", "function", "field", "outcome"),
    [
        ("u_t - F(x - t)*u_xx", "F:s", "t: 1, x: a", [{"a": "1"}]),
        ("u_t + F(x)*u_x", "F:s", "x: a*F(x)", [{}]),
        ("u_t - (k(x, u)*u_x)_x", "k:x,u", "t: 1, x: a", [{"a": "0"}]),
        ("u_t - f(u_x)*u_xx", "f:u_x", "t: 2*t, x: a*x, u: u", [{"a": "1"}]),
    ],
)
def test_equations_with_functions_of_every_kind(equation, function, field, outcome):
    assert told(holds(equation, "t,x", "u", (), function, field=field)) == outcome


def test_a_function_of_a_derivative_is_no_component():
    with pytest.raises(UsageError, match="depends on u_x"):
        holds("u_t - f*u_xx", "t,x", "u", (), "f:u_x", field="x: f")
