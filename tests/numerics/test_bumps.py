"""Integrals against bumps."""

import numpy as np
import pytest

from lieapp.numerics.bumps import bump_weights


@pytest.mark.parametrize("uneven", [False, True])
def test_derivatives_on_bumps_are_those_of_the_function(uneven):
    """∫ φ' f = -∫ φ f' and ∫ φ'' f = ∫ φ f'', to the accuracy of splines."""
    nodes = np.linspace(0, 3, 121) + (0.008 * np.sin(7 * np.linspace(0, 3, 121)) if uneven else 0)
    windows = [(nodes[a], nodes[a + 40]) for a in (0, 25, 80)]
    none, first, second = bump_weights(nodes, windows, 2, 5)
    f, slope, bend = np.sin(2 * nodes), 2 * np.cos(2 * nodes), -4 * np.sin(2 * nodes)
    assert first @ f == pytest.approx(-none @ slope, abs=1e-8)
    assert second @ f == pytest.approx(none @ bend, abs=1e-7)


def test_the_order_of_the_spline_is_six():
    """∫ φ f over the whole line against a fine rule, at two spacings."""
    errors = []
    for n in (17, 33):
        nodes = np.linspace(-1, 1, n)
        (weights,) = bump_weights(nodes, [(-1.0, 1.0)], 0, 3)
        s, w = np.polynomial.legendre.leggauss(60)
        errors.append(abs(float((weights @ np.cos(5 * nodes))[0]) - float(w @ ((1 - s**2) ** 3 * np.cos(5 * s)))))
    assert errors[1] < errors[0] / 2**5
