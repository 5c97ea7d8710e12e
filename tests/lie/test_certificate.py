"""The certificate: complete algebras pass, a generator or family left out is noticed, a false one refused."""

from pathlib import Path
from random import Random

import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from lieapp.equations.coefficients import CoefficientField
from lieapp.equations.equation import read_pde
from lieapp.equations.parsing import parse_system
from lieapp.equations.residues import BadPointError
from lieapp.errors import EquationError
from lieapp.lie.certificate import certify as certificate
from lieapp.lie.certificate.certify import certify
from lieapp.lie.certificate.counting import free_counts
from lieapp.lie.certificate.taylor import Point, random_prime, root
from lieapp.lie.determining import determining_equations
from lieapp.lie.families import Group
from lieapp.lie.stages import derive
from lieapp.registry.catalog import load_catalog
from lieapp.results.truth import CertificateResult

SHIPPED = ("kdv", "ks", "burgers", "nkdv", "ckdv", "heat")
FINITE = {
    "gardner": ("u_t + a*u*u_x + b*u**2*u_x + u_xxx", "t,x", "u", ("a:positive", "b:positive")),
    "logarithm": ("u_t - u_xx - u*log(u)", "t,x", "u", ()),
    "cube root": ("u_t - u**Rational(-4,3)*u_xx + Rational(4,3)*u**Rational(-7,3)*u_x**2", "t,x", "u", ()),
    "symbolic power": ("u_t + u**n*u_xxxx + n*u**(n-1)*u_x*u_xxx", "t,x", "u", ("n:positive",)),
    "root of time": ("u_t + u*u_x + u_xxx + u/(2*(t+1))", "t,x", "u", ()),
    "exponential of time": ("exp(-t/t0)*u_t + u*u_x + u_xxx", "t,x", "u", ("t0:positive",)),
    "sine": ("u_tt - u_xx + sin(u)", "t,x", "u", ()),
    "roots of numbers": ("u_t - sqrt(2)*u_xx + sqrt(3)*u*u_x", "t,x", "u", ()),
    "minimal surface": ("(1+u_y**2)*u_xx - 2*u_x*u_y*u_xy + (1+u_x**2)*u_yy", "x,y", "u", ()),
    "eight": ("y_xx + y", "x", "y", ()),
    "three orders": ("u_x*u_y - 1", "x,y", "u", ()),
}  # fmt: skip
INFINITE = {
    "potential burgers": (["u_t - u_xx - u_x**2"], "t,x", "u"),
    "wave": (["u_tt - u_xx"], "t,x", "u"),
    "klein gordon": (["u_tt - u_xx + u"], "t,x", "u"),
    "kp": (["u_tx + 3*u_x**2/2 + 3*u*u_xx/2 + u_xxxx/4 - 3*u_yy/4"], "t,x,y", "u"),
    "cauchy riemann": (["u_x - v_y", "u_y + v_x"], "x,y", "u,v"),
    "shallow water": (["u_t + u*u_x + h_x", "h_t + u*h_x + h*u_x"], "t,x", "u,h"),
}


def system(equations, independent="t,x", dependent="u", parameters=(), functions=()):
    return parse_system(equations, independent.split(","), dependent.split(","), parameters, functions)


def parts(found, truth):
    """The determining equations and the derived generators in their field."""
    determining = determining_equations(found)
    field, coordinates = determining.field, found.jets.coordinates
    vectors = [[field.element(f.components[str(c)]) for c in coordinates] for f in truth.generators]
    return determining, vectors


def judged(determining, vectors, groups=()):
    return certify(determining, vectors, groups)


@pytest.fixture(scope="module")
def catalog():
    return load_catalog([Path(__file__).parents[2] / "plugins"])


@pytest.mark.parametrize("plugin", SHIPPED)
def test_shipped_equations_are_certified(plugin, catalog):
    result = derive(read_pde(catalog.get(plugin).declaration))
    assert result.certified and result.certificate.reason == ""
    assert result.certificate.dimension == result.dimension
    assert result.certificate.bound == (None if result.infinite else result.dimension)


@pytest.mark.parametrize("case", FINITE)
def test_finite_algebras_and_each_generator_left_out(case):
    equation, independent, dependent, parameters = FINITE[case]
    found = system([equation], independent, dependent, parameters)
    truth = derive(found)
    assert truth.certified and truth.certificate.bound == truth.dimension
    determining, vectors = parts(found, truth)
    assert judged(determining, vectors).certified
    k = Random(case).randrange(len(vectors))
    left = judged(determining, vectors[:k] + vectors[k + 1 :])
    assert not left.certified and left.bound == truth.dimension
    assert str(truth.dimension) in left.reason


@pytest.mark.parametrize("case", INFINITE)
def test_families(case):
    truth = derive(system(*INFINITE[case]))
    assert truth.infinite and truth.certified and truth.certificate.bound is None
    assert truth.certificate.orders == truth.certificate.known


def test_no_symmetry_at_all_needs_high_orders():
    """Painlevé's first equation: that nothing is left follows from ninth derivatives only."""
    truth = derive(system(["y_xx - 6*y**2 - x"], "x", "y"))
    assert truth.certified and truth.dimension == truth.certificate.bound == 0


def test_arbitrary_functions_are_generic():
    truth = derive(system(["u_t - k(u)*u_xx"], functions=["k:u"]))
    assert truth.certified and truth.dimension == 3


def heat_family(determining, *condition):
    """u = alpha(t, x) with a condition given by (derivative, coefficient)."""
    field, unknowns = determining.field, determining.unknowns
    f = unknowns.new((0, 1))
    form = {(f, K): field.one * c for K, c in condition}
    return Group((f,), (form,), ({}, {}, unknowns.form(field, f)))


def test_heat_with_and_without_its_family():
    found = system(["u_t - u_xx"])
    determining, vectors = parts(found, derive(found))
    whole = heat_family(determining, ((1, 0, 0), 1), ((0, 2, 0), -1))
    assert judged(determining, vectors, [whole]).certified
    assert not judged(determining, vectors).certified
    for k in range(len(vectors)):
        assert not judged(determining, vectors[:k] + vectors[k + 1 :], [whole]).certified
    # the same family twice counts once; a part of it isn't all
    again = heat_family(determining, ((1, 0, 0), 1), ((0, 2, 0), -1))
    assert judged(determining, vectors, [whole, again]).certified
    part = heat_family(determining, ((0, 2, 0), 1))
    part = Group(
        part.functions, (*part.conditions, {(part.functions[0], (1, 0, 0)): determining.field.one}), part.values
    )
    assert not judged(determining, vectors, [part]).certified


def test_a_member_of_the_family_among_the_generators_is_noticed():
    found = system(["u_t - u_xx"])
    determining, vectors = parts(found, derive(found))
    whole = heat_family(determining, ((1, 0, 0), 1), ((0, 2, 0), -1))
    field = determining.field
    member = [field.zero, field.zero, field.element(found.jets.independent[1])]
    result = judged(determining, [*vectors, member], [whole])
    assert not result.certified and "independent" in result.reason


def test_dependent_generators_are_noticed():
    found = system(["u_t + u*u_x + u_xxx"])
    determining, vectors = parts(found, derive(found))
    result = judged(determining, [*vectors, vectors[0]])
    assert not result.certified and "independent" in result.reason


def test_more_than_the_equations_allow_is_an_error():
    found = system(["u_t + u*u_x + u_xxx"])
    determining, vectors = parts(found, derive(found))
    t, x, u = found.jets.coordinates
    false = [determining.field.element(e) for e in (x, t, u**2)]
    with pytest.raises(EquationError, match="only"):
        judged(determining, [*vectors, false])
    wide = heat_family(determining, ((1, 0, 0), 1), ((0, 2, 0), -1))
    with pytest.raises(EquationError, match="only"):
        judged(determining, vectors, [wide])


def test_limits_give_a_reason(monkeypatch):
    found = system(["u_t + u*u_x - u_xx - u_yy"], "t,x,y")
    determining, vectors = parts(found, derive(found))
    late = certify(determining, vectors, [], budget=0)
    assert not late.certified and "slow" in late.reason
    monkeypatch.setattr("lieapp.lie.certificate.counting.MAX_UNKNOWNS", 4)
    large = judged(determining, vectors)
    assert not large.certified and "large" in large.reason


def test_two_points_must_agree(monkeypatch):
    found = system(["u_t + u*u_x + u_xxx"])
    determining, vectors = parts(found, derive(found))
    monkeypatch.setattr(
        certificate._Count,
        "at",
        lambda self, further, second=False: CertificateResult(orders=[int(second)], reason=""),
    )
    result = judged(determining, vectors)
    assert not result.certified and "disagree" in result.reason


def test_what_is_unsolved_is_not_certified():
    truth = derive(system(["u_t + f(t)*u*u_x + u_xxx"], functions=["f:t"]))
    if truth.unsolved:
        assert not truth.certified and "unsolved" in truth.certificate.reason
    assert truth.as_json()["certificate"]["reason"] == truth.certificate.reason


@settings(max_examples=25, deadline=None)
@given(st.integers(2, 10**9), st.integers(2, 12), st.integers(0, 5))
def test_roots(value, degree, seed):
    p = random_prime(Random(seed))
    try:
        assert pow(root(value, degree, p), degree, p) == value % p
    except BadPointError:
        assert degree % 2 == 0 and pow(value, (p - 1) // 2, p) == p - 1


def test_series_keep_relations_and_derivatives():
    t, x = sp.symbols("t x", real=True)
    n = sp.Symbol("n", positive=True)
    atoms = [
        sp.sqrt(t + x**2), sp.sin(t * x), sp.cos(t * x), sp.exp(t / 3), sp.exp(t / 2), (1 + t) ** n, sp.log(t + x),
        sp.cbrt(2),
    ]  # fmt: skip
    field = CoefficientField((t, x), (n,))
    root_, sine, cosine, e3, e2, power, log, two = field.elements(atoms)
    point = Point(field, 5, Random(3))
    p = point.p

    def product(*factors):
        result = {0: 1}
        for factor in factors:
            result = point.multiply(result, point.series(factor, 5), 5)
        return result

    squares = product(sine, sine)
    for key, c in product(cosine, cosine).items():
        squares[key] = (squares.get(key, 0) + c) % p
    assert {key: c for key, c in squares.items() if c} == {0: 1}
    assert product(root_, root_) == point.series(field.element(t + x**2), 5)
    assert product(e3, e3, e3) == product(e2, e2)
    assert product(two, two, two) == {0: 2}
    # (1 + t) ∂ₜ (1 + t)ⁿ = n (1 + t)ⁿ, (t + x) ∂ₓ log(t + x) = 1
    for element, v, factor, value in ((power, 0, 1 + t, n * (1 + t) ** n), (log, 1, t + x, sp.Integer(1))):
        raised = {
            key - point.unit(v): c * point.exponents(key)[v] % p
            for key, c in point.series(element, 5).items()
            if point.exponents(key)[v]
        }
        left = point.multiply(raised, point.series(field.element(factor), 4), 4)
        assert left == point.series(field.element(value), 4)


def test_free_counts_of_monomials():
    # f_xx = f_yy = 0: 1, x, y, xy; and a function that vanishes
    assert free_counts([[(2, 0), (0, 2)], [(0, 0)]], 2, 4) == [1, 3, 4, 4, 4]
    # f_t = f_xx: one more at each order in x and one in t by two
    assert free_counts([[(0, 2)]], 2, 3) == [1, 3, 5, 7]
