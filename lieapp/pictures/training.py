"""The pipeline behind `lieapp train`: pictures, a network, how well it tells them apart."""

from __future__ import annotations

from lieapp.api import LabelledPictures
from lieapp.config_pictures import TrainConfig
from lieapp.data.images.sources import read_pictures
from lieapp.pictures.networks import near_guessing, network_of
from lieapp.results.training import Network, Training
from lieapp.runs.store.files import write_atomic
from lieapp.runs.store.session import Session

NETWORK = "network.safetensors"
"""The run's own copy of the network."""


def execute(config: TrainConfig, declaration: LabelledPictures, session: Session) -> Training:
    """Do or go on with a run; returns its result. Raises LieappError for what pictures or settings don't allow."""
    run, report = session.directory, session.report
    session.begin()
    pictures = session.timed("data", lambda: read_pictures(config.data or declaration.data))
    run.add_provenance(data=pictures.facts)
    kept = session.checkpoint.training()
    # steps after the last one kept will be taken, and their metrics written, again
    run.keep_metrics(int(kept[0]["done"]) if kept else 0)
    part = session.part("training")
    found = session.timed("training", lambda: network_of(config, pictures, declaration.flip, part))
    write_atomic(run.path / NETWORK, found.file.read_bytes())
    facts = found.facts
    if words := near_guessing(facts):
        report.warn(words)
    return Training(
        run=str(run.path), plugin=config.plugin, title=declaration.title, sentence=_sentence(facts),
        warnings=report.warnings, network=config.network, accuracy=facts.accuracy, loss=facts.loss,
        learned_from=facts.learned_from, judged_on=facts.judged_on, classes=facts.classes,
        parameters=sum(p.numel() for p in found.extractor.parameters()), file=str(run.path / NETWORK),
        cached=bool(facts.cached), seconds=session.stopwatch.seconds(), source=str(pictures.facts["source"]),
        pictures=len(pictures), shape=list(pictures.shape), device=session.device, settings=facts.settings,
    )  # fmt: skip


def _sentence(facts: Network) -> str:
    words = (
        f"{facts.told_right} of {facts.judged_on} pictures kept aside are told right, after "
        f"learning from {facts.learned_from}"
    )
    return words + ("; the network was trained before" if facts.cached else "")
