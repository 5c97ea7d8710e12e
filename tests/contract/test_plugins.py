"""The contract of section "Domains", for every plugin that is loaded: shipped ones and any in ./plugins."""

from functools import cache

import msgspec
import pytest
import torch

from lieapp.data.simulate import simulate
from lieapp.pde.check import check, short_declaration, short_trajectories
from lieapp.pde.data import SliceData, measure_scales
from lieapp.pde.domain import PDEDomain
from lieapp.progress import SilentReporter
from lieapp.registry.catalog import load_catalog

ENTRIES = {entry.name: entry for entry in load_catalog().equations}


def test_all_six_are_there_and_none_is_broken():
    assert {"kdv", "ks", "burgers", "nkdv", "ckdv", "heat"} <= set(ENTRIES)
    assert load_catalog().broken == []


@cache
def material(name):
    domain = PDEDomain(ENTRIES[name].declaration)
    data = short_trajectories(short_declaration(ENTRIES[name].declaration), lambda step, total: None)
    return domain, SliceData([data], domain.linearisation, measure_scales([data], domain.arguments.names), 3)


@pytest.mark.parametrize("name", ENTRIES)
def test_its_own_check_passes(name):
    checks = check(ENTRIES[name].declaration, SilentReporter())
    assert [f"{c.name}: {c.detail}" for c in checks if not c.ok] == []
    assert all(c.name and c.detail for c in checks)
    msgspec.json.encode([{"name": c.name, "ok": c.ok, "detail": c.detail} for c in checks])


@pytest.mark.parametrize("name", ENTRIES)
def test_coordinates(name):
    domain, _ = material(name)
    count = len(domain.components)
    known = domain.arguments
    assert len(set(domain.components)) == count == len(known.periodic) == len(known.dependent)
    assert known.names == domain.components
    assert not any(p and d for p, d in zip(known.periodic, known.dependent, strict=True))
    assert domain.stages and domain.name == name


class Linear:
    """V = A z for a stack of matrices A: linear in A, so characteristics and residuals must be too."""

    def __init__(self, matrices):
        self.matrices = matrices

    def jvp(self, points, tangents):
        return tuple(torch.einsum("ncd,bd...->nbc...", self.matrices, z) for z in (points, tangents))


@pytest.mark.parametrize("name", ENTRIES)
def test_layout_and_linearity(name):
    domain, data = material(name)
    batch = next(iter(data.batches(3, 3)))
    space, q = batch.points.shape[2:], sum(domain.arguments.dependent)
    n = len(batch.points)  # in a plane fewer than were asked for
    assert 1 <= n <= 3 and batch.points.shape[1] == len(domain.components) and batch.weight.shape == (n, *space)
    generator = torch.Generator().manual_seed(0)
    matrices = torch.randn(4, *2 * [len(domain.components)], generator=generator, dtype=torch.float64)
    matrices[3] = 2 * matrices[0] - matrices[1]
    values, characteristics = domain.characteristic(batch, Linear(matrices))
    residual = domain.tangent(batch, characteristics)
    assert values.shape == (4, n, len(domain.components), *space)
    assert characteristics.value.shape == characteristics.rate.shape == residual.shape == (4, n, q, *space)
    for stack in (values, characteristics.value, characteristics.rate, residual):
        assert stack.dtype == batch.points.dtype and stack.isfinite().all()
        torch.testing.assert_close(
            stack[3], 2 * stack[0] - stack[1], rtol=1e-9, atol=1e-9 * float(stack.abs().max())
        )


@pytest.mark.parametrize("name", ENTRIES)
def test_scaled_coordinates(name):
    domain, data = material(name)
    points = torch.cat([b.points for b in data.batches(16, 8)]).movedim(1, 0).flatten(1)
    for line, dependent in zip(points, domain.arguments.dependent, strict=True):
        if dependent:
            assert float(line.std()) == pytest.approx(0.29, rel=0.05)
        else:
            assert line.min() >= -1e-12 and line.max() <= 1 + 1e-12


@pytest.mark.parametrize("name", ENTRIES)
def test_batches_repeat_and_draws_follow_their_generator(name):
    _, data = material(name)
    once, again = (torch.cat([b.points for b in data.batches(6, 4)]) for _ in range(2))
    assert torch.equal(once, again) and len(once) == 6
    first, same, other = (data.draw(3, torch.Generator().manual_seed(s)).points for s in (1, 1, 2))
    assert torch.equal(first, same) and not torch.equal(first, other)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in ENTRIES if ENTRIES[name].declaration.source is None])
def test_data_of_the_whole_window(name):
    declaration = ENTRIES[name].declaration
    data = simulate(declaration, 2, torch.Generator().manual_seed(0))
    t, *space = declaration.region
    kept = declaration.keep_last or declaration.points[t]
    assert data.values.shape[:2] == (2, kept) and data.grid.shape == tuple(declaration.points[x] for x in space)
    assert float(data.time[-1]) == pytest.approx(float(declaration.region[t][1])) and data.values.isfinite().all()
    assert data.error < 1e-3
    deviation = data.values.std(dim=(0, *range(2, data.values.dim())))
    assert deviation.min() > 0.1 * deviation.max() > 1e-3, "the data decay to nothing in the window"
