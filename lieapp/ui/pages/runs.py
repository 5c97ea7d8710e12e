"""Runs: every run of the folder, newest first, fifteen at a time."""

from __future__ import annotations

import streamlit as st

from lieapp.ui.lists import run_rows
from lieapp.ui.navigation import newest_first, page, runs_root, show_no_runs
from lieapp.ui.words import WORKING, plain

AT_ONCE = 15


def show() -> None:
    """The whole page."""
    st.title("Runs")
    runs = newest_first()
    if not runs:
        show_no_runs(f"No runs yet in {plain(runs_root())}.")
        return
    last = (len(runs) - 1) // AT_ONCE + 1
    number = _sheet(last)
    shown = runs[(number - 1) * AT_ONCE : number * AT_ONCE]
    head, button = st.columns([5, 1], vertical_alignment="center")
    head.caption(f"{len(runs)} in {plain(runs_root())}, sheet {number} of {last}")
    # a click is a rerun, and a rerun reads the folder
    button.button("Refresh", icon=":material/refresh:", width="stretch")
    st.page_link(page("compare"), label="Put runs side by side", icon=":material/compare_arrows:")
    # looked at again while one of them waits or works
    every = 3.0 if any(run.state in WORKING for run in shown) else None
    st.fragment(run_rows, run_every=every)(shown)
    _turn(number, last)


def _sheet(last: int) -> int:
    """The sheet that the address asks for."""
    asked = st.query_params.get("sheet", "1")
    return min(max(int(asked), 1), last) if asked.isdecimal() and len(asked) < 7 else 1


def _turn(number: int, last: int) -> None:
    newer, older = st.columns(2)
    if number > 1:
        address = {"sheet": str(number - 1)}
        newer.page_link(page("runs"), label="Newer", icon=":material/chevron_left:", query_params=address)
    if number < last:
        address = {"sheet": str(number + 1)}
        older.page_link(page("runs"), label="Older", icon=":material/chevron_right:", query_params=address)


show()
