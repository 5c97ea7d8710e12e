"""Symmetries of colours: planted ones are found, and what networks that saw photographs bear.

    python benchmarks/colors.py [planted] [natural] [trained] [planted-ready] [ready-made] [--only NAME …]
                                [--seeds 0 1 2] [--threads 1] [--seconds 500] [--work FOLDER] [--out FOLDER]

planted: the extractors of benchmarks/plugins/planted_colors.py, invariant by construction; nothing told.
natural: a network trained on the photographs as they are.
trained: networks trained with hues or brightness changed at random; natural is their control.
planted-ready: linear functions of EfficientNet-Lite0's features that don't notice a change of colours, own ones for
each seed; ready-made is the control. With tau = 4 fields are held to the steepness of hue rotation of norm 1.
ready-made: EfficientNet-Lite0 trained on ImageNet, and with random weights.

Each is what a user types, `lieapp train` and `lieapp discover`, in a process of its own. Rows are added to
colors.json as they come; what stands there isn't run again, and no new one begins after so many seconds. colors.md
is made from it. Rows of planted, natural and trained are older: of the orthonormality loss, rate = 0.003, and the
photographs as they were before, 400 parts of 32 x 32 pixels of each of six, not resized, and held-out ones from the
same photographs.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from colors_tables import written
from machine import heading, processor
from safetensors.torch import load_file
from studies import RESULTS, Rows

PLUGINS = Path(__file__).parent / "plugins"


@dataclass(frozen=True)
class Case:
    """One experiment, done with several seeds.

    Args:
        kind: planted, natural, trained, planted-ready or ready-made.
        plugin: its name.
        planted: the named field that was planted; empty for none.
        train: settings of the network; None where nothing is trained.
        sets: settings of the discovery.
        seeds: those it is done with, of the ones that are asked for.
    """

    kind: str
    plugin: str = "colors"
    planted: str = ""
    train: tuple[str, ...] | None = None
    sets: tuple[str, ...] = ()
    seeds: tuple[int, ...] = (0, 1, 2)


SIZE = ("crops=2400", "crop_side=32")
HUE = ("invariance=hue", "crops=2000")
CASES = {
    "hue": Case("planted", "planted-hue", "hue rotation", sets=("pictures=1000", *SIZE)),
    "brightness": Case("planted", "planted-brightness", "brightness", sets=("pictures=1000", *SIZE)),
    "photographs": Case("natural", train=SIZE, sets=SIZE),
    "trained with hues": Case("trained", planted="hue rotation", train=("augment=hue", *SIZE), sets=SIZE),
    "trained with brightness": Case(
        "trained", planted="brightness", train=("augment=brightness:0.7", *SIZE), sets=SIZE
    ),
    "invariance = hue": Case("planted-ready", planted="hue rotation", train=HUE),
    "invariance = hue, tau = 4": Case("planted-ready", planted="hue rotation", train=HUE, sets=("tau=4",)),
    "efficientnet-lite0": Case("ready-made", sets=("network=efficientnet-lite0",)),
    "random weights": Case("ready-made", sets=("network=efficientnet-lite0-random",)),
}
KINDS = ("planted", "natural", "trained", "planted-ready", "ready-made")


def main() -> None:
    """Run what isn't there yet, then write the table."""
    arguments = parse()
    began = time.perf_counter()
    rows = Rows(arguments.out / "colors.json", ("case", "seed"))
    for name, case in CASES.items():
        wanted = case.kind in arguments.kinds and (not arguments.only or name in arguments.only)
        for seed in arguments.seeds if wanted else ():
            late = time.perf_counter() - began > arguments.seconds
            if seed in case.seeds and not (late and rows.lacks({"case": name, "seed": seed})):
                entry = {"case": name, "seed": seed, "kind": case.kind, "planted": case.planted}
                rows.need(entry, lambda c=case, s=seed: done(c, s, arguments))
    text = written(heading("Symmetries of colours", ["--threads", "1"]), list(rows.rows.values()))
    (arguments.out / "colors.md").write_text(text, encoding="utf-8")


def parse() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description="Symmetries of colours, planted and natural.")
    parser.add_argument("kinds", nargs="*", choices=(*KINDS, []), default=list(KINDS))
    parser.add_argument("--only", nargs="+", choices=tuple(CASES))
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--work", type=Path, default=Path("build/colors"), help="networks and runs")
    parser.add_argument("--out", type=Path, default=RESULTS)
    return parser.parse_args()


def done(case: Case, seed: int, arguments: argparse.Namespace) -> dict[str, Any]:
    """One discovery, told in short."""
    work = arguments.work.absolute()
    threads = (f"threads={arguments.threads}",)
    words = ["discover", "--plugin", case.plugin, "--plugins", str(PLUGINS), "--seed", str(seed)]
    network: dict[str, Any] = {}
    if case.train is not None:
        own = ["--seed", str(seed)] if case.kind == "planted-ready" else []
        network = lieapp(["train", "--plugin", case.plugin, *own, *sets((*case.train, *threads))], work)
        words += ["--set", f"trained={network['file']}"]
    start, used, load = time.perf_counter(), cpu_seconds(), os.getloadavg()[0]
    summary = lieapp([*words, *sets((*case.sets, *threads))], work)
    row = {
        "sets": case.sets, "train": case.train, "threads": arguments.threads, "processor": processor(),
        "load": load, "wall": time.perf_counter() - start, "cpu": cpu_seconds() - used,
        "run": Path(summary["run"]).name,
        **{key: summary[key] for key in ("seconds", "s", "generators", "reference", "inner", "clipped")},
    }  # fmt: skip
    if case.planted:
        row |= held_against(summary, case.planted)
    if case.kind == "planted-ready":
        row |= palette(work / summary["run"])
    if network:
        keys = ("accuracy", "learned_from", "judged_on", "parameters", "planted", "seconds")
        row["network"] = {key: network[key] for key in keys}
    return row


def held_against(summary: dict[str, Any], planted: str) -> dict[str, Any]:
    """Cosine of the planted field with slot 1, with its nearest slot and with the span of all."""
    (number,) = (n for n, field in enumerate(summary["reference"]) if field["name"] == planted)
    cosines = [abs(row[number]) for row in summary["inner"]]
    nearest = max(range(len(cosines)), key=cosines.__getitem__)
    return {
        "first": cosines[0], "nearest": {"slot": nearest + 1, "cosine": cosines[nearest]},
        "span": summary["reference"][number]["cosine"],
    }  # fmt: skip


def palette(run: Path) -> dict[str, list[float]]:
    """What fields look like on the sampled colours, under their weight.

    affine: the share of each slot in the span of all twelve affine fields. chroma: root mean squares of the
    distance from the grey axis, along both principal axes of the plane across it.
    """
    tensors = {key: own.double() for key, own in load_file(run / "fields.safetensors").items()}
    root, colors = tensors["weight"].flatten().sqrt(), tensors["colors"]
    monomials = torch.cat([torch.ones_like(colors[:1]), colors]) * root
    frame, learned = torch.linalg.qr(monomials.T)[0], tensors["learned"] * root
    shares = (learned @ frame).flatten(1).norm(dim=1) / learned.flatten(1).norm(dim=1)
    spread = torch.linalg.svdvals((colors - colors.mean(0)) * root)[:2] / root.norm()
    return {"affine": shares.tolist(), "chroma": spread.tolist()}


def cpu_seconds() -> float:
    """Of all processes that were started here and have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def sets(values: tuple[str, ...]) -> list[str]:
    """Settings as options."""
    return [word for value in values for word in ("--set", value)]


def lieapp(words: list[str], work: Path) -> dict[str, Any]:
    """One command in a folder of its own, with a cache of networks there."""
    work.mkdir(parents=True, exist_ok=True)
    environment = {**os.environ, "LIEAPP_CACHE": str(work / "cache")}
    command = [sys.executable, "-m", "lieapp", *words, "--json", "--quiet"]
    said = subprocess.run(command, cwd=work, env=environment, capture_output=True, text=True)
    if said.returncode:
        raise SystemExit(f"{' '.join(command)}\n{said.stdout}{said.stderr}")
    answer: dict[str, Any] = json.loads(said.stdout)
    return answer


if __name__ == "__main__":
    main()
