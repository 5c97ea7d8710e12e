"""The pipeline behind `lieapp augment` for pictures: a classifier for each variant and seed, its scale searched."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

import torch

from lieapp.augment.classifier import Change, ClassifierTraining, Recipe, accuracy
from lieapp.augment.variants import affine_change, default_change, learned_change, unchanged
from lieapp.config_augment import AugmentImagesConfig
from lieapp.data.images.pictures import Pictures
from lieapp.data.images.sources import read_pictures
from lieapp.domains.extractor import Extractor, Shape
from lieapp.errors import ConfigError, DataError
from lieapp.results.augment import Classifiers, Row
from lieapp.runs.augment import Side, words
from lieapp.runs.cells import Cell, Cells, Ended
from lieapp.runs.networks import drawn

NETWORKS = {"small": "small", "resnet": "resnet18"}
"""What an extractor calls each model."""

ASIDE = 0.25
"""Share of each class tested on where a set has one part only."""


class OfPictures(Side):
    """Labelled pictures, and the classifiers trained on them."""

    config: AugmentImagesConfig

    def prepare(self) -> None:
        """Pictures to learn from and to test on; every variant is made once, so that what is wrong shows now."""
        place = self.config.data or self.declaration.data
        learn, test = self.session.timed("data", lambda: parts(place, self.config.seed))
        self.session.directory.add_provenance(data=learn.facts)
        self.pictures, self.test = learn, drawn(test, self.config.test, self.config.seed)
        for variant in self.config.variants:
            self._change(variant, self.config.scales[0])
        self.split = cache(self._split)
        for amount in self.config.pictures:
            self.split(amount)

    def training(self, cell: Cell) -> ClassifierTraining:
        """A network made by the cell's seed."""
        config, (learn, _) = self.config, self.split(cell.samples)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(cell.seed)
            network = Extractor(NETWORKS[config.model], Shape(*learn.shape, len(learn.names)), config.base)
        network.normalise_by(learn.pixels)
        recipe = Recipe(config.epochs, config.batch, config.rate, config.optimizer, flip=False)
        change = self._change(cell.variant, cell.scale or 0.0)
        return ClassifierTraining(network.to(self.session.device), learn, recipe, cell.seed, change)

    def judged(self, cell: Cell, training: ClassifierTraining) -> float:
        """Share of right answers on validation data."""
        return accuracy(training.extractor, self.split(cell.samples)[1])[0]

    def result(self, cell: Cell, training: ClassifierTraining) -> Ended:
        """Shares of right answers on test and validation data, of the network after the last epoch."""
        return Ended(value=accuracy(training.extractor, self.test)[0], valid=self.judged(cell, training))

    def told(self, rows: list[Row]) -> Classifiers:
        """The table, and what was judged."""
        learned_from = {str(n): len(self.split(n)[0]) for n in self.config.pictures}
        return Classifiers(
            variants=rows, judged_on=len(self.test), learned_from=learned_from, classes=list(self.pictures.names)
        )

    def amounts(self) -> Sequence[int]:
        """Numbers of pictures to learn from."""
        return list(self.config.pictures)

    def scale(self, cells: Cells, amount: int, variant: str) -> float | None:
        """The scale that is best on validation data with the first seed; the smallest of equally good ones."""
        if variant in ("none", "default"):
            return None
        seed, scales = self.config.seeds[0], sorted(self.config.scales)
        if len(scales) == 1:
            return scales[0]
        tried = [cells.result(Cell(amount, variant, seed, s), words(amount, variant, seed, s)) for s in scales]
        return max(zip(scales, tried, strict=True), key=lambda pair: (pair[1].valid, -pair[0]))[0]

    def _change(self, variant: str, scale: float) -> Change:
        flip = self.declaration.flip
        if variant == "none":
            return unchanged
        if variant == "default":
            return default_change(flip)
        if variant == "affine":
            return affine_change(scale, flip)
        return learned_change(Path(variant), self.pictures.shape, scale, flip)

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
                f"pictures = {amount or len(self.pictures)}: {len(learn)} to learn from are fewer than batch = "
                f"{self.config.batch}.",
                hint=f"Set batch to {len(learn)} or less, or use more pictures.",
            )
        return learn, judge


def parts(place: str, seed: int) -> tuple[Pictures, Pictures]:
    """Pictures to learn from and to test on; of a set with one part, a share of each class is kept aside.

    Raises DataError if the set can't be read, or if both parts have other classes or sizes.
    """
    learn = read_pictures(place)
    try:
        test = read_pictures(place, "test")
    except DataError:
        test = learn
    if test.sha256 == learn.sha256:
        return learn.split(ASIDE, seed)
    if test.names != learn.names or test.shape != learn.shape:
        raise DataError(
            f"{place}: the parts train and test have other classes or sizes of pictures.",
            hint="Give both parts the same folders of classes, and pictures of one size.",
        )
    return learn, test
