"""The pipeline behind `lieapp discover` for pictures: network, weight of pixels, descent, comparison."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save
from torch import Tensor

import lieapp
from lieapp.compare.affine import AffineComparison, compare_affine
from lieapp.config import DiscoverImagesConfig, TrainConfig, load_config
from lieapp.data.images.pictures import Pictures
from lieapp.data.images.sources import read_pictures
from lieapp.discovery.by_flow import by_flow
from lieapp.discovery.descent import Descent, Plan, Weights
from lieapp.discovery.fields import values
from lieapp.discovery.flow import Flow, Solver
from lieapp.discovery.generator import GeneratorNetwork
from lieapp.discovery.result import Discovery
from lieapp.discovery.scores import FiniteScore
from lieapp.domains.extractor import Features
from lieapp.domains.extractor_files import read_extractor
from lieapp.domains.image import ImageDomain
from lieapp.domains.image_data import ImageData
from lieapp.domains.image_weight import pixel_weight
from lieapp.errors import PluginError
from lieapp.registry.catalog import Catalog
from lieapp.report.image_html import write_image_report
from lieapp.report.image_tables import sentence, write_csv
from lieapp.runs.checkpoint import Checkpoint
from lieapp.runs.devices import find_device
from lieapp.runs.directory import RunDirectory
from lieapp.runs.files import naming, write_atomic
from lieapp.runs.networks import drawn, network_of
from lieapp.runs.reporter import RunReporter
from lieapp.runs.stopwatch import Stopwatch

WARM = 0.6
"""Share of the steps before the rate is cooled."""

UNIT = 0.5
"""Coordinates of pictures have twice the size of the network's usual ones."""

SHOWN, STRIP = 6, 5
"""Pictures, and flow parameters, of the strips in fields.safetensors."""


@dataclass(frozen=True)
class Split:
    """Pictures to learn from and to judge on."""

    train: ImageData
    held_out: ImageData


def execute(
    config: DiscoverImagesConfig, run: RunDirectory, catalog: Catalog, report: RunReporter
) -> dict[str, Any]:
    """Do or go on with a run; returns its summary and writes its other files.

    Raises LieappError for what the declaration, the pictures or the settings don't allow.
    """
    return _Job(config, run, catalog, report).run()


class _Job:
    def __init__(
        self, config: DiscoverImagesConfig, run: RunDirectory, catalog: Catalog, report: RunReporter
    ) -> None:
        self.config, self.directory, self.report = config, run, report
        self.declaration = catalog.get(config.plugin).declaration
        torch.set_num_threads(config.threads)
        self.device = find_device(config.device)
        folder = run.path / "checkpoint"
        self.watch = Stopwatch(folder / "seconds.json", lieapp.STARTED)
        self.checkpoint = Checkpoint(folder, self.watch.save)
        self.solver = Solver(config.solver, config.solver_step)
        self.network: dict[str, Any] | None = None

    def run(self) -> dict[str, Any]:
        """All stages in order."""
        config = self.config
        self.directory.add_provenance(device_used=self.device, threads=config.threads)
        pictures = self._timed("data", lambda: read_pictures(config.data or self.declaration.data))
        self.directory.add_provenance(data=pictures.facts)
        features = self._timed("network", lambda: self._features(pictures))
        data = self._timed("weight", lambda: self._data(pictures, features))
        domain = ImageDomain(config.plugin, features, config.padding)
        found = self._timed("discovery", lambda: self._discover(domain, data))
        compared = self._timed("compare", lambda: self._compare(domain, data, found))
        summary = self._summary(domain, compared)
        self._timed("report", lambda: self._write(domain, data, found, summary))
        summary["seconds"] = self.watch.seconds()
        self.directory.write_summary(summary)
        write_image_report(self.directory.path)
        return summary

    def _timed(self, stage: str, work: Any) -> Any:
        self.report.stage(stage)
        with self.watch.stage(stage):
            return work()

    def _features(self, pictures: Pictures) -> Features:
        """The plugin's own extractor, that of a file, or a network from the cache, trained if it must be."""
        config = self.config
        if self.declaration.features is not None:
            return _guarded(self.declaration.features, config.plugin)
        if config.trained:
            extractor, self.network = read_extractor(Path(config.trained))
            extractor.check_fits(pictures.shape, pictures.facts["source"])
            return extractor.to(self.device).features
        training = load_config(
            TrainConfig, plugin=config.plugin, data=config.data, preset=config.preset, device=config.device,
            threads=config.threads,
        )  # fmt: skip
        found = network_of(
            training, pictures, self.declaration.flip, self.device, self.checkpoint.of("network"), self.report,
        )  # fmt: skip
        self.network = {**found.facts, "cached": found.cached}
        self.report.line(f"network: {100 * found.facts['accuracy']:.1f} % of pictures kept aside are told right")
        return found.extractor.features

    def _data(self, pictures: Pictures, features: Features) -> Split:
        config, flip = self.config, self.declaration.flip
        learn, judge = drawn(pictures, config.pictures, config.seed).split(config.validation, config.seed)
        weight = None
        if config.weighted:
            generator = torch.Generator().manual_seed(config.seed)
            weight = pixel_weight(features, learn.pixels.to(self.device), config.weight_rounds, generator)
        return Split(
            ImageData(learn, features, flip, self.device, weight),
            ImageData(judge, features, False, self.device, weight),
        )

    def _discover(self, domain: ImageDomain, data: Split) -> Discovery:
        config, steps = self.config, self.config.steps
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(config.seed)
            # like unknowns, coordinates of pictures have mean 0
            network = GeneratorNetwork(
                domain.periodic, (True, True), config.slots, config.trunk, config.head, unit=UNIT
            )
        plan = Plan(
            steps=steps,
            batch=config.batch,
            weights=Weights(config.w_sym, config.w_ortho, config.w_lips, 0.0),
            tau=config.tau,
            rate=lambda step: config.rate * (1.0 if step < WARM * steps else config.cooling),
            sobolev_from=steps,
            clip=config.clip,
        )
        score = FiniteScore(domain, config.sigma, self.solver, plain=True)
        training = Descent(data.train, network.to(self.device), score, plan, config.seed)
        kept, levels = self.checkpoint.training(), []
        if kept is not None:
            training.load(kept[0])
            levels = kept[1]
            self.report.line(f"resumed at step {training.done} of {steps}")
        # steps after the last one kept will be taken, and their metrics written, again
        self.directory.keep_metrics(training.done)
        return by_flow(
            domain, data, training, levels, config.held_out, config.sigma, self.solver, self.checkpoint,
            self.report, lambda row: self.directory.metric(**row, stage="flow"),
        )  # fmt: skip

    def _compare(self, domain: ImageDomain, data: Split, found: Discovery) -> AffineComparison:
        batches = list(data.held_out.batches(self.config.held_out, 32))
        return compare_affine(domain, found.fields, domain.reference(), batches, self.config.sigma, self.solver)

    def _summary(self, domain: ImageDomain, compared: AffineComparison) -> dict[str, Any]:
        summary = {
            "run": str(self.directory.path),
            "plugin": self.config.plugin,
            "title": self.declaration.title,
            "domain": "images",
            "method": "flow",
            "coordinates": list(domain.coordinates),
            "seconds": {},
            "count": None,
            "more": None,
            **compared.as_json(),
            "formulas": [],
            "truth": [],
            "network": self.network,
            "warnings": self.report.warnings,
        }
        return {**summary, "sentence": sentence(summary)}

    def _write(self, domain: ImageDomain, data: Split, found: Discovery, summary: dict[str, Any]) -> None:
        """generators.csv and fields.safetensors."""
        with naming(self.directory.path / "generators.csv"):
            write_csv(summary, self.directory.path / "generators.csv")
        batch = next(data.held_out.batches(SHOWN, SHOWN))
        fields, slots = found.fields, self.config.slots
        grid = batch.points[0]
        s = torch.linspace(-self.config.sigma, self.config.sigma, STRIP)
        flow = Flow(fields, self.solver)
        with torch.no_grad():
            moved = [domain.act(flow, batch, torch.full((slots,), float(v)).to(grid)).pixels for v in s]
            tensors: dict[str, Tensor] = {
                "grid/x": grid[0, 0],
                "grid/y": grid[1, :, 0],
                "weight": batch.weight[0],
                "learned": values(fields, batch.points)[:, 0],
                "reference": torch.stack([field.function(batch.points)[0] for field in domain.reference()]),
                "pictures": batch.pixels,
                "orbit/s": s,
                "orbit/pictures": torch.stack([part.unflatten(0, (slots, -1)) for part in moved], 1),
            }
        content = save({key: value.float().cpu().contiguous() for key, value in tensors.items()})
        write_atomic(self.directory.path / "fields.safetensors", content)


def _guarded(features: Features, name: str) -> Features:
    """A plugin's own extractor, whatever it raises being said as its fault."""

    def guarded(pixels: Tensor) -> Tensor:
        try:
            return features(pixels)
        except Exception as error:
            raise PluginError(
                f"{name}: its features can't be taken of pictures of shape {list(pixels.shape)}: "
                f"{type(error).__name__}: {error}",
                hint="The function gets a tensor (picture, channel, row, column) and returns (picture, feature).",
            ) from error

    return guarded
