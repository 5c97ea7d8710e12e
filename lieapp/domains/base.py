"""The contract between a domain and the one discovery engine, which sees nothing else.

A domain knows its data and what makes moved data valid; the engine knows fields, spans and losses. What a field may
depend on, its arguments, and what it moves, its components, are two lists. Tensors are laid out
`field batch component *space`, with a component axis also where there is one component.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar, runtime_checkable

import torch
from jaxtyping import Float, Int
from torch import Tensor

from lieapp.document import Formula

Points = Float[Tensor, "batch argument *space"]
Stack = Float[Tensor, "field batch component *space"]
Scalars = Float[Tensor, "feature batch *space"]
"""Values of scalar functions."""

Own = Float[Tensor, "slot batch argument *space"]
"""As many sets of points as there are fields."""

Flowing = Callable[[Own, Float[Tensor, " slot"]], Own]
"""Moves each slot's points to its s."""


@dataclass(frozen=True)
class Arguments:
    """What fields may depend on: coordinates of the points at which they are taken, in scaled units.

    Args:
        names: in their order.
        periodic: which of them repeat after 1.
        dependent: which of them are unknowns.
    """

    names: tuple[str, ...]
    periodic: tuple[bool, ...]
    dependent: tuple[bool, ...]

    @property
    def unknowns(self) -> list[int]:
        """Where the unknowns stand."""
        return [i for i, dependent in enumerate(self.dependent) if dependent]

    def places(self, components: Sequence[str]) -> list[int]:
        """Where components stand among the arguments."""
        return [self.names.index(name) for name in components]


@dataclass(frozen=True)
class Characteristics:
    """Q of a stack of fields on data, with D_t Q along the data; both in scaled units.

    Args:
        value: Q^a = φ^a - ξ^i u^a_i.
        rate: its derivative along the solution in the evolution variable.
    """

    value: Float[Tensor, "field batch unknown *space"]
    rate: Float[Tensor, "field batch unknown *space"]


@runtime_checkable
class Fields(Protocol):
    """A stack of vector fields in scaled coordinates."""

    def jvp(self, points: Points, tangents: Points) -> tuple[Stack, Stack]:
        """The fields at points and their derivatives along tangents."""
        ...


@dataclass(frozen=True)
class Line:
    """One axis of an index grid along which fields should be smooth.

    Args:
        dim: of the tensors, counted from the end.
        spacing: of the nodes, in scaled coordinates.
        periodic: whether the axis closes.
    """

    dim: int
    spacing: float
    periodic: bool


@dataclass(frozen=True)
class ReferenceField:
    """A named field that learned ones are compared with.

    Args:
        name: in words.
        formula: a SymPy-syntax string for each component; `shown` is the same.
        function: the same on points.
    """

    name: str
    formula: dict[str, str]
    shown: Formula
    function: Callable[[Points], Float[Tensor, "batch component *space"]]


@runtime_checkable
class Batch(Protocol):
    """A piece of data in scaled coordinates."""

    @property
    def points(self) -> Points:
        """Where fields are taken."""
        ...

    @property
    def weight(self) -> Float[Tensor, "batch *space"]:
        """ω of each point."""
        ...

    @property
    def lines(self) -> list[Line]:
        """The axes along which fields should be smooth."""
        ...

    @property
    def pairs(self) -> Int[Tensor, "2 pair"] | None:
        """Flat numbers of nodes that are neighbours, where nodes are scattered; None: those along the axes are."""
        ...


@runtime_checkable
class EvolvingBatch(Batch, Protocol):
    """A piece of data that evolve."""

    @property
    def tangents(self) -> Points:
        """Derivative of the points along the data in the evolution variable."""
        ...

    @property
    def sample(self) -> Int[Tensor, " batch"] | None:
        """Which independent sample, as a trajectory, each piece belongs to, for the bootstrap."""
        ...


BatchT = TypeVar("BatchT", bound=Batch)
GivenT = TypeVar("GivenT", bound=Batch, covariant=True)
TakenT = TypeVar("TakenT", bound=Batch, contravariant=True)
EvolvingT = TypeVar("EvolvingT", bound=EvolvingBatch)


@runtime_checkable
class Draws(Protocol[GivenT]):
    """Data that a training draws from at random."""

    def draw(self, size: int, generator: torch.Generator, step: int = 0) -> GivenT:
        """One random batch, the one of a training's step where the data are gone through in turn."""
        ...


@runtime_checkable
class Data(Draws[GivenT], Protocol[GivenT]):
    """What a domain's dataset offers the engine: batches in a fixed order or at random."""

    @property
    def trajectories(self) -> int:
        """Number of trajectories."""
        ...

    def batches(self, count: int, size: int) -> Iterator[GivenT]:
        """About `count` pieces spread evenly over the data, `size` at a time, always the same."""
        ...


@dataclass(frozen=True)
class Validity:
    """How far from valid moved data are.

    Args:
        score: of each piece, 0 for valid; inf where nothing of the piece can be judged.
        share: of each piece's nodes, those that were judged.
        folded: share of each piece's nodes where the moved grid is folded.
    """

    score: Float[Tensor, " batch"]
    share: Float[Tensor, " batch"]
    folded: Float[Tensor, " batch"]


@runtime_checkable
class Domain(Protocol[TakenT]):
    """What the engine, the comparison and the report may ask of a domain, for a flow of size 0."""

    name: str
    arguments: Arguments
    components: tuple[str, ...]
    """What fields move, in the order of their values; each is one of the arguments."""
    stages: tuple[str, ...]
    """Which of spectrum, projection, gradient and flow make sense."""
    homogeneous: bool
    """Whether sums and multiples of solutions are solutions, and every symmetry is of degree 0 in the unknowns but
    for those that add a solution."""

    def truth(self, budget: float | None = None) -> object:
        """The symmetries derived in so many seconds; None where nothing can be derived."""
        ...

    def reference(self) -> Sequence[ReferenceField]:
        """Named fields to compare with; none where symmetries are derived."""
        ...

    def characteristic(self, batch: TakenT, fields: Fields) -> tuple[Stack, Characteristics]:
        """The fields on the batch's points and their characteristics."""
        ...

    def tangent(self, batch: TakenT, q: Characteristics) -> Float[Tensor, "field batch *residual"]:
        """The linearised residual along each characteristic; 0 for a symmetry."""
        ...


@runtime_checkable
class Movable(Protocol[BatchT]):
    """What may be asked of data that a flow of finite size moves: its components are all arguments."""

    def act(self, flow: Flowing, batch: BatchT, s: Float[Tensor, " slot"]) -> BatchT:
        """The batch moved by each slot's flow to its s, slot after slot; flow(points, s) moves points."""
        ...

    def validity(self, before: BatchT | None, after: BatchT, power: int = 1) -> Validity:
        """How far from valid the moved data are; with `before`, beyond what the unmoved data are.

        `power` 1 takes the mean absolute error over the nodes, 2 the root mean square.
        """
        ...
