"""What is checked of data from files before anything is learned from them or moved."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from lieapp.data.axes import noise_level
from lieapp.data.files import changed
from lieapp.data.trajectories import Extent, Trajectories
from lieapp.equations.evolution import Evolution
from lieapp.errors import DataError
from lieapp.pde.misfit import MISSED, misfit, misfits, unlike
from lieapp.progress import Reporter
from lieapp.runs.store.directory import RunDirectory

UNTOLD = (
    "too few times, too far apart or too noisy, or nothing changes in time: they don't tell whether they solve the "
    "equation"
)

FAR = 1e5
"""Mean over spread of an unknown from which on its changes are lost in rounding."""


def check_unchanged(pieces: Sequence[Trajectories], directory: RunDirectory) -> None:
    """Raises DataError if a resumed run finds other data than it began with: what it learned is of these."""
    stamps: dict[str, Any] = {}
    for facts in (piece.facts for piece in pieces):
        stamps[str(facts["file"])] = [facts.get(key) for key in ("sha256", "size", "modified")]
    known = directory.origin().data_files
    for file, stamp in stamps.items():
        if known is not None and known.get(file) != stamp:
            raise changed(file)
    directory.add_provenance(data_files=stamps)


def check_offsets(unknowns: Sequence[str], extent: Extent, report: Reporter) -> None:
    """Warn of unknowns that change little beside their mean."""
    for name, mean, spread in zip(unknowns, extent.mean.tolist(), extent.spreads, strict=True):
        if abs(mean) > FAR * spread:
            report.warn(
                f"data: {name} is {mean:.3g} and changes by {spread:.2g} only: symmetries that change {name} "
                "are lost in rounding; take a constant off it, in the file and in the equation"
            )


def noise_in(piece: Trajectories) -> tuple[float, str]:
    """The level of noise of the noisiest unknown, relative to its spread, and how it was measured."""
    return max(noise_level(values.cpu().numpy()) for values in piece.values.unbind(2))


def check_misfit(
    evolution: Evolution, data: Sequence[Trajectories], name: str, most: float, report: Reporter,
    units: Sequence[str] = (),
) -> float | None:  # fmt: skip
    """What the data leave of the equation, relative to their change in time; None if they don't tell.

    Args:
        name: of the equation.
        most: the largest misfit of data that ask for other coefficients.
        units: of the axes and unknowns, which may be why they do.

    Raises DataError if they do by more: symmetries of the equation would not be theirs.
    """
    apart = misfits(evolution, data)
    wrong, missing = unlike(apart, most)
    if wrong:
        beyond = math.ceil(max(one.relative for one in apart.values()) + 1)
        raise DataError(
            f"{name}: not all files solve the equation: {wrong}.",
            hint=f"Leave them out, or correct them; --set misfit={beyond} goes on all the same.",
        )
    found = misfit(evolution, data)
    if missing:
        report.warn(f"data: files differ: {missing}")
    if found is None:
        report.line(f"data: {UNTOLD}")
        return None
    report.line(f"data: they miss the equation by {100 * found.relative:.2g} % of their change in time")
    if found.refutes and found.relative > most:
        known, beyond = f" ({', '.join(units)})" if units else "", math.ceil(found.relative + 1)
        raise DataError(
            f"{name}: the data don't solve the equation: {found.words()}.",
            hint=f"Correct the equation or the data{known}; --set misfit={beyond} goes on all the same, with the "
            "equation's symmetries, not the data's.",
        )
    if found.relative > MISSED and not missing:
        report.warn(f"data: {found.words()}")
    return found.relative
