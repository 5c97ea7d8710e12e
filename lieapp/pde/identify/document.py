"""An identification for readers: the equation, how well its numbers are known, the path of sets with a figure."""

from __future__ import annotations

from collections.abc import Sequence

from lieapp.document import Block, Column, Document, Figure, Heading, Notice, Table, Text, number, table
from lieapp.drawing import Curve, Drawing
from lieapp.figures.charts import curves
from lieapp.results.identification import Identification, Identified, PathStep

PATH = "path"
"""Key of the figure."""


def identification_document(found: Identification) -> Document:
    """The presentation on terminals and pages; the last line is the command that goes on."""
    return [*equation(found), *path(found), Heading("Next", "next"), Text(found.command)]


def equation(found: Identification) -> list[Block]:
    """The equation, or why there is none, and its coefficients."""
    blocks: list[Block] = [Notice(found.sentence, "success" if found.equations else "warning")]
    blocks += [Notice(f"{_capital(text)}.", "warning") for text in found.undecided[1:]]
    blocks += [Notice(f"{_capital(text)}.") for text in found.notes]
    if found.file:
        blocks.append(Notice(f"Written as the plugin {found.file}.", "success"))
    for told in found.equations:
        blocks += [Heading(f"Terms of {told.left}", f"terms-{told.unknown}"), _terms(told)]
    if found.equations:
        blocks.append(Text(
            "The spread is the standard deviation over resampled windows; exact is the number that is meant, if a "
            f"short one lies within it; the share is the size of the term over that of {found.equations[0].left}.",
            small=True,
        ))  # fmt: skip
    return blocks


def _terms(told: Identified) -> Table:
    columns = [Column("term"), Column("coefficient", True), Column("spread", True), Column("exact", True),
               Column("share", True)]  # fmt: skip
    return Table(columns, [
        [t.term, f"{t.coefficient:.8g}", number(t.spread), t.exact, number(t.share)] for t in told.terms
    ])  # fmt: skip


def path(found: Identification) -> list[Block]:
    """The error against the number of terms, as figure and table."""
    blocks: list[Block] = [
        Heading("Error against number of terms", PATH),
        Figure(PATH, "Error against number of terms", CAPTION, drawing(found.path)),
    ]
    for unknown in dict.fromkeys(step.unknown for step in found.path):
        steps = [step for step in found.path if step.unknown == unknown]
        blocks.append(table(
            ["left side", Column("terms", True), Column("error", True), "then dropped", "taken", "set"],
            [[s.left, str(s.terms), number(s.error), s.dropped, "yes" if s.chosen else "", ", ".join(s.kept)]
             for s in steps],
        ))  # fmt: skip
    tried = f"{found.windows} windows; {len(found.candidates)} candidates: {', '.join(found.candidates)}."
    blocks.append(Text(tried, small=True))
    return blocks


CAPTION = (
    "Relative error on held-out windows of the best set that backward elimination meets; the marked set is the "
    "smallest that is as good as the best."
)


def drawing(steps: Sequence[PathStep]) -> Drawing:
    """A curve for each unknown; the chosen set is hollow."""
    lines = []
    for unknown in dict.fromkeys(step.unknown for step in steps):
        own = [step for step in steps if step.unknown == unknown]
        chosen = [k for k, step in enumerate(own) if step.chosen]
        lines.append(Curve(own[0].left, [s.terms for s in own], [s.error for s in own], hollow=chosen))
    return curves(lines, "number of terms", "error on held-out windows", "Error against number of terms", log=True)


def _capital(text: str) -> str:
    """With a capital, unless it begins with a formula."""
    word = text.split(" ", 1)[0]
    return text if "_" in word else text[:1].upper() + text[1:]
