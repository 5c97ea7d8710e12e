"""`lieapp.api.symmetries`: text and SymPy's notation give the same algebra."""

import pytest
import sympy as sp

from lieapp.api import symmetries
from lieapp.errors import EquationError, ParseError

t, x = sp.symbols("t x", real=True)
u, v = (sp.Function(name)(t, x) for name in "uv")
nu = sp.Symbol("nu", positive=True)
k = sp.Function("k")
y = sp.Function("y")(x)


def algebra(truth):
    return [g.as_json() for g in truth.generators], [f.as_json()["field"] for f in truth.families]


@pytest.mark.parametrize(
    ("written", "typed"),
    [
        (sp.Eq(u.diff(t) + u * u.diff(x), nu * u.diff(x, 2)), ("u_t + u*u_x - nu*u_xx", "t,x", "u", "nu:positive")),
        (u.diff(t) - u.diff(x, 2), ("u_t - u_xx", "t,x", "u")),
        (
            [u.diff(t) + v.diff(x, 2) + (u**2 + v**2) * v, v.diff(t) - u.diff(x, 2) - (u**2 + v**2) * u],
            (["u_t + v_xx + (u**2+v**2)*v", "v_t - u_xx - (u**2+v**2)*u"], "t,x", "u,v"),
        ),
        (y.diff(x, 2) - sp.exp(y), ("y_xx - exp(y)", "x", "y")),
        (u.diff(t) + 0.5 * u * u.diff(x) + u.diff(x, 3), ("u_t + u*u_x/2 + u_xxx", "t,x", "u")),
        (sp.Eq(u.diff(t), (k(u) * u.diff(x)).diff(x)), ("u_t - k*u_xx - k_u*u_x**2", "t,x", "u", (), "k:u")),
        (u.diff(t) + k(t) * u * u.diff(x) + u.diff(x, 3), ("u_t + k*u*u_x + u_xxx", "t,x", "u", (), "k:t")),
    ],
    ids=str,
)
def test_two_notations_one_algebra(written, typed):
    assert algebra(symmetries(written)) == algebra(symmetries(*typed))


def test_second_derivatives_of_an_arbitrary_function():
    """(k(u) u_x)_xx holds k''."""
    written = symmetries(sp.Eq(u.diff(t), (k(u) * u.diff(x)).diff(x, 2)))
    typed = symmetries(
        "u_t - k*u_xxx - 3*k_u*u_x*u_xx - k_uu*u_x**3", ["t", "x"], ["u"], functions=["k:u"], periodic=["x"]
    )
    assert algebra(written) == algebra(typed) and len(typed.periodic) == 2


def test_an_arbitrary_function_of_an_ode_needs_the_unknown():
    f = sp.Function("f")(x)
    assert symmetries(y.diff(x) + f * y, dependent=[y]).infinite


def test_lengths_and_nonzero():
    heated = u.diff(t) - u.diff(x, 2) - sp.sin(x) * u
    known = symmetries(heated, periodic=[x], lengths={x: 2 * sp.pi})
    assert known.periodic_families and not symmetries(heated, periodic=[x]).periodic_families
    a = sp.Symbol("a", real=True)
    assert a in symmetries(u.diff(t) - a * u.diff(x, 2)).assumed_nonzero
    assert a not in symmetries(u.diff(t) - a * u.diff(x, 2), nonzero=[a]).assumed_nonzero


@pytest.mark.parametrize(
    ("arguments", "error", "word"),
    [
        (([],), EquationError, "no equation"),
        ((["u_t", u.diff(t)],), EquationError, "text"),
        ((u.diff(t) - u.diff(x, 2), (), (), "nu"), EquationError, "typed"),
        ((u.diff(t) - u.diff(x, 2), (), [v]), EquationError, "doesn't occur"),
        ((u.diff(t) - sp.Function("f")(u.diff(x)),), EquationError, "neither"),
        ((x + 1,), EquationError, "no unknown"),
        (("u_t + w", "t,x", "u"), ParseError, "not declared"),
        ((u.diff(t) - sp.Integral(u, x),), EquationError, "Integral"),
        ((u.diff(t) - u.subs(x, 2 * x),), EquationError, "different arguments"),
        ((u.diff(t) - sp.I * u.diff(x, 2),), EquationError, "complex"),
        ((sp.Eq(u.diff(t), sp.conjugate(u)),), EquationError, "complex"),
        ((sp.true,), EquationError, "no equation"),
        ((sp.Matrix([u]),), EquationError, "no equation"),
        ((u.diff(t) - u.diff(x, 2), (), (), (), ()), None, ""),
    ],
)
def test_refused(arguments, error, word):
    if error is None:
        assert symmetries(*arguments).dimension == 6
        return
    with pytest.raises(error, match=word) as caught:
        symmetries(*arguments)
    assert caught.value.hint


def test_periodic_in_an_unknown_name():
    with pytest.raises(EquationError, match="periodic in z"):
        symmetries("u_t - u_xx", "t,x", "u", periodic="z")


def test_parts_of_a_truth_are_shown_as_they_are_printed():
    heat = symmetries(u.diff(t) - u.diff(x, 2))
    (family,) = heat.families
    assert str(family) == repr(family) == "alpha d_u for every alpha(t, x) where alpha_t - alpha_xx = 0"
    assert f"  {family}" in str(heat).splitlines() and repr(heat) == str(heat)
    assert repr(heat.generators[:2]) == "(d_t, d_x)"


def test_shown_as_text_and_latex():
    truth = symmetries(u.diff(t) - sp.Symbol("D", positive=True) * u.diff(x, 2))
    assert str(truth).splitlines()[0].startswith("6 point symmetries modulo the families")
    assert "certified to be complete" in str(truth)
    assert truth.generators[0]._repr_latex_() == r"$\displaystyle \partial_{t}$"
