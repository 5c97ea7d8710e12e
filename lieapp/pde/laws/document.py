"""What is said of conservation laws found in trajectories, on the terminal, in the report and in the app."""

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
    number,
    table,
    undrawn,
)
from lieapp.drawing import Curve
from lieapp.pde.beyond.document import derived, drawn, framed, or_nan, spectrum_drawing
from lieapp.results.conserved import LawsFromData

WORDS = {"proved": "proved", "approximate": "no: it is only nearly conserved", "undecided": "undecided"}

DRIFT = (
    "Drift is the largest change of the total along {}, relative to the sizes of its terms. η² is the variance of "
    "the total in time over its variance over all training data."
)
FLOWN = (
    "Drift is the largest change along {} of what a window of the axis holds and what has flown out of it, "
    "relative to the sizes of its terms. η is the share of the change of the density on the training data that no "
    "flux explains."
)

SHOWN = (
    Caption(
        "along",
        "Totals along a held-out trajectory",
        "Relative to the sizes of their terms: flat where a law holds. The last isn't conserved, for comparison. "
        "On an open axis what has flown out of its windows is added.",
    ),
    Caption(
        "spectrum",
        "How much each combination changes",
        "Each dot is a combination of densities: the deviation of its total in time over that over all data; on an "
        "open axis, the share of its change that no flux explains. Conserved ones lie below the gap.",
    ),
)


def sentence(result: LawsFromData) -> str:
    """The outcome in one sentence."""
    proved = [law.shown.text for law in result.laws if law.proved]
    parts = []
    if proved:
        laws = "conservation law" if len(proved) == 1 else "conservation laws"
        parts.append(f"Found {len(proved)} {laws}, {'each ' if len(proved) > 1 else ''}proved: {', '.join(proved)}")
    else:
        parts.append("Found no conservation law")
    undecided = sum(law.verdict == "undecided" for law in result.laws)
    if undecided:
        why = "totals hardly change" if result.flux_terms is None else "fluxes explain nearly all of the change"
        parts.append(f"{undecided} more undecided: the {why}, and nothing is proved")
    if result.same:
        named, one = ", ".join(row.shown.text for row in result.same), len(result.same) == 1
        verb = "is the same" if one else "are the same"
        if result.flux_terms is not None:
            verb = "never changes" if one else "never change"
        parts.append(f"{named} {verb} on all data and can't be judged")
    return "; ".join(parts)


def document(result: LawsFromData, draw: Draw = undrawn) -> Document:
    """Equation, outcome, laws, what can't be judged, figures."""
    return framed(result, [*_laws(result), *_same(result), *_class(result)], SHOWN, draw)


def _laws(result: LawsFromData) -> list[Block]:
    blocks: list[Block] = [Heading("Conservation laws", "laws", "proved")]
    if not result.laws:
        held = "a total that stays constant" if result.flux_terms is None else "a change that fluxes explain"
        return [*blocks, Text(f"No combination of these densities has {held}.")]
    rows: list[list[Cell]] = [
        [law.shown, WORDS[law.verdict], number(law.drift), number(law.eta), str(law.order)] for law in result.laws
    ]
    numbers = [Column(name, True) for name in ("drift", "η", "order")]
    blocks.append(table(["density", "exact condition", *numbers], rows))
    where = "a held-out trajectory" if result.held_out else "a trajectory"
    blocks.append(Text(f"{(DRIFT if result.flux_terms is None else FLOWN).format(where)}", small=True))
    for law in result.laws:
        if law.flux_shown:
            blocks += [Text(["Flux of ", law.shown, ":"], small=True), *law.flux_shown]
    return blocks


def _same(result: LawsFromData) -> list[Block]:
    if not result.same_directions:
        return []
    blocks: list[Block] = [Heading("The same on all data", "same")]
    said = {True: "conserved by the equation, proved", False: "not conserved by the equation", None: "unknown"}
    if result.same:
        rows: list[list[Cell]] = [[row.shown, number(row.value), said[row.proved]] for row in result.same]
        blocks.append(table(["density", Column("total", True), "exact condition"], rows))
    more = result.same_directions - len(result.same)
    if more > 0:
        blocks.append(Text(f"So are {more} more combinations of the densities.", small=True))
    why = "their totals never differ" if result.flux_terms is None else "they never change in time"
    blocks.append(Text(f"The data can't show whether these are conserved: {why}.", small=True))
    return blocks


def _class(result: LawsFromData) -> list[Block]:
    """What was tried, and how it compares with what is derived."""
    told = (
        f"{len(result.candidates)} densities, one of each class modulo total divergences: weight up to "
        f"{result.weight}, where a derivative weighs 1 and a factor {result.unknown_weight}; derivatives up to "
        f"order {result.order}; no dependence on variables but for factors that undo damping. "
    )
    if result.flux_terms is not None:
        told += f"What they put into fluxes are {result.flux_terms} terms. "
    told += f"{result.trajectories} trajector{'y' if result.trajectories == 1 else 'ies'}"
    told += f" and {result.held_out} held-out ones." if result.held_out else "."
    included = ", those that are the same on all data included"
    return [Heading("What was tried", "class"), Text(told), *derived(result, "law", "laws", included)]


def draw(result: LawsFromData, folder: Path) -> Draw:
    """Totals along a trajectory, and the quotients of all combinations."""
    from lieapp.figures.charts import curves

    lines = [Curve(law.shown.text, result.time, or_nan(law.values)) for law in result.laws if law.proved]
    if (other := result.unconserved) is not None:
        lines.append(Curve(f"{other.shown.text}, not conserved", result.time, or_nan(other.values)))
    made = {}
    along, spectrum = SHOWN
    if lines:
        made[along.key] = curves(lines, "time", "total, relative", along.title, whole=False)
    if result.spectrum.eta:
        made[spectrum.key] = spectrum_drawing(result, spectrum.title, "combination", "η")
    return drawn(made, SHOWN)
