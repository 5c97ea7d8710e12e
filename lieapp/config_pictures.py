"""Settings of discoveries on pictures and their colours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar, Literal, Self, cast

import msgspec

from lieapp.config_training import PicturesRun
from lieapp.config_types import (
    Count,
    DomainKind,
    Fraction,
    LipschitzWeight,
    OrthoWeight,
    Positive,
    RunKind,
    Settings,
    Share,
    Weight,
    check_steps,
    of_data,
    of_network,
    told,
)
from lieapp.extension import ReadyNetwork

LipschitzBound = Annotated[
    Share,
    told(
        "Lipschitz constant of a field, per unit of what is moved, above which the Lipschitz loss applies.",
        "Lipschitz bound",
    ),
]
SoftAngle = Annotated[
    Weight,
    told(
        "Angle between slots, in radians, below which the orthonormality loss is quadratic; 0 keeps its kink.",
        "Soft angle",
    ),
]


class PictureFlow(Settings, kw_only=True, frozen=True):
    """How fields are learned by a descent on pictures moved along them."""

    sigma: Annotated[Share, told("Pictures are moved to flow parameters within [-sigma, sigma].", "Flow size")] = (
        0.4
    )
    tau: LipschitzBound = 3.0
    orthonormality: Annotated[
        Literal["exact", "loss"],
        told(
            "Each slot loses what earlier slots hold at every step (`exact`), or the paper's loss pushes it away "
            "from them (`loss`, with `w_ortho` and `soft`).",
            "Orthonormality",
        ),
    ] = "exact"
    w_sym: Annotated[Weight, told("Weight of the validity loss of moved pictures.", "Weight of validity")] = 1.0
    w_ortho: OrthoWeight = 3.0
    w_lips: LipschitzWeight = 1.0
    steps: Annotated[Positive, told("Training steps.")] = 400
    batch: Annotated[Positive, told("Batch size.")] = 24
    rate: Annotated[Share, told("Learning rate.", "Learning rate")] = 0.001
    cooling: Annotated[
        float, msgspec.Meta(gt=0, le=1), told("Factor on the learning rate in the last 40 % of the steps.")
    ] = 0.1
    clip: Annotated[Share, told("Gradient clipping norm.")] = 1.0
    soft: SoftAngle = 0.0
    ordered: Annotated[
        bool, told("Sort slots by their angles several times during training.", "Slots in order")
    ] = True
    trunk: Annotated[Positive, told("Units in each of the generator network's two shared hidden layers.")] = 128
    head: Annotated[Positive, told("Units in the separate hidden layer of each field.")] = 32
    solver: Annotated[Literal["rk4", "midpoint", "euler"], told("ODE solver for flows.")] = "rk4"
    solver_step: Annotated[Share, told("Largest step of the solver in s.", "Step of the solver")] = 0.2

    def __post_init__(self) -> None:
        check_steps(self.sigma, self.solver_step, "pictures have size 2, colours 1")


class DiscoverPictures(PicturesRun, kw_only=True, frozen=True):
    """What discoveries on pictures share, whatever of them is moved."""

    kind: Annotated[Literal["discover"], RunKind] = "discover"
    preset: Annotated[
        Literal["quick", "paper"],
        told(
            "Defaults of the other settings and of the network: `quick`, or `paper` for those of the paper's "
            "appendix."
        ),
    ] = "quick"
    trained: Annotated[
        str,
        of_network(
            "A network file of `lieapp train`, used instead of `network`.",
            "Trained network",
        ),
    ] = ""
    network: Annotated[
        str,
        of_network(
            "Network whose features are used: `efficientnet-lite0` of the extra `lieapp[efficientnet]`, one "
            "`trained` on the pictures, a torchvision classifier such as `resnet50`, or `timm:NAME`. Empty: "
            "`efficientnet-lite0` if it is installed, else `trained`. `trained = …` takes precedence."
        ),
    ] = ""
    weights: Annotated[
        str,
        of_network(
            "A local file of weights for a network of torchvision or timm; `random` takes an untrained one, as a "
            "control."
        ),
    ] = ""
    side: Annotated[
        Count,
        of_network(
            "Pixels to which the shorter side of pictures is resized before they enter a ready network; 0 chooses "
            "a size that it was made for.",
            "Shorter side",
        ),
    ] = 0
    slots: Annotated[Positive, told("Number of fields to learn.")] = 6
    pictures: Annotated[Count, of_data("Largest number of training pictures, sampled by seed; 0 takes all.")] = 2000
    validation: Annotated[Fraction, of_data("Share of each class held out for validation.")] = 0.1
    held_out: Annotated[Positive, of_data("Number of validation pictures used to evaluate fields.")] = 256
    weighted: Annotated[bool, of_data("Weight pixels or colours by how much the features depend on them.")] = True
    flow: PictureFlow = PictureFlow()

    networks: ClassVar[Mapping[str, ReadyNetwork]] = {}
    """Those that `network` may name."""

    @classmethod
    def with_networks(cls, networks: Sequence[ReadyNetwork]) -> type[Self]:
        """These settings, where `network` may name each of the registered ready networks."""
        space = {"__doc__": cls.__doc__, "networks": {network.name: network for network in networks}}
        made: Any = msgspec.defstruct(
            cls.__name__, [], bases=(cls,), namespace=space, kw_only=True, frozen=True, module=cls.__module__,
            forbid_unknown_fields=True,
        )  # fmt: skip
        return cast("type[Self]", made)


IMAGES_PAPER: dict[str, Any] = {
    "slots": 10, "pictures": 0, "weight_pictures": 0, "interpolation": "bilinear", "nodes": 0,
    "flow": {
        "steps": 17600, "batch": 128, "rate": 1e-4, "cooling": 1.0, "orthonormality": "loss", "tau": 7.75,
        "trunk": 256, "ordered": False,
        "soft": 0.0,
    },
}  # fmt: skip
"""What the paper does (appendix "Experiment Details", images): 50 epochs of 45000 pictures are 17600 steps."""


class ImagesFlow(PictureFlow, kw_only=True, frozen=True):
    """How fields are learned by a descent on pictures moved along them; a picture reaches from -1 to 1."""

    w_ortho: OrthoWeight = 10.0
    w_lips: LipschitzWeight = 10.0
    tau: LipschitzBound = 2.5
    steps: Annotated[Positive, told("Training steps.")] = 600
    batch: Annotated[Positive, told("Batch size.")] = 8
    soft: SoftAngle = 0.1


class DiscoverImagesConfig(DiscoverPictures, kw_only=True, frozen=True):
    """`lieapp discover` of pictures: network, weight of pixels, discovery along finite flows, comparison.

    sigma and tau count in units in which a picture reaches from -1 to 1.
    """

    presets: ClassVar[dict[str, dict[str, Any]]] = {"quick": {}, "paper": IMAGES_PAPER}

    domain: Annotated[Literal["images"], DomainKind] = "images"
    padding: Annotated[
        Literal["border", "zeros"],
        of_data(
            "What lies outside a picture: its edge, continued (`border`), or black (`zeros`).", "Outside a picture"
        ),
    ] = "border"
    crop_margin: Annotated[
        float,
        msgspec.Meta(ge=0, le=1),
        of_data(
            "Margin kept around each crop, as a share of its side: what comes into view where the crop is moved.",
            "Margin of crops",
        ),
    ] = 0.25
    interpolation: Annotated[
        Literal["bicubic", "bilinear"],
        of_data("Interpolation between pixels; `bilinear` blurs moves by a fraction of a pixel."),
    ] = "bicubic"
    nodes: Annotated[
        Count,
        of_data(
            "Nodes along the shorter side at which flows are integrated, with splines between them; 0: every pixel."
        ),
    ] = 16
    weight_pictures: Annotated[
        Count, of_data("Number of pictures used to measure the weight of pixels; 0 takes all.")
    ] = 256
    flow: ImagesFlow = ImagesFlow()

    @property
    def margin(self) -> float:
        return self.crop_margin

    def __post_init__(self) -> None:
        if 0 < self.nodes < 4:
            raise ValueError(f"nodes = {self.nodes}: cubic splines need 4; 0 takes every pixel")


COLORS_PAPER: dict[str, Any] = {
    "pictures": 0, "interpolation": "nearest", "weight_pictures": 0,
    "flow": {
        "steps": 17600, "batch": 128, "rate": 1e-4, "cooling": 1.0, "orthonormality": "loss", "trunk": 256,
        "ordered": False,
    },
}  # fmt: skip
"""What the paper does (appendix "Color-space Results"); what it doesn't say there is as of its images."""


class ColorsFlow(PictureFlow, kw_only=True, frozen=True):
    """How fields are learned by a descent on pictures moved along them; red, green and blue reach from 0 to 1."""

    sigma: Annotated[Share, told("Colours are moved to flow parameters within [-sigma, sigma].", "Flow size")] = 0.2
    tau: LipschitzBound = 10.0
    batch: Annotated[Positive, told("Batch size.")] = 16


class DiscoverColorsConfig(DiscoverPictures, kw_only=True, frozen=True):
    """`lieapp discover` of colours: network, weight of colours, discovery along finite flows, comparison.

    sigma and tau count in units in which red, green and blue reach from 0 to 1.
    """

    presets: ClassVar[dict[str, dict[str, Any]]] = {"quick": {}, "paper": COLORS_PAPER}

    domain: Annotated[Literal["colors"], DomainKind] = "colors"
    slots: Annotated[Positive, told("Number of fields to learn.")] = 3
    colors: Annotated[
        int,
        msgspec.Meta(ge=16),
        of_data("Number of colours sampled from the pictures; fields are compared on them."),
    ] = 1024
    neighbours: Annotated[
        Positive,
        of_data("Number of nearest colours used to measure the smoothness of fields and the weight of colours."),
    ] = 6
    weight_pictures: Annotated[
        Count, of_data("Number of pictures used to measure the weight of colours; 0 takes all.")
    ] = 256
    interpolation: Annotated[
        Literal["trilinear", "nearest"],
        of_data(
            "Interpolation of a pixel's colour displacement: `trilinear` in a lattice over the cube, or that of "
            "the `nearest` sampled colour, as in the paper."
        ),
    ] = "trilinear"
    outside: Annotated[
        Literal["kept", "clipped"],
        of_data(
            "Colours that leave the cube are `kept` as they are or `clipped` to it before features are computed.",
            "Outside the cube",
        ),
    ] = "kept"
    lattice: Annotated[
        int, msgspec.Meta(ge=2, le=65), of_data("Nodes of the trilinear lattice along each axis.")
    ] = 7
    flow: ColorsFlow = ColorsFlow()
