"""Trained networks: found in the cache by pictures and settings, or trained and put there."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import torch

from lieapp.augment.classifier import ClassifierTraining, Recipe, accuracy
from lieapp.config import TrainConfig
from lieapp.data.images.pictures import Pictures
from lieapp.data.images.sources import cache_folder
from lieapp.domains.extractor import Extractor, Shape
from lieapp.domains.extractor_files import VERSION, extractor_bytes, read_extractor
from lieapp.errors import DataError
from lieapp.progress import Reporter
from lieapp.results.training import Network
from lieapp.runs.cells import fit
from lieapp.runs.checkpoint import Checkpoint
from lieapp.runs.files import write_atomic
from lieapp.transformations import parse_kinds

LEARNED = 0.25
"""Of the way from guessing to always right, what a network must have gone for its blindness to say something."""

NEUTRAL = ("plugin", "kind", "preset", "data", "device", "threads")
"""Settings that don't change which network comes out, or that pictures stand for."""


@dataclass(frozen=True)
class Trained:
    """A network and where it came from.

    Args:
        file: its place in the cache.
    """

    extractor: Extractor
    facts: Network
    file: Path


def drawn(pictures: Pictures, most: int, seed: int) -> Pictures:
    """At most so many of the pictures (0: all), drawn by seed."""
    if not most or most >= len(pictures):
        return pictures
    order = torch.randperm(len(pictures), generator=torch.Generator().manual_seed(seed))
    return pictures.take(order[:most].sort()[0])


def network_file(config: TrainConfig, pictures: Pictures, flip: bool) -> Path:
    """Where the network of these pictures and settings is kept."""
    settings = {k: v for k, v in msgspec.to_builtins(config).items() if k not in NEUTRAL}
    if config.weights:
        settings["weights"] = hashlib.sha256(Path(config.weights).read_bytes()).hexdigest()
    key = repr((VERSION, pictures.sha256, flip, sorted(settings.items())))
    return cache_folder() / "networks" / f"{hashlib.sha256(key.encode()).hexdigest()[:24]}.safetensors"


def network_of(
    config: TrainConfig, pictures: Pictures, flip: bool, device: str, checkpoint: Checkpoint, report: Reporter,
    metric: Callable[..., None] = lambda **row: None,
) -> Trained:  # fmt: skip
    """The network from the cache, or trained now, going on from the checkpoint if it holds a part of the way.

    Args:
        pictures: all there are; at most `config.pictures` of them are used.
        metric: takes what is recorded of each step.

    Raises DataError if the pictures can't be split, DiscoveryError if the loss isn't finite.
    """
    pictures = drawn(pictures, config.pictures, config.seed)
    file = network_file(config, pictures, flip)
    if file.is_file():
        try:
            extractor, facts = read_extractor(file)
            facts.cached = True
            return Trained(extractor.to(device), facts, file)
        except DataError as error:
            report.warn(f"{error.message} It is trained again.")
    learn, judge = pictures.split(config.validation, config.seed)
    extractor = _fresh(config, learn)
    recipe = Recipe(config.epochs, config.batch, config.rate, config.optimizer, flip, parse_kinds(config.augment))
    training = ClassifierTraining(extractor.to(device), learn, recipe, config.seed)
    kept = checkpoint.training()
    if kept is not None:
        training.load(kept[0])
        report.line(f"resumed at step {training.done} of {training.steps}")
    began = time.perf_counter()

    def judged() -> dict[str, float]:
        share, _ = accuracy(training.extractor, judge)
        epoch = training.done // training.each
        report.line(f"epoch {epoch}: {100 * share:.1f} % of the pictures kept aside are told right")
        return {}

    def record(row: dict[str, Any]) -> None:
        elapsed = round(time.perf_counter() - began, 3)
        metric(step=training.done, total=training.steps, **row, seconds=elapsed, stage="training")

    fit(training, judged, checkpoint, report, record)
    if not config.epochs:
        with torch.no_grad():
            extractor.eval().classify_by_means(learn.pixels.to(device), learn.labels.to(device))
    share, loss = accuracy(extractor, judge)
    facts = Network(
        accuracy=share, loss=loss, learned_from=len(learn), judged_on=len(judge), flip=flip,
        classes=list(pictures.names), settings=msgspec.to_builtins(config),
    )  # fmt: skip
    file.parent.mkdir(parents=True, exist_ok=True)
    write_atomic(file, extractor_bytes(extractor, facts))
    facts.cached = False
    return Trained(extractor.eval().requires_grad_(False), facts, file)


def near_guessing(facts: Network) -> str:
    """A warning where a network has hardly learned anything; nothing where it has, or where that isn't known."""
    if facts.accuracy is None or not facts.classes:
        return ""
    chance = 1 / len(facts.classes)
    if facts.accuracy >= chance + LEARNED * (1 - chance):
        return ""
    return (
        f"the network tells {100 * facts.accuracy:.0f} % of pictures kept aside right, where guessing tells "
        f"{100 * chance:.0f} %: what it doesn't see says little about the pictures; train it for longer, or on more"
    )


def _fresh(config: TrainConfig, learn: Pictures) -> Extractor:
    """The network before its training, drawn by seed or with the weights of a file."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(config.seed)
        shape = Shape(*learn.shape, len(learn.names))
        extractor = Extractor(config.network, shape, config.base, config.side, bool(config.weights))
    if config.weights:
        extractor.take_weights(Path(config.weights))
    else:
        extractor.normalise_by(learn.pixels)
    extractor.check_size()
    return extractor
