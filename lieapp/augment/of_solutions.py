"""The pipeline behind `lieapp augment` for equations: an operator for each way of moving trajectories and seed.

It tells the error of predicted solutions, and η of each generator that data are moved along beside the gain.
"""

from __future__ import annotations

import contextlib
import hashlib
import shutil
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import torch
from jaxtyping import Float
from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import Tensor

from lieapp.api import PDE
from lieapp.augment.along import Along
from lieapp.augment.conserved import Conserved, constant_laws
from lieapp.augment.document import PREDICTIONS
from lieapp.augment.flows import FormulaVelocity, LearnedVelocity, Velocity, columns, physical_velocity
from lieapp.augment.from_files import learned_from
from lieapp.augment.moving import Moved, Mover, Moving
from lieapp.augment.operator_training import (
    FNO1d,
    Frames,
    OperatorRecipe,
    OperatorTask,
    OperatorTraining,
    Projection,
    drawn_for,
)
from lieapp.augment.own import parts_of
from lieapp.augment.pipeline import Cell, Ended, Side
from lieapp.augment.resample import Samples
from lieapp.augment.typed import is_single, laws_in, moves
from lieapp.config_augment import AugmentConfig, check_modes
from lieapp.data.simulate import simulate
from lieapp.data.stepping import Tolerance
from lieapp.data.trajectories import Trajectories
from lieapp.domains.base import Points, Stack
from lieapp.domains.formulas import FixedFields
from lieapp.domains.solutions import Scales
from lieapp.equations.equation import read_pde
from lieapp.errors import GridError
from lieapp.lie.beyond.laws import Law
from lieapp.methods.result import judge
from lieapp.pde.domain import PDEDomain
from lieapp.results.augment import Augment, Operators, Row, label
from lieapp.runs.store.files import write_atomic
from lieapp.runs.store.sealed import sealed_tensors
from lieapp.runs.store.session import Session

MOST = 64 * 2**20
"""Bytes of a round above which it isn't written: moving again then costs less than the space."""


PARTS = ("samples", "valid", "kept", "coefficients")
"""What is kept of a round."""


class Pool:
    """The rounds of one way of moving at a time, in memory and in a folder: 10 of 512 trajectories take .7 GB."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._key, self._rounds = "", dict[int, Moved]()

    def round(self, key: str, number: int, device: str, make: Callable[[], Moved]) -> Moved:
        """A round, made now unless it was before; in float32, which is what networks are trained in."""
        prefix = hashlib.sha256(key.encode()).hexdigest()[:16]
        if key != self._key:
            self._key, self._rounds = key, {}
            for file in self.folder.glob("*.safetensors"):
                if not file.name.startswith(prefix):
                    file.unlink(missing_ok=True)
        if number not in self._rounds:
            file = self.folder / f"{prefix}-{number}.safetensors"
            try:
                tensors = load_file(file, device=device)
                found = Moved(**{name: tensors[name] for name in PARTS})
            except (OSError, KeyError, SafetensorError):
                found = make()
                found = replace(found, samples=found.samples.float())
                if found.samples.nbytes <= MOST:
                    tensors = {name: torch.as_tensor(getattr(found, name)).cpu().contiguous() for name in PARTS}
                    self.folder.mkdir(parents=True, exist_ok=True)
                    write_atomic(file, sealed_tensors(tensors))
            self._rounds[number] = found
        return self._rounds[number]

    def drop(self) -> None:
        """Give the space back once the run is done."""
        self._rounds = {}
        with contextlib.suppress(FileNotFoundError):
            shutil.rmtree(self.folder)


LARGEST = 1e6
"""What the error of a frame is at most: a rollout that ran off, into infinity or short of it, is just wrong."""


def frame_errors(predicted: Samples, truth: Samples) -> Float[Tensor, "sample time"]:
    """mean (û - u)² / mean u² of each frame, over space and components, at most `LARGEST`."""
    wrong = (predicted - truth).square().mean((1, 3)) / truth.square().mean((1, 3))
    return torch.nan_to_num(wrong, nan=LARGEST, posinf=LARGEST).clamp_max(LARGEST)


def nmse(predicted: Samples, truth: Samples) -> float:
    """Normalised mean square error: frame errors, summed over the predicted frames, mean over samples.

    The sum over frames is that of Brandstetter's published code, and so of the paper's tables: a rollout of 100
    frames may reach values above 1 with small errors in each.
    """
    return float(frame_errors(predicted, truth).sum(1).mean())


SLICES, AT_ONCE = 48, 8
"""Slices of the data that generators are judged on, and how many of them are held in memory at a time."""


def defects(along: Along, domain: PDEDomain, data: Trajectories) -> dict[str, float]:
    """η = rms(M)/rms(Q) of each generator by name, see `methods.result.judge`: 0 up to round-off for a symmetry.

    The data are at least two trajectories of the domain's equation.
    """
    jets = domain.system.jets
    parts: list[Velocity] = [LearnedVelocity(s.names, s.learned, s.slots, jets) for s in along.learned]
    parts += [FormulaVelocity([name], [field], jets) for name, field in along.formulas.items()]
    held_out = domain.split(data, data.samples // 2).held_out
    found: dict[str, float] = {}
    for velocity in parts:
        fields = FixedFields(_scaled(velocity, held_out.scales))
        eta = judge(domain, fields, held_out.batches(SLICES, AT_ONCE)).eta
        found |= dict(zip(velocity.names, eta.tolist(), strict=True))
    return found


def _scaled(velocity: Velocity, scales: Scales) -> Callable[[Points], Stack]:
    """The fields as functions of points in the scaled coordinates of the data."""

    def values(points: Float[Tensor, "batch coordinate x"]) -> Float[Tensor, "field batch coordinate x"]:
        wide = points[:, :, None]
        origin, size = columns(scales, wide)
        place = origin + size * wide
        count = len(velocity.names)
        units = torch.eye(count, dtype=points.dtype, device=points.device)
        moved = [physical_velocity(velocity, place, unit.expand(len(points), -1)) / size for unit in units]
        return torch.stack(moved).squeeze(3)

    return values


ROLLOUT_PASSES, SINGLE_PASSES = 280, 100
"""Of an epoch in the paper, by task."""


class OfSolutions(Side):
    """Trajectories of one equation, and the operators trained on them."""

    config: AugmentConfig

    def prepare(self) -> None:
        """Trajectories to judge on and to learn from, what moves the latter, and conservation laws.

        η of generators is taken on those that nothing is learned from.
        """
        config, session = self.config, self.session
        # files have their own period, which laws must have too; what has no laws needn't be simulated
        data = session.timed("data", self._from_files) if config.data.files else None
        laws: tuple[Law, ...] = ()
        if any(map(laws_in, config.variants)):
            laws = session.timed("laws", partial(constant_laws, self.declaration, config.order))
        data = data or session.timed("data", self._trajectories)
        self.parts = parts_of(config, data.samples if config.data.files else None)
        judge = self.parts.validation + self.parts.test
        self.judge, self.learn = data.values[:judge].transpose(1, 2), data.select(slice(judge, None))
        self.grid, times = data, len(data.time)
        self._pool = Pool(session.checkpoint.folder / "pool")
        if is_single(config, self.declaration):
            self.task = OperatorTask.single(times, config.ahead)
        else:
            self.task = OperatorTask.rollout(times, config.history, config.starts == "aligned")
        system = read_pde(self.declaration)
        self.conserved = Conserved(system, laws, self.task, data.grid, data.time) if laws else None
        check_modes(config.modes, data.grid.axes[0].points)
        least = self.task.gap + 2 * self.task.frames - 1
        settings = Moving(sigma=config.sigma, resampling=config.resampling, least=least)

        def movers() -> None:
            self.movers = {v: Mover.of(moves(v), system, self.learn, settings) for v in config.variants}
            domain, judged = PDEDomain(self.declaration), data.select(slice(0, judge))
            self._eta = {variant: defects(mover.along, domain, judged) for variant, mover in self.movers.items()}

        session.timed("moves", movers)

    @property
    def amounts(self) -> list[int]:
        return self.parts.amounts(self.config.samples)

    def clear(self) -> None:
        self.session.checkpoint.drop_data()
        self._pool.drop()

    def training(self, cell: Cell) -> OperatorTraining:
        """A network made by the cell's seed, on the first trajectories of the training data."""
        config, task = self.config, self.task
        samples = self.learn.values[: cell.samples].transpose(1, 2).contiguous()
        channels = task.frames * samples.shape[1]
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(cell.seed)
            network = FNO1d(channels, channels, config.width, config.modes, config.layers)
        network.normalise_by(samples)
        passes = config.passes or (ROLLOUT_PASSES if task.gap == task.frames else SINGLE_PASSES)
        recipe = OperatorRecipe(config.epochs, passes, config.batch, config.rate, config.renew)
        move = partial(self._moved, cell, samples)
        penalty = None
        if self.conserved is not None and "penalty" in laws_in(cell.variant):
            penalty = partial(self.conserved.penalty, config.penalty)
        return OperatorTraining(network.to(self.session.device), task, samples, move, recipe, cell.seed, penalty)

    def judged(self, cell: Cell, training: OperatorTraining) -> float:
        """The error on validation data; the best network so far is kept."""
        samples = self.judge[: self.parts.validation].float()
        with torch.no_grad():
            error = nmse(*self.task.predicted(training.network.eval(), samples, self._projection(cell)))
        training.judged(error)
        return error

    def result(self, cell: Cell, training: OperatorTraining) -> Ended:
        """Errors on test data, of the network that was best on validation data."""
        samples, network = self.judge[self.parts.validation :].float(), training.chosen()
        with torch.no_grad():
            predicted, truth = self.task.predicted(network, samples, self._projection(cell))
            errors = frame_errors(predicted, truth)
            windows = frame_errors(*self.task.one_step(network, samples, self._projection(cell)))
        if cell.seed == self.config.seeds[0] and cell.samples == max(self.amounts):
            self._draw(cell.variant, predicted[0], truth[0], samples[0])
        still = not self.movers[cell.variant].names
        moved = None if still or not training.asked else training.moved / training.asked
        return Ended(
            value=nmse(predicted, truth), valid=training.best, frames=errors.mean(0).tolist(),
            one_step=float(windows.mean()), moved=moved, drift=self._drift(samples, predicted),
        )  # fmt: skip

    def generators(self, variant: str) -> dict[str, float | None]:
        return dict(self._eta[variant])

    def told(self, rows: list[Row]) -> Operators:
        task, first = self.task, self.task.starts[0] + self.task.gap
        rollout = task.gap == task.frames
        predicted = (len(self.grid.time) - first) // task.frames * task.frames if rollout else 1
        samples = self.judge[self.parts.validation :].float()
        return Operators(
            variants=rows, task="rollout" if rollout else "single", frames=task.frames, gap=task.gap,
            predicted=predicted, laws=self._drift(samples, samples[:, :, first : first + predicted]),
        )  # fmt: skip

    def _projection(self, cell: Cell) -> Projection | None:
        if self.conserved is None or "projection" not in laws_in(cell.variant):
            return None
        return self.conserved.projected

    def _drift(self, samples: Samples, predicted: Frames) -> dict[str, float | None]:
        """Of each law, where laws are known."""
        return {} if self.conserved is None else {**self.conserved.worst(samples, predicted)}

    def _moved(self, cell: Cell, samples: Tensor, number: int) -> Moved:
        """Trajectories moved for a round; of a pool, the same ones for every seed and every time it comes round."""
        mover, most = self.movers[cell.variant], self.config.pool
        if not most:
            return mover(samples, drawn_for(cell.seed, 2 * number))
        number %= most
        key = f"{cell.samples} {moves(cell.variant)}"
        make = partial(mover, samples, drawn_for(self.config.seed, 2 * number))
        return self._pool.round(key, number, self.session.device, make)

    def _from_files(self) -> Trajectories:
        """Those of files, on whose grid the declaration is then."""
        self.declaration, data = learned_from(self.config, self.declaration, self.session)
        return data.to(self.session.device)

    def _trajectories(self) -> Trajectories:
        """Those judged on, then those learned from; kept in the checkpoint."""
        config, kept = self.config, self.session.checkpoint.data()
        if kept is None:
            make = partial(
                simulate, self.declaration, device=self.session.device, tolerance=Tolerance(config.tolerance),
                progress=self.session.report.progress,
            )  # fmt: skip
            validation, test, learn = parts_of(config)
            counts = (validation + test, learn)
            if self.declaration.source is not None:
                # it may give the same trajectories whatever the seed: then only those of one call are apart
                counts = (sum(counts), 0)
            parts = [
                make(n, torch.Generator().manual_seed(config.seed + apart))
                for n, apart in zip(counts, (1, 0), strict=True)
                if n
            ]
            if len(parts[0].grid.axes) != 1:
                axes = ", ".join(axis.name for axis in parts[0].grid.axes)
                raise GridError(
                    f"{self.declaration.name}: solutions depend on {axes}; neural operators are trained on one "
                    "axis of space.",
                    hint="Reduce the equation to one axis of space.",
                )
            values, error = torch.cat([part.values for part in parts]), max(part.error for part in parts)
            kept = replace(parts[-1], values=values, error=error)
            self.session.checkpoint.save_data(kept)
        self.session.directory.add_provenance(data={**kept.facts, "error": kept.error})
        return kept.to(self.session.device)

    def _draw(self, variant: str, predicted: Tensor, truth: Tensor, sample: Tensor) -> None:
        """Add what one network predicts of the first test trajectory to predictions.safetensors."""
        file = self.session.directory.path / PREDICTIONS
        try:
            tensors = load_file(file) if file.exists() else {}
        except (OSError, SafetensorError):
            tensors = {}
        start, task = self.task.starts[0], self.task
        times = slice(start + task.gap, start + task.gap + truth.shape[1])
        axis = self.grid.grid.axes[0]
        tensors |= {
            "x": axis.coordinates(),
            "t": self.grid.time[times],
            "given/t": self.grid.time[start : start + task.frames],
            "given": sample[:, start : start + task.frames],
            "truth": truth,
            f"predicted/{label(variant)}": predicted,
        }
        write_atomic(file, sealed_tensors({k: v.float().cpu() for k, v in tensors.items()}))


def execute(config: AugmentConfig, declaration: PDE, session: Session) -> Augment:
    return OfSolutions(config, declaration, session).run()


def follow(config: AugmentConfig, declaration: PDE, session: Session) -> None:
    OfSolutions(config, declaration, session).follow()
