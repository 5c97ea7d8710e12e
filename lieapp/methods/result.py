"""What a discovery hands on: fields judged on held-out data, their defect level by level, the whole spectrum."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Protocol, TypeVar, runtime_checkable

import torch
from jaxtyping import Float, Int
from torch import Tensor

from lieapp.domains.base import Data, Domain, EvolvingT, Fields, GivenT
from lieapp.domains.spread import Allowed, EveryComponent, Features, Homogeneous
from lieapp.errors import DiscoveryError
from lieapp.methods.fields import Combination, Slotted
from lieapp.methods.spectrum import Factors, Spectrum, factors, spectrum

Found = TypeVar("Found")


@dataclass(frozen=True)
class Judgement:
    """Sums over data for a stack of fields.

    Args:
        eta: rms(M)/rms(Q) of each field, the relative error that a moved solution accumulates over the window.
        gram: inner products of the fields, weighted by ω.
        reach: rms(Q)/rms(V) of each field.
        parts: sums of M² and Q² over each independent sample, for the bootstrap; None where a batch doesn't say
            which sample is whose.
    """

    eta: Float[Tensor, " field"]
    gram: Float[Tensor, "field field"]
    reach: Float[Tensor, " field"]
    parts: tuple[Float[Tensor, "field sample"], Float[Tensor, "field sample"]] | None = None


@dataclass(frozen=True)
class Sums:
    """What a stack of fields gives on a share of the data; of two shares `joined`.

    Args:
        m2, q2: of each piece, sums of M² and Q² over its nodes.
        gram: inner products of the fields.
        samples: whose each piece is; None where a batch doesn't say so.
    """

    m2: Float[Tensor, "field piece"]
    q2: Float[Tensor, "field piece"]
    gram: Float[Tensor, "field field"]
    samples: Int[Tensor, " piece"] | None

    def joined(self, other: Sums) -> Sums:
        """Those of both shares, the other one's pieces last."""
        mine, theirs = self.samples, other.samples
        return Sums(
            torch.cat([self.m2, other.m2], 1), torch.cat([self.q2, other.q2], 1), self.gram + other.gram,
            None if mine is None or theirs is None else torch.cat([mine, theirs]),
        )  # fmt: skip

    def judgement(self) -> Judgement:
        """The fields by all of the data."""
        m2, q2 = self.m2.sum(1), self.q2.sum(1)
        tiny = torch.finfo(q2.dtype).tiny
        reach = (q2 / torch.diagonal(self.gram).clamp_min(tiny)).sqrt()
        return Judgement((m2 / q2.clamp_min(tiny)).sqrt(), self.gram, reach, self._by_sample())

    def _by_sample(self) -> tuple[Tensor, Tensor] | None:
        """Sums over the pieces of each sample."""
        if self.samples is None:
            return None
        place = torch.unique(self.samples, return_inverse=True)[1]
        pairs = ((z, z.new_zeros(len(z), int(place.max()) + 1)) for z in (self.m2, self.q2))
        m2, q2 = (start.index_add_(1, place, z) for z, start in pairs)
        return m2, q2


def sums(fields: Fields, domain: Domain[EvolvingT], batches: Iterable[EvolvingT]) -> Sums:
    """What fields give on batches, which are streamed over."""
    gram = torch.zeros(())
    found: list[tuple[Tensor, Tensor]] = []
    samples: list[Tensor | None] = []
    with torch.no_grad():
        for batch in batches:
            v, q = domain.characteristic(batch, fields)
            m = domain.tangent(batch, q)
            root = batch.weight.sqrt()[:, None]
            found.append((((root * m) ** 2).flatten(2).sum(2), ((root * q.value) ** 2).flatten(2).sum(2)))
            samples.append(batch.sample)
            columns = (root * v).flatten(1)
            gram = gram + columns @ columns.T
    # what is compared from here on is small; it needn't stay on a device
    m2, q2 = (torch.cat([own[k] for own in found], 1).cpu() for k in range(2))
    known = [sample.cpu() for sample in samples if sample is not None]
    return Sums(m2, q2, gram.cpu(), torch.cat(known) if len(known) == len(samples) else None)


def judge(domain: Domain[EvolvingT], fields: Fields, batches: Iterable[EvolvingT]) -> Judgement:
    """eta and inner products of fields, streamed over batches."""
    return sums(fields, domain, batches).judgement()


SIZE = 8
"""Slices held in memory at a time."""


@runtime_checkable
class InChunks(Protocol[GivenT]):
    """Data in chunks, of which each gives its share of a sum, maybe in another process."""

    def summed(
        self, domain: Domain[EvolvingT], count: int, size: int,
        share: Callable[[Domain[EvolvingT], Iterable[EvolvingT]], Found], merge: Callable[[Found, Found], Found],
    ) -> Found:  # fmt: skip
        """What `share` gives on the batches of `Data.batches`, chunk by chunk, merged pairwise."""
        ...


def over(
    data: Data[EvolvingT], domain: Domain[EvolvingT], count: int,
    share: Callable[[Domain[EvolvingT], Iterable[EvolvingT]], Found], merge: Callable[[Found, Found], Found],
) -> Found:  # fmt: skip
    """A sum over about `count` slices of data."""
    if isinstance(data, InChunks):
        return data.summed(domain, count, SIZE, share, merge)
    return share(domain, data.batches(count, SIZE))


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


def check_defects(eta: Sequence[float]) -> None:
    """Raises DiscoveryError if there are slots, and the defect of none is a number."""
    if eta and not any(map(math.isfinite, eta)):
        raise DiscoveryError(
            f"the defects of all {len(eta)} fields are NaN or infinite: nothing was found out about the data.",
            hint="The data or the equation leave the range of numbers; rescale the unknowns or the coordinates.",
        )


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
        return history(self.levels, slot)


def history(levels: Sequence[Level], slot: int) -> list[float]:
    """eta of one slot, level by level; inf where a level had fewer fields."""
    return [level.eta[slot] if slot < len(level.eta) else float("inf") for level in levels]


def histories(levels: Sequence[Level]) -> list[list[float]]:
    """Those of all slots of the last level."""
    return [history(levels, slot) for slot in range(len(levels[-1].eta))]


def solve(
    domain: Domain[EvolvingT], data: Dataset[EvolvingT], features: Features, slots: int, slices: int,
    held_slices: int, label: int, allowed: Allowed | None = None,
) -> tuple[Combination, Spectrum, Level]:  # fmt: skip
    """The lowest `slots` fields in some features, solved on training data, ordered by eta on held-out data.

    Args:
        allowed: which h_k e_c are taken; all if None, of `Homogeneous` features those of degree 0.
    """
    count = len(domain.components)
    allowed = taken(domain, features) if allowed is None else allowed
    with torch.no_grad():
        share = partial(factored, EveryComponent(features, count))
        found = spectrum(over(data.train, domain, slices, share, Factors.joined), allowed)
        fields, level = best(domain, data, features, found, slots, held_slices, label)
    return fields, found, level


def factored(fields: Fields, domain: Domain[EvolvingT], batches: Iterable[EvolvingT]) -> Factors:
    """The factors of fields on a share of the data, by random nodes where these are enough."""
    return factors(domain, fields, batches, sampled=True)


def best(
    domain: Domain[EvolvingT], data: Dataset[EvolvingT], features: Features, found: Spectrum, slots: int,
    held_slices: int, label: int,
) -> tuple[Combination, Level]:  # fmt: skip
    """The lowest fields of a spectrum, ordered by eta on held-out data."""
    with torch.no_grad():
        chosen = found.coefficients[:slots].reshape(-1, features.count, len(domain.components))
        share = partial(sums, Combination(features, chosen))
        eta = over(data.held_out, domain, held_slices, share, Sums.joined).judgement().eta
        # the same at every level: histories of slots are read across levels
        order = torch.argsort(eta)
    return Combination(features, chosen[order.to(chosen.device)]), Level(label, eta[order].tolist())


def taken(domain: Domain[EvolvingT], features: Features) -> Allowed | None:
    """Which h_k e_c the features are meant for; None for all of them."""
    if not isinstance(features, Homogeneous):
        return None
    places = domain.arguments.places(domain.components)
    return features.allowed([domain.arguments.dependent[i] for i in places])


def notes(found: Spectrum) -> list[str]:
    """What a reader should know about directions that were left out."""
    told = {
        "directions of the basis that were dropped because they depend on the others on these data": found.dropped,
        "directions that were dropped because they move the data along themselves (false kernel)": found.tangent,
    }
    return [f"{words}: {count}" for words, count in told.items() if count]
