"""The functions exp, φ₁, φ₂, φ₃ of the exponential integrator, of numbers and of matrices."""

import math

import pytest
import torch
from mpmath import mp, mpf

from lieapp.numerics.etdrk import coefficients, phi_matrix, phi_scalar

mp.dps = 40


def exactly(k: int, z: float) -> float:
    """φ_k(z) = (exp z - Σ_{j<k} zʲ/j!)/zᵏ in 40 digits, by its series near 0."""
    if abs(z) < 1e-3:
        return float(sum(mpf(z) ** j / mp.factorial(j + k) for j in range(12)))
    return float((mp.exp(mpf(z)) - sum(mpf(z) ** j / mp.factorial(j) for j in range(k))) / mpf(z) ** k)


POINTS = [0.0, 1e-9, -1e-5, 1e-2, -0.3, 1.0, 2.0, -5.0, -40.0, -700.0]


@pytest.mark.parametrize("z", POINTS)
def test_numbers(z):
    found = phi_scalar(torch.tensor([z], dtype=torch.complex128))
    for k, value in enumerate(found):
        truth = exactly(k, z)
        assert abs(complex(value[0]) - truth) < 1e-14 * max(1.0, truth), (k, z)


def test_imaginary_numbers():
    z = torch.tensor([0.5j, -3j, 200j], dtype=torch.complex128)
    e, one, two, three = phi_scalar(z)
    torch.testing.assert_close(e, torch.exp(z))
    torch.testing.assert_close(one * z, e - 1)
    torch.testing.assert_close(two * z, one - 1)
    torch.testing.assert_close(three * z, two - 0.5)


def test_matrices_are_rotated_numbers():
    """φ(S diag(z) S⁻¹) = S diag(φ(z)) S⁻¹, at several modes at once."""
    generator = torch.Generator().manual_seed(0)
    z = torch.randn(2, 5, generator=generator, dtype=torch.float64).to(torch.complex128) * 3
    s = torch.randn(5, 2, 2, generator=generator, dtype=torch.float64).to(torch.complex128) + 3 * torch.eye(2)

    def rotated(values):
        return (s @ torch.diag_embed(values.T) @ torch.linalg.inv(s)).movedim(0, -1)

    for scalar, matrix in zip(phi_scalar(z), phi_matrix(rotated(z)), strict=True):
        torch.testing.assert_close(matrix, rotated(scalar), rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("coupled", [True, False])
def test_weights_of_one_step_add_up(coupled):
    """Σ weights = h φ₁: a constant right-hand side is integrated exactly."""
    linear = torch.zeros(2, 2, 3, dtype=torch.complex128)
    linear[0, 0], linear[1, 1] = torch.tensor([0.0, -2.0, 1j]), torch.tensor([0.5, -9.0, 30j])
    h = 0.3
    c = coefficients(linear, h, coupled)
    one = phi_scalar(torch.stack([linear[0, 0], linear[1, 1]]) * h)[1]
    total = c.first + 2 * c.middle + c.last
    expected = h * (torch.diag_embed(one.T).movedim(0, -1) if coupled else one)
    torch.testing.assert_close(total, expected, rtol=1e-12, atol=1e-13)
    assert math.isclose(float(c.stage.real[(0, 0, 0) if coupled else (0, 0)]), h / 2)
