"""The stages of a discovery, set up from the configuration: what makes fields, what refines them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from msgspec.structs import replace
from torch import nn

from lieapp.config import DiscoverConfig
from lieapp.discovery.by_descent import by_descent, refinable, refined
from lieapp.discovery.by_projection import by_projection
from lieapp.discovery.by_spectrum import by_spectrum
from lieapp.discovery.descent import Descent, Plan, Weights
from lieapp.discovery.flow import Solver
from lieapp.discovery.generator import GeneratorNetwork
from lieapp.discovery.projection import Projection, Settings
from lieapp.discovery.result import Discovery, Level, Metrics
from lieapp.discovery.scores import FiniteScore, LinearScore
from lieapp.domains.patches import PatchData, Patches
from lieapp.domains.pde import PDEDataset, PDEDomain
from lieapp.domains.slices import Slices
from lieapp.errors import ConfigError, DiscoveryError, GridError
from lieapp.progress import Reporter
from lieapp.runs.checkpoint import Checkpoint
from lieapp.runs.coefficients import coefficient_features
from lieapp.runs.directory import RunDirectory
from lieapp.runs.pictures import CURRENT, write_current

PATCH = (48, 64)
"""Nodes of a patch in time and along each axis of space unless they are given."""


PAPER_PATCH = (64, 64)
"""The same where fields are trained from nothing, as in the code published with the paper."""


NOISY = (
    "the data hold noise, and moved data are differentiated in time, where it isn't cut; the linear criterion "
    "needs single times only"
)
"""Why nothing is moved by a finite amount."""


def projection_settings(config: DiscoverConfig) -> Settings:
    """Those of the variable projection."""
    return Settings(
        config.slots, config.steps, config.width, config.features, config.modes, config.batch, config.rate,
        config.floor,
    )  # fmt: skip


class Stages:
    """Everything that turns data into fields.

    Args:
        checkpoint: where trainings keep their state.
        directory: whose metrics are written.
        functions: whether a projection has the functions of the equation's coefficients beside its features.
    """

    def __init__(
        self, config: DiscoverConfig, domain: PDEDomain, device: torch.device | str, checkpoint: Checkpoint,
        directory: RunDirectory, report: Reporter, functions: bool = False,
    ) -> None:  # fmt: skip
        self.config, self.domain, self.device, self.checkpoint = config, domain, device, checkpoint
        self.directory, self.report, self.functions = directory, report, functions
        self.slices = (config.slices, config.held_out_slices)
        self._now: tuple[PDEDataset, str, Any] | None = None
        strange = [stage for stage in config.plan if stage not in domain.stages]
        if strange:
            raise ConfigError(
                f"{domain.name}: the stage {strange[0]} makes no sense for this domain.",
                hint=f"Its stages are {', '.join(domain.stages)}.",
            )

    def run(self, data: PDEDataset) -> Discovery:
        """All stages of the plan in turn, with metrics."""
        first, *rest = self.config.plan
        names = [f"{stage}{number + 1}" for number, stage in enumerate(rest)]
        # steps after the last ones kept will be taken, and their metrics written, again
        kept = [self.checkpoint.training(), *(self.checkpoint.of(name).training() for name in names)]
        self.directory.keep_metrics(sum(int(state[0]["done"]) for state in kept if state is not None))
        trainings: list[Any] = []
        found = self._first(first, data, trainings)
        for name, stage in zip(names, rest, strict=True):
            found = self._refined(found, stage, name, data, trainings)
        return found

    def show_current(self) -> None:
        """Write the fields of the training that goes on, for the app; nothing before its first step."""
        if self._now is None:
            return
        data, stage, training = self._now
        if getattr(training, "fields", None) is not None:
            self._show(data, training.fields, stage, training.done)

    def _show(self, data: PDEDataset, fields: nn.Module, stage: str, step: int) -> None:
        facts = {"stage": stage, "step": step}
        write_current(self.directory.path / CURRENT, self.domain, data.held_out, fields, facts)

    def longer(self) -> Stages:
        """The same with twice the steps of the projection and, as the cross-check, the coefficients' functions.

        Its checkpoints are in a folder of their own.
        """
        config = replace(self.config, steps=2 * self.config.steps)
        checkpoint = self.checkpoint.inside("longer")
        return Stages(config, self.domain, self.device, checkpoint, self.directory, self.report, functions=True)

    def other(self, data: PDEDataset) -> Discovery:
        """What the other method finds, without metrics."""
        if self.config.method == "neural":
            return self._spectrum(data, lambda row: None, lambda fields, level: None)
        return self._projection(data, [], lambda row: None)

    def _first(self, stage: str, data: PDEDataset, trainings: list[Any]) -> Discovery:
        if stage == "spectrum":
            metrics = self._metrics(stage)
            return self._spectrum(data, metrics, lambda fields, level: self._show(data, fields, stage, level))
        if stage == "projection":
            return self._projection(data, trainings, self._metrics(stage))
        return self._descent(stage, data, trainings)

    def _spectrum(self, data: PDEDataset, metrics: Metrics, seen: Callable[[Any, int], None]) -> Discovery:
        config = self.config
        return by_spectrum(
            self.domain, data, config.degrees, config.modes, config.unknown_degree, config.slots, self.slices,
            self.report, metrics, coefficient_features(self.domain, data, config.slices), seen,
        )  # fmt: skip

    def _projection(self, data: PDEDataset, trainings: list[Any], metrics: Metrics) -> Discovery:
        config = self.config
        further = coefficient_features(self.domain, data, config.slices) if self.functions else None
        training = Projection(
            self.domain, data.draft, projection_settings(config), config.seed, self.device, further
        )
        levels = self._restored(training, config.steps, self.checkpoint, trainings)
        self._now = (data, "projection", training)
        return by_projection(
            self.domain, data, training, levels, self.slices, self.checkpoint, self.report, metrics
        )

    def _descent(self, stage: str, data: PDEDataset, trainings: list[Any]) -> Discovery:
        config = self.config
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(config.seed)
            network = GeneratorNetwork(
                self.domain.arguments, len(self.domain.components), config.slots, config.trunk, config.head,
                config.modes,
            )  # fmt: skip
        training = self.training(stage, data, network, plain=True)
        levels = self._restored(training, training.plan.steps, self.checkpoint, trainings)
        self._now = (data, stage, training)
        return by_descent(
            self.domain, data, training, levels, self.slices, self.checkpoint, self.report, self._metrics(stage)
        )

    def _refined(
        self, found: Discovery, stage: str, name: str, data: PDEDataset, trainings: list[Any]
    ) -> Discovery:
        start = refinable(found)
        if start is None or self.config.epochs == 0:
            return found
        if data.noise and not self.config.stages:
            self.report.warn(f"the flow stage was left out: {NOISY}")
            return found
        try:
            self.domain.check_patches(self.patches(data, torch.float64))
        except GridError as error:
            if self.config.stages:
                raise
            self.report.warn(f"the flow stage was left out: {error.message}")
            return found
        before = sum(training.done for training in trainings)
        training = self.training(stage, data, start, plain=False)
        checkpoint = self.checkpoint.of(name)
        self._restored(training, training.plan.steps, checkpoint, trainings)
        self._now = (data, stage, training)
        try:
            return self._descended(found, stage, training, checkpoint, data, before)
        except DiscoveryError as error:
            if self.config.stages:
                raise
            self.report.warn(f"the flow stage was left out: {error.message}")
            return found

    def _descended(
        self, found: Discovery, stage: str, training: Descent, checkpoint: Checkpoint, data: PDEDataset, before: int
    ) -> Discovery:
        return refined(
            self.domain, data, found, training, self.slices, checkpoint, self.report, self._metrics(stage), before
        )

    def training(
        self, stage: str, data: PDEDataset, fields: nn.Module, plain: bool, steps: int = 0
    ) -> Descent[Slices] | Descent[Patches]:
        """A descent on the paper's losses; `plain` as in the paper, else beyond what unmoved data have.

        `steps` other than 0 replace those of the epochs.
        """
        config, domain = self.config, self.domain
        dtype = torch.float32 if config.dtype == "float32" and stage == "flow" else torch.float64
        steps = steps or max(1, config.epochs * data.train.trajectories // config.flow_batch)
        each = max(1, data.train.trajectories // config.flow_batch)
        plan = Plan(
            steps=steps,
            batch=config.flow_batch if stage == "flow" else config.batch,
            weights=Weights(config.w_sym, config.w_ortho, config.w_lips, config.w_sobolev),
            tau=config.tau,
            rate=lambda step: config.flow_rate * (1.0 if 2 * step < steps or not plain else 0.1),
            sobolev_from=steps - config.sobolev_epochs * each,
            floor=0.0 if plain else config.floor,
            clip=config.clip,
        )
        fields = fields.to(device=self.device, dtype=dtype)
        if stage == "gradient":
            return Descent(data.draft, fields, LinearScore(domain), plan, config.seed)
        solver = Solver(config.solver, config.solver_step, config.adjoint)
        score = FiniteScore(domain, config.sigma, solver, plain)
        return Descent(self.patches(data, dtype), fields, score, plan, config.seed)

    def patches(self, data: PDEDataset, dtype: torch.dtype) -> PatchData:
        """Patches of the training data in the shape asked for."""
        source, config = data.train.source, self.config
        most = PATCH if config.plan[0] == "projection" else PAPER_PATCH
        time = min(most[0], len(source.time)) if config.patch_time is None else config.patch_time
        space = [
            min(most[1], axis.points) if config.patch_space is None else config.patch_space
            for axis in source.grid.axes
        ]
        return self.domain.patches(source, data.scales, (time, *space), dtype)

    def _restored(self, training: Any, steps: int, checkpoint: Checkpoint, trainings: list[Any]) -> list[Level]:
        """Load what a checkpoint holds of a training."""
        kept = checkpoint.training()
        levels: list[Level] = []
        if kept is not None:
            training.load(kept[0])
            levels = kept[1]
            self.report.line(f"resumed at step {training.done} of {steps}")
        trainings.append(training)
        return levels

    def _metrics(self, stage: str) -> Metrics:
        """Write a row, with the name of its stage."""
        return lambda row: self.directory.metric(**row, stage=stage)
