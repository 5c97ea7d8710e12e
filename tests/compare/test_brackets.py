"""Brackets of fields and the rates of a span, on fields whose algebra is known."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
import sympy as sp
import torch
from hypothesis import given
from hypothesis import strategies as st

from lieapp.compare.brackets import brackets, rates
from lieapp.compare.closed_form.numbers import factors
from lieapp.compare.closed_form.rates import parts
from lieapp.domains.formulas import FixedFields

Z = sp.Symbol("z", real=True)


def batches(seed=0):
    generator = torch.Generator().manual_seed(seed)
    points = torch.rand(6, 3, 40, generator=generator, dtype=torch.float64)
    yield SimpleNamespace(points=points, weight=torch.ones(6, 40, dtype=torch.float64))


def rotations(p):
    x, y, z = p.unbind(1)
    o = torch.zeros_like(x)
    return torch.stack([torch.stack(v, 1) for v in ([o, -z, y], [z, o, -x], [-y, x, o])])


def mixed(fields, mix):
    return FixedFields(lambda p: torch.einsum("nm,m...->n...", mix, fields(p)))


@given(st.integers(0, 100))
def test_rotations_in_any_basis(seed):
    """[Lᵢ, Lⱼ] = -Σ ε_ijk L_k for Lᵢ = ε_ijk x_j ∂_k, whichever combinations of them were learned."""
    generator = torch.Generator().manual_seed(seed)
    mix = torch.randn(3, 3, generator=generator, dtype=torch.float64) + 3 * torch.eye(3, dtype=torch.float64)
    found = brackets(mixed(rotations, mix), batches())
    constants = found.in_basis(torch.linalg.inv(mix))
    for i in range(3):
        for j in range(3):
            wanted = [-(i - j) * (j - k) * (k - i) / 2 for k in range(3)]
            assert constants[i, j].tolist() == pytest.approx(wanted, abs=1e-9)
    assert found.left < 1e-6


def test_a_span_that_is_not_closed_says_so():
    def fields(p):
        x = p[:, 0]
        o = torch.zeros_like(x)
        return torch.stack([torch.stack([x**2, o, o], 1), torch.stack([o + 1, o, o], 1)])

    assert brackets(FixedFields(fields), batches()).left > 0.1


def matrix_of(eigenvalues, seed=0):
    """A real matrix with these eigenvalues, in a basis like that of learned fields."""
    blocks = []
    for value in eigenvalues:
        if isinstance(value, complex):
            blocks.append(np.array([[value.real, value.imag], [-value.imag, value.real]]))
        else:
            blocks.append(np.array([[value]]))
    size = sum(len(block) for block in blocks)
    whole, place = np.zeros((size, size)), 0
    for block in blocks:
        whole[place : place + len(block), place : place + len(block)] = block
        place += len(block)
    mix = np.random.default_rng(seed).normal(size=(size, size)) + 2 * np.eye(size)
    return mix @ whole @ np.linalg.inv(mix)


def test_rates_of_exponentials_in_time():
    def fields(p):
        t, x, _ = p.unbind(1)
        o = torch.zeros_like(t)
        decay = torch.exp(-2 * t)
        return torch.stack([torch.stack(v, 1) for v in ([o, decay, o], [o, o, x], [o, o, decay])])

    mix = torch.tensor([[1.0, 2, 0], [0, 1, 1], [1, 0, 1]], dtype=torch.float64)
    matrix, left = rates(mixed(fields, mix), 0, batches())
    assert left < 1e-6 and np.sort(np.linalg.eigvals(matrix.numpy()).real) == pytest.approx([-2, -2, 0], abs=1e-9)
    (part,) = parts(matrix.numpy(), 4.0, Z, factors(()))
    assert part.functions == (sp.exp(-Z / 2),) and part.weights.shape == (2, 3)
    # the fields of that rate are combinations of the first and the third
    assert np.abs(part.weights @ mix.numpy())[:, 1] == pytest.approx(0, abs=1e-9)


GOLDEN = (1 + sp.sqrt(5)) / 2


@pytest.mark.parametrize(
    ("eigenvalues", "functions"),
    [
        ([0.0, -0.3], {sp.exp(-3 * Z / 20)}),
        ([complex(0, 1.5)], {sp.cos(3 * Z / 4), sp.sin(3 * Z / 4)}),
        ([complex(-0.5, 1.0), 0.0], {sp.exp(-Z / 4) * sp.cos(Z / 2), sp.exp(-Z / 4) * sp.sin(Z / 2)}),
        ([1 + math.sqrt(5), 1 - math.sqrt(5)], {sp.exp(GOLDEN * Z), sp.exp((1 - GOLDEN) * Z)}),
        ([0.0, 0.001], set()),
    ],
)  # fmt: skip
def test_rates_are_read_as_numbers(eigenvalues, functions):
    noise = 1e-7 * np.random.default_rng(1).normal(size=matrix_of(eigenvalues).shape)
    found = parts(matrix_of(eigenvalues) + noise, 2.0, Z, factors(()))
    assert {sp.expand(f, power_exp=False) for part in found for f in part.functions} == {
        sp.expand(f, power_exp=False) for f in functions
    }
