"""The pipeline behind `lieapp train`: pictures, a network, how well it tells them apart."""

from __future__ import annotations

from typing import Any

from lieapp.api import LabelledPictures
from lieapp.config import TrainConfig
from lieapp.data.images.sources import read_pictures
from lieapp.runs.files import write_atomic
from lieapp.runs.networks import near_guessing, network_of
from lieapp.runs.session import Session

NETWORK = "network.safetensors"
"""The run's own copy of the network."""


def execute(config: TrainConfig, declaration: LabelledPictures, session: Session) -> dict[str, Any]:
    """Do or go on with a run; returns its summary. Raises LieappError for what pictures or settings don't allow."""
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
    if words := near_guessing(found.facts):
        report.warn(words)
    summary = {
        "run": str(run.path),
        "plugin": config.plugin,
        "network": config.network,
        "accuracy": found.facts["accuracy"],
        "loss": found.facts["loss"],
        "learned_from": found.facts["learned_from"],
        "judged_on": found.facts["judged_on"],
        "classes": found.facts["classes"],
        "parameters": sum(p.numel() for p in found.extractor.parameters()),
        "file": str(run.path / NETWORK),
        "cached": found.cached,
        "sentence": _sentence(found.facts, found.cached),
        "seconds": session.stopwatch.seconds(),
        "warnings": report.warnings,
    }
    run.write_summary(summary)
    return summary


def _sentence(facts: dict[str, Any], cached: bool) -> str:
    words = (
        f"{100 * facts['accuracy']:.1f} % of {facts['judged_on']} pictures kept aside are told right, after "
        f"learning from {facts['learned_from']}"
    )
    return words + ("; the network was trained before" if cached else "")
