"""The determining equations against the invariance condition at random jets: equal, and faults are noticed."""

import time
from dataclasses import replace
from random import Random

import pytest

from lieapp.equations.parsing import parse_system
from lieapp.lie import stages as truth
from lieapp.lie.certificate.counting import TooLargeError
from lieapp.lie.certificate.safeguard import disagreement
from lieapp.lie.determining import determining_equations
from lieapp.lie.linear import combined

SYSTEMS = {
    "heat": (["u_t - u_xx"], "t,x", "u", [], []),
    "not in evolution form": (["u_t - u_txx + 3*u*u_x - 2*u_x*u_xx - u*u_xxx"], "t,x", "u", [], []),
    "a root of a derivative": (["u_x**2 + u_t**2 - 1"], "t,x", "u", [], []),
    "exponential of the unknown": (["u_tt - (exp(u)*u_x**2 + exp(u)*u_xx)"], "t,x", "u", [], []),
    "symbolic power": (["u_t - u**n*u_xx - n*u**(n - 1)*u_x**2"], "t,x", "u", ["n:positive"], []),
    "root coefficient": (["u_t + u*u_x + sqrt(t + 1)*u_xxx"], "t,x", "u", [], []),
    "arbitrary function": (["u_t - k*u_xx - k_u*u_x**2"], "t,x", "u", [], ["k:u"]),
    "arbitrary function of a derivative's root": (["u_t - u_xx/(1 + u_x**2)"], "t,x", "u", [], []),
    "hidden condition": (
        ["u_t + u*u_x + v*u_y + p_x", "v_t + u*v_x + v*v_y + p_y", "u_x + v_y"],
        "t,x,y",
        "u,v,p",
        [],
        [],
    ),
    "system": (["u_t + v_xx + (u**2+v**2)*v", "v_t - u_xx - (u**2+v**2)*u"], "t,x", "u,v", [], []),
    "ordinary": (
        ["x_tt + x/(x**2+y**2)**Rational(3,2)", "y_tt + y/(x**2+y**2)**Rational(3,2)"],
        "t",
        "x,y",
        [],
        [],
    ),
}


def found(name):
    equations, independent, dependent, parameters, functions = SYSTEMS[name]
    system = parse_system(equations, independent.split(","), dependent.split(","), parameters, functions)
    return determining_equations(system)


def soon():
    return time.perf_counter() + 60


@pytest.mark.parametrize("name", SYSTEMS)
@pytest.mark.parametrize("seed", [1, 2])
def test_both_say_the_same(name, seed):
    assert disagreement(found(name), Random(seed), soon()) == ""


@pytest.mark.parametrize("name", ["heat", "root coefficient", "system", "symbolic power"])
def test_equations_that_are_too_strict_are_noticed(name):
    """No scaling of the last unknown, or of the first variable: more than the condition at a point demands."""
    right = found(name)
    size = len(right.components)
    for place in (0, size - 1):
        key = (right.components[place], tuple(int(v == place) for v in range(size)))
        wrong = replace(right, equations=[*right.equations, {key: right.field.one}])
        assert "demand more" in disagreement(wrong, Random(3), soon())


@pytest.mark.parametrize("name", ["heat", "root coefficient", "system"])
def test_a_changed_coefficient_is_noticed(name):
    right = found(name)
    k, form = next((k, f) for k, f in enumerate(right.equations) if len(f) > 1)
    key = next(iter(form))
    changed = combined((right.field.one, form), (right.field.one, {key: form[key]}))
    wrong = replace(right, equations=[*right.equations[:k], changed, *right.equations[k + 1 :]])
    assert disagreement(wrong, Random(3), soon())


def test_a_missing_equation_is_noticed():
    right = found("system")
    seen = [
        disagreement(replace(right, equations=right.equations[:k] + right.equations[k + 1 :]), Random(3), soon())
        for k in range(len(right.equations))
    ]
    # some follow from others at the point
    assert sum("demand less" in reason for reason in seen) > len(seen) / 4


def test_the_certificate_is_refused_then(monkeypatch):
    equations = truth.determining_equations

    def strict(system):
        right = equations(system)
        # no scaling
        t = right.components[0]
        return replace(right, equations=[*right.equations, {(t, (1, 0, 0)): right.field.one}])

    monkeypatch.setattr(truth, "determining_equations", strict)
    derived = truth.derive(parse_system(["u_t + u*u_x + u_xxx"], ["t", "x"], ["u"]))
    assert derived.dimension == 3 and not derived.certified
    assert "demand more than the invariance condition" in derived.certificate.reason


def test_it_ends_in_time():
    with pytest.raises(TooLargeError):
        disagreement(found("system"), Random(1), time.perf_counter() - 1)
