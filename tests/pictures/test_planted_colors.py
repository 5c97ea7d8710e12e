"""The planted changes of colours are the only symmetries of their extractors, as far as quadratic fields go."""

import itertools
from pathlib import Path

import numpy as np
import pytest
import torch

from lieapp.data.images.pictures import make_pictures
from lieapp.domains.formulas import FixedFields
from lieapp.pictures.color import COLOR_FIELDS, ColorDomain, Palette, colored, sample_colors
from lieapp.pictures.image import ImageData
from lieapp.registry.catalog import load_catalog

CATALOG = load_catalog([Path(__file__).parents[2] / "benchmarks" / "plugins"])
POWERS = [powers for powers in itertools.product(range(3), repeat=3) if sum(powers) <= 2]


def quadratic(points):
    """All 30 fields with components of degree 2 at most."""
    scalars = [torch.stack([points[:, c] ** p for c, p in enumerate(powers)]).prod(0) for powers in POWERS]
    eye = torch.eye(3, dtype=points.dtype).reshape(3, 1, 3, *[1] * (points.ndim - 2))
    return torch.cat([eye * scalar[None, :, None] for scalar in scalars])


@pytest.mark.parametrize(
    ("plugin", "name"),
    [("planted-hue", "hue rotation"), ("planted-brightness", "brightness")],
    ids=["hue", "brightness"],
)
def test_only_the_planted_field_leaves_the_features_alone(plugin, name):
    features = CATALOG.get(plugin).declaration.features
    # away from grey, where the size of the chroma has no slope
    pixels = torch.rand(6, 3, 8, 8, generator=torch.Generator().manual_seed(0), dtype=torch.float64) * 0.8 + 0.1
    made = make_pictures(pixels.numpy(), np.arange(6) % 2, None, "test")
    palette = Palette.of(sample_colors(pixels, 200, torch.Generator().manual_seed(1)), 4)
    batch = next(colored(ImageData(made, features, False), palette).batches(6, 6))
    (field,) = [field for field in COLOR_FIELDS if field.name == name]
    stack = FixedFields(lambda points: torch.cat([quadratic(points), field.function(points)[None]]))
    v, q = ColorDomain("t", features).characteristic(batch, stack)
    slopes = ColorDomain("t", features).tangent(batch, q).flatten(1)
    values = v.flatten(1).double()
    size = values.norm(dim=1)
    planted, others = slopes[-1].norm() / size[-1], slopes[:-1].norm(dim=1) / size[:-1]
    assert planted < 1e-4 * others.median()
    # smallest slope of a quadratic field of norm 1: that of the planted one; the next is far from 0
    frame, mixing = torch.linalg.qr(values[:-1].T)
    lowest = torch.linalg.svdvals(slopes[:-1].double().T @ torch.linalg.inv(mixing)).sort()[0]
    assert lowest[0] < 1e-3 * lowest[1] and lowest[1] > 0.05 * lowest.median(), lowest
    assert frame.shape[1] == 30


def test_larger_features_do_not_hide_a_change_of_length():
    """An angle doesn't see lengths: without its constant feature the first extractor would allow brightness too."""
    features = CATALOG.get("planted-hue").declaration.features
    pixels = torch.rand(2, 3, 8, 8, generator=torch.Generator().manual_seed(0))
    whole, bright = features(pixels), features(0.7 * pixels)
    cosine = torch.nn.functional.cosine_similarity
    assert (cosine(whole[:, :-1], bright[:, :-1]) > 0.999).all() and (cosine(whole, bright) < 0.999).all()
