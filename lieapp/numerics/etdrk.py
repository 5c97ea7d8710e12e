"""ETDRK4 for u_t = L(t) u + N(t, u) (Cox & Matthews 2002, eqs. 26-29).

Its coefficients are contour means (Kassam & Trefethen 2005, sect. 3). L acts on Fourier modes, as a number for
each mode or, for coupled unknowns, as a matrix. An L that depends on t is frozen at the middle of a step;
(L(t) - L_frozen) u joins N, and L is refrozen when it has drifted too far.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import torch
from jaxtyping import Complex, Shaped
from torch import Tensor

Modes = Complex[Tensor, "batch component *modes"]
Matrix = Complex[Tensor, "row column *modes"]
Factor = Complex[Tensor, "..."]
"""What modes are multiplied by: `row column *modes` for coupled unknowns, else `component *modes`."""

Numbers = Shaped[Tensor, "*shape"]
Matrices = Shaped[Tensor, "size size *modes"]

DRIFT = 0.05
"""Largest h |L(t) - L_frozen| before L is frozen anew; beyond ~.1 the explicit remainder costs accuracy."""

CONTOUR = 32
"""Points of the contour mean; 32 give the φ functions to round-off (Kassam & Trefethen 2005, sect. 3)."""


@dataclass(frozen=True)
class Problem:
    """The two halves of a semilinear equation on Fourier modes.

    Args:
        linear: t -> L, of shape (row component, column component, *modes).
        nonlinear: (t, modes) -> modes of N.
        coupled: whether L has entries off the diagonal.
        autonomous: whether L is constant in time.
    """

    linear: Callable[[float], Matrix]
    nonlinear: Callable[[float, Modes], Modes]
    coupled: bool
    autonomous: bool


@dataclass(frozen=True)
class Coefficients:
    """What one step multiplies by, for a step h and a frozen L."""

    full: Factor  # exp(hL)
    half: Factor  # exp(hL/2)
    stage: Factor  # (h/2) φ₁(hL/2)
    first: Factor  # h (φ₁ - 3φ₂ + 4φ₃)
    middle: Factor  # h (2φ₂ - 4φ₃), for N(a) + N(b)
    last: Factor  # h (-φ₂ + 4φ₃)


class ETDRK4:
    """Fourth-order exponential Runge-Kutta steps of size h."""

    def __init__(self, problem: Problem, h: float) -> None:
        self.problem, self.h = problem, h
        self._frozen: Matrix | None = None
        self._coefficients: Coefficients | None = None

    def step(self, t: float, v: Modes) -> Modes:
        """The modes at t + h."""
        h, rhs, times, plus, linear = self.h, self._rest, self._apply, self._plus, self.problem.linear
        if self._frozen is None or self._coefficients is None or (
            not self.problem.autonomous
            and max(float((linear(s) - self._frozen).abs().max()) * h for s in (t, t + h)) > DRIFT
        ):  # fmt: skip
            self._frozen = linear(t + h / 2)
            self._coefficients = coefficients(self._frozen, h, self.problem.coupled)
        c = self._coefficients
        half = times(c.half, v)
        at_v = rhs(t, v)
        a = plus(half, c.stage, at_v)
        at_a = rhs(t + h / 2, a)
        at_b = rhs(t + h / 2, plus(half, c.stage, at_a))
        d = plus(times(c.half, a), c.stage, torch.sub(2 * at_b, at_v))
        at_d = rhs(t + h, d)
        return plus(plus(plus(times(c.full, v), c.first, at_v), c.middle, at_a.add_(at_b)), c.last, at_d)

    def _rest(self, t: float, v: Modes) -> Modes:
        rest = self.problem.nonlinear(t, v)
        if self.problem.autonomous:
            return rest
        difference = self.problem.linear(t) - self._frozen
        return self._plus(rest, difference if self.problem.coupled else diagonal(difference), v)

    def _plus(self, start: Modes, matrix: Factor, v: Modes) -> Modes:
        """start + matrix v, in one operation where the matrix is diagonal."""
        return start + self._apply(matrix, v) if self.problem.coupled else torch.addcmul(start, matrix, v)

    def _apply(self, matrix: Factor, v: Modes) -> Modes:
        return torch.einsum("ij...,bj...->bi...", matrix, v) if self.problem.coupled else matrix * v


def coefficients(linear: Matrix, h: float, coupled: bool) -> Coefficients:
    """The step's coefficients from L; diagonal ones lose the second component index."""
    if coupled:
        phi, phi_half = phi_matrix(linear * h), phi_matrix(linear * (h / 2))
    else:
        phi, phi_half = (phi_scalar(diagonal(linear) * step) for step in (h, h / 2))
    return Coefficients(
        full=phi[0],
        half=phi_half[0],
        stage=h / 2 * phi_half[1],
        first=h * (phi[1] - 3 * phi[2] + 4 * phi[3]),
        middle=h * (2 * phi[2] - 4 * phi[3]),
        last=h * (4 * phi[3] - phi[2]),
    )


def diagonal(linear: Complex[Tensor, "size size *modes"]) -> Complex[Tensor, "size *modes"]:
    """The diagonal of L, one row of modes for each component."""
    return torch.diagonal(linear, dim1=0, dim2=1).movedim(-1, 0)


def phi_scalar(z: Numbers) -> tuple[Numbers, Numbers, Numbers, Numbers]:
    """exp, φ₁, φ₂, φ₃ of each number, means over a circle of φ_k(z) = (φ_{k-1}(z) - 1/(k-1)!)/z."""
    angles = 2 * math.pi * (torch.arange(CONTOUR, dtype=torch.float64, device=z.device) + 0.5) / CONTOUR
    points = z[..., None].to(torch.complex128) + torch.exp(1j * angles)
    phi1 = (torch.exp(points) - 1) / points
    phi2 = (phi1 - 1) / points
    phi3 = (phi2 - 0.5) / points
    return torch.exp(z), phi1.mean(-1).to(z.dtype), phi2.mean(-1).to(z.dtype), phi3.mean(-1).to(z.dtype)


def phi_matrix(z: Matrices) -> tuple[Matrices, Matrices, Matrices, Matrices]:
    """exp, φ₁, φ₂, φ₃ of each mode's matrix, from one exponential of a block matrix (Saad 1992, sect. 2.2).

    exp of [[z, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1], [0, 0, 0, 0]] has the first row exp z, φ₁, φ₂, φ₃.
    """
    m, modes = z.shape[0], z.shape[2:]
    matrices = z.movedim((0, 1), (-2, -1)).reshape(-1, m, m)
    block = torch.zeros(len(matrices), 4 * m, 4 * m, dtype=z.dtype, device=z.device)
    block[:, :m, :m] = matrices
    for k in range(3):
        block[:, k * m : (k + 1) * m, (k + 1) * m : (k + 2) * m] = torch.eye(m, dtype=z.dtype, device=z.device)
    row = torch.linalg.matrix_exp(block)[:, :m]
    parts = [row[:, :, k * m : (k + 1) * m].reshape(*modes, m, m).movedim((-2, -1), (0, 1)) for k in range(4)]
    return parts[0], parts[1], parts[2], parts[3]
