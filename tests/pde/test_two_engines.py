"""The exact condition in a ring of polynomials, by which data are judged, beside the determining equations.

Both give the laws and symmetries in a class: one by linear algebra on monomials, the other for any functions of the
derivatives. They share no code but the parser.
"""

import pytest
import sympy as sp

from lieapp.config_laws import Laws
from lieapp.equations.evolution import evolution_form
from lieapp.equations.parsing import parse_system
from lieapp.equations.variational import euler
from lieapp.lie.beyond.laws import conservation_laws
from lieapp.pde.laws.densities import class_of
from lieapp.pde.laws.written import Proof


def rank(rows):
    symbols = sorted({s for row in rows for s in row.free_symbols}, key=str)
    polys = [sp.Poly(row, *symbols, sp.Dummy()) for row in rows]
    columns = sorted({m for p in polys for m in p.monoms()})
    return sp.Matrix([[p.coeff_monomial(m) for m in columns] for p in polys]).rank()


@pytest.mark.parametrize(
    ("text", "order"),
    [
        ("u_t + u*u_x + u_xxx", 2),
        ("u_t + 6*u**2*u_x + u_xxx", 2),
        ("u_t + u*u_x - u_xx", 1),
        ("u_t + u*u_x + u_xx + u_xxxx", 1),
        ("u_t + u*u_x + u_xxx - u_xx", 2),
    ],
)
def test_laws_of_both_engines_span_the_same(text, order):
    """Multipliers without t and x; of the other engine those that depend on them are left out."""
    system = parse_system([text], ["t", "x"], ["u"])
    evolution = evolution_form(system)
    tried = class_of(evolution, Laws(), order // 2)
    own = [
        euler(sp.Add(*(c * m.expression(evolution.jets) for c, m in zip(row, tried.densities, strict=True))),
              evolution.jets, 0)
        for row in Proof(tried.ring, tried.densities).laws()
    ]  # fmt: skip
    variables = set(system.jets.independent)
    others = [
        sp.expand(law.multiplier[0]) for law in conservation_laws(system, order).laws
        if not law.multiplier[0].free_symbols & variables
    ]  # fmt: skip
    assert len(own) == rank(own) == rank([*own, *others]) == len(others)
