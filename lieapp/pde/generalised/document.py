"""What is said of generalised symmetries found in data, on the terminal, in the report and in the app."""

from __future__ import annotations

from pathlib import Path

from lieapp.document import (
    Block,
    Caption,
    Cell,
    Column,
    Document,
    Draw,
    Heading,
    Text,
    joined,
    number,
    table,
    undrawn,
)
from lieapp.drawing import Curve
from lieapp.pde.beyond.document import derived, drawn, framed, spectrum_drawing
from lieapp.results.characteristics import CharacteristicFound, GeneralisedFromData

WORDS = {"proved": "proved", "approximate": "no: the residual is only small", "undecided": "undecided"}

SHOWN = (
    Caption("spectrum", "Defect of every characteristic", "Each dot is a combination of the terms, or of a "
            "network's features: the residual of the linearised equation relative to it. Symmetries lie below the "
            "gap."),
    Caption("moved", "A held-out solution moved", "u + s Q at the first time, for symmetries beyond point ones: "
            "the start of u_s = Q. s moves it by a tenth of its range."),
)  # fmt: skip


def sentence(result: GeneralisedFromData) -> str:
    """The outcome in one sentence."""
    proved = [row for row in result.generalised if row.proved]
    points = sum(row.kind == "point" for row in proved)
    if not proved:
        parts = [f"Found no symmetry with a characteristic up to order {result.order}"]
    else:
        beyond = [_text(row) for row in proved if row.kind != "point"]
        symmetries = "symmetry" if len(proved) == 1 else "symmetries"
        told = f"{points} of them point symmetries" if beyond else "all of them point symmetries"
        parts = [f"Found {len(proved)} {symmetries} up to order {result.order}, each proved, {told}"]
        parts += [f"beyond these: {', '.join(beyond)}"] if beyond else []
    undecided = sum(row.verdict == "undecided" for row in result.generalised)
    if undecided:
        parts.append(f"{undecided} more undecided: the residual is small, and nothing is proved")
    return "; ".join(parts)


def _text(row: CharacteristicFound) -> str:
    parts = [shown.text for shown in row.characteristic_shown]
    return parts[0] if len(parts) == 1 else f"({', '.join(parts)})"


def document(result: GeneralisedFromData, draw: Draw = undrawn) -> Document:
    """Equation, outcome, characteristics, the class, the spectrum."""
    return framed(result, [*_symmetries(result), *_class(result)], SHOWN, draw)


def _symmetries(result: GeneralisedFromData) -> list[Block]:
    blocks: list[Block] = [Heading("Characteristics", "characteristics", "proved")]
    if not result.generalised:
        return [*blocks, Text("No combination of these terms is a symmetry.")]
    rows: list[list[Cell]] = [
        [joined(row.characteristic_shown), row.kind, str(row.order), WORDS[row.verdict], number(row.eta)]
        for row in result.generalised
    ]
    heads: list[Column | str] = ["Q", "kind", Column("order", True), "exact condition", Column("η", True)]
    told = (
        "A symmetry with characteristic Q sends a solution u to u + ε Q + …; of several unknowns Q has a component "
        "for each. It is that of a point symmetry if it is φ - ξ u_x - τ u_t for some φ, ξ, τ of the variables and "
        "unknowns, u_t replaced by the right side. η is the residual of the linearised equation over the time "
        "window, relative to Q, on held-out data."
    )
    return [*blocks, table(heads, rows), Text(told, small=True)]


def _class(result: GeneralisedFromData) -> list[Block]:
    """What was tried, and how it compares with what is derived."""
    powers = f", each times t^k, k up to {result.powers}" if result.powers else ""
    limit = f"weight up to {result.weight}, where a derivative weighs 1 and a factor {result.unknown_weight}"
    if result.learned is not None:
        limit = f"degree up to {result.degree}"
    told = (
        f"{len(result.candidates)} monomials in every component{powers}: derivatives up to order {result.order}, "
        f"{limit}."
    )
    if modes := [str(k) for k in result.kept if k >= 0]:
        told += f" Fourier modes up to {', '.join(modes)} are kept: an exact symmetry holds on any smooth function."
    blocks: list[Block] = [Heading("What was tried", "class"), Text(told)]
    if result.learned is not None:
        directions = "direction" if result.learned == 1 else "directions"
        told = (
            "Characteristics were sought in features of the derivatives that a network learned. A gap sets "
            f"{result.learned} {directions} apart; {result.count} are written in these monomials and proved."
        )
        blocks.append(Text(told))
    return [*blocks, *derived(result, "symmetry", "symmetries")]


def draw(result: GeneralisedFromData, folder: Path) -> Draw:
    """The spectrum, and a solution moved along symmetries beyond point ones."""
    from lieapp.figures.charts import curves

    told, along = SHOWN
    made = {told.key: spectrum_drawing(result, told.title, "characteristic", "defect η")}
    moved = [row for row in result.generalised if row.moved]
    if moved:
        unknown = next(iter(moved[0].characteristic))
        lines = [Curve(unknown, result.place, result.solution)]
        lines += [Curve(f"order {row.order}, s = {row.s:.2g}", result.place, row.moved) for row in moved]
        made[along.key] = curves(lines, result.axis, unknown, along.title, whole=False)
    return drawn(made, SHOWN)
