"""Pictures to train with are moved by the groups that were asked for, exactly and repeatably."""

from functools import partial

import pytest
import torch

from lieapp.augment.classifier import FIELDS, MOVES, ClassifierTraining, Recipe, transformed
from lieapp.config_training import KINDS, PLANE, parse_kinds
from lieapp.data.images.pictures import make_pictures
from lieapp.domains.formulas import AFFINE
from lieapp.methods.flow import Flow, Solver
from lieapp.pictures.extractor import Extractor, Shape
from lieapp.pictures.image import pixel_grid, resample


def pictures(count=6, side=17):
    return torch.rand(count, 3, side, side + 4, generator=torch.Generator().manual_seed(0))


@pytest.mark.parametrize("kind", PLANE)
def test_a_kind_moves_pictures_along_the_flow_of_its_field(kind):
    (field,) = [field for field in AFFINE if field.name == FIELDS[kind]]

    class Alone:
        def each(self, points, which=None):
            return torch.stack([field.function(own) for own in points])

    pixels, s = pictures(2).double(), torch.tensor([0.3, 0.3], dtype=torch.float64)
    grid = pixel_grid(*pixels.shape[2:], torch.float64)
    places = Flow(Alone(), Solver("rk4", 0.02))(grid[None], -s[:1])[0]
    expected = resample(pixels, places.expand(2, -1, -1, -1), "border")
    found = MOVES[kind](pixels, s)
    assert torch.allclose(found, expected, atol=1e-6) and (found - pixels).abs().max() > 0.2


def test_moves_are_drawn_evenly_within_their_range_and_repeat():
    drawn = []
    kept = MOVES["shear-x"]

    def watched(pixels, s):
        drawn.append(s)
        return kept(pixels, s)

    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(MOVES, "shear-x", watched)
        first = transformed({"shear-x": 0.2}, pictures(400, 5), torch.Generator().manual_seed(1))
    s = drawn[0]
    assert s.abs().max() <= 0.2 and abs(s.mean()) < 0.02 and abs(s.std() - 0.2 / 3**0.5) < 0.01
    again = transformed({"shear-x": 0.2}, pictures(400, 5), torch.Generator().manual_seed(1))
    assert torch.equal(first, again)
    assert torch.equal(transformed({}, pictures(), torch.Generator()), pictures())


def test_a_classifier_learns_from_moved_pictures():
    own = make_pictures(pictures(8).numpy(), torch.arange(8).numpy() % 2, None, "test")
    seen = []

    class Watched(Extractor):
        def forward(self, pixels):
            seen.append(pixels)
            return super().forward(pixels)

    recipe, change = Recipe(1, 8, 0.01, "adam", False), partial(transformed, {"rotation": 1.0})
    ClassifierTraining(Watched("small", Shape(*own.shape, 2), 4), own, recipe, 0, change).step()
    generator = torch.Generator().manual_seed(0)
    order = torch.randperm(8, generator=generator)
    assert torch.equal(seen[0], transformed({"rotation": 1.0}, own.pixels[order], generator))


def test_kinds_and_ranges_as_text():
    assert parse_kinds("") == {}
    assert parse_kinds("rotation, shear-x:0.4") == {"rotation": KINDS["rotation"], "shear-x": 0.4}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("rotaton", "did you mean rotation"),
        ("blur", "the kinds are rotation"),
        ("rotation:-1", "'-1' isn't a positive number"),
        ("rotation:", "'' isn't a positive number"),
        ("rotation:nan", "positive number"),
        ("rotation,rotation:1", "named twice"),
    ],
)
def test_kinds_that_are_refused(text, words):
    with pytest.raises(ValueError, match=words):
        parse_kinds(text)
