"""A finished run as docs/architecture.md and the JSON contract describe it; nothing is computed."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
from safetensors.numpy import save_file

from lieapp.document import Formula
from lieapp.pde.document import sentence
from lieapp.results.discovery import (
    AtSize,
    Convergence,
    CrossCheck,
    DerivedField,
    EquationResult,
    Slot,
    Spectrum,
    Subspace,
)
from lieapp.runs.store.files import encode

S = np.array([-0.2, -0.1, 0.0, 0.1, 0.2])
"""Flow parameters of the orbits."""


def shown(text: str, latex: str = "") -> Formula:
    """A formula; its LaTeX is the text unless given."""
    return Formula(text, latex or text)


BOOST = Formula(
    "2*sqrt(t + 1) ∂x + 1/sqrt(t + 1) ∂u",
    r"2 \sqrt{t + 1}\,\partial_{x} + \frac{1}{\sqrt{t + 1}}\,\partial_{u}",
)


def summary(run: Path | str = "run") -> EquationResult:
    """The result of a cKdV run with two candidates in four slots."""
    found = EquationResult(
        run=str(run),
        plugin="ckdv",
        method="neural",
        seconds={"start": 1.9, "data": 3.2, "truth": 0.8, "discovery": 6.7, "total": 12.9},
        count=2,
        generators=[
            Slot(slot=1, eta=3e-6, verdict="exact"),
            Slot(slot=2, eta=2.1e-4, verdict="exact"),
            Slot(slot=3, eta=0.061, verdict="approximate"),
            Slot(slot=4, eta=0.39, verdict="none"),
        ],
        spectrum=Spectrum(
            method="neural", eta=[3e-6, 2.1e-4, 0.061, 0.39, 0.8, 1.4, 2.2, 3.1, 4.0, 6.5], gap_after=2
        ),
        truth=[
            DerivedField(
                name="space translation", field={"t": "0", "x": "1", "u": "0"}, cosine=0.99999,
                shown=shown("∂x", r"\partial_{x}"),
            ),
            DerivedField(
                name="generator 2", field={"t": "0", "x": "2*sqrt(t + 1)", "u": "1/sqrt(t + 1)"}, cosine=0.99998,
                shown=BOOST,
            ),
        ],
        subspace=Subspace(angle=0.002),
        cross_check=CrossCheck(method="spectrum", angle=0.0011, count=2, eta=[1e-9, 2e-9, 0.06, 0.4]),
        title="Cylindrical Korteweg-de Vries",
        equation_latex=r"u_{t} + u u_{x} + u_{xxx} + \frac{u}{2 \left(t + 1\right)} = 0",
        equation_shown=[
            shown(
                "u_t + u*u_x + u_xxx + u/(2*(t + 1)) = 0",
                r"u_{t} + u u_{x} + u_{xxx} + \frac{u}{2 \left(t + 1\right)} = 0",
            )
        ],
        coordinates=["t", "x", "u"],
        inner=[[0.8, 0.6], [-0.6, 0.79999], [0.01, -0.03], [0.02, 0.11]],
        convergence=[
            Convergence(slot=slot, levels=[8, 12, 16, 24], eta=etas)
            for slot, etas in enumerate(
                (
                    [2e-3, 3e-4, 2e-5, 3e-6], [6e-2, 9e-3, 1.1e-3, 2.1e-4], [0.11, 0.07, 0.062, 0.061],
                    [0.5, 0.42, 0.4, 0.39],
                ),
                start=1,
            )
        ],
    )  # fmt: skip
    found.sentence = sentence(found)
    return found


def fields() -> dict[str, np.ndarray]:
    """fields.safetensors of the same run: a travelling hump and four fields with their exact flows."""
    t, x = np.linspace(44, 99.6, 28), np.arange(64) * 2.0
    T, X = np.meshgrid(t, x, indexing="ij")
    u = sum(a * np.exp(-((((X - c - v * (T - 44) + 64) % 128 - 64) / w) ** 2)) for a, c, v, w in _HUMPS)
    root, zero, one = np.sqrt(T + 1), np.zeros_like(T), np.ones_like(T)
    learned = np.stack(
        [
            np.stack([zero, 60 * one + 6 * root, 0.1 / root]),
            np.stack([zero, -40 * one + 8 * root, 4 / root]),
            np.stack([55 * one, 1 * one, -0.02 * u]),
            np.stack([zero, zero, 0.29 * u / u.max()]),
        ]
    )
    truth = np.stack([np.stack([zero, 128 * one, zero]), np.stack([zero, 11 * root, 5.5 / root])])
    base = np.stack([T, X, u])
    # all but the last are constant along their flow or nearly so: a straight line in s shows the same
    orbit = np.stack([np.stack([base + s * field for s in S]) for field in learned])
    arrays = {
        "grid/t": t,
        "grid/x": x,
        "solution": u[None],
        "learned": learned,
        "truth": truth,
        "scale": np.array([55.6, 128.0, 1.2]),
        "orbit/s": S,
        "orbit/points": orbit,
    }
    return {key: np.ascontiguousarray(value, dtype=np.float32) for key, value in arrays.items()}


_HUMPS = ((1.1, 20.0, 0.9, 9.0), (0.6, 80.0, 0.3, 14.0), (-0.4, 50.0, -0.2, 20.0))


SIZES = [-0.4, -0.2, 0.2, 0.4]
"""Flow parameters of the judgement at finite size."""

DEFECTS = [
    ([2.5e-6, 3e-6, 3.1e-6, 2.7e-6], [0.83] * 4, True),
    ([4.4e-4, 3e-4, 2.5e-4, 3.3e-4], [0.43, 0.7, 0.8, 0.8], True),
    ([None, 0.077, 0.073, 0.22], [0.0, 0.3, 0.4, 0.004], True),
    ([0.37, 0.38, 0.41, 0.62], [0.8] * 4, False),
]
"""Of each slot: the defects at these, the shares of nodes, whether it holds."""


def judged(content: EquationResult) -> EquationResult:
    """A result with its fields judged at finite size."""
    for slot, (d, n, holds) in zip(content.generators, DEFECTS, strict=True):
        slot.finite = AtSize(
            s=SIZES, defect=d, share=n, folded=[0.0, 0.0, 0.0, 0.1], unmoved=[1e-7] * 4, holds=holds
        )
    return content


def moved() -> dict[str, np.ndarray]:
    """finite.safetensors: each slot's flow on finer nodes, residuals that grow with s."""
    arrays = fields()
    base = np.stack([*np.meshgrid(arrays["grid/t"], arrays["grid/x"], indexing="ij"), arrays["solution"][0]])
    points = np.stack([np.stack([base + s * field for s in SIZES]) for field in arrays["learned"]])
    level = np.array([3e-6, 2e-4, 0.02, 0.4])[:, None, None, None, None]
    size = np.array(SIZES)[None, :, None, None, None]
    residual = level * size * np.sin(base[1] / 9)[None, None, None]
    residual[..., :3, :] = np.nan
    residual[2, 0] = np.nan
    found = {"s": np.array(SIZES), "points": points, "residual": residual}
    return {key: np.ascontiguousarray(value, dtype=np.float32) for key, value in found.items()}


def metrics(steps: int = 60) -> list[dict]:
    """metrics.jsonl."""
    levels = (3e-6, 2.1e-4, 0.061, 0.39)
    return [
        {
            "step": k,
            "total": steps,
            "loss": 4 - 22 * (1 - math.exp(-k / 15)),
            "eta": [e * (1 + 50 * math.exp(-k / 8) / (j + 1)) for j, e in enumerate(levels)],
            "seconds": 0.11 * k,
        }
        for k in range(1, steps + 1)
    ]


def write_run(
    runs: Path, name: str = "20250101T120000Z-ckdv-abc123", *, done: bool = True, at_size: bool = False
) -> Path:
    """A run folder in state done; without `done` only what exists before the first step.

    Args:
        at_size: fields were judged at finite size too.
    """
    run = runs / name
    run.mkdir(parents=True)
    config = {
        "kind": "discover",
        "plugin": "ckdv",
        "method": "neural",
        "slots": 4,
        "seed": 0,
        "device": "auto",
    }
    provenance = {
        "versions": {"lieapp": "0.1.0", "python": "3.11.9", "torch": "2.9.0", "sympy": "1.14.0"},
        "plugin": {"file": "plugins/ckdv.py", "sha256": "9f" * 32},
        "device": "cpu",
        "command": "lieapp discover --plugin ckdv",
        "seeds": {"data": 0, "training": 0},
    }
    _json(run / "config.json", config)
    _json(run / "provenance.json", provenance)
    if done:
        put(run, judged(summary(run)) if at_size else summary(run))
        if at_size:
            save_file(moved(), run / "finite.safetensors")
        save_file(fields(), run / "fields.safetensors")
        lines = "".join(json.dumps(line) + "\n" for line in metrics())
        (run / "metrics.jsonl").write_text(lines, encoding="utf-8")
    return run


def put(run: Path, result: EquationResult) -> None:
    """Write summary.json."""
    (run / "summary.json").write_bytes(encode(result))


def _json(path: Path, value: dict) -> None:
    path.write_text(json.dumps(value), encoding="utf-8")
