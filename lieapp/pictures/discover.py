"""The pipeline behind `lieapp discover` for pictures, whatever of them is moved: network, descent, comparison."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Generic

import msgspec
import torch
from torch import Tensor

from lieapp.api import LabelledPictures
from lieapp.config_pictures import DiscoverPictures, TrainConfig
from lieapp.data.images.pictures import Pictures
from lieapp.data.images.sources import read_pictures
from lieapp.document import cosine
from lieapp.domains.base import Data
from lieapp.errors import PluginError
from lieapp.methods.by_flow import by_flow
from lieapp.methods.descent import Descent, Plan, Weights
from lieapp.methods.fields import Slotted, values
from lieapp.methods.flow import Flow, Solver
from lieapp.methods.generator import GeneratorNetwork
from lieapp.methods.losses import FiniteScore
from lieapp.methods.result import Discovery
from lieapp.pictures.document import run_figures, write_csv
from lieapp.pictures.extractor import NAME, EfficientNetFeatures, PictureFeatures, read_extractor
from lieapp.pictures.named import NamedComparison, compare_named
from lieapp.pictures.networks import drawn, near_guessing, network_of
from lieapp.pictures.seen import Seen, SightT
from lieapp.results.pictures import PictureDiscovery, Slot
from lieapp.results.training import Network
from lieapp.runs.store.files import CURRENT, naming, write_tensors
from lieapp.runs.store.session import Session
from lieapp.settings import load_config

WARM = 0.6
"""Share of the steps before the rate is cooled."""

INSIDE = 0.9
"""Share from which on a slot counts as one of the named span; the paper's ten have .98 or more, or .12 or less."""

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


class Side(ABC, Generic[SightT]):
    """What differs between pictures whose plane is moved and those whose colours are.

    Args:
        unit: factor on arguments before the generator network sees them.
        centred: which arguments have mean 0; others come from [0, 1].
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

    def check(self, pictures: Pictures) -> None:
        """Raises DataError for pictures in which nothing can be moved."""

    @abstractmethod
    def split(
        self, learn: Pictures, judge: Pictures, features: PictureFeatures, flip: bool, device: str
    ) -> Split[SightT]:
        """Both parts, with the weight measured on the first; `flip` mirrors pictures to learn from."""

    @abstractmethod
    def domain(self, features: PictureFeatures) -> Seen[SightT]:
        """What the engine sees."""

    @abstractmethod
    def place(self, slot: Slot, share: float) -> None:
        """Note how much of a slot lies in the span of the named fields, under the name of the span."""

    def complete(
        self, result: PictureDiscovery, domain: Seen[SightT], batches: list[SightT], fields: Slotted, solver: Solver
    ) -> None:
        """Note what else can be said of fields that are moved along."""

    @abstractmethod
    def drawn(self, domain: Seen[SightT], batch: SightT, fields: Slotted, solver: Solver) -> dict[str, Tensor]:
        """Tensors of fields.safetensors besides the moved pictures, for figures."""


def discover(side: Side[SightT], declaration: LabelledPictures, session: Session) -> PictureDiscovery:
    """Do or go on with a run; returns its result and writes its other files.

    Raises LieappError for what the declaration, the pictures or the settings don't allow.
    """
    return _Job(side, declaration, session).run()


class _Job(Generic[SightT]):
    def __init__(self, side: Side[SightT], declaration: LabelledPictures, session: Session) -> None:
        self.side, self.config, self.declaration, self.session = side, side.config, declaration, session
        self.directory, self.report = session.directory, session.report
        self.solver = Solver(self.config.flow.solver, self.config.flow.solver_step)
        self.network: Network | None = None

    def run(self) -> PictureDiscovery:
        """All stages in order."""
        config, timed = self.config, self.session.timed
        self.session.begin()
        pictures = timed("data", self._pictures)
        features = timed("network", lambda: self._features(pictures))
        if self.network and (words := near_guessing(self.network)):
            self.report.warn(words)
        data = timed("weight", lambda: self._data(pictures, features))
        domain = self.side.domain(features)
        found = timed("discovery", lambda: self._discover(domain, data))
        batches = list(data.held_out.batches(config.held_out, 32))
        compared = timed(
            "compare", lambda: compare_named(domain, found.fields, batches, config.flow.sigma, self.solver)
        )
        result = self._result(domain, compared)
        timed("cross-check", lambda: self.side.complete(result, domain, batches, found.fields, self.solver))
        timed("report", lambda: self._write(domain, data, found, result))
        figures = run_figures(result, self.directory.path)
        result.figures = [msgspec.structs.replace(figure, svg="") for figure in figures]
        result.seconds = self.session.stopwatch.seconds()
        return result

    def _draw(self, held_out: Data[SightT], session: Session) -> None:
        """Let the fields of the moment be written for the app, whenever the training's state is."""
        batch, file = next(held_out.batches(1, 1)), self.directory.path / CURRENT

        def draw(fields: Slotted, stage: str, step: int) -> None:
            with torch.no_grad():
                learned = values(fields, batch.points)[:, 0]
            # of colours, points are the sampled ones
            tensors = {"learned": learned, "weight": batch.weight[0], "colors": batch.points[0]}
            write_tensors(file, tensors, {"domain": self.side.name, "stage": stage, "step": step})

        session.drawing(draw)

    def _pictures(self) -> Pictures:
        pictures = read_pictures(self.config.data or self.declaration.data)
        self.directory.add_provenance(data=pictures.facts)
        self.side.check(pictures)
        return pictures

    def _features(self, pictures: Pictures) -> PictureFeatures:
        """The plugin's own extractor, a file's, a package's, or a network of the cache, trained if need be."""
        config = self.config
        if self.declaration.features is not None:
            return _guarded(self.declaration.features, config.plugin)
        if config.trained:
            extractor, self.network = read_extractor(Path(config.trained))
            extractor.check_fits(pictures.shape, pictures.facts["source"])
            return extractor.to(self.session.device).features
        if config.network == NAME:
            self.network = Network(network=NAME)
            return EfficientNetFeatures(*pictures.shape[1:]).to(self.session.device)
        training = load_config(
            TrainConfig, plugin=config.plugin, data=config.data, preset=config.preset, device=config.device,
            threads=config.threads,
        )  # fmt: skip
        aside = self.session.part("training", self.session.checkpoint.of("network"), aside=True)
        found = network_of(training, pictures, self.declaration.flip, aside)
        self.network = found.facts
        self.report.line(f"network: {found.facts.told_right} of pictures kept aside are told right")
        return found.extractor.features

    def _data(self, pictures: Pictures, features: PictureFeatures) -> Split[SightT]:
        config = self.config
        learn, judge = drawn(pictures, config.pictures, config.seed).split(config.validation, config.seed)
        split = self.side.split(learn, judge, features, self.declaration.flip, self.session.device)
        if split.said:
            self.report.line(split.said)
        return split

    def _discover(self, domain: Seen[SightT], data: Split[SightT]) -> Discovery:
        config, flow = self.config, self.config.flow
        steps, session = flow.steps, self.session.part("flow")
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(config.seed)
            network = GeneratorNetwork(
                replace(domain.arguments, dependent=self.side.centred), len(domain.components), config.slots,
                flow.trunk, flow.head, unit=self.side.unit,
            )  # fmt: skip
        plan = Plan(
            steps=steps,
            batch=flow.batch,
            weights=Weights(flow.w_sym, flow.w_ortho, flow.w_lips, 0.0),
            tau=flow.tau,
            rate=lambda step: flow.rate * (1.0 if step < WARM * steps else flow.cooling),
            sobolev_from=steps,
            clip=flow.clip,
            ordered=flow.ordered,
            soft=flow.soft,
        )
        score = FiniteScore(domain, flow.sigma, self.solver, plain=True)
        training = Descent(data.train, network.to(session.device), score, plan, config.seed)
        self._draw(data.held_out, session)
        levels = session.restored(training, steps)
        # steps after the last one kept will be taken, and their metrics written, again
        session.directory.keep_metrics(training.done)
        return by_flow(
            domain, data, training, levels, config.held_out, flow.sigma, self.solver, session,
        )  # fmt: skip

    def _result(self, domain: Seen[SightT], compared: NamedComparison) -> PictureDiscovery:
        """Without what takes longer; seconds come last."""
        for slot, share in zip(compared.slots, compared.shares, strict=True):
            self.side.place(slot, share)
        return PictureDiscovery(
            run=str(self.directory.path), plugin=self.config.plugin, title=self.declaration.title,
            sentence=sentence(compared.slots, self.side.are), warnings=self.report.warnings, domain=self.side.name,
            span=self.side.span, coordinates=list(domain.components), s=compared.s, generators=compared.slots,
            reference=compared.reference, inner=compared.inner, basis=compared.basis, subspace=compared.subspace,
            network=self.network,
        )  # fmt: skip

    def _write(
        self, domain: Seen[SightT], data: Split[SightT], found: Discovery, result: PictureDiscovery
    ) -> None:
        """generators.csv and fields.safetensors."""
        with naming(self.directory.path / "generators.csv"):
            write_csv(result, self.directory.path / "generators.csv")
        batch = next(data.held_out.batches(SHOWN, SHOWN))
        fields, slots = found.fields, self.config.slots
        s = torch.linspace(-self.config.flow.sigma, self.config.flow.sigma, STRIP)
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
