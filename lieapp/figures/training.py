"""Training curves from metrics.jsonl."""

from __future__ import annotations

import math
from collections.abc import Sequence

from lieapp.drawing import Curve, Drawing, MissingError
from lieapp.figures.charts import calmed, curves
from lieapp.figures.material import Json, finite, or_nan
from lieapp.results.augment import label

MOST_POINTS = 400
"""Largest number of points of a training curve; beyond, only every n-th line is drawn."""


def loss_chart(metrics: Sequence[Json]) -> Drawing:
    """The loss over the steps, a curve for each stage; linear, because a sum of logarithms can be negative."""
    if any("variant" in m for m in metrics):
        return _losses_of_variants(metrics)
    lines = [m for m in thinned(metrics) if finite(m.get("loss")) is not None]
    if not lines:
        raise MissingError("No training steps were recorded.")
    stages = dict.fromkeys(str(m.get("stage") or "loss") for m in lines)
    found = []
    for stage in stages:
        own = [m for m in lines if str(m.get("stage") or "loss") == stage]
        line = Curve(stage, [or_nan(m.get("step")) for m in own], [or_nan(m.get("loss")) for m in own])
        found.append(calmed(line))
    return curves(found, "training step", "loss (no unit)", "Training loss")


def _losses_of_variants(metrics: Sequence[Json]) -> Drawing:
    """For several trainings, those of the first seed with the most data, each from its first step."""
    lines = [m for m in metrics if "variant" in m and finite(m.get("loss")) is not None]
    if not lines:
        raise MissingError("No training steps were recorded.")
    seed, most = lines[0].get("seed"), max(finite(m.get("samples")) or 0 for m in lines)
    own = [m for m in lines if m.get("seed") == seed and (finite(m.get("samples")) or 0) == most]
    found = []
    for variant in dict.fromkeys(str(m["variant"]) for m in own):
        part = thinned([m for m in own if str(m["variant"]) == variant])
        first = or_nan(part[0].get("step")) - 1
        steps = [or_nan(m.get("step")) - first for m in part]
        line = Curve(label(variant), steps, [or_nan(m["loss"]) for m in part], below=variant == "truth")
        found.append(calmed(line, log=True))
    title = f"Training loss, seed {seed}, {most:g} data"
    return curves(found, "training step", "loss (no unit)", title, log=True)


def defect_chart(metrics: Sequence[Json]) -> Drawing:
    """η of each slot over the steps; if a stage has no η, the validity of moved data."""
    shown = thinned(metrics)
    key = "eta" if any(m.get("eta") for m in shown) else "validity"
    lines = [m for m in shown if m.get(key)]
    if not lines:
        raise MissingError("No training steps with a defect were recorded.")
    steps = [or_nan(m.get("step")) for m in lines]
    count = max(len(m[key]) for m in lines)
    table = [[*map(or_nan, m[key]), *[math.nan] * (count - len(m[key]))] for m in lines]
    found = [calmed(Curve(f"slot {k + 1}", steps, [row[k] for row in table]), log=True) for k in range(count)]
    label = "defect η (no unit)" if key == "eta" else "validity: residual, or angle for pictures (rad)"
    return curves(found, "training step", label, "Defect of each slot during training", log=True)


def thinned(metrics: Sequence[Json]) -> list[Json]:
    """Every n-th line and the last one."""
    stride = max(1, math.ceil(len(metrics) / MOST_POINTS))
    kept = list(metrics[::stride])
    if metrics and kept[-1] is not metrics[-1]:
        kept.append(metrics[-1])
    return kept
