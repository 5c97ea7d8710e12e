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
from lieapp.methods.fields import Combination
from lieapp.methods.loop import Alone
from lieapp.numerics.grid import Grid
from lieapp.numerics.spectral import resample
from lieapp.pde.data import modulated
from lieapp.pde.domain import PDEDomain
from lieapp.pde.elsewhere import elsewhere, separated
from lieapp.pde.simpler import simpler
from lieapp.registry.catalog import load_catalog

T, X = sp.symbols("t x", real=True)
U = sp.Function("u")(T, X)
PLUGINS = Path(__file__).parents[1] / "plugins"


def waves(equation, window, length):
    """Linear, started from two wavenumbers."""
    return PDE(
        name="waves", title="Two waves", equation=sp.Eq(equation, 0), periodic=[X],
        region={T: (0, window), X: (0, length)}, points={T: 32, X: 32}, initial=SumOfSines(wavenumbers=(1, 2)),
    )  # fmt: skip


def outcomes(domain, data, found):
    """Without and with slices that are no solutions."""
    held_out = list(data.held_out.batches(16, 8))
    return [compare(domain, held_out, found, None, None, batches) for batches in ((), elsewhere(data))]


def test_two_waves_of_a_linear_equation_have_more_symmetries_than_the_equation():
    """u = Σ a_k(t) exp(ikx), |k| = 1, 2: fields that send 1 to 2 and -2 to -1 hold, as ω(2) - ω(1) serves both.

    On the same slices times other functions they don't, and of the equation's own none gets worse.
    """
    domain = PDEDomain(waves(U.diff(T) + U.diff(X, 5), 8, 16))
    data = domain.dataset(6, 3, 0)
    found = by_spectrum(domain, data, (2, 4, 6, 8), 1, 1, 6, (40, 16), Alone())
    plain, judged = outcomes(domain, data, found)
    assert (len(plain.exact), len(judged.exact), len(judged.special)) == (5, 3, 2)
    assert all(judged.verdicts[n] == "approximate" for n in judged.special)
    assert separated(domain, data, found, 16).levels[-1].eta[5] == found.levels[-1].eta[5]


def test_mixtures_with_symmetries_of_the_data_come_apart():
    """Such slow waves that all five are exact to round-off: what a method finds of them is any basis."""
    domain = PDEDomain(waves(U.diff(T) + U.diff(X, 3), 4, 32))
    data = domain.dataset(6, 3, 0)
    found = by_spectrum(domain, data, (2, 4, 6, 8), 1, 1, 6, (40, 16), Alone())
    fields = torch.linalg.qr(torch.randn(5, 5, dtype=torch.float64, generator=torch.Generator().manual_seed(0)))[0]
    mixed = found.fields.coefficients.clone()
    mixed[:5] = torch.einsum("mn,nkc->mkc", fields, mixed[:5])
    found = replace(found, fields=Combination(found.fields.features, mixed))
    before, after = (outcomes(domain, data, one)[1] for one in (found, separated(domain, data, found, 16)))
    assert len(before.exact) == 0
    assert (len(after.exact), len(after.special)) == (3, 2)


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
    wave = PDE(
        name="wave", title="One wave", equation=sp.Eq(U.diff(T) + U.diff(X, 3) - U.diff(X, 2) / 1000, 0),
        periodic=[X], region={T: (0, 4), X: (0, 8)}, points={T: 32, X: 32}, initial=SumOfSines(wavenumbers=(2,)),
    )  # fmt: skip
    domain = PDEDomain(wave)
    data = domain.dataset(3, 1, 0)
    found = simpler(domain, replace(data, held_out=data.train))
    k = 2 * math.pi / 4
    assert found is not None
    assert [shown.text for shown in found.equation] == ["u_t + u_xxx = 0"]
    assert [shown.text for shown in found.left_out] == ["u_xx/1000"]
    assert found.share == pytest.approx(4 * k**2 / 1000, rel=0.1)
    thick = replace(wave, equation=sp.Eq(U.diff(T) + U.diff(X, 3) - U.diff(X, 2), 0))
    assert simpler(PDEDomain(thick), PDEDomain(thick).dataset(3, 3, 0)) is None
