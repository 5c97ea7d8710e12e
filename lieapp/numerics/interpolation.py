"""Interpolating polynomials of many small node sets, their stencils on tensor grids, and their Taylor shift.

A stencil of degree p is the generalised principal lattice {(z(a_1), …, z(a_n)) : |a| <= p} with z = 0, 1, -1, 2, …
times a sign for each axis. It has as many nodes as there are monomials of total degree p, and on a tensor grid it
is unisolvent for them (Newton's interpolation on lower sets; Gasca & Sauer 2000, sect. 2). Total degree is needed:
a nonlinear displacement mixes the axes, and smaller lower sets are then not even consistent.

q(y) = f_0 + Σ_{0 < |α| <= p} c_α y^α takes the value f_j at node y_j, with y_0 = 0. The backward passes are closed
formulas: with A the matrix of monomials and g = A^{-T} c̄, f̄_j = g_j and ȳ_j = -g_j ∇q(y_j). So the LU factors serve
again, and of the matrices nothing but them is kept. On a CPU core LAPACK's factors of small matrices took as long
as an elimination written with the points as the last dimension (2 and 1.5 µs for 9 x 9, float32).
"""

from __future__ import annotations

import itertools
import math
from functools import cache
from typing import Any, NamedTuple

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from lieapp.numerics.moved import MultiIndex

CENTRE, SHIFTED = 100.0, 1.0
"""Linear weights: the node lies inside the stencil's centre cell, or not (paper, section "WENO")."""


def monomials(n: int, p: int) -> list[MultiIndex]:
    """All multi-indices α over n axes with |α| <= p, by rising |α|; the first is zero."""
    drawn = (axes for total in range(p + 1) for axes in itertools.combinations_with_replacement(range(n), total))
    return [tuple(axes.count(i) for i in range(n)) for axes in drawn]


def zigzag(a: int) -> int:
    """0, 1, -1, 2, -2, …"""
    return (a + 1) // 2 if a % 2 else -(a // 2)


def lattice(n: int, p: int, sign: int) -> list[MultiIndex]:
    """Offsets of a stencil's nodes from its anchor, in the order of `monomials`; the first is the anchor."""
    return [tuple(sign * zigzag(k) for k in a) for a in monomials(n, p)]


def reach(p: int, sign: int) -> tuple[int, int]:
    """Lowest and highest offset along every axis."""
    offsets = [sign * zigzag(k) for k in range(p + 1)]
    return min(offsets), max(offsets)


class Member(NamedTuple):
    """One stencil of a node's family: which of the two point-reflected lattices, how many cells its anchor is from
    the node, and the linear weight γ.
    """

    sign: int
    shift: MultiIndex
    weight: float


def family(n: int) -> tuple[Member, ...]:
    """The stencils of every node: a reflected pair at the node and one for each axis.

    A lattice shifted by +1 reaches outwards, so that for odd degrees it lies wholly on one side of the node. The
    family is symmetric under point reflection: on uniform nodes the odd terms of the error cancel.
    """
    members = []
    for sign in (1, -1):
        members.append(Member(sign, (0,) * n, CENTRE))
        for axis in range(n):
            shift = tuple(sign if i == axis else 0 for i in range(n))
            members.append(Member(sign, shift, SHIFTED))
    return tuple(members)


@cache
def smoothness_root(n: int, p: int) -> Float[Tensor, "monomial monomial"]:
    """R with IS = |R c|² for the coefficients c of the monomials other than 1, float64.

    IS = Σ_{1 <= |β| <= p} ∫ (∂^β q)² over the cell [-1/2, 1/2]^n of q = Σ_α c_α y^α (paper, section "WENO"), a
    form without unit as y is scaled by the spacings. It is positive definite; R^T is its Cholesky factor.
    """
    alphas = monomials(n, p)[1:]
    form = torch.zeros(len(alphas), len(alphas), dtype=torch.float64)
    for beta in alphas:
        for i, left in enumerate(alphas):
            for j, right in enumerate(alphas):
                form[i, j] += _inner(left, right, beta)
    return torch.linalg.cholesky(form).T.contiguous()


def _inner(left: MultiIndex, right: MultiIndex, beta: MultiIndex) -> float:
    """∫ ∂^β y^left ∂^β y^right over the unit cell."""
    total = 1.0
    for a, b, d in zip(left, right, beta, strict=True):
        power = a + b - 2 * d
        if a < d or b < d or power % 2:
            return 0.0
        total *= math.perm(a, d) * math.perm(b, d) / ((power + 1) * 2**power)
    return total


NARROW, WIDE = 1e-3, 1e4
"""A node set whose extent along an axis, in cells, isn't between these counts as singular."""


def interpolate(
    nodes: Float[Tensor, "node axis point"], rises: Float[Tensor, "node component point"], p: int
) -> tuple[Float[Tensor, "monomial component point"], Bool[Tensor, " point"]]:
    """Coefficients c_α of the interpolating polynomials, and where they exist.

    Args:
        nodes: y_j without the first, scaled to cells.
        rises: f_j - f_0.
        p: total degree; as many nodes as monomials other than 1.

    Nodes that coincide, lie on an algebraic curve of degree p or aren't finite have no (trustworthy) polynomial:
    there the coefficients are 0, and so are their gradients.
    """
    return _Interpolate.apply(nodes, rises, p)


def shifted(
    coefficients: Float[Tensor, "member monomial component point"], step: Float[Tensor, "member axis point"], p: int
) -> Float[Tensor, "member monomial component point"]:
    """Coefficients of q(y + step) without its constant: c'_β = Σ_{α >= β} binom(α, β) step^{α-β} c_α."""
    return _Shift.apply(coefficients, step, p)


def largest(dtype: torch.dtype) -> float:
    """Above this a coefficient counts as not finite: gradients multiply several such, and must not overflow."""
    return torch.finfo(dtype).max ** (1 / 6)


class _Interpolate(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, nodes: Tensor, rises: Tensor, p: int) -> tuple[Tensor, Tensor]:
        alphas = _powers(nodes.shape[1], p)
        spread = nodes.abs().amax(0)
        exists = ((spread > NARROW) & (spread < WIDE)).all(0) & rises.isfinite().flatten(0, 1).all(0)
        # where there is no polynomial the unmoved lattice stands in, of extent 1, so that the factors are finite
        spread = torch.where(exists, spread, 1)
        offsets = nodes.new_tensor(lattice(nodes.shape[1], p, 1)[1:])
        scaled = torch.where(exists, nodes / spread, (offsets / offsets.abs().amax(0))[..., None])
        matrix = _values(scaled, alphas).permute(2, 0, 1)
        factors, pivots, _ = torch.linalg.lu_factor_ex(matrix)
        size = factors.diagonal(dim1=1, dim2=2).abs().amin(1)
        exists &= size > 100 * torch.finfo(nodes.dtype).eps
        right = torch.where(exists, rises, 0).permute(2, 0, 1)
        found = torch.linalg.lu_solve(factors, pivots, right).permute(1, 2, 0)
        result = found / _values(spread[None], alphas)[0][:, None]
        exists &= (result.abs() < largest(nodes.dtype)).flatten(0, 1).all(0)
        ctx.save_for_backward(spread, scaled, factors, pivots, exists, torch.where(exists, found, 0))
        ctx.p = p
        ctx.mark_non_differentiable(exists)
        return torch.where(exists, result, 0), exists

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, gradient: Tensor, _: Tensor) -> tuple[Tensor, Tensor, None]:
        spread, scaled, factors, pivots, exists, solution = ctx.saved_tensors
        n, p = scaled.shape[1], ctx.p
        alphas = _powers(n, p)
        gradient = torch.where(exists, gradient / _values(spread[None], alphas)[0][:, None], 0)
        back = torch.linalg.lu_solve(factors, pivots, gradient.permute(2, 0, 1), adjoint=True)
        back = torch.where(exists, back.permute(1, 2, 0), 0)
        lower = _powers(n, p - 1) if p > 1 else ()
        values = _values(scaled, lower)
        slots = {a: k for k, a in enumerate(alphas)}
        parts = []
        for i in range(n):
            unit = tuple(int(k == i) for k in range(n))
            slope = solution[slots[unit]].expand_as(back).clone()
            for k, beta in enumerate(lower):
                up = tuple(b + u for b, u in zip(beta, unit, strict=True))
                slope.addcmul_(values[:, k, None], solution[slots[up]] * up[i])
            parts.append(-(back * slope).sum(1))
        return torch.stack(parts, 1) / spread, back, None


class _Shift(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, coefficients: Tensor, step: Tensor, p: int) -> Tensor:
        n = step.shape[1]
        powers = _values(step, _powers(n, p))
        result = coefficients.clone()
        for low, high, gap, factor in _pairs(n, p):
            result[:, low].addcmul_(coefficients[:, high], powers[:, gap, None], value=factor)
        ctx.save_for_backward(result, powers)
        ctx.n, ctx.p = n, p
        return result

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, Tensor, None]:
        result, powers = ctx.saved_tensors
        total = gradient.clone()
        slots = {a: k for k, a in enumerate(_powers(ctx.n, ctx.p))}
        for low, high, gap, factor in _pairs(ctx.n, ctx.p):
            total[:, high].addcmul_(gradient[:, low], powers[:, gap, None], value=factor)
        step = result.new_zeros(result.shape[0], ctx.n, result.shape[-1])
        for beta, k in slots.items():
            for i in range(ctx.n):
                up = tuple(b + int(j == i) for j, b in enumerate(beta))
                if up in slots:  # ∂_i of q(y + step) has the coefficients up_i c'_up
                    step[:, i].add_((gradient[:, k] * result[:, slots[up]]).sum(1), alpha=up[i])
        return total, step, None


@cache
def _powers(n: int, p: int) -> tuple[MultiIndex, ...]:
    """The monomials other than 1."""
    return tuple(monomials(n, p)[1:])


@cache
def _pairs(n: int, p: int) -> tuple[tuple[int, int, int, float], ...]:
    """(slot of β, slot of α, slot of α - β, binom(α, β)) for all 0 < β < α."""
    slots = {a: k for k, a in enumerate(_powers(n, p))}
    found = []
    for low, beta in enumerate(slots):
        for high, alpha in enumerate(slots):
            gap = tuple(a - b for a, b in zip(alpha, beta, strict=True))
            if gap in slots:
                factor = math.prod(math.comb(a, b) for a, b in zip(alpha, beta, strict=True))
                found.append((low, high, slots[gap], float(factor)))
    return tuple(found)


def _values(
    nodes: Float[Tensor, "node axis point"], alphas: tuple[MultiIndex, ...]
) -> Float[Tensor, "node monomial point"]:
    """y^α for every node, each from one of a lower degree."""
    result = nodes.new_empty(nodes.shape[0], len(alphas), nodes.shape[2])
    slots = {a: k for k, a in enumerate(alphas)}
    for alpha, k in slots.items():
        i = next(i for i, a in enumerate(alpha) if a)
        below = tuple(a - int(j == i) for j, a in enumerate(alpha))
        if any(below):
            torch.mul(result[:, slots[below]], nodes[:, i], out=result[:, k])
        else:
            result[:, k] = nodes[:, i]
    return result
