"""The flow of a field: dz/ds = V(z), z(0) = data, by fixed steps of RK4 (the paper's neural ODE)."""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor
from torchdiffeq import odeint

from lieapp.discovery.fields import Combination

STEP = 0.1
"""Step in s; RK4's error for fields of norm 1 and Lipschitz constant 3 is then 1e-5, far below a pixel."""


def orbit(
    fields: Combination, points: Float[Tensor, "coordinate *space"], s: Float[Tensor, " s"], step: float = STEP
) -> Float[Tensor, "slot s coordinate *space"]:
    """Points moved by each field to every flow parameter, in scaled coordinates.

    Args:
        s: ascending flow parameters that contain 0.
        step: of the integrator, of order 4.
    """
    # each field moves its own copy of the points
    start = points.expand(fields.coefficients.shape[0], *points.shape).contiguous()
    with torch.no_grad():
        backward, forward = (
            odeint(lambda _, z: fields.each_own(z), start, side, method="rk4", options={"step_size": step})
            for side in (s[s <= 0].flip(0), s[s >= 0])
        )
    return torch.cat([backward.flip(0)[:-1], forward]).movedim(1, 0)
