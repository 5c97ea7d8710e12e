"""Stencils of the WENO scheme on tensor grids, and the quadratic form of their smoothness indicator.

A stencil of degree p is the generalised principal lattice {(z(a_1), …, z(a_n)) : |a| <= p} with z = 0, 1, -1, 2, …
times a sign for each axis. It has as many nodes as there are monomials of total degree p, and on a tensor grid it
is unisolvent for them (Newton's interpolation on lower sets; Gasca & Sauer 2000, sect. 2). Total degree is needed:
a nonlinear displacement mixes the axes, and smaller lower sets are then not even consistent.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from functools import cache

import torch
from jaxtyping import Float
from torch import Tensor

from lieapp.numerics.moved import MultiIndex

CENTRE, SHIFTED = 100.0, 1.0
"""Linear weights: the node lies inside the stencil's centre cell, or not (paper, section "WENO")."""


def monomials(n: int, p: int) -> list[MultiIndex]:
    """All multi-indices α over n axes with |α| <= p, by rising |α|; the first is zero."""
    found = [a for a in itertools.product(range(p + 1), repeat=n) if sum(a) <= p]
    return sorted(found, key=lambda a: (sum(a), tuple(-k for k in a)))


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


@dataclass(frozen=True)
class Member:
    """One stencil of a node's family.

    Attributes:
        sign: which of the two point-reflected lattices.
        shift: from the node to the lattice's anchor, in cells.
        weight: the linear weight γ.
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
