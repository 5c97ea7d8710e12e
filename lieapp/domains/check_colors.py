"""A plugin of colour pictures verifies itself, as one of pictures does; its pictures must have colours."""

from __future__ import annotations

import torch

from lieapp.api import Colors
from lieapp.data.images.pictures import Pictures
from lieapp.domains.check_images import SOME, check_pictures
from lieapp.domains.color import ColorDomain
from lieapp.domains.color_data import ColorBatch, ColorData, Palette
from lieapp.domains.color_space import check_colored, sample_colors
from lieapp.domains.extractor import PictureFeatures
from lieapp.domains.image_data import ImageData
from lieapp.extension import Check

FEW = 64
"""Colours that are sampled for the trial, and their neighbours below."""

NEIGHBOURS = 6


def check_colors(declaration: Colors) -> list[Check]:
    """Whether the pictures can be read and have colours, and whether their features suit a descent in those."""

    def trial(pictures: Pictures, features: PictureFeatures) -> tuple[ColorDomain, ColorBatch]:
        check_colored(pictures.pixels, pictures.facts["source"])
        colors = sample_colors(pictures.pixels, FEW, torch.Generator().manual_seed(0))
        data = ColorData(ImageData(pictures, features, False), Palette.of(colors, NEIGHBOURS))
        return ColorDomain(declaration.name, features), next(data.batches(SOME, SOME))

    return check_pictures(declaration, trial)
