"""What data with few waves, or in a short window, can't tell: other slices and a simpler equation say it."""

import math
from dataclasses import replace
from pathlib import Path

import pytest
import sympy as sp
import torch

from lieapp.api import PDE, SumOfSines
from lieapp.compare.outcome import compare
from lieapp.data.stepping import Tolerance
from lieapp.methods.by_spectrum import by_spectrum
from lieapp.methods.loop import Alone
from lieapp.numerics.grid import Grid
from lieapp.numerics.spectral import resample
from lieapp.pde.data import modulated
from lieapp.pde.domain import PDEDomain
from lieapp.pde.simpler import simpler
from lieapp.registry.catalog import load_catalog

PLUGINS = Path(__file__).parents[1] / "plugins"


def test_two_waves_of_a_linear_equation_have_more_symmetries_than_the_equation():
    """u = Σ a_k(t) exp(ikx), |k| = 1, 2: fields that send 1 to 2 and -2 to -1 hold, as ω(2) - ω(1) serves both.

    On the same slices times other functions they don't, and of the equation's own none gets worse.
    """
    t, x = sp.symbols("t x", real=True)
    u = sp.Function("u")(t, x)
    waves = PDE(
        name="waves", title="Two waves", equation=sp.Eq(u.diff(t) + u.diff(x, 5), 0), periodic=[x],
        region={t: (0, 8), x: (0, 16)}, points={t: 32, x: 32}, initial=SumOfSines(wavenumbers=(1, 2)),
    )  # fmt: skip
    domain = PDEDomain(waves)
    data = domain.dataset(6, 3, 0)
    found = by_spectrum(domain, data, (2, 4, 6, 8), 1, 1, 6, (40, 16), Alone())
    assert data.elsewhere is not None
    plain, judged = (
        compare(domain, list(data.held_out.batches(16, 8)), found, None, None, batches)
        for batches in ((), data.elsewhere.batches(16, 8))
    )
    assert (len(plain.exact), len(judged.exact), len(judged.special)) == (5, 3, 2)
    assert all(judged.verdicts[n] == "approximate" for n in judged.special)


def test_slices_that_are_no_solutions_are_as_smooth_and_keep_their_signs():
    domain = PDEDomain(load_catalog([PLUGINS]).get("fisher").declaration)
    data = domain.trajectories(3, 0, tolerance=Tolerance(1e-2))
    made = modulated(data)
    assert made is not None and float(made.values.min()) > 0 and made.grid.shape == (256,)
    ratio = made.values / resample(data.values[:, [0, -1]], data.grid, made.grid)[:, [0]]
    first = ratio[:, 0]
    assert 0.4 < float(first.min()) < 0.9 < 1.1 < float(first.max()) < 1.7
    modes = torch.fft.rfft(first, norm="forward").abs()
    assert float(modes[..., 10:].max()) < 1e-9
    assert modulated(replace(data, grid=Grid((replace(data.grid.axes[0], periodic=False),)))) is None


def test_a_simpler_equation_leaves_out_what_hardly_changes_the_data():
    """A single wave of wavenumber k: u_xx/1000 changes it by T k²/1000 of its spread, u_xxx by T k³."""
    t, x = sp.symbols("t x", real=True)
    u = sp.Function("u")(t, x)
    wave = PDE(
        name="wave", title="One wave", equation=sp.Eq(u.diff(t) + u.diff(x, 3) - u.diff(x, 2) / 1000, 0),
        periodic=[x], region={t: (0, 4), x: (0, 8)}, points={t: 32, x: 32}, initial=SumOfSines(wavenumbers=(2,)),
    )  # fmt: skip
    domain = PDEDomain(wave)
    data = domain.dataset(3, 1, 0)
    found = simpler(domain, replace(data, held_out=data.train))
    k = 2 * math.pi / 4
    assert found is not None
    assert [shown.text for shown in found.equation] == ["u_t + u_xxx = 0"]
    assert [shown.text for shown in found.left_out] == ["u_xx/1000"]
    assert found.share == pytest.approx(4 * k**2 / 1000, rel=0.1)
    thick = replace(wave, equation=sp.Eq(u.diff(t) + u.diff(x, 3) - u.diff(x, 2), 0))
    assert simpler(PDEDomain(thick), PDEDomain(thick).dataset(3, 3, 0)) is None
