"""Run: watch one run, or read what it found. Its id stands in the address."""

from __future__ import annotations

import streamlit as st

from lieapp.runs.store.directory import RunDirectory
from lieapp.ui.navigation import page
from lieapp.ui.places import find_run, newest_first
from lieapp.ui.run_ended import show_ended
from lieapp.ui.run_head import show_head
from lieapp.ui.run_watch import watch
from lieapp.ui.words import WORKING, plain


def show() -> None:
    """The whole page."""
    run = _asked()
    if run is None:
        return
    show_head(run)
    if run.state in WORKING:
        watch(run)
    else:
        show_ended(run)


def _asked() -> RunDirectory | None:
    """The run of the address; without one the newest, whose id is then put there."""
    run_id = st.query_params.get("run", "")
    if not run_id:
        runs = newest_first()
        if not runs:
            st.title("Run")
            st.info("There is no run yet.", icon=":material/inbox:")
            st.page_link(page("discover"), label="Start one", icon=":material/travel_explore:")
            return None
        st.query_params["run"] = runs[0].id
        return runs[0]
    run = find_run(run_id)
    if run is None:
        st.title("Run")
        st.warning(
            f"There is no run {plain(repr(run_id[:100]))} in this folder; it may have been deleted.",
            icon=":material/search_off:",
        )
        st.page_link(page("runs"), label="All runs", icon=":material/list:")
    return run


show()
