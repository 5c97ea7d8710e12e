"""The pipeline behind `lieapp discover` for pictures, whatever of them is moved: network, descent, comparison."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
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
from lieapp.document import Figure
from lieapp.domains.base import Data, Domain
from lieapp.domains.efficientnet import NAME, EfficientNetFeatures
from lieapp.domains.extractor import Features
from lieapp.domains.extractor_files import read_extractor
from lieapp.errors import PluginError
from lieapp.numerics.processor import use_processor
from lieapp.registry.catalog import Catalog
from lieapp.report.material import read_fields
from lieapp.report.page import write_report
from lieapp.report.parts import provenance
from lieapp.report.picture_document import document, write_csv
from lieapp.report.picture_figures import Tensors, strips
from lieapp.report.wording import cosine
from lieapp.results.pictures import PictureDiscovery, Slot
from lieapp.results.training import Network
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

INSIDE = 0.9
"""Share from which on a slot counts as one of the named span; the paper's ten have .98 or more, or .12 or less."""

SHOWN, STRIP = 6, 5
"""Pictures, and flow parameters, of the strips in fields.safetensors."""


@dataclass(frozen=True)
class Split:
    """Pictures to learn from and to judge on.

    Args:
        said: where their weight comes from.
    """

    train: Data
    held_out: Data
    said: str = ""


class Side(ABC):
    """What differs between pictures whose plane is moved and those whose colours are.

    Args:
        unit: factor on coordinates before the generator network sees them.
        centred: which coordinates have mean 0; others come from [0, 1].
        span: what the named fields are called.
        are: what slots are that lie nearly in their span: "3 of 6 slots are …".
    """

    name: str
    unit: float
    centred: tuple[bool, ...]
    span: str
    are: str

    def __init__(self, config: DiscoverPictures) -> None:
        self.config = config

    def check(self, pictures: Pictures) -> None:  # noqa: B027 - every picture has a plane
        """Raises DataError for pictures in which nothing can be moved."""

    @abstractmethod
    def split(self, learn: Pictures, judge: Pictures, features: Features, flip: bool, device: str) -> Split:
        """Both parts, with the weight measured on the first; `flip` mirrors pictures to learn from."""

    @abstractmethod
    def domain(self, features: Features) -> Domain:
        """What the engine sees."""

    @abstractmethod
    def place(self, slot: Slot, share: float) -> None:
        """Note how much of a slot lies in the span of the named fields, under the name of the span."""

    def complete(  # noqa: B027 - of most there is nothing else to say
        self, result: PictureDiscovery, domain: Domain, batches: list[Any], fields: Slotted, solver: Solver
    ) -> None:
        """Note what else can be said of fields that are moved along."""

    @abstractmethod
    def drawn(self, domain: Domain, batch: Any, fields: Slotted, solver: Solver) -> dict[str, Tensor]:
        """Tensors of fields.safetensors besides the moved pictures, for figures."""

    @staticmethod
    @abstractmethod
    def figures(slots: Sequence[Slot], tensors: Tensors) -> list[Figure]:
        """Fields and weight, drawn from fields.safetensors."""


def execute(side: Side, run: RunDirectory, catalog: Catalog, report: RunReporter) -> PictureDiscovery:
    """Do or go on with a run; returns its result and writes its other files.

    Raises LieappError for what the declaration, the pictures or the settings don't allow.
    """
    return _Job(side, run, catalog, report).run()


class _Job:
    def __init__(self, side: Side, run: RunDirectory, catalog: Catalog, report: RunReporter) -> None:
        config = side.config
        self.side, self.config, self.directory, self.report = side, config, run, report
        self.declaration = catalog.get(config.plugin).declaration
        use_processor(config.threads)
        self.device = find_device(config.device)
        folder = run.path / "checkpoint"
        self.watch = Stopwatch(folder / "seconds.json", lieapp.STARTED)
        self.checkpoint = Checkpoint(folder, self._kept)
        self._now: tuple[Data, Descent] | None = None
        self.solver = Solver(config.solver, config.solver_step)
        self.network: Network | None = None

    def run(self) -> PictureDiscovery:
        """All stages in order."""
        config = self.config
        self.directory.add_provenance(device_used=self.device, threads=config.threads)
        pictures = self._timed("data", self._pictures)
        features = self._timed("network", lambda: self._features(pictures))
        if self.network and (words := near_guessing(self.network)):
            self.report.warn(words)
        data = self._timed("weight", lambda: self._data(pictures, features))
        domain = self.side.domain(features)
        found = self._timed("discovery", lambda: self._discover(domain, data))
        batches = list(data.held_out.batches(config.held_out, 32))
        compared = self._timed(
            "compare", lambda: compare_named(domain, found.fields, batches, config.sigma, self.solver)
        )
        result = self._result(domain, compared)
        self._timed("cross-check", lambda: self.side.complete(result, domain, batches, found.fields, self.solver))
        self._timed("report", lambda: self._write(domain, data, found, result))
        figures = self._figures(result)
        result.figures = [msgspec.structs.replace(figure, svg="") for figure in figures]
        result.seconds = self.watch.seconds()
        self.directory.write_summary(result)
        self._report(result, {figure.key: figure.svg for figure in figures})
        return result

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

    def _features(self, pictures: Pictures) -> Features:
        """The plugin's own extractor, a file's, a package's, or a network of the cache, trained if need be."""
        config = self.config
        if self.declaration.features is not None:
            return _guarded(self.declaration.features, config.plugin)
        if config.trained:
            extractor, self.network = read_extractor(Path(config.trained))
            extractor.check_fits(pictures.shape, pictures.facts["source"])
            return extractor.to(self.device).features
        if config.network == NAME:
            self.network = Network(network=NAME)
            return EfficientNetFeatures(*pictures.shape[1:]).to(self.device)
        training = load_config(
            TrainConfig, plugin=config.plugin, data=config.data, preset=config.preset, device=config.device,
            threads=config.threads,
        )  # fmt: skip
        found = network_of(
            training, pictures, self.declaration.flip, self.device, self.checkpoint.of("network"), self.report,
        )  # fmt: skip
        self.network = found.facts
        self.report.line(f"network: {found.facts.told_right} of pictures kept aside are told right")
        return found.extractor.features

    def _data(self, pictures: Pictures, features: Features) -> Split:
        config = self.config
        learn, judge = drawn(pictures, config.pictures, config.seed).split(config.validation, config.seed)
        split = self.side.split(learn, judge, features, self.declaration.flip, self.device)
        if split.said:
            self.report.line(split.said)
        return split

    def _discover(self, domain: Domain, data: Split) -> Discovery:
        config, steps = self.config, self.config.steps
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(config.seed)
            network = GeneratorNetwork(
                domain.periodic, self.side.centred, config.slots, config.trunk, config.head, unit=self.side.unit
            )
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

    def _result(self, domain: Domain, compared: NamedComparison) -> PictureDiscovery:
        """Without what takes longer; seconds come last."""
        for slot, share in zip(compared.slots, compared.shares, strict=True):
            self.side.place(slot, share)
        return PictureDiscovery(
            run=str(self.directory.path), plugin=self.config.plugin, title=self.declaration.title,
            sentence=sentence(compared.slots, self.side.are), warnings=self.report.warnings, domain=self.side.name,
            span=self.side.span, coordinates=list(domain.coordinates), s=compared.s, generators=compared.slots,
            reference=compared.reference, inner=compared.inner, basis=compared.basis, subspace=compared.subspace,
            network=self.network,
        )  # fmt: skip

    def _figures(self, result: PictureDiscovery) -> list[Figure]:
        tensors = read_fields(self.directory.path / "fields.safetensors")
        return [*self.side.figures(result.generators, tensors), *strips(result.generators, tensors)]

    def _report(self, result: PictureDiscovery, svg: dict[str, str]) -> None:
        """report.html and figures/."""
        run = self.directory
        told = [*document(result, svg.__getitem__), *provenance(run.provenance(), run.config())]
        write_report(run.path, result.title, f"Symmetries learned from pictures · run {run.id}", told)

    def _write(self, domain: Domain, data: Split, found: Discovery, result: PictureDiscovery) -> None:
        """generators.csv and fields.safetensors."""
        with naming(self.directory.path / "generators.csv"):
            write_csv(result, self.directory.path / "generators.csv")
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


def sentence(slots: Sequence[Slot], are: str) -> str:
    """The outcome; `are` is what slots in the span of the named fields are called."""
    inside, first = [row for row in slots if (row.share or 0.0) >= INSIDE], slots[0]
    return (
        f"{len(inside)} of {len(slots)} slots {'is' if len(inside) == 1 else 'are'} {are} (share of at least "
        f"{INSIDE:g}); slot 1 is nearest to {first.nearest.name} (cosine {cosine(first.nearest.cosine, 3)}) and "
        f"turns the features by {first.angle:.2f} rad"
    )


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
