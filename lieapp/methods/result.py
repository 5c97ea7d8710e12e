"""What a discovery hands on: fields, how their defect behaved level by level, and the whole spectrum."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

import torch

from lieapp.domains.base import Data, Domain, EvolvingT, GivenT
from lieapp.domains.spread import EveryComponent, Features
from lieapp.methods.fields import Combination, Slotted
from lieapp.methods.judge import judge
from lieapp.methods.spectrum import Spectrum, factors, spectrum

SIZE = 8
"""Slices held in memory at a time."""


@runtime_checkable
class Dataset(Protocol[GivenT]):
    """What is learned from and what is judged on."""

    @property
    def train(self) -> Data[GivenT]:
        """Data to solve on."""

    @property
    def held_out(self) -> Data[GivenT]:
        """Data to judge on."""


@dataclass(frozen=True)
class Level:
    """The best fields of one basis, or of one moment of the training.

    Args:
        label: what grew, e.g. the degree in t or the number of steps.
        eta: on held-out data, one for each slot, ascending.
    """

    label: int
    eta: list[float]


@dataclass(frozen=True)
class Discovery:
    """The outcome of one method.

    Args:
        fields: the slots, of norm 1 on the training data, ascending in eta on the held-out data.
        levels: the history that verdicts are read from; the last one belongs to `fields`.
        grows: what the labels of the levels count.
        spectrum: eta of every direction of the last basis, on training data, ascending.
    """

    method: str
    fields: Slotted
    levels: list[Level]
    grows: str
    spectrum: list[float]
    warnings: list[str] = field(default_factory=list)

    def sequence(self, slot: int) -> list[float]:
        """eta of one slot, level by level; inf where a level had fewer fields."""
        return [level.eta[slot] if slot < len(level.eta) else float("inf") for level in self.levels]


def solve(
    domain: Domain[EvolvingT], data: Dataset[EvolvingT], features: Features, slots: int, slices: int,
    held_slices: int, label: int,
) -> tuple[Combination, Spectrum, Level]:  # fmt: skip
    """The lowest `slots` fields in some features, solved on training data, ordered by eta on held-out data."""
    count = len(domain.components)
    with torch.no_grad():
        found = spectrum(factors(domain, EveryComponent(features, count), data.train.batches(slices, SIZE)))
        chosen = found.coefficients[:slots].reshape(-1, features.count, count)
        eta = judge(domain, Combination(features, chosen), data.held_out.batches(held_slices, SIZE)).eta
        # the same at every level: histories of slots are read across levels
        order = torch.argsort(eta)
        fields = Combination(features, chosen[order.to(chosen.device)])
    return fields, found, Level(label, eta[order].tolist())


def notes(found: Spectrum) -> list[str]:
    """What a reader should know about directions that were left out."""
    told = []
    if found.dropped:
        told.append(
            f"directions of the basis that were dropped because they depend on the others on these data: "
            f"{found.dropped}"
        )
    if found.tangent:
        told.append(
            "directions that were dropped because they move the data along themselves (false kernel): "
            f"{found.tangent}"
        )
    return told
