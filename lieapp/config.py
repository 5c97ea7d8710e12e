"""Configuration structs: every field documented in docs/command-line.md, unknown keys refused."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from lieapp.settings import load_config

__all__ = ["DataConfig", "DiscoverConfig", "TruthConfig", "load_config"]

Positive = Annotated[int, msgspec.Meta(ge=1)]
Share = Annotated[float, msgspec.Meta(gt=0)]
Seed = Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]
Device = Annotated[str, msgspec.Meta(pattern=r"^(auto|cpu|cuda(:[0-9]+)?)$")]


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
    """Seconds after which the derivation is given up."""


class DataConfig(msgspec.Struct, forbid_unknown_fields=True, kw_only=True, frozen=True):
    """`lieapp data`: simulate trajectories of a plugin's equation and write them to a file."""

    plugin: str
    kind: Literal["data"] = "data"
    samples: Positive = 64
    seed: Seed = 0
    device: Device = "auto"
    tolerance: Share = 1e-6
    """Estimated relative error that the trajectories may have at the end of the window."""
    threads: Positive = 1
    """Threads on a CPU; arrays are small here: more threads than free cores cost far more than they give."""


class DiscoverConfig(msgspec.Struct, forbid_unknown_fields=True, kw_only=True, frozen=True):
    """`lieapp discover`: data, truth, discovery, comparison, report."""

    plugin: str
    kind: Literal["discover"] = "discover"
    method: Literal["neural", "spectrum"] = "neural"
    slots: Positive = 4
    seed: Seed = 0
    device: Device = "auto"
    threads: Positive = 1
    """Threads on a CPU; arrays are small here: more threads than free cores cost far more than they give."""
    samples: Positive = 16
    """Trajectories to learn from."""
    held_out: Positive = 4
    """Trajectories kept aside for judging."""
    tolerance: Share = 1e-3
    """Relative error allowed in the data over the whole time window."""
    slices: Positive = 96
    """Time slices of the training trajectories that fields are solved on."""
    held_out_slices: Positive = 48
    """Time slices of the held-out trajectories that fields are judged on."""
    modes: Positive = 1
    """Highest Fourier mode in each periodic coordinate, of the basis and of the network's inputs."""
    steps: Positive = 200
    """Descent steps of the neural method."""
    width: Positive = 64
    """Units in each of the network's two hidden layers."""
    features: Positive = 24
    """Scalar features the network makes; fields are linear in them."""
    batch: Positive = 24
    """Time slices in one descent step."""
    rate: Share = 0.02
    """Highest learning rate."""
    floor: Share = 1e-4
    """Defects below this no longer drive the training; exact fields reach round-off."""
    cross_check: bool = True
    """Let the other method check what one found."""
    degrees: Annotated[tuple[Positive, ...], msgspec.Meta(min_length=1)] = (2, 4, 6, 8)
    """Chebyshev degrees in time of the spectrum method's bases, ascending."""
    unknown_degree: Positive = 1
    """Degree in the unknowns of the spectrum method's bases."""
    budget: Share = 60.0
    """Seconds the derivation of the true generators may take."""

    def __post_init__(self) -> None:
        if list(self.degrees) != sorted(set(self.degrees)):
            raise ValueError(f"degrees {list(self.degrees)} must ascend: verdicts compare each with the one before")
