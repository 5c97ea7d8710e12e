"""Solutions moved along symmetries: every sample by its own random combination, back on the regular grid.

With the rates u_t = F(t, x, u, u_x, …) of an equation an interpolation in time knows twice as much of a solution at
each sample. Interpolated over two steps of the plugins' data by 8 samples, values alone are off by 7e-6 (KS) and
5e-2 (nkdv, which runs up to seven times as fast as its samples follow), values and rates by 2e-8 and 5e-3.
"""

from __future__ import annotations

import contextlib
import math
from dataclasses import dataclass, replace

import sympy as sp
import torch
from jaxtyping import Bool, Float
from torch import Tensor

from lieapp.api import PDE
from lieapp.augment.along import Along, read_along
from lieapp.augment.flows import (
    Box,
    Coefficients,
    FormulaVelocity,
    LearnedVelocity,
    Motion,
    OdeFlow,
    Points,
    Velocity,
    agree,
    closed_flow,
    physical_velocity,
)
from lieapp.augment.resample import METHODS, Resampled, Resampler, Samples, Solution, hermite, matrix, rows
from lieapp.augment.time_window import axes_of, longest, whole
from lieapp.data.trajectories import Trajectories
from lieapp.domains.solutions import Scales
from lieapp.equations.equation import System, exact, read_pde
from lieapp.equations.evolution import Evolution, evolution_form
from lieapp.equations.jets import JetSpace
from lieapp.errors import ConfigError, DataError, EquationError, GridError
from lieapp.numerics.codegen import Tape
from lieapp.numerics.grid import Axis, Grid
from lieapp.numerics.moved import column, unmoved
from lieapp.numerics.spectral import SpectralDifferentiator
from lieapp.pde.data import measure_scales

ROUNDING = 1e-11
"""Errors below this share of the whole are equally small."""


class Rates:
    """u_t of solutions on a grid, whose time is counted from its physical `start`."""

    def __init__(self, evolution: Evolution, time: Axis, x: Axis, start: float) -> None:
        jets = evolution.jets
        self.step, self._time, self._grid, self._start = time.spacing, time, Grid((x,)), start
        self._needed = {s: index for f in evolution.rhs for s, index in jets.jets(f).items()}
        self._orders = [tuple(J[i] for i in evolution.space) for _, J in self._needed.values()]
        self._tape = Tape(evolution.rhs, [*jets.independent, *self._needed])
        self._time_first = evolution.time == 0

    def __call__(self, samples: Samples) -> Samples:
        """u_t, derivatives in x by Fourier series."""
        like = {"dtype": samples.dtype, "device": samples.device}
        d = SpectralDifferentiator(self._grid, samples.dtype, samples.device)
        jets = [
            d.derivatives(samples[:, a], [J])[J]
            for (a, _), J in zip(self._needed.values(), self._orders, strict=True)
        ]
        t, x = (axis.coordinates(**like) for axis in (self._time, self._grid.axes[0]))
        lines = (self._start + t)[:, None], x[None]
        place = lines if self._time_first else lines[::-1]
        shape = (len(samples), *samples.shape[2:])
        return torch.stack([f.expand(shape) for f in self._tape(*place, *jets)], 1)

    def modes(self, samples: Samples, width: int) -> int:
        """How many of the lowest modes are interpolated better with rates than without, by `width` samples in time.

        Told from every second and every fourth sample, between which the others are known: an error e(4h), then
        e(2h), becomes e(2h)²/e(4h) at the step h itself. Modes near the noise or the end of the spectrum lose with
        their rates, which are off by more than they help. 0 for few samples.
        """
        count = len(range(0, samples.shape[2], 4))
        if count < width + 2:
            return 0
        (better2, worse2), (better4, worse4) = (self._missed(samples, width, every) for every in (2, 4))
        better, worse = better2**2 / better4.maximum(better2), worse2**2 / worse4.maximum(worse2)
        # the mean of a conserved unknown is off by round-off both ways
        lost = ~(better <= worse) & (better2 > ROUNDING**2 * torch.fft.rfft(samples).abs().square().sum())
        return int(lost.double().argmax()) if bool(lost.any()) else len(lost)

    def _missed(
        self, samples: Samples, width: int, every: int
    ) -> tuple[Float[Tensor, " mode"], Float[Tensor, " mode"]]:
        """Squared errors of each mode half-way between some of the samples, with rates and without."""
        values, rates = samples[:, :, ::every], every * self.step * self(samples)[:, :, ::every]
        count = values.shape[2]
        between = torch.arange(count - 1, dtype=samples.dtype, device=samples.device)[None] + 0.5
        nodes, a, b = hermite(between, count, width)
        with_rates = matrix(nodes, a, count)[:, None] @ values + matrix(nodes, b, count)[:, None] @ rates
        exact = samples[:, :, every // 2 :: every][:, :, : count - 1]
        # away from the ends, where a longer step is far worse than the step itself
        inner = slice(width // 2 - 1, count - width // 2)
        better, worse = (
            torch.fft.rfft((found - exact)[:, :, inner]).abs().square().mean((0, 1, 2))
            for found in (with_rates, rows(between, count, width)[:, None] @ values)
        )
        return better, worse


@dataclass(frozen=True)
class Moving:
    """How samples are moved.

    Args:
        sigma: the coefficient of each generator is uniform in [-sigma, sigma]; generators have norm 1 on the data
            in scaled coordinates, in which t and x run over [0, 1] and unknowns have standard deviation .29.
        scales: one sigma for each generator, in their order, in place of the common one.
        resampling: "whittaker" (Fourier in x, a polynomial in t), or for comparison "bilinear" or "splat".
        order: samples that the interpolation in time takes; its order in the step.
        rates: whether it takes the rates u_t = F of the equation too, which doubles its order.
        step: of RK4 in s, for flows without a closed form.
        closed: whether closed forms of flows are used where there are any.
        least: consecutive time samples that a moved sample must have inside its own window.
        middle: share of the time window, around its middle, that must lie inside the window of every moved sample.
        tries: how often the combination of a sample that has fewer is drawn again.

    Raises ConfigError on a value without meaning.
    """

    sigma: float = 0.2
    scales: tuple[float, ...] = ()
    resampling: str = "whittaker"
    order: int = 8
    rates: bool = True
    step: float = 0.1
    closed: bool = True
    least: int = 2
    middle: float = 0.0
    tries: int = 10

    def __post_init__(self) -> None:
        rules = {
            "sigma": (self.sigma > 0, "above 0"),
            "scales": (all(s >= 0 for s in self.scales), "0 or more for each generator"),
            "resampling": (self.resampling in METHODS, f"one of {', '.join(METHODS)}"),
            "order": (self.order in range(2, 17, 2), "even, from 2 to 16"),
            "step": (self.step > 0, "above 0"),
            "least": (self.least >= 1, "at least 1"),
            "middle": (0 <= self.middle <= 1, "between 0 and 1"),
            "tries": (self.tries >= 1, "at least 1"),
        }
        for key, (holds, rule) in rules.items():
            if not holds:
                raise ConfigError(f"{key} is {getattr(self, key)!r}; it must be {rule}.", hint="Leave it out.")


SEAM = 1e-6
"""Difference of a field at both ends of a period, in units of its norm, that is still periodic."""


CHUNK = 8
"""Samples moved at a time: what a learned field makes of a point is a hundred times as large as the point."""

MEASURED = (16, 24, 64)
"""Samples, times and points on which the norms of generators are taken, at most."""

SIMPLE = 12
"""Largest denominator of a period that is a multiple of pi."""


@dataclass(frozen=True)
class Moved:
    """Moved samples on the grid and at the times of the unmoved ones.

    Args:
        samples: the moved solutions; 0 where not valid.
        valid: times at which the whole of a moved solution is known: it has a time window of its own.
        kept: samples with as many consecutive valid times as asked for.
        coefficients: of each generator of norm 1.
        rejected: how many combinations were drawn again or given up.
        folded: how many of those because a node would have had several values or none.
    """

    samples: Samples
    valid: Bool[Tensor, "sample time"]
    kept: Bool[Tensor, " sample"]
    coefficients: Coefficients
    rejected: int = 0
    folded: int = 0


class Mover:
    """Moves samples of one equation on one grid; see `Mover.of`.

    Args:
        names: of the generators, in the order of coefficients.
        along: the generators themselves.
    """

    def __init__(self, name: str, data: Trajectories, coordinates: tuple[str, ...], settings: Moving) -> None:
        self.name, self.settings = name, settings
        self._time, self._x = axes_of(data, name, settings.order)
        self._start, self._components = float(data.time[0]), len(data.unknowns)
        self._places = tuple(coordinates.index(str(n)) for n in (data.time_name, self._x.name, *data.unknowns))
        self._resampler = Resampler(self._time, self._x, settings.resampling, settings.order)
        if settings.least > self._time.points:
            raise ConfigError(
                f"least is {settings.least}; {name} has {self._time.points} time samples.", hint="Lower least."
            )
        self._motions: list[Motion] = []
        self._rates: Rates | None = None
        self._modes = 0
        self.names: tuple[str, ...] = ()
        self.along = Along()

    @classmethod
    def of(
        cls, spec: str | Along, equation: PDE | System, data: Trajectories, settings: Moving = Moving()
    ) -> Mover:
        """A mover along what `spec` says.

        Args:
            spec: `none`; `truth`, the derived generators; `formulas:RUN`, a run's proved formulas; `fields:RUN` or
                `RUN`, its exact learned fields; `approximate:RUN`, its approximate ones; `d_t`, a translation;
                several joined by `+`. RUN is the path of a run directory. Or the generators themselves.
            equation: the declaration, or the system.
            data: unmoved solutions: their grid and times, and the data on which generators have norm 1.

        Raises UsageError for an unknown word in a spec, RunError for a run that doesn't fit, GridError for data
        that can't be resampled or a generator that isn't periodic, ConfigError for scales of another number,
        EquationError where nothing is derived.
        """
        system = read_pde(equation) if isinstance(equation, PDE) else equation
        names = tuple(str(c) for c in system.jets.coordinates)
        mover = cls(system.name, data, names, settings)
        x = next(c for c in system.jets.independent if str(c) == mover._x.name)
        # the exact period that is meant: 2*pi for 6.283185307179586, else the decimal
        multiple = exact(mover._x.length / math.pi)
        simple = multiple.is_Rational and multiple.q <= SIMPLE
        period = multiple * sp.pi if simple else exact(mover._x.length)
        along = spec if isinstance(spec, Along) else read_along(spec, system, {x: period})
        mover.along = along
        few = data.values[: MEASURED[0]].transpose(1, 2).double()
        thin = (slice(None, None, -(-n // most)) for n, most in zip(few.shape[2:], MEASURED[1:], strict=True))
        points, scales = mover._points(few)[(..., *thin)], measure_scales([data], names)
        mover._motions = mover._motions_of(along, system.jets, points, scales)
        mover.names = tuple(name for motion in mover._motions for name in motion.names)
        if settings.rates:
            # without an evolution form values have to do
            with contextlib.suppress(EquationError):
                mover._rates = Rates(evolution_form(system), mover._time, mover._x, mover._start)
                mover._modes = mover._rates.modes(few, settings.order)
        return mover

    def _motions_of(self, along: Along, jets: JetSpace, points: Points, scales: Scales) -> list[Motion]:
        """The motions, those of learned fields first, of generators measured on some of the data.

        Raises what `_measured` raises, and ConfigError for scales of another number.
        """
        settings, motions = self.settings, list[Motion]()
        t, x, u, *more = self._places
        # a table serves points of a regular grid, which only the first motion is given, and one unknown
        box = None if more else Box((t, x, u), self._x.length)
        for stack in along.learned:
            velocity = LearnedVelocity(stack.names, stack.learned, stack.slots, jets)
            norm = self._measured(velocity, points, scales)
            motions.append(OdeFlow(velocity, norm, settings.step, None if motions else box))
        for name, field in along.formulas.items():
            formula = FormulaVelocity([name], [field], jets)
            norm = self._measured(formula, points, scales)
            ode = OdeFlow(formula, norm, settings.step, None if motions else box)
            closed = closed_flow(name, field, jets, float(norm)) if settings.closed else None
            motions.append(closed if closed is not None and agree(closed, ode, points, scales) else ode)
        names = [name for motion in motions for name in motion.names]
        if settings.scales and len(settings.scales) != len(names):
            raise ConfigError(
                f"scales has {len(settings.scales)} numbers; there are {len(names)} generators: "
                f"{', '.join(names) or 'none'}.",
                hint="Give one for each, or sigma for all.",
            )
        return motions

    def _measured(self, velocity: Velocity, points: Points, scales: Scales) -> Float[Tensor, " generator"]:
        """√⟨|V|²⟩ of each field over the data, in scaled coordinates.

        Raises GridError for a field that isn't periodic in x, DataError for one that has none or is 0.
        """
        units = column(torch.tensor(scales.size, dtype=points.dtype, device=points.device), 2)
        eye = torch.eye(len(velocity.names), dtype=points.dtype, device=points.device)
        size = points.new_zeros(len(eye))
        for n, unit in enumerate(eye):
            value = physical_velocity(velocity, points, unit.expand(len(points), -1))
            size[n] = (value / units).square().sum(1).mean().sqrt()
        for name, value in zip(velocity.names, size.tolist(), strict=True):
            if not 0 < value < float("inf"):
                raise DataError(
                    f"{self.name}: {name} has norm {value:g} on the data.", hint="Leave this generator out."
                )
        across = torch.zeros_like(points)
        across[:, self._places[1]] = self._x.length
        for name, row in zip(velocity.names, eye / size, strict=True):
            c = row.expand(len(points), -1)
            here, beyond = (physical_velocity(velocity, p, c) for p in (points, points + across))
            if not float(((beyond - here) / units).abs().amax()) < SEAM:
                raise GridError(
                    f"{self.name}: {name} isn't periodic in x; moved solutions wouldn't be.",
                    hint="Move along generators of the periodic domain only.",
                )
        return size

    def __call__(self, samples: Samples, generator: torch.Generator) -> Moved:
        """Each sample moved by a random combination of its own, with dtype and device of the samples.

        The flows of closed forms are taken one after the other, those of learned fields as one flow of their
        combination. Raises DataError if no sample has enough of its window left, GridError on a wrong shape.
        """
        shape = (self._components, self._time.points, self._x.points)
        if samples.ndim != 4 or tuple(samples.shape[1:]) != shape:
            raise GridError(
                f"{self.name}: samples have the shape {tuple(samples.shape)}; on this grid they are (sample, "
                f"{', '.join(map(str, shape))}), component before time before {self._x.name}.",
                hint="Make the mover with data on the grid of the samples.",
            )
        coefficients = torch.zeros(len(samples), len(self.names), dtype=torch.float64, device=samples.device)
        made = torch.zeros_like(samples)
        valid = torch.zeros(len(samples), samples.shape[2], dtype=torch.bool, device=samples.device)
        left, rejected, folded = torch.arange(len(samples), device=samples.device), 0, 0
        for _ in range(self.settings.tries):
            coefficients[left] = self.draw(len(left), generator).to(samples.device)
            for which in left.split(CHUNK):
                found = self.resampled(samples[which], coefficients[which])
                made[which], valid[which] = found.values, found.valid
                folded += int(found.folded.sum())
            left = left[~self._enough(valid[left])]
            rejected += len(left)
            if not len(left):
                break
        kept = self._enough(valid)
        if not bool(kept.any()):
            middle = f" and the middle {self.settings.middle:.0%}" if self.settings.middle else ""
            raise DataError(
                f"{self.name}: none of {len(samples)} moved samples has {self.settings.least} time samples in a "
                f"row{middle} left inside the window, after {self.settings.tries} tries.",
                hint=f"Lower sigma ({self.settings.sigma:g}), or what says how much of the window has to be left: "
                "middle, history or ahead.",
            )
        return Moved(made, valid, kept, coefficients, rejected, folded)

    def _enough(self, valid: Bool[Tensor, "sample time"]) -> Bool[Tensor, " sample"]:
        enough = longest(valid)[1] >= self.settings.least
        return enough & whole(valid, self.settings.middle) if self.settings.middle else enough

    def draw(self, count: int, generator: torch.Generator) -> Coefficients:
        """Coefficients of the generators, uniform up to their scales."""
        scales = self.settings.scales or (self.settings.sigma,) * len(self.names)
        uniform = torch.rand(count, len(self.names), dtype=torch.float64, generator=generator)
        return (2 * uniform - 1) * torch.tensor(scales, dtype=torch.float64)

    def resampled(self, samples: Samples, coefficients: Coefficients) -> Resampled:
        """Samples moved by given combinations, with dtype and device of the samples."""
        if not self._motions:
            everywhere = torch.ones(len(samples), samples.shape[2], dtype=torch.bool, device=samples.device)
            return Resampled(samples, everywhere, ~everywhere.any(1))
        points = self._points(samples.double())
        widths = [len(motion.names) for motion in self._motions]
        for motion, own in zip(self._motions, coefficients.to(points).split(widths, 1), strict=True):
            points = motion(points, own)
        time, x, *values = (points[:, i] for i in self._places)
        positions = torch.stack([time - self._start, x], 1)
        before = None
        if self._rates is not None and self._modes:
            still = samples.double()
            before = Solution(still, self._rates.step * self._rates(still), self._modes)
        found = self._resampler(positions, torch.stack(values, 1), before)
        return replace(found, values=found.values.to(samples))

    def _points(self, samples: Samples) -> Float[Tensor, "sample coordinate time x"]:
        """The graph of samples in physical coordinates, in the system's order."""
        mesh = unmoved(self._resampler.grid, samples)
        mesh = torch.stack([mesh[0] + self._start, mesh[1]]).expand(len(samples), -1, -1, -1)
        graph = torch.cat([mesh, samples], 1)
        return graph[:, [self._places.index(i) for i in range(len(self._places))]]
