"""Symmetries of the equation apart from those of the data alone, by slices that are no solutions.

On data with few waves both may be exact to round-off, and the fields that a method finds are mixtures.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import torch

from lieapp.domains.solutions import Slices
from lieapp.methods.fields import Chosen, Combination
from lieapp.methods.result import SIZE, Discovery, Level, histories, judge
from lieapp.methods.spectrum import factors, spectrum
from lieapp.methods.verdict import of_the_data, verdict
from lieapp.pde.domain import PDEDataset, PDEDomain

SLICES = 24
"""Slices that are no solutions, on which what looks exact is judged once more."""


def stirred(data: PDEDataset) -> Iterable[Slices]:
    """Held-out slices times random waves, see `SliceData.stirred`."""
    return data.held_out.stirred().batches(SLICES, SIZE)


def separated(domain: PDEDomain, data: PDEDataset, found: Discovery, held_slices: int) -> Discovery:
    """The same span, its exact candidates turned so that those that hold elsewhere too come apart from the others.

    Args:
        held_slices: how many slices to judge on.
    """
    exact = [n for n, sequence in enumerate(histories(found.levels)) if verdict(sequence) == "exact"]
    fields, last = found.fields, found.levels[-1]
    if len(exact) < 2 or not isinstance(fields, Combination):
        return found
    batches = list(stirred(data))
    with torch.no_grad():
        there = judge(domain, fields, batches).eta.tolist()
        if not any(of_the_data(last.eta[n], there[n]) for n in exact):
            return found
        directions = spectrum(factors(domain, Chosen(fields, exact), batches)).coefficients
        if len(directions) < len(exact):
            return found
        # orthonormal rows, each within the span of those before it: the slots are orthonormal on the data
        turned = torch.linalg.qr(directions.T)[0].T @ fields.coefficients[exact].flatten(1)
        own = turned.reshape(len(exact), *fields.coefficients.shape[1:])
        held_out = data.held_out.batches(held_slices, SIZE)
        eta = judge(domain, Combination(fields.features, own), held_out).eta
        coefficients, etas = fields.coefficients.clone(), list(last.eta)
        for n, k in zip(exact, torch.argsort(eta).tolist(), strict=True):
            coefficients[n], etas[n] = own[k], float(eta[k])
    levels = [*found.levels[:-1], Level(last.label, etas)]
    return replace(found, fields=Combination(fields.features, coefficients), levels=levels)
