"""What networks gain from data moved along symmetries: operators on four equations, classifiers on pictures.

    python benchmarks/augment.py [--studies kdv ks …] [--seeds 0 1 2] [--minutes 8] [--work DIR] [--out FILE]

Each study is one run of `lieapp augment`, with the run of `lieapp discover` whose fields it uses; both are kept in
--work and gone on with where an interrupted call, or one out of minutes, left them. Results go to a JSON file as
they come, and the tables beside the paper's are written from that.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from machine import heading, processor
from PIL import Image

from lieapp.augment.document import defects
from lieapp.data.images.sources import PHOTOGRAPHS, shipped

RESULTS = Path(__file__).parent / "results"

RUN = "RUN"
"""In a study's variants, the run whose fields are used."""

HALVES = "HALVES"
"""In a study's options, the folder of halves of photographs."""

SPECTRUM = ("--method", "spectrum", "--set", "cross_check=false", "--set", "finite_samples=0")
"""How fields of equations are learned here: seconds instead of minutes."""


@dataclass(frozen=True)
class Study:
    """One run of `lieapp augment`.

    Args:
        plugin: what is trained on.
        variants: ways of moving.
        discover: options of the run whose fields are used.
        more: options besides.
        paper: mean and spread that the paper has for a variant.
        base: the study whose rows `none` and `truth` stand in its ratios; its own unless given.
        note: what is measured, where the table doesn't say it.
    """

    plugin: str
    variants: tuple[str, ...]
    discover: tuple[str, ...] = SPECTRUM
    more: tuple[str, ...] = ()
    paper: dict[str, str] = field(default_factory=dict)
    base: str = ""
    note: str = ""


ROLLOUT = ("--set", "passes=128", "--set", "pool=32")
SINGLE = ("--set", "passes=96", "--set", "pool=32")
"""Epochs long enough that networks without moved data overfit, and a pool of moves that isn't learned by heart."""

MANY = ("--samples", "512", "--set", "passes=4", "--set", "pool=2")
"""Half as many steps as on 32 trajectories, and as many moved ones."""

LEARNED = ("none", "truth", RUN)
PICTURED = ("none", "default", "affine", RUN)
"""Ways."""

SCALES = ("--set", "scales=[0.05,0.1,0.2]")
"""Largest flow parameters that are tried."""

FASHION = ("--data", "fashion-mnist", "--set", "threads=1")

HALVED = ("--data", HALVES, "--set", "crops=2000", "--set", "threads=1")
BY_IMAGENET = (*HALVED, "--set", "network=efficientnet-lite0", "--slots", "6")
FEW = (
    *HALVED, "--samples", "100", "--set", "validation=0.4", "--set", "test=500", "--set", "batch=12",
    "--set", "epochs=20",
)  # fmt: skip
"""About six crops of each photograph to learn from, and four to choose the scale on."""

READY = (*FEW, "--model", "efficientnet-lite0", "--set", "rate=0.0005")
MOVED = ("--set", "test_scale=0.4")

TOLD = (
    "Which of ten photographs a crop is from. EfficientNet-Lite0 is trained on with about six crops of each left "
    "half, and tested on crops of the right halves, so no pixel is in both. The learned fields are of the left "
    "halves too. About four crops of each left half choose the scale; they may overlap those that are learned "
    "from. "
)
AS_CUT = TOLD + "Test crops are as they are cut, of many places and sizes."
AS_MOVED = TOLD + (
    "Every test crop, and every one that the scale is chosen on, is moved by a random combination of affine "
    "fields, as the way affine moves those of the training."
)

REDUCED = ("width=24", "modes=24", "layers=3", "batch=8", "passes=8", "renew=10", "pool=4", "test=32")
"""Settings of operators other than the defaults."""

STUDIES = {
    "kdv": Study(
        "kdv", LEARNED, more=ROLLOUT, paper={"none": "4.47 ± .26", "truth": ".980 ± .039", RUN: "1.12 ± .10"}
    ),
    "ks": Study(
        "ks", LEARNED, more=ROLLOUT, paper={"none": "5.78 ± .13", "truth": "1.14 ± .10", RUN: "1.37 ± .04"}
    ),
    "nkdv": Study("nkdv", LEARNED, more=SINGLE, paper={"none": ".479", RUN: ".244"}),
    "ckdv": Study(
        "ckdv", LEARNED, more=SINGLE,
        paper={"none": "(7.90 ± 1.21)e-4", RUN: "(2.99 or 5.90 ± .17)e-4"},
    ),
    "ckdv-approximate": Study(
        "ckdv", ("d_t", "truth+d_t"), more=SINGLE, base="ckdv",
        paper={"d_t": "(4.45 ± .15)e-4", "truth+d_t": "(3.70 ± .15)e-4"},
    ),
    "ks-bilinear": Study("ks", ("truth",), more=(*ROLLOUT, "--set", "resampling=bilinear"), base="ks"),
    "ks-short": Study("ks", LEARNED, more=("--set", "passes=16")),
    "ckdv-short": Study("ckdv", LEARNED, more=("--set", "pool=8")),
    "ckdv-128": Study("ckdv", LEARNED, more=("--samples", "128", "--set", "passes=24", "--set", "pool=8")),
    "ks-512": Study("ks", ("none", "truth"), more=MANY),
    "ks-512-bilinear": Study("ks", ("truth",), more=(*MANY, "--set", "resampling=bilinear"), base="ks-512"),
    "fashion": Study(
        "images", PICTURED, discover=FASHION, more=("--data", "fashion-mnist", "--set", "epochs=160", *SCALES),
        paper={"none": "92.4 ± .3", "default": "95.1 ± .1", "affine": "95.1 ± .2", RUN: "94.9 ± .1"},
    ),
    "fashion-5000": Study(
        "images", PICTURED, discover=FASHION,
        more=("--data", "fashion-mnist", "--set", "epochs=20", "--set", "pictures=[5000]"),
    ),
    "photographs": Study("images", PICTURED, discover=BY_IMAGENET, more=READY, note=AS_CUT),
    "photographs-moved": Study("images", PICTURED, discover=BY_IMAGENET, more=(*READY, *MOVED), note=AS_MOVED),
}  # fmt: skip
"""The paper's figures: 2^5 trajectories; all pictures of CIFAR-10 and ResNet-18."""


def main() -> None:
    """Do what is left, then write the tables."""
    arguments = parse()
    arguments.work.mkdir(parents=True, exist_ok=True)
    ends = time.monotonic() + 60 * arguments.minutes
    data = arguments.out.with_suffix(".json")
    found: dict[str, Any] = json.loads(data.read_text()) if data.exists() else {}
    for key in arguments.studies:
        done = key in found and len(found[key]["seeds"]) >= len(arguments.seeds)
        if not done and time.monotonic() < ends:
            summary = studied(key, arguments, ends)
            if summary is None:
                break
            found[key] = kept(summary)
            data.write_text(json.dumps(found, indent=1) + "\n")
    if found:
        arguments.out.write_text(written(found), encoding="utf-8")
    print(f"{len(found)} of {len(STUDIES)} studies are done: {arguments.out}")


def parse() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description="What networks gain from data moved along symmetries.")
    parser.add_argument("--studies", nargs="+", choices=list(STUDIES), default=list(STUDIES))
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2], help="of networks and batches")
    parser.add_argument("--minutes", type=float, default=8.0, help="stop, to be gone on with, after so many")
    parser.add_argument("--work", type=Path, default=Path("augment-work"), help="folder of runs")
    parser.add_argument("--set", action="append", default=[], help="a setting of `lieapp augment`, for trying out")
    parser.add_argument("--out", type=Path, default=RESULTS / "augment.md")
    return parser.parse_args()


def studied(key: str, arguments: argparse.Namespace, ends: float) -> dict[str, Any] | None:
    """The summary of a study's run; None if there was no time."""
    study, variants, work = STUDIES[key], STUDIES[key].variants, arguments.work
    if any(RUN in variant for variant in variants):
        name = "discover-photographs" if HALVES in study.discover else f"discover-{study.plugin}"
        words = ("discover", "--plugin", study.plugin, *with_halves(study.discover, work))
        learned = finished(work / name, words, ends)
        if learned is None:
            return None
        variants = tuple(variant.replace(RUN, learned["run"]) for variant in variants)
    reduced = () if study.plugin == "images" else REDUCED
    more = [part for text in (*reduced, *arguments.set) for part in ("--set", text)]
    seeds = ",".join(map(str, arguments.seeds))
    words = (
        "augment",
        "--plugin",
        study.plugin,
        "--with",
        ",".join(variants),
        "--seeds",
        seeds,
        *more,
        *with_halves(study.more, work),
    )
    return finished(work / f"augment-{key}", words, ends)


def with_halves(words: Sequence[str], work: Path) -> list[str]:
    """Options with the folder of halves, which is made if it isn't there: the left ones to learn from."""
    folder = work / "halves"
    if HALVES in words and not folder.is_dir():
        for name, file in PHOTOGRAPHS.items():
            with Image.open(shipped(file)) as whole:
                width, height = whole.size
                for part, box in (("train", (0, 0, width // 2, height)), ("test", (width // 2, 0, width, height))):
                    place = folder / part / name
                    place.mkdir(parents=True)
                    whole.convert("RGB").crop(box).save(place / f"{Path(file).stem}.png")
    return [str(folder) if word == HALVES else word for word in words]


def finished(folder: Path, words: Sequence[str], ends: float) -> dict[str, Any] | None:
    """What a command says once it is done, going on with its run in that folder if there is one."""
    runs = sorted(folder.glob("*/config.json"))
    if runs:
        words = (words[0], "--resume", str(runs[-1].parent))
    # with half a minute left nothing is begun
    left = ends - time.monotonic() - 30
    if left < 0:
        return None
    command = [sys.executable, "-m", "lieapp", *words, "--out", str(folder), "--json", "--quiet"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={**os.environ}) as process:
        try:
            out, _ = process.communicate(timeout=left)
        except subprocess.TimeoutExpired:
            process.terminate()
            process.communicate()
            return None
    if process.returncode:
        sys.exit(f"{' '.join(words)}: {out}")
    said: dict[str, Any] = json.loads(out)
    return said


def kept(summary: dict[str, Any]) -> dict[str, Any]:
    """Of a summary what tables need, without paths of this machine."""
    rows = [{k: v for k, v in row.items() if k not in ("variant", "frames")} for row in summary["variants"]]
    keys = ("plugin", "model", "measure", "task", "predicted", "gap", "seeds", "judged_on", "learned_from")
    config = json.loads((Path(summary["run"]) / "config.json").read_text())
    config = {k: v for k, v in config.items() if k not in ("variants", "device", "kind", "preset", "sha256")}
    if "data" in config and Path(str(config["data"])).is_dir():
        config["data"] = Path(config["data"]).name
    return {
        **{key: summary[key] for key in keys if key in summary},
        "variants": rows,
        "settings": config,
        "seconds": summary["seconds"],
        "measured": f"{datetime.datetime.now(datetime.UTC):%Y-%m-%d}, {processor()}",
    }


def written(found: dict[str, Any]) -> str:
    """The result file."""
    parts = [heading("Networks trained on moved data"), INTRODUCTION]
    for key in STUDIES:
        if key in found:
            parts += [f"## {key}", "\n".join(lines(key, found))]
    return "\n\n".join(parts) + "\n"


INTRODUCTION = (
    "Means and standard deviations over the seeds of networks and batches. The trajectories, and the pool of their "
    "moves, are the same for every seed. Errors of equations are normalised mean square errors on test "
    "trajectories that nothing was chosen by, of a rollout summed over its frames, as in the paper. Networks and "
    "trainings are much smaller than the paper's (settings stand below each table; the paper's has width 256 and, "
    "with the batch of 16 of Brandstetter's code, 22400 steps on 2^5 trajectories of KdV and KS, 8000 of nKdV and "
    "cKdV), so absolute errors don't compare; ratios may. Seconds are those of one training, on a shared machine."
)


def lines(key: str, found: dict[str, Any]) -> Iterator[str]:
    """A table and the settings below it; none and truth are those of the equation's first study."""
    study = found[key]
    paper, accuracy = STUDIES[key].paper, study["measure"] == "accuracy"
    names = dict(zip([row["label"] for row in study["variants"]], STUDIES[key].variants, strict=True))
    base = {row["label"]: row["mean"] for row in found.get(STUDIES[key].base, study)["variants"]}
    heads = ["way", "accuracy (%)" if accuracy else "NMSE", "by seed"]
    of_operators = ["none / this", "this / truth", "one window, per frame", "moved", "η of its generators"]
    heads += ["scale"] if accuracy else of_operators
    yield table_line([*heads, "seconds", "paper"])
    yield table_line(["---"] * (len(heads) + 2))
    for row in study["variants"]:
        cells = [shown_name(names[row["label"]]), with_spread(row, accuracy)]
        cells.append(", ".join(number(v, accuracy) for v in row["values"]))
        if accuracy:
            cells.append("–" if row["scale"] is None else f"{row['scale']:g}")
        else:
            cells += [ratio(base.get("none"), row["mean"]), ratio(row["mean"], base.get("truth"))]
            cells += [number(row["one_step"], False), "–" if "moved" not in row else f"{100 * row['moved']:.0f} %"]
            cells.append(defects(row.get("generators") or {}) or "–")
        yield table_line([*cells, f"{row['seconds']:.0f}", paper.get(names[row["label"]], "–")])
    yield ""
    if STUDIES[key].note:
        yield f"{STUDIES[key].note}\n"
    settings = ", ".join(f"{k} {v}" for k, v in study["settings"].items() if k not in ("plugin", "threads"))
    steps = study["variants"][0]["steps"]
    measured = f" Measured {study['measured']}." if "measured" in study else ""
    yield f"{steps} steps. Settings: {settings}.{measured}"


def shown_name(variant: str) -> str:
    """A way, as the table has it."""
    return variant.replace(RUN, "learned")


def number(value: float, accuracy: bool) -> str:
    """Three digits, or per cent."""
    return f"{100 * value:.1f}" if accuracy else f"{value:.3g}"


def with_spread(row: dict[str, Any], accuracy: bool) -> str:
    """Mean and spread."""
    spread = "" if row["spread"] is None else f" ± {number(row['spread'], accuracy)}"
    return number(row["mean"], accuracy) + spread


def ratio(above: float | None, below: float | None) -> str:
    """Of two errors."""
    return "–" if above is None or below is None else f"{above / below:.2f}"


def table_line(cells: Sequence[str]) -> str:
    """One line of a Markdown table."""
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    main()
