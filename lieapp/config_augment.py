"""Settings of `lieapp augment`."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from lieapp.config_training import Classifying
from lieapp.config_types import (
    Count,
    DomainKind,
    FewThreads,
    FileData,
    Fraction,
    Misfit,
    Positive,
    RunKind,
    RunSettings,
    Seed,
    Several,
    Share,
    Threads,
    Weight,
    of_data,
    of_moves,
    of_network,
    of_training,
    told,
)
from lieapp.errors import ConfigError

OPERATOR_PAPER: dict[str, Any] = {
    "samples": (32, 128, 512), "width": 256, "layers": 5, "epochs": 40, "passes": None, "rate": 1e-4, "renew": 1,
    "pool": 0, "validation": 128, "test": 128,
}  # fmt: skip
"""What the paper does (appendix "Training FNOs"), with the network of Brandstetter 2022, which it follows."""


Seeds = Annotated[
    tuple[Seed, ...],
    Several,
    of_training("Seeds of networks, batches and moves; results are the mean and spread over seeds."),
]


class AugmentConfig(RunSettings, kw_only=True, frozen=True):
    """`lieapp augment` of an equation: neural operators trained with different augmentations."""

    presets: ClassVar[dict[str, dict[str, Any]]] = {"quick": {}, "paper": OPERATOR_PAPER}

    kind: Annotated[Literal["augment"], RunKind] = "augment"
    seeds: Seeds = (0, 1, 2)
    model: Annotated[Literal["fno"], of_network("The network: a Fourier neural operator.")] = "fno"
    variants: Annotated[
        tuple[str, ...],
        Several,
        told(
            "Augmentations to compare, one network each: `none`, `truth`, a run, `penalty` or `projection` (by "
            "conservation laws), or several joined by `+`."
        ),
    ] = ("none", "truth")
    data: Annotated[FileData, told("", "Data in files")] = FileData()
    samples: Annotated[
        tuple[Positive, ...],
        Several,
        of_data(
            "Number of training trajectories; several numbers give the error as a function of the amount of data. "
            "Files give at most what is left of theirs."
        ),
    ] = (32,)
    seed: Annotated[Seed, told("Seed of the trajectories, or of how those in files are divided.")] = 0
    threads: FewThreads = 1
    validation: Annotated[
        Positive | None,
        of_data(
            "Number of validation trajectories; they select the epoch to keep. Default: 16, of files at most one "
            "in ten."
        ),
    ] = None
    test: Annotated[
        Positive | None, of_data("Number of test trajectories. Default: 64, of files at most one in five.")
    ] = None
    misfit: Misfit = 0.01
    tolerance: Annotated[
        Share, of_data("Tolerated relative error of the trajectories over the whole time window.")
    ] = 1e-3
    task: Annotated[
        Literal["auto", "rollout", "single"],
        of_data("Prediction task; `auto` means `single` if the equation depends on t explicitly, else `rollout`."),
    ] = "auto"
    history: Annotated[
        Positive, of_data("Task rollout: number of input frames and of frames predicted from them.")
    ] = 20
    ahead: Annotated[Positive, of_data("Task single: time steps from the input frame to the predicted one.")] = 70
    starts: Annotated[
        Literal["aligned", "all"],
        of_data(
            "Training windows of the task rollout: `aligned` with those a rollout predicts, or `all`, starting at "
            "every frame.",
            "Windows",
        ),
    ] = "aligned"
    width: Annotated[Positive, of_network("Channels of the Fourier layers.")] = 32
    modes: Annotated[Positive, of_network("Fourier modes kept in each layer, at most half the points.")] = 32
    layers: Annotated[Positive, of_network("Number of Fourier layers.")] = 4
    epochs: Annotated[
        Positive,
        of_training(
            "Number of epochs. The network is validated after each one; after each quarter the learning rate is "
            "multiplied by .4."
        ),
    ] = 20
    passes: Annotated[
        Positive | None,
        of_training(
            "Passes through the trajectories in an epoch; none: 280 for rollout and 100 for single, as in the "
            "paper."
        ),
    ] = 15
    batch: Annotated[
        Positive, of_training("Batch size, in pairs of input and target frames, each from a different trajectory.")
    ] = 16
    rate: Annotated[Share, of_training("Initial learning rate.", "Learning rate")] = 2e-3
    penalty: Annotated[
        Weight,
        of_training(
            "Weight of what the variant `penalty` adds to the loss: the mean square of the relative drift of "
            "conservation laws.",
            "Weight of the penalty",
        ),
    ] = 1.0
    order: Annotated[
        Count,
        of_training(
            "Largest differential order of the multipliers of the conservation laws in the variants `penalty` and "
            "`projection`.",
            "Order of laws",
        ),
    ] = 2
    renew: Annotated[
        Positive, of_moves("Number of passes that reuse the same moved trajectories before they are moved again.")
    ] = 20
    pool: Annotated[
        Count,
        of_moves(
            "Rounds of moved trajectories that are kept and reused by all seeds; 0 makes new ones for every round "
            "and seed."
        ),
    ] = 10
    sigma: Annotated[
        Share,
        of_moves(
            "Trajectories are moved along each generator to flow parameters within [-sigma, sigma], in scaled "
            "coordinates.",
            "Flow size",
        ),
    ] = 0.2
    resampling: Annotated[
        Literal["whittaker", "bilinear", "splat"], of_moves("How moved trajectories are resampled on the grid.")
    ] = "whittaker"

    def __post_init__(self) -> None:
        _check_lists(self)


PICTURES_PAPER: dict[str, Any] = {
    "model": "resnet", "pictures": (0,), "test": 0, "epochs": 200, "rate": 0.1, "optimizer": "sgd",
    "scales": (0.1, 0.2, 0.3, 0.4, 0.5), "seeds": (0, 1, 2, 3, 4),
}  # fmt: skip
"""What the paper does (appendix "Training ResNet-18"; five networks each)."""


class AugmentImagesConfig(Classifying, kw_only=True, frozen=True):
    """`lieapp augment` of pictures: classifiers trained with different augmentations."""

    presets: ClassVar[dict[str, dict[str, Any]]] = {"quick": {}, "paper": PICTURES_PAPER}

    domain: Annotated[Literal["images"], DomainKind] = "images"
    kind: Annotated[Literal["augment"], RunKind] = "augment"
    seeds: Seeds = (0, 1, 2)
    model: Annotated[
        Literal["small", "resnet", "efficientnet-lite0"],
        of_network(
            "Network: `small` (three convolutions), `resnet` (ResNet-18 with the stem for small pictures), or "
            "`efficientnet-lite0`, whose training goes on from its package's weights."
        ),
    ] = "small"
    variants: Annotated[
        tuple[str, ...],
        Several,
        told(
            "Augmentations to compare, one network each: `none`, `default`, `affine`, or a run of `lieapp "
            "discover`."
        ),
    ] = ("none", "default", "affine")
    pictures: Annotated[
        tuple[Count, ...],
        Several,
        of_data(
            "Number of training pictures, sampled by seed; 0 takes all. Several numbers give the accuracy as a "
            "function of it."
        ),
    ] = (500,)
    seed: Annotated[Seed, told("Seed of the choice of pictures.")] = 0
    threads: Threads = 1
    batch: Annotated[Positive, of_training("Batch size.")] = 64
    validation: Annotated[
        Fraction,
        of_data("Share of each class of the training pictures held out as validation data to choose the scale."),
    ] = 0.1
    test: Annotated[Count, of_data("Number of test pictures, sampled by seed; 0 takes all.")] = 2000
    test_scale: Annotated[
        Weight,
        of_moves(
            "Validation and test pictures are each moved along a random combination of the six affine fields, to "
            "flow parameters of at most this; 0 judges pictures as they are.",
            "Moves of test pictures",
        ),
    ] = 0.0
    scales: Annotated[
        tuple[Share, ...],
        Several,
        of_moves(
            "Largest flow parameters to try for affine and learned moves; the best on validation data is used."
        ),
    ] = (0.1, 0.2, 0.4)
    epochs: Annotated[Positive, of_training("Number of epochs.")] = 60
    optimizer: Annotated[
        Literal["adam", "sgd"], of_training("Adam with a one-cycle schedule, or SGD as in the paper.")
    ] = "adam"

    def __post_init__(self) -> None:
        _check_lists(self)


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


def _check_lists(config: RunSettings) -> None:
    """Raises ValueError for an entry that stands twice, or an empty one."""
    for key in ("variants", "samples", "pictures", "seeds", "scales"):
        values = getattr(config, key, ())
        for place, value in enumerate(values):
            if value in values[:place]:
                raise ValueError(f"{key}: {value} stands twice")
            if value == "":
                raise ValueError(f"{key}: an entry is empty")
