"""A plugin of pictures verifies itself: they can be read, and their features suit a descent."""

from __future__ import annotations

from collections.abc import Callable

import torch

from lieapp.api import Colors, LabelledPictures
from lieapp.data.images.pictures import Pictures
from lieapp.data.images.sources import read_pictures
from lieapp.errors import DataError, LieappError
from lieapp.extension import Check
from lieapp.pictures.color import ColorDomain, Palette, check_colored, colored, sample_colors
from lieapp.pictures.extractor import Extractor, PictureFeatures, Shape
from lieapp.pictures.image import ImageData, ImageDomain
from lieapp.pictures.seen import PictureBatch, Seen
from lieapp.progress import Reporter

SOME = 8
"""Pictures that an extractor is tried on."""

UNMOVED = 1e-2
"""Largest angle in radians between features of one picture taken twice; round-off in float32 reaches 1e-3."""


Trial = Callable[[Pictures, PictureFeatures], tuple[Seen, PictureBatch]]
"""A domain and a batch of some pictures, with their features."""


def check_images(declaration: LabelledPictures, report: Reporter) -> list[Check]:
    """Whether the pictures can be read, and whether their features suit a descent in the plane."""

    def trial(pictures: Pictures, features: PictureFeatures) -> tuple[ImageDomain, PictureBatch]:
        batch = next(ImageData(pictures, features, False).batches(SOME, SOME))
        return ImageDomain(declaration.name, features), batch

    return check_pictures(declaration, trial)


def check_pictures(declaration: LabelledPictures, trial: Trial) -> list[Check]:
    """Whether the pictures can be read, and whether their features are finite, repeatable and differentiable."""
    try:
        pictures = read_pictures(declaration.data)
    except LieappError as error:
        return [
            Check("data", False, f"{error.message} {error.hint}".strip()),
            Check("features", False, "not run: it needs data."),
        ]
    shape = " x ".join(map(str, pictures.shape))
    done = [Check("data", True, f"{len(pictures)} pictures of {shape} in {len(pictures.names)} classes")]
    try:
        done.append(Check("features", True, _features(declaration, pictures, trial)))
    except LieappError as error:
        done.append(Check("features", False, f"{error.message} {error.hint}".strip()))
    except Exception as error:  # a plugin's own code may raise anything
        done.append(Check("features", False, f"{type(error).__name__}: {error}"))
    return done


def _features(declaration: LabelledPictures, pictures: Pictures, trial: Trial) -> str:
    features = declaration.features
    if features is None:
        features = Extractor("small", Shape(*pictures.shape, len(pictures.names))).eval().features
    domain, batch = trial(pictures.take(torch.arange(min(SOME, len(pictures)))), features)
    still = domain.validity(None, batch).score.detach()
    if not bool((still < UNMOVED).all()):
        raise DataError(
            f"features of one picture taken twice differ by {float(still.max()):.1e} rad.",
            hint="Leave out what is random in the extractor, such as dropout.",
        )
    shift = torch.zeros(len(domain.components), *[1] * (batch.points.ndim - 2), requires_grad=True)
    moved = domain.act(lambda points, _: points + 0.1 + shift, batch, torch.zeros(1))
    score = domain.validity(None, moved).score.sum()
    slope = torch.autograd.grad(score, shift, allow_unused=True)[0] if score.requires_grad else None
    if slope is None or not bool(torch.isfinite(slope).all()):
        raise DataError(
            "features can't be differentiated by the pictures.",
            hint="Use torch functions throughout, without .detach() or .numpy(), and finite slopes.",
        )
    own = "the plugin's own" if declaration.features is not None else "a network's, to be trained"
    return f"{batch.features.shape[1]}, {own}; shifted by a tenth, pictures turn them, with a slope"


FEW = 64
"""Colours that are sampled for the trial, and their neighbours below."""

NEIGHBOURS = 6


def check_colors(declaration: Colors, report: Reporter) -> list[Check]:
    """Whether the pictures can be read and have colours, and whether their features suit a descent in those."""

    def trial(pictures: Pictures, features: PictureFeatures) -> tuple[ColorDomain, PictureBatch]:
        check_colored(pictures.pixels, pictures.facts["source"])
        colors = sample_colors(pictures.pixels, FEW, torch.Generator().manual_seed(0))
        data = colored(ImageData(pictures, features, False), Palette.of(colors, NEIGHBOURS))
        return ColorDomain(declaration.name, features), next(data.batches(SOME, SOME))

    return check_pictures(declaration, trial)
