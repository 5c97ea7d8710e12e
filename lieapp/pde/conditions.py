"""What data have to show before a field that isn't proved may be called a symmetry.

Unmet, the verdict on it is undecided: derivatives may magnify round-off beyond any η, a term of the equation may be
invisible, there may be fewer independent rows than fields, and more fields may look exact than the equation has.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch

from lieapp.api import MIN_POINTS
from lieapp.compare.outcome import Outcome
from lieapp.compare.subspace import cosines
from lieapp.methods.result import SIZE
from lieapp.methods.verdict import SMALL
from lieapp.pde.data import SliceData
from lieapp.pde.domain import PDEDataset, PDEDomain
from lieapp.pde.known import Derived
from lieapp.pde.simpler import shares, terms_of
from lieapp.results.discovery import FLOOR

SLICES = 16
"""Held-out slices on which round-off is measured."""

VISIBLE = 10 * FLOOR
"""Share of their spread by which a term has to change the solutions: below it, what breaks that term alone is at
the floor of η."""

ROWS = 2
"""Independent rows for each field at least."""

INSIDE = 0.9
"""Cosine with the derived span from which on a field is one of these."""


@dataclass(frozen=True)
class Unmet:
    """Conditions that the data don't meet.

    Args:
        reasons: of each, in words.
        slots: those whose verdict is undecided.
    """

    reasons: tuple[str, ...] = ()
    slots: tuple[int, ...] = ()


def unmet(
    domain: PDEDomain, data: PDEDataset, truth: Derived, fields: int, outcome: Outcome, within: Sequence[int],
) -> Unmet:  # fmt: skip
    """What the data can't show of the slots outside the span of proved formulas.

    Args:
        fields: how many are told apart.
        within: the slots that are proved.
    """
    unproved = [n for n in outcome.slots if n not in within]
    if blind := [*_drowned(domain, data), *_few_times(data)]:
        return Unmet(tuple(blind), tuple(unproved))
    reasons, slots = [*_invisible(domain, data), *_few_rows(data, fields)], set[int]()
    if reasons:
        slots = {n for n in unproved if outcome.verdicts[n] != "none"}
    if beyond := beyond_bound(outcome, truth, within):
        look = "1 field looks" if len(beyond) == 1 else f"{len(beyond)} fields look"
        reasons.append(
            f"{look} exact outside the {len(truth.formulas)} symmetries of the equation, and it is certified that "
            "there are no others: the data, their resolution or the numerics are at fault"
        )
    return Unmet(tuple(reasons), tuple(sorted({*slots, *beyond})))


def _drowned(domain: PDEDomain, data: PDEDataset) -> Iterator[str]:
    """Whether round-off hides every η."""
    floor = round_off(domain, data)
    if not floor < SMALL:
        yield (
            f"round-off alone gives η = {floor:.1g}, so that no η tells a symmetry: the terms of the equation "
            "change solutions too often over the time window; take a shorter window or a larger region"
        )


def round_off(domain: PDEDomain, data: PDEDataset) -> float:
    """η that rounding gives to translations along the axes, exact or not: ε T Σ rms(∂F/∂u_J D_J Q) / rms(Q)."""
    line, worst = domain.linearisation, 0.0
    for batch in data.held_out.batches(SLICES, SIZE):
        d = line.differentiator(batch.grid, batch.points)
        time = domain.evolution.time
        for i in (i for i in range(len(domain.evolution.jets.independent)) if i != time):
            q = batch.slopes[:, :, i]
            size = float(q.square().mean().sqrt())
            if not size:
                continue
            terms = sum(
                float((c * d.derivatives(q[:, b], [J])[J]).square().mean().sqrt())
                for (_, b, J), c in zip(line.entries, batch.coefficients, strict=True)
            )
            worst = max(worst, terms / size) if math.isfinite(terms) else math.inf
    return worst * torch.finfo(torch.float64).eps


def _invisible(domain: PDEDomain, data: PDEDataset) -> Iterator[str]:
    """Each unknown whose change can't be seen, else each term that can't."""
    evolution = domain.evolution
    terms = terms_of(evolution)
    found = shares(domain, data, terms)
    for a, (u_t, _) in enumerate(evolution.rates()):
        own = [(term, share) for (b, term), share in zip(terms, found, strict=True) if b == a]
        unseen = [(term, share) for term, share in own if share < VISIBLE]
        if own and len(unseen) == len(own):
            most = max(share for _, share in own)
            yield f"{u_t} is 0 to round-off: solutions change by {most:.1g} of their spread over the time window"
            continue
        for term, share in unseen:
            yield (
                f"the term {term} changes solutions by {share:.1g} of their spread over the time window: data "
                "can't show whether a field keeps it"
            )


def _few_times(data: PDEDataset) -> Iterator[str]:
    """Whether fields that differ between the times look alike."""
    for name, part in _parts(data):
        times = len({t for piece in part.pieces for t in piece.time.tolist()})
        if times < MIN_POINTS:
            yield (
                f"the {name} data have {times} different times: how fields depend on time can't be told with fewer "
                f"than {MIN_POINTS}"
            )


def _few_rows(data: PDEDataset, fields: int) -> Iterator[str]:
    """Whether there are too few independent values."""
    for name, part in _parts(data):
        if part.rows < ROWS * fields:
            yield (
                f"the {name} data have {part.rows} independent values for {fields} fields, and at least {ROWS} for "
                "each are needed: give more trajectories, times or points"
            )


def _parts(data: PDEDataset) -> Iterator[tuple[str, SliceData]]:
    yield "training", data.train
    yield "held-out", data.held_out


def beyond_bound(outcome: Outcome, truth: Derived, within: Sequence[int]) -> list[int]:
    """Slots that look exact and lie outside the algebra, where no further symmetry exists: that is certified."""
    if not truth.complete:
        return []
    unproved = [n for n in outcome.exact if n not in within]
    inside = cosines(outcome.gram, outcome.true, unproved) if outcome.true else [0.0 for _ in unproved]
    return [n for n, cosine in zip(unproved, inside, strict=True) if cosine < INSIDE]
