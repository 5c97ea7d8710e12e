"""Patches are the trajectories' own nodes in scaled coordinates, also across the seam of a periodic axis."""

import pytest
import torch
from small_solutions import small

from lieapp.data.trajectories import Trajectories
from lieapp.domains.solutions import PatchData, Scales, time_first, time_to
from lieapp.errors import ConfigError, GridError
from lieapp.numerics.grid import Axis, Grid

TIME = 3.0 + 0.5 * torch.arange(9, dtype=torch.float64)
X, Y = Axis("x", -1.0, 3.0, 8, periodic=True), Axis("y", 2.0, 5.0, 7)
SCALES = Scales((3.0, -1.0, 2.0, 0.0, 0.0), (4.0, 4.0, 3.0, 2.0, 0.5))
"""Of t, x, y, u, v."""


def trajectories(samples=3):
    """Numbers that say where they come from: sample, time, component, x, y."""
    shape = (samples, len(TIME), 2, 8, 7)
    values = sum(
        scale * torch.arange(n, dtype=torch.float64).reshape(-1, *[1] * (4 - i))
        for i, (n, scale) in enumerate(zip(shape, (1e4, 1e3, 500.0, 10.0, 1.0), strict=True))
    )
    return Trajectories(TIME, Grid((X, Y)), values, ("u", "v"))


def data(shape, dtype=torch.float64):
    return PatchData([trajectories()], SCALES, 0, shape, dtype)


def physical(patches):
    origin, size = (
        torch.tensor(v, dtype=torch.float64).reshape(1, -1, 1, 1, 1)
        for v in (patches.scales.origin, patches.scales.size)
    )
    return origin + size * patches.points


def test_a_patch_holds_the_nodes_it_names():
    found = data((4, 3, 5)).take(torch.tensor([2, 0]), torch.tensor([[1, 2, 1], [5, 0, 2]]))
    assert found.points.shape == (2, 5, 4, 3, 5) and found.weight.shape == (2, 4, 3, 5)
    assert found.weight.eq(1).all() and found.grid.shape == (4, 3, 5)
    source = trajectories().values
    for n, (sample, (i, j, k)) in enumerate([(2, (1, 2, 1)), (0, (5, 0, 2))]):
        t, x, y, u, v = physical(found)[n]
        torch.testing.assert_close(t[:, 0, 0], TIME[i : i + 4])
        torch.testing.assert_close(x[0, :, 0], X.coordinates()[j : j + 3])
        torch.testing.assert_close(y[0, 0], Y.coordinates()[k : k + 5])
        expected = source[sample, i : i + 4, :, j : j + 3, k : k + 5].movedim(1, 0)
        torch.testing.assert_close(torch.stack([u, v]), expected)
        torch.testing.assert_close(found.corner[n], torch.stack([TIME[i], X.coordinates()[j], Y.coordinates()[k]]))


def test_across_the_seam_values_wrap_and_coordinates_go_on():
    found = data((2, 4, 7)).take(torch.tensor([1]), torch.tensor([[0, 6, 0]]))
    x, u = physical(found)[0, 1, 0, :, 0], physical(found)[0, 3, 0, :, 0]
    torch.testing.assert_close(x, X.left + X.spacing * torch.arange(6, 10, dtype=torch.float64))
    torch.testing.assert_close(u, trajectories().values[1, 0, 0, [6, 7, 0, 1], 0])
    assert x.max() > X.right - X.spacing


@pytest.mark.parametrize(("shape", "periodic"), [((4, 0, 5), True), ((4, 8, 5), True), ((4, 7, 5), False)])
def test_only_a_whole_periodic_axis_is_periodic(shape, periodic):
    found = data(shape)
    assert found.grid.axes[1].periodic is periodic
    assert not found.grid.axes[0].periodic and not found.grid.axes[2].periodic
    assert [axis.left for axis in found.grid.axes] == [0, 0, 0]
    assert [axis.spacing for axis in found.grid.axes] == pytest.approx([0.5, 0.5, 0.5])
    for line, axis in zip(next(iter(found.batches(1))).lines, found.grid.axes[1:], strict=True):
        size = 4.0 if axis.name == "x" else 3.0
        assert line.spacing == pytest.approx(axis.spacing / size) and line.periodic is axis.periodic
    assert [line.dim for line in next(iter(found.batches(1))).lines] == [-2, -1]


def test_zero_takes_all():
    found = data((0, 0, 0))
    assert found.shape == (9, 8, 7)
    (batch,) = found.batches(3)
    torch.testing.assert_close(physical(batch)[:, 3:], trajectories().values.movedim(2, 1))


def test_batches_are_one_patch_of_every_trajectory():
    batches = list(data((4, 3, 5)).batches(2))
    assert [len(b.points) for b in batches] == [2, 1]
    firsts = torch.cat([physical(b)[:, 3, 0, 0, 0] for b in batches])
    torch.testing.assert_close(firsts, trajectories().values[:, 0, 0, 0, 0])


def test_draws_repeat_with_their_seed():
    found = data((4, 3, 5))
    first, same, other = (found.draw(6, torch.Generator().manual_seed(s), 0) for s in (1, 1, 2))
    assert torch.equal(first.points, same.points) and torch.equal(first.corner, same.corner)
    assert not torch.equal(first.corner, other.corner)


def test_draws_reach_every_start_and_no_other():
    found, generator = data((4, 3, 5)), torch.Generator().manual_seed(0)
    corners = torch.cat([found.draw(50, generator, step).corner for step in range(8)])
    nodes = ((corners - torch.tensor([3.0, -1.0, 2.0])) / 0.5).round()
    assert nodes[:, 0].unique().tolist() == [0, 1, 2, 3, 4, 5]
    assert nodes[:, 1].unique().tolist() == list(range(8)), "a part of a periodic axis begins anywhere"
    assert nodes[:, 2].unique().tolist() == [0, 1, 2]


def test_draws_go_through_all_trajectories_in_turn():
    """Each once before any a second time, in an order that changes."""
    found, generator = data((9, 8, 7)), torch.Generator().manual_seed(0)
    drawn = torch.cat([physical(found.draw(1, generator, step))[:, 3, 0, 0, 0] for step in range(30)])
    turns = (drawn / 1e4).round().reshape(10, 3)
    assert all(sorted(turn.tolist()) == [0, 1, 2] for turn in turns)
    assert len({tuple(turn.tolist()) for turn in turns}) > 1


def test_drawn_patches_lie_on_the_solution():
    """Every drawn node carries the value of the trajectory at its own time and place."""
    found = data((4, 5, 3)).draw(20, torch.Generator().manual_seed(3), 0)
    t, x, y, u, v = physical(found).unbind(1)
    i, j, k = ((z - low) / 0.5 for z, low in ((t, 3.0), (x, -1.0), (y, 2.0)))
    for z in (i, j, k):
        torch.testing.assert_close(z, z.round())
    expected = 1e3 * i + 10 * (j.round() % 8) + k
    torch.testing.assert_close(u % 1e4, expected)
    torch.testing.assert_close(v - u, torch.full_like(u, 500.0))


@pytest.mark.parametrize("shape", [(1, 3, 5), (10, 3, 5), (4, 9, 5), (4, 3, 8), (4, 1, 5), (4, 3, -2)])
def test_patches_that_don_t_fit(shape):
    with pytest.raises(ConfigError, match=r"a patch of -?\d+ nodes along [txy]; the data have \d+") as caught:
        data(shape)
    assert "patch" in caught.value.hint and "0 for all" in caught.value.hint


@pytest.mark.parametrize("shape", [(4,), (4, 3), (4, 3, 5, 5)])
def test_a_number_for_every_axis(shape):
    with pytest.raises(ConfigError, match="t, x, y") as caught:
        data(shape)
    assert "patch" in caught.value.hint


def test_dtype_and_late_times():
    late = trajectories()
    late = Trajectories(TIME + 1e4, late.grid, late.values / 1e4, late.unknowns)
    scales = Scales((1e4 + 3.0, *SCALES.origin[1:]), SCALES.size)
    patches = PatchData([late], scales, 0, (4, 3, 5), torch.float32)
    found = patches.take(torch.tensor([1]), torch.tensor([[2, 0, 0]]))
    assert found.points.dtype == found.weight.dtype == torch.float32 and found.corner.dtype == torch.float64
    # scaled before it is rounded: all digits of float32
    expected = (torch.arange(2, 6) * 0.5 / 4.0).float()
    torch.testing.assert_close(found.points[0, 0, :, 0, 0], expected, rtol=2e-7, atol=0)


def test_moved_copies_stand_one_after_the_other():
    found = data((4, 3, 5)).take(torch.tensor([2, 0]), torch.tensor([[1, 2, 1], [5, 0, 2]]))
    moved = found.moved(torch.cat([found.points + k for k in range(3)]))
    assert moved.corner.shape == (6, 3) and moved.weight.shape == (6, 4, 3, 5)
    assert torch.equal(moved.corner[2:4], found.corner) and torch.equal(moved.points[4], found.points[0] + 2)


@pytest.mark.parametrize("time", [0, 1, 2])
def test_time_in_any_place(time):
    own = torch.arange(3.0).reshape(1, 3, 1).expand(2, 3, 4)
    ordered = time_to(own, time)
    assert ordered[0, time, 0] == 0 and torch.equal(time_first(ordered, time, 3), own)
    rest = [float(z) for i, z in enumerate(ordered[0, :, 0]) if i != time]
    assert rest == [1.0, 2.0], "space keeps its order"


def test_points_in_the_order_of_the_domain():
    scales = Scales((-1.0, 3.0, 2.0, 0.0, 0.0), (4.0, 4.0, 3.0, 2.0, 0.5))  # x, t, y, u, v
    found = PatchData([trajectories()], scales, 1, (4, 3, 5), torch.float64)
    batch = found.take(torch.tensor([2]), torch.tensor([[1, 2, 1]]))
    plain = data((4, 3, 5)).take(torch.tensor([2]), torch.tensor([[1, 2, 1]]))
    torch.testing.assert_close(batch.points, plain.points[:, [1, 0, 2, 3, 4]])
    assert torch.equal(batch.corner, plain.corner) and batch.lines == plain.lines


def test_the_domain_hands_them_out():
    made = small("kdv")
    (batch,) = made.patches().batches(2)
    assert batch.points.shape == (2, 3, 49, 32) and made.domain.components == ("t", "x", "u")
    t, x, u = batch.points.unbind(1)
    assert t.min() == 0 and t.max() == 1 and x.min() == 0 and x.max() == pytest.approx(31 / 32)
    torch.testing.assert_close(u * made.scales.size[2], made.trajectories.values[:, :, 0])
    assert float(u.std()) == pytest.approx(0.29, rel=1e-6)


def test_uneven_times_are_refused_by_name():
    even = trajectories()
    bent = Trajectories(TIME + 1e-3 * (TIME - 5) ** 2, even.grid, even.values, even.unknowns)
    with pytest.raises(GridError, match=r"t is not sampled evenly: its steps lie between 0\.4") as error:
        PatchData([bent], SCALES, 0, (4, 3, 5), torch.float64)
    assert "finite_samples" in error.value.hint
