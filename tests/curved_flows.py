"""Data of equations that no short polynomial expresses, and how far learned spans are from derived ones."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import sympy as sp
import torch

from lieapp.api import PDE, SumOfSines
from lieapp.data.simulate import simulate
from lieapp.data.stepping import Tolerance
from lieapp.data.trajectories import Trajectories

t, x = sp.symbols("t x", real=True)
u = sp.Function("u")(t, x)

CURVED = {
    "shortening": (u.diff(x, 2) / (1 + u.diff(x) ** 2), 6.0, 1.5),
    "sine": (u.diff(x, 2) + sp.sin(u), 12.0, 2.0),
    "porous": ((u.diff(x) / (1 + u**2)).diff(x), 8.0, 2.0),
}
"""Right side, length of the period, and time."""


def curved(name: str, points: int = 64) -> PDE:
    right, length, end = CURVED[name]
    return PDE(
        name=name, title=name, equation=sp.Eq(u.diff(t), right), region={t: (0, end), x: (0, length)},
        points={t: 61, x: points}, periodic=[x], initial=SumOfSines(terms=4, amplitude=1.0, wavenumbers=(1, 2)),
    )  # fmt: skip


def solutions(name: str, samples: int = 20, seed: int = 0, points: int = 64) -> Trajectories:
    return simulate(curved(name, points), samples, torch.Generator().manual_seed(seed), tolerance=Tolerance(1e-6))


def written(data: Trajectories, file: Path, **more: np.ndarray) -> Path:
    """The trajectories as a file."""
    line = data.grid.axes[0].coordinates().numpy()
    np.savez(file, t=data.time.numpy(), x=line, u=data.values[:, :, 0].numpy(), **more)
    return file


def angle(learned: Sequence, fields: Sequence[dict[str, str]], points: dict[str, np.ndarray]) -> float:
    """Largest principal angle of the spans of learned fields and of formulas at points, over their sizes."""
    names = [*points]
    sizes = {name: np.ptp(values) for name, values in points.items()}
    symbols = [sp.Symbol(name, real=True) for name in names]
    known = [
        [sp.lambdify(symbols, sp.sympify(field[name], dict(zip(names, symbols, strict=True))))(*points.values())
         * np.ones_like(points[name]) / sizes[name] for name in names] for field in fields
    ]  # fmt: skip
    own = [[field(**points)[name] / sizes[name] for name in names] for field in learned]
    first, second = (np.linalg.qr(np.reshape(one, (len(one), -1)).T)[0] for one in (known, own))
    return float(np.arccos(np.clip(np.linalg.svd(first.T @ second, compute_uv=False).min(), -1, 1)))


def places(
    data: Trajectories, count: int = 500, inside: tuple[float, float] | None = None
) -> dict[str, np.ndarray]:
    """Coordinates of random nodes."""
    line, times = data.grid.axes[0].coordinates().numpy(), data.time.numpy()
    seen = np.arange(len(line)) if inside is None else np.flatnonzero((line >= inside[0]) & (line <= inside[1]))
    rng = np.random.default_rng(0)
    s, k, n = (rng.integers(m, size=count) for m in (data.samples, len(times), len(seen)))
    return {"t": times[k], "x": line[seen[n]], "u": data.values[s, k, 0, seen[n]].numpy()}
