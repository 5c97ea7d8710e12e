"""What is said of the fields of an equation that was learned from data: a spectrum with a gap, and no proof."""

from __future__ import annotations

from lieapp.document import Block, Column, Heading, Notice, Text, number, percent, table
from lieapp.results.discovery import EquationResult, Slot
from lieapp.results.identification import Learned

EXPLAINS = 0.5
"""Share of what is left on held-out trajectories that t and x must explain to count."""

LEFT_OUT = ("derived-table", "brackets", "check", "inner", "derived", "generators")
"""Sections that hold learned fields against derived ones."""


def fitted_sentence(result: EquationResult) -> str:
    """The outcome in one sentence: "3 fields stand apart in the spectrum of an equation learned …"."""
    fields, left = result.apart, f"its right side leaves {percent(result.fitted or 0.0)} of the change in time"
    if not fields:
        return f"No field stands apart in the spectrum of an equation learned from these data ({left})"
    etas, above = [row.eta for row in fields if row.eta is not None], result.spectrum.eta[len(fields) :]
    next_one = f", next {number(above[0])}" if above else ""
    count = "1 field stands" if len(fields) == 1 else f"{len(fields)} fields stand"
    listed = ", ".join(form.shown.text for form in result.formulas if form.shown is not None)
    more = "; more may: take more slots" if len(fields) == len(result.generators) else ""
    return (
        f"{count} apart in the spectrum of an equation learned from these data "
        f"(η up to {number(max(etas))}{next_one}; {left}){': ' if listed else ''}{listed}; nothing is proved{more}"
    )


def fitted_notices(result: EquationResult) -> list[Block]:
    """What the equation is, and what can't be said of its fields."""
    known = result.identified.learned if result.identified is not None else None
    if known is None:
        return [Notice("The equation was learned from data: nothing is derived from it or proved.", "warning")]
    variables = " and ".join(f"∂{x}" for x in result.coordinates[: -len(known.sides)])
    sides = "; ".join(
        f"{side.form} for {side.left}, which leaves {percent(side.error)} of it on {known.held_out} others"
        for side in known.sides
    )
    told = f"Learned from {known.trajectories} trajectories: {sides}. Nothing is derived from it or proved."
    against = known.explained >= EXPLAINS
    free = (
        f"A right side is learned without variables, so {variables} are assumed, not found. The data "
        f"{'speak against it' if against else 'agree'}: of what is left on other trajectories, the variables "
        f"explain {percent(known.explained)}."
    )
    return [Notice(told, "warning"), Notice(free, "warning" if against else "info")]


def fitted_slots(result: EquationResult) -> list[Block]:
    """The learned fields with both defects."""
    columns: list[Column | str] = [
        Column("slot", number=True), Column("η", number=True), Column("η, halves", number=True), "verdict",
    ]  # fmt: skip
    rows = [
        [str(row.slot), number(row.eta), number(row.eta_halves), fitted_verdict(row)] for row in result.generators
    ]
    about = (
        "η is the relative error that a moved solution accumulates over the time window, on held-out data, by the "
        "learned equation; halves: the larger η by the equations learned from halves of the trajectories, which "
        "tells how far the data determine it. No η tells an exact symmetry from one that holds nearly."
    )
    return [Heading("Learned slots", "slots", "verdict"), table(columns, rows), Text(about, small=True)]


def fitted_forms(result: EquationResult) -> list[Block]:
    """What the fields that stand apart look like."""
    head = Heading("Formulas, not proved", "formulas", "proved")
    if not result.formulas:
        return [head, Text("There are no formulas.", small=True)]
    rows = [[form.shown, number(form.eta), _whose(form.slot)] for form in result.formulas]
    about = (
        "Simple fields that span those set apart, with rounded coefficients. η of the formula is measured on "
        "held-out data."
    )
    return [head, table(["field", Column("η", number=True), "of"], rows), Text(about, small=True)]


def learned_sides(learned: Learned) -> list[Block]:
    """The right sides, for the section on the equation."""
    columns: list[Column | str] = ["right side", "made of", Column("left of others", number=True)]
    return [table(columns, [[side.shown, side.form, number(side.error)] for side in learned.sides])]


def _whose(slot: int | None) -> str:
    return "the span" if slot is None else f"slot {slot}"


def fitted_verdict(row: Slot) -> str:
    """A verdict in words: nothing is called exact."""
    if row.undecided:
        return "undecided: halves of the trajectories disagree"
    return "none: not set apart" if row.verdict == "none" else "set apart by a gap"
