"""Structure constants of the learned span beside those of the derived generators.

The span of all symmetries is closed under brackets; the constants c of [Vᵢ, Vⱼ] = Σ_k c Vₖ are measured on learned
fields and expressed in the derived generators' basis, where the exact ones are known.
"""

from __future__ import annotations

import torch

from lieapp.compare.brackets import brackets
from lieapp.compare.outcome import Outcome
from lieapp.equations.coefficients import CoefficientField
from lieapp.lie.structure import structure_constants
from lieapp.lie.vector_field import combination
from lieapp.methods.fields import Chosen
from lieapp.methods.result import SIZE, Discovery
from lieapp.pde.closed_forms import SLICES
from lieapp.pde.domain import PDEDataset, PDEDomain
from lieapp.pde.known import Derived
from lieapp.results.discovery import Bracket, Structure

SAME = 0.1
"""Angle in radians up to which two spans are one, as for `document.APART`."""


def structure(
    domain: PDEDomain, data: PDEDataset, found: Discovery, outcome: Outcome, truth: Derived
) -> Structure | None:
    """The table; None unless the exact slots span the derived generators, whose brackets close."""
    exact, angle = outcome.exact, outcome.angle
    if len(exact) != len(truth.formulas) or angle is None or angle > SAME:
        return None
    jets = domain.evolution.jets
    field = CoefficientField(jets.coordinates, domain.system.parameters)
    rows = [[field.element(e) for e in formula.components.values()] for formula in truth.formulas]
    known, _ = structure_constants(rows, field, (), None)
    if known is None:
        return None
    gram = outcome.gram
    basis = torch.linalg.solve(gram[exact][:, exact], gram[exact][:, outcome.true]).T
    measured = brackets(Chosen(found.fields, exact), data.held_out.batches(SLICES, SIZE))
    constants = measured.in_basis(basis)
    told = [
        Bracket(
            first=i + 1, second=j + 1, derived=[float(c) for c in known.get((i, j), [0] * len(exact))],
            learned=constants[i, j].tolist(), shown=combination(known.get((i, j), [])) if (i, j) in known else None,
        )
        for i in range(len(exact)) for j in range(i + 1, len(exact))
    ]  # fmt: skip
    return Structure(brackets=told, left=measured.left)
