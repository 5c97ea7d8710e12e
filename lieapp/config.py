"""Configuration structs: every field documented in docs/command-line.md, unknown keys refused."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

import msgspec

from lieapp.settings import load_config
from lieapp.transformations import parse_kinds

__all__ = [
    "CheckConfig", "DataConfig", "DiscoverConfig", "DiscoverImagesConfig", "TrainConfig", "TruthConfig",
    "load_config",
]  # fmt: skip

Positive = Annotated[int, msgspec.Meta(ge=1)]
Threads = Annotated[int, msgspec.Meta(ge=1, le=1024)]  # torch crashes where the system has no more to give
Share = Annotated[float, msgspec.Meta(gt=0)]
Weight = Annotated[float, msgspec.Meta(ge=0)]
Seed = Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]
Device = Annotated[str, msgspec.Meta(pattern=r"^(auto|cpu|cuda(:[0-9]+)?)$")]


MOST_STEPS = 200
"""Steps of one flow: data have size 1, so nothing sensible needs more."""

METHOD_OF = {"spectrum": "spectrum", "projection": "neural", "gradient": "neural", "flow": "neural"}
"""The method that a first stage belongs to."""


class TruthConfig(msgspec.Struct, forbid_unknown_fields=True, kw_only=True, frozen=True):
    """`lieapp truth`: derive the symmetries of a plugin's equation, or of one that was typed."""

    plugin: str | None = None
    kind: Literal["truth"] = "truth"
    equation: list[str] = []
    """Equations in jet notation, `= 0` understood: `u_t + u*u_x + u_xxx`."""
    independent: list[str] = []
    dependent: list[str] = []
    parameter: list[str] = []
    """Generic constants with what is known of them: `nu:positive`, `g:positive, g != 3`."""
    function: list[str] = []
    """Arbitrary functions with their arguments: `k:u`."""
    periodic: list[str] = []
    """Variables in which solutions are periodic; of a plugin, its own unless given."""
    budget: Share = 60.0
    """Seconds after which the derivation ends; what was found until then is told, and what is left unsolved."""
    explain: bool = False
    """Tell the determining equations and every step of their solution."""
    latex: bool = False
    """Write the result as LaTeX."""
    flows: bool = False
    """Find the finite flow of each generator."""
    reductions: bool = False
    """Find the invariants of each generator and reduce the equation by it."""


class CheckConfig(msgspec.Struct, forbid_unknown_fields=True, kw_only=True, frozen=True):
    """`lieapp check`: a plugin verifies itself."""

    plugin: str
    kind: Literal["check"] = "check"


class DataConfig(msgspec.Struct, forbid_unknown_fields=True, kw_only=True, frozen=True):
    """`lieapp data`: simulate trajectories of a plugin's equation and write them to a file."""

    plugin: str
    kind: Literal["data"] = "data"
    samples: Positive = 64
    seed: Seed = 0
    device: Device = "auto"
    tolerance: Share = 1e-6
    """Estimated relative error that the trajectories may have at the end of the window."""
    threads: Threads = 1
    """Threads on a CPU; arrays are small here: more threads than free cores cost far more than they give."""
    moved_by: str = "none"
    """What trajectories are moved along before they are written: `truth`, a run, a mix (docs/augmentation.md)."""
    sigma: Share = 0.2
    """The coefficient of each generator is uniform in [-sigma, sigma], in scaled coordinates."""
    copies: Positive = 1
    """Moved copies of each trajectory."""
    middle: Annotated[float, msgspec.Meta(ge=0, le=1)] = 0.5
    """Share of the time window, around its middle, that each moved copy must have; the file has what all have."""


PAPER: dict[str, Any] = {
    "stages": ("flow",), "backend": "weno", "samples": 1024, "held_out": 16, "epochs": 50, "sobolev_epochs": 10,
    "flow_batch": 4, "flow_rate": 1e-4, "dtype": "float32",
    "cross_check": False,
}  # fmt: skip
"""Only what the paper does (appendix "Experiment Details", PDEs)."""

Stage = Literal["spectrum", "projection", "gradient", "flow"]


class DiscoverConfig(msgspec.Struct, forbid_unknown_fields=True, kw_only=True, frozen=True):
    """`lieapp discover`: data, truth, discovery, comparison, report."""

    presets: ClassVar[dict[str, dict[str, Any]]] = {"quick": {}, "paper": PAPER}

    plugin: str
    kind: Literal["discover"] = "discover"
    method: Literal["neural", "spectrum"] = "neural"
    slots: Positive = 4
    seed: Seed = 0
    device: Device = "auto"
    threads: Threads = 1
    """Threads on a CPU; arrays are small here: more threads than free cores cost far more than they give."""
    samples: Positive = 16
    """Trajectories to learn from."""
    held_out: Positive = 4
    """Trajectories kept aside for judging."""
    tolerance: Share = 1e-3
    """Relative error allowed in the data over the whole time window."""
    noise: Annotated[float, msgspec.Meta(ge=0)] = 0.0
    """Standard deviation of noise added to the data, as a share of each unknown's own: for studies."""
    every_point: Positive = 1
    """Take only every so many points along each axis of space."""
    every_time: Positive = 1
    """Take only every so many time samples."""
    smoothing: Annotated[float, msgspec.Meta(ge=0, lt=1)] | None = None
    """Cut Fourier modes below this share of the largest as noise; 0 cuts none, none estimates it from the data."""
    misfit: Share = 0.3
    """By what share of their change in time data of a plugin's source may miss the equation."""
    slices: Positive = 96
    """Time slices of the training trajectories that fields are solved on."""
    held_out_slices: Positive = 48
    """Time slices of the held-out trajectories that fields are judged on."""
    modes: Positive = 1
    """Highest Fourier mode in each periodic coordinate, of the basis and of the network's inputs."""
    steps: Positive = 200
    """Descent steps of the neural method."""
    width: Positive = 48
    """Units in each of the network's two hidden layers."""
    features: Positive = 24
    """Scalar features the network makes; fields are linear in them."""
    batch: Positive = 24
    """Time slices in one descent step."""
    rate: Share = 0.02
    """Highest learning rate."""
    floor: Share = 1e-4
    """Defects below this no longer drive the training; exact fields reach round-off."""
    preset: Literal["quick", "paper"] = "quick"
    """Defaults of the settings below: quick, or those of the paper's appendix."""
    stages: tuple[Stage, ...] = ()
    """What makes the fields, then what refines them; empty: that of `method`, then a short flow stage."""
    backend: Literal["curvilinear", "weno", "bilinear"] = "curvilinear"
    """What differentiates moved data."""
    weno_extra: Annotated[int, msgspec.Meta(ge=0, le=4)] = 0
    """Degree of WENO's polynomials above the highest derivative."""
    sigma: Share = 0.4
    """Data are moved to flow parameters within [-sigma, sigma], in scaled coordinates."""
    tau: Share = 3.0
    """Lipschitz constant of a field, in scaled coordinates, above which it costs."""
    w_sym: Weight = 1.0
    """Weight of the validity of moved data."""
    w_ortho: Weight = 3.0
    """Weight of the orthonormality loss."""
    w_lips: Weight = 1.0
    """Weight of the Lipschitz loss."""
    w_sobolev: Weight = 1.0
    """Weight of the Sobolev loss in the last epochs."""
    epochs: Annotated[int, msgspec.Meta(ge=0)] = 1
    """How often the gradient and flow stages go through the trajectories; 0 leaves a refining stage out."""
    sobolev_epochs: Annotated[int, msgspec.Meta(ge=0)] = 0
    """How many of the last epochs have the Sobolev loss."""
    flow_batch: Positive = 2
    """Patches in one step of these stages."""
    flow_rate: Share = 3e-4
    """Their learning rate; a tenth of it in the second half of the epochs."""
    clip: Share = 1.0
    """Largest norm of their gradients; one folded patch would otherwise slow Adam down for long."""
    patch_time: Annotated[int, msgspec.Meta(ge=0)] | None = None
    """Time samples of a patch; 0 takes all, none up to 48, or 64 where a flow stage comes first."""
    patch_space: Annotated[int, msgspec.Meta(ge=0)] | None = None
    """Points of a patch along each axis of space; 0 takes all, none up to 64."""
    trunk: Positive = 256
    """Units in the two shared hidden layers of a generator network."""
    head: Positive = 32
    """Units in the hidden layer that each of its fields has to itself."""
    solver: Literal["rk4", "midpoint", "euler", "dopri5", "dopri8", "bosh3"] = "rk4"
    """Integrates flows; the last three choose their own steps."""
    solver_step: Share = 0.2
    """Largest step in s of a solver that doesn't choose its own."""
    adjoint: bool = False
    """Gradients of a flow by integrating backwards: less memory, more time."""
    dtype: Literal["float64", "float32"] = "float64"
    """Numbers of the gradient and flow stages."""
    finite_samples: Annotated[int, msgspec.Meta(ge=0)] = 1
    """Held-out trajectories that are moved to judge fields at finite size; 0 leaves that judgement out."""
    cross_check: bool = True
    """Let the other method check what one found; a projection that finds fewer exact fields than the spectrum is
    trained anew once, with twice the steps."""
    degrees: Annotated[tuple[Positive, ...], msgspec.Meta(min_length=1)] = (2, 4, 6, 8)
    """Chebyshev degrees in time of the spectrum method's bases, ascending."""
    unknown_degree: Positive = 1
    """Degree in the unknowns of the spectrum method's bases."""
    library_degree: Positive = 2
    """Highest degree of the monomials that formulas are made of, besides the functions of the coefficients."""
    budget: Share = 60.0
    """Seconds the derivation of the true generators may take."""

    def __post_init__(self) -> None:
        if list(self.degrees) != sorted(set(self.degrees)):
            raise ValueError(f"degrees {list(self.degrees)} must ascend: verdicts compare each with the one before")
        self._check_stages()
        if self.sigma > MOST_STEPS * self.solver_step:
            raise ValueError(
                f"sigma = {self.sigma:g} and solver_step = {self.solver_step:g}: a flow would take more than "
                f"{MOST_STEPS} steps; lower sigma (data have size 1) or raise solver_step"
            )

    def _check_stages(self) -> None:
        if len(self.stages) > 1 and any(stage in ("spectrum", "projection") for stage in self.stages[1:]):
            raise ValueError(f"stages {list(self.stages)}: spectrum and projection can only come first")
        if len(self.stages) > 1 and self.stages[0] != "projection":
            raise ValueError(f"stages {list(self.stages)}: only the fields of a projection can be refined")
        if self.plan[0] in ("gradient", "flow") and self.epochs == 0:
            raise ValueError(f"epochs = 0: the stage {self.plan[0]} comes first and needs at least 1")
        if self.preset == "paper" and self.method == "spectrum" and self.stages == PAPER["stages"]:
            raise ValueError("preset paper trains by descent: leave method = spectrum out, or set stages too")
        if self.stages and self.method != METHOD_OF[self.stages[0]]:
            raise ValueError(
                f"stages {list(self.stages)} begin with another method than method = {self.method}; "
                f"{self.stages[0]} belongs to {METHOD_OF[self.stages[0]]}"
            )

    @property
    def plan(self) -> tuple[Stage, ...]:
        """The stages, spelled out."""
        if self.stages:
            return self.stages
        return ("spectrum",) if self.method == "spectrum" else ("projection", "flow")


TRAIN_PAPER: dict[str, Any] = {
    "network": "resnet18", "pictures": 0, "epochs": 200, "rate": 0.1, "optimizer": "sgd",
}  # fmt: skip
"""What the paper does (appendix "Training ResNet-18")."""

OWN_NETWORKS = ("small", "resnet18")
"""Networks made for small pictures, grey or RGB; all others are torchvision's, for RGB: grey is repeated."""

Fraction = Annotated[float, msgspec.Meta(gt=0, lt=1)]
Count = Annotated[int, msgspec.Meta(ge=0)]


class TrainConfig(msgspec.Struct, forbid_unknown_fields=True, kw_only=True, frozen=True):
    """`lieapp train`: a network that tells pictures apart, whose features `lieapp discover` then uses."""

    presets: ClassVar[dict[str, dict[str, Any]]] = {"quick": {}, "paper": TRAIN_PAPER}

    plugin: str
    kind: Literal["train"] = "train"
    preset: Literal["quick", "paper"] = "quick"
    """Defaults of the settings below: quick, or those of the paper's appendix."""
    data: str = ""
    """A file, a folder or a set with a name; empty: that of the plugin."""
    seed: Seed = 0
    device: Device = "auto"
    threads: Threads = 2
    """Threads on a CPU, at most as many as cores are free."""
    network: str = "small"
    """`small` (three convolutions), `resnet18` with the stem for small pictures, or a classifier of torchvision."""
    weights: str = ""
    """A file of weights to start from, for a classifier of torchvision as it was published."""
    side: Count = 0
    """Pixels that the shorter side of pictures is resized to before they enter the network; 0 leaves them."""
    base: Positive = 16
    """Channels of the small network's first layer; the next ones have twice and four times as many."""
    pictures: Count = 20000
    """At most so many pictures, drawn by seed; 0 takes all."""
    validation: Fraction = 0.1
    """Share of each class kept aside for judging."""
    epochs: Count = 6
    """How often each picture is seen; 0 takes the features of `weights` as they are."""
    batch: Positive = 128
    """Pictures in one step."""
    rate: Share = 0.005
    """Highest learning rate."""
    optimizer: Literal["adam", "sgd"] = "adam"
    """Adam on one cycle, or SGD as in the paper."""
    augment: str = ""
    """Transformations of the pictures to learn from, with their ranges: `rotation:0.5,shear-x`."""

    def __post_init__(self) -> None:
        parse_kinds(self.augment)
        if not self.epochs and not self.weights:
            raise ValueError("epochs = 0 takes features as a file has them: give weights, or set epochs = 1")
        if self.weights and self.network == "small":
            raise ValueError("weights are of a classifier of torchvision: set network to its name, as resnet50")


class DiscoverPictures(msgspec.Struct, forbid_unknown_fields=True, kw_only=True, frozen=True):
    """What discoveries on pictures share, whatever of them is moved."""

    plugin: str
    kind: Literal["discover"] = "discover"
    preset: Literal["quick", "paper"] = "quick"
    """Defaults of the settings below, and of the network: quick, or those of the paper's appendix."""
    data: str = ""
    """A file, a folder or a set with a name; empty: that of the plugin."""
    trained: str = ""
    """A file of `lieapp train`; empty: the network of the preset, trained if it isn't in the cache."""
    network: Literal["trained", "efficientnet-lite0"] = "trained"
    """Whose features judge: of a network trained on such pictures, or of one that a package ships."""
    slots: Positive = 6
    seed: Seed = 0
    device: Device = "auto"
    threads: Threads = 2
    """Threads on a CPU, at most as many as cores are free."""
    pictures: Count = 2000
    """At most so many pictures to learn from, drawn by seed; 0 takes all."""
    validation: Fraction = 0.1
    """Share of each class kept aside for judging."""
    held_out: Positive = 256
    """How many of those are judged on."""
    weighted: bool = True
    """Weigh what is moved by how much the features depend on it."""
    sigma: Share = 0.4
    """Pictures are moved to flow parameters within [-sigma, sigma]."""
    tau: Share = 3.0
    """Lipschitz constant of a field, per unit of what is moved, above which it costs."""
    w_sym: Weight = 1.0
    """Weight of the validity of moved pictures."""
    w_ortho: Weight = 3.0
    """Weight of the orthonormality loss."""
    w_lips: Weight = 1.0
    """Weight of the Lipschitz loss."""
    steps: Positive = 400
    """Descent steps."""
    batch: Positive = 24
    """Pictures in one step."""
    rate: Share = 0.003
    """Learning rate."""
    cooling: Annotated[float, msgspec.Meta(gt=0, le=1)] = 0.1
    """Factor on the rate in the last 40 % of the steps."""
    clip: Share = 1.0
    """Largest norm of a gradient."""
    soft: Weight = 0.0
    """Angle between slots, in radians, below which the orthonormality loss is quadratic; 0 leaves its kink."""
    ordered: bool = True
    """Put slots in the order of their angles, several times on the way."""
    trunk: Positive = 128
    """Units in the two shared hidden layers of the generator network."""
    head: Positive = 32
    """Units in the hidden layer that each of its fields has to itself."""
    solver: Literal["rk4", "midpoint", "euler"] = "rk4"
    """Integrates flows."""
    solver_step: Share = 0.14
    """Largest step in s."""

    def __post_init__(self) -> None:
        if self.sigma > MOST_STEPS * self.solver_step:
            raise ValueError(
                f"sigma = {self.sigma:g} and solver_step = {self.solver_step:g}: a flow would take more than "
                f"{MOST_STEPS} steps; lower sigma (pictures have size 2, colours 1) or raise solver_step"
            )


IMAGES_PAPER: dict[str, Any] = {
    "slots": 10, "pictures": 0, "steps": 17600, "batch": 128, "rate": 1e-4, "cooling": 1.0, "tau": 7.75,
    "trunk": 256, "weight_rounds": 20, "interpolation": "bilinear", "nodes": 0,
    "ordered": False, "soft": 0.0,
}  # fmt: skip
"""What the paper does (appendix "Experiment Details", images): 50 epochs of 45000 pictures are 17600 steps."""


class DiscoverImagesConfig(DiscoverPictures, kw_only=True, frozen=True):
    """`lieapp discover` of pictures: network, weight of pixels, discovery by the finite flow, comparison.

    sigma and tau count in units in which a picture reaches from -1 to 1.
    """

    presets: ClassVar[dict[str, dict[str, Any]]] = {"quick": {}, "paper": IMAGES_PAPER}

    domain: Literal["images"] = "images"
    padding: Literal["border", "zeros"] = "border"
    """What lies outside a picture: its edge, continued, or black."""
    interpolation: Literal["bicubic", "bilinear"] = "bicubic"
    """Between pixels; the second blurs what is moved by parts of a pixel."""
    nodes: Annotated[int, msgspec.Meta(ge=0)] = 16
    """Nodes along the shorter side that flows are followed from, with splines between them; 0: every pixel."""
    solver_step: Share = 0.2
    """Largest step in s."""
    w_ortho: Weight = 10.0
    """Weight of the orthonormality loss."""
    soft: Weight = 0.1
    """Angle between slots, in radians, below which the orthonormality loss is quadratic; 0 leaves its kink."""
    w_lips: Weight = 10.0
    """Weight of the Lipschitz loss."""
    weight_rounds: Positive = 4
    """Pseudo-pixels drawn for each picture to measure that weight."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if 0 < self.nodes < 4:
            raise ValueError(f"nodes = {self.nodes}: cubic splines need 4; 0 takes every pixel")
