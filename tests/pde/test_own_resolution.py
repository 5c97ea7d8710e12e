"""Times at which an axis has too few points: told where derivatives of the data are wrong, and only there."""

import re

import numpy as np
import pytest
import torch
from own_burgers import burgers

from lieapp.data.trajectories import Trajectories, noisy, over_all
from lieapp.numerics.grid import Axis, Grid
from lieapp.numerics.spectral import SpectralDifferentiator
from lieapp.pde.domain import PDEDomain
from lieapp.pde.resolution import _few, unresolved_words

EVOLUTION = PDEDomain(burgers()).evolution
T = torch.linspace(0, 1, 21, dtype=torch.float64)
COUNT = re.compile(r"at (\d+) of")
STEEP = 1 + 30 * T[:, None] ** 2


def steepening(points, periodic=True):
    """u = tanh(a(t) sin x): a front that gets ever thinner. With u_xx; on an open axis without the ends."""
    axis = Axis("x", -np.pi, np.pi, points, True) if periodic else Axis("x", -1.3, 1.6, points)
    x = axis.coordinates()
    v, w = STEEP * torch.sin(x), STEEP * torch.cos(x)
    second = -(1 - torch.tanh(v) ** 2) * (2 * torch.tanh(v) * w**2 + v)
    return Trajectories(T, Grid((axis,)), torch.tanh(v)[None, :, None], ("u",)), second


def words_of(pieces, level):
    return unresolved_words(EVOLUTION, pieces, level, over_all(pieces))


def test_flagged_times_are_those_with_wrong_derivatives():
    data, second = steepening(64)
    flags = _few(data, 0, 2, 0.0)[0]
    found = SpectralDifferentiator(data.grid).derivatives(data.values[0, :, 0], [(2,)])[(2,)]
    errors = (found - second).norm(dim=1) / second.norm(dim=1)
    assert 3 < int(flags.sum()) < 18
    assert errors[~flags].max() < 0.02 < errors[flags].max()
    assert errors[flags].min() > 0.1 * errors[~flags].max()
    # the front only gets steeper
    assert flags.tolist() == sorted(flags.tolist())


@pytest.mark.parametrize("periodic", [True, False])
def test_more_points_resolve_it(periodic):
    coarse, fine = (steepening(n, periodic)[0] for n in (64, 1024))
    (words,) = words_of([coarse], 0.0)
    assert words.startswith("x is under-resolved at") and "All of them are used" in words
    assert 0 < int(COUNT.search(words)[1]) < 21 and " and 1. All" in words
    assert words_of([fine], 0.0) == []


def test_trajectories_are_counted_together():
    coarse, _ = steepening(64)
    (one,) = words_of([coarse], 0.0)
    (two,) = words_of([coarse, steepening(1024)[0]], 0.0)
    count = COUNT.search(one)[1]
    assert f"at {count} of 42 times of 2 trajectories" in two


@pytest.mark.parametrize("share", [1e-7, 1e-4, 1e-2])
def test_noise_is_not_taken_for_it(share):
    """Its spectrum is flat, and the second derivative of it isn't small."""
    smooth = Trajectories(T, *(getattr(steepening(256)[0], key) for key in ("grid", "values", "unknowns")))
    smooth = noisy(Trajectories(T[:5], smooth.grid, smooth.values[:, :5], ("u",)), share, 0)
    assert words_of([smooth], share) == []


def test_times_at_which_nothing_varies_are_resolved():
    data, _ = steepening(256)
    values = data.values.clone()
    values[:, :3] = 0.25
    still = Trajectories(T[:8], data.grid, values[:, :8], ("u",))
    assert words_of([still], 0.0) == []
