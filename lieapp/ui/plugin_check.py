"""A plugin's self-check on demand: a run that begins at once, and its rows."""

from __future__ import annotations

import streamlit as st

from lieapp.config import CheckConfig
from lieapp.errors import LieappError
from lieapp.registry.catalog import Catalog, Entry
from lieapp.report.documents import check_document
from lieapp.results.check import CheckResult
from lieapp.ui import background
from lieapp.ui.background_view import readable, show_unfinished, wait_for
from lieapp.ui.help import tip
from lieapp.ui.rendering import show
from lieapp.ui.typed_form import show_error
from lieapp.ui.words import WORKING

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
        if run.state != "done":
            show_unfinished(run)
        elif result := readable(run, CheckResult):
            show(check_document(result))
    label = "Check" if run is None else "Check again"
    if st.button(label, icon=":material/fact_check:", help="A process of its own; it goes on if you leave."):
        try:
            background.start(CheckConfig(plugin=entry.name), entry, catalog)
        except LieappError as error:
            show_error(error)
        else:
            st.rerun()
