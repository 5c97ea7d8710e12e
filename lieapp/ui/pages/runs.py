"""Runs: every run of the folder, newest first, fifteen at a time; those that are looked for; names and notes."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from lieapp.runs.overview import row
from lieapp.runs.store.directory import RunDirectory
from lieapp.runs.store.status import STATES
from lieapp.ui.lists import matches, run_rows
from lieapp.ui.navigation import link, newest_first, runs_root, show_no_runs
from lieapp.ui.words import WORKING, plain

AT_ONCE = 15
KINDS = ("discover", "train", "augment", "truth", "check", "classify", "laws", "sweep")


def show() -> None:
    """The whole page."""
    st.title("Runs")
    every = newest_first()
    if not every:
        show_no_runs(f"No runs yet in {plain(runs_root())}.")
        return
    runs = _found(every)
    last = max((len(runs) - 1) // AT_ONCE + 1, 1)
    number = _sheet(last)
    shown = runs[(number - 1) * AT_ONCE : number * AT_ONCE]
    head, button = st.columns([5, 1], vertical_alignment="center")
    count = f"{len(runs)}" if len(runs) == len(every) else f"{len(runs)} of {len(every)}"
    head.caption(f"{count} in {plain(runs_root())}, page {number} of {last}")
    # a click is a rerun, and a rerun reads the folder
    button.button("Refresh", icon=":material/refresh:", width="stretch")
    link("compare", "Compare runs side by side", "compare_arrows")
    states = {run.id: run.state for run in shown}
    if any(state in WORKING for state in states.values()):
        _watch(shown, states)
    run_rows(shown, edited=True)
    _turn(number, last)


def _found(runs: list[RunDirectory]) -> list[RunDirectory]:
    """The runs that are looked for; all where nothing is asked."""
    left, middle, right = st.columns([3, 1, 1])
    bound = {"bind": "query-params"}
    text = left.text_input("Search", key="text", max_chars=100, icon=":material/search:", **bound)
    state = middle.selectbox("State", STATES, index=None, key="state", placeholder="any", **bound)
    kind = right.selectbox("Kind", KINDS, index=None, key="kind", placeholder="any", **bound)
    if not (text.strip() or state or kind):
        return runs
    return [run for run in runs if matches(row(run), text.strip(), state, kind)]


@st.fragment(run_every=3.0)
def _watch(runs: Sequence[RunDirectory], drawn: dict[str, str]) -> None:
    """Draws the page anew when a state is no longer the one that is shown."""
    if {run.id: run.state for run in runs} != drawn:
        st.rerun()


def _sheet(last: int) -> int:
    """The sheet that the address asks for."""
    asked = st.query_params.get("sheet", "1")
    return min(max(int(asked), 1), last) if asked.isdecimal() and len(asked) < 7 else 1


def _turn(number: int, last: int) -> None:
    asked = {key: st.query_params[key] for key in ("text", "state", "kind") if key in st.query_params}
    newer, older = st.columns(2)
    with newer:
        if number > 1:
            link("runs", "Newer", "chevron_left", **asked, sheet=str(number - 1))
    with older:
        if number < last:
            link("runs", "Older", "chevron_right", **asked, sheet=str(number + 1))


show()
