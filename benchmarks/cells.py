"""The cells of a sweep, as benchmarks take them over into their tables."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from lieapp.results.base import result_of
from lieapp.results.sweep import Sweep


def finished(sweep: Path) -> Iterator[Path]:
    """The folder of each run that is done, in the order of the grid; those of a sweep lie beside it."""
    found = result_of(sweep, Sweep)
    for cell in found.cells if found else ():
        if cell.run is not None and cell.state == "done":
            yield sweep.parent / Path(cell.run).name
