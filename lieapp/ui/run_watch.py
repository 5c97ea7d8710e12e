"""A run that waits or works: stage, progress, curves, and a button to stop it."""

from __future__ import annotations

import contextlib
import time

import streamlit as st

from lieapp.errors import RunError
from lieapp.report.current import current_fields
from lieapp.runs.store.directory import RunDirectory
from lieapp.runs.store.status import ACTIVE, Status
from lieapp.ui import jobs
from lieapp.ui.drawing import log_tail
from lieapp.ui.run_origin import show_curves
from lieapp.ui.run_queue import before
from lieapp.ui.words import WORKING, duration, plain


@st.fragment(run_every=1.0)
def watch(run: RunDirectory) -> None:
    """Reads the files once a second; when the run has ended the whole page is drawn anew."""
    status = run.status()
    if status.state not in WORKING:
        st.rerun()
    _progress(run, status)
    _stop(run)
    _curves(run)
    with st.expander("Log"):
        log_tail(run)


def _progress(run: RunDirectory, status: Status) -> None:
    elapsed = duration(time.time() - status.created)
    if status.state == "queued":
        _waiting(run, elapsed)
        return
    stage = plain(status.stage or "starting")
    if status.total:
        share = min(status.step / status.total, 1.0)
        st.progress(share, text=f"**{stage}**: step {status.step} of {status.total}, {elapsed} since the start")
    else:
        step = f", step {status.step}" if status.step else ""
        st.markdown(f"**{stage}**{step}, {elapsed} since the start")


def _waiting(run: RunDirectory, elapsed: str) -> None:
    """Its place in the queue; where nothing before it is worked on, a button that starts the queue."""
    ahead = before(run)
    place = f" {len(ahead)} before it, now {ahead[0].id}." if ahead else ""
    st.info(
        f"Waiting for its turn, for {elapsed}.{plain(place)} Runs start one after another.",
        icon=":material/hourglass:",
    )
    if not any(other.state in ACTIVE for other in ahead):
        help_ = "Runs are started by a process of the runs folder; it is gone after a restart of the machine."
        st.button("Start the queue", icon=":material/play_arrow:", help=help_, on_click=_wake)


def _wake() -> None:
    try:
        jobs.wake()
    except RunError as error:
        st.toast(plain(error.message), icon=":material/error:")


def _stop(run: RunDirectory) -> None:
    if run.cancel_requested:
        st.caption("Asked to stop; what is done so far is kept.")
    else:
        words = "Keeps what is done so far; the run can be resumed."
        st.button("Cancel", icon=":material/stop:", help=words, on_click=_cancel, args=(run,))


def _cancel(run: RunDirectory) -> None:
    # it may have ended between the last look and the click; the next look shows how
    with contextlib.suppress(RunError):
        jobs.cancel(run)


def _curves(run: RunDirectory) -> None:
    metrics = run.metrics()
    if not metrics:
        st.caption("Curves appear with the first training steps.")
        return
    # beside each other where there is room for both: shrunk, their numbers could not be read
    with st.container(horizontal=True):
        show_curves(metrics)
    found = current_fields(run.path)
    if found is not None:
        st.subheader("Fields now")
        st.image(found.svg, alt="Current fields")
        st.caption(plain(f"As the stage {found.stage} had them at its step {found.step}; nothing is judged yet."))
