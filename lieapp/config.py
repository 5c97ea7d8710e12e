"""Configuration structs: every field documented in docs/command-line.md, unknown keys refused."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

Positive = Annotated[int, msgspec.Meta(ge=1)]
Share = Annotated[float, msgspec.Meta(gt=0)]


class DataConfig(msgspec.Struct, forbid_unknown_fields=True, kw_only=True, frozen=True):
    """`lieapp data`: simulate trajectories of a plugin's equation and write them to a file."""

    plugin: str
    kind: Literal["data"] = "data"
    samples: Positive = 64
    seed: int = 0
    device: str = "auto"


class DiscoverConfig(msgspec.Struct, forbid_unknown_fields=True, kw_only=True, frozen=True):
    """`lieapp discover`: data, truth, discovery, comparison, report."""

    plugin: str
    kind: Literal["discover"] = "discover"
    method: Literal["neural", "spectrum"] = "neural"
    slots: Positive = 4
    seed: int = 0
    device: str = "auto"
    samples: Positive = 24
    """Trajectories to learn from."""
    held_out: Positive = 8
    """Trajectories kept aside for judging."""
