"""A classifier of pictures trained by descent on the cross-entropy; its features serve as extractor.

The paper's recipe (appendix "Training ResNet-18"): SGD with Nesterov momentum .9, the rate times .2 after 30, 60
and 80 % of the epochs, weight decay 5e-4 (the printed .4 is a slip). The quick one: Adam on one cycle. Pictures may
be moved by random elements of one-parameter groups of the plane or of colours.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional

from lieapp.augment.pipeline import Trainee
from lieapp.data.images.pictures import Around, Pictures, Pixels, flipped
from lieapp.domains.formulas import AFFINE, ReferenceField
from lieapp.errors import DataError
from lieapp.methods.loop import Adam
from lieapp.numerics import ranks
from lieapp.numerics.batch_norm import over_whole_batches
from lieapp.pictures.color import COLOR_FIELDS
from lieapp.pictures.extractor import Extractor
from lieapp.pictures.image import pixel_grid, resample, spacing

COLOR_NAMES = {name: name for name in ("brightness", "contrast", "saturation")} | {"hue": "hue rotation"}
"""The named field behind each kind of `lieapp.config_pictures.COLORS`."""


Move = Callable[[Pixels, Float[Tensor, " batch"]], Pixels]
"""Pictures, each moved to its own flow parameter."""


Rate = Float[Tensor, "row column"]
"""The matrix A of an affine field in homogeneous coordinates; its moves are exp(sA)."""


def rate_of(field: ReferenceField) -> Rate:
    """The matrix of an affine field."""
    count = len(field.formula)
    corners = torch.cat([torch.zeros(1, count), torch.eye(count)])[..., None]
    shift, *columns = field.function(corners).double()[..., 0]
    rate = torch.zeros(count + 1, count + 1, dtype=torch.float64)
    rate[:count] = torch.stack([*(column - shift for column in columns), shift], 1)
    return rate


PADDING = "border"
"""What lies outside of a moved picture: its edge, continued, as in a discovery."""


FIELDS = {
    "rotation": "rotation",
    "shear-x": "shear along x",
    "shear-y": "shear along y",
    "translation-x": "translation in x",
    "translation-y": "translation in y",
    "scaling": "uniform scaling",
    "scaling-x": "scaling of x",
    "scaling-y": "scaling of y",
}
"""The reference field behind each affine kind."""

RATES = {
    **{kind: rate_of(f) for kind, name in FIELDS.items() for f in AFFINE if f.name == name},
    **{kind: rate_of(f) for kind, name in COLOR_NAMES.items() for f in COLOR_FIELDS if f.name == name},
}
"""Of each of `lieapp.config_training.KINDS`."""

Maps = Float[Tensor, "batch row column"]
"""Affine maps in homogeneous coordinates, one for each picture."""


def displaced(pixels: Pixels, back: Maps, interpolation: str = "bilinear", around: Around | None = None) -> Pixels:
    """f(M x) at every pixel x, for the map M of each picture f; f reaches as far as `around`, if that is given."""
    height, width = pixels.shape[2:]
    grid = pixel_grid(height, width, pixels.dtype, pixels.device)[0]
    own = back[:, :2].to(pixels)
    places = torch.einsum("bij,jhw->bihw", own[:, :, :2], grid) + own[:, :, 2, None, None]
    whole = pixels if around is None else around
    return resample(whole, places, PADDING, interpolation, spacing(height, width))


def recolored(pixels: Pixels, maps: Maps) -> Pixels:
    """The colour c of every pixel becomes M c, also where that is no colour any more."""
    own = maps[:, :3].to(pixels)
    return torch.einsum("bij,bjhw->bihw", own[:, :, :3], pixels) + own[:, :, 3, None, None]


def color_move(kind: str) -> Move:
    """exp(sA) of every colour, exactly, clipped to the cube [0, 1]³."""

    def move(pixels: Pixels, s: Float[Tensor, " batch"]) -> Pixels:
        check_colors(pixels, f"augment = {kind}")
        return recolored(pixels, exponential(RATES[kind], s)).clamp(0, 1)

    return move


def affine_move(kind: str) -> Move:
    """f(exp(-sA) x), exactly, with bilinear interpolation."""
    return lambda pixels, s: displaced(pixels, exponential(RATES[kind], -s))


def exponential(rates: Float[Tensor, "*batch row column"], s: Float[Tensor, " batch"]) -> Maps:
    """exp(sA) for each s, in double precision."""
    return torch.linalg.matrix_exp(s.double().cpu()[:, None, None] * rates)


def check_colors(pixels: Pixels, setting: str) -> None:
    """Raises DataError for grey pictures, whose colours a setting would change."""
    if pixels.shape[1] != 3:
        raise DataError(
            f"{setting}: the pictures are grey; this changes colours.",
            hint="Leave it out, or give --data RGB pictures.",
        )


MOVES = {kind: affine_move(kind) for kind in FIELDS} | {kind: color_move(kind) for kind in COLOR_NAMES}
"""How each of `lieapp.config_training.KINDS` moves pictures."""


def transformed(kinds: Mapping[str, float], pixels: Pixels, generator: torch.Generator) -> Pixels:
    """Each picture moved along each kind in turn, to flow parameters drawn evenly from [-range, range]."""
    for kind, size in kinds.items():
        s = size * (2 * torch.rand(len(pixels), generator=generator) - 1)
        pixels = MOVES[kind](pixels, s.to(pixels))
    return pixels


MOMENTUM, DECAY = 0.9, 5e-4

DROPS, DROP = (0.3, 0.6, 0.8), 0.2
"""Shares of the training after which the paper's rate falls, and by what."""

WARM, FIRST, LAST = 0.3, 0.04, 0.004
"""One cycle: share of the steps in which the rate rises, and rates at both ends as shares of the highest."""

CHUNK = 32
"""Pictures judged at a time: EfficientNet-Lite0 takes 4 ms of a core for each of 64 x 64, among 512 of them 10."""


Change = Callable[[Pixels, torch.Generator], Pixels]
"""Of the pictures of a step, at random."""


def unchanged(pixels: Pixels, generator: torch.Generator) -> Pixels:
    return pixels


@dataclass(frozen=True)
class Recipe:
    """How a classifier is trained: each picture seen `epochs` times, `batch` in a step, at `rate` at most.

    By "adam" on one cycle or "sgd" as in the paper; before any change pictures are mirrored at random (`flip`).
    """

    epochs: int
    batch: int
    rate: float
    optimizer: str
    flip: bool

    def rate_at(self, share: float) -> float:
        """The rate after a share of the training."""
        if self.optimizer == "sgd":
            return self.rate * DROP ** sum(share >= drop for drop in DROPS)
        low, along = (FIRST, share / WARM) if share < WARM else (LAST, (1 - share) / (1 - WARM))
        return self.rate * (low + (1 - low) * (1 - math.cos(math.pi * along)) / 2)


class ClassifierTraining(Trainee):
    """A training in progress; `change` is made to the pictures of each step."""

    def __init__(
        self, extractor: Extractor, pictures: Pictures, recipe: Recipe, seed: int, change: Change = unchanged
    ) -> None:
        self.extractor, self.recipe, self.pictures, self.change = extractor, recipe, pictures, change
        optimizer: torch.optim.Optimizer | Adam = Adam(extractor.parameters())
        if recipe.optimizer == "sgd":
            optimizer = torch.optim.SGD(
                extractor.parameters(), recipe.rate, momentum=MOMENTUM, weight_decay=DECAY, nesterov=True
            )
        # too few pictures for a whole batch make one batch
        each = max(1, len(pictures) // recipe.batch)
        super().__init__(extractor, optimizer, torch.Generator().manual_seed(seed), each, recipe.epochs)
        self._order = torch.empty(0, dtype=torch.long)
        over_whole_batches(extractor)

    def step(self) -> dict[str, Any]:
        """One step; the loss and the share of right answers in its batch.

        Raises DiscoveryError if the loss isn't finite.
        """
        place = self.done % self.each
        if not place or not len(self._order):
            self._order = torch.randperm(len(self.pictures), generator=self.generator)
        which = self._order[place * self.recipe.batch : (place + 1) * self.recipe.batch]
        pixels, labels = self.pictures.pixels[which], self.pictures.labels[which]
        pixels = flipped(pixels, self.generator) if self.recipe.flip else pixels
        pixels = self.change(pixels, self.generator)
        mine = ranks.own(torch.arange(len(labels)))
        pixels, labels = pixels[mine], labels[mine]
        device = self.extractor.mean.device
        drawn = torch.randint(2**62, (1,), generator=self.generator.clone_state())
        with torch.random.fork_rng(devices=[]):
            # what networks drop at random comes from torch's own generator, which no checkpoint holds
            torch.manual_seed(int(drawn) + self.done)
            scores = self.extractor.train()(pixels.to(device))
        loss = ranks.mean(functional.cross_entropy(scores, labels.to(device)), len(mine))
        rate = self.recipe.rate_at(self.done / self.steps)
        value = self.descend(loss, rate, "Lower rate.", "the loss of the classifier")
        right = ranks.mean((scores.detach().argmax(1).cpu() == labels).float().mean(), len(mine))
        return {"loss": value, "right": float(right), "epoch": (self.done - 1) // self.each + 1}

    def state(self) -> dict[str, Tensor]:
        return {**super().state(), "order": self._order.clone()}

    def load(self, tensors: dict[str, Tensor]) -> None:
        self._order = tensors["order"]
        super().load(tensors)


def accuracy(network: nn.Module, pictures: Pictures) -> tuple[float, float]:
    """Share of right answers, and mean cross-entropy, on pictures as they are."""
    device = next(network.parameters()).device
    network.eval()
    right, loss = 0.0, 0.0
    with torch.no_grad():
        for start in range(0, len(pictures), CHUNK):
            labels = pictures.labels[start : start + CHUNK].to(device)
            scores = network(pictures.pixels[start : start + CHUNK].to(device))
            right += float((scores.argmax(1) == labels).sum())
            loss += float(functional.cross_entropy(scores, labels, reduction="sum"))
    return right / len(pictures), loss / len(pictures)
