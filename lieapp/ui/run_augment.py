"""A finished training on moved data: the table with its spread, figures, origin, files."""

from __future__ import annotations

from typing import Any

import streamlit as st

from lieapp.report.augment_html import TITLES
from lieapp.report.augment_words import is_accuracy, measure, rows
from lieapp.runs.directory import RunDirectory
from lieapp.ui.drawing import stored_figure, table
from lieapp.ui.help import popover
from lieapp.ui.run_files import show_link
from lieapp.ui.words import plain


def show_augment(run: RunDirectory, summary: dict[str, Any]) -> None:
    """What is below the sentence of the run."""
    heads, lines = rows(summary)
    table([plain(head) for head in heads], [[plain(cell) for cell in line] for line in lines])
    st.caption(plain(f"{measure(summary)}; mean and spread (standard deviation) over seeds."))
    # an accuracy needs no explanation
    popover("variant", *([] if is_accuracy(summary) else ["nmse", "rollout"]), label="Words")
    for key, (title, caption) in TITLES.items():
        svg = stored_figure(run.path, key)
        if svg:
            st.subheader(title)
            st.image(svg, alt=title)
            st.caption(plain(caption))
    show_link()
