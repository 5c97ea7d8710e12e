"""The pipeline behind `lieapp discover` for pictures, whatever of them is moved: network, descent, comparison."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Generic, Protocol

import torch
from torch import Tensor

import lieapp
from lieapp.compare.named import NamedComparison, compare_named
from lieapp.config import DiscoverPictures, TrainConfig, load_config
from lieapp.data.images.pictures import Pictures
from lieapp.data.images.sources import read_pictures
from lieapp.discovery.by_flow import by_flow
from lieapp.discovery.descent import Descent, Plan, Weights
from lieapp.discovery.fields import Slotted, values
from lieapp.discovery.flow import Flow, Solver
from lieapp.discovery.generator import GeneratorNetwork
from lieapp.discovery.result import Discovery
from lieapp.discovery.scores import FiniteScore
from lieapp.domains.base import Data
from lieapp.domains.efficientnet import NAME, EfficientNetFeatures
from lieapp.domains.extractor import PictureFeatures
from lieapp.domains.extractor_files import read_extractor
from lieapp.domains.seen import Seen, SightT
from lieapp.errors import PluginError
from lieapp.numerics.processor import use_processor
from lieapp.registry.catalog import Catalog
from lieapp.report.picture_html import write_picture_report
from lieapp.report.picture_tables import sentence, write_csv
from lieapp.report.picture_words import WORDS
from lieapp.runs.checkpoint import Checkpoint
from lieapp.runs.devices import find_device
from lieapp.runs.directory import RunDirectory
from lieapp.runs.files import naming
from lieapp.runs.networks import drawn, near_guessing, network_of
from lieapp.runs.pictures import CURRENT, write_tensors
from lieapp.runs.reporter import RunReporter
from lieapp.runs.stopwatch import Stopwatch

WARM = 0.6
"""Share of the steps before the rate is cooled."""

SHOWN, STRIP = 6, 5
"""Pictures, and flow parameters, of the strips in fields.safetensors."""


@dataclass(frozen=True)
class Split(Generic[SightT]):
    """Pictures to learn from and to judge on.

    Args:
        said: where their weight comes from.
    """

    train: Data[SightT]
    held_out: Data[SightT]
    said: str = ""


class Side(Protocol[SightT]):
    """What differs between pictures whose plane is moved and those whose colours are.

    Args:
        unit: factor on arguments before the generator network sees them.
        centred: which arguments have mean 0; others come from [0, 1].
    """

    name: str
    unit: float
    centred: tuple[bool, ...]

    @property
    def config(self) -> DiscoverPictures:
        """The settings."""
        ...

    def check(self, pictures: Pictures) -> None:
        """Raises DataError for pictures in which nothing can be moved."""
        ...

    def split(
        self, learn: Pictures, judge: Pictures, features: PictureFeatures, flip: bool, device: str
    ) -> Split[SightT]:
        """Both parts, with the weight measured on the first; `flip` mirrors pictures to learn from."""
        ...

    def domain(self, features: PictureFeatures) -> Seen[SightT]:
        """What the engine sees."""
        ...

    def drawn(self, domain: Seen[SightT], batch: SightT, fields: Slotted, solver: Solver) -> dict[str, Tensor]:
        """Tensors of fields.safetensors besides the moved pictures, for figures."""
        ...

    def facts(
        self, domain: Seen[SightT], batches: list[SightT], fields: Slotted, solver: Solver
    ) -> dict[str, Any]:
        """Further keys of the summary."""
        ...


def execute(side: Side[SightT], run: RunDirectory, catalog: Catalog, report: RunReporter) -> dict[str, Any]:
    """Do or go on with a run; returns its summary and writes its other files.

    Raises LieappError for what the declaration, the pictures or the settings don't allow.
    """
    return _Job(side, run, catalog, report).run()


class _Job(Generic[SightT]):
    def __init__(self, side: Side[SightT], run: RunDirectory, catalog: Catalog, report: RunReporter) -> None:
        config = side.config
        self.side, self.config, self.directory, self.report = side, config, run, report
        self.declaration = catalog.get(config.plugin).declaration
        use_processor(config.threads)
        self.device = find_device(config.device)
        folder = run.path / "checkpoint"
        self.watch = Stopwatch(folder / "seconds.json", lieapp.STARTED)
        self.checkpoint = Checkpoint(folder, self._kept)
        self._now: tuple[Data[SightT], Descent[SightT]] | None = None
        self.solver = Solver(config.solver, config.solver_step)
        self.network: dict[str, Any] | None = None

    def run(self) -> dict[str, Any]:
        """All stages in order."""
        config = self.config
        self.directory.add_provenance(device_used=self.device, threads=config.threads)
        pictures = self._timed("data", self._pictures)
        features = self._timed("network", lambda: self._features(pictures))
        # a file of the user's may say less
        if (
            self.network
            and {"accuracy", "classes"} <= self.network.keys()
            and (words := near_guessing(self.network))
        ):
            self.report.warn(words)
        data = self._timed("weight", lambda: self._data(pictures, features))
        domain = self.side.domain(features)
        found = self._timed("discovery", lambda: self._discover(domain, data))
        batches = list(data.held_out.batches(config.held_out, 32))
        compared = self._timed(
            "compare", lambda: compare_named(domain, found.fields, batches, config.sigma, self.solver)
        )
        summary = self._summary(domain, compared)
        summary |= self._timed("cross-check", lambda: self.side.facts(domain, batches, found.fields, self.solver))
        self._timed("report", lambda: self._write(domain, data, found, summary))
        summary["seconds"] = self.watch.seconds()
        self.directory.write_summary(summary)
        write_picture_report(self.directory.path)
        return summary

    def _kept(self) -> None:
        """What is written whenever a training's state is: the fields of the moment too, for the app."""
        self.watch.save()
        if self._now is None:
            return
        data, training = self._now
        batch = next(data.batches(1, 1))
        with torch.no_grad():
            learned = values(training.fields, batch.points)[:, 0]
        # of colours, points are the sampled ones
        tensors = {"learned": learned, "weight": batch.weight[0], "colors": batch.points[0]}
        write_tensors(
            self.directory.path / CURRENT, tensors,
            {"domain": self.side.name, "stage": "flow", "step": training.done},
        )  # fmt: skip

    def _pictures(self) -> Pictures:
        pictures = read_pictures(self.config.data or self.declaration.data)
        self.directory.add_provenance(data=pictures.facts)
        self.side.check(pictures)
        return pictures

    def _timed(self, stage: str, work: Any) -> Any:
        self.report.stage(stage)
        with self.watch.stage(stage):
            return work()

    def _features(self, pictures: Pictures) -> PictureFeatures:
        """The plugin's own extractor, a file's, a package's, or a network of the cache, trained if need be."""
        config = self.config
        if self.declaration.features is not None:
            return _guarded(self.declaration.features, config.plugin)
        if config.trained:
            extractor, self.network = read_extractor(Path(config.trained))
            extractor.check_fits(pictures.shape, pictures.facts["source"])
            return extractor.to(self.device).features
        if config.network == NAME:
            self.network = {"network": NAME}
            return EfficientNetFeatures(*pictures.shape[1:]).to(self.device)
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

    def _data(self, pictures: Pictures, features: PictureFeatures) -> Split[SightT]:
        config = self.config
        learn, judge = drawn(pictures, config.pictures, config.seed).split(config.validation, config.seed)
        split = self.side.split(learn, judge, features, self.declaration.flip, self.device)
        if split.said:
            self.report.line(split.said)
        return split

    def _discover(self, domain: Seen[SightT], data: Split[SightT]) -> Discovery:
        config, steps = self.config, self.config.steps
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(config.seed)
            network = GeneratorNetwork(
                replace(domain.arguments, dependent=self.side.centred), len(domain.components), config.slots,
                config.trunk, config.head, unit=self.side.unit,
            )  # fmt: skip
        plan = Plan(
            steps=steps,
            batch=config.batch,
            weights=Weights(config.w_sym, config.w_ortho, config.w_lips, 0.0),
            tau=config.tau,
            rate=lambda step: config.rate * (1.0 if step < WARM * steps else config.cooling),
            sobolev_from=steps,
            clip=config.clip,
            ordered=config.ordered,
            soft=config.soft,
        )
        score = FiniteScore(domain, config.sigma, self.solver, plain=True)
        training = Descent(data.train, network.to(self.device), score, plan, config.seed)
        kept, levels = self.checkpoint.training(), []
        self._now = (data.held_out, training)
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

    def _summary(self, domain: Seen[SightT], compared: NamedComparison) -> dict[str, Any]:
        summary = {
            "run": str(self.directory.path),
            "plugin": self.config.plugin,
            "title": self.declaration.title,
            "domain": self.side.name,
            "method": "flow",
            "coordinates": list(domain.components),
            "seconds": {},
            "count": None,
            "more": None,
            **compared.as_json(WORDS[self.side.name].share),
            "formulas": [],
            "truth": [],
            "network": self.network,
            "warnings": self.report.warnings,
        }
        return {**summary, "sentence": sentence(summary)}

    def _write(
        self, domain: Seen[SightT], data: Split[SightT], found: Discovery, summary: dict[str, Any]
    ) -> None:
        """generators.csv and fields.safetensors."""
        with naming(self.directory.path / "generators.csv"):
            write_csv(summary, self.directory.path / "generators.csv")
        batch = next(data.held_out.batches(SHOWN, SHOWN))
        fields, slots = found.fields, self.config.slots
        s = torch.linspace(-self.config.sigma, self.config.sigma, STRIP)
        flow = Flow(fields, self.solver)
        with torch.no_grad():
            moved = [domain.act(flow, batch, torch.full((slots,), float(v)).to(batch.points)).pixels for v in s]
            tensors: dict[str, Tensor] = {
                "learned": values(fields, batch.points)[:, 0],
                "reference": torch.stack([field.function(batch.points)[0] for field in domain.reference()]),
                "weight": batch.weight[0],
                "pictures": batch.pixels,
                "orbit/s": s,
                "orbit/pictures": torch.stack([part.unflatten(0, (slots, -1)) for part in moved], 1),
                **self.side.drawn(domain, batch, fields, self.solver),
            }
        write_tensors(self.directory.path / "fields.safetensors", tensors)
        (self.directory.path / CURRENT).unlink(missing_ok=True)


def _guarded(features: PictureFeatures, name: str) -> PictureFeatures:
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
