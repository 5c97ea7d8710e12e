"""Configuration structs of `lieapp augment`: every field documented in docs/command-line.md."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

import msgspec

from lieapp.config import Count, Device, Fraction, Positive, Seed, Share, Threads
from lieapp.errors import ConfigError

Several = msgspec.Meta(min_length=1)

OPERATOR_PAPER: dict[str, Any] = {
    "samples": (32, 128, 512), "width": 256, "layers": 5, "epochs": 40, "passes": None, "rate": 1e-4, "renew": 1,
    "pool": 0, "validation": 128, "test": 128,
}  # fmt: skip
"""What the paper does (appendix "Training FNOs"), with the network of Brandstetter 2022, which it follows."""


class AugmentConfig(msgspec.Struct, forbid_unknown_fields=True, kw_only=True, frozen=True):
    """`lieapp augment` of an equation: neural operators trained on solutions moved in several ways."""

    presets: ClassVar[dict[str, dict[str, Any]]] = {"quick": {}, "paper": OPERATOR_PAPER}

    plugin: str
    kind: Literal["augment"] = "augment"
    preset: Literal["quick", "paper"] = "quick"
    """Defaults of the settings below: quick, or those of the paper's appendix."""
    model: Literal["fno"] = "fno"
    """The network: a Fourier neural operator."""
    variants: Annotated[tuple[str, ...], Several] = ("none", "truth")
    """What trajectories are moved along, a network for each: `none`, `truth`, a run, or several joined by `+`."""
    samples: Annotated[tuple[Positive, ...], Several] = (32,)
    """Trajectories to learn from; several numbers give the error against the number of data."""
    seeds: Annotated[tuple[Seed, ...], Several] = (0, 1, 2)
    """Of networks, batches and moves; results are means and spreads over them."""
    seed: Seed = 0
    """Of the trajectories."""
    device: Device = "auto"
    threads: Threads = 1
    """Threads on a CPU; arrays are small here: more threads than free cores cost far more than they give."""
    validation: Positive = 16
    """Trajectories that choose the epoch whose network is kept."""
    test: Positive = 64
    """Trajectories that errors are told of."""
    tolerance: Share = 1e-3
    """Relative error allowed in the trajectories over the whole time window."""
    task: Literal["auto", "rollout", "single"] = "auto"
    """What is predicted; auto: single where t stands in the equation, else rollout."""
    history: Positive = 20
    """Frames given, and frames predicted from them, of the task rollout."""
    ahead: Positive = 70
    """Time steps from the frame given to the one predicted, of the task single."""
    starts: Literal["aligned", "all"] = "aligned"
    """Windows of a rollout that are trained on: those that a rollout predicts, or from every frame."""
    width: Positive = 32
    """Channels of the Fourier layers."""
    modes: Positive = 32
    """Fourier modes they multiply, at most half the points."""
    layers: Positive = 4
    """How many Fourier layers."""
    epochs: Positive = 20
    """Parts of a training, after each of which it is judged; after each quarter the rate falls to .4 of it."""
    passes: Positive | None = 15
    """How often an epoch goes through the trajectories; none: 280 for rollout and 100 for single, as the paper."""
    batch: Positive = 16
    """Pairs of given and predicted frames in a step, each of another trajectory."""
    rate: Share = 2e-3
    """Learning rate at the beginning."""
    renew: Positive = 20
    """Passes that use the same moved trajectories before they are moved anew."""
    pool: Count = 10
    """Rounds of moves that are kept and used again, by all seeds; 0 moves anew for every round and seed."""
    sigma: Share = 0.2
    """Trajectories are moved to flow parameters within [-sigma, sigma] of each generator, in scaled coordinates."""
    resampling: Literal["whittaker", "bilinear", "splat"] = "whittaker"
    """How moved trajectories come back to the grid."""

    def __post_init__(self) -> None:
        check_list("variants", self.variants)
        check_list("samples", self.samples)
        check_list("seeds", self.seeds)


PICTURES_PAPER: dict[str, Any] = {
    "model": "resnet", "pictures": (0,), "test": 0, "epochs": 200, "rate": 0.1, "optimizer": "sgd",
    "scales": (0.1, 0.2, 0.3, 0.4, 0.5), "seeds": (0, 1, 2, 3, 4),
}  # fmt: skip
"""What the paper does (appendix "Training ResNet-18"; five networks each)."""


class AugmentImagesConfig(msgspec.Struct, forbid_unknown_fields=True, kw_only=True, frozen=True):
    """`lieapp augment` of pictures: classifiers trained on pictures moved in several ways."""

    presets: ClassVar[dict[str, dict[str, Any]]] = {"quick": {}, "paper": PICTURES_PAPER}

    plugin: str
    kind: Literal["augment"] = "augment"
    domain: Literal["images"] = "images"
    preset: Literal["quick", "paper"] = "quick"
    """Defaults of the settings below: quick, or those of the paper's appendix."""
    model: Literal["small", "resnet"] = "small"
    """The network: three convolutions, or ResNet-18 with the stem for small pictures."""
    variants: Annotated[tuple[str, ...], Several] = ("none", "default", "affine")
    """How pictures are changed, a network for each: `none`, `default`, `affine`, or a run of `lieapp discover`."""
    data: str = ""
    """A file, a folder or a set with a name; empty: that of the plugin."""
    pictures: Annotated[tuple[Count, ...], Several] = (500,)
    """Pictures to learn from, drawn by seed; 0 takes all. Several numbers give the accuracy against them."""
    seeds: Annotated[tuple[Seed, ...], Several] = (0, 1, 2)
    """Of networks, batches and moves; results are means and spreads over them."""
    seed: Seed = 0
    """Of which pictures are drawn."""
    device: Device = "auto"
    threads: Threads = 1
    """Threads on a CPU, at most as many as cores are free."""
    validation: Fraction = 0.1
    """Share of each class of the pictures to learn from kept aside to choose the scale."""
    test: Count = 2000
    """Pictures that accuracies are told of, drawn by seed; 0 takes all."""
    scales: Annotated[tuple[Share, ...], Several] = (0.1, 0.2, 0.4)
    """Largest flow parameters tried for affine and learned moves; the one best on validation data is used."""
    base: Positive = 16
    """Channels of the small network's first layer; the next ones have twice and four times as many."""
    epochs: Positive = 60
    """How often each picture is seen."""
    batch: Positive = 64
    """Pictures in one step."""
    rate: Share = 0.005
    """Highest learning rate."""
    optimizer: Literal["adam", "sgd"] = "adam"
    """Adam on one cycle, or SGD as in the paper."""

    def __post_init__(self) -> None:
        check_list("variants", self.variants)
        check_list("pictures", self.pictures)
        check_list("seeds", self.seeds)
        check_list("scales", self.scales)


def check_modes(modes: int, points: int) -> None:
    """Raises ConfigError unless a grid of so many points has that many modes."""
    if modes > points // 2:
        raise ConfigError(
            f"modes = {modes}: a grid of {points} points has {points // 2} modes.",
            hint=f"Set modes to {points // 2} or less, or use more points.",
        )


def check_history(history: int, times: int) -> None:
    """Raises ConfigError unless three windows of a rollout fit into so many frames."""
    if times < 3 * history:
        raise ConfigError(
            f"history = {history}: trajectories have {times} frames; a rollout needs three windows.",
            hint=f"Set history to {times // 3} or less.",
        )


def check_ahead(ahead: int, times: int) -> None:
    """Raises ConfigError unless there is a frame so many steps after the first of them."""
    if ahead >= times:
        raise ConfigError(
            f"ahead = {ahead}: trajectories have {times} frames.", hint=f"Set ahead to {times - 1} or less."
        )


def check_list(key: str, values: tuple[Any, ...]) -> None:
    """Raises ValueError for an entry that stands twice, or an empty one."""
    for place, value in enumerate(values):
        if value in values[:place]:
            raise ValueError(f"{key}: {value} stands twice")
        if value == "":
            raise ValueError(f"{key}: an entry is empty")
