"""Run: watch one run, or read what it found. Its id stands in the address."""

from __future__ import annotations

import streamlit as st

from lieapp.runs.store.directory import RunDirectory
from lieapp.ui.at_work import show_ended, show_steps, watch
from lieapp.ui.lists import show_head
from lieapp.ui.navigation import find_run, link, newest_first, show_gone, show_no_runs
from lieapp.ui.words import WORKING


def show() -> None:
    """The whole page."""
    run = _asked()
    if run is None:
        return
    status = run.status()
    show_head(run, status)
    if status.state in WORKING:
        watch(run, status.state)
    else:
        if status.state == "done":
            show_steps(run)
        show_ended(run)


def _asked() -> RunDirectory | None:
    """The run of the address; without one the newest, whose id is then put there."""
    run_id = st.query_params.get("run", "")
    if not run_id:
        runs = newest_first()
        if not runs:
            st.title("Run")
            show_no_runs()
            return None
        st.query_params["run"] = runs[0].id
        return runs[0]
    run = find_run(run_id)
    if run is None:
        st.title("Run")
        show_gone(run_id)
        link("runs", "All runs", "list")
    return run


show()
