"""Settings of `lieapp truth`, `check`, `data`, of discoveries on equations and of the methods for these.

Every setting says what it means (`config_types.told`): forms and docs/command-line.md show that text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar, Literal, cast

import msgspec

from lieapp.config_laws import Generalised, Laws
from lieapp.config_symbolic import EquationConfig
from lieapp.config_types import (
    Count,
    Device,
    DiscoverData,
    FewThreads,
    LipschitzWeight,
    Misfit,
    OrthoWeight,
    Plugin,
    Positive,
    RunKind,
    RunSettings,
    Seed,
    Settings,
    Share,
    Weight,
    check_steps,
    of_checks,
    of_data,
    of_training,
    told,
)
from lieapp.extension import Method


class Spectrum(Settings, kw_only=True, frozen=True):
    """Settings of the method spectrum."""

    degrees: Annotated[
        tuple[Positive, ...], msgspec.Meta(min_length=1),
        told("Chebyshev degrees of the bases in time, ascending."),
    ] = (2, 4, 6, 8)  # fmt: skip
    unknown_degree: Annotated[Positive, told("Degree of the bases in the unknowns.")] = 1

    def __post_init__(self) -> None:
        if list(self.degrees) != sorted(set(self.degrees)):
            raise ValueError(f"degrees {list(self.degrees)} must ascend: verdicts compare each with the one before")


class Projection(Settings, kw_only=True, frozen=True):
    """Settings of the method projection."""

    steps: Annotated[Positive, told("Training steps.")] = 200
    width: Annotated[Positive, told("Units in each of the network's two hidden layers.")] = 48
    features: Annotated[Positive, told("Scalar features computed by the network; fields are linear in them.")] = 24
    batch: Annotated[Positive, told("Batch size, in time slices.")] = 24
    rate: Annotated[Share, told("Highest learning rate.", "Learning rate")] = 0.02


class Descending(Settings, kw_only=True, frozen=True):
    """What the methods that descend on the paper's losses share."""

    epochs: Annotated[Count, told("Number of passes through the trajectories; 0 skips a refining stage.")] = 1
    sobolev_epochs: Annotated[Count, told("Number of last epochs that use the Sobolev loss.")] = 0
    rate: Annotated[
        Share,
        told("Learning rate; without an earlier stage it drops to a tenth in the second half.", "Learning rate"),
    ] = 3e-4
    clip: Annotated[
        Share,
        told("Gradient clipping norm; without it, a single folded patch would slow Adam down for a long time."),
    ] = 1.0
    tau: Annotated[
        Share,
        told("Lipschitz constant of a field, in scaled coordinates, that its loss starts at.", "Lipschitz bound"),
    ] = 3.0
    w_sym: Annotated[Weight, told("Weight of the validity loss of moved data.", "Weight of validity")] = 1.0
    w_ortho: OrthoWeight = 3.0
    w_lips: LipschitzWeight = 1.0
    w_sobolev: Annotated[
        Weight, told("Weight of the Sobolev loss in the last epochs.", "Weight of Sobolev loss")
    ] = 1.0
    trunk: Annotated[Positive, told("Units in each of the generator network's two shared hidden layers.")] = 256
    head: Annotated[Positive, told("Units in the separate hidden layer of each field.")] = 32


class Gradient(Descending, kw_only=True, frozen=True):
    """Settings of the method gradient."""

    batch: Annotated[Positive, told("Batch size, in time slices.")] = 24
    trajectories: Annotated[Positive, told("Trajectories per step when epochs are converted to steps.")] = 2


class Flow(Descending, kw_only=True, frozen=True):
    """Settings of the method flow."""

    batch: Annotated[Positive, told("Batch size, in patches.")] = 2
    patch_time: Annotated[
        Count | None,
        told(
            "Time samples of a patch; 0 takes all. Default: 48 (64 without an earlier stage), or all if there are "
            "fewer.", "Patch in time",
        ),
    ] = None  # fmt: skip
    patch_space: Annotated[
        Count | None,
        told(
            "Points of a patch along each spatial axis; 0 takes all. Default: 64, or all if there are fewer.",
            "Patch in space",
        ),
    ] = None
    dtype: Annotated[Literal["float64", "float32"], told("Precision of this stage.", "Precision")] = "float64"


class Moving(Settings, kw_only=True, frozen=True):
    """How data are moved along fields and differentiated there: by the method flow, and to judge at finite size."""

    sigma: Annotated[
        Share, told("Data are moved to flow parameters within [-sigma, sigma], in scaled coordinates.", "Flow size")
    ] = 0.4
    backend: Annotated[
        Literal["curvilinear", "weno", "bilinear"], told("How moved data are differentiated (method.md).")
    ] = "curvilinear"
    weno_extra: Annotated[
        int, msgspec.Meta(ge=0, le=4),
        told(
            "By how much the degree of WENO's polynomials exceeds the highest derivative.", "Extra degree of WENO"),
    ] = 0  # fmt: skip
    solver: Annotated[
        Literal["rk4", "midpoint", "euler", "dopri5", "dopri8", "bosh3"],
        told("ODE solver for flows; the last three choose their own steps."),
    ] = "rk4"
    solver_step: Annotated[
        Share, told("Largest step in s, for a solver with fixed steps.", "Step of the solver")
    ] = 0.2
    adjoint: Annotated[bool, told("Integrate gradients of a flow backwards: less memory, more time.")] = False

    def __post_init__(self) -> None:
        check_steps(self.sigma, self.solver_step, "data have size 1")


class Finite(Settings, kw_only=True, frozen=True):
    """How fields are judged at finite size."""

    samples: Annotated[
        Count, told("Number of held-out trajectories moved to evaluate fields at finite size; 0 skips this.")
    ] = 1


class Formulas(Settings, kw_only=True, frozen=True):
    """How fields are written down."""

    library_degree: Annotated[
        Positive,
        told(
            "Highest degree of the monomials in formulas. The functions in the equation's coefficients are added "
            "to them."
        ),
    ] = 2


_LONG: dict[str, Any] = {"epochs": 50, "sobolev_epochs": 10, "rate": 1e-4}

PAPER: dict[str, Any] = {
    "stages": ("flow",), "samples": 1024, "held_out": 16, "cross_check": False, "moving": {"backend": "weno"},
    "flow": {**_LONG, "batch": 4, "dtype": "float32"}, "gradient": {**_LONG, "trajectories": 4},
}  # fmt: skip
"""Only what the paper does (appendix "Experiment Details", PDEs)."""


class TruthConfig(EquationConfig, kw_only=True, frozen=True):
    """`lieapp truth`: derive the symmetries of a plugin's equation or of a typed one."""

    kind: Annotated[Literal["truth"], RunKind] = "truth"
    periodic: Annotated[
        list[str], told("Variables in which solutions are periodic; a plugin's own by default.")
    ] = msgspec.field(default_factory=list)
    moving: Annotated[
        list[str],
        told("Parameters that symmetries may move too, with the dimensionless groups that this gives: `nu,k`."),
    ] = msgspec.field(default_factory=list)
    output: Annotated[
        list[str],
        told(
            "What is measured of an ODE's solutions, `c*x`, to tell which of the parameters in `moving` (all by "
            "default) it determines."
        ),
    ] = msgspec.field(default_factory=list)
    order: Annotated[
        Count | None,
        told("Also find generalised and contact symmetries, with characteristics up to this differential order."),
    ] = None
    explain: Annotated[bool, told("Show the determining equations and every step of their solution.")] = False
    latex: Annotated[bool, told("Write the result as LaTeX.")] = False
    flows: Annotated[bool, told("Find the finite flow of each generator.")] = False
    reductions: Annotated[bool, told("Find the invariants of each generator and reduce the equation by it.")] = (
        False
    )


class CheckConfig(Settings, kw_only=True, frozen=True):
    """`lieapp check`: run a plugin's self-check."""

    plugin: Plugin
    kind: Annotated[Literal["check"], RunKind] = "check"


class DataConfig(Settings, kw_only=True, frozen=True):
    """`lieapp data`: simulate trajectories of a plugin's equation and write them to a file."""

    plugin: Plugin
    kind: Annotated[Literal["data"], RunKind] = "data"
    samples: Annotated[Positive, told("Number of trajectories.")] = 64
    seed: Seed = 0
    device: Device = "auto"
    tolerance: Annotated[
        Share, told("Tolerated relative error (estimated) of the trajectories at the end of the time window.")
    ] = 1e-6
    threads: FewThreads = 1
    moved_by: Annotated[
        str,
        told(
            "Symmetries along which trajectories are moved before they are written: `truth`, a run, or a mix "
            "(augmentation.md)."
        ),
    ] = "none"
    sigma: Annotated[
        Share,
        told(
            "The coefficient of each generator is uniform in [-sigma, sigma]; generators have norm 1 on the data, "
            "in scaled coordinates."
        ),
    ] = 0.2
    copies: Annotated[Positive, told("Moved copies of each trajectory.")] = 1
    middle: Annotated[
        float, msgspec.Meta(ge=0, le=1),
        told(
            "Share of the time window, around its middle, that each moved copy must cover; the file keeps what "
            "all cover."
        ),
    ] = 0.5  # fmt: skip


METHOD = "Method that finds symmetries; `lieapp plugins` lists all methods."
STAGES = "Methods in order: the first finds fields, the others refine them. Empty: the stages of `method`."


class DiscoverConfig(RunSettings, kw_only=True, frozen=True):
    """`lieapp discover` of an equation: data, truth, discovery, comparison, report.

    `with_methods` adds what other registered methods have to set, and the rules of which may follow which.
    """

    presets: ClassVar[dict[str, dict[str, Any]]] = {"quick": {}, "paper": PAPER}
    methods: ClassVar[Mapping[str, Method]] = {}
    """Those that are registered; without any, rules between stages aren't checked."""
    plans: ClassVar[Mapping[str, tuple[str, ...]]] = {"neural": ("projection", "flow")}
    """Methods that are made of others."""
    """The defaults that others of the settings give."""

    kind: Annotated[Literal["discover"], RunKind] = "discover"
    sought: Annotated[
        Literal["symmetries", "laws", "generalised"],
        told(
            "What is sought: point symmetries, conservation laws (`--laws`, laws-from-data.md) or generalised "
            "symmetries (`--fields generalised`)."
        ),
    ] = "symmetries"
    method: Annotated[str, told(METHOD)] = "neural"
    data: Annotated[DiscoverData, told("", "Data in files")] = DiscoverData()
    slots: Annotated[Positive, told("Fields to begin with. Half as many join while all are exact.")] = 4
    stages: Annotated[tuple[str, ...], told(STAGES)] = ()
    samples: Annotated[Positive, of_data("Number of training trajectories.")] = 16
    held_out: Annotated[Positive, of_data("Number of held-out trajectories for validation.")] = 4
    chunk: Annotated[
        Count, of_data("Trajectories simulated or read together (scaling.md). 0: as many as fit into 64 MB.")
    ] = 0
    tolerance: Annotated[Share, of_data("Tolerated relative error of the data over the whole time window.")] = 1e-3
    noise: Annotated[Weight, of_data("Standard deviation of added noise, relative to each unknown's.")] = 0.0
    every_point: Annotated[Positive, of_data("Keep every n-th point along each spatial axis.")] = 1
    every_time: Annotated[Positive, of_data("Keep every n-th time sample.")] = 1
    smoothing: Annotated[
        Annotated[float, msgspec.Meta(ge=0, lt=1)] | None,
        of_data(
            "Remove Fourier modes below this share of the largest mode as noise; 0 keeps all. Default: estimated "
            "from the data (method.md)."
        ),
    ] = None
    misfit: Misfit = 0.01
    slices: Annotated[
        Positive, of_data("Number of time slices of the training trajectories used to find fields.")
    ] = 96
    held_out_slices: Annotated[
        Positive, of_data("Number of time slices of the held-out trajectories used to evaluate fields.")
    ] = 48
    modes: Annotated[
        Positive, of_training("Highest Fourier mode in each periodic coordinate, for bases and network inputs.")
    ] = 1
    floor: Annotated[
        Share, of_training("Training ignores defects below this floor; exact fields reach round-off.")
    ] = 1e-4
    spectrum: Spectrum = Spectrum()
    projection: Projection = Projection()
    gradient: Gradient = Gradient()
    flow: Flow = Flow()
    moving: Annotated[Moving, told("", "Moving data")] = Moving()
    finite: Annotated[Finite, told("", "Finite size")] = Finite()
    formulas: Formulas = Formulas()
    laws: Annotated[Laws, told("", "Conservation laws")] = Laws()
    generalised: Annotated[Generalised, told("", "Generalised symmetries")] = Generalised()
    cross_check: Annotated[
        bool,
        of_checks(
            "Check the result with a second method. If `projection` finds fewer exact fields than `spectrum`, it "
            "is retrained once, with twice the steps and with the functions in the equation's coefficients as "
            "extra features."
        ),
    ] = True
    budget: Annotated[Share, of_checks("Time limit for deriving the generators, in seconds.")] = 60.0
    threads: FewThreads = 1

    @classmethod
    def with_methods(cls, methods: Sequence[Method]) -> type[DiscoverConfig]:
        """These settings with those of every method, of which `method` and `stages` may name each."""
        named = {method.name: method for method in methods}
        literal: Any = Literal
        several: Any = tuple
        plain = literal[tuple(name for name, method in named.items() if not method.parts)]
        fields = [
            ("method", Annotated[literal[tuple(named)], told(METHOD)], "neural"),
            ("stages", Annotated[several[plain, ...], told(STAGES)], ()),
            *(
                (method.name, method.settings, msgspec.field(default_factory=method.settings))
                for method in methods
                if method.settings.__struct_fields__ and method.name not in cls.__struct_fields__
            ),
        ]
        plans = {name: method.parts for name, method in named.items() if method.parts}
        space = {"__doc__": cls.__doc__, "methods": named, "plans": plans}
        made: Any = msgspec.defstruct(
            cls.__name__, fields, bases=(cls,), namespace=space, kw_only=True, frozen=True,
            forbid_unknown_fields=True, module=cls.__module__,
        )  # fmt: skip
        return cast("type[DiscoverConfig]", made)

    def __post_init__(self) -> None:
        if self.preset == "paper" and self.method == "spectrum" and self.stages == PAPER["stages"]:
            raise ValueError("preset paper trains by descent: leave method = spectrum out, or set stages too")
        if self.methods:
            self._check_plan(*self.plan)

    def _check_plan(self, first: str, *rest: str) -> None:
        bad = [name for name in rest if self.methods[name].refine is None]
        if bad:
            only = " and ".join(name for name, own in self.methods.items() if own.refine is None and not own.parts)
            raise ValueError(f"stages {list(self.stages)}: {only} can only come first")
        if rest and not self.methods[first].refinable:
            able = " or ".join(name for name, method in self.methods.items() if method.refinable)
            raise ValueError(f"stages {list(self.stages)}: only the fields of {able} can be refined")
        own = getattr(self, first, None)
        if isinstance(own, Descending) and own.epochs == 0:
            raise ValueError(f"epochs = 0: the stage {first} comes first and needs at least 1")
        family = self.methods[first].family or first
        if self.stages and self.method not in (family, first):
            raise ValueError(
                f"stages {list(self.stages)} begin with another method than method = {self.method}; "
                f"{first} belongs to {family}"
            )

    @property
    def plan(self) -> tuple[str, ...]:
        """The stages, spelled out."""
        return self.stages or self.plans.get(self.method, (self.method,))

    @classmethod
    def preferred(cls, values: Mapping[str, Any]) -> Sequence[str]:
        """The sections that a name alone means first, by what else was given: of stages, then of their check."""
        plan, check = cls._in_use(values)
        return (*plan, *check)

    @classmethod
    def idle(cls, values: Mapping[str, Any]) -> set[str]:
        """The sections that mean nothing with such settings: those of methods and of what isn't sought."""
        plan, check = cls._in_use(values)
        used = {*plan, *(check if values.get("cross_check", True) else ())}
        if (sought := values.get("sought", "symmetries")) != "symmetries":
            used = {sought}
        return {name for name in (*cls.methods, "laws", "generalised") if name in cls.__struct_fields__} - used

    @classmethod
    def _in_use(cls, values: Mapping[str, Any]) -> tuple[Sequence[str], Sequence[str]]:
        """The stages, and those of the method that checks what they find."""
        method, stages = values.get("method", "neural"), values.get("stages")
        plan = stages if isinstance(stages, list | tuple) and stages else cls.plans.get(method, (method,))
        first = cls.methods.get(plan[0])
        return plan, () if first is None else cls.plans.get(first.checked_by, (first.checked_by,))
