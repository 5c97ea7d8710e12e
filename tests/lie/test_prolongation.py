"""Prolongation against the textbook formulas (Olver 1993, ch. 2.3) and against the characteristic."""

import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from lieapp.equations.jets import JetSpace, multi_indices
from lieapp.equations.parsing import parse_system
from lieapp.lie.invariance import GeneralProlongation, characteristic
from lieapp.lie.stages import derive

x, t, y = sp.symbols("x t y", real=True)


def prolong(jets, components, indices):
    """φᵃ_J = D_J Qᵃ + ξⁱ uᵃ_{J+i} of a given field for each (a, J), expanded (Olver 1993, Thm 2.36)."""
    Q = characteristic(jets, components)
    result = {}
    for a, J in indices:
        value = jets.total_derivatives(Q[a], J)
        for i, x in enumerate(jets.independent):
            value += components.get(str(x), sp.S.Zero) * jets.symbol(a, jets.raised(J, i))
        result[(a, J)] = sp.expand(value)
    return result


def test_second_prolongation_is_olvers():
    """Eq. 2.46 and 2.47 for u(x, t) with general ξ, τ, φ."""
    jets = JetSpace((x, t), ("u",))
    (u,) = jets.unknowns
    xi, tau, phi = (sp.Function(name)(x, t, u) for name in ("xi", "tau", "phi"))
    ux, ut, uxx, uxt = (jets.symbol(0, J) for J in ((1, 0), (0, 1), (2, 0), (1, 1)))
    found = prolong(jets, {"x": xi, "t": tau, "u": phi}, [(0, (1, 0)), (0, (2, 0))])
    first = phi.diff(x) + (phi.diff(u) - xi.diff(x)) * ux - tau.diff(x) * ut - xi.diff(u) * ux**2
    first -= tau.diff(u) * ux * ut
    assert sp.expand(found[(0, (1, 0))] - first) == 0
    second = (
        phi.diff(x, 2)
        + (2 * phi.diff(x, u) - xi.diff(x, 2)) * ux
        - tau.diff(x, 2) * ut
        + (phi.diff(u, 2) - 2 * xi.diff(x, u)) * ux**2
        - 2 * tau.diff(x, u) * ux * ut
        - xi.diff(u, 2) * ux**3
        - tau.diff(u, 2) * ux**2 * ut
        + (phi.diff(u) - 2 * xi.diff(x)) * uxx
        - 2 * tau.diff(x) * uxt
        - 3 * xi.diff(u) * ux * uxx
        - tau.diff(u) * ut * uxx
        - 2 * tau.diff(u) * ux * uxt
    )
    assert sp.expand(found[(0, (2, 0))] - second) == 0


def test_rotation_prolongs_to_one_plus_slope_squared():
    """-u ∂x + x ∂u: φˣ = 1 + u_x², φˣˣ = 3 u_x u_xx (Olver 1993, ex. 2.29)."""
    jets = JetSpace((x,), ("u",))
    (u,) = jets.unknowns
    found = prolong(jets, {"x": -u, "u": x}, [(0, (1,)), (0, (2,))])
    ux, uxx = jets.symbol(0, (1,)), jets.symbol(0, (2,))
    assert found[(0, (1,))] == 1 + ux**2
    assert found[(0, (2,))] == 3 * ux * uxx


def _polynomials(coordinates):
    monomials = [*coordinates, *(a * b for a in coordinates for b in coordinates)]
    terms = st.lists(st.tuples(st.integers(-3, 3), st.sampled_from(monomials)), max_size=2)
    return terms.map(lambda chosen: sp.Add(*(w * m for w, m in chosen)))


@settings(max_examples=8, deadline=None)
@given(st.data())
def test_general_prolongation_agrees_with_the_characteristic(data):
    """The recursion with unknown components, filled with a random field of a two-component system."""
    jets = JetSpace((t, x), ("u", "v"))
    coordinates = jets.coordinates
    components = {str(c): data.draw(_polynomials(coordinates)) for c in coordinates}
    general = GeneralProlongation(jets, 2)
    values = list(components.values())
    for a in range(2):
        for J in multi_indices(2, 2):
            total = sp.S.Zero
            for (f, K), polynomial in general.coefficient(a, J).items():
                order = [(c, n) for c, n in zip(coordinates, K, strict=True) if n]
                total += polynomial.as_expr() * (sp.diff(values[f], *order) if order else values[f])
            assert sp.expand(total - prolong(jets, components, [(a, J)])[(a, J)]) == 0


@pytest.mark.parametrize(("size", "order", "count"), [(1, 3, 1), (2, 3, 4), (3, 2, 6)])
def test_number_of_multi_indices(size, order, count):
    found = multi_indices(size, order)
    assert len(set(found)) == count == len(found)
    assert all(sum(J) == order for J in found)


def test_the_jets_of_what_is_asked_suffice():
    """With the jets up to the order or those of φ_J alone the same coefficient comes out."""
    jets = JetSpace(sp.symbols("t x", real=True), ("u", "v"))
    for J in ((0, 4), (2, 1), (1, 3)):
        whole, part = GeneralProlongation(jets, sum(J)), GeneralProlongation(jets, sum(J), asked=[J])
        assert len(part.indices) < len(whole.indices)
        for a in range(2):
            full, little = whole.coefficient(a, J), part.coefficient(a, J)
            assert {k: c.as_expr() for k, c in full.items()} == {k: c.as_expr() for k, c in little.items()}


def test_symmetries_of_high_order():
    """u_t = ∂ₓ⁹ u: two translations, the scaling, u ∂_u and the superposition."""
    found = derive(parse_system(["u_t - u_" + 9 * "x"], ["t", "x"], ["u"]))
    assert (found.dimension, len(found.families), found.certified) == (4, 1, True)
