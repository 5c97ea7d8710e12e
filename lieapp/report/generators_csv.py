"""generators.csv: a line for each slot, closed form and derived generator, formulas in SymPy's syntax."""

from __future__ import annotations

import csv
from pathlib import Path

from lieapp.results.discovery import AtSize, EquationResult

_SIZE = ("finite_defect", "finite_s", "finite_share", "finite_holds")
"""The largest defect of moved data, the flow parameter it belongs to, the share of nodes judged there."""


def write_csv(result: EquationResult, path: Path) -> None:
    """Write the file. Raises OSError."""
    coordinates = result.coordinates
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["kind", "name", "eta", "verdict", "proved", "cosine", *_SIZE, *coordinates])
        for slot in result.generators:
            moved = [*_moved(slot.finite), *[""] * len(coordinates)]
            writer.writerow(["learned", f"slot {slot.slot}", _cell(slot.eta), slot.verdict, "", "", *moved])
        for place, form in enumerate(result.formulas, start=1):
            said = [f"formula {place}", _cell(form.eta), form.verdict, form.proved, ""]
            writer.writerow(["formula", *said, *_moved(None), *_parts(form.field or {}, coordinates)])
        for row in result.truth:
            said = [row.name, "", "", "", _cell(row.cosine)]
            writer.writerow(["derived", *said, *_moved(None), *_parts(row.field, coordinates)])


def _parts(field: dict[str, str], coordinates: list[str]) -> list[str]:
    return [field.get(name, "") for name in coordinates]


def _moved(row: AtSize | None) -> list[str]:
    """A line's cells under `_SIZE`."""
    if row is None or row.largest is None:
        return [""] * len(_SIZE)
    k, holds = row.largest, "" if row.holds is None else repr(row.holds)
    return [_cell(row.defect[k]), _cell(row.s[k]), _cell(row.share[k]), holds]


def _cell(value: float | None) -> str:
    return "" if value is None else repr(value)
