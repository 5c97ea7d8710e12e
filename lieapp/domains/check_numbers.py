"""The numbers behind `lieapp check`: tensors against exact evaluation, linearisation, defects on short data."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import replace

import sympy as sp
import torch
from torch import Tensor

from lieapp.api import PDE
from lieapp.data.simulate import simulate
from lieapp.data.stepping import Tolerance
from lieapp.data.trajectories import Trajectories
from lieapp.domains.base import Characteristics
from lieapp.domains.formulas import FixedFields
from lieapp.domains.pde import FIELD_DEGREE, PDEDomain
from lieapp.domains.pde_data import SliceData, measure_scales
from lieapp.domains.slices import Slices
from lieapp.equations.equation import exact, read_pde
from lieapp.equations.evolution import degree, time_variable
from lieapp.lie.invariance import is_symmetry
from lieapp.numerics.codegen import Tape

SAMPLES = 2
TIMES = 16
SHARE = 0.1
"""Part of the time window that the short simulation covers; the cheap part, as initial states are smooth."""

STEP = 1e-3
"""Relative step of the difference quotient: smaller ones drown in the round-off of high derivatives."""


def short_declaration(pde: PDE) -> PDE:
    """The declaration with fewer times, and with a shorter window unless data come by a change of variables.

    Those are cheap, and what they start from may be too steep for the plugin's own grid.
    """
    if pde.source is not None:
        return pde
    t = tuple(pde.region)[time_variable(read_pde(pde))]
    left, right = (float(end) for end in pde.region[t])
    share = 1.0 if pde.transform is not None else SHARE
    region = {**pde.region, t: (left, left + share * (right - left))}
    return replace(pde, region=region, points={**pde.points, t: TIMES}, keep_last=TIMES // 2)


def short_trajectories(pde: PDE, progress: Callable[[int, int], None]) -> Trajectories:
    """A few trajectories of a declaration."""
    return simulate(pde, SAMPLES, torch.Generator().manual_seed(0), tolerance=Tolerance(1e-6), progress=progress)


def bridge_error(domain: PDEDomain, points: int = 8) -> tuple[float, int]:
    """Largest relative difference of F and its derivatives, on tensors and by `evalf`, and at how many jets.

    Jets are positive, so that roots and logarithms of them are real.
    """
    evolution, draw = domain.evolution, random.Random(0)
    expressions = [*evolution.rhs, *evolution.frechet().values()]
    jets = list({s: None for e in expressions for s in evolution.jets.jets(e)})
    symbols = [*evolution.jets.independent, *jets]
    tape, worst = Tape(expressions, symbols), 0.0
    for _ in range(points):
        ends = [domain.declaration.region[x] for x in evolution.jets.independent]
        values = [draw.uniform(float(a), float(b)) for a, b in ends] + [draw.uniform(0.3, 1.3) for _ in jets]
        found = tape(*torch.tensor(values, dtype=torch.float64).unbind())
        for expression, value in zip(expressions, found, strict=True):
            exactly = {s: sp.Float(v, 30) for s, v in zip(symbols, values, strict=True)}
            truth = float(expression.xreplace(exactly).evalf(25))
            worst = max(worst, abs(float(value) - truth) / max(abs(truth), 1.0))
    return worst, points


def frechet_error(domain: PDEDomain, data: Trajectories) -> float:
    """Relative difference of F'[u](q) and (F[u + εq] - F[u - εq])/(2ε) for random smooth q."""
    train = _slices(domain, data)
    batch = next(iter(train.batches(4, 4)))
    scales, p = train.scales, len(domain.evolution.jets.independent)
    unit = torch.tensor(scales.size[p:], dtype=torch.float64).reshape(-1, *(1 for _ in train.grid.axes))
    q = _smooth(batch.points[:, p:], domain, train.grid.shape)
    u, t = batch.points[:, p:] * unit, batch.points[:, domain.evolution.time]
    time = scales.origin[domain.evolution.time] + scales.size[domain.evolution.time] * t.flatten(1)[:, 0]

    def rate(values: Tensor) -> Tensor:
        return domain.linearisation.slices(time, values, train.grid, scales).tangents[:, p:]

    quotient = (rate(u + STEP * unit * q) - rate(u - STEP * unit * q)) / (2 * STEP)
    linear = -domain.tangent(batch, Characteristics(q[None], torch.zeros_like(q[None])))[0]
    return float((quotient - linear).square().mean().sqrt() / linear.square().mean().sqrt().clamp_min(1e-300))


def _slices(domain: PDEDomain, data: Trajectories) -> SliceData:
    """All trajectories as slices, padded for fields of low degree in u."""
    padding = degree(domain.evolution, domain.evolution.rhs) + FIELD_DEGREE
    return SliceData(data, domain.linearisation, measure_scales(data, domain.arguments.names), padding)


def _smooth(like: Tensor, domain: PDEDomain, shape: tuple[int, ...]) -> Tensor:
    """Two Fourier modes with random phases along each axis, for each component of each slice."""
    generator, result = torch.Generator().manual_seed(1), torch.ones_like(like)
    for axis, n in enumerate(shape):
        line = torch.arange(n, dtype=torch.float64) * (2 * torch.pi / n)
        phase = 2 * torch.pi * torch.rand(2, *like.shape[:2], 1, generator=generator, dtype=torch.float64)
        values = torch.cos(line + phase[0]) + 0.5 * torch.cos(2 * line + phase[1])
        result = result * values.reshape(*like.shape[:2], *(n if i == axis else 1 for i in range(len(shape))))
    return result


def wrong_field(domain: PDEDomain) -> dict[str, sp.Expr] | None:
    """A field that is no symmetry, periodic where the domain is; None if every candidate is one."""
    zero = dict.fromkeys(domain.components, sp.S.Zero)
    candidates = []
    for x in domain.declaration.periodic:
        left, right = (exact(end) for end in domain.declaration.region[x])
        candidates.append({**zero, str(x): sp.sin(2 * sp.pi * (x - left) / (right - left))})
    candidates += [{**zero, str(u): u**2} for u in domain.evolution.jets.unknowns]
    return next((field for field in candidates if not is_symmetry(domain.system, field)), None)


def defects(domain: PDEDomain, data: Trajectories, fields: Sequence[dict[str, sp.Expr]]) -> list[float]:
    """η = rms(M)/rms(Q) of each field on the data: the relative error that moved solutions gather."""
    train = _slices(domain, data)
    batches: list[Slices] = list(train.batches(SAMPLES * TIMES // 2, 8))
    result = []
    for components in fields:
        formulas = FixedFields(domain.scaled_field(components, train.scales))
        residual, size = 0.0, 0.0
        for batch in batches:
            _, q = domain.characteristic(batch, formulas)
            residual += float(domain.tangent(batch, q).square().sum())
            size += float(q.value.square().sum())
        result.append((residual / size) ** 0.5 if size else float("inf"))
    return result
