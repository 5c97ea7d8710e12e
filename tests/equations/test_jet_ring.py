"""Polynomials in derivatives: divergences, the Euler operator, representatives, weights."""

import itertools

import pytest
import sympy as sp

from lieapp.equations.equation import read_pde
from lieapp.equations.evolution import evolution_form
from lieapp.equations.jet_ring import JetRing, orders_needed
from lieapp.equations.monomials import Monomial, monomials, relations, representatives, unknown_weight
from lieapp.equations.parsing import parse_system
from lieapp.equations.variational import euler
from lieapp.registry.catalog import load_catalog


def evolution(*equations):
    names = {"v"} if any("v_" in text for text in equations) else set()
    return evolution_form(parse_system(list(equations), ["t", "x"], ["u", *sorted(names)]))


KDV = "u_t + u*u_x + u_xxx"
NLS = ("u_t + v_xx + 2*(u**2 + v**2)*v", "v_t - u_xx - 2*(u**2 + v**2)*u")


@pytest.mark.parametrize("equations", [(KDV,), NLS])
def test_euler_operator_is_that_of_expressions_and_kills_divergences(equations):
    found = evolution(*equations)
    ring, jets = JetRing(found, 12), found.jets
    for monomial in monomials(found, 7, 1, 3)[::5]:
        p = ring.monomial(monomial.factors)
        for a in range(len(jets.dependent)):
            expected = euler(monomial.expression(jets), jets, a)
            assert sp.expand(ring.euler(p, a).as_expr() - expected) == 0
            assert ring.euler(ring.total(p, 1), a) == 0


def test_in_the_plane():
    heat = load_catalog().get("lambda_omega").declaration
    found = evolution_form(read_pde(heat))
    ring, jets = JetRing(found, 6), found.jets
    some = [m for m in monomials(found, 5, 2, 2) if m.order == 2][:6]
    for monomial, a in itertools.product(some, range(2)):
        p = ring.monomial(monomial.factors)
        assert sp.expand(ring.euler(p, a).as_expr() - euler(monomial.expression(jets), jets, a)) == 0
        assert not any(ring.gradient(ring.total(p, found.space[1])))


def test_representatives_span_all_monomials_modulo_divergences():
    found = evolution(KDV)
    ring = JetRing(found, 8)
    every = monomials(found, 10, 2, 3)
    kept = representatives(ring, every)
    gradients = [ring.gradient(ring.monomial(m.factors)) for m in kept]
    assert relations(gradients) == []
    for monomial in every:
        if monomial not in kept:
            assert relations([*gradients, ring.gradient(ring.monomial(monomial.factors))])
    assert [str(m.expression(found.jets)) for m in kept[:5]] == ["u", "u**2", "u**3", "u_x**2", "u**4"]


@pytest.mark.parametrize(
    ("equations", "weight"),
    [
        ((KDV,), 2),
        (NLS, 1),
        (("u_t + u**2*u_x + u_xxx",), 1),
        (("u_t + u*u_x - u_xxxxx",), 4),
        (("u_t + u*u_x + u_xx + u_xxxx",), 3),  # no scaling; u u_x weighs as much as u_xxxx
        (("u_t + u*u_x + u**2*u_x + u_xxx",), 1),
        (("u_t + u**3*u_x + u_xxx",), 1),  # 2/3
        (("u_t - u_xx",), 2),  # any weight
        (("u_t - exp(u)*u_x",), 2),
    ],
)
def test_weight_of_the_scaling(equations, weight):
    assert unknown_weight(evolution(*equations)) == weight


def test_conserved_densities_of_kdv_are_those_published():
    """Miura, Gardner & Kruskal, J. Math. Phys. 9 (1968) 1204, rescaled to u_t + u u_x + u_xxx = 0."""
    found = evolution(KDV)
    ring = JetRing(found, orders_needed(found, 2))
    u, ux, uxx = ([(0, (0, k))] for k in range(3))
    square = ring.monomial(u * 2)
    cube = ring.monomial(u * 3) - 3 * ring.monomial(ux * 2)
    fourth = 5 * ring.monomial(u * 4) - 60 * ring.monomial([*u, *ux, *ux]) + 36 * ring.monomial(uxx * 2)
    for law in (square, cube, fourth):
        assert ring.change(law) == [0]
    assert ring.change(ring.monomial(u * 3)) != [0]
    kept = representatives(ring, monomials(found, 8, 2, 2))
    assert len(relations([ring.change(ring.monomial(m.factors)) for m in kept])) == 4  # with the mass


def test_coefficients_that_depend_on_time_are_constants_along_x():
    found = evolution("u_t + sqrt(t + 1)*u*u_x + u_xxx")
    ring = JetRing(found, orders_needed(found, 1))
    assert ring.change(ring.monomial([(0, (0, 0))] * 2)) == [0]
    assert JetRing(evolution("u_t + cos(x)*u_x"), 2).rates is None


def test_monomials_carry_their_order_and_degree():
    monomial = Monomial(((0, (0, 0)), (0, (0, 2)), (0, (0, 2))))
    assert (monomial.order, monomial.degree, monomial.derivatives) == (2, 3, 4)
