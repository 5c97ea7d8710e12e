"""A point transformation of an equation carries its algebra along, and so does any other choice of basis."""

import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from point_transformations import pushed, transformed
from small_equations import ALL, derived
from symmetry_spaces import Space, Symmetries

from lieapp.lie.invariance import is_symmetry
from lieapp.lie.stages import derive

t, x, u, v, y = sp.symbols("t x u v y", real=True)
SCALES = st.sampled_from([2, 3, 1])
SHIFTS = st.sampled_from([1, -1, 2, 0])
"""What hypothesis tries first moves something."""


@st.composite
def affine(draw):
    """Scaled and sheared variables; the unknown scaled and moved by a multiple of x."""
    return {
        "t": draw(SCALES) * t + draw(SHIFTS),
        "x": draw(SCALES) * x + draw(SHIFTS) * t + draw(SHIFTS),
        "u": draw(SCALES) * u + draw(SHIFTS) * x + draw(SHIFTS),
    }


@st.composite
def homogeneous(draw):
    """As affine, where coefficients are powers or roots of t, x or u: scaled alone."""
    return {"t": draw(SCALES) * t, "x": draw(SCALES) * x, "u": draw(SCALES) * u}


@st.composite
def fibred(draw):
    """x depends on t by a polynomial, u is scaled."""
    return {"x": x + draw(SHIFTS) * t**2 + draw(SHIFTS) * t, "u": draw(SCALES) * u}


@st.composite
def exponential(draw):
    """u is an exponential, moved along x."""
    return {"u": sp.exp(u), "x": x + draw(SHIFTS) * t}


@st.composite
def exchanged(draw):
    """x and u exchange their parts (hodograph), scaled."""
    return {"x": draw(SCALES) * u, "u": draw(SCALES) * x}


@st.composite
def rotated(draw):
    """Two unknowns mixed, x moved along t."""
    a, b = draw(st.sampled_from([(1, 2), (2, 1), (1, -1), (3, 2)]))
    return {"x": draw(SCALES) * x + draw(SHIFTS) * t, "u": a * u + b * v, "v": v + u}


@st.composite
def curves(draw):
    """Variable and unknown of an ordinary equation: affine, triangular or exchanged."""
    kind = draw(st.sampled_from(["affine", "triangular", "exchanged"]))
    if kind == "exchanged":
        return {"x": draw(SCALES) * y + draw(SHIFTS), "y": x}
    by = draw(SHIFTS) * (x**2 if kind == "triangular" else x)
    return {"x": draw(SCALES) * x + draw(SHIFTS), "y": draw(SCALES) * y + by}


CHANGES = {
    "burgers": affine() | fibred() | exponential() | exchanged(),
    "kdv": affine() | fibred() | exponential() | exchanged(),
    "ckdv": homogeneous() | fibred() | exponential() | exchanged(),
    "schroedinger": rotated(),
    "sine-gordon": affine() | fibred() | exponential() | exchanged(),
    "power diffusion": homogeneous() | exponential() | exchanged(),
    "oscillator": curves(),
    "third order": curves(),
    "heat": affine() | fibred() | exponential() | exchanged(),
    "wave": affine() | fibred() | exponential(),
    "hunter-saxton": affine() | fibred() | exponential(),
    "black-scholes": homogeneous() | exponential() | exchanged(),
}
assert set(CHANGES) == set(ALL)


def check_carried_along(name, old):
    """Same dimension and flag, pushed generators are symmetries and span the derived ones modulo the families."""
    judge, truth, _ = derived(name)
    system = transformed(judge.system, old)
    found = derive(system)
    assert not found.unsolved, (old, found.unsolved)
    assert found.certified, (old, found.certificate.reason)
    assert (found.dimension, found.infinite) == (truth.dimension, truth.infinite), (old, system.residuals)
    fields = [pushed(system, old, f.components) for f in truth.generators]
    assert all(is_symmetry(system, f) for f in fields)
    moved = Symmetries(system)
    ours = moved.derived(found)
    carried = Space(tuple(map(moved.vector, fields)), ours.groups)
    assert moved.same(ours, carried)
    assert moved.ranks(ours)[-1] - moved.ranks(Space(groups=ours.groups))[-1] == truth.dimension


@pytest.mark.parametrize("name", CHANGES)
def test_a_transformation_carries_the_algebra_along(name):
    @settings(max_examples=2, deadline=None, derandomize=True)
    @given(CHANGES[name])
    def check(old):
        check_carried_along(name, old)

    check()


@pytest.mark.slow
@pytest.mark.parametrize("name", CHANGES)
def test_many_transformations_carry_the_algebra_along(name):
    @settings(max_examples=15, deadline=None, derandomize=True)
    @given(CHANGES[name])
    def check(old):
        check_carried_along(name, old)

    check()


SINGLE = [
    ("kdv", {"x": sp.exp(x)}),
    ("burgers", {"t": sp.exp(t)}),
    ("sine-gordon", {"t": t + x, "x": t - x}),
    ("heat", {"u": u * sp.exp(t * x)}),
    ("wave", {"t": x, "x": t}),
    ("third order", {"x": 1 / x}),
    ("oscillator", {"y": y * sp.exp(x)}),
    ("oscillator", {"y": y + 1}),
    ("heat", {"u": u - t}),
    ("wave", {"u": u + t**2}),
    ("black-scholes", {"u": u + 1}),
    ("oscillator", {"y": y + x}),
    ("oscillator", {"y": x * y}),
    ("oscillator", {"x": x**2}),
    ("heat", {"u": sp.exp(u) + t}),
]
"""Changes that bring exponentials, poles, sources or another role of the variables into the coefficients."""


@pytest.mark.parametrize(("name", "old"), SINGLE, ids=lambda value: str(value))
def test_single_transformations_carry_the_algebra_along(name, old):
    check_carried_along(name, old)


@pytest.mark.parametrize("field", [{"u": u}, {"x": t**2, "u": t}, {"t": u}])
def test_what_is_no_symmetry_isn_t_after_a_transformation(field):
    """The transformation of fields is no constant answer: those that fail before fail after."""
    judge, _, _ = derived("kdv")
    old = {"x": 2 * x + t**2, "u": 3 * u + x}
    whole = {str(c): field.get(str(c), sp.S.Zero) for c in judge.coordinates}
    assert not is_symmetry(judge.system, whole)
    assert not is_symmetry(transformed(judge.system, old), pushed(judge.system, old, whole))
