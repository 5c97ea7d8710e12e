"""What is said of the algebra as a whole: families beside the generators, brackets of the learned span."""

from __future__ import annotations

from lieapp.document import Block, Column, Heading, Text, number, table
from lieapp.results.discovery import Bracket, EquationResult, Superposition

MEMBERS = (
    "Learned fields can also be members of a family, which aren't compared. Each takes a slot, so the generators' "
    "cosines can be lower; more slots leave room for both."
)
"""What to know about learned fields where there are families."""

ENDLESS = (
    "The equation has infinitely many symmetries, with arbitrary functions. All that were derived are among these, "
    "so none stands alone to be compared with learned fields. Equations of first order are of this kind: their "
    "solutions are carried along characteristics, and may be moved along them and from one to another in any way."
)
"""What to know where all symmetries are members of families."""

SEEN = 1e-3
"""Learned structure constants below this aren't written where the derived one is 0; the difference tells them."""


def families(result: EquationResult) -> list[Block]:
    """The derived families, and what they mean for learned fields."""
    blocks: list[Block] = [family.line() for family in result.families]
    if result.superposition is not None:
        return [*blocks, Text(_superposed(result.superposition), small=True)]
    if not result.families:
        return blocks
    return [*blocks, Text(MEMBERS if result.truth else ENDLESS, small=True)]


def _superposed(found: Superposition) -> str:
    """What is said of the family of solutions that can be added."""
    told = "The equation is linear: solutions can be added. Fields are counted modulo the family of its solutions."
    if not found.count:
        return f"{told} The basis holds none of its members."
    written = ", ".join(member.text for member in found.members)
    members = f"{found.count} member{'' if found.count == 1 else 's'}"
    known = f"proved: {written}" if written else "none written down"
    return f"{told} Found in these data: {members}, {known}."


def brackets(result: EquationResult) -> list[Block]:
    """The structure constants of the learned span beside the derived ones; nothing where they aren't known."""
    found = result.structure
    if found is None or not found.brackets:
        return []
    columns: list[Column | str] = ["bracket", "derived", "learned", Column("difference", number=True)]
    said = [row for row in found.brackets if row.shown is not None or row.difference > SEEN]
    rest = [row.difference for row in found.brackets if row not in said]
    rows = [
        (f"[V{row.first}, V{row.second}]", row.shown or "0", _constants(row), number(row.difference))
        for row in said
    ]
    told = (
        "V1, V2, …: the derived generators in their order. Learned: brackets of the learned fields, expressed in "
        f"these generators; a share of {number(found.left)} lies outside their span."
    )
    if rest:
        others = "The other bracket vanishes" if len(rest) == 1 else f"The other {len(rest)} brackets vanish"
        told += f" {others}; learned constants there are {number(max(rest))} at most."
    shown = [table(columns, rows)] if rows else []
    return [Heading("Brackets", "brackets", "bracket"), *shown, Text(told, small=True)]


def _constants(row: Bracket) -> str:
    """Learned constants as a sum, without those that are 0."""
    parts = [
        f"{value:.6g} V{k}"
        for k, (value, exact) in enumerate(zip(row.learned, row.derived, strict=True), 1)
        if exact or abs(value) > SEEN
    ]
    return " + ".join(parts).replace("+ -", "- ") or "0"
