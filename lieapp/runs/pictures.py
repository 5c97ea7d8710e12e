"""fields.safetensors: learned and derived fields on a drawing grid, one solution moved by each learned field."""

from __future__ import annotations

from pathlib import Path

import torch
from safetensors.torch import save
from torch import Tensor

from lieapp.discovery.fields import Slotted, values
from lieapp.discovery.flow import orbit
from lieapp.domains.formulas import FixedFields
from lieapp.domains.pde import PDEDomain
from lieapp.domains.pde_data import SliceData
from lieapp.runs.files import write_atomic

TIMES, POINTS = 40, 96
"""Points of the drawing grid in time and along each axis of space."""

SIGMA = 0.4
"""Largest flow parameter of an orbit, the paper's σ, in scaled coordinates."""

STEPS = 9


def write_fields(
    file: Path,
    domain: PDEDomain,
    data: SliceData,
    learned: Slotted,
    slots: int,
    truth: FixedFields | None,
    norms: Tensor,
) -> None:
    """Write the arrays that reports and pages draw.

    Args:
        data: held-out trajectories; the first one is drawn.
        slots: number of learned fields.
        norms: of the derived fields on the data, to draw them with norm 1.
    """
    points, lines = _drawing_points(domain, data)
    scales = data.scales
    p = len(domain.evolution.jets.independent)
    shape = [-1] + [1] * p
    size = torch.tensor(scales.size, dtype=points.dtype, device=points.device)
    origin = torch.tensor(scales.origin, dtype=points.dtype, device=points.device)
    s = torch.linspace(-SIGMA, SIGMA, STEPS, dtype=points.dtype, device=points.device)
    s[STEPS // 2] = 0.0
    copies = points.expand(slots, 1, *points.shape)
    moved = orbit(learned, copies, s)[:, :, 0].transpose(0, 1)
    tensors = {f"grid/{name}": line for name, line in lines.items()}
    tensors |= {
        "solution": origin[p:].reshape(shape) + size[p:].reshape(shape) * points[p:],
        "learned": values(learned, points[None])[:, 0] * size.reshape(shape),
        "scale": size,
        "orbit/s": s,
        "orbit/points": origin.reshape(shape) + size.reshape(shape) * moved,
    }
    if truth is not None:
        fields = truth.values(points[None])[:, 0] / norms.to(points.device).reshape(-1, *([1] * (p + 1)))
        tensors["truth"] = fields * size.reshape(shape)
    write_atomic(file, save({k: v.float().cpu().contiguous() for k, v in tensors.items()}))


def _drawing_points(domain: PDEDomain, data: SliceData) -> tuple[Tensor, dict[str, Tensor]]:
    """Scaled points `coordinate *grid` of the first trajectory, and the physical grid lines."""
    source, time = data.source, domain.evolution.time
    strides = [max(1, -(-len(source.time) // TIMES)), *(max(1, -(-n // POINTS)) for n in source.grid.shape)]
    values = source.values[0].movedim(1, 0)[(slice(None), *(slice(None, None, k) for k in strides))]
    like = source.values
    lines = [source.time[:: strides[0]]]
    lines += [
        axis.coordinates(like.dtype, like.device)[::k]
        for axis, k in zip(source.grid.axes, strides[1:], strict=True)
    ]
    # tensors of trajectories have time first; coordinates have it where the equation has it
    lines.insert(time, lines.pop(0))
    values = values.movedim(1, 1 + time)
    mesh = torch.meshgrid(*lines, indexing="ij")
    names = domain.coordinates[: len(lines)]
    physical = torch.stack([*mesh, *values])
    shape = [-1] + [1] * len(lines)
    origin, size = (
        torch.tensor(v, dtype=like.dtype, device=like.device).reshape(shape)
        for v in (data.scales.origin, data.scales.size)
    )
    return (physical - origin) / size, dict(zip(names, lines, strict=True))
