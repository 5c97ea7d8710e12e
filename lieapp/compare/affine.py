"""Learned fields of pictures held against named ones: inner products, affine-ness, and angles of both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from lieapp.compare.subspace import cosines, normalised, principal_angle
from lieapp.discovery.by_flow import SHARES, gram, mean_validity
from lieapp.discovery.by_flow import normalised as unit
from lieapp.discovery.fields import Joined, Slotted, values
from lieapp.discovery.flow import Solver
from lieapp.domains.base import Domain
from lieapp.domains.reference import ReferenceField, stack


@dataclass(frozen=True)
class AffineComparison:
    """What held-out pictures say.

    Args:
        reference: the named fields.
        inner: products of normalised fields, slot x named field.
        affine: of each slot, the norm of its projection on the span of the named fields; 1 for one of that span.
        cosines: of each named field, the norm of its projection on the span of all slots.
        angle: largest principal angle between the first slots, as many as that span has dimensions, and the span;
            None with fewer slots.
        angles: of learned, then of named fields of norm 1, mean angle between features at each flow parameter.
        s: those flow parameters.
    """

    reference: Sequence[ReferenceField]
    inner: Tensor
    affine: list[float]
    cosines: list[float]
    angle: float | None
    angles: Tensor
    s: list[float]

    def as_json(self) -> dict[str, Any]:
        """The keys of summary.json."""
        slots, names = len(self.affine), [field.name for field in self.reference]
        generators = []
        for slot, row in enumerate(self.inner):
            nearest = int(row.abs().argmax())
            generators.append(
                {
                    "slot": slot + 1,
                    "angle": float(self.angles[slot].mean()),
                    "angles": self.angles[slot].tolist(),
                    "affine": self.affine[slot],
                    "nearest": {"name": names[nearest], "cosine": float(row[nearest].abs())},
                }
            )
        reference = [
            {
                "name": field.name,
                "field": field.formula,
                "basic": field.basic,
                "angle": float(own.mean()),
                "angles": own.tolist(),
                "cosine": cosine,
            }
            for field, own, cosine in zip(self.reference, self.angles[slots:], self.cosines, strict=True)
        ]
        return {
            "s": self.s, "generators": generators, "reference": reference, "inner": self.inner.tolist(),
            "subspace": {"angle": self.angle},
        }  # fmt: skip


def compare_affine(
    domain: Domain, learned: Slotted, reference: Sequence[ReferenceField], batches: Sequence[Any], sigma: float,
    solver: Solver,
) -> AffineComparison:  # fmt: skip
    """Everything on the same held-out batches; `learned` have norm 1."""
    slots = len(values(learned, batches[0].points))
    named = unit(stack(reference), batches)
    products = gram(Joined(learned, named), batches)
    first = list(range(slots))
    basis = [slots + n for n, field in enumerate(reference) if field.basic]
    s = [share * sigma for share in SHARES]
    angles = [mean_validity(domain, fields, batches, s, solver) for fields in (learned, named)]
    return AffineComparison(
        reference=reference,
        inner=normalised(products)[:slots, slots:],
        affine=cosines(products, basis, first),
        cosines=cosines(products, first, [slots + n for n in range(len(reference))]),
        angle=principal_angle(products, first[: len(basis)], basis) if slots >= len(basis) else None,
        angles=torch.cat(angles),
        s=s,
    )
