"""fields.safetensors: learned and derived fields on a drawing grid, one solution moved by each learned field."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from lieapp.domains.formulas import FixedFields
from lieapp.methods.fields import Slotted, values
from lieapp.methods.flow import orbit
from lieapp.pde.data import SliceData
from lieapp.pde.domain import PDEDomain
from lieapp.runs.store.files import write_tensors

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
    points, base = _drawing_base(domain, data)
    shape = [-1] + [1] * (points.ndim - 1)
    size = base["scale"]
    origin = torch.tensor(data.scales.origin, dtype=points.dtype, device=points.device)
    s = torch.linspace(-SIGMA, SIGMA, STEPS, dtype=points.dtype, device=points.device)
    s[STEPS // 2] = 0.0
    copies = points.expand(slots, 1, *points.shape)
    moved = orbit(learned, copies, s)[:, :, 0].transpose(0, 1)
    tensors = {
        **base,
        "learned": values(learned, points[None])[:, 0] * size.reshape(shape),
        "orbit/s": s,
        "orbit/points": origin.reshape(shape) + size.reshape(shape) * moved,
    }
    if truth is not None:
        fields = truth.values(points[None])[:, 0] / norms.to(points.device).reshape(-1, *([1] * points.ndim))
        tensors["truth"] = fields * size.reshape(shape)
    write_tensors(file, tensors)


def write_current(
    file: Path, domain: PDEDomain, data: SliceData, fields: nn.Module, facts: Mapping[str, Any]
) -> None:
    """Write what a training holds now, for a page to draw: the same keys, without derived fields and orbits.

    Draws no random number and changes nothing of the training. `facts` go into the file's header as JSON.
    """
    points, base = _drawing_base(domain, data)
    like = next((p for p in fields.parameters()), points)
    with torch.no_grad():
        learned = values(fields, points[None].to(like))[:, 0].to(points)
    shape = [-1] + [1] * (points.ndim - 1)
    tensors = {**base, "learned": learned * base["scale"].reshape(shape)}
    write_tensors(file, tensors, {"coordinates": list(domain.components), **facts})


def _drawing_base(domain: PDEDomain, data: SliceData) -> tuple[Tensor, dict[str, Tensor]]:
    """Scaled points, and what every picture needs: grid lines, the solution and the scale, physical."""
    points, lines = _drawing_points(domain, data)
    p = len(lines)
    size = torch.tensor(data.scales.size, dtype=points.dtype, device=points.device)
    origin = torch.tensor(data.scales.origin, dtype=points.dtype, device=points.device)
    shape = [-1] + [1] * p
    solution = origin[p:].reshape(shape) + size[p:].reshape(shape) * points[p:]
    return points, {**{f"grid/{k}": line for k, line in lines.items()}, "solution": solution, "scale": size}


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
    names = domain.arguments.names[: len(lines)]
    physical = torch.stack([*mesh, *values])
    shape = [-1] + [1] * len(lines)
    origin, size = (
        torch.tensor(v, dtype=like.dtype, device=like.device).reshape(shape)
        for v in (data.scales.origin, data.scales.size)
    )
    return (physical - origin) / size, dict(zip(names, lines, strict=True))
