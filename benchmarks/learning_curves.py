"""Which generator is found when: the paper's training at reduced size on KS, generator by generator.

    python benchmarks/learning_curves.py [--plugin ks] [--seeds 0 1 2] [--steps 240] [--every 10] [--out FOLDER]

The paper reports that the two translations come within a few epochs and the Galilean boost later (its section
"Hyperparameter analysis"). Here, every so many steps on held-out data: η of each slot, its inner product with
each generator, and how much of each generator the right slots hold. Writes learning_curves.csv (a line for each
seed, step and quantity), learning_curves.svg (η of the slots, first seed) and learning_curves.md (from which step
on each generator is held).
"""

from __future__ import annotations

import argparse
import csv
from pathlib import Path
from typing import Any

from machine import heading
from studies import FOUND, RESULTS, VALID, Settings, case, held_against, rounded, table, trained

from lieapp.drawing import Curve
from lieapp.figures.charts import curves as drawn_curves
from lieapp.figures.files import svg
from lieapp.numerics.processor import use_processor

LEVELS = (FOUND, 0.9999)


def main() -> None:
    """Train, evaluate along the way, write the three files."""
    arguments = parse()
    use_processor(1)
    one = case(arguments.plugin, arguments.samples, arguments.held_out)
    settings = Settings(steps=arguments.steps, width=arguments.width)
    curves: dict[int, list[dict[str, Any]]] = {}
    for seed in arguments.seeds:
        curves[seed] = []
        own = Settings(steps=settings.steps, width=settings.width, seed=seed)
        for step, fields in trained(one, own, arguments.every):
            curves[seed].append({"step": step, **held_against(one, fields, own.slots)})
            print(seed, step, rounded(curves[seed][-1]["held_all"]), rounded(curves[seed][-1]["eta"]), flush=True)
    arguments.out.mkdir(parents=True, exist_ok=True)
    names = one.truth.names
    write_csv(arguments.out / "learning_curves.csv", names, curves)
    drawn = chart(curves[arguments.seeds[0]], arguments.plugin, arguments.seeds[0])
    (arguments.out / "learning_curves.svg").write_text(drawn, encoding="utf-8")
    note = (
        f"{arguments.plugin}; training: {settings.told()}; {arguments.samples} trajectories, simulated with seed "
        f"0 for all; evaluated every {arguments.every} steps on held-out data. Steps from which on the right "
        f"slots (η < {VALID}, cosine at least {FOUND} with the span of the generators) hold a generator with a "
        "cosine; never: they don't at the end. A generator here is what of it is orthogonal to those before it."
    )
    text = f"{heading('Which generator is found when')}\n{note}\n\n{table(milestones(names, curves))}\n"
    (arguments.out / "learning_curves.md").write_text(text, encoding="utf-8")


def parse() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description="Learning curves of the paper's training at reduced size.")
    parser.add_argument("--plugin", default="ks")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--steps", type=int, default=Settings.steps)
    parser.add_argument("--every", type=int, default=25)
    parser.add_argument("--width", type=int, default=Settings.width)
    parser.add_argument("--samples", type=int, default=16)
    parser.add_argument("--held-out", type=int, default=4)
    parser.add_argument("--out", type=Path, default=RESULTS)
    return parser.parse_args()


def write_csv(file: Path, names: list[str], curves: dict[int, list[dict[str, Any]]]) -> None:
    """seed, step, what it is of, which one, value: cosines of generators, η of slots."""
    with file.open("w", newline="", encoding="utf-8") as target:
        rows = csv.writer(target, lineterminator="\n")
        rows.writerow(("seed", "step", "quantity", "of", "value"))
        for seed, curve in curves.items():
            for point in curve:
                for key, which in (("held_all", "all"), ("held", "the first N")):
                    quantity = f"held by the right of {which} slots"
                    for name, value in zip(names, point[key], strict=True):
                        rows.writerow((seed, point["step"], quantity, name, f"{value:.6f}"))
                for slot, inner in enumerate(point["inner"]):
                    for name, value in zip(names, inner, strict=True):
                        quantity = f"inner product with slot {slot + 1}"
                        rows.writerow((seed, point["step"], quantity, name, f"{value:.6f}"))
                for slot, eta in enumerate(point["eta"]):
                    rows.writerow((seed, point["step"], "η", f"slot {slot + 1}", f"{eta:.4g}"))


def chart(curve: list[dict[str, Any]], plugin: str, seed: int) -> str:
    """η of each slot, logarithmic."""
    steps = [point["step"] for point in curve]
    slots = range(len(curve[0]["eta"]))
    lines = [Curve(f"slot {n + 1}", steps, [point["eta"][n] for point in curve]) for n in slots]
    title = f"Defect of each slot while training on {plugin}, seed {seed}"
    return svg(drawn_curves(lines, "training steps", "defect η (no unit)", title, log=True))


def milestones(names: list[str], curves: dict[int, list[dict[str, Any]]]) -> list[tuple[str, ...]]:
    """From which step on each generator keeps a level."""
    rows: list[tuple[str, ...]] = [
        ("generator", "cosine", *(f"seed {seed}" for seed in curves), "at the end, all slots", "the first N")
    ]
    for k, name in enumerate(names):
        for level in LEVELS:
            steps = [kept_from(curve, k, level) for curve in curves.values()]
            last = [" ".join(f"{c[-1][key][k]:.5f}" for c in curves.values()) for key in ("held_all", "held")]
            rows.append((name, f"≥ {level:g}", *steps, *last))
    return rows


def kept_from(curve: list[dict[str, Any]], place: int, level: float) -> str:
    """The first step after which the cosine never falls below the level again."""
    step = "never"
    for point in reversed(curve):
        if point["held_all"][place] < level:
            break
        step = str(point["step"])
    return step


if __name__ == "__main__":
    main()
