"""What both pipelines of `lieapp augment` share: a training for each variant and seed, the summary, the report."""

from __future__ import annotations

import statistics
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any

from lieapp.report.augment_html import write_augment_report
from lieapp.report.augment_words import hopeless, label, sentence
from lieapp.runs.cells import Cell, Cells
from lieapp.runs.session import Session


class Side(ABC):
    """Solutions or pictures: what is moved and trained on. Made anew for each session of a run."""

    def __init__(self, config: Any, declaration: Any, session: Session) -> None:
        self.config, self.declaration, self.session = config, declaration, session

    @abstractmethod
    def prepare(self) -> None:
        """Data and moves."""

    def clear(self) -> None:  # noqa: B027 - nothing is to be dropped by most
        """Drop what only a run that goes on needs."""

    @abstractmethod
    def training(self, cell: Cell) -> Any:
        """See `cells.Work`."""

    @abstractmethod
    def judged(self, cell: Cell, training: Any) -> dict[str, Any]:
        """See `cells.Work`."""

    @abstractmethod
    def result(self, cell: Cell, training: Any) -> dict[str, Any]:
        """See `cells.Work`; `value` is what the table is of."""

    @abstractmethod
    def facts(self) -> dict[str, Any]:
        """Further keys of the summary: `measure`, nmse or accuracy, and what was predicted."""

    def of_variant(self, variant: str) -> dict[str, Any]:
        """What else a row of the table says of a variant."""
        return {}

    def amounts(self) -> Sequence[int]:
        """Numbers of data to learn from."""
        return list(self.config.samples)

    def scale(self, cells: Cells, amount: int, variant: str) -> float | None:
        """How far a variant moves, where that is searched for."""
        return None


def execute(side: Side) -> dict[str, Any]:
    """Do or go on with a run; returns its summary and writes its other files.

    Raises LieappError for what the declaration, the data or the settings don't allow.
    """
    config, session, run = side.config, side.session, side.session.directory
    session.begin()
    side.prepare()
    with session.stopwatch.stage("training"):
        rows = list(_rows(side, Cells(side, session)))
    summary: dict[str, Any] = {
        "run": str(run.path),
        "kind": "augment",
        "plugin": config.plugin,
        "title": side.declaration.title,
        "model": config.model,
        **side.facts(),
        "seeds": list(config.seeds),
        "variants": rows,
        "seconds": {},
    }
    for words in hopeless(summary):
        session.report.warn(words)
    summary["warnings"] = session.report.warnings
    summary["sentence"] = sentence(summary)
    summary["seconds"] = session.stopwatch.seconds()
    run.write_summary(summary)
    write_augment_report(run.path)
    side.clear()
    return summary


def _rows(side: Side, cells: Cells) -> Iterator[dict[str, Any]]:
    """A row of the table for each number of data and variant."""
    config = side.config
    for amount in side.amounts():
        for variant in config.variants:
            scale = side.scale(cells, amount, variant)
            found = []
            for seed in config.seeds:
                found.append(cells.result(Cell(amount, variant, seed, scale), words(amount, variant, seed, scale)))
                side.session.report.line(f"{words(amount, variant, seed, scale)}: {found[-1]['value']:.4g}")
            yield {**row(amount, variant, scale, found), **side.of_variant(variant)}


def words(amount: int, variant: str, seed: int, scale: float | None) -> str:
    """Which training it is."""
    far = "" if scale is None else f", scale {scale:g}"
    return f"{label(variant)}, {amount} data, seed {seed}{far}"


def row(amount: int, variant: str, scale: float | None, found: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Values of all seeds, their mean and spread: the standard deviation of single trainings."""
    values = [entry["value"] for entry in found]
    told: dict[str, Any] = {
        "variant": variant,
        "label": label(variant),
        "samples": amount,
        "scale": scale,
        "values": values,
        "mean": statistics.fmean(values),
        "spread": statistics.stdev(values) if len(values) > 1 else None,
        "valid": statistics.fmean(entry["valid"] for entry in found),
        "steps": found[0]["steps"],
        "seconds": round(statistics.fmean(entry["seconds"] for entry in found), 2),
    }
    for key in ("one_step", "moved"):
        if found[0].get(key) is not None:
            told[key] = statistics.fmean(entry[key] for entry in found)
    if "frames" in found[0]:
        told["frames"] = [statistics.fmean(column) for column in zip(*(e["frames"] for e in found), strict=True)]
    return told
