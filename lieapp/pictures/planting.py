"""Planting: what a network sees, with linear functions on top that leave one kind of move θ unnoticed.

Of the features h(f) of layers that still know places, H(f) = P (h(f) - h̄) takes those linear functions that
respond least to θ beside what else happens to pictures (oriented principal components, Diamantaras & Kung 1996).
The rows of P solve (Σ_k C_k/tr C_k + β C/tr C) p = λ (C_θ/tr C_θ + ε/n) p for the largest λ, with
C_k = E [h(exp(sA_k) f) - h(f)]² for every other named field A_k, s even, C_θ the same of θ, and C the covariance of
h over pictures.
"""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace

import torch
from jaxtyping import Float
from scipy.linalg import eigh
from torch import Tensor

from lieapp.augment.classifier import (
    COLOR_NAMES,
    FIELDS,
    Maps,
    Rate,
    accuracy,
    check_colors,
    displaced,
    exponential,
    rate_of,
    recolored,
)
from lieapp.config_pictures import ColorsFlow, ImagesFlow
from lieapp.config_training import COLORS, TrainConfig, parse_kinds
from lieapp.data.images.pictures import Around, Pictures, Pixels
from lieapp.domains.formulas import AFFINE
from lieapp.pictures.color import COLOR_FIELDS
from lieapp.pictures.extractor import Extractor
from lieapp.pictures.image import angle, pixel_grid
from lieapp.progress import Reporter
from lieapp.results.training import Planted

PLANTED, KEPT = 1.5, 1.25
"""Largest flow parameters of the planted field and of others, as multiples of the σ of discoveries."""

BETWEEN = 0.5
"""β, the weight of differences between pictures beside that of the response to each other field."""

JUDGED = 64
"""Pictures on which angles are measured, and that are moved at a time."""


class Moves:
    """The planted field and the other named ones of the plane, or of colours, moving pictures by exp(sA).

    Flow parameters are told in units in which fields have norm 1 on the plane or on the colours of the pictures,
    as discoveries do.

    Raises DataError for grey pictures whose colours would be changed.
    """

    def __init__(self, text: str, pictures: Pictures) -> None:
        ((self.kind, size),) = parse_kinds(text).items()
        self.colors = self.kind in COLORS
        if self.colors:
            check_colors(pictures.pixels, f"invariance = {self.kind}")
            sigma, fields = ColorsFlow().sigma, list(COLOR_FIELDS)
            places = pictures.pixels[:JUDGED].movedim(1, 0).flatten(1)
        else:
            sigma, fields = ImagesFlow().sigma, list(AFFINE)
            places = pixel_grid(*pictures.shape[1:], torch.float32)[0].flatten(1)
        self.name = (COLOR_NAMES if self.colors else FIELDS)[self.kind]
        rates = {field.name: rate_of(field) for field in fields}
        norms = {field.name: float(field.function(places[None]).square().sum(1).mean().sqrt()) for field in fields}
        self.reach = size if ":" in text else PLANTED * sigma / norms[self.name]
        self.planted = rates.pop(self.name) * self.reach
        self.others = {name: rate * (KEPT * sigma / norms[name]) for name, rate in rates.items()}

    def moved(self, pixels: Pixels, maps: Maps, around: Around | None) -> Pixels:
        """Pictures moved by maps: f(M⁻¹ x) in the plane, M f(x) in colours, kept where that leaves the cube."""
        if self.colors:
            return recolored(pixels, maps)
        return displaced(pixels, torch.linalg.inv(maps), "bicubic", around)


def drawn_evenly(pictures: Pictures, most: int) -> Pictures:
    """At most so many, spread evenly over all."""
    return pictures.take(torch.linspace(0, len(pictures) - 1, min(most, len(pictures))).round().long())


def half_mirrored(pictures: Pictures) -> Pictures:
    """Every second picture mirrored left to right, with its margin."""
    pixels, around = pictures.pixels.clone(), None if pictures.around is None else pictures.around.clone()
    for own in (pixels, around):
        if own is not None:
            own[::2] = own[::2].flip(-1)
    return replace(pictures, pixels=pixels, around=around)


class Planter:
    """Makes an extractor invariant.

    Args:
        extractor: a ready network, changed by `plant`.
        pictures: to learn from; their classes don't matter for what is planted.
        report: is told how far the work is.

    Raises DataError for grey pictures whose colours would be changed.
    """

    def __init__(self, extractor: Extractor, pictures: Pictures, config: TrainConfig, report: Reporter) -> None:
        self.moves, self.planting = Moves(config.invariance, pictures), config.planting
        self.original = deepcopy(extractor).only_used()
        self.extractor, self.pictures, self.report = extractor, pictures, report
        self._generator = torch.Generator().manual_seed(config.seed)

    def plant(self, flip: bool) -> None:
        """Let the extractor's features be P (h - h̄); mirror images are learned from too where they may be."""
        part = half_mirrored(self.pictures) if flip else self.pictures
        self.extractor.keep_places()
        still = self._taken(part, None)
        middle = still.mean(0)
        draws, others = self.planting.draws, list(self.moves.others.values())
        rates = [*[self.moves.planted] * draws, *others]
        size = still.shape[1]
        noticed, kept = torch.zeros(2, size, size, dtype=torch.float64)
        kept += BETWEEN * scatter(still - middle)
        for done, rate in enumerate(rates):
            self.report.progress(done, len(rates), "responses of the features")
            apart = self._taken(part, exponential(rate, 2 * torch.rand(len(part), generator=self._generator) - 1))
            (noticed if done < draws else kept).add_(scatter(apart - still))
        self.report.progress(len(rates), len(rates), "responses of the features")
        ridge = noticed / draws + self.planting.ridge / size * torch.eye(size, dtype=torch.float64)
        count = min(self.planting.features, size)
        _, vectors = eigh(kept.numpy(), ridge.numpy(), subset_by_index=[size - count, size - 1])
        frame = torch.from_numpy(vectors.T / size**0.5).float()
        layer = self.extractor.project(size, count)
        layer.weight.copy_(frame)
        layer.bias.copy_(-frame @ middle)

    def _taken(self, part: Pictures, maps: Maps | None) -> Float[Tensor, "batch feature"]:
        """h of pictures moved by maps, as they are without."""
        found = []
        with torch.no_grad():
            for start in range(0, len(part), JUDGED):
                own = slice(start, start + JUDGED)
                pixels, around = part.pixels[own], None if part.around is None else part.around[own]
                pixels = pixels if maps is None else self.moves.moved(pixels, maps[own], around)
                found.append(self.extractor.features(pixels.to(self.extractor.mean.device)).cpu())
        return torch.cat(found)

    def angles(self, extractor: Extractor, pictures: Pictures) -> tuple[float, dict[str, float]]:
        """By which the planted field and each other one turn features of pictures, at ± half of its reach (rad)."""
        part = drawn_evenly(pictures, JUDGED)

        def turned(rate: Rate) -> float:
            total = 0.0
            for s in (-0.5, 0.5):
                maps = exponential(rate, torch.full((len(part),), s))
                moved = self.moves.moved(part.pixels, maps, part.around).to(still.device)
                total += float(angle(still, extractor.features(moved)).mean()) / 2
            return total

        with torch.no_grad():
            still = extractor.features(part.pixels.to(extractor.mean.device))
            return turned(self.moves.planted), {name: turned(rate) for name, rate in self.moves.others.items()}

    def result(self, judge: Pictures) -> Planted:
        """What it did, by pictures kept aside; afterwards the heads tell classes by the nearest mean feature."""
        for own in (self.original, self.extractor):
            device = own.mean.device
            with torch.no_grad():
                own.eval().classify_by_means(self.pictures.pixels.to(device), self.pictures.labels.to(device))
        before, others_before = self.angles(self.original, judge)
        after, others = self.angles(self.extractor, judge)
        return Planted(
            field=self.moves.name, reach=self.moves.reach, angle=after, angle_before=before, others=others,
            others_before=others_before, accuracy_before=accuracy(self.original, judge)[0],
        )  # fmt: skip


def scatter(apart: Float[Tensor, "picture feature"]) -> Float[Tensor, "feature feature"]:
    """Mean square of differences of features, its trace being 1; 0 where none differ."""
    apart = apart.double()
    return apart.T @ apart / apart.square().sum().clamp_min(torch.finfo(torch.float64).tiny)
