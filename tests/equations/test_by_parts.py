"""Terms as sums of derivatives of what has lower ones."""

import pytest
import sympy as sp

from lieapp.equations.by_parts import by_parts
from lieapp.equations.jets import JetSpace

t, x, y = sp.symbols("t x y", real=True)
PLANE = JetSpace((t, x, y), ("u", "v"))
LINE = JetSpace((t, x), ("u",))


def jet(letters, a=0, jets=LINE):
    return jets.symbol(a, tuple(letters.count(str(z)) for z in jets.independent))


u, v = jet("", 0, PLANE), jet("", 1, PLANE)
LINES = [
    jet("") * jet("xxx"), jet("") ** 2 * jet("xxxx"), jet("x") * jet("xx"), jet("x") ** 2, x * jet("") * jet("x"),
    t * x * jet("xxx"), jet("x") * jet("xxx"), jet("x") ** 2 * jet("xx"), jet("tt"), jet("") * jet("t"), sp.S.One,
]  # fmt: skip
PLANES = [
    u * jet("xy", 0, PLANE), v * jet("x", 0, PLANE), jet("xx", 0, PLANE) * jet("x", 1, PLANE),
    u * v * jet("xxy", 1, PLANE), y * u * jet("y", 0, PLANE),
]  # fmt: skip


@pytest.mark.parametrize(("term", "jets"), [*((e, LINE) for e in LINES), *((e, PLANE) for e in PLANES)], ids=str)
def test_the_sum_is_the_term(term, jets):
    parts = by_parts(term, jets)
    total = sum(jets.total_derivatives(density, J) for J, density in parts.items())
    assert sp.expand(total - term) == 0


@pytest.mark.parametrize(("place", "order"), [(0, 1), (1, 2), (2, 1), (6, 2), (8, 0), (9, 0)])
def test_densities_have_lower_derivatives(place, order):
    """u u_xxx needs u_x only, u_tt none at all."""
    assert LINE.order(by_parts(LINES[place], LINE).values()) == order
