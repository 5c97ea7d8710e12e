"""The pipeline behind `lieapp train`: pictures, a network, how well it tells them apart."""

from __future__ import annotations

from typing import Any

import lieapp
from lieapp.config import TrainConfig
from lieapp.data.images.sources import read_pictures
from lieapp.numerics.processor import use_processor
from lieapp.registry.catalog import Catalog
from lieapp.runs.checkpoint import Checkpoint
from lieapp.runs.devices import find_device
from lieapp.runs.directory import RunDirectory
from lieapp.runs.files import write_atomic
from lieapp.runs.networks import near_guessing, network_of
from lieapp.runs.reporter import RunReporter
from lieapp.runs.stopwatch import Stopwatch

NETWORK = "network.safetensors"
"""The run's own copy of the network."""


def execute(config: TrainConfig, run: RunDirectory, catalog: Catalog, report: RunReporter) -> dict[str, Any]:
    """Do or go on with a run; returns its summary. Raises LieappError for what pictures or settings don't allow."""
    declaration = catalog.get(config.plugin).declaration
    use_processor(config.threads)
    device = find_device(config.device)
    folder = run.path / "checkpoint"
    watch = Stopwatch(folder / "seconds.json", lieapp.STARTED)
    run.add_provenance(device_used=device, threads=config.threads)
    report.stage("data")
    with watch.stage("data"):
        pictures = read_pictures(config.data or declaration.data)
    run.add_provenance(data=pictures.facts)
    report.stage("training")
    with watch.stage("training"):
        checkpoint = Checkpoint(folder, watch.save)
        kept = checkpoint.training()
        run.keep_metrics(int(kept[0]["done"]) if kept else 0)
        found = network_of(config, pictures, declaration.flip, device, checkpoint, report, run.metric)
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
        "seconds": watch.seconds(),
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
