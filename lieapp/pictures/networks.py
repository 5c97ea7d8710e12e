"""Trained networks, and weights ω of what is moved: found in the cache by what they depend on, or put there.

`execute` is the pipeline behind `lieapp train`: pictures, a network, how well it tells them apart.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import torch
from safetensors import SafetensorError
from safetensors.torch import load, save
from torch import Tensor, nn

from lieapp.api import LabelledPictures
from lieapp.augment.classifier import ClassifierTraining, Recipe, accuracy, transformed
from lieapp.augment.pipeline import fit
from lieapp.config_training import READY, TrainConfig, parse_kinds
from lieapp.data.images.pictures import Pictures, check_classes
from lieapp.data.images.sources import cache_folder, pictures_of
from lieapp.errors import DataError
from lieapp.pictures.extractor import VERSION, Extractor, PictureFeatures, Shape, extractor_bytes, read_extractor
from lieapp.pictures.planting import Planter
from lieapp.results.training import Network, Planted, Training, share_words
from lieapp.runs.store.files import write_atomic
from lieapp.runs.store.session import Session

LEARNED = 0.25
"""Of the way from guessing to always right, what a network must have gone for its blindness to say something."""

NEUTRAL = ("plugin", "kind", "preset", "data", "crops", "crop_side", "device", "threads")
"""Settings that don't change which network comes out, or that pictures stand for."""


def drawn(pictures: Pictures, most: int, seed: int) -> Pictures:
    """At most so many of the pictures (0: all), drawn by seed."""
    if not most or most >= len(pictures):
        return pictures
    order = torch.randperm(len(pictures), generator=torch.Generator().manual_seed(seed))
    return pictures.take(order[:most].sort()[0])


def network_of(
    config: TrainConfig, pictures: Pictures, flip: bool, session: Session
) -> tuple[Extractor, Network, Path]:
    """The network, what is known of it and its place in the cache.

    It comes from there, or is trained now, going on from the checkpoint if that holds a part of the way.

    Args:
        pictures: all there are; at most `config.pictures` of them are used.
        session: at this training.

    Raises DataError if the pictures can't be split or are of one class, DiscoveryError if the loss isn't finite.
    """
    pictures = drawn(pictures, config.pictures, config.seed)
    check_classes(pictures)
    if words := pictures.overlap():
        session.report.warn(f"training: {words}")
    settings = {k: v for k, v in msgspec.to_builtins(config).items() if k not in NEUTRAL}
    settings["network"] = config.chosen
    if config.weights:
        settings["weights"] = hashlib.sha256(Path(config.weights).read_bytes()).hexdigest()
    key = repr((VERSION, pictures.sha256, flip, sorted(settings.items())))
    file = cache_folder() / "networks" / f"{hashlib.sha256(key.encode()).hexdigest()[:24]}.safetensors"
    # the network of a run that ended between its training and its result is there too
    if file.is_file() and session.checkpoint.training() is None:
        try:
            extractor, facts = read_extractor(file)
            facts.cached = True
            return extractor.to(session.device), facts, file
        except DataError as error:
            session.report.warn(f"{error.message} It is trained again.")
    learn, judge = pictures.split(config.validation, config.seed)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(config.seed)
        shape = Shape(*learn.shape, len(learn.names))
        extractor = Extractor(config.chosen, shape, config.base, config.side, bool(config.weights))
    if config.weights:
        extractor.take_weights(Path(config.weights))
    elif config.chosen != READY:
        extractor.normalise_by(learn.pixels)
    extractor.check_size()
    extractor.to(session.device)
    facts = (_planted if config.invariance else _classifier)(config, extractor, learn, judge, flip, session)
    file.parent.mkdir(parents=True, exist_ok=True)
    write_atomic(file, extractor_bytes(extractor, facts))
    facts.cached = False
    return extractor.eval().requires_grad_(False), facts, file


def _classifier(
    config: TrainConfig, extractor: Extractor, learn: Pictures, judge: Pictures, flip: bool, session: Session
) -> Network:
    """Train it to tell classes apart."""
    recipe = Recipe(config.epochs, config.batch, config.rate, config.optimizer, flip)
    change = partial(transformed, parse_kinds(config.augment))
    training = ClassifierTraining(extractor, learn, recipe, config.seed, change)
    session.restored(training, training.steps)

    def judged() -> dict[str, float]:
        share, _ = accuracy(training.extractor, judge)
        epoch = training.done // training.each
        session.report.line(f"epoch {epoch}: validation accuracy {100 * share:.1f} %")
        return {}

    fit(training, judged, session, {})
    session.checkpoint.save(training.state(), [])
    if not config.epochs:
        with torch.no_grad():
            extractor.eval().classify_by_means(learn.pixels.to(session.device), learn.labels.to(session.device))
    return _known(config, extractor, learn, judge, flip)


def _planted(
    config: TrainConfig, extractor: Extractor, learn: Pictures, judge: Pictures, flip: bool, session: Session
) -> Network:
    """Take features that don't notice a kind of move."""
    planter = Planter(extractor, learn, config, session.report)
    planter.plant(flip)
    planted = planter.result(judge)
    facts = _known(config, extractor, learn, judge, flip)
    facts.planted = planted
    return facts


def _known(config: TrainConfig, extractor: Extractor, learn: Pictures, judge: Pictures, flip: bool) -> Network:
    share, loss = accuracy(extractor, judge)
    # distances to mean features are no probabilities
    trained = config.epochs and not config.invariance
    settings = msgspec.to_builtins(config) | {"network": config.chosen}
    return Network(
        accuracy=share, loss=loss if trained else None, learned_from=len(learn), judged_on=len(judge), flip=flip,
        classes=list(learn.names), settings=settings, input=list(extractor.size),
    )  # fmt: skip


def unplanted(planted: Planted) -> str:
    """A warning where features notice the planted move as before, or more than another one; else nothing."""
    least = min(planted.others, key=planted.others.__getitem__)
    if planted.angle < min(planted.angle_before, planted.others[least]):
        return ""
    return (
        f"{planted.field} is planted poorly: it turns the features by {planted.angle:.2f} rad, "
        f"{planted.angle_before:.2f} before, and {least} by {planted.others[least]:.2f}; give more pictures, or "
        "crops, or larger ones"
    )


def near_guessing(facts: Network) -> str:
    """A warning where a network has hardly learned anything; nothing where it has, or where that isn't known."""
    if facts.accuracy is None or not facts.classes:
        return ""
    chance = 1 / len(facts.classes)
    if facts.accuracy >= chance + LEARNED * (1 - chance):
        return ""
    advice = "plant it with more pictures" if facts.planted else "train it longer, or on more pictures"
    return (
        f"the network's validation accuracy is {100 * facts.accuracy:.0f} % (chance level {100 * chance:.0f} %), "
        f"so its symmetries say little about the pictures; {advice}"
    )


WEIGHT_VERSION = 2
"""Of how a weight is measured; those of another one are not used."""


def kept_weight(
    kind: str, learn: Pictures, features: PictureFeatures, settings: tuple[Any, ...], measure: Callable[[], Tensor]
) -> tuple[Tensor, str]:
    """The weight, and words that say where it comes from.

    Only networks can be recognised: for a plugin's own function it is always measured.

    Args:
        kind: of what is moved.
        settings: what else it depends on.
        measure: makes it.
    """
    network = fingerprint(features)
    if network is None:
        return measure(), f"weight of {kind}: measured"
    key = repr((WEIGHT_VERSION, kind, learn.sha256, network, settings))
    file = cache_folder() / "weights" / f"{hashlib.sha256(key.encode()).hexdigest()[:24]}.safetensors"
    # what isn't there or can't be used is measured
    with contextlib.suppress(OSError, KeyError, SafetensorError):
        found = load(file.read_bytes())["weight"].to(learn.pixels.device)
        return found, f"weight of {kind}: measured before, {file}"
    weight = measure()
    file.parent.mkdir(parents=True, exist_ok=True)
    write_atomic(file, save({"weight": weight.cpu().contiguous()}))
    return weight, f"weight of {kind}: measured, kept as {file}"


def fingerprint(features: PictureFeatures) -> str | None:
    """Of a network, its kind and all its numbers; None for what isn't one."""
    network = features if isinstance(features, nn.Module) else getattr(features, "__self__", None)
    if not isinstance(network, nn.Module):
        return None
    digest = hashlib.sha256(repr(network).encode())
    for name, value in network.state_dict().items():
        digest.update(name.encode() + value.detach().cpu().contiguous().numpy().tobytes())
    return digest.hexdigest()


NETWORK = "network.safetensors"
"""The run's own copy of the network."""


def execute(config: TrainConfig, declaration: LabelledPictures, session: Session) -> Training:
    """Do or go on with a run; returns its result. Raises LieappError for what pictures or settings don't allow."""
    run, report = session.directory, session.report
    session.begin()
    pictures = session.timed("data", lambda: pictures_of(config, declaration.data))
    run.add_provenance(data=pictures.facts)
    kept = session.checkpoint.training()
    # steps after the last one kept will be taken, and their metrics written, again
    run.keep_metrics(int(kept[0]["done"]) if kept else 0)
    part = session.part("training")
    extractor, facts, file = session.timed("training", lambda: network_of(config, pictures, declaration.flip, part))
    write_atomic(run.path / NETWORK, file.read_bytes())
    for words in (near_guessing(facts), unplanted(facts.planted) if facts.planted else ""):
        if words:
            report.warn(words)
    found = f"Validation accuracy {facts.percent}"
    if planted := facts.planted:
        found = (
            f"Moves along {planted.field} turn the features by {planted.angle:.2f} rad, "
            f"{planted.angle_before:.2f} before; accuracy of the nearest mean feature {facts.percent}, "
            f"{share_words(planted.accuracy_before)} before,"
        )
    sentence = (
        f"{found} on {facts.judged_on} pictures after training on "
        f"{facts.learned_from}{'; the network was in the cache' if facts.cached else ''}"
    )
    return Training(
        run=str(run.path), plugin=config.plugin, title=declaration.title, sentence=sentence,
        warnings=report.warnings, network=config.chosen, accuracy=facts.accuracy, loss=facts.loss,
        learned_from=facts.learned_from, judged_on=facts.judged_on, classes=facts.classes,
        parameters=sum(p.numel() for p in extractor.parameters()), file=str(run.path / NETWORK),
        cached=bool(facts.cached), seconds=session.stopwatch.seconds(), source=str(pictures.facts["source"]),
        pictures=len(pictures), shape=list(pictures.shape), device=session.device, settings=facts.settings,
        planted=facts.planted,
    )  # fmt: skip
