"""What was found of a map, and what is said of it."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import msgspec

from lieapp.document import (
    Block,
    Column,
    Document,
    Draw,
    Figure,
    Formula,
    Heading,
    Text,
    number,
    seconds,
    table,
    undrawn,
)
from lieapp.extension import outcome
from lieapp.results.base import Compared, Result
from lieapp.results.discovery import ClosedForm, Slot, Spectrum

FIGURE, TITLE = "spectrum", "Defect of every field, best first"

CONDITIONS = {"invariance": "V·∇f = 0", "equivariance": "∇f·V = A f"}

ETA = (
    "η is rms(V·∇f) / (rms ‖∇f‖ · rms ‖V‖), for equivariance without the part A f, on held-out points."
)


class FunctionResult(Result, tag_field="result", tag="functions", kw_only=True):
    """Polynomial fields that leave a map invariant or equivariant.

    Args:
        sought: `invariance` or `equivariance`; `degree`: of the fields; `dimension`: of all fields of that degree.
        count: how many are exact: proved where the map has formulas, else to round-off.
        generators: the exact fields and the next ones.
        module: fields of which all the others are multiples by functions, where they are fewer.
        has_formulas: whether the map has formulas, with which fields are proved.
    """

    method: str = "spectrum"
    sought: str = "invariance"
    degree: int = 1
    dimension: int = 0
    coordinates: list[str] = []
    seconds: dict[str, float] = {}
    count: int = 0
    more: bool = False
    generators: list[Slot] = []
    formulas: list[ClosedForm] = []
    spectrum: Spectrum = msgspec.field(default_factory=Spectrum)
    module: list[dict[str, str]] = []
    module_shown: list[Formula] = []
    has_formulas: bool = False

    @property
    def level(self) -> Literal["success", "info"]:
        """A success if a field is exact."""
        return "success" if self.count else "info"

    def compared(self) -> Compared:
        etas = [row.eta for row in self.generators]
        formulas = [form.shown for form in self.formulas if form.proved and form.shown]
        return Compared(
            method=self.method, count=self.count, etas=etas, formulas=formulas, seconds=self.seconds
        )


def sentence(result: FunctionResult) -> str:
    """The outcome."""
    kind = {0: "constant", 1: "affine"}.get(result.degree, f"polynomial (degree {result.degree})")
    fields = f"{result.count} {kind} field{'' if result.count == 1 else 's'}"
    said = f"{fields} with {CONDITIONS[result.sought]}"
    if result.count:
        said += ", proved" if result.has_formulas else ", exact to round-off; nothing is proved"
    return said


def document(result: FunctionResult, draw: Draw = undrawn) -> Document:
    """Fields, their proof, the module, and the spectrum."""
    blocks: list[Block] = [*outcome(result), Heading("Fields", "formulas", "proved")]
    if result.formulas:
        columns: list[Column | str] = ["field", Column("η", number=True), "exact condition"]
        said = {True: "proved", False: "undecided" if result.has_formulas else "the map has no formula"}
        rows = [[form.shown or "no formula fits", number(form.eta), said[form.proved]] for form in result.formulas]
        blocks.append(table(columns, rows))
    else:
        blocks.append(Text("No field of this degree is exact."))
    if result.module:
        told = (
            f"All {result.count} are combinations of these with functions as coefficients: with V, every g V is "
            "also a solution."
        )
        blocks += [Heading("Generators of the module", "module"), *result.module_shown, Text(told, small=True)]
    blocks += [
        Heading("Slots", "slots", "verdict"),
        table(
            [Column("slot", number=True), Column("η", number=True), "verdict"],
            [[str(row.slot), number(row.eta), row.verdict] for row in result.generators],
        ),
        Text(ETA, small=True),
    ]
    if (figure := draw(FIGURE)).drawing:
        blocks += [Heading("Spectrum", FIGURE), figure]
    return [*blocks, *seconds(result.seconds)]


def draw(result: FunctionResult, folder: Path) -> Draw:
    """The spectrum."""
    from lieapp.figures.charts import spectrum

    etas = [eta if eta is not None else float("nan") for eta in result.spectrum.eta]
    drawn = spectrum(etas, result.spectrum.gap_after, TITLE)
    figure = Figure(FIGURE, TITLE, "Each dot is a field of the class; exact ones lie below the gap.", drawn)
    return lambda key: figure if key == FIGURE else undrawn(key)
