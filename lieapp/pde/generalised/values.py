"""Characteristics made of monomials on slices of data, and their linearised residuals, as a quotient.

With Q and D_t Q on a slice, where u_t is F, the residual is M = D_t Q - F'[u](Q) (`pde.linearisation`). The
quotient is η = T rms(M) / rms(Q) with the length T of the time window.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence

import torch
from jaxtyping import Float
from torch import Tensor

from lieapp.domains.base import Characteristics
from lieapp.domains.solutions import Scales, Slices
from lieapp.equations.evolution import Evolution
from lieapp.equations.jets import Jet
from lieapp.methods.spectrum import updated
from lieapp.numerics.codegen import Tape
from lieapp.numerics.spectral import Differentiator
from lieapp.pde.beyond.quotient import Quotient
from lieapp.pde.domain import PDEDomain
from lieapp.pde.generalised.characteristics import Term

Values = Float[Tensor, "batch *space"]


class Jets:
    """Derivatives of the unknowns on one batch with their rates D_J F, physical units, each computed once.

    Args:
        tape: the right-hand sides as functions of the coordinates and of the derivatives `needed`.
    """

    def __init__(
        self, evolution: Evolution, scales: Scales, tape: Tape, needed: Sequence[Jet], batch: Slices,
        differentiator: Differentiator,
    ) -> None:  # fmt: skip
        self._evolution, self._d = evolution, differentiator
        count = len(evolution.rhs)
        physical = [
            o + s * batch.points[:, i] for i, (o, s) in enumerate(zip(scales.origin, scales.size, strict=True))
        ]
        self.coordinates, self._u = physical[:-count], physical[-count:]
        self._known: dict[Jet, tuple[Values, Values]] = {}
        self._rates: list[Values] = []
        arguments = [self._derivative(self._u[b], J) for b, J in needed]
        self._rates = tape(*self.coordinates, *arguments)

    def _derivative(self, values: Values, J: tuple[int, ...]) -> Values:
        along = tuple(J[i] for i in self._evolution.space)
        return self._d.derivatives(values, [along])[along]

    def jet(self, jet: Jet) -> tuple[Values, Values]:
        """A derivative, and its rate."""
        if jet not in self._known:
            a, J = jet
            self._known[jet] = self._derivative(self._u[a], J), self._derivative(self._rates[a], J)
        return self._known[jet]

    def product(self, factors: Sequence[Jet]) -> tuple[Values, Values]:
        """The product of derivatives, and its rate."""
        value, rate = torch.ones_like(self._u[0]), torch.zeros_like(self._u[0])
        for factor in factors:
            v, dv = self.jet(factor)
            value, rate = value * v, rate * v + value * dv
        return value, rate


class TermValues:
    """The terms as functions of slices, each as a characteristic with one component that isn't 0."""

    def __init__(self, domain: PDEDomain, terms: Sequence[Term], scales: Scales) -> None:
        self.domain, self.terms, self.scales = domain, terms, scales
        evolution = self._evolution = domain.evolution
        self._needed = {s: jet for f in evolution.rhs for s, jet in evolution.jets.jets(f).items()}
        self._tape = Tape(list(evolution.rhs), [*evolution.jets.independent, *self._needed])

    def __call__(self, batch: Slices) -> Characteristics:
        """Q and D_t Q of every term, in scaled units."""
        jets = self.jets(batch)
        evolution, count = self._evolution, len(self._evolution.rhs)
        time = evolution.time
        t = jets.coordinates[time]
        window = self.scales.size[time]
        shape = (len(self.terms), len(batch.points), count, *batch.points.shape[2:])
        value, rate = batch.points.new_zeros(shape), batch.points.new_zeros(shape)
        for k, term in enumerate(self.terms):
            q, dq = jets.product(term.monomial.factors)
            if term.power:
                dq = t**term.power * dq + term.power * t ** (term.power - 1) * q
                q = t**term.power * q
            size = self.scales.size[len(jets.coordinates) + term.unknown]
            value[k, :, term.unknown], rate[k, :, term.unknown] = q / size, window * dq / size
        return Characteristics(value, rate)

    def jets(self, batch: Slices) -> Jets:
        """The derivatives on a batch."""
        d = self.domain.linearisation.differentiator(batch.grid, batch.points)
        return Jets(self._evolution, self.scales, self._tape, [*self._needed.values()], batch, d)


def quotient(
    domain: PDEDomain, terms: Callable[[Slices], Characteristics], batches: Iterable[Slices]
) -> Quotient:
    """The factors of residuals and characteristics over all batches, for terms in units of their rms."""
    above: Tensor | None = None
    below: Tensor | None = None
    rows = 0
    for batch in batches:
        q = terms(batch)
        m = domain.tangent(batch, q)
        root = batch.weight.sqrt()[:, None]
        above, below = (
            updated(old, (block * root).flatten(1).T) for old, block in ((above, m), (below, q.value))
        )
        rows += batch.weight.numel() * q.value.shape[2]
    assert above is not None and below is not None
    above, below = above.cpu(), below.cpu()
    sizes = torch.linalg.vector_norm(below, dim=0).clamp_min(1e-300)
    return Quotient(above / sizes, below / sizes, sizes / math.sqrt(rows))
