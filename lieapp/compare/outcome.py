"""Learned, derived and the other method's fields compared on held-out data, with bootstrap confidence.

The bootstrap draws trajectories with repetition (Efron 1979); each draw gives an eta and a verdict.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise

import torch
from jaxtyping import Float
from torch import Tensor

from lieapp.compare.subspace import Gram, cosines, normalised, principal_angle
from lieapp.domains.base import Domain, EvolvingT, Fields
from lieapp.methods.fields import Joined
from lieapp.methods.result import Discovery, histories, judge
from lieapp.methods.verdict import Verdict, of_the_data, slow, verdict, verdicts

DRAWS = 400
LEVEL = 0.9
"""Share of the draws between the ends of an interval, and in which an exact candidate has to be one."""

FEWEST = 3
"""Trajectories below which drawing anew says nothing."""


@dataclass(frozen=True)
class Confidence:
    """What repeated draws of the held-out trajectories say of one field.

    Args:
        low, high: ends of the 90 % interval of eta.
        share: of the draws that give the same verdict, the history of eta before its last value being kept.
    """

    low: float
    high: float
    share: float


def bootstrap(
    m2: Float[Tensor, "field sample"],
    q2: Float[Tensor, "field sample"],
    sequences: Sequence[Sequence[float]],
    generator: torch.Generator,
) -> list[Confidence] | None:
    """Confidence in the verdicts of the first fields, whose eta level by level is in `sequences`.

    Args:
        m2, q2: sums of M² and Q² over each held-out trajectory.

    None for fewer than FEWEST trajectories.
    """
    count = m2.shape[1]
    if count < FEWEST:
        return None
    drawn = torch.randint(count, (DRAWS, count), generator=generator)
    result = []
    for m, q, sequence in zip(m2, q2, sequences, strict=False):
        eta = (m[drawn].sum(1) / q[drawn].sum(1).clamp_min(torch.finfo(q.dtype).tiny)).sqrt()
        ends = torch.quantile(eta, torch.tensor([(1 - LEVEL) / 2, (1 + LEVEL) / 2], dtype=eta.dtype))
        said = verdict(sequence)
        same = sum(verdict([*sequence[:-1], value]) == said for value in eta.tolist())
        result.append(Confidence(float(ends[0]), float(ends[1]), same / DRAWS))
    return result


@dataclass(frozen=True)
class Outcome:
    """One Gram matrix of all fields, and where whose stand in it.

    Args:
        slots, true: positions of the learned and the derived fields.
        exact: the slots that are exact candidates.
        others_exact: the other method's exact candidates.
        eta: of every field on the held-out data.
        reach: rms(Q)/rms(V) of every field there.
        confidence: in the verdict on each slot; None with too few held-out trajectories.
        special: the slots that look exact but hold on the data alone, not on slices that are no solutions.
    """

    slots: list[int]
    true: list[int]
    verdicts: list[Verdict]
    exact: list[int]
    others_exact: list[int]
    gram: Gram
    eta: Float[Tensor, " field"]
    reach: Float[Tensor, " field"]
    confidence: list[Confidence] | None = None
    special: tuple[int, ...] = ()

    @property
    def cosines(self) -> list[float]:
        """Norm of the projection of each derived field, normalised, on the span of the exact slots."""
        return cosines(self.gram, self.exact, self.true)

    @property
    def angle(self) -> float | None:
        """Largest principal angle between the exact slots and the derived fields, in radians."""
        return principal_angle(self.gram, self.exact, self.true)

    @property
    def cross_angle(self) -> float | None:
        """Largest principal angle between the exact slots and the other method's exact candidates."""
        return principal_angle(self.gram, self.exact, self.others_exact)

    @property
    def inner(self) -> Float[Tensor, "slot true"]:
        """Inner products of the normalised learned and derived fields, slot x generator."""
        return normalised(self.gram)[self.slots][:, self.true]

    @property
    def true_squares(self) -> Float[Tensor, " true"]:
        """Squared norms of the derived fields, summed over the held-out data."""
        return torch.diagonal(self.gram)[self.true]


def promoted(outcome: Outcome, proved: Sequence[int]) -> Outcome:
    """The outcome with some slots exact because what they span was proved, whatever their histories say."""
    verdicts: list[Verdict] = ["exact" if n in proved else verdict for n, verdict in enumerate(outcome.verdicts)]
    exact = [n for n in outcome.slots if verdicts[n] == "exact"]
    special = tuple(n for n in outcome.special if n not in proved)
    return replace(outcome, verdicts=verdicts, exact=exact, special=special)


def compare(
    domain: Domain[EvolvingT],
    batches: Iterable[EvolvingT],
    found: Discovery,
    check: Discovery | None,
    known: tuple[Fields, int] | None,
    stirred: Iterable[EvolvingT] = (),
) -> Outcome:
    """Judge everything on the same held-out batches.

    Args:
        check: what the other method found, if it was asked.
        known: the derived fields and how many they are.
        stirred: batches that are no solutions: what looks exact and doesn't hold there is approximate at best.
    """
    stacks: list[Fields] = [found.fields]
    stacks += [known[0]] if known else []
    stacks += [check.fields] if check else []
    judgement = judge(domain, Joined(*stacks), batches)
    counts = [len(found.levels[-1].eta), known[1] if known else 0, len(check.levels[-1].eta) if check else 0]
    ends = accumulate(counts, initial=0)
    slots, true, others = (list(range(start, end)) for start, end in pairwise(ends))
    own = verdicts(histories(found.levels), found.spectrum)
    said = verdicts(histories(check.levels), check.spectrum) if check else []
    theirs = [n for n, one in zip(others, said, strict=True) if one == "exact"]
    special = set[int]()
    looking = [*(n for n in slots if own[n] == "exact"), *theirs]
    if looking and (elsewhere := list(stirred)):
        there = judge(domain, Joined(*stacks), elsewhere).eta
        special = {n for n in looking if of_the_data(float(judgement.eta[n]), float(there[n]))}
        own = ["approximate" if n in special else one for n, one in enumerate(own)]
    confidence = None
    if judgement.parts is not None:
        m2, q2 = (part[slots] for part in judgement.parts)
        # the same draws for everybody: a run repeats
        confidence = bootstrap(m2, q2, [found.sequence(n) for n in slots], torch.Generator().manual_seed(0))
    if confidence is not None:
        for n, sure in enumerate(confidence):
            if own[n] == "exact" and sure.share < LEVEL:
                # what the draws contradict isn't said
                own[n] = slow(found.sequence(n)[-1], n, found.spectrum)
                confidence[n] = replace(sure, share=1 - sure.share)
    return Outcome(
        slots=slots,
        true=true,
        verdicts=own,
        exact=[n for n in slots if own[n] == "exact"],
        others_exact=[n for n in theirs if n not in special],
        gram=judgement.gram,
        eta=judgement.eta,
        reach=judgement.reach,
        confidence=confidence,
        special=tuple(n for n in slots if n in special),
    )
