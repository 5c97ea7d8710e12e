"""Learned fields of pictures held against named ones: inner products, shares, components, and angles of both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from lieapp.compare.subspace import (
    cosines,
    independent,
    largest_components,
    normalised,
    orthonormalised,
    principal_angle,
)
from lieapp.discovery.by_flow import SHARES, gram, mean_validity
from lieapp.discovery.by_flow import normalised as unit
from lieapp.discovery.fields import Joined, Slotted, values
from lieapp.discovery.flow import Solver
from lieapp.domains.base import ReferenceField
from lieapp.domains.reference import stack
from lieapp.domains.seen import Seen, SightT


@dataclass(frozen=True)
class NamedComparison:
    """What held-out pictures say.

    Args:
        reference: the named fields.
        basis: which of them, in their order, are independent under the weight; the others are sums of those.
        inner: products of normalised fields, slot x named field.
        along: products of the slots with the basis, orthonormalised in its order.
        inside: of each slot, the norm of its projection on the span of the named fields; 1 for one of that span.
        parts: of each slot, its largest components, as the number of a named field and its coefficient.
        cosines: of each named field, the norm of its projection on the span of all slots.
        angle: largest principal angle between the first slots, as many as that span has dimensions, and the span;
            None with fewer slots.
        angles: of learned, then of named fields of norm 1, mean angle between features at each flow parameter.
        s: those flow parameters.
    """

    reference: Sequence[ReferenceField]
    basis: list[int]
    inner: Float[Tensor, "slot named"]
    along: Float[Tensor, "slot basis"]
    inside: list[float]
    parts: list[list[tuple[int, float]]]
    cosines: list[float]
    angle: float | None
    angles: Float[Tensor, "field s"]
    s: list[float]

    def as_json(self, share: str) -> dict[str, Any]:
        """The keys of summary.json; `share` is the one that says how much of a slot lies in the span."""
        slots, names = len(self.inside), [field.name for field in self.reference]
        generators = []
        for slot, row in enumerate(self.inner):
            nearest = int(row.abs().argmax())
            generators.append(
                {
                    "slot": slot + 1,
                    "angle": float(self.angles[slot].mean()),
                    "angles": self.angles[slot].tolist(),
                    share: self.inside[slot],
                    "nearest": {"name": names[nearest], "cosine": float(row[nearest].abs())},
                    "components": [{"name": names[n], "value": value} for n, value in self.parts[slot]],
                }
            )
        reference = [
            {
                "name": field.name,
                "field": field.formula,
                "basic": number in self.basis,
                "angle": float(own.mean()),
                "angles": own.tolist(),
                "cosine": cosine,
            }
            for number, (field, own, cosine) in enumerate(
                zip(self.reference, self.angles[slots:], self.cosines, strict=True)
            )
        ]
        return {
            "s": self.s, "generators": generators, "reference": reference, "inner": self.inner.tolist(),
            "basis": {"names": [names[n] for n in self.basis], "inner": self.along.tolist()},
            "subspace": {"angle": self.angle},
        }  # fmt: skip


def compare_named(
    domain: Seen[SightT], learned: Slotted, batches: Sequence[SightT], sigma: float, solver: Solver
) -> NamedComparison:
    """Everything on the same held-out batches, against the domain's reference; `learned` have norm 1."""
    reference = domain.reference()
    slots = len(values(learned, batches[0].points))
    named = unit(stack(reference), batches)
    products = normalised(gram(Joined(learned, named), batches))
    first, others = list(range(slots)), list(range(slots, slots + len(reference)))
    basis = independent(products, others)
    s = [share * sigma for share in SHARES]
    angles = [mean_validity(domain, fields, batches, s, solver) for fields in (learned, named)]
    parts = [largest_components(products, slot, others) for slot in first]
    return NamedComparison(
        reference=reference,
        basis=[n - slots for n in basis],
        inner=products[:slots, slots:],
        along=(orthonormalised(products, basis).T @ products[basis][:, first]).T,
        inside=cosines(products, basis, first),
        parts=[[(n - slots, value) for n, value in own] for own in parts],
        cosines=cosines(products, first, others),
        angle=principal_angle(products, first[: len(basis)], basis) if slots >= len(basis) else None,
        angles=torch.cat(angles),
        s=s,
    )
