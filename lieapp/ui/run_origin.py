"""Where a run came from, how long its stages took, its curves and its log: the same for every kind."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from lieapp.document import seconds
from lieapp.figures.material import Json, read_lines
from lieapp.figures.training import MissingError, defect_chart, loss_chart
from lieapp.report.documents import provenance_rows
from lieapp.runs.overview import compared
from lieapp.runs.store.directory import RunDirectory
from lieapp.ui.drawing import facts_block, log_tail
from lieapp.ui.rendering import show
from lieapp.ui.run_files import show_link
from lieapp.ui.run_head import config_of


def show_origin(run: RunDirectory) -> None:
    """Seconds, provenance and log."""
    show(seconds(compared(run).seconds))
    st.subheader("Provenance")
    facts_block(provenance_rows(run.provenance(), config_of(run)))
    st.subheader("Log")
    log_tail(run)
    show_link()


def show_training(run: RunDirectory) -> None:
    """Curves of defect and loss, as metrics.jsonl has them."""
    if not show_curves(read_lines(run.path / "metrics.jsonl")):
        st.caption("No training steps were recorded.")
    show_link()


def show_curves(metrics: Sequence[Json]) -> int:
    """The curves that there are, one below the other or as the container puts them; how many."""
    drawn = 0
    for chart, title in ((defect_chart, "Defect of each slot"), (loss_chart, "Training loss")):
        try:
            st.image(chart(metrics), alt=title)
            drawn += 1
        except MissingError:
            continue
    return drawn
