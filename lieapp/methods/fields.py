"""Vector fields made from scalar features h_k(z): linear combinations of their components."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import torch
from jaxtyping import Float, Int
from scipy.optimize import linear_sum_assignment
from torch import Tensor, nn

from lieapp.domains.base import Fields, Own, Points, Scalars, Stack
from lieapp.domains.spread import Features


@runtime_checkable
class Followed(Protocol):
    """Fields that a flow can follow, each at points of its own."""

    def each(self, points: Own, which: Sequence[int] | None = None) -> Stack:
        """The fields of these slots (all if None), each at the set of points in its place."""


@runtime_checkable
class Slotted(Followed, Protocol):
    """Such fields with derivatives."""

    def jvp(self, points: Points, tangents: Points) -> tuple[Stack, Stack]:
        """See `domains.base.Fields`."""


@runtime_checkable
class Trained(Slotted, Protocol):
    """Such fields as a network makes: all of them are needed at the same points, without derivatives."""

    def all_at(self, points: Points, fixed: bool = False) -> Stack:
        """All fields at all points; `fixed`: with parameters that are constants in gradients."""


class Combination(nn.Module):
    """Fields V_n = Σ_{k,c} coefficients[n, k, c] h_k e_c; a descent changes what of it are parameters."""

    def __init__(self, features: Features, coefficients: Float[Tensor, "field feature component"]) -> None:
        super().__init__()
        self.features = features
        self.coefficients = coefficients

    def jvp(self, points: Points, tangents: Points) -> tuple[Stack, Stack]:
        h, dh = self.features.jvp(points, tangents)
        return self._combine(h), self._combine(dh)

    def _combine(self, h: Scalars) -> Stack:
        return torch.einsum("nkc,kb...->nbc...", self.coefficients, h)

    def each(self, points: Own, which: Sequence[int] | None = None) -> Stack:
        h = self.features.at(points.flatten(0, 1)).unflatten(1, points.shape[:2])
        chosen = self.coefficients if which is None else self.coefficients[list(which)]
        return torch.einsum("nkc,knb...->nbc...", chosen, h)


class Scaled(nn.Module):
    """Fields times fixed numbers, such as one over their norms."""

    def __init__(self, fields: Slotted, factors: Float[Tensor, " slot"]) -> None:
        super().__init__()
        self.fields, self.factors = fields, factors

    def each(self, points: Own, which: Sequence[int] | None = None) -> Stack:
        factors = self.factors if which is None else self.factors[list(which)]
        return self.fields.each(points, which) * _shaped(factors, points.ndim)

    def jvp(self, points: Points, tangents: Points) -> tuple[Stack, Stack]:
        v, dv = self.fields.jvp(points, tangents)
        factors = _shaped(self.factors, v.ndim)
        return v * factors, dv * factors


class Mixed(nn.Module):
    """Fields Σ_b mixing[a, b] V_b, sums of others; in gradients only V_own[a] of each is no constant."""

    def __init__(self, fields: Trained, mixing: Float[Tensor, "slot field"], own: Int[Tensor, " slot"]) -> None:
        super().__init__()
        self.fields, self.mixing, self.own = fields, mixing, own.tolist()

    def each(self, points: Own, which: Sequence[int] | None = None) -> Stack:
        slots = list(range(len(self.own)) if which is None else which)
        own = [self.own[slot] for slot in slots]
        v = self.fields.all_at(points.flatten(0, 1), fixed=True).unflatten(1, points.shape[:2])
        mixed = torch.einsum("ab,ba...->a...", self.mixing[slots], v)
        if not torch.is_grad_enabled():
            return mixed
        trained = self.fields.each(points, own) - v[own, range(len(slots))]
        return mixed + _shaped(self.mixing[slots, own], trained.ndim) * trained

    def jvp(self, points: Points, tangents: Points) -> tuple[Stack, Stack]:
        v, dv = self.fields.jvp(points, tangents)
        return torch.tensordot(self.mixing, v, 1), torch.tensordot(self.mixing, dv, 1)


SWIFT = 20.0
"""How much faster slots turn among each other than their fields change."""


class Orthonormal(nn.Module):
    """Sums of fields, orthonormal in their order under a weight at fixed points: each loses what earlier ones hold.

    As in the paper's orthonormality loss, only the later of two slots feels it: earlier ones are constants in its
    gradient. Here it holds exactly, at every step. A slot changes by a field of its own, and turns into later
    slots, which turn back.

    Args:
        fields: as many as there are slots.
        points, weight: of a batch of one, where inner products are taken.
    """

    mixing: Float[Tensor, "slot field"]
    own: Int[Tensor, " slot"]
    points: Points
    weight: Float[Tensor, "1 *space"]

    def __init__(self, fields: Trained, slots: int, points: Points, weight: Float[Tensor, "1 *space"]) -> None:
        super().__init__()
        self.fields = fields
        self.turn = nn.Parameter(torch.zeros(slots, slots).to(points))
        self.register_buffer("mixing", torch.eye(slots).to(points))
        self.register_buffer("own", torch.arange(slots))
        self.register_buffer("points", points, persistent=False)
        self.register_buffer("weight", weight, persistent=False)
        self.settle()

    def now(self) -> tuple[Mixed, Stack]:
        """The fields as the parameters are at the moment, and their values at the fixed points."""
        turn = SWIFT * self.turn.triu(1)
        mixing = self.mixing + (turn - turn.detach().T) @ self.mixing
        found = self.fields.all_at(self.points)
        fixed, own = found.detach(), self.own.tolist()
        share = _shaped(mixing[range(len(own)), own], found.ndim)
        v = torch.tensordot(mixing, fixed, 1) + share * (found - fixed)[own]
        change = orthonormalising(self._columns(v))
        earlier, itself = change.tril(-1), change.diagonal()
        mixed = Mixed(self.fields, earlier @ mixing.detach() + itself[:, None] * mixing, self.own)
        return mixed, torch.tensordot(earlier, v.detach(), 1) + _shaped(itself, v.ndim) * v

    def settle(self) -> None:
        """After a step of a descent: slots turn as it says, exactly, and begin the next one orthonormal.

        A slot's own field is one of those that it mostly consists of.
        """
        with torch.no_grad():
            turn = SWIFT * self.turn.triu(1)
            self.mixing.copy_(torch.linalg.matrix_exp(turn - turn.T) @ self.mixing)
            self.turn.zero_()
            found = self.fields.all_at(self.points)
            change = orthonormalising(self._columns(torch.tensordot(self.mixing, found, 1)))
            self.mixing.copy_(change @ self.mixing)
            shares = self.mixing.abs() * self._columns(found).norm(dim=1)
            self.own.copy_(torch.from_numpy(linear_sum_assignment(-shares.cpu().numpy())[1]))

    def reorder(self, order: Int[Tensor, " slot"]) -> None:
        """The same fields in another order, in which they are kept orthonormal from now on."""
        with torch.no_grad():
            self.mixing.copy_(self.mixing[order])
            self.settle()

    def _columns(self, v: Stack) -> Float[Tensor, "slot entry"]:
        return (self.weight.sqrt()[:, None] * v).flatten(1) / self.weight.sum().sqrt()

    def each(self, points: Own, which: Sequence[int] | None = None) -> Stack:
        return self.now()[0].each(points, which)

    def jvp(self, points: Points, tangents: Points) -> tuple[Stack, Stack]:
        return self.now()[0].jvp(points, tangents)


def orthonormalising(columns: Float[Tensor, "slot entry"]) -> Float[Tensor, "slot slot"]:
    """The triangular matrix that makes rows orthonormal: Gram and Schmidt's, twice for its round-off.

    Rows before the one that is made are constants in its gradient.
    """
    rows: list[Tensor] = []
    done, kept = columns.new_zeros(0, columns.shape[1]), columns.new_zeros(0, len(columns))
    for own, unit in zip(columns, torch.eye(len(columns)).to(columns), strict=True):
        row = unit
        for _ in range(2):
            along = done @ own
            own, row = own - along @ done, row - along @ kept
        size = own.norm().clamp_min(torch.finfo(own.dtype).tiny)
        rows.append(row / size)
        done, kept = torch.cat([done, (own / size).detach()[None]]), torch.cat([kept, rows[-1].detach()[None]])
    return torch.stack(rows)


def values(fields: Fields, points: Points) -> Stack:
    """The fields at points."""
    return fields.jvp(points, torch.zeros_like(points))[0]


def _shaped(factors: Tensor, dims: int) -> Tensor:
    return factors.reshape(-1, *[1] * (dims - 1))


class Chosen:
    """Some of a stack, in this order."""

    def __init__(self, fields: Fields, which: Sequence[int]) -> None:
        self.fields, self.which = fields, list(which)

    def jvp(self, points: Points, tangents: Points) -> tuple[Stack, Stack]:
        v, dv = self.fields.jvp(points, tangents)
        return v[self.which], dv[self.which]


class Joined:
    """Several stacks one after the other."""

    def __init__(self, *stacks: Fields) -> None:
        self.stacks = stacks

    def jvp(self, points: Points, tangents: Points) -> tuple[Stack, Stack]:
        parts = [stack.jvp(points, tangents) for stack in self.stacks]
        return torch.cat([v for v, _ in parts]), torch.cat([dv for _, dv in parts])
