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


class DiscoverConfig(msgspec.Struct, forbid_unknown_fields=True, kw_only=True, frozen=True):
    """`lieapp discover`: data, truth, discovery, comparison, report."""

    plugin: str
    kind: Literal["discover"] = "discover"
    method: Literal["neural", "spectrum"] = "neural"
    slots: Positive = 4
    seed: Seed = 0
    device: Device = "auto"
    samples: Positive = 24
    """Trajectories to learn from."""
    held_out: Positive = 8
    """Trajectories kept aside for judging."""
