"""The domain of a partial differential equation: everything derived from its declaration."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import sympy as sp
import torch
from jaxtyping import Float
from torch import Tensor

from lieapp.api import PDE
from lieapp.compare.closed_form.library import library
from lieapp.compare.closed_form.measure import LibraryFeatures, usable
from lieapp.data.simulate import simulate
from lieapp.data.stepping import Tolerance
from lieapp.data.trajectories import Trajectories
from lieapp.document import Formula
from lieapp.domains.base import Arguments, Characteristics, Fields, Flowing, Points, ReferenceField, Stack, Validity
from lieapp.domains.solutions import PatchData, Patches, Scales, Slices, Solutions
from lieapp.domains.spread import EveryComponent, contracted
from lieapp.equations.equation import exact, read_pde
from lieapp.equations.evolution import Evolution, degree, evolution_form
from lieapp.equations.printing import equation_of, learned_equation
from lieapp.equations.regular import has_pole
from lieapp.errors import DataError
from lieapp.lie.stages import Truth, derive
from lieapp.methods.result import SIZE
from lieapp.numerics.codegen import Tape
from lieapp.numerics.grid import Grid
from lieapp.pde.data import NOISE, Known, OnGrids, SliceData, measure_scales, noise_of
from lieapp.pde.linearisation import Linearisation
from lieapp.pde.residual import Backend, FiniteResidual, Residual

FIELD_DEGREE = 1
"""Degree in u allowed for a field when the grid is padded: the product Q = ξ(u) u_x adds it."""


DRAFT_NOISE, TRAIN_NOISE, PLANE_NOISE = 3e-2, 1e-6, 1e-3
"""Modes below this share of the largest are left out while training, and while solving for fields on one axis of
space and on several."""


@dataclass(frozen=True)
class PDEDataset:
    """One set of trajectories to learn from and one to judge on, and the scales measured on the first.

    Args:
        draft: the first set strongly smoothed, cheap to train on: exact symmetries hold for any smooth slice.
        train: the first set, to solve on.
        held_out: the second set at full resolution.
        noise: share of the largest Fourier mode below which modes are cut as noise; 0 where none was found.
        alone: whether both sets are windows of the same trajectories: η that falls may then fit these alone.
    """

    draft: SliceData
    train: SliceData
    held_out: SliceData
    scales: Scales
    noise: float = 0.0
    alone: bool = False

    def patches(
        self, time: int | None, space: int | None, most: tuple[int, int], dtype: torch.dtype
    ) -> PatchData:  # fmt: skip
        """Windows of the solutions to learn from, of so many nodes in time and along each axis of space.

        Unless they are given, `most` nodes, or all there are.
        """
        sources = self.train.sources
        time = min(most[0], len(sources[0].time)) if time is None else time
        shape = [min(most[1], axis.points) if space is None else space for axis in sources[0].grid.axes]
        return PatchData(sources, self.scales, self.train.time, (time, *shape), dtype, self.train.device)


class PDEDomain:
    """An evolution equation or system as a domain.

    Args:
        backend: what differentiates moved data.

    Raises EquationError if the declaration can't be read or isn't of evolution form.
    """

    stages: tuple[str, ...] = ("spectrum", "projection", "gradient", "flow")

    def __init__(self, declaration: PDE, backend: Backend = Backend()) -> None:  # noqa: B008 - a frozen value
        self.declaration, self.name, self.backend = declaration, declaration.name, backend
        self._recent: deque[tuple[Patches, Residual]] = deque(maxlen=2)
        self._residuals: dict[tuple[Grid, Scales], FiniteResidual] = {}
        self.system = read_pde(declaration)
        self.evolution: Evolution = evolution_form(self.system)
        self.homogeneous: bool = self.evolution.homogeneous
        jets = self.evolution.jets
        self.components = tuple(str(c) for c in jets.coordinates)
        self.arguments = Arguments(
            self.components,
            periodic=tuple(x in declaration.periodic for x in jets.independent) + (False,) * len(jets.dependent),
            dependent=(False,) * len(jets.independent) + (True,) * len(jets.dependent),
        )

    @property
    def fitted(self) -> bool:
        """Whether the equation was learned from data, so that nothing is derived from it or proved of it."""
        return self.declaration.fitted is not None

    @cached_property
    def linearisation(self) -> Linearisation:
        """The compiled linearised residual."""
        return Linearisation(self.evolution)

    def truth(self, budget: float | None = None) -> Truth:
        """The point symmetries, derived and proved; `lieapp discover` lets a child process derive them.

        Raises EquationError and BudgetError as `lie.stages.derive` does.
        """
        periodic = list(self.declaration.periodic)
        ends = {x: self.declaration.region[x] for x in periodic}
        lengths = {x: exact(right) - exact(left) for x, (left, right) in ends.items()}
        return derive(self.system, periodic, lengths, budget)

    def reference(self) -> tuple[ReferenceField, ...]:
        """None: symmetries are derived."""
        return ()

    def dataset(
        self,
        samples: int,
        held_out: int,
        seed: int,
        device: torch.device | str = "cpu",
        tolerance: Tolerance = Tolerance(),  # noqa: B008 - a frozen value
    ) -> PDEDataset:
        """Simulate trajectories and split them into those to learn from and those to judge on."""
        return self.split(self.trajectories(samples + held_out, seed, device, tolerance), samples)

    def trajectories(
        self,
        samples: int,
        seed: int,
        device: torch.device | str = "cpu",
        tolerance: Tolerance = Tolerance(),  # noqa: B008 - a frozen value
        progress: Callable[[int, int], None] = lambda step, total: None,
    ) -> Trajectories:
        """Random solutions of the declaration; see `data.simulate.simulate`."""
        return self.simulated(samples, torch.Generator().manual_seed(seed), device, tolerance, progress)

    def simulated(
        self, samples: int, generator: torch.Generator, device: torch.device | str, tolerance: Tolerance,
        progress: Callable[[int, int], None],
    ) -> Trajectories:  # fmt: skip
        """Random solutions whose initial states are drawn from a generator."""
        return simulate(self.declaration, samples, generator, device, tolerance, progress)

    def split(self, everything: Trajectories, samples: int, smoothing: float | None = None) -> PDEDataset:
        """The first `samples` trajectories to learn from, the others to judge on.

        Modes below `smoothing` x the largest are cut as noise; unless it is given below what is estimated to be
        noise. An exact symmetry holds for any smooth slice, solution or not, so what is cut doesn't matter to it.

        Raises DataError if one of the two would be empty, or if the data don't vary.
        """
        if not 0 < samples < everything.samples:
            raise DataError(
                f"{self.name}: of {everything.samples} in all, {samples} would be left for training; at least one "
                "trajectory is needed for training and one for validation.",
                hint="Raise samples or held_out.",
            )
        everything.check_varying(self.name)
        train, rest = everything.select(slice(0, samples)), everything.select(slice(samples, None))
        return self.prepared([train], [rest], smoothing)

    def prepared(
        self, train: Sequence[Trajectories], held_out: Sequence[Trajectories], smoothing: float | None = None,
        whole: Trajectories | None = None, level: float = 0.0, known: Known | None = None,
        device: torch.device | str | None = None,
    ) -> PDEDataset:  # fmt: skip
        """Pieces of data to learn from and to judge on, made smooth; see `split`.

        Args:
            whole: if both are windows in time of the same few trajectories, the first of these: it is what is moved
                and drawn.
            level: of noise, which isn't cut where an axis is open.
            known: of chunks of one set, what is known of all of them.
            device: of slices, where it isn't that of the pieces.
        """
        spreads = None if known is None else known.train.extent.spreads
        scales = measure_scales(train, self.arguments.names, spreads)
        padding = degree(self.evolution, self.evolution.rhs) + FIELD_DEGREE
        if smoothing is not None:
            cut = smoothing
        elif known is not None:
            cut = max(known.train.noise, known.held_out.noise)
        else:
            # of each piece by itself: what is noise beside the largest mode of one may pass beside a smaller one
            cut = max(map(noise_of, [*train, *held_out]))
        cut = cut if cut > NOISE else 0.0
        fine = TRAIN_NOISE if len(self.evolution.space) == 1 else PLANE_NOISE
        lines, judged = (known.train.lines, known.held_out.lines) if known is not None else (None, None)

        def slices(
            pieces: Sequence[Trajectories], noise: float, lines: OnGrids | None, draft: bool = False
        ) -> SliceData:
            return SliceData(pieces, self.linearisation, scales, padding, max(cut, noise), draft, lines, device)

        found = PDEDataset(
            draft=slices(train, DRAFT_NOISE, lines, draft=True),
            train=slices(train, fine, lines),
            held_out=slices(held_out, NOISE, judged),
            scales=scales,
            noise=cut or level,
            alone=whole is not None,
        )
        if whole is not None:
            found.train.source = found.held_out.source = whole
        return found

    def shown(self) -> list[Formula]:
        """Each equation as it was declared, residual = 0; of learned ones what right sides are functions of."""
        if self.fitted:
            return [learned_equation(self.evolution, a) for a in range(len(self.evolution.rhs))]
        return [equation_of(r, self.system.jets) for r in self.system.residuals]

    def characteristic(self, batch: Slices, fields: Fields) -> tuple[Stack, Characteristics]:
        """Fields on the slices' points and Q = φ - ξ u_x with its derivative along the data.

        Of the fields h_k e_c, whose entries are mostly zeros, the h_k stand for the fields.
        """
        if isinstance(fields, EveryComponent):
            h, dh = fields.features.jvp(batch.points, batch.tangents)
            rate = contracted(h, batch.slope_rates, contracted(dh, batch.slopes))
            return h[:, :, None], Characteristics(contracted(h, batch.slopes), rate)
        v, dv = fields.jvp(batch.points, batch.tangents)
        # einsum would make tiny matrices of them
        v_q, dv_q = v[:, :, None], dv[:, :, None]
        rate = (dv_q * batch.slopes + v_q * batch.slope_rates).sum(3)
        return v, Characteristics((v_q * batch.slopes).sum(3), rate)

    def tangent(self, batch: Slices, q: Characteristics) -> Float[Tensor, "field batch unknown *space"]:
        """M = D_t Q - F'[u](Q), in scaled units: relative change per time window."""
        d = self.linearisation.differentiator(batch.grid, q.value)
        return self.linearisation.frechet(q.value, batch.coefficients, d, q.rate, -1.0)

    def coefficient_features(self, data: Solutions | PDEDataset, slices: int) -> LibraryFeatures | None:
        """sqrt(t+1) and its like, bare and times a coordinate that isn't periodic; None where there are none.

        Those that are infinite somewhere in the data's window aren't taken: two grids differ too much there.

        Args:
            slices: how many of the training data's slices they have to be finite on.
        """
        coordinates, jets = self.system.jets.coordinates, self.system.jets
        ends = {
            z: (o, o + s)
            for z, o, s in zip(coordinates, data.scales.origin, data.scales.size, strict=True)
            if z in jets.independent
        }
        # degree 0: the constant 1, which every basis has, and the coefficients' functions
        functions = [f for f in library(self.system, self.arguments.periodic, 0)[1:] if not has_pole(f, ends)]
        if not functions:
            return None
        features = LibraryFeatures(functions, coordinates, data.scales)
        functions, norms = usable(features, functions, data.train.batches(slices, SIZE))
        largest = norms.max().item() if len(norms) else math.inf
        if not math.isfinite(largest):
            return None
        features = LibraryFeatures(functions, coordinates, data.scales)
        features.norms = norms
        return features

    def act(self, flow: Flowing, batch: Patches, s: Float[Tensor, " slot"]) -> Patches:
        """Points of all nodes moved; x isn't wrapped and time may leave the window, where validity ends."""
        moved = flow(batch.points.expand(len(s), *batch.points.shape), s)
        return batch.moved(moved.flatten(0, 1))

    def validity(self, before: Patches | None, after: Patches, power: int = 1) -> Validity:
        """Mean residual u_t - F on the moved nodes, in scaled units; see `pde.residual`."""
        found = self.residual(after)
        if before is not None:
            with torch.no_grad():
                unmoved = self.residual(before)
            found = found.beyond(unmoved)
        return Validity(found.mean(power), found.share(), found.folded)

    def residual(self, patches: Patches) -> Residual:
        """u_t - F of patches, differentiated by the domain's backend.

        Without gradients the last two answers are kept: judging asks for the unmoved data again and again.
        """
        found = next((answer for asked, answer in self._recent if asked is patches), None)
        if found is None or torch.is_grad_enabled():
            found = self._residual_on(patches.grid, patches.scales)(patches)
            if not torch.is_grad_enabled():
                self._recent.append((patches, found))
        return found

    def check_patches(self, patches: PatchData) -> None:
        """Raises GridError if the backend can't differentiate on patches of this shape."""
        self._residual_on(patches.grid, patches.scales)

    def _residual_on(self, grid: Grid, scales: Scales) -> FiniteResidual:
        if (grid, scales) not in self._residuals:
            backend = self.backend
            made = FiniteResidual(self.evolution, scales, grid, backend.name, dict(backend.options))
            self._residuals[grid, scales] = made
        return self._residuals[grid, scales]

    def scaled_field(self, components: dict[str, sp.Expr], scales: Scales) -> Callable[[Points], Stack]:
        """A field given by formulas in physical coordinates, as a function of scaled points."""
        tape = Tape([components[c] for c in self.components], self.evolution.jets.coordinates)
        sizes = [scales.size[i] for i in self.arguments.places(self.components)]

        def field(points: Points) -> Float[Tensor, "1 batch component *space"]:
            physical = [
                o + s * points[:, i] for i, (o, s) in enumerate(zip(scales.origin, scales.size, strict=True))
            ]
            values = tape(*physical)
            return torch.stack([v / s for v, s in zip(values, sizes, strict=True)], 1)[None]

        return field
