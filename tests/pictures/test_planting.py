"""Features are made blind to one kind of move, and to nothing else."""

import math
from dataclasses import replace

import msgspec
import pytest
import torch
from torch.nn import functional

from lieapp.augment.classifier import exponential
from lieapp.config_training import KINDS, READY, TrainConfig
from lieapp.data.images.pictures import make_pictures
from lieapp.errors import DataError
from lieapp.pictures.efficientnet import INNER, Folded, Layers
from lieapp.pictures.extractor import Extractor, Shape, extractor_bytes, read_extractor
from lieapp.pictures.image import pixel_grid, spacing
from lieapp.pictures.planting import Moves, Planter, half_mirrored, scatter
from lieapp.progress import SilentReporter
from lieapp.results.training import Network

SIDE = 24


def waves(count, channels=3, side=SIDE, seed=0):
    """Smooth pictures by formula: functions of places (batch, coordinate, row, column)."""
    generator = torch.Generator().manual_seed(seed)
    k = 2 * torch.randn(count, channels, 2, generator=generator)
    phase = 6 * torch.rand(count, channels, generator=generator)

    def at(places):
        return 0.5 + 0.3 * torch.cos(torch.einsum("bci,bihw->bchw", k.to(places), places) + phase[..., None, None])

    return at


def some(count=40, channels=3, margin=0):
    """Pictures of two classes, with a margin of so many pixels."""
    at, whole = waves(count, channels), SIDE + 2 * margin
    grid = pixel_grid(whole, whole, torch.float32) * (spacing(SIDE, SIDE) / spacing(whole, whole))
    around = at(grid.expand(count, -1, -1, -1))
    view = slice(margin, margin + SIDE)
    made = make_pictures(around[:, :, view, view].numpy(), torch.arange(count).numpy() % 2, None, "waves")
    return replace(made, around=around) if margin else made


def config(invariance, **own):
    return msgspec.convert({"plugin": "images", "invariance": invariance, "planting": own}, TrainConfig)


@pytest.mark.parametrize("kind", ["rotation", "shear-x", "translation-y", "scaling"])
def test_a_picture_with_a_margin_is_moved_by_the_inverse_map(kind):
    """(θ f)(x) = f(θ⁻¹ x), what comes into view being that of the margin."""
    at, pictures = waves(5), some(5, margin=12)
    moves = Moves(kind, pictures)
    maps = exponential(moves.planted, torch.linspace(-0.6, 0.6, 5))
    found = moves.moved(pictures.pixels, maps, pictures.around)
    grid = pixel_grid(SIDE, SIDE, torch.float64)[0]
    back = torch.linalg.inv(maps)
    places = torch.einsum("bij,jhw->bihw", back[:, :2, :2], grid) + back[:, :2, 2, None, None]
    inside = places.abs().amax(1, keepdim=True) < 1.9
    assert inside.float().mean() > 0.8 and places.abs().max() > 1.2
    assert ((found - at(places)).abs() * inside).max() < 0.01
    assert (found - pictures.pixels).abs().max() > 0.1


@pytest.mark.parametrize("kind", KINDS)
def test_a_field_is_told_apart_from_the_others_of_its_space(kind):
    moves = Moves(kind, some())
    assert moves.name not in moves.others and len(moves.others) == (8 if moves.colors else 7)
    half = Moves(f"{kind}:{moves.reach / 2}", some())
    assert torch.allclose(2 * half.planted, moves.planted)


def test_reach_is_that_of_a_field_of_norm_1():
    # the mean of x² over the square is 1/3, and a little more over pixels up to its edge
    reach = {kind: Moves(kind, some()).reach for kind in ("translation-x", "rotation", "shear-x")}
    assert reach["translation-x"] == pytest.approx(0.6)
    assert reach["rotation"] == pytest.approx(0.6 / math.sqrt(2 / 3), rel=0.05)
    assert reach["shear-x"] == pytest.approx(0.6 * math.sqrt(3), rel=0.05)


class Sums(Extractor):
    """Whose inner features are given: mean colours, and means of both halves of a picture."""

    def __init__(self):
        super().__init__("small", Shape(3, SIDE, SIDE, 2), 6)
        self.body, self.head = torch.nn.Identity(), torch.nn.Linear(9, 2)

    def fold(self):
        pass

    def keep_places(self):
        self.requires_grad_(False)

    def features(self, pixels):
        left, right = pixels[..., : SIDE // 2].mean((2, 3)), pixels[..., SIDE // 2 :].mean((2, 3))
        found = torch.cat([pixels.mean((2, 3)), left, right], 1)
        return found if self.frame is None else self.frame(found)


def test_what_a_linear_function_can_leave_unnoticed_is_found():
    """Sums over red, green and blue are the only linear functions of mean colours that hue rotation leaves."""
    extractor = Sums().eval()
    planter = Planter(extractor, some(), config("hue", features=2, ridge=1e-9), SilentReporter())
    planter.plant(False)
    found = planter.result(some(12))
    assert found.field == "hue rotation" and found.angle_before > 0.01
    assert found.angle < 1e-4 * min(found.others[name] for name in ("lightness", "shift of red"))
    weight = extractor.frame.weight.reshape(2, 3, 3)
    assert torch.allclose(weight, weight.mean(2, keepdim=True).expand_as(weight), atol=1e-3 * weight.abs().max())


def test_planting_repeats_by_its_seed():
    frames = []
    for seed in (0, 0, 1):
        extractor = Sums().eval()
        own = msgspec.structs.replace(config("rotation", features=3), seed=seed)
        Planter(extractor, some(margin=4), own, SilentReporter()).plant(True)
        frames.append(extractor.frame.weight)
    assert torch.equal(frames[0], frames[1]) and not torch.allclose(frames[0], frames[2])


def test_every_second_picture_is_mirrored_with_its_margin():
    own = some(margin=4)
    found = half_mirrored(own)
    assert torch.equal(found.around[:, :, 4:-4, 4:-4], found.pixels)
    assert torch.equal(found.pixels[1::2], own.pixels[1::2])
    assert torch.equal(found.pixels[::2], own.pixels[::2].flip(-1)) and not torch.equal(found.pixels, own.pixels)


def test_a_scatter_has_trace_1():
    apart = torch.randn(50, 4, generator=torch.Generator().manual_seed(0))
    assert scatter(apart).trace() == pytest.approx(1) and torch.allclose(scatter(3 * apart), scatter(apart))
    assert scatter(torch.zeros(3, 2)).abs().max() == 0


def test_colours_of_grey_pictures_are_refused():
    with pytest.raises(DataError, match="invariance = hue: the pictures are grey"):
        Moves("hue", some(channels=1))


def test_moves_of_colours_are_kept_outside_of_the_cube():
    moves, pixels = Moves("hue:1", some()), torch.tensor([1.0, 0.0, 0.0]).reshape(1, 3, 1, 1)
    third = moves.moved(pixels, exponential(moves.planted, torch.tensor([2 * math.pi / 3])), None)
    assert torch.allclose(third.sort(1)[0], pixels.sort(1)[0], atol=1e-6) and not torch.allclose(third, pixels)
    assert moves.moved(pixels, exponential(moves.planted, torch.tensor([0.5])), None).min() < 0


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"invariance": "rotate"}, "invariance = rotate: there is no kind 'rotate'; did you mean rotation"),
        ({"invariance": "rotation,hue"}, "invariance = rotation,hue: one kind of move can be planted; name one"),
        ({"invariance": "rotation:-1"}, "invariance = rotation:-1: '-1' isn't a positive number"),
        ({"invariance": "hue", "augment": "hue"}, "augment = hue: with invariance no classifier is trained"),
        ({"invariance": "hue", "network": "small"}, "network = small: an invariance is planted in efficientnet-l"),
        ({"invariance": "hue", "network": "resnet18"}, "; set network = efficientnet-lite0, or leave"),
    ],
    ids=str,
)
def test_settings_that_can_t_be_are_refused(settings, words):
    with pytest.raises(msgspec.ValidationError, match=words.replace("(", r"\(")):
        msgspec.convert({"plugin": "images", **settings}, TrainConfig)


def test_the_network_is_small_unless_an_invariance_is_planted():
    assert TrainConfig(plugin="images").chosen == "small"
    assert TrainConfig(plugin="images", invariance="hue").chosen == READY
    assert TrainConfig(plugin="images").margin == 0
    assert TrainConfig(plugin="images", invariance="shear-x:0.4").margin == 0.25
    assert TrainConfig(plugin="colors", invariance="hue").margin == 0


@pytest.mark.parametrize("size", [(64, 64), (40, 70)], ids=str)
def test_a_planted_ready_network_is_read_back(size, tmp_path):
    own = Extractor(READY, Shape(3, *size, 2))
    pixels = torch.rand(8, 3, *size, generator=torch.Generator().manual_seed(0))
    pictures = make_pictures(pixels.numpy(), torch.arange(8).numpy() % 2, None, "noise")
    planter = Planter(own, pictures, config("hue", draws=1), SilentReporter())
    planter.plant(True)
    facts = Network(planted=planter.result(pictures))
    (tmp_path / "n.safetensors").write_bytes(extractor_bytes(own, facts))
    again, read = read_extractor(tmp_path / "n.safetensors")
    with torch.no_grad():
        found = again.features(pictures.pixels)
        assert found.shape == (8, 16) and torch.equal(found, own.features(pictures.pixels))
    assert read.planted == facts.planted and read.planted.field == "hue rotation"


@pytest.mark.parametrize("size", [(64, 64), (65, 90)], ids=str)
def test_inner_layers_are_the_last_of_their_strides(size):
    layers = Layers(*size, trained=False).eval()
    folded = Folded(layers)
    pixels = torch.rand(2, 3, *size, generator=torch.Generator().manual_seed(0))
    kept = []
    for block in (layers.network._blocks[n] for n in INNER):
        block.register_forward_hook(lambda own, given, found: kept.append(found))
    with torch.no_grad():
        whole = layers(pixels)
        assert torch.allclose(folded(pixels), whole, atol=1e-4 * float(whole.abs().max()))
        folded.keep_places()
        found = folded(pixels)
    expected = torch.cat([functional.adaptive_avg_pool2d(own, 4).flatten(1) for own in kept], 1)
    assert [own.shape[1] for own in kept] == [40, 112]
    assert torch.allclose(found, expected, atol=1e-4 * float(expected.abs().max()))
