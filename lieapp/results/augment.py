"""What trainings on moved data found: a row for each number of data and way of moving them, and a sentence."""

from __future__ import annotations

import math
import re
from pathlib import PurePath
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
        drift: of each conservation law along predictions, relative.
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
    drift: dict[str, float | None] = {}


class Augment(Result, kw_only=True):
    """Networks trained on data moved in several ways: `Operators` or `Classifiers`."""

    kind: Literal["augment"] = "augment"
    model: str = ""
    seeds: tuple[int, ...] = ()
    variants: list[Row]
    seconds: dict[str, float] = msgspec.field(default_factory=dict)

    def __post_init__(self) -> None:
        """Raises ValueError for a table without rows."""
        if not self.variants:
            raise ValueError("there is a variant or more")

    def compared(self) -> Compared:
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
        laws: where a variant uses them, the drift of each conservation law along the test solutions themselves.
    """

    measure: Literal["nmse"] = "nmse"
    task: Literal["rollout", "single"]
    frames: int
    predicted: int
    gap: int
    laws: dict[str, float | None] = {}


class Classifiers(Augment, tag_field="result", tag="classifiers", kw_only=True):
    """Classifiers of pictures, judged by their share of right answers.

    Args:
        judged_on: test pictures.
        learned_from: of each number asked for, pictures that are left without those to validate on.
        test_scale: the largest flow parameter of affine moves of the test pictures; 0: they weren't moved.
    """

    domain: Literal["images"] = "images"
    measure: Literal["accuracy"] = "accuracy"
    judged_on: int
    learned_from: dict[str, int]
    classes: list[str]
    test_scale: float = 0.0


WORDS = {"fields": "learned", "formulas": "proved", "approximate": "approximate"}
"""What is taken of a run."""

MOST_DECIMALS = 8
"""Of an error."""


def label(variant: str) -> str:
    """A variant as tables have it: `learned 01b48e` for the exact fields of the run that ends so."""
    return " + ".join(_part(part.strip()) for part in variant.split("+"))


def _part(part: str) -> str:
    kind, sign, path = part.partition(":")
    if sign and kind in WORDS:
        return f"{WORDS[kind]} {_short(path)}"
    return part if "/" not in part and not re.fullmatch(r".*-[0-9a-f]{6}", part) else f"learned {_short(part)}"


def _short(path: str) -> str:
    """The end of a run's name, which tells runs apart; the whole name if it was given another."""
    name = PurePath(path).name
    found = re.fullmatch(r"\d{8}T\d{6}Z-.+-([0-9a-f]{6})", name)
    return found[1] if found else name


def shown(result: Augment, value: float | None, spread: float | None = None) -> str:
    """A value of the table: per cent of an accuracy; of an error three digits, or two of its spread."""
    if value is None:
        return "–"
    if isinstance(result, Classifiers):
        return f"{100 * value:.1f}"
    if not spread or spread < 0 or not math.isfinite(value) or not math.isfinite(spread):
        return f"{value:.3g}"
    decimals = min(max(0, 1 - math.floor(math.log10(spread))), MOST_DECIMALS)
    return f"{value:.{decimals}f}"


def with_spread(result: Augment, row: Row) -> str:
    """Mean and spread."""
    mean = shown(result, row.mean, row.spread)
    return mean if row.spread is None else f"{mean} ± {shown(result, row.spread, row.spread)}"


def gain(result: Augment, row: Row, against: str = "none") -> float | None:
    """How many times smaller an error is than that of another variant with as many data; of accuracies, how much
    larger."""
    other = next((r for r in result.variants if r.variant == against and r.samples == row.samples), None)
    if other is None or other is row or other.mean is None or row.mean is None:
        return None
    if isinstance(result, Classifiers):
        return row.mean - other.mean
    return other.mean / row.mean if row.mean else None


def measure(result: Augment) -> str:
    """What the values are, in words."""
    match result:
        case Classifiers(test_scale=scale):
            moved = f", each moved by random affine fields to {scale:g} at most" if scale else ""
            return f"Accuracy on {result.judged_on} test pictures{moved}, in per cent"
        case Operators(task="single"):
            return f"Normalised mean squared error of the state {result.gap} time steps later"
        case Operators():
            return (
                f"Normalised mean squared error of a rollout, {result.frames} frames giving the next, summed over "
                f"{result.predicted} frames"
            )
    return ""


def signed(value: float) -> str:
    """A difference, with a sign that is as wide as a figure."""
    return f"{value:+.1f}".replace("-", "−")


def hopeless(result: Augment) -> list[str]:
    """Variants whose predictions are no better than 0 everywhere, which has the error 1 in each frame."""
    if not isinstance(result, Operators):
        return []
    frames = result.predicted if result.task == "rollout" else 1
    names = [
        f"{row.label} with {row.samples} data" for row in result.variants if row.mean is None or row.mean >= frames
    ]
    words = f"no better than predicting 0 ({', '.join(names)}), which has an NMSE of {frames}; train longer"
    return [words] if names else []


def sentence(result: Augment) -> str:
    """The results with the fewest data in one sentence."""
    own = result.fewest
    name, unit = ("accuracy", " %") if isinstance(result, Classifiers) else ("NMSE", "")
    told = "; ".join(f"{row.label} {with_spread(result, row)}{unit}" for row in own)
    count = len(result.seeds)
    how = "of one seed" if count == 1 else f"as mean and spread of {count} seeds"
    return f"With {own[0].samples} data, {name} {how}: {told}"
