"""Learned fields of pictures held against named ones: inner products, shares, components, and angles of both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch

from lieapp.compare.subspace import (
    cosines,
    independent,
    largest_components,
    normalised,
    orthonormalised,
    principal_angle,
)
from lieapp.domains.formulas import stack
from lieapp.methods.by_flow import SHARES, gram, mean_validity
from lieapp.methods.by_flow import normalised as unit
from lieapp.methods.fields import Joined, Slotted, values
from lieapp.methods.flow import Solver
from lieapp.pictures.seen import Seen, SightT
from lieapp.results.pictures import Basis, NamedField, Nearest, Part, Slot, Subspace


@dataclass(frozen=True)
class NamedComparison:
    """What held-out pictures say.

    Args:
        s: flow parameters at which angles between features were taken.
        slots: the learned fields, without their shares.
        shares: of each slot, the norm of its projection on the span of the named fields; 1 for one of that span.
        reference: the named fields, which of them are independent under the weight, and how the slots hold them.
        inner: products of fields of norm 1, slot x named field.
        basis: products of the slots with the independent named fields, orthonormalised in their order.
        subspace: the angle between the first slots, as many as that span has dimensions, and the span.
    """

    s: list[float]
    slots: list[Slot]
    shares: list[float]
    reference: list[NamedField]
    inner: list[list[float | None]]
    basis: Basis
    subspace: Subspace


def compare_named(
    domain: Seen[SightT], learned: Slotted, batches: Sequence[SightT], sigma: float, solver: Solver
) -> NamedComparison:
    """Everything on the same held-out batches, against the domain's reference; `learned` have norm 1."""
    reference = domain.reference()
    names = [field.name for field in reference]
    slots = len(values(learned, batches[0].points))
    named = unit(stack(reference), batches)
    products = normalised(gram(Joined(learned, named), batches))
    first, others = list(range(slots)), list(range(slots, slots + len(reference)))
    basis, inner = independent(products, others), products[:slots, slots:]
    s = [share * sigma for share in SHARES]
    angles = torch.cat([mean_validity(domain, fields, batches, s, solver) for fields in (learned, named)])
    parts = [largest_components(products, slot, others) for slot in first]
    nearest = inner.abs().argmax(1).tolist()
    along = orthonormalised(products, basis).T @ products[basis][:, first]
    return NamedComparison(
        s=s,
        slots=[
            Slot(
                slot=n + 1,
                angle=float(angles[n].mean()),
                angles=angles[n].tolist(),
                nearest=Nearest(name=names[nearest[n]], cosine=float(inner[n, nearest[n]].abs())),
                components=[Part(names[k - slots], value) for k, value in parts[n]],
            )
            for n in first
        ],
        shares=cosines(products, basis, first),
        reference=[
            NamedField(field.name, field.formula, field.shown, n in basis, float(own.mean()), own.tolist(), cosine)
            for n, field, own, cosine in zip(
                others, reference, angles[slots:], cosines(products, first, others), strict=True
            )
        ],
        inner=inner.tolist(),
        basis=Basis([names[n - slots] for n in basis], along.T.tolist()),
        subspace=Subspace(principal_angle(products, first[: len(basis)], basis) if slots >= len(basis) else None),
    )
