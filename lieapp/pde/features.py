"""The functions that an equation's coefficients bring, as features beside the spectrum method's basis."""

from __future__ import annotations

import math

from lieapp.compare.closed_form.library import library
from lieapp.compare.closed_form.measure import LibraryFeatures, usable
from lieapp.methods.result import SIZE
from lieapp.pde.domain import PDEDataset, PDEDomain


def coefficient_features(domain: PDEDomain, data: PDEDataset, slices: int) -> LibraryFeatures | None:
    """sqrt(t+1) and its like, bare and times a coordinate that isn't periodic; None where there are none.

    Args:
        slices: how many of the training data's slices they have to be finite on.
    """
    # degree 0: the constant 1, which every basis has, and the coefficients' functions
    functions = library(domain.system, domain.arguments.periodic, 0)[1:]
    if not functions:
        return None
    coordinates = domain.system.jets.coordinates
    features = LibraryFeatures(functions, coordinates, data.scales)
    functions, norms = usable(features, functions, data.train.batches(slices, SIZE))
    largest = norms.max().item() if len(norms) else math.inf
    if not math.isfinite(largest):
        return None
    features = LibraryFeatures(functions, coordinates, data.scales)
    features.norms = norms
    return features
