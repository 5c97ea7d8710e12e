"""Where a run came from, how long its stages took, its curves and its log: the same for every kind."""

from __future__ import annotations

import streamlit as st

from lieapp.report import wording
from lieapp.report.figures import MissingError, defect_chart, loss_chart
from lieapp.report.html import provenance_rows
from lieapp.report.material import read_lines, read_material
from lieapp.runs.directory import RunDirectory
from lieapp.ui.drawing import facts_block, log_tail, table
from lieapp.ui.run_files import show_link
from lieapp.ui.words import plain


def show_origin(run: RunDirectory) -> None:
    """Seconds, provenance and log."""
    material = read_material(run.path)
    seconds = wording.stage_seconds(material.summary)
    if seconds:
        st.subheader("Seconds per stage")
        table(("stage", "seconds"), [(plain(stage), f"{value:.2f}") for stage, value in seconds])
    st.subheader("Provenance")
    facts_block(provenance_rows(material))
    st.subheader("Log")
    log_tail(run)
    show_link()


def show_training(run: RunDirectory) -> None:
    """Curves of defect and loss, as metrics.jsonl has them."""
    metrics = read_lines(run.path / "metrics.jsonl")
    drawn = 0
    for chart, title in ((defect_chart, "Defect of each slot"), (loss_chart, "Training loss")):
        try:
            st.image(chart(metrics), alt=title)
            drawn += 1
        except MissingError:
            continue
    if not drawn:
        st.caption("No training steps were recorded.")
    show_link()
