"""Settings of networks that tell pictures apart, and of all runs on pictures.

Transformations that a network may be trained with: their names, and the text that chooses them.
"""

from __future__ import annotations

import math
from difflib import get_close_matches
from typing import Annotated, Any, ClassVar, Literal

import msgspec

from lieapp.config_types import (
    Count,
    Fraction,
    Place,
    Positive,
    RunKind,
    RunSettings,
    Settings,
    Share,
    Threads,
    of_data,
    of_network,
    of_training,
    told,
)

PLANE: dict[str, float] = {
    "rotation": math.pi, "shear-x": 0.5, "shear-y": 0.5, "translation-x": 0.3, "translation-y": 0.3,
    "scaling": 0.3, "scaling-x": 0.3, "scaling-y": 0.3,
}  # fmt: skip
"""Of the plane: largest flow parameter unless given, an angle, a slope, a length (pictures have 2), a logarithm."""

COLORS: dict[str, float] = {"hue": math.pi, "brightness": 0.5, "contrast": 0.5, "saturation": 0.7}
"""Of the colours: an angle about the grey axis, and logarithms of factors."""

KINDS = {**PLANE, **COLORS}


def parse_kinds(text: str, setting: str = "augment") -> dict[str, float]:
    """`rotation, shear-x:0.4` as the largest flow parameter of each kind; nothing for an empty text.

    Raises ValueError for a kind that isn't known or is named twice, and a range that isn't a positive number.
    """
    found: dict[str, float] = {}
    for item in filter(None, (part.strip() for part in text.split(","))):
        name, sign, size = (part.strip() for part in item.partition(":"))
        if name not in KINDS:
            near = get_close_matches(name, KINDS, n=1)
            meant = f"did you mean {near[0]}?" if near else f"the kinds are {', '.join(KINDS)}"
            raise ValueError(f"{setting} = {text}: there is no kind {name!r}; {meant}")
        if name in found:
            raise ValueError(f"{setting} = {text}: {name} is named twice")
        try:
            found[name] = float(size) if sign else KINDS[name]
        except ValueError:
            found[name] = math.nan
        if not 0 < found[name] < math.inf:
            raise ValueError(f"{setting} = {item}: {size!r} isn't a positive number; write it as rotation:0.5")
    return found


TRAIN_PAPER: dict[str, Any] = {
    "network": "resnet18", "pictures": 0, "epochs": 200, "rate": 0.1, "optimizer": "sgd",
}  # fmt: skip
"""What the paper does (appendix "Training ResNet-18")."""

OWN_NETWORKS = ("small", "resnet18")
"""Networks made for small pictures, grey or RGB; all others are torchvision's, for RGB: grey is repeated."""


READY = "efficientnet-lite0"
"""The ready network whose packages lieapp[efficientnet] installs; it can be trained further."""

TRAINED = "trained"
"""Instead of a ready network: the preset's, trained on the pictures."""


class PicturesRun(RunSettings, kw_only=True, frozen=True):
    """What all runs on pictures have to set."""

    @property
    def margin(self) -> float:
        """Margin kept around each crop, as a share of its side."""
        return 0.0

    data: Place = ""
    crops: Annotated[
        Count,
        of_data(
            "Number of square crops cut at random from the picture files of a folder, evenly many from each. 0 "
            "takes pictures as they are, and 2000 crops of the set `photographs`."
        ),
    ] = 0
    crop_side: Annotated[int, msgspec.Meta(ge=4), of_data("Pixels of a crop's side.", "Side of crops")] = 64
    threads: Threads = 2


class Classifying(PicturesRun, kw_only=True, frozen=True):
    """What trainings of networks that tell pictures apart have to set."""

    base: Annotated[
        Positive,
        of_network(
            "Channels in the first layer of the small network; the next two have twice and four times as many.",
            "Channels",
        ),
    ] = 16
    rate: Annotated[Share, of_training("Highest learning rate.", "Learning rate")] = 0.005
    batch: Annotated[Positive, of_training("Batch size.")] = 128


class Planting(Settings, kw_only=True, frozen=True):
    """Which linear functions of a ready network's features are taken, so that a kind of move isn't noticed."""

    features: Annotated[Positive, told("Number of linear functions, those that notice the move least.")] = 16
    draws: Annotated[Positive, told("How often each picture is moved along what is planted.")] = 5
    ridge: Annotated[
        Share,
        told(
            "Response to the move that every linear function is taken to have, as a share of the mean; a larger "
            "one fits the pictures less closely.",
        ),
    ] = 0.02
    crop_margin: Annotated[
        float,
        msgspec.Meta(ge=0, le=1),
        told(
            "Margin around each crop, as a share of its side: what comes into view where it is moved. Changes of "
            "colour need none.",
        ),
    ] = 0.25


class TrainConfig(Classifying, kw_only=True, frozen=True):
    """`lieapp train`: a picture classifier, whose features `lieapp discover` then uses."""

    presets: ClassVar[dict[str, dict[str, Any]]] = {"quick": {}, "paper": TRAIN_PAPER}

    kind: Annotated[Literal["train"], RunKind] = "train"
    network: Annotated[
        str,
        of_network(
            "`small` (three convolutions), `resnet18` with the stem for small pictures, a torchvision "
            "classifier, or `efficientnet-lite0`, whose training goes on from its package's weights. Empty: "
            "`small`, or with `invariance` `efficientnet-lite0`."
        ),
    ] = ""
    weights: Annotated[
        str, of_network("A file of pretrained weights for a torchvision classifier, as published.")
    ] = ""
    side: Annotated[
        Count,
        of_network(
            "Pixels to which the shorter side of pictures is resized before they enter the network; 0 keeps their "
            "size, for `efficientnet-lite0` if it is from 64 to 224.",
            "Shorter side",
        ),
    ] = 0
    pictures: Annotated[Count, of_data("Largest number of pictures, sampled by seed; 0 takes all.")] = 20000
    validation: Annotated[Fraction, of_data("Share of each class held out for validation.")] = 0.1
    epochs: Annotated[
        Count,
        of_training(
            "Number of epochs; 0 uses the features of `weights`, or of `efficientnet-lite0`, without training."
        ),
    ] = 6
    optimizer: Annotated[
        Literal["adam", "sgd"],
        of_training(
            "Adam with a one-cycle schedule, or SGD as in the paper: Nesterov momentum .9, weight decay 5e-4, and "
            "the rate divided by 5 after 60, 120 and 160 of 200 epochs."
        ),
    ] = "adam"
    augment: Annotated[
        str,
        of_training(
            "Random transformations of the training pictures, with ranges: `rotation:0.5,shear-x` (images.md).",
            "Transformations",
        ),
    ] = ""

    invariance: Annotated[
        str,
        of_training(
            "A kind of move that features are made not to notice, instead of a training: `rotation`, "
            "`shear-x:0.8` (images.md). Of these settings, those of `planting` apply.",
        ),
    ] = ""
    planting: Planting = Planting()

    @property
    def margin(self) -> float:
        # changes of colour bring nothing into view
        moved = parse_kinds(self.invariance, "invariance")
        return self.planting.crop_margin if moved.keys() & PLANE.keys() else 0.0

    @property
    def chosen(self) -> str:
        """The network, also where the setting is empty."""
        return self.network or (READY if self.invariance else "small")

    def __post_init__(self) -> None:
        self._check_invariance()
        parse_kinds(self.augment)
        if self.chosen == READY and self.weights:
            raise ValueError(f"weights = {self.weights}: {READY} brings its own; leave weights out")
        if not self.epochs and not self.weights and self.chosen != READY:
            raise ValueError("epochs = 0 takes features as a file has them: give weights, or set epochs = 1")
        if self.weights and self.chosen == "small":
            raise ValueError("weights are of a classifier of torchvision: set network to its name, as resnet50")

    def _check_invariance(self) -> None:
        if len(parse_kinds(self.invariance, "invariance")) > 1:
            raise ValueError(f"invariance = {self.invariance}: one kind of move can be planted; name one")
        if self.invariance and self.augment:
            raise ValueError(f"augment = {self.augment}: with invariance no classifier is trained; leave it out")
        if self.invariance and self.chosen != READY:
            raise ValueError(
                f"network = {self.chosen}: an invariance is planted in {READY}; set network = {READY}, or leave "
                "invariance out"
            )
