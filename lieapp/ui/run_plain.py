"""A finished run that has no formulas: a training, or a discovery on pictures."""

from __future__ import annotations

from typing import Any

import streamlit as st

from lieapp.report.picture_tables import figures_of, tables
from lieapp.report.picture_words import WORDS
from lieapp.runs.directory import RunDirectory
from lieapp.ui.drawing import facts_block, log_tail, table
from lieapp.ui.words import plain

# keys of a training's summary that are shown; no docstring, the app would print it
SHOWN = ("network", "accuracy", "loss", "learned_from", "judged_on", "parameters", "file", "cached")


def is_plain(run: RunDirectory, summary: dict[str, Any]) -> bool:
    """Whether a run is one of these."""
    return summary.get("domain") in WORDS or run.config().get("kind") == "train"


def show_plain(run: RunDirectory, summary: dict[str, Any]) -> None:
    """The sentence, the tables, the log."""
    st.success(plain(summary.get("sentence", "Done.")), icon=":material/verified:")
    for words in summary.get("warnings") or []:
        st.warning(plain(words), icon=":material/warning:")
    if summary.get("domain") in WORDS:
        for title, (heads, rows) in tables(summary):
            st.subheader(title)
            table([plain(head) for head in heads], [[plain(cell) for cell in row] for row in rows])
        _pictures(run, summary)
    else:
        facts_block([(key.replace("_", " "), str(summary[key])) for key in SHOWN if key in summary])
    with st.expander("Log"):
        log_tail(run)


def _pictures(run: RunDirectory, summary: dict[str, Any]) -> None:
    """The figures that the run left, as images: nothing in a file of a run folder can then act."""
    for figure in figures_of(summary):
        try:
            svg = (run.path / "figures" / f"{figure.key}.svg").read_text(encoding="utf-8")
        except OSError:
            continue
        st.subheader(figure.title)
        st.image(svg, alt=figure.title, caption=plain(figure.note) or None)
