"""Polynomial fields that a map bears: V·∇f = 0, or ∇f·V = A f for some matrix A. Both are linear in (V, A).

V = Σ c_kj x^k ∂_j over monomials x^k. Of the residual J V - A f the part that some A makes up for is projected out,
J V then has a null space: the singular vectors of the rest, fields being measured by their norm on the samples.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from lieapp.functions.values import Values, evaluated
from lieapp.numerics.interpolation import monomials

EXACT = 1e-9
"""η up to which a field is exact to round-off: derivatives have about 1e-15, conditions of bases cost the rest."""

DEPENDENT = 1e-12
"""Relative singular value of the fields on the samples below which a direction isn't a field of its own."""

Coefficients = Float[Tensor, "field term variable"]


@dataclass(frozen=True)
class Span:
    """All fields of a class, from the most to the least symmetric.

    Args:
        terms: exponents of the monomials.
        eta: rms(J V - A f) / (rms(J) rms(V)) of each, every variable in units of its own root mean square, on
            samples that it wasn't found on.
        coefficients: of each field, of norm 1 on the samples.
    """

    terms: list[tuple[int, ...]]
    eta: Float[Tensor, " field"]
    coefficients: Coefficients

    @property
    def count(self) -> int:
        """How many are exact to round-off."""
        return int((self.eta <= EXACT).sum())


def find(learn: Values, judge: Values, degree: int, sought: str) -> Span:
    """The fields of a degree, found on some samples and judged on others."""
    terms = monomials(learn.x.shape[1], degree)
    size = sizes(learn)
    data = scaled(learn, size)
    basis = evaluated(data.x, terms)
    n, d = data.x.shape
    # fields on the samples: a block for each component
    length, rotation = torch.linalg.svd(basis / n**0.5, full_matrices=False)[1:]
    keep = length > DEPENDENT * length[0]
    white = rotation[keep].T / length[keep]
    columns = torch.einsum("nk,kq,nmd->nmqd", basis, white, data.jacobian).flatten(2).flatten(0, 1)
    if sought == "equivariance":
        columns = columns - _borne(data.y, columns)
    vectors = torch.linalg.svd(columns / n**0.5, full_matrices=columns.shape[0] < columns.shape[1])[2]
    found = torch.einsum("kq,fqd->fkd", white, vectors.flip(0).unflatten(1, (-1, d)))
    # x^k of scaled coordinates is x^k / size^k, and a component moves by its size
    powers = (size ** torch.tensor(terms, dtype=size.dtype)).prod(1)
    found = found * size / powers[:, None]
    eta = defects(judge, terms, found, sought, size)
    order = torch.argsort(eta)
    return Span(terms, eta[order], found[order])


def sizes(data: Values) -> Float[Tensor, " variable"]:
    """Root mean square of each variable: the unit that it is measured in."""
    found = data.x.square().mean(0).sqrt()
    return torch.where(found > 0, found, torch.ones_like(found))


def scaled(data: Values, size: Float[Tensor, " variable"]) -> Values:
    """The same map of x / size."""
    return Values(data.x / size, data.y, data.jacobian * size)


def defects(
    data: Values, terms: list[tuple[int, ...]], coefficients: Coefficients, sought: str,
    size: Float[Tensor, " variable"] | None = None,
) -> Float[Tensor, " field"]:  # fmt: skip
    """η of fields on samples, every variable in the unit `size`, that of these samples unless given."""
    size = sizes(data) if size is None else size
    fields = torch.einsum("nk,fkd->fnd", evaluated(data.x, terms), coefficients) / size
    data = scaled(data, size)
    moved = torch.einsum("nmd,fnd->fnm", data.jacobian, fields).flatten(1).T
    if sought == "equivariance":
        moved = moved - _borne(data.y, moved)
    scale = fields.flatten(1).norm(dim=1) * data.jacobian.square().sum((1, 2)).mean().sqrt()
    return moved.norm(dim=0) / scale.clamp_min(torch.finfo(scale.dtype).tiny)


def _borne(y: Float[Tensor, "sample output"], columns: Float[Tensor, "row column"]) -> Float[Tensor, "row column"]:
    """The part of some residuals that is A f for a matrix A: each output's by itself in the span of all outputs."""
    known = torch.linalg.svd(y, full_matrices=False)
    base = known[0][:, known[1] > DEPENDENT * known[1][0]]
    parts = columns.unflatten(0, y.shape)
    return torch.einsum("nr,pr,pmc->nmc", base, base, parts).flatten(0, 1)
