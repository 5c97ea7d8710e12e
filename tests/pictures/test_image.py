"""Pictures as a domain: their plane, the action of known generators, angle, derivative and weight."""

import math
from dataclasses import replace

import numpy as np
import pytest
import sympy as sp
import torch
from extractors import shifting, turning, with_margin, zooming
from scipy import ndimage

from lieapp.compare.subspace import independent
from lieapp.compare.subspace import normalised as unit_gram
from lieapp.data.images.pictures import make_pictures
from lieapp.domains.formulas import AFFINE, stack
from lieapp.equations.parsing import parse_expression
from lieapp.errors import DataError
from lieapp.methods.by_flow import gram
from lieapp.methods.flow import Flow, Solver
from lieapp.pictures import image
from lieapp.pictures.image import (
    WIDTH,
    ImageData,
    ImageDomain,
    angle,
    coarse_nodes,
    gradient,
    pixel_grid,
    pixel_weight,
    resample,
    spacing,
    spread,
)

NAMES = [field.name for field in AFFINE]
FLAT = torch.nn.Flatten()
X, Y = sp.symbols("x y")
LABELS = np.array([0, 1, 0, 1])


def smooth(height=24, width=24, channels=3, count=4):
    """Sums of two bumps near the middle, 0 at the edges."""
    grid = pixel_grid(height, width, torch.float64)
    generator = torch.Generator().manual_seed(3)
    places = torch.rand(count, channels, 2, 2, 1, 1, generator=generator, dtype=torch.float64)
    squares = (grid[:, None, None] - (places - 0.5)).square().sum(3)
    return torch.exp(-squares / 0.03).sum(2).div(2)


def data(pixels, features=lambda p: p.flatten(1), flip=False):
    pictures = make_pictures(pixels.numpy(), LABELS[: len(pixels)], None, "test")
    return ImageData(replace(pictures, pixels=pixels), features, flip)


def batch(pixels, features=lambda p: p.flatten(1)):
    own = next(data(pixels, features).batches(len(pixels), len(pixels)))
    return replace(own, points=own.points.to(pixels), weight=own.weight.to(pixels))


def flow(step=0.05):
    return Flow(Unscaled(), Solver("rk4", step))


class Unscaled:
    """The affine fields as they stand, one for each slot."""

    def each(self, points, which=None):
        return stack(AFFINE).each(points, which)


def matrices(s):
    """The finite transformations of the paper's table, x -> A x + b, in the order of AFFINE."""
    e, c, n = math.exp(s), math.cos(s), math.sin(s)
    eye = [[1, 0], [0, 1]]
    return [
        (eye, [s, 0]), (eye, [0, s]), ([[e, 0], [0, 1]], [0, 0]), ([[1, 0], [0, e]], [0, 0]),
        ([[1, s], [0, 1]], [0, 0]), ([[1, 0], [s, 1]], [0, 0]), ([[e, 0], [0, e]], [0, 0]),
        ([[c, -n], [n, c]], [0, 0]),
    ]  # fmt: skip


@pytest.mark.parametrize("padding", ["border", "zeros"])
@pytest.mark.parametrize("shape", [(20, 20), (14, 23)])
def test_the_flow_of_an_affine_generator_is_the_affine_warp_of_scipy(padding, shape):
    pixels = torch.rand(2, 1, *shape, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    moved = ImageDomain("t", FLAT, padding).act(flow(), batch(pixels), torch.full((8,), 0.3, dtype=torch.float64))
    found = moved.pixels.reshape(8, 2, *shape)
    h, middle = spacing(*shape), (np.array(shape) - 1) / 2
    turn = np.array([[0, -1], [1, 0]])  # (x, y) of (row, column), per pixel
    for k, (a, b) in enumerate(matrices(0.3)):
        inverse = np.linalg.inv(np.array(a, float))
        # from pixel to (x, y), back along the transformation, to pixel again
        to_plane = np.array([[0, 1], [-1, 0]])
        linear = turn @ inverse @ to_plane
        offset = middle - linear @ middle - turn @ inverse @ np.array(b) / h
        mode = "nearest" if padding == "border" else "constant"
        expected = ndimage.affine_transform(pixels[0, 0].numpy(), linear, offset, order=1, mode=mode)
        inner = (slice(2, -2), slice(2, -2)) if padding == "zeros" else (slice(None), slice(None))
        worst = np.abs(found[k, 0].numpy() - expected)
        # with zeros outside, the two differ where a place lies within a pixel of the edge
        assert np.median(worst[inner]) < 1e-6 and (padding == "zeros" or worst.max() < 1e-5), NAMES[k]


def test_the_group_law_holds_on_smooth_pictures():
    pixels = smooth(64, 64, 1)
    domain, one = ImageDomain("t", lambda p: p.flatten(1)), batch(smooth(64, 64, 1))
    number = NAMES.index("rotation")
    along = Flow(One(number), Solver("rk4", 0.05))

    def moved(start, s):
        return domain.act(along, start, torch.tensor([s], dtype=torch.float64)).pixels

    twice = moved(replace(one, pixels=moved(one, 0.3)), 0.4)
    error = (twice - moved(one, 0.7)).abs().max()
    assert error < 0.02 < (twice - pixels).abs().max() / 5
    back = moved(replace(one, pixels=moved(one, 0.3)), -0.3)
    assert (back - pixels).abs().max() < 0.02


class One:
    """One of the affine fields."""

    def __init__(self, number):
        self.number = number

    def each(self, points, which=None):
        return torch.stack([AFFINE[self.number].function(own) for own in points])


@pytest.mark.parametrize("number", range(8), ids=NAMES)
def test_angle_over_s_tends_to_the_norm_of_the_derivative(number):
    torch.manual_seed(0)
    weights = torch.randn(3 * 64 * 64, 12, dtype=torch.float64) / 64
    pixels = smooth(64, 64)
    domain = ImageDomain("t", lambda p: torch.tanh(p.flatten(1) @ weights) + 0.3)
    own = batch(pixels, domain.features)
    _, q = domain.characteristic(own, stack(AFFINE[number : number + 1]))
    slope = domain.tangent(own, q)[0].norm(dim=1)
    s, along = 0.02, Flow(One(number))
    ahead, behind = (domain.act(along, own, torch.tensor([way], dtype=torch.float64)) for way in (s, -s))
    # interpolation errs evenly in s: that cancels between the two, not against the unmoved picture
    both = domain.validity(None, replace(ahead, features=domain.features(behind.pixels)))
    assert torch.allclose(both.score / (2 * s), slope, rtol=0.01)


def test_bicubic_interpolation_blurs_less():
    pixels, grid = smooth(24, 24, 1), pixel_grid(24, 24, torch.float64)
    half = torch.tensor([0.5 * spacing(24, 24), 0]).reshape(1, 2, 1, 1)
    there = {}
    for kind in ("bicubic", "bilinear"):
        once = resample(pixels, (grid + half).expand(4, -1, -1, -1), "border", kind)
        there[kind] = resample(once, (grid - half).expand(4, -1, -1, -1), "border", kind)
        whole = resample(pixels, (grid + 2 * half).expand(4, -1, -1, -1), "border", kind)
        assert torch.allclose(whole[..., :-1], pixels[..., 1:])
    lost = {kind: (found - pixels).square().mean().sqrt() for kind, found in there.items()}
    assert lost["bicubic"] < 0.4 * lost["bilinear"]


@pytest.mark.parametrize("shape", [(28, 28), (30, 41)])
def test_flows_from_a_coarse_grid_reach_the_same_places(shape):
    points = pixel_grid(*shape, torch.float64)
    nodes = coarse_nodes(points, 16)
    assert min(nodes.shape[2:]) == 16 and torch.allclose(nodes[0, :, 0, 0], points[0, :, 0, 0])
    assert coarse_nodes(points, 0) is points and coarse_nodes(points, min(shape)) is points
    cubic = torch.stack([points[:, 0] ** 3 - points[:, 1], points[:, 0] * points[:, 1] ** 2], 1)
    coarse = torch.stack([nodes[:, 0] ** 3 - nodes[:, 1], nodes[:, 0] * nodes[:, 1] ** 2], 1)
    assert torch.allclose(spread(coarse, nodes, points), cubic)
    # as rough as the Lipschitz bound allows: a whirl of norm 1 that turns by 3 rad per unit of s in the middle

    def whirl(z):
        turn = 3 * torch.exp(-z.square().sum(-3, keepdim=True) / (2 * 0.4**2))
        return turn * torch.stack([-z[..., 1, :, :], z[..., 0, :, :]], -3)

    class Whirl:
        def each(self, z, which=None):
            return whirl(z)

    s = torch.tensor([0.4], dtype=torch.float64)
    exact, found = (Flow(Whirl(), Solver("rk4", 0.02))(grid[None], s)[:, 0] for grid in (points, nodes))
    error = (spread(found, nodes, points) - exact).norm(dim=1).max() / spacing(*shape)
    assert 1e-5 < error < 0.1


def test_angles_keep_their_digits_near_0():
    a = torch.tensor([[1.0, 0.0], [1.0, 0.0], [1.0, 0.0]], dtype=torch.float64, requires_grad=True)
    b = torch.tensor([[1.0, 1e-7], [0.0, 3.0], [-2.0, 0.0]], dtype=torch.float64)
    found = angle(a, b)
    assert torch.allclose(found, torch.tensor([1e-7, torch.pi / 2, torch.pi], dtype=torch.float64), rtol=1e-6)
    angle(a, a.detach()).sum().backward()
    assert torch.isfinite(a.grad).all()


def test_the_plane_has_square_pixels_and_its_origin_in_the_middle():
    grid = pixel_grid(5, 9, torch.float64)
    assert grid[0, :, 0, 0].tolist() == [-1, 0.5] and grid[0, :, 4, 8].tolist() == [1, -0.5]
    assert grid.mean((2, 3)).abs().max() < 1e-15
    pixels = torch.rand(2, 3, 5, 9, dtype=torch.float64)
    assert torch.allclose(resample(pixels, grid.expand(2, -1, -1, -1), "zeros"), pixels)
    x, y = grid[0]
    along = gradient((2 * x - 3 * y)[None, None])
    assert torch.allclose(along[0, 0], torch.tensor(2.0, dtype=torch.float64))
    assert torch.allclose(along[0, 1], torch.tensor(-3.0, dtype=torch.float64))


def test_the_weight_is_the_brute_force_sum_over_pixels():
    torch.manual_seed(1)
    pixels = torch.rand(3, 1, 6, 5, dtype=torch.float64)
    mixing = torch.randn(30, 7, dtype=torch.float64)

    def features(p):
        return torch.sin(p.flatten(1) @ mixing)

    found = pixel_weight(features, pixels, torch.Generator())
    points, total = pixel_grid(6, 5, torch.float64)[0], torch.zeros(6, 5, dtype=torch.float64)
    for picture in pixels:
        jacobian = torch.func.jacrev(lambda p: features(p[None])[0])(picture)[:, 0]
        along = gradient(picture[None])[0, :, 0]
        for centre in points.flatten(1).T:
            kernel = torch.exp(-(points - centre[:, None, None]).square().sum(0) / (2 * WIDTH**2))
            columns = [(jacobian * kernel * part).sum((1, 2)) for part in along]
            total += kernel * torch.stack(columns).norm()
    assert torch.allclose(found, total / total.mean())
    assert found.mean().item() == pytest.approx(1)


def test_random_directions_of_many_features_give_nearly_the_weight_of_all(monkeypatch):
    torch.manual_seed(1)
    # what is on the left counts twice
    pixels, sides = torch.rand(64, 1, 12, 12), torch.linspace(2, 1, 12).repeat(12)

    def features(p):
        return p.flatten(1) * sides

    found = pixel_weight(features, pixels, torch.Generator().manual_seed(0))
    monkeypatch.setattr(image, "DIRECTIONS", 144)
    whole = pixel_weight(features, pixels, torch.Generator())
    assert whole[:, :3].mean() > 1.5 * whole[:, -3:].mean()
    assert (found / whole - 1).abs().max() < 0.1


def test_pixels_nobody_looks_at_weigh_nothing():
    pixels = torch.rand(4, 1, 32, 32)
    found = pixel_weight(lambda p: p[:, :, 12:20, 12:20].flatten(1), pixels, torch.Generator().manual_seed(0))
    assert found[14:18, 14:18].mean() > 3 and found[:3].max() < 0.01
    assert torch.equal(pixel_weight(lambda p: p[:, 0, 0, :2] * 0, pixels, torch.Generator()), torch.ones(32, 32))
    flat = pixel_weight(lambda p: p.flatten(1)[:, :5], pixels * 0, torch.Generator())
    assert torch.equal(flat, torch.ones(32, 32))


def test_batches_have_the_features_of_their_pictures_mirrored_or_not():
    def features(p):
        return (p * torch.arange(24.0)).flatten(1)

    source = data(smooth().float(), features, flip=True)
    turned = 0
    for step in range(20):
        own = source.draw(3, torch.Generator().manual_seed(step))
        assert torch.equal(own.features, features(own.pixels))
        plain = source.pixels[own.sample]
        turned += int((own.pixels != plain).flatten(1).any(1).sum())
    assert 15 < turned < 45
    whole = torch.cat([part.pixels for part in source.batches(4, 3)])
    assert torch.equal(whole, source.pixels)


def test_an_extractor_that_gives_no_features():
    with pytest.raises(DataError, match="one row"):
        data(smooth(), lambda p: p)
    with pytest.raises(DataError, match="NaN"):
        data(smooth(), lambda p: p.flatten(1) / 0)


def test_moved_pictures_are_differentiable_in_the_fields():
    own = batch(smooth())
    size = torch.ones(8, dtype=torch.float64, requires_grad=True)

    class Scaled:
        def each(self, points, which=None):
            return stack(AFFINE).each(points, which) * size[list(which)].reshape(-1, 1, 1, 1, 1)

    domain = ImageDomain("t", lambda p: p.flatten(1))
    score = domain.validity(None, domain.act(Flow(Scaled()), own, torch.full((8,), 0.2, dtype=torch.float64))).score
    (slope,) = torch.autograd.grad(score.sum(), size)
    assert (slope > 0).all()


def test_the_affine_fields_span_six_dimensions():
    inner = unit_gram(gram(stack(AFFINE), [batch(smooth())]))
    assert int((torch.linalg.eigvalsh(inner) > 1e-10).sum()) == 6
    assert independent(inner, list(range(8))) == list(range(6))
    points = torch.rand(1, 2, 3)
    for field in AFFINE:
        x, y = points[:, 0], points[:, 1]
        formulas = [sp.lambdify((X, Y), parse_expression(field.formula[c], {"x": X, "y": Y})) for c in ("x", "y")]
        values = [formula(x, y) + torch.zeros_like(x) for formula in formulas]
        assert torch.allclose(field.function(points), torch.stack(values, 1))


@pytest.mark.parametrize(
    ("extractor", "planted"),
    [
        (turning, ["rotation"]),
        (shifting, ["translation in x", "translation in y"]),
        (zooming, ["uniform scaling", "rotation"]),
    ],
)
def test_a_planted_extractor_has_the_planted_symmetries_only(extractor, planted):
    pixels = with_margin(smooth(48, 48, 1).float(), 32, 64)
    domain = ImageDomain("t", extractor)
    own = batch(pixels, extractor)
    s = torch.full((8,), 0.3)
    score = domain.validity(None, domain.act(flow(), own, s)).score.reshape(8, -1).mean(1)
    there = torch.tensor([name in planted for name in NAMES])
    assert score[there].max() < 0.05 and score[~there].min() > 3 * score[there].max(), score
