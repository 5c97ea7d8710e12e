"""The pipeline behind `lieapp augment` for pictures: a classifier for each variant and seed, its scale searched.

Ways to change pictures while a classifier is trained: as they are, the default, affine, or along learned fields.

default is the paper's: mirrored at random, cropped at random after padding by 4 pixels. affine and learned ones are
moved by the flow of a random combination Σ s_k V_k of fields, each s_k uniform in [-scale, scale], resampled
bilinearly, and mirrored at random, since no flow is a mirror image (paper, "Images").
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import torch
from jaxtyping import Float
from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import Tensor
from torch.nn import functional

from lieapp.api import Images
from lieapp.augment.classifier import CHUNK, PADDING, Change, ClassifierTraining, Recipe, accuracy, unchanged
from lieapp.augment.picture_parts import parts
from lieapp.augment.pipeline import Cell, Ended, Side
from lieapp.config_augment import AugmentImagesConfig
from lieapp.config_training import READY
from lieapp.data.images.pictures import Pictures, Pixels
from lieapp.domains.formulas import AFFINE
from lieapp.domains.formulas import stack as stacked
from lieapp.errors import ConfigError, DataError, RunError
from lieapp.pictures.extractor import Extractor, Shape
from lieapp.pictures.image import Plane, coarse_nodes, pixel_grid, resample, spread
from lieapp.pictures.networks import drawn
from lieapp.results.augment import Augment, Classifiers, Row
from lieapp.runs.store.session import Session

MARGIN = 4
"""Pixels that a random crop may shift a picture by, of 32; as many in proportion of other sizes."""

NODES = 12
"""Along the shorter side, of the grid that flows are followed on; between them cubic splines."""

STEP = 0.1
"""Largest step of RK4 in the flow parameter."""

AFFINES = 6
"""Dimension of the affine algebra of the plane; what follows in `AFFINE` are sums of those."""

FINE = 64
"""Points along a side on which norms of affine fields are taken."""

FIELDS = "fields.safetensors"

PlaneFields = Float[Tensor, "field batch coordinate height width"]


def cropped(pixels: Pixels, generator: torch.Generator) -> Pixels:
    """Each picture shifted by up to `MARGIN` whole pixels either way, black where nothing was."""
    count, _, height, width = pixels.shape
    margin = max(1, round(MARGIN * max(height, width) / 32))
    wide = functional.pad(pixels, (margin,) * 4)
    down, right = torch.randint(0, 2 * margin + 1, (2, count), generator=generator).to(pixels.device)
    rows = down[:, None] + torch.arange(height, device=pixels.device)
    columns = right[:, None] + torch.arange(width, device=pixels.device)
    which = torch.arange(count, device=pixels.device)[:, None, None]
    found: Pixels = wide.permute(0, 2, 3, 1)[which, rows[:, :, None], columns[:, None]].permute(0, 3, 1, 2)
    return found


class FieldChange:
    """Pictures moved along `count` fields, by at most `scale` each."""

    def __init__(self, fields: Callable[[Plane], PlaneFields], count: int, scale: float) -> None:
        self.fields, self.count, self.scale = fields, count, scale

    def __call__(self, pixels: Pixels, generator: torch.Generator) -> Pixels:
        """Each picture by a combination of its own."""
        s = self.scale * (2 * torch.rand(len(pixels), self.count, generator=generator) - 1)
        return self.moved(pixels, s.to(pixels))

    def moved(self, pixels: Pixels, s: Float[Tensor, "batch field"]) -> Pixels:
        """(θ f)(x) = f(φ_{-1}(x)), φ the flow of Σ s_k V_k; RK4."""
        height, width = pixels.shape[2:]
        points = pixel_grid(height, width, pixels.dtype, pixels.device)
        nodes = coarse_nodes(points, NODES)
        places = nodes.expand(len(pixels), -1, -1, -1)
        steps = max(1, round(self.scale / STEP))

        def speed(z: Plane) -> Plane:
            return -torch.einsum("bk,kbchw->bchw", s, self.fields(z)) / steps

        for _ in range(steps):
            k1 = speed(places)
            k2 = speed(places + k1 / 2)
            k3 = speed(places + k2 / 2)
            places = places + (k1 + 2 * k2 + 2 * k3 + speed(places + k3)) / 6
        return resample(pixels, spread(places, nodes, points), PADDING)


def affine_change(scale: float) -> FieldChange:
    """Along the six affine generators, each of norm 1 on the square, as learned fields are."""
    basis = AFFINE[:AFFINES]
    fields, square = stacked(basis), pixel_grid(FINE, FINE, torch.float32)
    norms = fields.values(square).square().sum(2).mean((1, 2, 3)).sqrt()[:, None, None, None, None]
    return FieldChange(lambda z: fields.values(z) / norms.to(z), len(basis), scale)


def learned_change(run: Path, shape: tuple[int, int, int], scale: float) -> FieldChange:
    """Along all fields of a discovery on pictures of that size, each of norm 1, interpolated between pixels.

    Raises RunError if the run's fields can't be read, DataError for pictures of another size.
    """
    try:
        learned = load_file(run / FIELDS)["learned"]
    except (OSError, KeyError, SafetensorError) as error:
        raise RunError(
            f"{run.name}: its fields can't be read: {error}.", hint="Name a finished run of `lieapp discover`."
        ) from None
    if learned.ndim != 4 or learned.shape[1] != 2:
        raise RunError(
            f"{run.name}: its fields don't move the plane of pictures.", hint="Name a run on pictures' planes."
        )
    if tuple(learned.shape[2:]) != shape[1:]:
        was, now = (" x ".join(map(str, size)) for size in (learned.shape[2:], shape[1:]))
        raise DataError(
            f"{run.name} has fields on pictures of {was} pixels; those here have {now}.",
            hint="Find fields on pictures of this size with `lieapp discover`.",
        )

    def fields(z: Plane) -> PlaneFields:
        """Bilinear between the pixels, beyond the border as on it."""
        found = resample(learned.to(z).flatten(0, 1)[None], z.transpose(0, 1).flatten(1, 2)[None], "border")[0]
        return found.unflatten(0, (len(learned), 2)).unflatten(2, (len(z), -1)).permute(0, 2, 1, 3, 4)

    return FieldChange(fields, len(learned), scale)


NETWORKS = {"small": "small", "resnet": "resnet18", READY: READY}
"""What an extractor calls each model."""

class OfPictures(Side):
    """Labelled pictures, and the classifiers trained on them."""

    config: AugmentImagesConfig

    @property
    def amounts(self) -> Sequence[int]:
        """Of pictures, those kept aside to validate on included; 0 in the settings stands for all."""
        return [amount or len(self.pictures) for amount in self.config.pictures]

    def prepare(self) -> None:
        """Pictures to learn from and to test on; every variant is made once, so that what is wrong shows now."""
        place = self.config.data or self.declaration.data
        learn, test = self.session.timed("data", lambda: parts(self.config, place, self.session.report.warn))
        self.session.directory.add_provenance(data=learn.facts)
        self.pictures, self.test = learn, self._judged_as(drawn(test, self.config.test, self.config.seed))
        if len(self.config.scales) > 1 and (words := learn.overlap()):
            self.session.report.warn(f"scales: {words}")
        for variant in self.config.variants:
            self._change(variant, self.config.scales[0])
        self.split = cache(self._split)
        for amount in self.amounts:
            self.split(amount)

    def training(self, cell: Cell) -> ClassifierTraining:
        """A network made by the cell's seed."""
        config, (learn, _) = self.config, self.split(cell.samples)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(cell.seed)
            network = Extractor(NETWORKS[config.model], Shape(*learn.shape, len(learn.names)), config.base)
        if config.model != READY:
            network.normalise_by(learn.pixels)
        # where mirror images are as good as the pictures
        flip = self.declaration.flip and cell.variant != "none"
        recipe = Recipe(config.epochs, config.batch, config.rate, config.optimizer, flip)
        change = self._change(cell.variant, cell.scale or 0.0)
        return ClassifierTraining(network.to(self.session.device), learn, recipe, cell.seed, change)

    def judged(self, cell: Cell, training: ClassifierTraining) -> float:
        return accuracy(training.extractor, self.split(cell.samples)[1])[0]

    def result(self, cell: Cell, training: ClassifierTraining) -> Ended:
        """Shares of right answers on test and validation data, of the network after the last epoch."""
        return Ended(value=accuracy(training.extractor, self.test)[0], valid=self.judged(cell, training))

    def told(self, rows: list[Row]) -> Classifiers:
        learned_from = {str(n): len(self.split(n)[0]) for n in self.amounts}
        return Classifiers(
            variants=rows, judged_on=len(self.test), learned_from=learned_from,
            classes=list(self.pictures.names), test_scale=self.config.test_scale,
        )  # fmt: skip

    def scale(self, amount: int, variant: str) -> float | None:
        """The scale that is best on validation data with the first seed; the smallest of equally good ones."""
        if variant in ("none", "default"):
            return None
        seed, scales = self.config.seeds[0], sorted(self.config.scales)
        if len(scales) == 1:
            return scales[0]
        tried = [self.trained(Cell(amount, variant, seed, s)) for s in scales]
        return max(zip(scales, tried, strict=True), key=lambda pair: (pair[1].valid, -pair[0]))[0]

    def _change(self, variant: str, scale: float) -> Change:
        if variant in ("none", "default"):
            return unchanged if variant == "none" else cropped
        if variant == "affine":
            return affine_change(scale)
        return learned_change(Path(variant), self.pictures.shape, scale)

    def _split(self, amount: int) -> tuple[Pictures, Pictures]:
        """To learn from and to validate on. Raises ConfigError where there are fewer than a batch."""
        if amount > len(self.pictures):
            raise ConfigError(
                f"pictures = {amount}: there are {len(self.pictures)} to learn from.",
                hint="Set pictures to 0 to take all of them.",
            )
        learn, judge = drawn(self.pictures, amount, self.config.seed).split(
            self.config.validation, self.config.seed
        )
        if len(learn) < self.config.batch:
            raise ConfigError(
                f"pictures = {amount}: {len(learn)} to learn from are fewer than batch = "
                f"{self.config.batch}.",
                hint=f"Set batch to {len(learn)} or less, or use more pictures.",
            )
        return learn, self._judged_as(judge)

    def _judged_as(self, pictures: Pictures) -> Pictures:
        """Pictures to judge on, each moved once by affine fields of its own if the settings say so."""
        if not self.config.test_scale:
            return pictures
        change, generator = affine_change(self.config.test_scale), torch.Generator().manual_seed(self.config.seed)
        moved = [change(part, generator) for part in pictures.pixels.split(CHUNK)]
        return replace(pictures, pixels=torch.cat(moved))


def execute(config: AugmentImagesConfig, declaration: Images, session: Session) -> Augment:
    return OfPictures(config, declaration, session).run()


def follow(config: AugmentImagesConfig, declaration: Images, session: Session) -> None:
    OfPictures(config, declaration, session).follow()
