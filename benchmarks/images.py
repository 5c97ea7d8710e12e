"""Symmetries of pictures: planted ones are found, and what networks trained on pictures bear.

    python benchmarks/images.py [--kinds ready planted-ready planted natural trained resampling speed]
                                [--only NAME …] [--seeds 0 1 2] [--threads 1] [--work FOLDER] [--out FOLDER]

ready: ten slots on the features of EfficientNet-Lite0, trained on ImageNet and with random weights.
planted-ready: linear functions of EfficientNet-Lite0's features that don't notice one kind of move, own ones for
each seed; and the network as it was, as control.
planted: extractors of tests/extractors.py, invariant by construction, on Fashion-MNIST; nothing told. The
cosine is that of the planted field with slot 1, or of the largest principal angle between as many first slots as
fields were planted and their span, under the weight of pixels.
natural: ten slots on the features of a network trained on Fashion-MNIST, and on photographs; nothing planted.
trained: networks trained with transformed pictures, beside one without as control.
resampling: the angle by which shifts of parts of a pixel turn the features of that control, in both interpolations.
speed: processor time of EfficientNet-Lite0's features and their slopes, by its package's layers and folded.

Each is what a user types, `lieapp train` and `lieapp discover`, in a process of its own. Results go to images.json
after each run; what stands there isn't run again, and a run that was ended is resumed. images.md is written from
it. Rows on photographs whose settings lack crops are of the set as it was before: 400 parts of 32 x 32 pixels of
each of six photographs, not resized, and held-out ones from the same photographs. Seconds are processor time, which
doesn't count what else the machine does; of resumed runs, the last session's.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import torch
from images_tables import written
from machine import heading, processor
from safetensors.torch import load_file

from lieapp.config_training import TrainConfig
from lieapp.data.images.sources import read_pictures
from lieapp.pictures.efficientnet import Folded, Layers
from lieapp.pictures.extractor import read_extractor
from lieapp.pictures.image import angle, pixel_grid, resample, spacing
from lieapp.pictures.networks import drawn
from lieapp.runs.store.directory import RunDirectory

TESTS = Path(__file__).parents[1] / "tests"
RESULTS = Path(__file__).parent / "results"
LARGE, INNER = 40, 20
"""Pixels of pictures with a margin, and of what stands in their middle."""

SHIFTS = (0.25, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 5.0)
"""Of pictures to the right, in pixels."""

SIZES, ROUNDS = ((64, 40), (224, 8)), 5
"""Side and number of the pictures that a network is timed on, and how often."""

PLUGIN = '''"""Pictures seen by an extractor that is invariant by construction."""
import sys
sys.path.insert(0, {tests!r})
from extractors import {extractor} as features
from lieapp.api import Images, hookimpl

planted = Images(name="planted", title="Planted", data={data!r}, flip=False, features=features)

@hookimpl
def lieapp_domains():
    return [planted]
'''


@dataclass(frozen=True)
class Case:
    """One experiment, done with several seeds.

    Args:
        kind: ready, planted-ready, planted, natural or trained.
        data: of the pictures, by a name that `--data` knows.
        planted: named fields that the extractor doesn't feel.
        extractor: in tests/extractors.py; a trained network if empty.
        margin: make the pictures smaller and put them on black, so that what is moved stays in the frame.
        train: settings of the network.
        sets: settings of the discovery.
    """

    kind: str
    data: str
    planted: tuple[str, ...] = ()
    extractor: str = ""
    margin: bool = False
    train: tuple[str, ...] = ()
    sets: tuple[str, ...] = field(default_factory=tuple)


PLANTED = ("pictures=1000", "slots=3")
SIZE, CUT = ("crops=2400", "crop_side=32"), ("crops=2000",)
NATURAL = ("slots=10", "batch=12", "steps=250", "held_out=128")
# pictures with a margin are small: a scaling of norm 1 is fast there, and moves them out of the frame at .4
CASES = {
    "EfficientNet-Lite0": Case("ready", "photographs", sets=("slots=10",)),
    "random weights": Case("ready", "photographs", sets=("slots=10", "network=efficientnet-lite0-random")),
    "invariance = rotation": Case(
        "planted-ready", "photographs", ("rotation",), train=("invariance=rotation", *CUT), sets=("slots=3",)
    ),
    "invariance = shear-x": Case(
        "planted-ready", "photographs", ("shear along x",), train=("invariance=shear-x", *CUT), sets=("slots=3",)
    ),
    "as it was": Case("planted-ready", "photographs", ("rotation", "shear along x"), sets=("slots=3",)),
    "rotation": Case("planted", "fashion-mnist", ("rotation",), "turning", sets=PLANTED),
    "translations": Case(
        "planted", "fashion-mnist", ("translation in x", "translation in y"), "shifting", True, sets=PLANTED
    ),
    "scaling and rotation": Case(
        "planted", "fashion-mnist", ("uniform scaling", "rotation"), "zooming", True, sets=(*PLANTED, "sigma=0.2")
    ),
    "fashion-mnist": Case("natural", "fashion-mnist", sets=NATURAL),
    "photographs": Case("natural", "photographs", train=SIZE, sets=(*NATURAL, *SIZE)),
    "trained with rotations": Case(
        "trained", "fashion-mnist", ("rotation",), train=("augment=rotation:0.8",), sets=PLANTED
    ),
    "trained with shears": Case(
        "trained", "fashion-mnist", ("shear along x",), train=("augment=shear-x:0.8",), sets=PLANTED
    ),
    "shortly trained with any rotation": Case(
        "trained",
        "fashion-mnist",
        ("rotation",),
        train=("pictures=10000", "epochs=4", "augment=rotation"),
        sets=(*PLANTED, "soft=0.0"),
    ),
    "control": Case("trained", "fashion-mnist", ("rotation", "shear along x"), sets=PLANTED),
}


def main() -> None:
    """Run what isn't there yet, then write both files."""
    arguments = parse()
    arguments.out.mkdir(parents=True, exist_ok=True)
    file = arguments.out / "images.json"
    found = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
    for name, case in CASES.items():
        if case.kind not in arguments.kinds or (arguments.only and name not in arguments.only):
            continue
        for seed in arguments.seeds:
            if f"{name}, seed {seed}" not in found:
                found[f"{name}, seed {seed}"] = done(name, case, seed, arguments)
                file.write_text(json.dumps(found, indent=1), encoding="utf-8")
    if "resampling" in arguments.kinds and "resampling" not in found:
        found["resampling"] = resampling(arguments)
        file.write_text(json.dumps(found, indent=1), encoding="utf-8")
    if "speed" in arguments.kinds and "speed" not in found:
        found["speed"] = speed(arguments.threads)
        file.write_text(json.dumps(found, indent=1), encoding="utf-8")
    missing = {case: [n for n in (0, 1, 2) if f"{case}, seed {n}" not in found] for case in CASES}
    # whatever was typed: rows of earlier calls stay
    text = written(heading("Symmetries of pictures", []), found, missing)
    (arguments.out / "images.md").write_text(text, encoding="utf-8")


def parse() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description="Symmetries of pictures, planted and natural.")
    kinds = ("ready", "planted-ready", "planted", "natural", "trained", "resampling", "speed")
    parser.add_argument("--kinds", nargs="+", choices=kinds, default=kinds)
    parser.add_argument("--only", nargs="+", choices=tuple(CASES))
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--work", type=Path, default=Path("build/images"), help="pictures, plugins, networks, runs")
    parser.add_argument("--out", type=Path, default=RESULTS)
    return parser.parse_args()


def done(name: str, case: Case, seed: int, arguments: argparse.Namespace) -> dict[str, Any]:
    """One discovery, told in short."""
    work = arguments.work.absolute()
    words = ["discover", "--seed", str(seed), *sets(case.sets, arguments.threads)]
    network: dict[str, Any] | None = None
    if case.extractor:
        words += planted_plugin(case, work)
    elif case.kind == "ready" or (case.kind == "planted-ready" and not case.train):
        words += ["--plugin", "images", "--data", case.data]
    else:
        network = trained(case, arguments, seed if case.kind == "planted-ready" else 0)
        words += ["--plugin", "images", "--data", case.data, "--set", f"trained={network['file']}"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    summary = lieapp(words, work, f"{name} {seed}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    row = {
        "case": name, "seed": seed, **asdict(case), "threads": arguments.threads, "processor": processor(),
        "load": os.getloadavg()[0], "cpu": cpu, "seconds": summary["seconds"],
        "generators": summary["generators"],
        "reference": summary["reference"], "inner": summary["inner"], "subspace": summary["subspace"],
        "lipschitz": lipschitz(Path(summary["run"])),
        "memory": after.ru_maxrss / 1024,
    }  # fmt: skip
    if network is not None:
        keys = ("accuracy", "learned_from", "judged_on", "parameters", "planted", "seconds")
        row["network"] = {k: network[k] for k in keys}
    names = [field["name"] for field in summary["reference"]]
    if case.kind == "planted" or (case.planted and name not in CONTROLS):
        row["cosine"] = cosine(Path(summary["run"]), [names.index(own) for own in case.planted])
    print(name, seed, {k: row[k] for k in ("cosine", "cpu") if k in row}, flush=True)
    return row


CONTROLS = ("control", "as it was")


def trained(case: Case, arguments: argparse.Namespace, seed: int = 0) -> dict[str, Any]:
    """The network of a case, and what is known of it."""
    training = ["train", "--plugin", "images", "--data", case.data, *sets(case.train, arguments.threads)]
    name = f"network of {case.data} {' '.join(case.train)}"
    if seed:
        training, name = [*training, "--seed", str(seed)], f"{name} {seed}"
    return lieapp(training, arguments.work.absolute(), name)


def resampling(arguments: argparse.Namespace) -> dict[str, Any]:
    """Mean angle between the features of pictures kept aside and of the same ones shifted to the right."""
    case = CASES["control"]
    extractor, facts = read_extractor(Path(trained(case, arguments)["file"]))
    settings = msgspec.convert(facts.settings, TrainConfig)
    pictures = drawn(read_pictures(case.data), settings.pictures, settings.seed)
    pixels = pictures.split(settings.validation, settings.seed)[1].pixels[:256]
    plane = pixel_grid(*pixels.shape[2:], pixels.dtype)
    size = spacing(*pixels.shape[2:])
    found: dict[str, list[float]] = {}
    with torch.no_grad():
        still = extractor.features(pixels)
        for kind in ("bicubic", "bilinear"):
            found[kind] = []
            for shift in SHIFTS:
                places = plane - size * torch.tensor([shift, 0.0]).reshape(1, 2, 1, 1)
                moved = resample(pixels, places.expand(len(pixels), -1, -1, -1), "border", kind)
                found[kind].append(float(angle(still, extractor.features(moved)).mean()))
    return {"kind": "resampling", "shifts": SHIFTS, "pictures": len(pixels), "angles": found}


def speed(threads: int) -> dict[str, Any]:
    """Milliseconds for each picture, the least of some rounds in which both ways of computing it take turns."""
    torch.set_num_threads(threads)
    rows = []
    for side, batch in SIZES:
        own = Layers(side, side).eval().requires_grad_(False)
        pixels = torch.rand(batch, 3, side, side, generator=torch.Generator().manual_seed(0), requires_grad=True)
        ways, least = {"package": own, "folded": Folded(own)}, {}
        for _ in range(ROUNDS):
            for name, way in ways.items():
                start = time.process_time()
                features = way(pixels)
                middle = time.process_time()
                torch.autograd.grad(features.sum(), pixels)
                took = (middle - start, time.process_time() - start)
                least[name] = [min(pair) for pair in zip(took, least.get(name, took), strict=True)]
        each = {name: [1e3 * seconds / batch for seconds in pair] for name, pair in least.items()}
        rows.append({"side": side, "batch": batch, **each})
    return {"kind": "speed", "rows": rows, "rounds": ROUNDS, "threads": threads, "processor": processor(),
            "load": os.getloadavg()[0]}  # fmt: skip


def sets(values: tuple[str, ...], threads: int) -> list[str]:
    """As options."""
    return [word for value in (*values, f"threads={threads}") for word in ("--set", value)]


def planted_plugin(case: Case, work: Path) -> list[str]:
    """A user's plugin with the extractor, and its pictures; the options that choose it."""
    folder = work / case.extractor
    folder.mkdir(parents=True, exist_ok=True)
    data = case.data
    if case.margin:
        data = str(work / "margin.npz")
        if not Path(data).is_file():
            write_with_margin(case.data, Path(data))
    text = PLUGIN.format(tests=str(TESTS), extractor=case.extractor, data=data)
    (folder / "planted.py").write_text(text, encoding="utf-8")
    return ["--plugins", str(folder), "--plugin", "planted"]


def write_with_margin(data: str, file: Path) -> None:
    """Pictures in the middle of larger black ones."""
    sys.path.insert(0, str(TESTS))
    from extractors import with_margin

    pictures = drawn(read_pictures(data), 2000, 0)
    moved = with_margin(pictures.pixels, INNER, LARGE).clamp(0, 1).numpy()
    np.savez(file, images=moved, labels=pictures.labels.numpy(), names=np.array(pictures.names))


def lieapp(words: list[str], work: Path, name: str) -> dict[str, Any]:
    """What the program says; an earlier run of that name is gone on with. Networks are kept in a cache there."""
    out = work / "runs" / name.replace(" ", "-").replace("=", "-")
    earlier = [run.path.name for run in RunDirectory.list(out)] if out.is_dir() else []
    words = [words[0], "--resume", earlier[0]] if earlier else words
    command = [sys.executable, "-m", "lieapp", *words, "--out", str(out), "--json", "--quiet"]
    surroundings = {**os.environ, "LIEAPP_CACHE": str(work / "cache")}
    said = subprocess.run(command, capture_output=True, text=True, env=surroundings, check=False)
    if said.returncode:
        raise SystemExit(f"{' '.join(command)}: {said.stdout}{said.stderr}")
    return dict(json.loads(said.stdout))


def cosine(run: Path, planted: list[int]) -> float:
    """Of the largest principal angle between as many first slots as fields are planted, and those fields."""
    tensors = load_file(run / "fields.safetensors")
    root = tensors["weight"].double().sqrt()
    columns = [(tensors[key].double() * root).flatten(1).T for key in ("learned", "reference")]
    bases = [torch.linalg.qr(own)[0] for own in (columns[0][:, : len(planted)], columns[1][:, planted])]
    return float(torch.linalg.svdvals(bases[0].T @ bases[1]).min())


def lipschitz(run: Path) -> list[float]:
    """Of each slot, the 90 % quantile over neighbouring pixels."""
    tensors = load_file(run / "fields.safetensors")
    v, h = tensors["learned"].double(), abs(float(tensors["grid/x"][1] - tensors["grid/x"][0]))
    parts = [v.diff(dim=dim).norm(dim=1).flatten(1) / h for dim in (2, 3)]
    return torch.cat(parts, 1).quantile(0.9, 1).tolist()


if __name__ == "__main__":
    main()
