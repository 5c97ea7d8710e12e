"""Moved solutions are solutions: residuals, exact solutions, windows, random draws and bad input."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
import torch
from moving_cases import FIVE, field, formulas, mover, samples, system
from small_solutions import TRUE, declaration, small

from lieapp.augment.along import Along
from lieapp.augment.moving import Mover, Moving
from lieapp.augment.resample import stencil
from lieapp.data.trajectories import Trajectories
from lieapp.equations.parsing import parse_system
from lieapp.errors import ConfigError, DataError, GridError, UsageError
from lieapp.numerics.grid import Axis, Grid
from lieapp.numerics.spectral import resample

NEAR = 3
"""A boosted solution changes faster at a place: of it differences in time leave more than of the unmoved one."""

RIM = 4
"""Nodes of a difference of order 8 on each side."""


def generator(seed=0):
    return torch.Generator().manual_seed(seed)


def residual(name, values, valid):
    """rms of u_t - F at nodes whose neighbours in time are valid too, in units of the scaled unknown."""
    data = small(name).using("curvilinear", accuracy=8)
    moved = replace(data, trajectories=replace(data.trajectories, values=values.transpose(1, 2)))
    (patches,) = moved.patches().batches(len(values))
    found = data.domain.residual(patches)
    inner = torch.nn.functional.avg_pool1d(valid[:, None].double(), 2 * RIM + 1, 1, RIM)[:, 0] == 1
    return float(found.value[(found.valid & inner[..., None])[:, None]].square().mean().sqrt())


@cache
def floor(name):
    """The residual of unmoved data."""
    u = samples(name)
    return residual(name, u, torch.ones(u.shape[0], u.shape[2], dtype=torch.bool))


@pytest.mark.parametrize(("name", "place"), [(name, k) for name in FIVE for k in range(len(TRUE[name]))])
def test_every_symmetry_leaves_the_residual_at_the_floor(name, place):
    made = mover(name)
    coefficients = torch.zeros(2, len(TRUE[name]), dtype=torch.float64)
    coefficients[:, place] = torch.tensor([0.15, -0.12])
    found = made.resampled(samples(name), coefficients)
    assert found.valid.sum(1).min() > 30
    assert residual(name, found.values, found.valid) < NEAR * floor(name)


@pytest.mark.parametrize("name", FIVE)
def test_so_do_combinations_but_not_with_bilinear_interpolation_or_splatting(name):
    found = mover(name)(samples(name), generator())
    assert bool(found.kept.all())
    assert residual(name, found.samples, found.valid) < NEAR * floor(name)
    for method in ("bilinear", "splat"):
        other = mover(name, resampling=method).resampled(samples(name), found.coefficients)
        assert residual(name, other.values, other.valid & found.valid) > 1e3 * floor(name)


def test_what_is_no_symmetry_leaves_the_floor():
    made = Mover.of("d_u", system("kdv"), small("kdv").trajectories)
    found = made.resampled(samples("kdv"), torch.full((2, 1), 0.2, dtype=torch.float64))
    assert residual("kdv", found.values, found.valid) > 1e3 * floor("kdv")


def soliton(t, x, speed=1.0, background=0.0):
    """Of u_t + u u_x + u_xxx = 0 on a background, on a period that it doesn't feel."""
    moving = x - 32 - (speed + background) * t
    moving = moving - 64 * torch.round(moving / 64)
    return background + 3 * speed / torch.cosh(speed**0.5 / 2 * moving) ** 2


def solitons(times=41, points=256):
    axis = Axis("x", 0.0, 64.0, points, True)
    time = torch.linspace(3.0, 7.0, times, dtype=torch.float64)
    mesh = torch.meshgrid(time, axis.coordinates(), indexing="ij")
    values = soliton(*mesh)[None, :, None]
    return Trajectories(time, Grid((axis,)), values, ("u",)), mesh


def test_a_boosted_soliton_is_the_soliton_on_a_background():
    data, (t, x) = solitons()
    made = Mover.of(formulas("kdv", 2), system("kdv"), data)
    found = made.resampled(data.values.transpose(1, 2), torch.tensor([[0.1]], dtype=torch.float64))
    height = float((found.values[0, 0] - data.values[0, :, 0]).mean())
    assert abs(height) > 0.05
    assert bool(found.valid.all())
    torch.testing.assert_close(found.values[0, 0], soliton(t, x, background=height), rtol=0, atol=1e-9)


@pytest.mark.parametrize(("order", "rates"), [(4, False), (8, False), (4, True)])
def test_a_soliton_moved_in_time_is_itself_earlier_and_its_window_shorter(order, rates):
    """The rates of the equation double the order."""
    errors, counts = [], (21, 31, 41)
    for times in counts:
        data, (t, x) = solitons(times)
        made = Mover.of("d_t", system("kdv"), data, Moving(order=order, rates=rates))
        found = made.resampled(data.values.transpose(1, 2), torch.tensor([[0.33]], dtype=torch.float64))
        assert torch.equal(found.valid[0], t[:, 0] >= 3 + 0.33 * 4)
        exact = soliton(t - 0.33 * 4, x)
        errors.append(float((found.values[0, 0] - exact)[found.valid[0]].abs().max()))
    slope = np.polyfit(np.log([1 / (n - 1) for n in counts]), np.log(errors), 1)[0]
    assert slope > order * (1 + rates) - 0.7, (slope, errors)


def test_there_and_back():
    made = mover("nkdv")
    u, c = samples("nkdv"), torch.tensor([[0.0, 0.1, 0.1], [0.0, -0.2, 0.05]], dtype=torch.float64)
    there = made.resampled(u, c)
    back = made.resampled(there.values, -c)
    assert bool(back.valid.all())
    # boost and translation commute, as neither moves time
    torch.testing.assert_close(back.values, u, rtol=0, atol=1e-11)


def test_samples_get_combinations_of_their_own_and_a_seed_repeats():
    made = mover("kdv")
    u = samples("kdv")[:1].expand(2, -1, -1, -1)
    one, same, other = (made(u, generator(seed)) for seed in (1, 1, 2))
    assert torch.equal(one.samples, same.samples)
    assert torch.equal(one.valid, same.valid)
    assert not torch.equal(one.samples[0], one.samples[1])
    assert not torch.equal(one.coefficients, other.coefficients)
    assert float(one.coefficients.abs().max()) <= 0.2


def test_dtype_comes_from_the_samples():
    made = mover("kdv")
    single = made(samples("kdv").float(), generator())
    assert single.samples.dtype == torch.float32
    torch.testing.assert_close(
        single.samples.double(), made(samples("kdv"), generator()).samples, rtol=0, atol=1e-6
    )


def test_a_scale_for_each_generator():
    made = mover("kdv", scales=(0.0, 0.5, 0.01))
    drawn = made.draw(1000, generator())
    assert drawn.abs().amax(0)[0] == 0
    assert 0.49 < drawn.abs().amax(0)[1] <= 0.5
    assert 0.0098 < drawn.abs().amax(0)[2] <= 0.01
    assert abs(float(drawn[:, 1].mean())) < 0.03


def test_without_generators_samples_stay_as_they_are():
    made = Mover.of("none", system("kdv"), small("kdv").trajectories)
    found = made(samples("kdv"), generator())
    assert torch.equal(found.samples, samples("kdv"))
    assert bool(found.valid.all())
    assert bool(found.kept.all())
    assert made.names == ()


def test_samples_without_enough_of_their_window_are_drawn_again_and_counted():
    u = samples("kdv")[:1].expand(16, -1, -1, -1)
    wide = mover("kdv", sigma=0.8, least=40, tries=60)(u, generator())
    assert wide.rejected > 8
    assert bool(wide.kept.all())
    assert int(wide.valid.sum(1).min()) >= 40
    once = mover("kdv", sigma=0.8, least=40, tries=1)(u, generator())
    assert 0 < int(once.kept.sum()) < 16
    assert once.rejected == 16 - int(once.kept.sum())


def test_a_folded_combination_is_drawn_again_and_counted():
    """Along u d_x the graph turns over where 1 + s u_x < 0."""
    over = Along({"V": field("kdv", ("0", "u", "0"))})
    made = Mover.of(over, system("kdv"), small("kdv").trajectories, Moving(sigma=0.5, tries=60))
    u = samples("kdv")[:1].expand(8, -1, -1, -1)
    found = made(u, generator())
    assert found.folded > 0
    assert bool(found.kept.all())


def test_positions_that_depend_on_u_are_inverted():
    """Along u d_x the moved graph is u'(x) = u(x - s u'(x)), the implicit solution of u_s + u u_x = 0."""
    over = Along({"V": field("kdv", ("0", "u", "0"))})
    made = Mover.of(over, system("kdv"), small("kdv").trajectories)
    u, c = samples("kdv")[:1], torch.tensor([[0.06]], dtype=torch.float64)
    found = made.resampled(u, c)
    assert bool(found.valid.all())
    before, after = (z[:, 1] for z in (made._points(u), made._motions[0](made._points(u), c)))
    s = float(((after - before) / u[:, 0]).mean())
    assert float((after - before).abs().max()) > 0.5
    (axis,) = small("kdv").trajectories.grid.axes
    fine = resample(u[0, 0], Grid((axis,)), Grid((axis.refined(16 * 32),)))
    places = (before - s * found.values[:, 0])[0] / axis.length * 16 * 32
    nodes, weights = stencil(places, 16 * 32, 10, periodic=True)
    exact = (torch.gather(fine[:, None].expand(-1, 32, -1), 2, nodes) * weights).sum(-1)
    torch.testing.assert_close(found.values[0, 0], exact, rtol=0, atol=1e-7)


def test_a_system_of_two_unknowns_moves_both():
    axis = Axis("x", 0.0, 6.0, 16, True)
    time = torch.linspace(0, 1, 9, dtype=torch.float64)
    x = axis.coordinates()
    u = torch.stack([torch.sin(torch.pi / 3 * x), torch.cos(torch.pi / 3 * x)]).expand(2, 9, 2, 16)
    pair = Trajectories(time, Grid((axis,)), u, ("u", "v"))
    made = Mover.of("d_x", pair_system(), pair)
    c = torch.tensor([[0.25], [-0.1]], dtype=torch.float64)
    found = made.resampled(u.transpose(1, 2), c)
    for n, shift in enumerate((0.25, -0.1)):
        exact = torch.sin(torch.pi / 3 * (x - 6 * shift)), torch.cos(torch.pi / 3 * (x - 6 * shift))
        torch.testing.assert_close(found.values[n, :, 4], torch.stack(exact), rtol=0, atol=1e-12)


@cache
def pair_system():
    return parse_system(["u_t - v_xx", "v_t + u_xx"], ["t", "x"], ["u", "v"])


def test_rates_are_those_of_the_equation_and_of_modes_they_are_good_for():
    """Noise in high modes makes their rates useless; without them those modes are interpolated as before."""
    data, (t, x) = solitons()
    made = Mover.of("d_t", system("kdv"), data)
    step = 1e-4
    slope = (soliton(t + step, x) - soliton(t - step, x)) / (2 * step)
    u = data.values.transpose(1, 2)
    torch.testing.assert_close(made._rates(u)[0, 0], slope, rtol=0, atol=1e-6)
    noise = 1e-6 * torch.cos(2 * torch.pi * 110 / 64 * x) * torch.rand(41, 1, generator=generator()).double()
    noisy = replace(data, values=data.values + noise[None, :, None])
    assert Mover.of("d_t", system("kdv"), noisy)._modes <= 110 < 129
    assert Mover.of("d_t", system("kdv"), data, Moving(rates=False))._modes == 0
    few, _ = solitons(14)
    assert Mover.of("d_t", system("kdv"), few)._modes == 0


def changed(**changes):
    return replace(small("kdv").trajectories, **changes)


OPEN = Grid((Axis("x", 0.0, 16.0, 32, False),))
PLANE = Grid((Axis("x", 0.0, 16.0, 32, True), Axis("y", 0.0, 1.0, 8, True)))


@pytest.mark.parametrize(
    ("error", "match", "make"),
    [
        (GridError, "x isn't periodic", lambda: Mover.of("d_x", system("kdv"), changed(grid=OPEN))),
        (GridError, r"2 axes of space \(x, y\)", lambda: Mover.of("d_x", system("kdv"), changed(grid=PLANE))),
        (
            GridError,
            "not sampled evenly",
            lambda: Mover.of("d_x", system("kdv"), changed(time=torch.linspace(0, 1, 49).double() ** 2)),
        ),
        (
            GridError,
            "7 time samples; interpolation of order 8",
            lambda: Mover.of(
                "d_x",
                system("kdv"),
                changed(time=small("kdv").trajectories.time[:7], values=small("kdv").trajectories.values[:, :7]),
            ),
        ),
        (GridError, "V isn't periodic in x", lambda: mover("kdv", Shape("x"))),
        (DataError, "V has norm 0", lambda: mover("kdv", Shape("0"))),
        (UsageError, "no coordinate 'y'", lambda: Mover.of("d_y", system("kdv"), small("kdv").trajectories)),
        (
            UsageError,
            "neither a run directory",
            lambda: Mover.of("turth", system("kdv"), small("kdv").trajectories),
        ),
        (ConfigError, "scales has 1 numbers; there are 3", lambda: mover("kdv", scales=(0.1,))),
        (ConfigError, "least is 50", lambda: mover("kdv", least=50)),
        (ConfigError, "sigma is 0", lambda: Moving(sigma=0)),
        (ConfigError, "resampling is 'cubic'", lambda: Moving(resampling="cubic")),
        (ConfigError, "order is 5", lambda: Moving(order=5)),
        (
            GridError,
            r"samples have the shape \(2, 49, 32\)",
            lambda: mover("kdv")(samples("kdv")[:, 0], generator()),
        ),
        (
            DataError,
            "none of 2 moved samples has 49 time samples in a row left",
            lambda: mover("kdv", sigma=0.9, least=49)(samples("kdv"), generator()),
        ),
    ],
    ids=range(15),
)
@pytest.mark.usefixtures("unchecked")
def test_bad_input_is_told(error, match, make):
    with pytest.raises(error, match=match) as found:
        make()
    assert found.value.hint


class Shape(Along):
    """x moved by an expression; hashable, so that movers of it can be kept."""

    __hash__ = object.__hash__

    def __init__(self, expression):
        super().__init__({"V": field("kdv", ("0", expression, "0"))})


def test_the_truth_is_derived_for_the_period_of_the_data():
    made = Mover.of("truth+d_u", declaration("kdv"), small("kdv").trajectories)
    assert made.names == ("time translation", "space translation", "Galilean boost", "shift of u")
    # named twice, a generator counts once
    assert len(Mover.of("d_x+d_t+d_x", system("kdv"), small("kdv").trajectories).names) == 2
