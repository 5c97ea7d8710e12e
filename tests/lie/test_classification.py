"""Special parameters and functions, against published classifications; what is left is said."""

import time
from dataclasses import replace

import msgspec
import pytest
import sympy as sp

from lieapp.api import classify, symmetries
from lieapp.equations.parsing import parse_system
from lieapp.errors import LieappError, UsageError
from lieapp.lie.classes import classification, special_functions
from lieapp.lie.classes.told import begun, told
from lieapp.lie.deadline import Clock
from lieapp.results.classification import ClassifyResult

DIFFUSION = ("u_t - k*u_xx - k_u*u_x**2", "t,x", "u", (), "k:u")
WAVE = ("u_tt - k*u_xx - k_u*u_x**2", "t,x", "u", (), "k:u")
REACTION = ("u_t - u_xx - f", "t,x", "u", (), "f:u")
PLANE = ("u_t - k*u_xx - k_u*u_x**2 - k*u_yy - k_u*u_y**2", "t,x,y", "u", (), "k:u")
LONG = 500.0
"""Seconds that suffice on a busy machine too."""

POWER = ("u_t - x**n*u_xx", "t,x", "u", "n")


def table(found):
    """Dimension, and whether there are families, by the conditions."""
    return {", ".join(b.conditions()): (b.dimension, b.infinite) for b in found.branches}


def check(found):
    """Every branch is certified and no less than the one before, and nothing was left."""
    assert found.pending == [] and found.left == []
    for branch in found.branches:
        assert branch.certified and not branch.unsolved
        assert branch.before is None or branch.gains(found.branches[branch.before])


def test_nonlinear_diffusion():
    # Ovsiannikov 1959; Ibragimov (ed.), CRC Handbook of Lie Group Analysis of Differential Equations 1, §10.2
    found = classify(*DIFFUSION, budget=LONG)
    check(found)
    assert table(found) == {
        "": (3, False), "k = 1": (6, True), "k = exp(u)": (4, False), "k = u**n": (4, False),
        "k = u**(-4/3)": (5, False),
    }  # fmt: skip
    last = found.branches[-1]
    assert found.branches[last.before].conditions() == ["k = u**n"]
    assert [f.text() for f in last.more] == ["x**2 d_x - 3*u*x d_u"]
    # no families: as many as the dimensions differ by
    for branch in found.branches[2:]:
        assert len(branch.more) == branch.dimension - found.branches[branch.before].dimension
    assert found.excluded == ["k = 0"]


@pytest.mark.slow
def test_nonlinear_waves():
    # Ames, Lohner, Adams 1981, Int. J. Non-Linear Mech. 16, 439
    found = classify(*WAVE, budget=LONG)
    check(found)
    assert table(found) == {
        "": (3, False), "k = 1": (1, True), "k = exp(u)": (4, False), "k = u**n": (4, False),
        "k = u**(-4)": (5, False), "k = u**(-4/3)": (5, False),
    }  # fmt: skip


@pytest.mark.slow
def test_heat_with_a_source():
    # Dorodnitsyn 1982, Zh. Vychisl. Mat. Mat. Fiz. 22, 1393, the lines with k = 1
    found = classify(*REACTION, budget=LONG)
    check(found)
    assert table(found) == {
        "": (2, False), "f = 0": (6, True), "f = 1": (6, True), "f = u": (6, True), "f = exp(u)": (3, False),
        "f = u**n": (3, False), "f = u*log(u)": (4, False),
    }  # fmt: skip


@pytest.mark.slow
def test_nonlinear_diffusion_in_the_plane():
    # Dorodnitsyn, Knyazeva, Svirshchevskii 1983, Diff. Uravn. 19, 1215
    found = classify(*PLANE, budget=LONG)
    check(found)
    assert table(found) == {
        "": (5, False), "k = 1": (9, True), "k = exp(u)": (6, False), "k = u**n": (6, False), "k = 1/u": (2, True)
    }  # fmt: skip


def test_a_power_of_the_variable():
    # Lie 1881: u_t = g(x) u_xx is the heat equation up to a transformation exactly for these powers
    found = classify(*POWER)
    check(found)
    assert table(found) == {"": (4, True), "n = 0": (6, True), "n = 2": (6, True), "n = 4": (6, True)}


def test_an_ordinary_differential_equation():
    # y'' = f(y): Lie 1891; Ibragimov, Elementary Lie Group Analysis and Ordinary Differential Equations, §12.2
    found = classify("y_xx - f", "x", "y", (), "f:y", budget=LONG)
    assert table(found) == {
        "": (1, False), "f = 0": (8, False), "f = 1": (8, False), "f = y": (8, False), "f = exp(y)": (2, False),
        "f = y**n": (2, False), "f = y**(-3)": (3, False),
    }  # fmt: skip
    # a dependence of seven expressions isn't solved in general
    assert len(found.left) == 1 and found.left[0].endswith("all but exponentials and powers")


@pytest.mark.slow
def test_korteweg_de_vries_with_a_dispersion_of_time():
    # the same source: also the class of t**n, taken to (t + 1)**(1 - n) t**n by a projective transformation; t to 1
    found = classify("u_t + u*u_x + k*u_xxx", "t,x", "u", (), "k:t", budget=LONG)
    assert table(found) == {
        "": (2, False), "k = 1": (4, False), "k = t": (4, False), "k = exp(t)": (3, False), "k = t**n": (3, False),
        "k = t**n*(t + 1)**(1 - n)": (3, False),
    }  # fmt: skip
    assert found.pending == [] and any("those with arctan" in text for text in found.left)


def test_korteweg_de_vries_with_a_coefficient_of_time():
    # Popovych, Vaneeva 2010, Commun. Nonlinear Sci. Numer. Simul. 15, 3887: powers, exponentials, and those that a
    # projective transformation takes to them
    found = classify("u_t + k*u*u_x + u_xxx", "t,x", "u", (), "k:t", budget=LONG)
    assert table(found) == {
        "": (2, False), "k = 0": (4, True), "k = 1": (4, False), "k = 1/sqrt(t)": (4, False),
        "k = exp(t)": (3, False), "k = t**n": (3, False),
    }  # fmt: skip
    assert found.pending == [] and all(b.certified for b in found.branches)
    assert len(found.left) == 1 and "of its solutions all but exponentials and powers" in found.left[0]


def test_korteweg_de_vries_with_a_damping_of_time():
    # a condition with terms of several degrees; for a/t the waves are spherical or cylindrical
    found = classify("u_t + u*u_x + u_xxx + k*u", "t,x", "u", (), "k:t", budget=LONG)
    assert table(found) == {
        "": (2, False), "k = 0": (4, False), "k = 1": (3, False), "k = a/t": (3, False), "k = 1/(2*t)": (4, False)
    }  # fmt: skip
    assert found.pending == [] and len(found.left) == 1


@pytest.mark.parametrize(
    ("equation", "special", "size"),
    [
        (DIFFUSION, "u**3", 4), (DIFFUSION, "exp(-2*u)", 4), (DIFFUSION, "(2*u + 1)**Rational(-4, 3)", 5),
        (DIFFUSION, "u**2 + 1", 3), (DIFFUSION, "1/(u**2 + 1)", 3), (DIFFUSION, "log(u)", 3),
        (WAVE, "(u - 3)**Rational(-4, 3)", 5), (WAVE, "u + 2", 4), (WAVE, "u**2 + u", 3),
        (REACTION, "u**2 + u", 2), (REACTION, "(u + 1)**2", 3), (REACTION, "3*u*log(u) + u", 4),
    ],
)  # fmt: skip
def test_special_functions_have_what_the_table_says(equation, special, size):
    """The lines hold for functions that scalings and translations take to them; others have what any has."""
    text, independent, dependent, _, function = equation
    name, _, argument = function.partition(":")
    y = sp.sympify(special)
    slope = sp.diff(y, sp.Symbol(argument))
    text = text.replace(f"{name}_{argument}", f"({slope})").replace(f"{name}*", f"({y})*")
    text = text.replace(f"- {name}", f"- ({y})")
    assert symmetries(text, independent, dependent).dimension == size


def test_parameters_with_assumptions():
    equation = ("u_t - u**n*u_xx - n*u**(n - 1)*u_x**2", "t,x", "u")
    assert table(classify(*equation, "n")) == {"": (4, False), "n = 0": (6, True), "n = -4/3": (5, False)}
    assert table(classify(*equation, "n:positive")) == {"": (4, False)}
    assert table(classify(*equation, "n, n != 0")) == {"": (4, False), "n = -4/3": (5, False)}


@pytest.mark.slow
def test_sympy_equations():
    t, x = sp.symbols("t x", real=True)
    u, k = sp.Function("u")(t, x), sp.Function("k")
    found = classify(sp.Eq(u.diff(t), (k(u) * u.diff(x)).diff(x)))
    assert "k = u**(-4/3)" in table(found) and repr(found).splitlines()[0] == "any: 3"


@pytest.mark.slow
def test_it_is_gone_on_with_where_the_budget_ended():
    system = parse_system([DIFFUSION[0]], ["t", "x"], ["u"], functions=["k:u"])
    began = time.perf_counter()
    whole = table(classify(*DIFFUSION, budget=LONG))
    half = (time.perf_counter() - began) / 2
    found, sittings = None, 0
    while found is None or found.pending:
        found = classification.classify(system, Clock(half), found)
        # as JSON keeps it
        kept = msgspec.json.decode(msgspec.json.encode(told(found)), type=ClassifyResult)
        assert [b.parent for b in kept.branches][:1] == [None] and bool(kept.pending) == bool(found.pending)
        found, sittings = begun(system, kept), sittings + 1
        assert sittings < 40
    assert sittings > 1 and table(found) == whole


@pytest.mark.parametrize(
    ("equation", "function", "size"),
    [("u_t - f*u_xx", "f:u_x", 4), ("u_t - u_xx - k*u", "k:t,x", 1), ("u_t - u_xx - k(x - t)*u", "k:s", 2)],
)  # fmt: skip
def test_conditions_of_other_functions_are_left(equation, function, size):
    """Of several arguments, of a derivative, or at an expression: the whole class, and what isn't solved."""
    found = classify(equation, "t,x", "u", (), function, budget=LONG)
    assert [b.dimension for b in found.branches] == [size]
    assert found.pending == [] and found.left and told(found).left == found.left


def test_a_case_within_another_is_told_once():
    found = classify("u_t - u_xx - a*u**n", "t,x", "u", "a,n", budget=LONG)
    assert table(found) == {"": (3, False), "n = 1": (6, True), "n = 0": (6, True), "a = 0": (6, True)}


def late(monkeypatch, times):
    """As many derivations as given find no condition: their time is over."""
    real, left = classification._Search.derived, [times]

    def derived(self, *arguments):
        left[0] -= 1
        branch = real(self, *arguments)
        return branch if left[0] < 0 else replace(branch, late=True, unsolved=("late",), assumed=(), spans=())

    monkeypatch.setattr(classification._Search, "derived", derived)


def test_a_whole_class_that_lacks_time_is_derived_anew(monkeypatch):
    system = parse_system([POWER[0]], ["t", "x"], ["u"], ["n"])
    late(monkeypatch, 1)
    found = classification.classify(system, Clock(LONG))
    # in the same sitting, if there is time
    assert found.pending == [] and found.left == []
    assert table(found) == {"": (4, True), "n = 0": (6, True), "n = 2": (6, True), "n = 4": (6, True)}
    late(monkeypatch, 1)
    work = classification.Classification(system)
    classification._Search(work, Clock(LONG)).first()
    kept = told(work)
    assert [o.told for o in work.pending] == ["the whole class"] and "not yet: the whole class" in kept.left
    found = classification.classify(system, Clock(LONG), begun(system, kept))
    assert len(found.branches) == 4 and found.pending == [] and found.left == []


def test_what_an_incomplete_derivation_may_miss_is_said(monkeypatch):
    # twice in a sitting; the next one may be longer
    system = parse_system([POWER[0]], ["t", "x"], ["u"], ["n"])
    late(monkeypatch, 2)
    found = classification.classify(system, Clock(LONG))
    assert [o.told for o in found.pending] == ["the whole class"] and len(found.branches) == 1
    assert found.left == ["more symmetries and special cases: the derivation isn't complete"]
    assert "1 condition was not examined in time" in told(found).sentence
    assert len(classification.classify(system, Clock(LONG), found).branches) == 4


@pytest.mark.slow
def test_what_is_pending_is_said():
    found = classify(*REACTION, budget=3)
    assert found.pending and "not complete" in told(found).sentence
    assert any(text.startswith("not yet: ") for text in told(found).left)
    more = classify(*REACTION, budget=LONG, begun=found)
    assert more.pending == [] and "f = u*log(u)" in table(more)


OTHERS = {
    # functions that no ordinary equation determines, beside a parameter: the value with more symmetries
    "two arguments": ("u_t - u_xx - k*u**n", "k:t,x", "n = 1"),
    "an expression": ("u_t - u_xx - F(x - t)*u**n", "F:s", "n = 1"),
    "a derivative": ("u_t - n*f*u_xx - (u**n*u_x)_x", "f:u_x", "n = 0"),
}


@pytest.mark.parametrize("name", [pytest.param("two arguments", marks=pytest.mark.slow), *list(OTHERS)[1:]])
def test_functions_that_are_not_solved_for_are_left(name):
    equation, function, special = OTHERS[name]
    found = classify(equation, "t,x", "u", "n", function, budget=20)
    assert special in table(found) and any(function[0] in text for text in found.left)
    again = begun(found.system, told(found))
    assert table(again) == table(found)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("u_t - u_xx", "t,x", "u"), "nothing to classify"),
        (("u_t - u_xx", "t,x", "u", "n"), "n is declared but occurs in no equation"),
        (("u_t - k*u_xx", "t,x", "u", (), "k:"), "k must be given arguments among t, x, u"),
        (("u_t - k*u_xx", "t,x", "u", (), "k:z"), "k needs its argument in parentheses"),
        (("u_t - n*u_xx", "t,x", "u", "n:positive, n:negative"), "n"),
        (("u_t - n*u_xx", "t,x", "u", "n, n != n"), "nothing fulfils this"),
    ],
)
def test_bad_input(arguments, said):
    with pytest.raises(LieappError) as caught:
        classify(*arguments)
    assert said in caught.value.message and caught.value.hint
    assert isinstance(caught.value, (UsageError, LieappError))


def test_what_sympy_gives_up_is_unsolved_and_a_fault_of_ours_is_not_hidden(monkeypatch):
    x, y, y1 = sp.symbols("x y y1", real=True)
    equation = y1 - x * y

    def wrong(*arguments, **options):
        raise TypeError("a fault")

    with monkeypatch.context() as patch:
        patch.setattr(sp, "integrate", wrong)
        with pytest.raises(special_functions.UnsolvedError):
            special_functions.solutions(equation, [y, y1], x, special_functions.Constants())
    monkeypatch.setattr(special_functions, "tidy", wrong)
    with pytest.raises(TypeError, match="a fault"):
        special_functions.solutions(equation, [y, y1], x, special_functions.Constants())
