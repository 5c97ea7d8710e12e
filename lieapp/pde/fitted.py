"""Fields of an equation that was learned from data: none is exact, and how far its errors reach is measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from lieapp.compare.outcome import Outcome
from lieapp.equations.equation import in_decimals
from lieapp.equations.evolution import evolution_form
from lieapp.equations.parsing import parse_system
from lieapp.methods.result import SIZE, Discovery, judge
from lieapp.pde.domain import PDEDataset, PDEDomain
from lieapp.results.discovery import Verdict
from lieapp.results.identification import Learned


def unproved(outcome: Outcome) -> Outcome:
    """The outcome without exact candidates: those are approximate, as far as the equation is known."""
    verdicts: list[Verdict] = ["approximate" if said == "exact" else said for said in outcome.verdicts]
    return replace(outcome, verdicts=verdicts, exact=[], others_exact=[], special=())


def reach(domain: PDEDomain, data: PDEDataset, found: Discovery, learned: Learned, slices: int) -> list[float]:
    """The larger η of each learned field under the two equations learned from halves of the trajectories.

    Where the data determine the equation, that is about η itself; where they don't, nothing is known of the field.

    Args:
        slices: held-out ones, to judge on.
    """
    etas = []
    for texts in learned.halves:
        other = _Half(domain, texts)
        batches = data.held_out.under(other.linearisation).batches(slices, SIZE)
        etas.append(judge(other, found.fields, batches).eta.tolist())
    return [max(pair) for pair in zip(*etas, strict=True)]


class _Half(PDEDomain):
    """The domain with another equation, in jet notation."""

    def __init__(self, domain: PDEDomain, equations: Sequence[str]) -> None:
        super().__init__(domain.declaration, domain.backend)
        jets = self.system.jets
        system = parse_system(equations, [str(x) for x in jets.independent], jets.dependent, typed=False)
        self.evolution = evolution_form(in_decimals(system))
