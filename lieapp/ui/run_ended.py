"""A run that has ended: its result, or why there is none and how to go on."""

from __future__ import annotations

import shlex

import streamlit as st

from lieapp.errors import LieappError, RunError
from lieapp.registry.catalog import load_catalog
from lieapp.results import EquationResult, PictureDiscovery, TruthResult
from lieapp.results.base import Result
from lieapp.runs.resume import plugin_folders
from lieapp.runs.store.directory import RunDirectory
from lieapp.ui import jobs
from lieapp.ui.derived_view import show_derived
from lieapp.ui.drawing import log_tail
from lieapp.ui.places import runs_root
from lieapp.ui.run_files import show_files
from lieapp.ui.run_head import config_of
from lieapp.ui.run_origin import show_curves
from lieapp.ui.run_pictures import show_pictures
from lieapp.ui.run_plain import show_plain
from lieapp.ui.run_result import show_result
from lieapp.ui.words import RESUMABLE, advice, plain


def show_ended(run: RunDirectory) -> None:
    """What an ended run shows, by its state."""
    state = run.state
    if state == "done":
        _done(run)
        return
    if state == "failed":
        _error(run)
    elif state == "lost":
        st.warning(
            "The process that worked on this run is gone and left no word: it was killed, or the machine "
            "went down. What it had saved is kept.",
            icon=":material/help:",
        )
    elif state == "cancelled":
        st.info("This run was stopped on request. What it had saved is kept.", icon=":material/stop_circle:")
    else:
        st.error(plain((run.status().error or {}).get("message", state)), icon=":material/broken_image:")
    if state in RESUMABLE:
        _resume(run)
    _leftovers(run)


def _done(run: RunDirectory) -> None:
    """The view of its result, by the kind of that."""
    try:
        found = run.summary()
        if type(found) is Result:
            # of a kind from outside, whose class is known once its plugin is loaded
            load_catalog(plugin_folders(run))
            found = run.summary()
    except RunError as error:
        st.error(plain(error.message), icon=":material/broken_image:")
        st.markdown(f":material/lightbulb: {advice(error.hint)}")
        show_files(run)
        return
    if found is None:
        st.warning("This run is done but has no summary.", icon=":material/help:")
        show_files(run)
    elif isinstance(found, EquationResult):
        show_result(run, found)
    elif isinstance(found, TruthResult):
        show_derived(run)
    elif isinstance(found, PictureDiscovery):
        show_pictures(run, found)
    else:
        show_plain(run, found)


def _error(run: RunDirectory) -> None:
    error = run.status().error or {}
    kind = str(error.get("type") or "Error")
    st.error(f"**{plain(kind)}**: {plain(error.get('message') or 'no message')}", icon=":material/error:")
    if error.get("hint"):
        st.markdown(f":material/lightbulb: {advice(error['hint'])}")


def _resume(run: RunDirectory) -> None:
    if st.button("Resume", type="primary", icon=":material/resume:"):
        try:
            jobs.resume(run)
        except (LieappError, OSError) as error:
            st.error(plain(error), icon=":material/error:")
        else:
            st.rerun()
    words = ["lieapp", str(config_of(run).get("kind", "discover")), "--resume", run.id]
    root = str(runs_root())
    words += [] if root == "runs" else ["--out", root]
    st.caption("The same on a terminal:")
    st.code(shlex.join(words), language="bash", wrap_lines=True)


def _leftovers(run: RunDirectory) -> None:
    """What was measured before the end, and the log, folded: the error above says what matters of it."""
    metrics = run.metrics()
    if metrics:
        st.subheader("Until then")
        with st.container(horizontal=True):
            show_curves(metrics)
    with st.expander("Log"):
        log_tail(run)
