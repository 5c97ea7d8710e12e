"""What several pages draw: tables with formulas, the report's figures, a run's state."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import streamlit as st

from lieapp.report import wording
from lieapp.report.at_size import NOTE, at_size, folds, size_table
from lieapp.report.figures import Figure, figure, words_of
from lieapp.report.formula import expression_latex, field_latex
from lieapp.report.material import Material
from lieapp.report.wording import Summary
from lieapp.runs.directory import RunDirectory
from lieapp.ui.places import file_of
from lieapp.ui.words import enclosed, plain, sign, unbroken


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """A table of Markdown cells; text from files has to be `plain` already."""
    lines = [" | ".join(head), " | ".join("---" for _ in head), *(" | ".join(row) for row in rows)]
    st.markdown("\n".join(f"| {line} |" for line in lines))


def facts_block(facts: Sequence[tuple[str, str]]) -> None:
    """Names and values, to copy; long ones such as a sha256 wrap where a table would be cut off."""
    width = max((len(name) for name, _ in facts), default=0)
    text = "\n".join(f"{name:{width}}  {value}" for name, value in facts)
    st.code(text or "nothing was recorded", language="text", wrap_lines=True)


def formula(latex: str) -> str:
    """A formula inside a line or a table's cell."""
    return f"${enclosed(latex)}$"


def state_badge(state: str) -> None:
    """The state as a word with an icon; its meaning under the pointer."""
    shown = sign(state)
    st.badge(shown.word, icon=shown.icon, color=shown.colour, help=shown.meaning or None)


def picture(shown: Figure, *, caption: bool = True) -> None:
    """A figure of the report, or the sentence in its place.

    As an image, not as part of the page: nothing in an SVG file of a run folder can then act.
    """
    if shown.svg:
        st.image(shown.svg, alt=shown.title)
        if caption:
            st.caption(shown.caption)
    else:
        st.caption(plain(shown.note))


def run_figure(material: Material, key: str) -> Figure:
    """A figure as the run left it in figures/, drawn anew where the file is missing."""
    stored = stored_figure(material.folder, key)
    if not stored:
        return figure(key, material)
    title, caption = words_of(key)
    return Figure(key, title, caption, svg=stored)


def truth_table(summary: Summary) -> None:
    """Derived generators with the cosine of each."""
    rows = [
        (plain(row.name), formula(field_latex(row.field)), wording.cosine(row.cosine))
        for row in wording.derived(summary)
    ]
    if rows:
        table(("generator", "field", "cosine"), rows)
        st.caption(
            "Cosine: length of the projection of the normalised derived field on the span of the exact slots."
        )
    else:
        st.caption("No generators were derived for this run.")


def slot_table(summary: Summary) -> None:
    """Learned slots with defect and verdict."""
    rows = [
        (str(row.number), unbroken(wording.number(row.eta)), unbroken(row.interval or "–"), plain(row.words))
        for row in wording.slots(summary)
    ]
    if rows:
        table(("slot", "η", wording.INTERVAL, "verdict"), rows)
    else:
        st.caption("No learned fields were written.")


def formula_table(summary: Summary) -> None:
    """Closed forms, what the exact invariance condition says of them, and what they leave there."""
    written = wording.written(summary)
    # an empty column would push the others off a narrow screen
    leaves = any(row.leftover for row in written)
    rows = []
    for row in written:
        rest = ", ".join(formula(expression_latex(part)) for part in row.leftover.split("; ") if part)
        field = formula(field_latex(row.field)) if row.field else "–"
        cells = [field, unbroken(wording.number(row.eta)), plain(row.words)]
        rows.append([*cells, rest or "–"] if leaves else cells)
    if rows:
        head = ["field", "η", "exact invariance condition"]
        table([*head, "leftover"] if leaves else head, rows)
        st.caption(plain(wording.proof(summary)))
    else:
        st.caption("No closed forms were written down.")


def at_size_table(summary: Summary) -> None:
    """Defects of moved solutions, slot by slot and s by s."""
    rows = at_size(summary)
    head, cells = size_table(rows)
    table(head, [tuple(map(plain, row)) for row in cells])
    for words in filter(None, (NOTE, folds(rows))):
        st.caption(plain(words))


def stored_figure(folder: Path, key: str) -> str:
    """A figure as the run left it in figures/; empty where there is none."""
    try:
        text = (folder / "figures" / f"{key}.svg").read_text(encoding="utf-8")
    except (OSError, ValueError):
        return ""
    # with the blank: Streamlit takes anything else for the name of a file
    return text if text.startswith("<svg ") else ""


LAST_BYTES = 6000
"""How much of the end of a log is shown."""


def log_tail(run: RunDirectory) -> None:
    """The last lines of log.txt."""
    file = file_of(run, "log.txt")
    text = "" if file is None else _end_of(file)
    if text.strip():
        st.code(text, language="text", wrap_lines=True, height=260 if text.count("\n") > 9 else "content")
    else:
        st.caption("Nothing was logged yet.")


def _end_of(file: Path) -> str:
    try:
        with file.open("rb") as stream:
            stream.seek(0, 2)
            stream.seek(max(stream.tell() - LAST_BYTES, 0))
            return stream.read().decode("utf-8", errors="replace")
    except OSError:
        return ""
