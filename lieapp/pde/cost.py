"""Settings that make a discovery costly, found before it begins: fields to solve for, and memory."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import sympy as sp
from msgspec.structs import replace

from lieapp.api import PDE
from lieapp.config import DiscoverConfig
from lieapp.data.own import OwnGrid, counts_apart, in_stretches, stretches_of
from lieapp.data.sizes import chunk_size, kept_bytes, machine_memory
from lieapp.equations.equation import read_pde
from lieapp.equations.evolution import Evolution, degree, evolution_form
from lieapp.errors import ConfigError
from lieapp.numerics.sizes import fast_size

MANY = 1000
"""Fields above this are warned of: one level took 20 s on one core, and time grows with their square or faster."""

MUCH = 4e9
"""Bytes above this are warned of."""

MOST = 16384
"""Points of a batch of slices at most, but for a single slice (`pde.data.MOST`)."""

PART, NODES = 2**22, 2
"""Numbers of a part of the fields, and nodes for each field, in a plane (`methods.spectrum`)."""

CHUNK = 8
"""Slices in memory at a time while fields are solved for (`methods.result.SIZE`)."""

SETTINGS = (
    "modes", "spectrum.degrees", "spectrum.unknown_degree", "projection.features", "projection.width",
    "projection.batch", "samples", "held_out", "chunk",
)  # fmt: skip
"""What makes many fields or takes much memory."""

FIELD_DEGREE = 1
"""Degree in u of a field for which grids are padded (`pde.domain.FIELD_DEGREE`)."""

LARGEST = 12
"""Degree of the polynomials in windows of an open axis (`numerics.polynomial.LARGEST`)."""

DEFAULTS = DiscoverConfig(plugin="")


@dataclass(frozen=True)
class Cost:
    """What settings make of an equation.

    Args:
        fields: in the span that an eigenproblem is solved in; 0 where there is none.
        memory: estimated bytes at the worst moment, the program itself left out.
    """

    fields: int
    memory: float

    @property
    def excess(self) -> float:
        """How far it lies above what passes without a warning; at most 1 if it doesn't."""
        return max(self.fields / MANY, self.memory / MUCH)

    def __str__(self) -> str:
        fields = f"{self.fields} fields and " if self.fields else ""
        size = f"an estimated {self.memory / 1e9:.1f} GB" if self.memory > 1e8 else "less than 0.1 GB"
        return fields + size


def warnings(config: DiscoverConfig, pde: PDE, own: Sequence[OwnGrid] = ()) -> list[str]:
    """A warning for each setting that makes the work costly: the one that does most, and those that double it.

    Args:
        own: the grids of the files that are read; `pde` is declared on them.
    """
    told: dict[str, str] = {}
    whole = costs(config, pde, own)
    for part in (part for part, cost in whole.items() if cost.excess > 1):
        cheaper = {key: costs(_with_default(config, key), pde, own)[part] for key in SETTINGS}
        most = min(SETTINGS, key=lambda key: cheaper[key].excess)
        for key, cost in cheaper.items():
            if cost.excess < whole[part].excess * (1 if key == most else 0.5):
                name = _name(key)
                text = f"{name} = {_written(config, key)} is costly for the {part}: {whole[part]} of memory"
                told.setdefault(key, f"{text}; with the default {name} = {_written(DEFAULTS, key)}, {cost}")
        if cheaper[most].excess >= whole[part].excess:
            told.setdefault(part, _of_grid(config, pde, part, whole[part], own))
    return list(told.values())


def check_memory(
    config: DiscoverConfig, pde: PDE, memory: float | None = None, own: Sequence[OwnGrid] = ()
) -> None:  # fmt: skip
    """Refuse what this machine's memory can't hold.

    Args:
        own: see `warnings`.
        memory: bytes; this machine's if None.

    Raises ConfigError that names the part, its size and the setting that lowers it.
    """
    memory = machine_memory() if memory is None else memory
    part, cost = max(costs(config, pde, own).items(), key=lambda item: item[1].memory)
    if cost.memory <= memory:
        return
    cheaper = {key: costs(_with_default(config, key), pde, own)[part].memory for key in SETTINGS}
    key = min(cheaper, key=lambda k: cheaper[k])
    hint = f"With --set {_name(key)}={_written(DEFAULTS, key)} it takes an estimated {cheaper[key] / 1e9:.1f} GB."
    raise ConfigError(
        f"{pde.name}: the {part} needs {cost} of memory; this machine has {memory / 1e9:.1f} GB.",
        hint=hint if cheaper[key] < cost.memory else f"{_fewer(own).capitalize()}.",
    )


def _fewer(own: Sequence[OwnGrid]) -> str:
    return "read fewer points by --every" if own else "lower points in the plugin"


def _of_grid(config: DiscoverConfig, pde: PDE, part: str, cost: Cost, own: Sequence[OwnGrid]) -> str:
    """For what is costly by the grid itself: a setting below its default that helps, else fewer points."""
    axes = ", ".join(f"{axis}: {pde.points[axis]}" for axis in pde.points)
    text = f"the grid of {pde.name}, points = {{{axes}}}, is costly for the {part}: {cost} of memory"
    for key, value in _lowered(config, part):
        lower = _with(config, key, value)
        reached = costs(lower, pde, own)[part]
        if reached.excess < 1:
            return f"{text}; with --set {_name(key)}={_written(lower, key).replace(' ', '')}, {reached}"
    return f"{text}; {_fewer(own)}"


def _lowered(config: DiscoverConfig, part: str) -> list[tuple[str, Any]]:
    """Settings that make a part cheaper, the mildest first."""
    if part == "spectrum method":
        degrees = config.spectrum.degrees
        return [("spectrum.degrees", degrees[:n]) for n in range(len(degrees) - 1, 1, -1)]
    if part == "neural method":
        features = config.projection.features
        return [("projection.features", features // n) for n in (2, 3, 4) if features >= 2 * n]
    return [("samples", config.samples // n) for n in (2, 4, 8) if config.samples >= 2 * n]


@dataclass(frozen=True)
class Amount:
    """The trajectories of a run.

    Args:
        train, held_out: how many there are to learn from and to judge on.
        bytes: of all in double precision, of which so many are in memory `together`.
    """

    train: int
    held_out: int
    bytes: float
    together: float


def amount(config: DiscoverConfig, pde: PDE, own: Sequence[OwnGrid] = ()) -> Amount:
    """The trajectories that are simulated, or read of files."""
    if not own:
        each, total = kept_bytes(pde), config.samples + config.held_out
        together = min(total, chunk_size(config, pde))
        return Amount(config.samples, config.held_out, total * each, together * each)
    size = together = sum(grid.samples * grid.bytes for grid in own)
    if in_stretches(config.data, own, config.chunk):
        together = max(one.bytes for one in stretches_of(own, config.chunk))
    return Amount(*counts_apart(sum(grid.samples for grid in own)), size, together)


def costs(config: DiscoverConfig, pde: PDE, own: Sequence[OwnGrid] = ()) -> dict[str, Cost]:
    """The cost of each part of a discovery: of the methods it uses, and of its data."""
    evolution = evolution_form(read_pde(pde))
    unknowns = len(evolution.jets.dependent)
    periodic, others = len(pde.periodic), len(pde.region) - len(pde.periodic)
    coordinates = periodic + others + unknowns
    points = math.prod(_slice_shape(pde, evolution))
    padded, planar = math.prod(padded_shape(pde, evolution)), len(evolution.space) > 1
    found = {}
    plan, network = config.plan, config.projection
    if "spectrum" in plan or config.cross_check:
        fields = coordinates * basis_count(config, periodic, others, unknowns)
        found["spectrum method"] = Cost(fields, _solving(fields, _rows(padded), coordinates, unknowns, planar))
    if set(plan) & {"projection", "gradient", "flow"} or ("spectrum" in plan and config.cross_check):
        fields = coordinates * (network.features + 1)
        drawn = network.batch * points if not planar else min(network.batch * points, max(MOST, points))
        training = 8.0 * network.width * (8 * drawn + 4 * network.width)
        # while training, only the modes that matter are kept, on about the grid of the data
        rows = max(_rows(padded), drawn)
        found["neural method"] = Cost(fields, _solving(fields, rows, coordinates, unknowns, planar) + training)
    # once more on their way to the device, and once in the checkpoint
    return {**found, "data": Cost(0, 3 * amount(config, pde, own).together)}


PROGRAM, PATCH = 5e8, {"weno": 8e8, "curvilinear": 2e8, "bilinear": 2e8}
"""Bytes of the program itself, and of each patch of the method flow by what differentiates it."""

OTHERS, DATA, FINITE = 7.0, 3.0, 3.0
"""Seconds of loading, truth, formulas and report; of the data; of judging a trajectory at finite size."""

SPECTRUM, STEP, TRAJECTORY = 3.0, 0.036, 0.25
"""Seconds of the spectrum's 162 fields, of a step of projection, of a trajectory in an epoch of gradient."""

MOVED = {"weno": 0.8, "curvilinear": 0.3, "bilinear": 0.3}
"""Seconds of a patch in a step of flow, by what differentiates it."""

READ = 6e-8
"""Seconds of a byte of files in double precision: it is read, kept and checked (benchmarks/chunks.py)."""


def estimate(config: DiscoverConfig, pde: PDE, own: Sequence[OwnGrid] = ()) -> tuple[float, float]:
    """Seconds and bytes that a discovery takes, within a factor of three on today's cores.

    Measured on the shipped equations (benchmarks/discover.py, paper_step.py); the rest scales with the settings.

    Args:
        own: see `warnings`.
    """
    cost, plan, network = costs(config, pde, own), config.plan, config.projection
    evolution, data = evolution_form(read_pde(pde)), amount(config, pde, own)
    times = pde.points[evolution.jets.independent[evolution.time]] / 250
    whole = math.prod(pde.points[axis] for axis in _axes(evolution)) / 256
    points = whole / config.every_point
    of_slice = math.prod(_slice_shape(pde, evolution)) / 256 / config.every_point
    # periodic axes are padded to three times their points
    padded = math.prod(n / 3 for n in padded_shape(pde, evolution)) / 256 / config.every_point
    seconds = OTHERS + FINITE * config.finite.samples
    seconds += READ * data.bytes if own else DATA * (data.train + data.held_out) / 20 * times * whole
    if "spectrum method" in cost:
        seconds += SPECTRUM * (cost["spectrum method"].fields / 162) ** 2 * padded * config.slices / 96
    projected = network.steps * STEP * of_slice * network.batch / 24 * network.width / 48
    if "projection" in plan or ("spectrum" in plan and config.cross_check):
        seconds += projected
    if "gradient" in plan:
        seconds += config.gradient.epochs * data.train * TRAJECTORY * points
    memory = PROGRAM + max(part.memory for part in cost.values())
    if "flow" in plan:
        seconds += config.flow.epochs * data.train * MOVED[config.moving.backend]
        memory += config.flow.batch * PATCH[config.moving.backend]
    return seconds, memory


def _rows(padded: int) -> int:
    """Points of a batch of slices while fields are solved for."""
    return min(CHUNK * padded, max(MOST, padded))


def padded_shape(pde: PDE, evolution: Evolution) -> list[int]:
    """Points of the padded grid on which fields are solved for, if the data use every mode of their own grid.

    Of an open axis, the nodes of a polynomial in one of its windows.
    """
    factors = degree(evolution, evolution.rhs) + FIELD_DEGREE
    return [
        fast_size(2 * factors * ((n - 1) // 2) + 2) if axis in pde.periodic else n
        for axis, n in zip(_axes(evolution), _slice_shape(pde, evolution), strict=True)
    ]


def _slice_shape(pde: PDE, evolution: Evolution) -> list[int]:
    """Points of a slice: those of the declared grid, and the nodes of a polynomial on an open axis."""
    nodes = (degree(evolution, evolution.rhs) + FIELD_DEGREE - 1) * LARGEST + 6
    return [pde.points[axis] if axis in pde.periodic else nodes for axis in _axes(evolution)]


def _axes(evolution: Evolution) -> list[sp.Symbol]:
    return [evolution.jets.independent[i] for i in evolution.space]


def basis_count(config: DiscoverConfig, periodic: int, others: int, unknowns: int) -> int:
    """How many functions the largest basis of the spectrum method has (`methods.basis.TensorBasis.count`)."""
    monomials = math.comb(config.spectrum.unknown_degree + unknowns, unknowns)
    polynomials = math.comb(config.spectrum.degrees[-1] + others, others)
    waves = sum(2**j * math.comb(periodic, j) * math.comb(config.modes, j) for j in range(periodic + 1))
    return waves * polynomials * monomials


def _solving(fields: int, rows: int, coordinates: int, unknowns: int, planar: bool) -> float:
    """Fields, rates, characteristics and residuals of a batch, and the triangular factors with room to work.

    In a plane fields come in parts, and few nodes stand for all.
    """
    if not planar:
        return 8.0 * fields * (rows * (2 * coordinates + 5 * unknowns) + 3 * (rows * unknowns + fields))
    part = min(fields, max(coordinates, PART // rows))
    chosen = min(rows, NODES * fields)
    whole = 2 * fields / coordinates * rows + 3 * fields * (chosen * unknowns + fields)
    return 8.0 * (part * rows * (2 * coordinates + 5 * unknowns) + whole)


def _written(config: DiscoverConfig, key: str) -> str:
    value = _value(config, key)
    return str(list(value)) if isinstance(value, tuple) else str(value)


def _value(config: DiscoverConfig, key: str) -> Any:
    return functools.reduce(getattr, key.split("."), config)


def _name(key: str) -> str:
    """What is typed after --set: the name alone means these settings."""
    return key.rpartition(".")[2]


def _with(config: DiscoverConfig, key: str, value: Any) -> DiscoverConfig:
    section, _, name = key.rpartition(".")
    if not section:
        return replace(config, **{name: value})
    return replace(config, **{section: replace(getattr(config, section), **{name: value})})


def _with_default(config: DiscoverConfig, key: str) -> DiscoverConfig:
    return _with(config, key, _value(DEFAULTS, key))
