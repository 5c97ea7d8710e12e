"""Settings of the methods that lieapp ships, and of what is done with the fields they find."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec

from lieapp.config_types import MOST_STEPS, Count, Positive, Share, Weight, told


class Spectrum(msgspec.Struct, forbid_unknown_fields=True, kw_only=True, frozen=True):
    """Settings of the method spectrum."""

    degrees: Annotated[
        tuple[Positive, ...], msgspec.Meta(min_length=1),
        told("Chebyshev degrees in time of the bases, ascending."),
    ] = (2, 4, 6, 8)  # fmt: skip
    unknown_degree: Annotated[Positive, told("Degree in the unknowns of the bases.")] = 1

    def __post_init__(self) -> None:
        if list(self.degrees) != sorted(set(self.degrees)):
            raise ValueError(f"degrees {list(self.degrees)} must ascend: verdicts compare each with the one before")


class Projection(msgspec.Struct, forbid_unknown_fields=True, kw_only=True, frozen=True):
    """Settings of the method projection."""

    steps: Annotated[Positive, told("Descent steps.")] = 200
    width: Annotated[Positive, told("Units in each of the network's two hidden layers.")] = 48
    features: Annotated[Positive, told("Scalar features the network makes; fields are linear in them.")] = 24
    batch: Annotated[Positive, told("Time slices in one step.")] = 24
    rate: Annotated[Share, told("Highest learning rate.", "Learning rate")] = 0.02


class Descending(msgspec.Struct, forbid_unknown_fields=True, kw_only=True, frozen=True):
    """What the methods that descend on the paper's losses share."""

    epochs: Annotated[
        Count, told("How often the trajectories are gone through; 0 leaves a refining stage out.")
    ] = 1
    sobolev_epochs: Annotated[Count, told("How many of the last epochs have the Sobolev loss.")] = 0
    rate: Annotated[
        Share,
        told("Learning rate; a tenth of it in the second half where fields start from nothing.", "Learning rate"),
    ] = 3e-4
    clip: Annotated[
        Share, told("Largest norm of a gradient; one folded patch would otherwise slow Adam down for long.")
    ] = 1.0
    tau: Annotated[
        Share,
        told("Lipschitz constant of a field, in scaled coordinates, above which it costs.", "Lipschitz bound"),
    ] = 3.0
    w_sym: Annotated[Weight, told("Weight of the validity of moved data.", "Weight of validity")] = 1.0
    w_ortho: Annotated[Weight, told("Weight of the orthonormality loss.", "Weight of orthonormality")] = 3.0
    w_lips: Annotated[Weight, told("Weight of the Lipschitz loss.", "Weight of Lipschitz loss")] = 1.0
    w_sobolev: Annotated[
        Weight, told("Weight of the Sobolev loss in the last epochs.", "Weight of Sobolev loss")
    ] = 1.0
    trunk: Annotated[Positive, told("Units in the two shared hidden layers of a generator network.")] = 256
    head: Annotated[Positive, told("Units in the hidden layer that each of its fields has to itself.")] = 32


class Gradient(Descending, kw_only=True, frozen=True):
    """Settings of the method gradient."""

    batch: Annotated[Positive, told("Time slices in one step.")] = 24
    trajectories: Annotated[Positive, told("Trajectories that a step counts for in an epoch.")] = 2


class Flow(Descending, kw_only=True, frozen=True):
    """Settings of the method flow."""

    batch: Annotated[Positive, told("Patches in one step.")] = 2
    patch_time: Annotated[
        Count | None,
        told(
            "Time samples of a patch; 0 takes all; unless given 48 (64 where fields start from nothing), or all if "
            "there are fewer.", "Patch in time",
        ),
    ] = None  # fmt: skip
    patch_space: Annotated[
        Count | None,
        told(
            "Points of a patch along each axis of space; 0 takes all; unless given 64, or all if there are fewer.",
            "Patch in space",
        ),
    ] = None
    dtype: Annotated[Literal["float64", "float32"], told("Numbers of this stage.", "Numbers")] = "float64"


class Moving(msgspec.Struct, forbid_unknown_fields=True, kw_only=True, frozen=True):
    """How data are moved along fields and differentiated there: by the method flow, and to judge at finite size."""

    sigma: Annotated[
        Share, told("Data are moved to flow parameters within [-sigma, sigma], in scaled coordinates.", "Flow size")
    ] = 0.4
    backend: Annotated[
        Literal["curvilinear", "weno", "bilinear"], told("What differentiates moved data (method.md).")
    ] = "curvilinear"
    weno_extra: Annotated[
        int, msgspec.Meta(ge=0, le=4),
        told("Degree of WENO's polynomials above the highest derivative.", "Extra degree of WENO"),
    ] = 0  # fmt: skip
    solver: Annotated[
        Literal["rk4", "midpoint", "euler", "dopri5", "dopri8", "bosh3"],
        told("Integrates flows; the last three choose their own steps."),
    ] = "rk4"
    solver_step: Annotated[
        Share, told("Largest step in s of a solver that doesn't choose its own.", "Step of the solver")
    ] = 0.2
    adjoint: Annotated[bool, told("Gradients of a flow by integrating backwards: less memory, more time.")] = False

    def __post_init__(self) -> None:
        if self.sigma > MOST_STEPS * self.solver_step:
            raise ValueError(
                f"sigma = {self.sigma:g} and solver_step = {self.solver_step:g}: a flow would take more than "
                f"{MOST_STEPS} steps; lower sigma (data have size 1) or raise solver_step"
            )


class Finite(msgspec.Struct, forbid_unknown_fields=True, kw_only=True, frozen=True):
    """How fields are judged at finite size."""

    samples: Annotated[
        Count, told("Held-out trajectories that are moved to judge fields; 0 leaves that judgement out.")
    ] = 1


class Formulas(msgspec.Struct, forbid_unknown_fields=True, kw_only=True, frozen=True):
    """How fields are written down."""

    library_degree: Annotated[
        Positive,
        told(
            "Highest degree of the monomials that formulas are made of, besides the functions that the equation's "
            "coefficients bring."
        ),
    ] = 2


_LONG: dict[str, Any] = {"epochs": 50, "sobolev_epochs": 10, "rate": 1e-4}

PAPER: dict[str, Any] = {
    "stages": ("flow",), "samples": 1024, "held_out": 16, "cross_check": False, "moving": {"backend": "weno"},
    "flow": {**_LONG, "batch": 4, "dtype": "float32"}, "gradient": {**_LONG, "trajectories": 4},
}  # fmt: skip
"""Only what the paper does (appendix "Experiment Details", PDEs)."""
