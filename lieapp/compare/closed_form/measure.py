"""Library functions and learned fields measured on the same held-out data."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import sympy as sp
import torch
from jaxtyping import Float
from numpy.typing import NDArray
from torch import Tensor

from lieapp.compare.closed_form.sparse import Columns
from lieapp.compare.subspace import orthonormal
from lieapp.domains.base import Domain, EvolvingT, Fields, Points, Scalars
from lieapp.domains.formulas import forward
from lieapp.domains.solutions import Scales
from lieapp.domains.spread import EveryComponent
from lieapp.methods.spectrum import Factors, factors
from lieapp.numerics.codegen import Tape

Combined = tuple[Sequence[int], Sequence[float]]
"""Columns and their coefficients."""


class LibraryFeatures:
    """Functions of the physical arguments as features of the scaled ones, of norm about 1."""

    def __init__(self, functions: Sequence[sp.Expr], arguments: Sequence[sp.Symbol], scales: Scales) -> None:
        self.tape, self.scales, self.count = Tape(list(functions), arguments), scales, len(functions)
        self.functions = list(functions)
        self.norms: Float[Tensor, " feature"] = torch.ones(len(functions), dtype=torch.float64)

    def at(self, points: Points) -> Scalars:
        physical = [
            o + s * points[:, i] for i, (o, s) in enumerate(zip(self.scales.origin, self.scales.size, strict=True))
        ]
        like = points[:, 0]
        values = torch.stack([torch.as_tensor(v).to(like).expand(like.shape) for v in self.tape(*physical)])
        return values / self.norms.to(like).reshape(-1, *[1] * like.ndim)

    def jvp(self, points: Points, tangents: Points) -> tuple[Scalars, Scalars]:
        return forward(self.at, points, tangents)


@dataclass(frozen=True)
class Measured:
    """What the search for formulas needs to know of the data.

    Args:
        functions: those of the library that are finite on the data; column k of the Gram matrix is function
            k // n in component k % n of n, of norm 1.
        gram: inner products of the columns.
        own: inner products of the learned fields.
        within: inner products of the learned fields with the columns.
        scale: physical coefficient of a function = scale x that of its column.
    """

    functions: list[sp.Expr]
    components: tuple[str, ...]
    gram: Float[Tensor, "column column"]
    own: Float[Tensor, "field field"]
    within: Float[Tensor, "field column"]
    scale: Float[Tensor, " column"]
    _factors: Factors
    _lengths: Float[Tensor, " column"]

    def span(self, chosen: Sequence[int], weights: NDArray[np.float64] | None = None) -> Columns:
        """The columns held against the span of some of the learned fields, or of combinations of these."""
        rows = list(chosen)
        own, within = self.own[rows][:, rows], self.within[rows]
        if weights is not None:
            made = torch.as_tensor(weights, dtype=own.dtype)
            own, within = made @ own @ made.T, made @ within
        return Columns(self.gram, orthonormal(own, list(range(len(own)))).T @ within)

    def made_of(self, functions: Sequence[sp.Expr]) -> list[int]:
        """The columns of these functions of one coordinate times functions of the others."""
        (z,) = functions[0].free_symbols
        own = [any(not (f / g).has(z) for g in functions) for f in self.functions]
        return [k for k in range(len(self.gram)) if own[k // len(self.components)]]

    def components_of(self, columns: Sequence[int], values: Sequence[sp.Expr]) -> dict[str, sp.Expr]:
        """A combination of columns in physical coordinates, by component."""
        found = dict.fromkeys(self.components, sp.S.Zero)
        for k, value in zip(columns, values, strict=True):
            j, c = divmod(k, len(self.components))
            found[self.components[c]] += value * self.functions[j]
        return found

    def of_columns(self, columns: Sequence[int], values: Sequence[sp.Expr]) -> list[float]:
        """Coefficients of columns from physical ones."""
        return [float(v) / s for v, s in zip(values, self.scale[list(columns)].tolist(), strict=True)]

    def sine(self, place: int, formulas: Sequence[tuple[Sequence[int], Sequence[float]]]) -> float:
        """Sine of the angle of a learned field to the span of some combinations of columns."""
        if not formulas:
            return 1.0
        made = torch.zeros(len(formulas), len(self.scale), dtype=self.gram.dtype)
        for row, (columns, coefficients) in zip(made, formulas, strict=True):
            row[list(columns)] = torch.tensor(coefficients, dtype=made.dtype)
        inner = made @ self.within[place]
        share = inner @ torch.linalg.solve(made @ self.gram @ made.T, inner) / self.own[place, place]
        return float((1 - share).clamp(0, 1).sqrt())

    def beyond(self, one: Combined, others: Sequence[Combined]) -> float:
        """Squared sine of the angle of a combination of columns to the span of others; 1 if there are none."""
        if not others:
            return 1.0
        rows = torch.zeros(len(others) + 1, len(self.gram), dtype=self.gram.dtype)
        for row, (columns, coefficients) in zip(rows, (*others, one), strict=True):
            row[list(columns)] = torch.tensor(coefficients, dtype=rows.dtype)
        inner = rows @ self.gram @ rows.T
        share = inner[-1, :-1] @ torch.linalg.solve(inner[:-1, :-1], inner[:-1, -1]) / inner[-1, -1]
        return float(1 - share)

    def eta(self, columns: Sequence[int], coefficients: Sequence[float]) -> float:
        """rms(M)/rms(Q) of a combination of columns."""
        c = torch.zeros_like(self.scale)
        c[list(columns)] = torch.as_tensor(coefficients, dtype=c.dtype)
        c = c / self._lengths
        m, q = (torch.linalg.vector_norm(r @ c) for r in (self._factors.residuals, self._factors.characteristics))
        return float(m / q) if q else float("inf")


def measure(
    domain: Domain[EvolvingT],
    functions: Sequence[sp.Expr],
    arguments: Sequence[sp.Symbol],
    scales: Scales,
    learned: Fields,
    batches: Callable[[], Iterable[EvolvingT]],
) -> Measured:
    """Two passes over the batches: one finds the functions' sizes, one the inner products.

    Args:
        arguments: the symbols of the functions, in the order of the domain's arguments.
        learned: the fields that are to be put into formulas.
    """
    functions, norms = usable(LibraryFeatures(functions, arguments, scales), functions, batches())
    features = LibraryFeatures(functions, arguments, scales)
    features.norms = norms
    count, places = len(domain.components), domain.arguments.places(domain.components)
    with torch.no_grad():
        found = factors(domain, EveryComponent(features, count), batches())
        gram = (found.fields.T @ found.fields).double().cpu()
        own, within = _inner(domain, features, learned, batches())
    lengths = torch.diagonal(gram).sqrt()
    size = torch.tensor([scales.size[i] for i in places], dtype=torch.float64).repeat(len(functions))
    kept = Factors(
        found.fields.double().cpu(),
        found.characteristics.double().cpu(),
        found.residuals.double().cpu(),
        found.rows,
    )
    return Measured(
        list(functions),
        domain.components,
        gram / lengths[:, None] / lengths,
        own,
        within / lengths,
        size / norms.repeat_interleave(count) / lengths,
        kept,
        lengths,
    )


def usable(
    features: LibraryFeatures, functions: Sequence[sp.Expr], batches: Iterable[EvolvingT]
) -> tuple[list[sp.Expr], Float[Tensor, " feature"]]:
    """Functions that are finite on the data and change at a finite rate there, and their root mean squares."""
    total, count = torch.zeros(features.count, dtype=torch.float64), 0
    smooth = torch.ones(features.count, dtype=torch.bool)
    for batch in batches:
        values, rates = features.jvp(batch.points, batch.tangents)
        total += values.double().square().flatten(1).sum(1).cpu()
        # that of sqrt(t) at t = 0 isn't
        smooth &= rates.isfinite().flatten(1).all(1).cpu()
        count += batch.weight.numel()
    good = torch.isfinite(total) & (total > 0) & smooth
    kept = [f for f, usable in zip(functions, good.tolist(), strict=True) if usable]
    return kept, (total[good] / count).sqrt()


def _inner(
    domain: Domain[EvolvingT], features: LibraryFeatures, learned: Fields, batches: Iterable[EvolvingT]
) -> tuple[Float[Tensor, "field field"], Float[Tensor, "field column"]]:
    """Inner products of the learned fields with each other and with h_k e_c."""
    own = within = torch.zeros((), dtype=torch.float64)
    for batch in batches:
        v = domain.characteristic(batch, learned)[0] * batch.weight.sqrt()[:, None]
        h = features.at(batch.points) * batch.weight.sqrt()
        own = own + (v.flatten(1) @ v.flatten(1).T).double().cpu()
        within = within + torch.einsum("nbc...,kb...->nkc", v, h).double().cpu().flatten(1)
    return own, within
