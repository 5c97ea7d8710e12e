"""What all differentiators of moved data share: gradients, dtypes, folds, broken data, errors."""

import math

import pytest
import torch

from lieapp.errors import ConfigError, GridError
from lieapp.numerics.differentiator import differentiator
from lieapp.numerics.grid import Axis, Grid
from lieapp.numerics.moved import determinant, folded_share

ALL = [("weno", {}), ("weno", {"extra": 1}), ("curvilinear", {"accuracy": 2}), ("bilinear", {})]
ORDERS = [(0, 0), (0, 1), (1, 0), (0, 2), (1, 1)]


def grid(t=14, x=12):
    return Grid((Axis("t", 1.0, 2.0, t), Axis("x", 0.0, 2 * math.pi, x, periodic=True)))


def moved(g, amplitude=0.3, batch=2, dtype=torch.float64):
    """A smooth displacement of `amplitude`, and two functions of the moved coordinates."""
    t, x = g.mesh(torch.float64, "cpu")
    entries = []
    for b in range(batch):
        entries.append(
            torch.stack([t + 0.3 * amplitude * torch.sin(x + b + 0.4) * t, x + amplitude * torch.cos(x + t)])
        )
    positions = torch.stack(entries)
    values = torch.stack(
        [torch.sin(positions[:, 1]) * positions[:, 0], torch.cos(2 * positions[:, 1] + positions[:, 0])], 1
    )
    return positions.to(dtype), values.to(dtype)


@pytest.mark.parametrize(("name", "options"), ALL)
def test_gradients(name, options):
    g = grid(7, 6)
    positions, values = moved(g, batch=1)
    made = differentiator(name, g, ORDERS, **options)

    def derivatives(p, v):
        found = made.jets(p, v)
        assert found.valid.any()
        return tuple(found.derivatives.values())

    torch.autograd.gradcheck(derivatives, (positions.requires_grad_(), values.requires_grad_()), fast_mode=True)


@pytest.mark.parametrize(("name", "options"), ALL)
def test_float32_agrees_with_float64(name, options):
    g = grid()
    results = []
    for dtype in (torch.float64, torch.float32):
        positions, values = (z.requires_grad_() for z in moved(g, dtype=dtype))
        found = differentiator(name, g, ORDERS, **options).jets(positions, values)
        sum((d.square().mean() for d in found.derivatives.values()), start=torch.zeros(())).backward()
        assert {d.dtype for d in found.derivatives.values()} == {dtype} == {found.folded.dtype}
        assert found.valid.dtype == torch.bool and found.valid.shape == values.shape[:1] + values.shape[2:]
        assert found.positions.shape == positions.shape
        results.append((*found.derivatives.values(), positions.grad, values.grad))
    for exact, rough in zip(*results, strict=True):
        assert (rough - exact).abs().max() < 1e-3 * exact.abs().max()


@pytest.mark.parametrize("size", [0.3, 3.0, 30.0, 1e4, 1e20])
@pytest.mark.parametrize(("name", "options"), ALL)
def test_scattered_nodes_leave_values_and_gradients_finite(name, options, size):
    g, generator = grid(20, 18), torch.Generator().manual_seed(0)
    positions, values = moved(g, dtype=torch.float32)
    spacing = torch.tensor([axis.spacing for axis in g.axes])[:, None, None]
    positions = positions + size * spacing * torch.randn(positions.shape, generator=generator)
    found = differentiator(name, g, [*ORDERS, (0, 3), (1, 2)], **options)
    assert_finite(found, positions, values)


def assert_finite(made, positions, values):
    """Of derivatives and gradients, also where data are missing; returns the jets."""
    positions, values = positions.clone().requires_grad_(), values.clone().requires_grad_()
    found = made.jets(positions, values)
    for d in found.derivatives.values():
        assert d.isfinite().all()
        assert (d.movedim(1, -1)[~found.valid] == 0).all()
    sum(
        (d.sum() + d.clamp(-1e9, 1e9).square().sum() for d in found.derivatives.values()), start=torch.zeros(())
    ).backward()
    assert positions.grad.isfinite().all() and values.grad.isfinite().all()
    assert found.folded.isfinite().all()
    return found, positions.grad, values.grad


@pytest.mark.parametrize(("name", "options"), ALL)
def test_all_nodes_at_one_place(name, options):
    g = grid()
    positions, values = moved(g, dtype=torch.float32)
    made = differentiator(name, g, [(0, 1), (1, 2)], **options)
    found, by_position, by_value = assert_finite(made, torch.ones_like(positions), values)
    assert not found.valid.any()
    assert (by_position == 0).all() and (by_value == 0).all()
    assert found.folded.tolist() == [1, 1]


@pytest.mark.parametrize("broken", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize(("name", "options"), ALL)
def test_nodes_that_are_not_finite_stay_alone(name, options, broken):
    g = grid(30, 30)
    positions, values = moved(g)
    made = differentiator(name, g, [(0, 1), (1, 0), (0, 2)], **options)
    clean = made.jets(positions, values)
    positions[0, 1, 15, 5] = broken
    values[1, 0, 15, 5] = broken
    found, by_position, by_value = assert_finite(made, positions, values)
    assert (by_position[0, :, 15, 5] == 0).all() and by_value[1, 0, 15, 5] == 0
    if name != "bilinear":  # there the node's share is missing, and its neighbours' means are others
        assert not found.valid[:, 15, 5].any()
    far = torch.arange(30).sub(15).abs() > 5
    assert torch.equal(found.valid[:, far], clean.valid[:, far])
    for J, d in found.derivatives.items():
        torch.testing.assert_close(d[:, :, far], clean.derivatives[J][:, :, far], msg=f"{name} {J}")


@pytest.mark.parametrize(("name", "options"), ALL)
def test_a_fold_is_reported(name, options):
    g = grid(20, 200)
    t, x = g.mesh(torch.float64, "cpu")
    positions = torch.stack(
        [torch.stack([t, x + a * torch.sin(x)]) for a in (0.0, 0.9, 1.5)] + [torch.stack([t, -x])]
    )
    # the last one turns round: its seam goes backwards too
    made = differentiator(name, g, [(0, 1)], **options)
    found = made.jets(positions, torch.ones_like(positions[:, :1]))
    assert found.folded[:2].tolist() == [0, 0]
    assert found.folded[2].item() == pytest.approx(math.acos(1 / 1.5) / math.pi, abs=2 / 200)
    assert found.folded[3] > 0.9


def test_neighbours_that_changed_places_are_a_fold():
    g = Grid((Axis("x", 0, 9, 10),))
    positions = torch.arange(10.0)[None, None].clone()
    positions[0, 0, 4], positions[0, 0, 5] = 5.0, 4.0
    assert folded_share(g, positions).item() == pytest.approx(0.2)
    places = torch.arange(10)[None]
    assert folded_share(g, positions, places < 5).item() == pytest.approx(0.2)
    assert folded_share(g, positions, places > 6).item() == 0
    assert folded_share(g, positions, places > 9).item() == 0


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_determinants(n):
    matrix = torch.randn(n, n, 7, generator=torch.Generator().manual_seed(n), dtype=torch.float64)
    torch.testing.assert_close(determinant(matrix), torch.linalg.det(matrix.permute(2, 0, 1)))


@pytest.mark.parametrize(("name", "options"), ALL)
def test_translation_and_scaling_of_everything(name, options):
    """∂ũ/∂x̃ of u moved by x -> 2x + 1, and of a shift across the seam, against the unmoved derivative."""
    g = grid(20, 20)
    positions, values = moved(g, amplitude=0.0, batch=1)
    made = differentiator(name, g, [(1, 0), (0, 1), (0, 2), (1, 1)], **options)
    plain = made.jets(positions, values)
    shift = torch.tensor([0.0, 5 * g.axes[1].spacing + 4 * math.pi], dtype=torch.float64)[None, :, None, None]
    found = made.jets(positions + shift, values)
    for J, d in found.derivatives.items():
        expected = plain.derivatives[J].roll(5, -1) if name == "bilinear" else plain.derivatives[J]
        torch.testing.assert_close(d, expected, rtol=1e-7, atol=1e-7)
    if name == "curvilinear":
        scaled = torch.stack([2 * positions[:, 0] + 1, positions[:, 1]], 1)
        for J, d in made.jets(scaled, values).derivatives.items():
            torch.testing.assert_close(d, plain.derivatives[J] / 2 ** J[0], rtol=1e-9, atol=1e-9)


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize("name", ["weno", "curvilinear", "bilinear"])
def test_bad_input_is_named(name):
    g = grid()
    positions, values = moved(g)
    made = differentiator(name, g, ORDERS, **({"accuracy": 2} if name != "weno" else {}))
    with pytest.raises(GridError, match="positions have the shape"):
        made.jets(positions[:, :1], values)
    with pytest.raises(GridError, match="values have the shape"):
        made.jets(positions, values[:1])
    with pytest.raises(GridError, match="float32"):
        made.jets(positions, values.float())
    with pytest.raises(ConfigError, match="multi-index over the 2 axes t, x"):
        differentiator(name, g, [(1,)])
    with pytest.raises(ConfigError, match="multi-index"):
        differentiator(name, g, [(0, -1)])
    with pytest.raises(ConfigError, match="no derivative"):
        differentiator(name, g, [])
    with pytest.raises(GridError, match="axis t has 4 nodes") as caught:
        differentiator(name, grid(4, 12), [(4, 0)])
    assert "axis t more points" in caught.value.hint
    with pytest.raises(GridError, match=r"axis t has 1 points"):
        differentiator(name, grid(1, 12), ORDERS)


def test_options_without_meaning():
    for name in ("curvilinear", "bilinear"):
        with pytest.raises(ConfigError, match="accuracy = 3"):
            differentiator(name, grid(), ORDERS, accuracy=3)
    with pytest.raises(ConfigError, match="extra"):
        differentiator("weno", grid(), ORDERS, extra=-1)
