"""Brackets of learned fields: the span of exact symmetries is closed under them.

[V, W] = (V·∇)W - (W·∇)V, with derivatives along fields by forward mode, projected on the span on held-out data. In
scaled coordinates; brackets don't depend on coordinates, as fields are scaled alike.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from lieapp.domains.base import EvolvingT, Fields

Constants = Float[Tensor, "field field field"]


@dataclass(frozen=True)
class Brackets:
    """[Vᵢ, Vⱼ] = Σ_k constants[i, j, k] Vₖ + rest, for fields whose components are all the arguments.

    Args:
        left: the norm of the rest over the largest norm of a bracket, or of a field where all are smaller.
    """

    constants: Constants
    left: float

    def in_basis(self, basis: Float[Tensor, "new field"]) -> Constants:
        """The constants of the fields Σ basis[a, i] Vᵢ, which span the same space."""
        inverse = torch.linalg.inv(basis)
        return torch.einsum("ai,bj,ijk,kc->abc", basis, basis, self.constants, inverse)


def brackets(fields: Fields, batches: Iterable[EvolvingT]) -> Brackets:
    """The brackets of all pairs of a stack of fields."""
    gram = inner = norms = torch.zeros((), dtype=torch.float64)
    with torch.no_grad():
        for batch in batches:
            root = batch.weight.sqrt()[:, None]
            v = fields.jvp(batch.points, torch.zeros_like(batch.points))[0]
            along = torch.stack([fields.jvp(batch.points, v[i])[1] for i in range(len(v))])
            flat = (v * root).flatten(1)
            pairs = ((along - along.transpose(0, 1)) * root).flatten(2)
            gram = gram + (flat @ flat.T).double().cpu()
            inner = inner + torch.einsum("ijx,kx->ijk", pairs, flat).double().cpu()
            norms = norms + pairs.square().sum(2).double().cpu()
    return Brackets(*_projected(gram, inner, norms))


def rates(
    fields: Fields, argument: int, batches: Iterable[EvolvingT]
) -> tuple[Float[Tensor, "field field"], float]:
    """The matrix A of ∂Vᵢ/∂z = Σ_k A[i, k] Vₖ for an argument z of which a translation is in the span.

    Also what is left of these derivatives, as in `Brackets`.
    """
    gram = inner = norms = torch.zeros((), dtype=torch.float64)
    with torch.no_grad():
        for batch in batches:
            root = batch.weight.sqrt()[:, None]
            along = torch.zeros_like(batch.points)
            along[:, argument] = 1
            v, dv = ((part * root).flatten(1).double().cpu() for part in fields.jvp(batch.points, along))
            gram, inner, norms = gram + v @ v.T, inner + dv @ v.T, norms + dv.square().sum(1)
    return _projected(gram, inner, norms)


def _projected(gram: Tensor, inner: Tensor, norms: Tensor) -> tuple[Tensor, float]:
    """Coefficients in the fields, and what of the largest lies outside their span."""
    constants = torch.linalg.solve(gram, inner.mT).mT
    rest = (norms - (constants * inner).sum(-1)).clamp_min(0)
    return constants, float((rest.max() / torch.maximum(norms.max(), gram.diagonal().min())).sqrt())
