"""The pipeline behind `lieapp train`: pictures, a network, how well it tells them apart."""

from __future__ import annotations

import lieapp
from lieapp.config import TrainConfig
from lieapp.data.images.sources import read_pictures
from lieapp.numerics.processor import use_processor
from lieapp.registry.catalog import Catalog
from lieapp.report.page import write_report
from lieapp.report.parts import provenance
from lieapp.report.training_document import document, right_chart
from lieapp.results.training import Network, Training
from lieapp.runs.checkpoint import Checkpoint
from lieapp.runs.devices import find_device
from lieapp.runs.directory import RunDirectory
from lieapp.runs.files import write_atomic
from lieapp.runs.networks import near_guessing, network_of
from lieapp.runs.reporter import RunReporter
from lieapp.runs.stopwatch import Stopwatch

NETWORK = "network.safetensors"
"""The run's own copy of the network."""


def execute(config: TrainConfig, run: RunDirectory, catalog: Catalog, report: RunReporter) -> Training:
    """Do or go on with a run; returns its result. Raises LieappError for what pictures or settings don't allow."""
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
    facts = found.facts
    if words := near_guessing(facts):
        report.warn(words)
    result = Training(
        run=str(run.path), plugin=config.plugin, title=declaration.title, sentence=_sentence(facts),
        warnings=report.warnings, network=config.network, accuracy=facts.accuracy, loss=facts.loss,
        learned_from=facts.learned_from, judged_on=facts.judged_on, classes=facts.classes,
        parameters=sum(p.numel() for p in found.extractor.parameters()), file=str(run.path / NETWORK),
        cached=bool(facts.cached), seconds=watch.seconds(), source=str(pictures.facts["source"]),
        pictures=len(pictures), shape=list(pictures.shape), device=device, settings=facts.settings,
    )  # fmt: skip
    run.write_summary(result)
    origin = provenance(run.provenance(), run.config())
    told = document(result, lambda key: right_chart(run.metrics()))
    write_report(run.path, result.title, f"Training of a network · run {run.id}", [*told, *origin])
    return result


def _sentence(facts: Network) -> str:
    words = (
        f"{facts.told_right} of {facts.judged_on} pictures kept aside are told right, after "
        f"learning from {facts.learned_from}"
    )
    return words + ("; the network was trained before" if facts.cached else "")
