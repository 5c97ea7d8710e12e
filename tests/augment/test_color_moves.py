"""Changes of colours to train with are the finite flows of the named fields, clipped."""

import pytest
import torch

from lieapp.augment.classifier import COLOR_NAMES, MOVES, transformed
from lieapp.config_training import COLORS, parse_kinds
from lieapp.errors import DataError
from lieapp.methods.flow import Flow, Solver
from lieapp.pictures.color import COLOR_FIELDS

PIXELS = torch.rand(3, 3, 4, 5, generator=torch.Generator().manual_seed(0), dtype=torch.float64)


@pytest.mark.parametrize("kind", COLORS)
def test_a_kind_moves_every_colour_along_the_flow_of_its_field(kind):
    (field,) = [field for field in COLOR_FIELDS if field.name == COLOR_NAMES[kind]]

    class Alone:
        def each(self, points, which=None):
            return torch.stack([field.function(own) for own in points])

    s = torch.tensor([0.4, -0.3, 0.0], dtype=torch.float64)
    found = MOVES[kind](PIXELS, s)
    for number, value in enumerate(s):
        expected = Flow(Alone(), Solver("rk4", 0.02))(PIXELS[None, number : number + 1], value[None])[0, 0]
        assert torch.allclose(found[number], expected.clamp(0, 1), atol=1e-6)
    assert (found[0] - PIXELS[0]).abs().max() > 0.1 and torch.allclose(found[2], PIXELS[2])


def test_kinds_of_colours_are_chosen_as_those_of_the_plane_and_need_colours():
    chosen = parse_kinds("hue, rotation:0.2, brightness:0.3")
    assert chosen == {"hue": COLORS["hue"], "rotation": 0.2, "brightness": 0.3}
    found = transformed(chosen, PIXELS, torch.Generator().manual_seed(0))
    assert found.shape == PIXELS.shape and found.min() >= 0 and found.max() <= 1
    with pytest.raises(DataError, match="augment = hue: the pictures are grey"):
        transformed({"hue": 1.0}, PIXELS[:, :1], torch.Generator())
