"""Colours as a domain: the cube, the action of known fields, angle, derivative and weight."""

import math
from dataclasses import replace

import numpy as np
import pytest
import sympy as sp
import torch
from scipy.spatial.transform import Rotation

from lieapp.compare.subspace import independent
from lieapp.compare.subspace import normalised as unit_gram
from lieapp.data.images.pictures import make_pictures
from lieapp.domains.formulas import stack
from lieapp.equations.parsing import parse_expression
from lieapp.errors import DataError
from lieapp.methods.by_flow import gram
from lieapp.methods.flow import Flow, Solver
from lieapp.pictures.color import (
    COLOR_FIELDS,
    ColorDomain,
    Palette,
    check_colored,
    color_weight,
    colored,
    interpolated,
    lattice,
    nearest,
    neighbours,
    pairs_of,
    sample_colors,
)
from lieapp.pictures.image import ImageData

NAMES = [field.name for field in COLOR_FIELDS]
SYMBOLS = sp.symbols("r g b")
EVERY = len(COLOR_FIELDS)
FLAT = torch.nn.Flatten()


def pictures(count=4, side=6, seed=0):
    """Random colours in [.2, .8]."""
    generator = torch.Generator().manual_seed(seed)
    return 0.2 + 0.6 * torch.rand(count, 3, side, side, generator=generator, dtype=torch.float64)


def batch(pixels, features=lambda p: p.flatten(1), colors=40, count=3):
    made = make_pictures(pixels.numpy(), np.arange(len(pixels)) % 2, None, "test")
    source = ImageData(replace(made, pixels=pixels), features, False)
    palette = Palette.of(sample_colors(pixels, colors, torch.Generator().manual_seed(1)), count)
    own = next(colored(source, palette).batches(len(pixels), len(pixels)))
    return replace(own, points=own.points.to(pixels), weight=own.weight.to(pixels))


class Along:
    """Given fields, one for each slot, as the flow wants them."""

    def __init__(self, *functions):
        self.functions = functions

    def each(self, points, which=None):
        which = range(len(self.functions)) if which is None else which
        return torch.stack([self.functions[k](own) for k, own in zip(which, points, strict=True)])


def flow(*functions, step=0.02):
    return Flow(Along(*functions), Solver("rk4", step))


NAMED = [field.function for field in COLOR_FIELDS]


def changed(colors, s):
    """Each named change of colours (..., 3) by s, as picture editors do it, before anything is clipped."""
    mean = colors.mean(-1, keepdims=True)
    turn = Rotation.from_rotvec(s * np.ones(3) / math.sqrt(3)).as_matrix()
    return {
        "shift of red": colors + s * np.array([1, 0, 0]),
        "shift of green": colors + s * np.array([0, 1, 0]),
        "shift of blue": colors + s * np.array([0, 0, 1]),
        "brightness": math.exp(s) * colors,
        "saturation": mean + math.exp(s) * (colors - mean),
        "hue rotation": colors @ turn.T,
        "lightness": colors + s,
        "contrast": 0.5 + math.exp(s) * (colors - 0.5),
        "blue-yellow shift": colors + s * np.array([1, 1, -2]),
    }


@pytest.mark.parametrize("s", [-0.3, 0.15, 0.6])
def test_the_flow_of_a_named_field_is_the_change_of_colours_it_is_named_for(s):
    pixels, along = pictures(), torch.full((EVERY,), s, dtype=torch.float64)
    moved = ColorDomain("t", FLAT).act(flow(*NAMED), batch(pixels), along)
    clipped = ColorDomain("t", FLAT, outside="clipped").act(flow(*NAMED), batch(pixels), along)
    assert torch.equal(clipped.pixels, moved.pixels.clamp(0, 1)) and torch.equal(clipped.clipped, moved.clipped)
    expected = changed(pixels.movedim(1, -1).numpy(), s)
    for k, name in enumerate(NAMES):
        found = moved.pixels.unflatten(0, (EVERY, -1))[k].movedim(1, -1).numpy()
        assert np.abs(found - expected[name]).max() < 1e-6, name
        outside = ((expected[name] < -1e-4) | (expected[name] > 1 + 1e-4)).any(-1)
        assert moved.clipped.unflatten(0, (EVERY, -1))[k].tolist() == pytest.approx(outside.mean((1, 2)).tolist())
    assert 0 < moved.clipped.mean() < 0.9


def test_hue_turns_red_towards_green_as_the_formula_says():
    third = torch.tensor([2 * math.pi / 3], dtype=torch.float64)
    pure = torch.tensor([1.0, 0, 0], dtype=torch.float64).reshape(1, 3, 1, 1).expand(1, 3, 4, 4) * 0.6 + 0.1
    own = replace(batch(pictures()), pixels=pure, features=pure.flatten(1), sample=torch.tensor([0]))
    moved = ColorDomain("t", FLAT).act(flow(NAMED[NAMES.index("hue rotation")]), own, third)
    assert torch.allclose(moved.pixels, pure[:, [2, 0, 1]], atol=1e-6)


def test_nearest_takes_the_displacement_of_the_nearest_sampled_colour():
    pixels, own = pictures(), batch(pictures())
    moved = ColorDomain("t", FLAT, "nearest").act(flow(bent), own, torch.tensor([0.3], dtype=torch.float64))
    colors = own.points[0].T
    shift = flow(bent)(own.points[None], torch.tensor([0.3], dtype=torch.float64))[0, 0].T - colors
    before, after = (p.movedim(1, -1).reshape(-1, 3) for p in (pixels, moved.pixels))
    for pixel, found in zip(before, after, strict=True):
        which = int((colors - pixel).norm(dim=1).argmin())
        assert torch.allclose(found, pixel + shift[which])


def bent(points):
    """A field that isn't affine."""
    r, g, b = points[:, 0], points[:, 1], points[:, 2]
    return torch.stack([0.3 * g * g - 0.1, 0.2 * r * b, 0.1 + 0.3 * r * r - 0.3 * g], 1)


def test_the_lattice_errs_by_the_square_of_its_spacing():
    pixels, s = pictures(), torch.tensor([0.5], dtype=torch.float64)
    exact = flow(bent)(pixels[None], s)[0]
    sides = [5, 9, 17, 33]
    errors = []
    for side in sides:
        moved = ColorDomain("t", FLAT, side=side).act(flow(bent), batch(pixels), s)
        errors.append(float((moved.pixels - exact).abs().max()))
    slope = np.polyfit(np.log([1 / (side - 1) for side in sides]), np.log(errors), 1)[0]
    assert abs(slope - 2) < 0.2, errors


def test_the_group_law_holds_on_pictures():
    own, domain = batch(pictures()), ColorDomain("t", FLAT, side=33)

    def moved(start, s):
        return domain.act(flow(bent), start, torch.tensor([s], dtype=torch.float64)).pixels

    first = replace(own, pixels=moved(own, 0.3))
    assert torch.allclose(moved(first, 0.4), moved(own, 0.7), atol=2e-4)
    assert torch.allclose(moved(first, -0.3), own.pixels, atol=2e-4)
    assert (first.pixels - own.pixels).abs().max() > 0.05


@pytest.mark.parametrize("number", range(EVERY), ids=NAMES)
def test_angle_over_s_tends_to_the_norm_of_the_derivative(number):
    mixing = torch.randn(3 * 36, 12, generator=torch.Generator().manual_seed(0), dtype=torch.float64) / 10
    domain = ColorDomain("t", lambda p: torch.tanh(p.flatten(1) @ mixing) + 0.3)
    own = batch(pictures(), domain.features)
    v, q = domain.characteristic(own, stack(COLOR_FIELDS[number : number + 1]))
    assert torch.allclose(v[0], NAMED[number](own.points)) and torch.allclose(q.value[0], NAMED[number](own.pixels))
    slope = domain.tangent(own, q)[0].norm(dim=1)
    s = 1e-4
    moved = domain.act(flow(NAMED[number]), own, torch.tensor([s], dtype=torch.float64))
    assert torch.allclose(domain.validity(None, moved).score / s, slope, rtol=1e-3)
    assert torch.equal(domain.validity(None, moved).share, torch.ones(4, dtype=torch.float64))


def test_only_six_of_the_named_fields_are_independent():
    own = batch(pictures())
    inner = unit_gram(gram(stack(COLOR_FIELDS), [own]))
    assert int((torch.linalg.eigvalsh(inner) > 1e-10).sum()) == 6
    assert independent(inner, list(range(EVERY))) == list(range(6))
    assert ColorDomain("t", FLAT).reference() == COLOR_FIELDS and ColorDomain("t", FLAT).truth() is None


@pytest.mark.parametrize("field", COLOR_FIELDS, ids=NAMES)
def test_formulas_say_what_the_functions_do(field):
    points = torch.rand(2, 3, 5, dtype=torch.float64)
    known = dict(zip("rgb", SYMBOLS, strict=True))
    values = [sp.lambdify(SYMBOLS, parse_expression(field.formula[c], known))(*points.unbind(1)) for c in "rgb"]
    assert torch.allclose(field.function(points), torch.stack([v + 0 * points[:, 0] for v in values], 1))


# the weight


def test_the_weight_is_the_brute_force_mean_over_pictures_and_neighbours():
    pixels = pictures(3, 4)
    mixing = torch.randn(48, 7, generator=torch.Generator().manual_seed(2), dtype=torch.float64)

    def features(p):
        return torch.sin(p.flatten(1) @ mixing)

    palette = Palette.of(sample_colors(pixels, 16, torch.Generator().manual_seed(3)), 4)
    colors = palette.points[0].T
    total = torch.zeros(16, dtype=torch.float64)
    for picture in pixels:
        jacobian = torch.func.jacrev(lambda p: features(p[None])[0])(picture)
        for row in range(4):
            for column in range(4):
                assert nearest(colors.T, picture[None])[0, row, column] == int(
                    (colors - picture[:, row, column]).norm(dim=1).argmin()
                )
        which = nearest(colors.T, picture[None])[0]
        for i, color in enumerate(colors):
            own = (jacobian * (which == i)).sum((2, 3))
            near = sorted(range(16), key=lambda j: float((colors[j] - color).norm()))[1:5]
            total[i] += sum(float((own @ (colors[j] - color)).norm()) for j in near) / 4
    found = color_weight(features, pixels, palette, torch.Generator())
    assert torch.allclose(found, total / total.mean()) and found.std() > 0.2


def test_random_directions_stand_for_many_features():
    pixels = pictures(20, 4)
    mixing = torch.randn(48, 300, generator=torch.Generator().manual_seed(2), dtype=torch.float64)
    palette = Palette.of(sample_colors(pixels, 16, torch.Generator().manual_seed(3)), 4)

    def found(count, features):
        parts = [color_weight(features, pixels, palette, torch.Generator().manual_seed(n)) for n in range(count)]
        return torch.stack(parts).mean(0)

    drawn = found(8, lambda p: p.flatten(1) @ mixing)
    # the same norms with the 300 features turned into 48
    frame = torch.linalg.qr(mixing.T)[1]
    whole = torch.zeros(16, dtype=torch.float64)
    for picture in pixels:
        which, colors = nearest(palette.points[0], picture[None])[0], palette.points[0].T
        for i in range(16):
            for j in palette.nearby[i]:
                step = ((which == i) * (colors[j] - colors[i])[:, None, None]).flatten()
                whole[i] += (frame @ step).norm()
    assert torch.allclose(drawn, whole / whole.mean(), rtol=0.1)


def test_features_that_never_change_weigh_every_colour_alike():
    palette = Palette.of(sample_colors(pictures(), 20, torch.Generator().manual_seed(0)), 3)
    assert torch.equal(
        color_weight(lambda p: 0 * p.flatten(1) + 1, pictures(), palette, torch.Generator()),
        torch.ones(20, dtype=torch.float64),
    )


# the cube


def test_sampled_colours_are_distinct_and_come_from_the_pictures():
    pixels = (pictures(4, 8) * 8).round() / 8
    found = sample_colors(pixels, 60, torch.Generator().manual_seed(0))
    have = {tuple(color) for color in pixels.movedim(1, -1).reshape(-1, 3).tolist()}
    own = [tuple(color) for color in found.T.tolist()]
    assert len(set(own)) == len(own) == 60 and set(own) <= have
    again = sample_colors(pixels, 60, torch.Generator().manual_seed(0))
    assert torch.equal(found, again)


def test_neighbours_are_the_nearest_and_each_pair_stands_once():
    colors = torch.rand(3, 30, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    found = neighbours(colors, 5)
    apart = torch.cdist(colors.T, colors.T).fill_diagonal_(9)
    assert torch.equal(found.sort(1)[0], apart.topk(5, largest=False)[1].sort(1)[0])
    pairs = pairs_of(found)
    expected = {tuple(sorted((i, int(j)))) for i, row in enumerate(found) for j in row}
    assert len(expected) == pairs.shape[1] and set(map(tuple, pairs.T.tolist())) == expected


def test_a_table_of_an_affine_function_is_interpolated_exactly():
    matrix = torch.randn(2, 3, 3, dtype=torch.float64)
    pixels = torch.rand(2, 3, 4, 5, dtype=torch.float64)
    table = torch.einsum("sij,jklm->siklm", matrix, lattice(4, pixels))
    assert torch.allclose(interpolated(table, pixels), torch.einsum("sij,bjhw->sbihw", matrix, pixels))


@pytest.mark.parametrize(
    ("pixels", "words"),
    [
        (torch.rand(4, 1, 6, 6), "of 1 channel"),
        (torch.rand(4, 1, 6, 6).expand(-1, 3, -1, -1), "differ by 0"),
    ],
    ids=["one channel", "equal channels"],
)
def test_grey_pictures_have_no_colours(pixels, words):
    with pytest.raises(DataError, match=words) as raised:
        check_colored(pixels, "set.npz")
    assert raised.value.hint and str(raised.value).startswith("set.npz: the pictures are grey")


def test_too_few_colours():
    with pytest.raises(DataError, match="2 colours"):
        sample_colors(torch.eye(2).reshape(2, 1, 1, 2).expand(-1, 3, 4, -1), 30, torch.Generator())
