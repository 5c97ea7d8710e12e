"""The family of superposition: of a linear homogeneous equation φ(t, x) ∂u is a symmetry for every solution φ.

Fields of degree 0 in the unknowns are the symmetries modulo this family (`domains.spread.Homogeneous`); the others
are its members, of which every basis holds some.
"""

from __future__ import annotations

import torch

from lieapp.compare.closed_form.forms import closed_forms
from lieapp.compare.closed_form.library import library
from lieapp.compare.closed_form.measure import measure
from lieapp.config import DiscoverConfig
from lieapp.methods.basis import Degrees, TensorBasis
from lieapp.methods.beside import extended
from lieapp.methods.result import SIZE, histories, solve
from lieapp.methods.verdict import MOST_SLOTS, verdict
from lieapp.pde.closed_forms import SLICES
from lieapp.pde.domain import PDEDataset, PDEDomain
from lieapp.results.discovery import Superposition


def superposition(config: DiscoverConfig, domain: PDEDomain, data: PDEDataset) -> Superposition | None:
    """Members φ(t, x) ∂u of the family in the spectrum's largest bases; None unless the equation is such."""
    if not domain.homogeneous:
        return None
    places = domain.arguments.places(domain.components)
    moved = torch.tensor([domain.arguments.dependent[i] for i in places])
    further = domain.coefficient_features(data, config.slices)
    levels = []
    degrees = config.spectrum.degrees
    for degree in degrees[-2:]:
        plain = TensorBasis(domain.arguments, Degrees(config.modes, degree, 0))
        basis = extended(plain, further, plain.up_to(degrees[0]), data.train.batches(config.slices, SIZE))
        fields, _, level = solve(
            domain, data, basis, MOST_SLOTS, config.slices, config.held_out_slices, degree,
            moved.expand(basis.count, -1),
        )  # fmt: skip
        levels.append(level)
    exact = [n for n, sequence in enumerate(histories(levels)) if verdict(sequence) == "exact"]
    unknowns = set(domain.system.jets.unknowns)
    whole = library(domain.system, domain.arguments.periodic, config.formulas.library_degree)
    functions = [f for f in whole if not f.free_symbols & unknowns]
    measured = measure(
        domain, functions, domain.system.jets.coordinates, data.scales, fields,
        lambda: data.held_out.batches(SLICES, SIZE),
    )  # fmt: skip
    forms = closed_forms(domain.system, measured, exact) if exact else []
    return Superposition(count=len(exact), members=[form.field.formula() for form in forms if form.proved])
