"""Characteristics that are linear in features of the derivatives, features that a network learns.

A layer multiplies what the layer before it gives by a linear function of the inputs z = (1, t, u, u_x, …), so
features after k layers are polynomials of degree k + 1 in z. At each step linear algebra gives the best
characteristics Q = Σ c_k h_k in these features, and the network descends Σ log η of them (variable projection,
Golub & Pereyra 1973, as for point symmetries). Nothing is assumed of weights or of the number of terms.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import sympy as sp
import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional

from lieapp.compare.subspace import principal_angle
from lieapp.config_laws import Generalised
from lieapp.domains.base import Characteristics
from lieapp.domains.solutions import Slices
from lieapp.domains.spread import Evaluated, EveryComponent
from lieapp.equations.jet_ring import spatial
from lieapp.errors import DiscoveryError
from lieapp.methods.loop import Adam, Training
from lieapp.methods.projection import BETAS, SLOWER, lowest, one_cycle
from lieapp.methods.spectrum import updated
from lieapp.methods.verdict import set_apart
from lieapp.pde.beyond.quotient import Quotient, directions
from lieapp.pde.data import SliceData
from lieapp.pde.domain import PDEDomain
from lieapp.pde.generalised.values import Jets, TermValues, quotient

Inputs = Float[Tensor, "batch *space input"]
Features = Float[Tensor, "feature batch *space"]


class Products(nn.Module):
    """Features h = (1, z, H_1 p_1 + … + H_k p_k) with p_1 = (A_1 z)(B_1 z), p_k = (A_k p_{k-1})(B_k z).

    Args:
        inputs: how many numbers z has.
    """

    def __init__(self, inputs: int, settings: Generalised) -> None:
        super().__init__()
        width, layers = settings.network_width, settings.network_degree - 1
        self.before = nn.ModuleList([nn.Linear(width if k else inputs, width) for k in range(layers)])
        self.times = nn.ModuleList([nn.Linear(inputs, width) for _ in range(layers)])
        self.heads = nn.ModuleList([nn.Linear(width, settings.network_features, bias=False) for _ in range(layers)])
        self.count = 1 + inputs + settings.network_features

    def jvp(self, z: Inputs, dz: Inputs) -> tuple[Features, Features]:
        """Features and their derivatives along dz."""
        p, dp = z, dz
        learned, rates = [], []
        for before, times, head in zip(self.before, self.times, self.heads, strict=True):
            a, da = before(p), functional.linear(dp, before.weight)
            b, db = times(z), functional.linear(dz, times.weight)
            p, dp = a * b, da * b + a * db
            learned.append(head(p))
            rates.append(functional.linear(dp, head.weight))
        one = torch.ones_like(z[..., :1])
        h = torch.cat([one, z, torch.stack(learned).sum(0)], -1)
        dh = torch.cat([torch.zeros_like(one), dz, torch.stack(rates).sum(0)], -1)
        return h.movedim(-1, 0), dh.movedim(-1, 0)


class JetFeatures:
    """Every component of a network's features on slices, as characteristics.

    Args:
        values: gives derivatives and their rates on slices.
        like: slices on which the inputs are brought to deviation 1.
    """

    def __init__(self, values: TermValues, settings: Generalised, like: Slices) -> None:
        evolution = values.domain.evolution
        self.values, self.count = values, len(evolution.rhs)
        self._jets = [(a, J) for a in range(self.count) for J in spatial(evolution, settings.order)]
        self._size = like.points.new_ones(1 + len(self._jets))
        z, _ = self._inputs(values.jets(like))
        self._size = z.flatten(0, -2).std(0).clamp_min(1e-300)
        self.network = Products(len(self._size), settings).to(z)

    def _inputs(self, jets: Jets) -> tuple[Inputs, Inputs]:
        """z, and its change along the solution in a time window."""
        scales, time = self.values.scales, self.values.domain.evolution.time
        window = scales.size[time]
        t = (jets.coordinates[time] - scales.origin[time]) / window
        both = [(t, torch.ones_like(t)), *((v, window * dv) for v, dv in map(jets.jet, self._jets))]
        z, dz = (torch.stack(list(part), -1) for part in zip(*both, strict=True))
        return z / self._size, dz / self._size

    def __call__(self, batch: Slices) -> Characteristics:
        """Q and D_t Q of h_k e_a for all features k and components a, in scaled units."""
        h = Evaluated(*self.network.jvp(*self._inputs(self.values.jets(batch))))
        return Characteristics(*EveryComponent(h, self.count).jvp(batch.points, batch.tangents))


class JetTraining(Training):
    """A training in progress.

    Args:
        data: slices that are cheap to learn from.
        slots: how many characteristics descend.
        floor: η below which one doesn't.
        seed: of the network's weights and the batches.
    """

    def __init__(
        self, domain: PDEDomain, values: TermValues, settings: Generalised, data: SliceData, slots: int,
        floor: float, seed: int,
    ) -> None:  # fmt: skip
        self.domain, self.settings, self.data, self.slots, self.floor = domain, settings, data, slots, floor
        generator = torch.Generator().manual_seed(seed)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self.features = JetFeatures(values, settings, next(iter(data.batches(INPUTS, INPUTS))))
        network = self.features.network
        super().__init__(network, Adam(network.parameters(), BETAS), generator)

    def step(self) -> dict[str, Any]:
        """One descent step; the loss, and rms(M)/rms(Q) of each slot on the batch. Raises DiscoveryError."""
        batch = self.data.draw(self.settings.network_batch, self.generator)
        every = self.features(batch)
        root = batch.weight.sqrt()[:, None]
        q = (root * every.value).flatten(1)
        m = (root * self.domain.tangent(batch, every)).flatten(1)
        with torch.no_grad():
            best = lowest(q @ q.T, m @ m.T, self.slots)
        if best is None:
            raise DiscoveryError(f"the network's features aren't finite at step {self.done}.", hint=SLOWER)
        eta2 = ((best @ m) ** 2).sum(1) / ((best @ q) ** 2).sum(1)
        loss = (eta2 + self.floor**2).log().sum() / 2
        rate = one_cycle(self.done, self.settings.network_steps, self.settings.network_rate)
        value = self.descend(loss, rate, SLOWER)
        return {"loss": value, "eta": eta2.detach().sqrt().tolist()}


INPUTS = 64
"""Slices on which the deviation of the inputs is measured."""


@dataclass(frozen=True)
class Learned:
    """What a trained network holds.

    Args:
        eta: of every direction in its features, ascending.
        count: how many of these a gap sets apart.
        quotient: of combinations of terms: their distance from the span of those, relative to their size.
    """

    eta: list[float]
    count: int
    quotient: Quotient
    _span: Float[Tensor, "_ direction"]

    def angle(self, known: Sequence[Sequence[sp.Expr]]) -> float | None:
        """The largest principal angle to known combinations of the terms, in radians; None if a span is empty."""
        if not known or not self.count:
            return None
        rows = torch.tensor([[float(c) for c in row] for row in known], dtype=torch.float64)
        columns = torch.cat([self._span, self.quotient.below @ (rows * self.quotient.sizes).T], 1)
        gram = columns.T @ columns
        return principal_angle(gram, [*range(self.count)], [*range(self.count, len(gram))])


def learned(
    domain: PDEDomain, features: JetFeatures, terms: TermValues, batches: Callable[[], Iterable[Slices]]
) -> Learned:
    """The characteristics in a network's features that a gap sets apart, and how far terms are from them."""
    found = quotient(domain, features, batches())
    ordered = directions(found)
    count = set_apart(ordered.eta.tolist())
    best = ordered.coefficients[:count] / found.sizes
    both: Tensor | None = None
    for batch in batches():
        root = batch.weight.sqrt()[:, None]
        own = (root * features(batch).value).flatten(1)
        values = torch.cat([best.to(own) @ own, (root * terms(batch).value).flatten(1)])
        both = updated(both, values.T)
    assert both is not None
    both = both.cpu()
    span, below = both[:, :count], both[:, count:]
    sizes = torch.linalg.vector_norm(below, dim=0).clamp_min(1e-300)
    return Learned(ordered.eta.tolist(), count, Quotient(below[count:] / sizes, below / sizes, sizes), span)
