"""The eigenproblem for s -> 0 finds what leaves features alone, and its slopes are those of moved data."""

from dataclasses import replace

import numpy as np
import torch

from lieapp.compare.subspace import normalised as unit_gram
from lieapp.data.images.pictures import make_pictures
from lieapp.domains.base import Arguments
from lieapp.domains.formulas import stack
from lieapp.methods.basis import Degrees, TensorBasis
from lieapp.methods.by_flow import gram, small_flow
from lieapp.methods.fields import Joined
from lieapp.methods.flow import Flow
from lieapp.pictures.color import COLOR_FIELDS, ColorDomain, Palette, colored, sample_colors
from lieapp.pictures.image import ImageData

MONOMIALS = TensorBasis(Arguments(("r", "g", "b"), (False,) * 3, (True,) * 3), Degrees(unknowns=2))


def batches(features):
    pixels = torch.rand(8, 3, 6, 6, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    made = make_pictures(pixels.numpy(), np.arange(8) % 2, None, "test")
    palette = Palette.of(sample_colors(pixels, 60, torch.Generator().manual_seed(1)), 4)
    source = colored(ImageData(replace(made, pixels=pixels), features, False), palette)
    return [replace(b, points=b.points.double(), weight=b.weight.double()) for b in source.batches(8, 4)]


def test_what_an_angle_does_not_see_comes_first():
    data = batches(lambda p: p.flatten(1))
    found = small_flow(ColorDomain("t", lambda p: p.flatten(1)), MONOMIALS, data, 2)
    assert len(found.slopes) == 30 and found.slopes[0] < 1e-6 * found.slopes[1]
    (number,) = [n for n, field in enumerate(COLOR_FIELDS) if field.name == "brightness"]
    products = unit_gram(gram(Joined(found.fields, stack(COLOR_FIELDS)), data))
    assert abs(products[0, 2 + number]) > 1 - 1e-9
    # of norm 1, and orthogonal
    plain = gram(found.fields, data) / sum(float(b.weight.sum()) for b in data)
    assert torch.allclose(plain, torch.eye(2, dtype=torch.float64), atol=1e-6)


def test_slopes_are_the_root_mean_square_of_angle_over_s():
    mixing = torch.randn(108, 9, generator=torch.Generator().manual_seed(2), dtype=torch.float64) / 10

    def features(p):
        return torch.tanh(p.flatten(1) @ mixing) + 0.5

    domain, data = ColorDomain("t", features, side=17), batches(features)
    found = small_flow(domain, MONOMIALS, data, 3)
    s = torch.full((3,), 1e-3, dtype=torch.float64)
    angles = [domain.validity(None, domain.act(Flow(found.fields), b, s)).score.reshape(3, -1) for b in data]
    root = (torch.cat(angles, 1) / 1e-3).square().mean(1).sqrt()
    assert torch.allclose(root, found.slopes[:3], rtol=0.02)
