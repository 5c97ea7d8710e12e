"""Whether a given field is a symmetry, classifications and conservation laws, as documents."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from msgspec import UNSET, UnsetType

from lieapp.document import (
    Block,
    Caption,
    Cell,
    Column,
    Draw,
    Figure,
    Formula,
    Heading,
    Text,
    Words,
    figures,
    joined,
    number,
    table,
    undrawn,
)
from lieapp.extension import outcome
from lieapp.results.classification import BranchResult, ClassifyResult
from lieapp.results.holding import HoldsResult
from lieapp.results.laws import ActionResult, LawResult, LawsResult
from lieapp.results.truth import zero

MOST = 30
"""Conditions that are listed."""


def holds_document(result: HoldsResult) -> list[Block]:
    """The field, its values and what is left."""
    blocks = [*outcome(result), Heading("Equation", "statement", "jets"), *result.equation_shown]
    blocks += [Heading("Field", "field", "generator"), result.field_shown]
    blocks += _values("Values", result.values_shown, result.conditions_shown)
    title = "For special parameters"
    blocks += _values(title, result.special_shown, result.special_conditions_shown)
    if result.leftover_shown:
        blocks.append(Heading("What the invariance condition leaves", "leftover"))
        blocks += [Text([zero(e)]) for e in result.leftover_shown]
    return [*blocks, *map(Text, _assumptions(result))]


def _values(
    title: str, values: Sequence[Sequence[Formula]], conditions: Sequence[Sequence[Formula]]
) -> list[Block]:
    """A row for each solution; nothing where there is nothing to tell of any."""
    if not any(map(any, (*values, *conditions))):
        return []
    pairs = zip(values, conditions, strict=True)
    rows: list[list[Cell]] = [[joined(row) or "any", joined(map(zero, given)) or None] for row, given in pairs]
    return [Heading(title, title.split()[-1].lower()), table(["values", "where"], rows)]


def _assumptions(result: HoldsResult) -> Iterator[Words]:
    if result.assumed_nonzero:
        yield ["assumed not to vanish: ", *joined(result.assumed_nonzero_shown)]
    for span in result.assumed_independent_shown:
        yield ["assumed linearly independent: ", *joined(span)]


def classify_document(result: ClassifyResult) -> list[Block]:
    """The equation, a row for each branch, what the more special ones add, and what is left."""
    blocks = [*outcome(result), Heading("Equation", "statement", "jets"), *result.equation_shown]
    rows = [_row(result.branches, branch) for branch in result.branches]
    blocks += [Heading("Special cases", "branches", "generator"), table(["where", "symmetries", "more", ""], rows)]
    for title, texts in (("Not solved", result.left), ("Left out", result.excluded)):
        if texts:
            more = [f"and {len(texts) - MOST} more, in the JSON"] if len(texts) > MOST else []
            blocks += [Heading(title, title.split()[-1]), *map(Text, [*texts[:MOST], *more])]
    if result.excluded:
        blocks.append(Text("There the equation is of lower order.", small=True))
    if result.pending and result.run:
        blocks.append(Text(f"lieapp classify --resume {result.run} goes on.", small=True))
    elif result.pending:
        blocks.append(Text("With --out DIR it is kept as a run that --resume goes on with.", small=True))
    return blocks


TOTALS = (
    Caption(
        "totals",
        "Totals along the first trajectory",
        "Relative to the integral of |T|: flat where the data keep a law.",
    ),
)


def laws_document(result: LawsResult, draw: Draw = undrawn) -> list[Block]:
    """The equation, each law with its multiplier, density and fluxes, families, and what is missing."""
    blocks = [*outcome(result), Heading("Equation", "statement", "jets"), *result.equation_shown]
    if result.laws:
        blocks.append(Heading("Conservation laws", "laws", "law"))
        for n, law in enumerate(result.laws, start=1):
            blocks += _law(f"{n}", law, result.variable)
    if result.families:
        blocks.append(Heading("Families of laws", "families", "families"))
        for law in result.families:
            blocks += _law("for every " + ", ".join(f.text for f in law.functions_shown), law, result.variable)
    if result.lagrangian_shown:
        blocks += [
            Heading("Lagrangian", "lagrangian"),
            result.lagrangian_shown,
            Text("Its symmetries are the multipliers as characteristics (Noether)."),
        ]
    if result.time:
        blocks += [*_totals(result), *figures(TOTALS, draw)]
    if result.actions is not UNSET:
        blocks += _actions(result.actions, result.generating or None)
    if result.left_out:
        blocks.append(Text(f"Left out: {result.left_out}."))
    if result.unsolved or not result.certified:
        reason = result.certificate.reason
        texts = [*result.unsolved, *([reason] if reason and not result.unsolved else [])]
        blocks += [Heading("Not certified", "unsolved"), *map(Text, texts)]
    if result.assumed_nonzero_shown:
        blocks.append(Text(["assumed not to vanish: ", *joined(result.assumed_nonzero_shown)]))
    return [*blocks, Text(f"Sought: {result.sought}.", small=True)]


def _totals(result: LawsResult) -> Iterator[Block]:
    """The drift of each total along the user's own trajectories."""
    yield Heading("Along the data", "totals")
    rows: list[list[Cell]] = [
        [law.density_shown, number(law.drift)] for law in result.laws if law.density_shown is not None
    ]
    yield table(["density", Column("drift", True)], rows)
    several = "trajectories" if result.trajectories > 1 else "trajectory"
    yield Text(
        f"Drift is the largest change of the total ∫ T dx along {result.trajectories} {several}, relative to "
        "∫ |T| dx; on an open axis, with what flows out of windows. There is none for a density "
        "that depends on the place on a periodic box, where its total changes.",
        small=True,
    )


def totals_drawn(result: LawsResult) -> Draw:
    """The totals along the first trajectory."""
    from lieapp.drawing import Curve

    lines = [
        Curve(law.density, result.time, [math.nan if v is None else v for v in law.values])
        for law in result.laws
        if law.density is not None and law.values
    ]

    def draw(key: str) -> Figure:
        if key != "totals" or not lines:
            return undrawn(key)
        from lieapp.figures.charts import curves

        (caption,) = TOTALS
        # round-off of a constant total isn't magnified
        chart = curves(lines, result.variable, "total, relative", caption.title, whole=False, shown=(-1.0, 1.0))
        return Figure(key, caption.title, caption.caption, chart)

    return draw


def _actions(actions: Sequence[ActionResult], generating: Sequence[int] | UnsetType | None) -> Iterator[Block]:
    """A row for each symmetry, with what it makes of each law."""
    yield Heading("What symmetries make of the laws", "actions")
    rows: list[list[Cell]] = []
    for action in actions:
        images = [f"{k} -> {_combination(image)}" for k, image in enumerate(action.images, start=1)]
        rows.append([joined(action.characteristic_shown), "; ".join(i for i in images if not i.endswith("-> 0"))])
    yield table(["characteristic", "laws"], rows)
    if generating:
        yield Text(f"Symmetries make all laws from {', '.join(str(k + 1) for k in generating)}.")


def _combination(image: Sequence[str] | None) -> str:
    """ "2 L1 + L3" """
    if image is None:
        return "another law"
    terms = [f"{'' if c == '1' else f'{c} '}L{k}" for k, c in enumerate(image, start=1) if c != "0"]
    return " + ".join(terms) or "0"


def _law(title: str, law: LawResult, variable: str) -> Iterator[Block]:
    """The multiplier, and T and X with D_t T + Σ Dᵢ Xⁱ = 0."""
    proved = "proved" if law.proved else "not proved"
    yield Text([f"{title}: multiplier ", *joined(law.multiplier_shown), f" of order {law.order}, {proved}"])
    if law.symmetry_shown is not None:
        yield Text(["by Noether's theorem of the symmetry ", law.symmetry_shown], small=True)
    if law.conditions_shown:
        yield Text(["where ", *joined(law.conditions_shown)])
    if law.density_shown is None:
        yield Text("No closed form of density and fluxes was found.", small=True)
    else:
        yield law.density_shown
        yield from law.flux_shown


def _row(branches: Sequence[BranchResult], branch: BranchResult) -> list[Cell]:
    depth, parent = 0, branch.parent
    while parent:
        depth, parent = depth + 1, branches[parent].parent
    where: Words = ["· " * depth, *joined(branch.conditions_shown)] if branch.parent is not None else "any"
    count = f"{branch.dimension}{' + families' if branch.infinite else ''}"
    fields = branch.generators_shown if branch.parent is None else branch.more_shown
    more = joined([*fields, *(f.shown for f in branch.families)])
    return [where, count, more, "certified" if branch.certified else "not certified"]
