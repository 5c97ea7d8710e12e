"""What waits and what is worked on, looked up again by itself."""

from __future__ import annotations

import streamlit as st

from lieapp.runs.store.directory import RunDirectory
from lieapp.ui.lists import run_rows, working
from lieapp.ui.places import newest_first

LOOKED_AT = 40
"""How many of the newest runs are asked whether they wait or work: asking all would cost a second."""


@st.fragment(run_every=3.0)
def show_queue() -> None:
    """Runs that wait or work; nothing where there are none."""
    busy = working(newest_first(), LOOKED_AT)
    if busy:
        st.subheader("Working and waiting")
        st.caption("Runs start one after another, in the order in which they were asked for.")
        run_rows(busy)


def before(run: RunDirectory) -> list[RunDirectory]:
    """The runs that are worked on or that have waited longer than this one, the next one first."""
    since = run.status().created
    busy = [other for other in working(newest_first(), LOOKED_AT) if other.id != run.id]
    states = [(other, other.status()) for other in busy]
    ahead = [(s.state == "queued", s.created, o) for o, s in states if s.state != "queued" or s.created <= since]
    return [other for _, _, other in sorted(ahead, key=lambda entry: entry[:2])]
