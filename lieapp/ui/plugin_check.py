"""A plugin's self-check on demand: a run that begins at once, and its rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from lieapp.config import CheckConfig
from lieapp.errors import LieappError
from lieapp.registry.catalog import Catalog, Entry
from lieapp.ui import background
from lieapp.ui.background_view import show_unfinished, wait_for
from lieapp.ui.drawing import table
from lieapp.ui.help import tip
from lieapp.ui.typed_form import show_error
from lieapp.ui.words import WORKING, plain

USUAL = 120.0
"""Seconds that the bar of progress reaches its end in; checks have no limit."""


def show_check(entry: Entry, catalog: Catalog) -> None:
    """The last self-check of exactly this file, and a button for another."""
    st.subheader("Self-check", help=tip("self_check"))
    run = background.latest("check", entry)
    if run is not None and run.state in WORKING:
        wait_for(run, USUAL)
        return
    if run is not None:
        summary = run.summary()
        if run.state == "done" and summary is not None:
            show_rows(summary)
        else:
            show_unfinished(run)
    label = "Check" if run is None else "Check again"
    if st.button(label, icon=":material/fact_check:", help="A process of its own; it goes on if you leave."):
        try:
            background.start(CheckConfig(plugin=entry.name), entry, catalog)
        except LieappError as error:
            show_error(error)
        else:
            st.rerun()


def show_rows(summary: Mapping[str, Any]) -> None:
    """What was verified, from the JSON of `lieapp check`."""
    rows = summary.get("checks") or []
    words = f"{sum(bool(row['ok']) for row in rows)} of {len(rows)} checks hold"
    (st.success if summary.get("ok") else st.error)(words)
    marks = {True: ":green[:material/check:] ok", False: ":red[:material/close:] failed"}
    table(
        ("check", "", "detail"),
        [(plain(row["name"]), marks[bool(row["ok"])], plain(row["detail"])) for row in rows],
    )
