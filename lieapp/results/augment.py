"""What trainings on moved data found: a table with a row for each number of data and way of moving them."""

from __future__ import annotations

from typing import Literal

import msgspec

from lieapp.results.base import Compared, Result


class Row(msgspec.Struct, kw_only=True, omit_defaults=True):
    """The trainings of one way of moving with one number of data: an error or accuracy for each seed, their mean
    and standard deviation, and the mean of those on validation data.

    Args:
        label: how tables call the variant.
        scale: the largest flow parameter, where that was searched for.
        steps: of one training, which took so many `seconds`.
        one_step: error of each frame of a prediction from true frames; `frames` of each frame of all.
        moved: the share of trajectories that were used moved.
        generators: the defect of each generator moved along.
    """

    variant: str
    label: str
    samples: int
    scale: float | None
    values: list[float | None]
    mean: float | None
    spread: float | None
    valid: float | None
    steps: int
    seconds: float
    one_step: float | None = None
    frames: list[float | None] = []
    moved: float | None = None
    generators: dict[str, float | None] = {}


class Augment(Result, kw_only=True):
    """Networks trained on data moved in several ways: `Operators` or `Classifiers`."""

    kind: Literal["augment"] = "augment"
    model: str = ""
    seeds: tuple[int, ...] = ()
    variants: list[Row]
    seconds: dict[str, float] = msgspec.field(default_factory=dict)

    def compared(self) -> Compared:
        """What lists and comparisons of runs show of it."""
        return Compared(method=self.model, seconds=self.seconds)

    @property
    def fewest(self) -> list[Row]:
        """The rows with the fewest data."""
        least = min(row.samples for row in self.variants)
        return [row for row in self.variants if row.samples == least]


class Operators(Augment, tag_field="result", tag="operators", kw_only=True):
    """Neural operators of an equation, judged by the normalised mean square error.

    Args:
        task: whether frames follow each other or one later state is predicted.
        frames: predicted at a time; `predicted` of them in all.
        gap: time steps from what is given to what is predicted.
    """

    measure: Literal["nmse"] = "nmse"
    task: Literal["rollout", "single"]
    frames: int
    predicted: int
    gap: int


class Classifiers(Augment, tag_field="result", tag="classifiers", kw_only=True):
    """Classifiers of pictures, judged by their share of right answers.

    Args:
        judged_on: test pictures.
        learned_from: of each number asked for, pictures that are left without those to validate on.
    """

    domain: Literal["images"] = "images"
    measure: Literal["accuracy"] = "accuracy"
    judged_on: int
    learned_from: dict[str, int]
    classes: list[str]
