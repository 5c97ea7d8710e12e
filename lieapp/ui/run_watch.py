"""A run that waits or works: stage, progress, curves, and a button to stop it."""

from __future__ import annotations

import contextlib
import time

import streamlit as st

from lieapp.errors import RunError
from lieapp.report.figures import MissingError, defect_chart, loss_chart
from lieapp.runs.directory import RunDirectory
from lieapp.runs.status import ACTIVE, Status
from lieapp.ui import jobs
from lieapp.ui.drawing import log_tail
from lieapp.ui.places import newest_first
from lieapp.ui.words import WORKING, duration, plain

LOOKED_AT = 40
"""How many of the newest runs are asked whether they are at work."""


@st.fragment(run_every=1.0)
def watch(run: RunDirectory) -> None:
    """Reads the files once a second; when the run has ended the whole page is drawn anew."""
    status = run.status()
    if status.state not in WORKING:
        st.rerun()
    _progress(status)
    _stop(run)
    _curves(run)
    with st.expander("Log"):
        log_tail(run)


def _progress(status: Status) -> None:
    elapsed = duration(time.time() - status.created)
    if status.state == "queued":
        st.info(f"Waiting for its turn, for {elapsed}. Runs start one after another.", icon=":material/hourglass:")
        _stuck()
        return
    stage = plain(status.stage or "starting")
    if status.total:
        share = min(status.step / status.total, 1.0)
        st.progress(share, text=f"**{stage}**: step {status.step} of {status.total}, {elapsed} since the start")
    else:
        step = f", step {status.step}" if status.step else ""
        st.markdown(f"**{stage}**{step}, {elapsed} since the start")


def _stuck() -> None:
    """Offer to start the queue when nothing before this run is being worked on."""
    before = [other for other in newest_first()[:LOOKED_AT] if other.state in ACTIVE]
    if not before:
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
    charts = ((defect_chart, "Defect of each slot"), (loss_chart, "Training loss"))
    for column, (chart, title) in zip(st.columns(2), charts, strict=True):
        with column, contextlib.suppress(MissingError):
            st.image(chart(metrics), alt=title)
