"""A run that somebody waits for on a page: how far it is, a button that stops it, and how it ended otherwise."""

from __future__ import annotations

import contextlib
import time

import streamlit as st

from lieapp.errors import LieappError, RunError
from lieapp.results.base import Kind, result_of
from lieapp.runs.store.directory import RunDirectory
from lieapp.runs.store.status import Status
from lieapp.ui import jobs
from lieapp.ui.drawing import log_tail
from lieapp.ui.typed_form import show_error
from lieapp.ui.words import WORKING, duration, plain


@st.fragment(run_every=0.7)
def wait_for(run: RunDirectory, most: float) -> None:
    """Looks again by itself; when the run has ended or is gone, the whole page is drawn anew.

    Args:
        run: what is waited for.
        most: seconds that it may take.
    """
    status = run.status()
    if status.state not in WORKING:
        st.rerun()
    _progress(status, most)
    if run.cancel_requested:
        st.caption("Asked to stop.")
    else:
        st.button("Cancel", icon=":material/stop:", key=f"cancel_{run.id}", on_click=_cancel, args=(run,))


def _progress(status: Status, most: float) -> None:
    seconds = max(time.time() - status.created, 0.0)
    if status.state == "queued":
        st.info(f"Waiting for its turn, for {duration(seconds)}.", icon=":material/hourglass_empty:")
        return
    stage = plain(status.stage or "starting")
    st.progress(min(seconds / most, 1.0), text=f"**{stage}**, {duration(seconds)} of at most {duration(most)}")


def _cancel(run: RunDirectory) -> None:
    # it may have ended between the last look and the click; the next look shows how
    with contextlib.suppress(RunError):
        jobs.cancel(run)


def readable(run: RunDirectory, kind: type[Kind]) -> Kind | None:
    """The result of a run that is done; where it can't be read it is said why."""
    try:
        result = result_of(run.path, kind)
        why = "there is none."
    except RunError as error:
        result, why = None, f"{error.message} {error.hint}"
    if result is None:
        st.error(plain(f"It is done, but its result can't be read: {why}"), icon=":material/broken_image:")
    return result


def show_unfinished(run: RunDirectory) -> None:
    """Why an ended run has no result."""
    status = run.status()
    error = status.error or {}
    if status.state == "cancelled":
        st.info("This was stopped on request.", icon=":material/stop_circle:")
    elif status.state == "lost":
        st.warning("Its process is gone without a word: it was killed, or the machine went down.",
                   icon=":material/help:")  # fmt: skip
    else:
        told = str(error.get("message") or status.state)
        show_error(LieappError(told, hint=str(error.get("hint") or "")))
    with st.expander("Log"):
        log_tail(run)
