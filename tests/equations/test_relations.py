"""Equations that aren't solved for their leading derivative but kept as a relation for it."""

from random import Random

import pytest
import sympy as sp

from lieapp.equations.leading import solve_for_leading
from lieapp.equations.parsing import parse_system
from lieapp.equations.residues import BadPointError, zero_of
from lieapp.errors import EquationError
from lieapp.lie.certificate.safeguard import disagreement
from lieapp.lie.determining import determining_equations
from lieapp.lie.invariance import is_symmetry
from lieapp.lie.stages import derive


def system(*equations, independent="x", dependent="y", parameters=()):
    return parse_system(equations, independent.split(","), dependent.split(","), parameters)


CUBIC = "y_x**3 - a*x*y*y_x + 2*a*y**2"


def test_derivatives_of_a_relation_are_solved_for():
    """y_xxx and y_xxxx on solutions of F(y_xx, y) = 0, by implicit differentiation."""
    found = system("y_xx**3 + y_xx - y")
    leading, jets = solve_for_leading(found), found.jets
    p, second = jets.symbol(0, (2,)), jets.symbol(0, (1,))
    assert leading.normal((0, (2,))) == p
    third = second / (3 * p**2 + 1)
    assert sp.simplify(leading.normal((0, (3,))) - third) == 0
    fourth = (p - 6 * p * third**2) / (3 * p**2 + 1)
    assert sp.simplify(leading.normal((0, (4,))) - fourth) == 0


@pytest.mark.parametrize(
    ("equation", "field", "holds"),
    [
        (CUBIC, {"x": "x", "y": "3*y"}, True),
        (CUBIC, {"x": "x", "y": "2*y"}, False),
        ("y_xx**3 + x*y_xx - y_x", {"x": "2*x", "y": "5*y"}, True),
        ("x**2*y_xx**3 + x*y_xx - y_x", {"x": "2*x", "y": "3*y"}, True),
        ("x**2*y_xx**3 + x*y_xx - y_x", {"x": "2*x", "y": "5*y"}, False),
    ],
)
def test_a_scaling_counted_by_hand(equation, field, holds):
    found = system(equation, parameters=["a"] if "a" in equation else [])
    names = {str(s): s for s in found.jets.coordinates}
    assert is_symmetry(found, {n: sp.sympify(e, names) for n, e in field.items()}) is holds


@pytest.mark.parametrize(
    ("equations", "independent", "dependent", "dimension"),
    [
        # translations in t, x, u, and x ∂u, and a scaling that leaves u_xx and u_t as they are
        (("u_xx**3 + u_xx - u_t**2",), "t,x", "u", 5),
        # translations, and a scaling with u_t³ ~ u_t u_x² ~ u_x
        (("u_t**3 + u_t*u_x**2 - u_x",), "t,x", "u", 4),
        # nothing but the translation
        (("y_xxx**5 - y_xxx*y_xx - y",), "x", "y", 1),
        # of z by 1 and x, of y with z by x²/2, and a scaling; the relation is that of an unknown beside another
        (("y_xx**3 + x*y_xx - y_x", "z_xx - y"), "x", "y,z", 4),
    ],
)
def test_dimensions_counted_by_hand(equations, independent, dependent, dimension):
    found = derive(system(*equations, independent=independent, dependent=dependent))
    assert found.certified
    assert (found.dimension, found.infinite, found.unsolved) == (dimension, False, ())
    assert disagreement(found.determining, Random(1), float("inf")) == ""


def test_a_web_of_three_families_has_three_symmetries():
    """For a = 4 solutions are y = c (x - c)², and those through a point have √c₁ + √c₂ + √c₃ = 0: a hexagonal web.

    c₁ + c₂ + c₃ = 2x and c₁c₂ + c₂c₃ + c₃c₁ = x². Adding constants of sum 0 to the roots takes solutions to
    solutions, by fields that are algebraic in (x, y); the scaling is the third (Bol 1932).
    """
    found = derive(system(CUBIC, parameters=["a"]), budget=60)
    assert [str(f) for f in found.generators] == ["x d_x + 3*y d_y"]
    assert "at most 3" in found.certificate.reason


def test_a_relation_is_equivalent_to_its_explicit_form():
    """y_x³ - x³ y = 0 says the same as y_x = x y^(1/3), and as a relation it is found the same."""
    cubic, root = "y_xx**3 - x**3*y", "y_xx - x*y**(1/3)"
    assert derive(system(cubic)).as_json()["generators"] == derive(system(root)).as_json()["generators"]
    mixed = "(y_xx - y_x)**3 - y_x**3*y"
    explicit = "y_xx - y_x - y_x*y**(1/3)"
    assert derive(system(mixed)).as_json()["generators"] == derive(system(explicit)).as_json()["generators"]


def test_what_is_no_polynomial_is_refused_with_a_next_step():
    with pytest.raises(EquationError, match="can't be solved") as caught:
        determining_equations(system("sin(y_xx) + y_xx - y"))
    assert "differentiate" in caught.value.hint


def test_zeros_in_a_prime_field():
    p, random = 1000003, Random(0)
    for _ in range(20):
        a, b = random.randrange(p), random.randrange(p)
        # (z - a)(z - b)(z² + z + 1)
        z = sp.Symbol("z")
        polynomial = [int(c) % p for c in sp.Poly((z - a) * (z - b) * (z**2 + z + 1), z).all_coeffs()]
        found = zero_of(polynomial, p, random)
        assert sum(c * pow(found, 4 - n, p) for n, c in enumerate(polynomial)) % p == 0
    # -1 is no square modulo p = 3 mod 4
    with pytest.raises(BadPointError):
        zero_of([1, 0, 1], p, random)
