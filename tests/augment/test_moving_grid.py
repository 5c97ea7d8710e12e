"""Moved nodes back on the regular grid, against functions known everywhere."""

import numpy as np
import pytest
import torch

from lieapp.augment.resample import Resampler, places
from lieapp.augment.time_window import longest, whole
from lieapp.numerics.grid import Axis

LENGTH = 2 * torch.pi


def axes(times=33, points=32):
    return Axis("t", 0.0, 2.0, times), Axis("x", 0.0, LENGTH, points, True)


def nodes(times=33, points=32):
    time, x = axes(times, points)
    return torch.stack(torch.meshgrid(time.coordinates(), x.coordinates(), indexing="ij"))[None]


def function(places):
    """What moved samples carry: a function of where they are."""
    t, x = places.unbind(1)
    return torch.exp(torch.sin(x) * torch.cos(t))[:, None]


MAPS = {
    "still": lambda t, x: (t, x),
    "shift": lambda t, x: (t + 0.213, x - 1.37),
    "sheared": lambda t, x: (1.3 * t - 0.1 * t**2 - 0.2, x + 0.4 * t + torch.sin(t)),
    "bent": lambda t, x: (t + 0.15 * torch.cos(x) * (1 + t), x + 0.4 * torch.sin(x + t)),
    "steep": lambda t, x: (t, x + 0.9 * torch.sin(x)),
}


def resampled(name, times=33, points=32, **options):
    where = nodes(times, points)
    moved = torch.stack(MAPS[name](*where.unbind(1)), 1)
    return Resampler(*axes(times, points), **options)(moved, function(moved)), function(where)


@pytest.mark.parametrize("name", sorted(MAPS))
def test_a_moved_function_is_itself_at_the_regular_nodes(name):
    found, exact = resampled(name, times=49, points=64 if name != "steep" else 256)
    assert not found.folded.any()
    assert found.valid.sum() > 30
    error = (found.values - exact)[found.valid[:, None].expand_as(exact[..., 0])]
    assert float(error.abs().max()) < 3e-8
    assert float(found.values.transpose(1, 2)[~found.valid].abs().sum()) == 0


@pytest.mark.parametrize("name", ["sheared", "bent"])
def test_valid_are_the_times_that_the_map_covers(name):
    found, _ = resampled(name, times=49)
    x = torch.linspace(0, LENGTH, 400, dtype=torch.float64)
    first, last = (MAPS[name](torch.full_like(x, t), x)[0] for t in (0.0, 2.0))
    t = axes(49)[0].coordinates()
    assert torch.equal(found.valid[0], (t >= first.max()) & (t <= last.min()))


@pytest.mark.parametrize("order", [4, 6, 8])
def test_order_in_time(order):
    errors, counts = [], (25, 33, 49)
    for times in counts:
        found, exact = resampled("sheared", times=times, points=64, order=order)
        errors.append(float((found.values - exact)[found.valid[:, None].expand_as(exact[..., 0])].abs().max()))
    slope = np.polyfit(np.log([1 / (n - 1) for n in counts]), np.log(errors), 1)[0]
    assert abs(slope - order) < 1.2, (slope, errors)


def test_bilinear_is_of_order_two_and_splatting_of_order_one():
    for method, order in (("bilinear", 2), ("splat", 1)):
        errors = []
        for n in (33, 65, 129):
            found, exact = resampled("bent", times=n, points=n - 1, method=method)
            inner = found.valid & (torch.arange(n) > n // 4) & (torch.arange(n) < 3 * n // 4)
            errors.append(float((found.values - exact)[inner[:, None].expand_as(exact[..., 0])].abs().max()))
        slope = np.polyfit(np.log([1 / 32, 1 / 64, 1 / 128]), np.log(errors), 1)[0]
        assert abs(slope - order) < 0.4, (method, slope, errors)


@pytest.mark.parametrize("points", [31, 32])
def test_shifts_in_x_are_exact_for_every_mode(points):
    """Up to the Nyquist mode of an even number of points, whose interpolant is a cosine; an odd number has none."""
    where = nodes(9, points)
    x = where[0, 1]
    moved = where.clone()
    moved[:, 1] += 0.77
    for k in range(points // 2 + 1):
        alone = k == points / 2
        wave = torch.cos(k * x) if alone else torch.cos(k * x + 0.3)
        found = Resampler(*axes(9, points))(moved, wave[None, None]).values[0, 0]
        exact = torch.cos(k * x) * np.cos(0.77 * k) if alone else torch.cos(k * (x - 0.77) + 0.3)
        torch.testing.assert_close(found, exact, rtol=0, atol=1e-12)


def test_places_solve_the_equations_of_the_inverse():
    points = 32
    i, j = torch.meshgrid(torch.arange(33.0).double(), torch.arange(32.0).double(), indexing="ij")

    def shifts(time, x):
        angle = 2 * torch.pi * x / points
        return 2 * torch.cos(angle) * (1 + time / 20), 1.5 * torch.sin(angle + time / 8) + time / 5

    a, b = (s[None] for s in shifts(i, j))
    finer = torch.stack(shifts(*torch.meshgrid(i[:, 0], torch.arange(256.0).double() / 8, indexing="ij")))[None]
    found = places(a, b, finer, (8, 10))
    assert 0.7 < found.found.double().mean() < 1
    assert not found.lost.any()
    time, x = found.time.reshape(i.shape), found.x.reshape(i.shape)
    back = torch.stack(shifts(time, x))
    for at, shift, node in ((time, back[0], i), (x, back[1], j)):
        off = (at + shift - node)[found.found[0]]
        assert float(off.abs().max()) < 1e-6


def test_a_folded_map_is_told_and_its_neighbours_in_the_batch_are_not_touched():
    where = nodes()
    bent = torch.stack([where[:, 0], where[:, 1] + 1.5 * torch.sin(where[:, 1])], 1)
    infinite = where.clone()
    infinite[0, 0, 3, 4] = torch.inf
    moved = torch.cat([bent, where, infinite])
    found = Resampler(*axes())(moved, function(where).expand(3, -1, -1, -1))
    assert found.folded.tolist() == [True, False, True]
    assert found.valid.all(1).tolist() == [False, True, False]
    torch.testing.assert_close(found.values[1:2], function(where), rtol=0, atol=1e-12)


def test_windows():
    valid = torch.tensor([[0, 1, 1, 0, 1, 1, 1], [0, 0, 0, 0, 0, 0, 0], [1, 1, 0, 1, 1, 0, 0], [1] * 7]).bool()
    first, length = longest(valid)
    assert (first.tolist(), length.tolist()) == ([4, 0, 0, 0], [3, 0, 2, 7])
    assert whole(valid, 1.0).tolist() == [False, False, False, True]
    assert whole(torch.tensor([[0, 0, 1, 1, 1, 0, 0]]).bool(), 3 / 7).tolist() == [True]
    assert whole(valid, 0.01).tolist() == [False, False, True, True]
