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
        norms: of the derived fields on the data, to draw them with norm 1.
    """
    points, origin, size, base = _drawing_points(domain, data)
    s = torch.linspace(-SIGMA, SIGMA, STEPS, dtype=points.dtype, device=points.device)
    s[STEPS // 2] = 0.0
    copies = points.expand(slots, 1, *points.shape)
    moved = orbit(learned, copies, s)[:, :, 0].transpose(0, 1)
    tensors = {
        **base,
        "learned": values(learned, points[None])[:, 0] * size,
        "orbit/s": s,
        "orbit/points": origin + size * moved,
    }
    if truth is not None:
        fields = truth.values(points[None])[:, 0] / norms.to(points.device).reshape(-1, *([1] * points.ndim))
        tensors["truth"] = fields * size
    write_tensors(file, tensors)


def write_current(
    file: Path, domain: PDEDomain, data: SliceData, fields: nn.Module, facts: Mapping[str, Any]
) -> None:
    """Write what a training holds now, for a page to draw: the same keys, without derived fields and orbits.

    Draws no random number and changes nothing of the training. `facts` go into the file's header as JSON.
    """
    points, _, size, base = _drawing_points(domain, data)
    like = next((p for p in fields.parameters()), points)
    with torch.no_grad():
        learned = values(fields, points[None].to(like))[:, 0].to(points)
    tensors = {**base, "learned": learned * size}
    write_tensors(file, tensors, {"coordinates": list(domain.components), **facts})


def _drawing_points(domain: PDEDomain, data: SliceData) -> tuple[Tensor, Tensor, Tensor, dict[str, Tensor]]:
    """Scaled points `coordinate *grid` of the first trajectory, their origin and size, and what pictures need."""
    source, time = data.source, domain.evolution.time
    strides = [max(1, -(-len(source.time) // TIMES)), *(max(1, -(-n // POINTS)) for n in source.grid.shape)]
    solution = source.values[0].movedim(1, 0)[(slice(None), *(slice(None, None, k) for k in strides))]
    like = source.values
    lines = [source.time[:: strides[0]]]
    lines += [
        axis.coordinates(like.dtype, like.device)[::k]
        for axis, k in zip(source.grid.axes, strides[1:], strict=True)
    ]
    # tensors of trajectories have time first; coordinates have it where the equation has it
    lines.insert(time, lines.pop(0))
    solution = solution.movedim(1, 1 + time)
    origin, size = (
        torch.tensor(v, dtype=like.dtype, device=like.device).reshape(-1, *[1] * len(lines))
        for v in (data.scales.origin, data.scales.size)
    )
    points = (torch.stack([*torch.meshgrid(*lines, indexing="ij"), *solution]) - origin) / size
    grid = {f"grid/{name}": line for name, line in zip(domain.arguments.names, lines, strict=False)}
    return points, origin, size, {**grid, "solution": solution, "scale": size.flatten()}
