"""The contract between a domain and the one discovery engine, which sees nothing else.

A domain knows its data and what makes moved data valid; the engine knows fields, spans and losses. Tensors are
laid out `field batch component *space`, with a component axis also where there is one component.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import torch
from jaxtyping import Float, Int
from torch import Tensor

from lieapp.document import Formula

Points = Float[Tensor, "batch coordinate *space"]
Stack = Float[Tensor, "field batch coordinate *space"]
Scalars = Float[Tensor, "feature batch *space"]
"""Values of scalar functions."""

Own = Float[Tensor, "slot batch coordinate *space"]
"""As many sets of points as there are fields, or each field's values at its own set."""

Flowing = Callable[[Own, Float[Tensor, " slot"]], Own]
"""Moves each slot's points to its s."""


@dataclass(frozen=True)
class Characteristics:
    """Q of a stack of fields on data, with D_t Q along the data; both in scaled units.

    Args:
        value: Q^a = φ^a - ξ^i u^a_i.
        rate: its derivative along the solution in the evolution variable.
    """

    value: Float[Tensor, "field batch component *space"]
    rate: Float[Tensor, "field batch component *space"]


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
        formula: a SymPy-syntax string for each coordinate; `shown` is the same.
        function: the same on points `batch coordinate *space`.
    """

    name: str
    formula: dict[str, str]
    shown: Formula
    function: Callable[[Points], Points]


@runtime_checkable
class Batch(Protocol):
    """A piece of data in scaled coordinates."""

    points: Points
    weight: Float[Tensor, "batch *space"]
    sample: Int[Tensor, " piece"] | None
    """Which independent sample (a trajectory, a picture) each piece belongs to, for the bootstrap."""

    @property
    def lines(self) -> list[Line]:
        """The axes along which fields should be smooth."""
        ...

    @property
    def pairs(self) -> Int[Tensor, "2 pair"] | None:
        """Flat numbers of nodes that are neighbours, where nodes are scattered; None: those along the axes are."""
        ...


@runtime_checkable
class Draws(Protocol):
    """Data that a training draws from at random."""

    def draw(self, size: int, generator: torch.Generator, step: int = 0) -> Any:
        """One random batch, the one of a training's step where the data are gone through in turn."""
        ...


@runtime_checkable
class Data(Draws, Protocol):
    """What a domain's dataset offers the engine: batches in a fixed order or at random."""

    @property
    def trajectories(self) -> int:
        """Number of trajectories."""
        ...

    def batches(self, count: int, size: int) -> Iterator[Any]:
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
class Domain(Protocol):
    """What the engine, the comparison and the report may ask of a domain."""

    name: str
    coordinates: tuple[str, ...]
    periodic: tuple[bool, ...]
    dependent: tuple[bool, ...]
    stages: tuple[str, ...]
    """Which of spectrum, projection, gradient and flow make sense."""

    def truth(self, budget: float | None = None) -> Any:
        """The symmetries derived in so many seconds; None where nothing can be derived."""
        ...

    def reference(self) -> Sequence[ReferenceField]:
        """Named fields to compare with; none where symmetries are derived."""
        ...

    def characteristic(self, batch: Any, fields: Fields) -> tuple[Stack, Characteristics]:
        """The fields on the batch's points and their characteristics."""
        ...

    def tangent(self, batch: Any, q: Characteristics) -> Float[Tensor, "field batch component *space"]:
        """The linearised residual along each characteristic; 0 for a symmetry."""
        ...

    def act(self, flow: Flowing, batch: Any, s: Float[Tensor, " slot"]) -> Any:
        """The batch moved by each slot's flow to its s, slot after slot; flow(points, s) moves points."""
        ...

    def validity(self, before: Any | None, after: Any, power: int = 1) -> Validity:
        """How far from valid the moved data are; with `before`, beyond what the unmoved data are.

        `power` 1 takes the mean absolute error over the nodes, 2 the root mean square.
        """
        ...
