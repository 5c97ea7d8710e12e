"""What moves parameters, the dimensionless groups, and what outputs determine, as a part of a document."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import UNSET

from lieapp.document import Block, Cell, Column, Formula, Heading, Table, Text, joined, table
from lieapp.results.truth import MovingResult, OutputsResult

SOUGHT = {
    "": "The time sufficed for no class of fields.",
    "scalings": "Scalings were sought.",
    "affine": "Fields of degree 1 in the coordinates were sought, with any functions of the parameters.",
    "quadratic": "Fields of degree 2 in the coordinates were sought, with any functions of the parameters.",
}
"""What was looked for, in words."""

VERDICTS = {True: "yes", False: "no", None: "undecided"}


def moving_blocks(result: MovingResult) -> Iterator[Block]:
    """The fields, what they are counted modulo, the groups, and what the outputs determine."""
    if result.parameters:
        yield from _moved(result)
    if result.identification is not UNSET:
        yield from _outputs(result.identification)


def _moved(result: MovingResult) -> Iterator[Block]:
    names = joined(result.parameters_shown)
    yield Heading("Symmetries that move parameters", "moving", "moving")
    yield _fields("E", result.generators_shown, f"None that moves {', '.join(result.parameters)} was found.")
    yield Text(["counted modulo those above, with functions of ", *names, " as coefficients"], small=True)
    yield Text([SOUGHT[result.sought], " ", *_completeness(result)])
    if result.groups_shown:
        yield Text(["Dimensionless groups, which no scaling changes: ", *joined(result.groups_shown)])


def _completeness(result: MovingResult) -> list[str | Formula]:
    names, many = joined(result.parameters_shown), len(result.parameters) > 1
    if not result.complete:
        why = f" ({result.reason})" if result.reason else ""
        return [f"That there are no others isn't proved{why}."]
    if len(result.generators) == len(result.parameters):
        every = "all of " if many else ""
        return [f"There are no others: they move {every}", *names, " freely."]
    return ["A count modulo primes shows that no other symmetry moves ", *names, "."]


def _outputs(found: OutputsResult) -> Iterator[Block]:
    yield Heading("What the outputs determine", "outputs", "identifiable")
    yield Text(["measured: ", *joined(found.outputs_shown)])
    rows: list[list[Cell]] = [
        [name, what, VERDICTS[verdict]]
        for what, names, verdicts in (
            ("parameter", found.parameters_shown, found.parameters),
            ("initial value", found.states_shown, found.states),
        )
        for name, verdict in zip(names, verdicts.values(), strict=True)
    ]
    yield table(["", "", "determined"], rows)
    yield Text("locally, for generic values; a rank test modulo primes shows each yes", small=True)
    if found.generators_shown:
        yield _fields("H", found.generators_shown, "")
        yield Text("These keep the time and the outputs: what they move is not determined.")
    if found.combinations_shown:
        yield Text(["Determined all the same: ", *joined(found.combinations_shown)])
    yield from map(Text, _left(found))


def _left(found: OutputsResult) -> Iterator[str]:
    """What isn't known."""
    count = len(found.generators)
    if found.unseen:
        yield f"no output depends on {', '.join(found.unseen)}"
    if found.directions is None:
        yield "The rank test gave no answer: what no field moves is undecided."
    elif found.directions > count:
        of = f"{found.directions} independent directions in which the outputs stay the same"
        yield f"There are {of}; fields are found for {count}. {SOUGHT[found.sought]}"
    if found.missing:
        yield f"{found.missing} more are determined, but no form of them was found."
    if found.reason:
        yield found.reason


def _fields(letter: str, fields: Sequence[Formula], none: str) -> Block:
    names = [Formula(f"{letter}{k}", f"{letter}_{{{k}}}") for k in range(1, len(fields) + 1)]
    return Table([Column(""), Column("generator")], list(zip(names, fields, strict=True))) if fields else Text(none)
