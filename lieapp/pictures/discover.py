"""The pipeline behind `lieapp discover` for pictures, whatever of them is moved: network, descent, comparison.

Learned fields are held against named ones: inner products, shares, components, and angles of both.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from lieapp.api import LabelledPictures
from lieapp.compare.subspace import (
    cosines,
    independent,
    largest_components,
    normalised,
    orthonormalised,
    principal_angle,
)
from lieapp.config_pictures import DiscoverPictures
from lieapp.config_training import TRAINED, TrainConfig
from lieapp.data.images.pictures import Pictures
from lieapp.data.images.sources import pictures_of
from lieapp.document import Caption, cosine
from lieapp.domains.base import Data
from lieapp.domains.formulas import stack
from lieapp.errors import PluginError
from lieapp.methods.by_flow import SHARES, by_flow, gram, mean_validity
from lieapp.methods.by_flow import normalised as unit
from lieapp.methods.descent import Descent, Plan, Weights
from lieapp.methods.fields import Joined, Orthonormal, Slotted, values
from lieapp.methods.flow import Flow, Solver
from lieapp.methods.losses import FiniteScore
from lieapp.methods.network import GeneratorNetwork
from lieapp.methods.result import Discovery
from lieapp.pictures.document import run_figures, write_csv
from lieapp.pictures.extractor import PictureFeatures, read_extractor
from lieapp.pictures.image import PictureBatch, Seen
from lieapp.pictures.networks import drawn, near_guessing, network_of
from lieapp.pictures.offered import EFFICIENTNET
from lieapp.pictures.ready import from_file, ready_network
from lieapp.results.discovery import Subspace
from lieapp.results.pictures import INSIDE, Basis, Gap, NamedField, Nearest, Part, PictureDiscovery, Slot
from lieapp.results.training import Network
from lieapp.runs.store.files import CURRENT, write_tensors
from lieapp.runs.store.session import Session
from lieapp.settings import load_config

WARM = 0.6
"""Share of the steps before the rate is cooled."""

SHOWN, STRIP = 6, 5
"""Pictures, and flow parameters, of the strips in fields.safetensors."""


@dataclass(frozen=True)
class Split:
    """Pictures to learn from and to judge on."""

    train: Data[PictureBatch]
    held_out: Data[PictureBatch]


class Side(ABC):
    """What is moved of pictures: their plane or their colours. Made anew for each session of a run.

    Args:
        unit: factor on arguments before the generator network sees them.
        centred: which arguments have mean 0; others come from [0, 1].
        span: what the named fields are called, and the key of a slot's share of them.
        are: what slots are that lie nearly in their span: "3 of 6 slots are …".
    """

    name: str
    unit: float
    centred: tuple[bool, ...]
    span: str
    are: str
    network: Network | None = None

    def __init__(self, config: DiscoverPictures, declaration: LabelledPictures, session: Session) -> None:
        self.config, self.declaration, self.session = config, declaration, session
        self.folder, self.report = session.directory.path, session.report
        self.solver = Solver(self.config.flow.solver, self.config.flow.solver_step)

    def check(self, pictures: Pictures) -> None:  # noqa: B027 - most pictures can be moved
        """Raises DataError for pictures in which nothing can be moved."""

    @abstractmethod
    def split(self, learn: Pictures, judge: Pictures, features: PictureFeatures) -> Split:
        """Both parts, with the weight measured on the first."""

    @abstractmethod
    def domain(self, features: PictureFeatures) -> Seen:
        """What the engine sees."""

    def complete(  # noqa: B027 - of the plane nothing
        self, result: PictureDiscovery, domain: Seen, batches: list[PictureBatch], fields: Slotted
    ) -> None:
        """Note what else can be said of fields that are moved along."""

    @abstractmethod
    def drawn(self, batch: PictureBatch, fields: Slotted) -> dict[str, Tensor]:
        """Tensors of fields.safetensors besides the moved pictures, for figures."""

    def run(self) -> PictureDiscovery:
        """Do or go on with a run; returns its result and writes its other files.

        Raises LieappError for what the declaration, the pictures or the settings don't allow.
        """
        config, timed = self.config, self.session.timed
        self.session.begin()
        pictures = timed("data", self._pictures)
        features = timed("network", lambda: self._features(pictures))
        if self.network and (words := near_guessing(self.network)):
            self.report.warn(words)
        learn, judge = self._parted(drawn(pictures, config.pictures, config.seed))
        data = timed("weight", lambda: self.split(learn, judge, features))
        domain = self.domain(features)
        found = timed("discovery", lambda: self._discover(domain, data))
        batches, fields = list(data.held_out.batches(config.held_out, 32)), found.fields
        sigma, span = config.flow.sigma, self.span
        compared = timed("compare", lambda: compare_named(domain, fields, batches, sigma, self.solver, span))
        result = PictureDiscovery(
            run=str(self.folder), plugin=config.plugin, title=self.declaration.title,
            sentence=sentence(compared["generators"], self.are), warnings=self.report.warnings, domain=self.name,
            span=span, coordinates=list(domain.components), network=self.network, **compared,
        )  # fmt: skip
        timed("cross-check", lambda: self.complete(result, domain, batches, fields))
        timed("report", lambda: self._write(domain, data, fields, result))
        result.figures = [Caption(f.key, f.title, f.caption) for f in run_figures(result, self.folder)]
        result.seconds = self.session.stopwatch.seconds()
        return result

    def _draw(self, held_out: Data[PictureBatch], session: Session) -> None:
        """Let the fields of the moment be written for the app, whenever the training's state is."""
        batch, file = next(held_out.batches(1, 1)), self.folder / CURRENT

        def draw(fields: Slotted, stage: str, step: int) -> None:
            with torch.no_grad():
                learned = values(fields, batch.points)[:, 0]
            # of colours, points are the sampled ones
            tensors = {"learned": learned, "weight": batch.weight[0], "colors": batch.points[0]}
            write_tensors(file, tensors, {"domain": self.name, "stage": stage, "step": step})

        session.drawing(draw)

    def _pictures(self) -> Pictures:
        pictures = pictures_of(self.config, self.declaration.data)
        self.session.directory.add_provenance(data=pictures.facts)
        self.check(pictures)
        return pictures

    def _parted(self, pictures: Pictures) -> tuple[Pictures, Pictures]:
        """To learn from and to judge on; labels don't matter, and crops are held out by whole photographs."""
        if words := pictures.overlap(labelled=False):
            self.report.warn(f"discovery: {words}")
        learn, judge = pictures.split(self.config.validation, self.config.seed, labelled=False)
        if pictures.files:
            held = judge.photographs()
            self.session.directory.add_provenance(held_out_photographs=held)
            every = len(pictures.photographs())
            self.report.line(f"fields are judged on {len(judge)} crops of {len(held)} of {every} photographs")
        return learn, judge

    def _features(self, pictures: Pictures) -> PictureFeatures:
        """The plugin's own extractor, a file's, a package's, or a network of the cache, trained if need be."""
        config = self.config
        if self.declaration.features is not None:
            return _guarded(self.declaration.features, config.plugin)
        if config.trained:
            extractor, known = read_extractor(Path(config.trained))
            extractor.check_fits(pictures.shape, pictures.facts["source"])
            known.origin = from_file("A network of lieapp train.", config.trained)
            self.network, known.input = known, list(extractor.size)
            return extractor.only_used().to(self.session.device).features
        if config.network not in ("", TRAINED):
            return self._ready(pictures)
        if not config.network:
            self.report.line(
                f"network: the preset's, trained on these pictures; `{EFFICIENTNET.install}` brings one trained on "
                "ImageNet, which is then used"
            )
        training = load_config(
            TrainConfig, plugin=config.plugin, data=config.data, preset=config.preset, device=config.device,
            threads=config.threads, crops=config.crops, crop_side=config.crop_side,
        )  # fmt: skip
        if pictures.files and (training.seed != config.seed or pictures.around is not None):
            # crops of the training's own, drawn by its seed: one network serves discoveries with several
            pictures = pictures_of(training, self.declaration.data)
        aside = self.session.part("training", self.session.checkpoint.of("network"), aside=True)
        extractor, self.network, _ = network_of(training, pictures, self.declaration.flip, aside)
        self.report.line(f"network: validation accuracy {self.network.percent}")
        return extractor.features

    def _ready(self, pictures: Pictures) -> PictureFeatures:
        """Those of the ready network that the settings name."""
        network, self.network = ready_network(self.config, pictures.shape)
        size, origin = "{} x {}".format(*network.size), self.network.origin
        if origin:
            self.report.line(f"network: {network.name}, {origin.source}; pictures enter it with {size} pixels")
        flow = self.config.flow
        count = flow.steps * flow.batch * self.config.slots
        self.report.line(f"network: {flow.steps} steps take {count} moved pictures through it")
        if pictures.shape[0] == 1:
            self.report.line("network: grey pictures are repeated for its three channels")
        return network.to(self.session.device)

    def _discover(self, domain: Seen, data: Split) -> Discovery:
        config, flow = self.config, self.config.flow
        steps, session = flow.steps, self.session.part("flow")
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(config.seed)
            network = GeneratorNetwork(
                replace(domain.arguments, dependent=self.centred), len(domain.components), config.slots,
                flow.trunk, flow.head, unit=self.unit,
            )  # fmt: skip
        fields: nn.Module = network
        if flow.orthonormality == "exact":
            # all batches have the same points
            batch = next(data.train.batches(1, 1))
            fields = Orthonormal(network, config.slots, batch.points.cpu(), batch.weight.cpu())
        plan = Plan(
            steps=steps, batch=flow.batch, tau=flow.tau,
            weights=Weights(flow.w_sym, flow.w_ortho, flow.w_lips, 0.0),
            rate=lambda step: flow.rate * (1.0 if step < WARM * steps else flow.cooling), sobolev_from=steps,
            clip=flow.clip, ordered=flow.ordered, soft=flow.soft,
        )  # fmt: skip
        score = FiniteScore(domain, flow.sigma, self.solver, plain=True)
        training = Descent(data.train, fields.to(session.device), score, plan, config.seed)
        self._draw(data.held_out, session)
        levels = session.restored(training, steps)
        # steps after the last one kept will be taken, and their metrics written, again
        session.directory.keep_metrics(training.done)
        return by_flow(domain, data, training, levels, config.held_out, flow.sigma, self.solver, session)

    def _write(self, domain: Seen, data: Split, fields: Slotted, result: PictureDiscovery) -> None:
        """generators.csv and fields.safetensors."""
        write_csv(result, self.folder / "generators.csv")
        batch, sigma = next(data.held_out.batches(SHOWN, SHOWN)), self.config.flow.sigma
        slots, s, flow = self.config.slots, torch.linspace(-sigma, sigma, STRIP), Flow(fields, self.solver)
        with torch.no_grad():
            moved = [domain.act(flow, batch, torch.full((slots,), float(v)).to(batch.points)).pixels for v in s]
            tensors: dict[str, Tensor] = {
                "learned": values(fields, batch.points)[:, 0],
                "reference": torch.stack([field.function(batch.points)[0] for field in domain.reference()]),
                "weight": batch.weight[0],
                "pictures": batch.pixels,
                "orbit/s": s,
                "orbit/pictures": torch.stack([part.unflatten(0, (slots, -1)) for part in moved], 1),
                **self.drawn(batch, fields),
            }
        write_tensors(self.folder / "fields.safetensors", tensors)
        (self.folder / CURRENT).unlink(missing_ok=True)


def compare_named(
    domain: Seen, learned: Slotted, batches: Sequence[PictureBatch], sigma: float, solver: Solver, span: str
) -> dict[str, Any]:
    """What held-out pictures say of `learned`, of norm 1, beside the domain's reference, by keys of the result.

    s: flow parameters at which angles between features were taken. generators: the learned fields; under `span` the
    norm of the projection of each on the span of the named fields, 1 for one of that span. reference: the named
    fields, which of them are independent under the weight, and how the slots hold them. inner: products of fields
    of norm 1, slot x named field. basis: products of the slots with the independent named fields, orthonormalised
    in their order. subspace: the angle between the first slots, as many as that span has dimensions, and the span.
    """
    reference = domain.reference()
    names = [field.name for field in reference]
    slots = len(values(learned, batches[0].points))
    named = unit(stack(reference), batches)
    products = normalised(gram(Joined(learned, named), batches))
    first, others = list(range(slots)), list(range(slots, slots + len(reference)))
    basis, inner = independent(products, others), products[:slots, slots:]
    s = [share * sigma for share in SHARES]
    angles = torch.cat([mean_validity(domain, fields, batches, s, solver) for fields in (learned, named)])
    parts = [largest_components(products, slot, others) for slot in first]
    shares = cosines(products, basis, first)
    nearest = inner.abs().argmax(1).tolist()
    along = orthonormalised(products, basis).T @ products[basis][:, first]
    angle = principal_angle(products, first[: len(basis)], basis) if slots >= len(basis) else None
    return {
        "s": s,
        "generators": [
            Slot(
                slot=n + 1,
                angle=float(angles[n].mean()),
                angles=angles[n].tolist(),
                nearest=Nearest(name=names[nearest[n]], cosine=float(inner[n, nearest[n]].abs())),
                components=[Part(names[k - slots], value) for k, value in parts[n]],
                **{span: shares[n]},
            )
            for n in first
        ],
        "reference": [
            NamedField(field.name, field.formula, field.shown, n in basis, float(own.mean()), own.tolist(), cosine)
            for n, field, own, cosine in zip(
                others, reference, angles[slots:], cosines(products, first, others), strict=True
            )
        ],
        "inner": inner.tolist(),
        "basis": Basis([names[n - slots] for n in basis], along.T.tolist()),
        "subspace": Subspace(angle=angle),
        "gap": gap_of(shares),
    }


def gap_of(shares: Sequence[float | None]) -> Gap | None:
    """Where slots that lie in the span are parted furthest from those that don't, in whatever order they stand."""
    known = sorted((x if x is not None and math.isfinite(x) else 0.0 for x in shares), reverse=True)
    parted = [Gap(n, known[n - 1], known[n]) for n in range(1, len(known))]
    widest = max(parted, key=lambda gap: gap.above - gap.below, default=None)
    return widest if widest is not None and widest.above > widest.below else None


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
                f"{name}: its features can't be computed for pictures of shape {list(pixels.shape)}: "
                f"{type(error).__name__}: {error}",
                hint="The function gets a tensor (picture, channel, row, column) and returns (picture, feature).",
            ) from error

    return guarded
