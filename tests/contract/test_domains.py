"""The contract of `domains.base.Domain` for equations, pictures and colours alike."""

import numpy as np
import pytest
import torch

from lieapp.data.images.pictures import make_pictures
from lieapp.domains.formulas import FixedFields
from lieapp.pde.domain import PDEDomain
from lieapp.pictures.color import ColorDomain, Palette, colored, sample_colors
from lieapp.pictures.image import ImageData, ImageDomain
from lieapp.registry.catalog import load_catalog

PIXELS = torch.rand(3, 3, 8, 9, generator=torch.Generator().manual_seed(0))
PICTURES = make_pictures(PIXELS.numpy(), np.arange(3) % 2, None, "test")


def features(pixels):
    return torch.sin(3 * pixels.flatten(1)[:, ::7]) + 1.5


def of_plane():
    return ImageDomain("images", features), ImageData(PICTURES, features, False)


def of_colors():
    palette = Palette.of(sample_colors(PIXELS, 30, torch.Generator().manual_seed(0)), 3)
    return ColorDomain("colors", features), colored(ImageData(PICTURES, features, False), palette)


@pytest.mark.parametrize("made", [of_plane, of_colors])
def test_pictures(made):
    domain, data = made()
    count = len(domain.components)
    assert domain.arguments.names == domain.components
    assert count == len(domain.arguments.periodic) == len(domain.arguments.dependent) and domain.stages == ("flow",)
    assert domain.truth() is None
    for field in domain.reference():
        assert list(field.formula) == list(domain.components) and field.name
    batch = next(iter(data.batches(3, 3)))
    assert batch.points.shape[:2] == (1, count) and batch.weight.shape == (1, *batch.points.shape[2:])
    assert data.trajectories == 3 and batch.sample.tolist() == [0, 1, 2]
    # linear in the fields
    matrices = torch.randn(3, count, count, generator=torch.Generator().manual_seed(1))
    matrices[2] = 2 * matrices[0] - matrices[1]
    stack = FixedFields(lambda points: torch.einsum("ncd,bd...->nbc...", matrices, points))
    v, q = domain.characteristic(batch, stack)
    change = domain.tangent(batch, q)
    assert v.shape == (3, *batch.points.shape) and q.value.shape == (3, *batch.pixels.shape)
    assert change.shape == (3, *batch.features.shape)
    for own in (v, q.value, change):
        torch.testing.assert_close(own[2], 2 * own[0] - own[1], rtol=1e-4, atol=1e-4 * float(own.abs().max()))
    # slot after slot, each moved to its own s; unmoved data are valid
    moved = domain.act(lambda points, s: points, batch, torch.zeros(2))
    found = domain.validity(None, moved)
    assert moved.pixels.shape == (6, *PIXELS.shape[1:]) and found.score.shape == found.share.shape == (6,)
    assert float(found.score.max()) < 2e-3 and float(found.share.min()) == 1


def test_equations_derive_what_they_are_held_against():
    domain = PDEDomain(load_catalog().get("kdv").declaration)
    found = domain.truth().as_json()
    assert domain.reference() == () and found["dimension"] == 4 and len(found["periodic"]) == 3
