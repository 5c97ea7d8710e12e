"""A run at work: stage, progress, curves, a button to stop it; how it ended, and what can be done next."""

from __future__ import annotations

import contextlib
import shlex
import time
from collections.abc import Mapping
from typing import Any

import streamlit as st

from lieapp.errors import LieappError, ResumeError, RunError
from lieapp.report.current import current_fields
from lieapp.results.sweep import Sweep
from lieapp.runs.process.queue import cancel, ensure_runner
from lieapp.runs.store.directory import RunDirectory
from lieapp.runs.store.status import ACTIVE, Status
from lieapp.sweeps.table import document as sweep_document
from lieapp.sweeps.table import so_far
from lieapp.ui import forms
from lieapp.ui.finished import show_curves, show_result
from lieapp.ui.jobs import SWEEP, kind_of, resume
from lieapp.ui.lists import before, show_files
from lieapp.ui.navigation import catalog_of, link, page, runs_root
from lieapp.ui.plots import show_drawing
from lieapp.ui.rendering import log_tail, show, show_error
from lieapp.ui.sweeps import show_cells
from lieapp.ui.words import RESUMABLE, WORKING, advice, duration, plain, step_of

PASSING = ("FileError", "MemoryLackError", "RunError")
"""Errors that may be gone at the next try; any other one comes again with the same settings."""


@st.fragment(run_every=1.0)
def watch(run: RunDirectory, drawn: str) -> None:
    """Reads the files once a second; when the state is no longer the one `drawn`, the whole page is drawn anew."""
    status = run.status()
    if status.state != drawn:
        st.rerun()
    _progress(run, status)
    if run.cancel_requested:
        st.caption("Asked to stop; completed work is kept.")
    else:
        words = "Completed work is kept; you can resume the run."
        st.button("Cancel", icon=":material/stop:", help=words, on_click=_cancel, args=(run,))
    if kind_of(run) == SWEEP:
        show_cells(run)
    else:
        _curves(run)
    with st.expander("Log"):
        log_tail(run)


def _progress(run: RunDirectory, status: Status) -> None:
    if status.state == "queued":
        _waiting(run, duration(time.time() - status.created))
        return
    elapsed = duration(time.time() - (status.begun or status.created))
    stage = plain(status.stage or "starting")
    if status.total:
        share = min(status.step / status.total, 1.0)
        far = f"{status.step} of {status.total} ended" if kind_of(run) == SWEEP else plain(step_of(status))
        st.progress(share, text=f"**{stage}**: {far}, {elapsed} since the start")
    else:
        step = f", {plain(step_of(status))}" if status.step else ""
        st.markdown(f"**{stage}**{step}, {elapsed} since the start")


def _waiting(run: RunDirectory, elapsed: str) -> None:
    """Its place in the queue; where nothing before it is worked on, a button that starts the queue."""
    ahead = before(run)
    place = f" {len(ahead)} ahead, currently {ahead[0].id}." if ahead else ""
    st.info(
        f"Queued for {elapsed}.{plain(place)} Runs execute one at a time.",
        icon=":material/hourglass:",
    )
    if not any(other.state in ACTIVE for other in ahead):
        help_ = "A background process starts runs. After a restart of the machine, start it again here."
        st.button("Start the queue", icon=":material/play_arrow:", help=help_, on_click=_wake)


def _wake() -> None:
    try:
        ensure_runner(runs_root())
    except RunError as error:
        st.toast(plain(error.message), icon=":material/error:")


def _cancel(run: RunDirectory) -> None:
    # it may have ended between the last look and the click; the next look shows how
    with contextlib.suppress(RunError):
        cancel(run)


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
        st.subheader("Current fields")
        show_drawing(found.drawing, "current")
        st.caption(plain(f"Stage {found.stage}, step {found.step}; not evaluated yet."))


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
    _how_far(status, most)
    if run.cancel_requested:
        st.caption("Asked to stop.")
    else:
        st.button("Cancel", icon=":material/stop:", key=f"cancel_{run.id}", on_click=_cancel, args=(run,))


def _how_far(status: Status, most: float) -> None:
    seconds = max(time.time() - status.created, 0.0)
    if status.state == "queued":
        st.info(f"Queued for {duration(seconds)}.", icon=":material/hourglass_empty:")
        return
    stage = plain(status.stage or "starting")
    st.progress(min(seconds / most, 1.0), text=f"**{stage}**, {duration(seconds)} of at most {duration(most)}")


def show_unfinished(run: RunDirectory) -> None:
    """Why an ended run has no result."""
    status = run.status()
    error = status.error or {}
    if status.state == "cancelled":
        st.info("Cancelled on request.", icon=":material/stop_circle:")
    elif status.state == "lost":
        _lost(status)
    else:
        told = str(error.get("message") or status.state)
        show_error(LieappError(told, hint=str(error.get("hint") or "")))
    with st.expander("Log"):
        log_tail(run)


def _lost(status: Status) -> None:
    """That nobody works on it any more, and what of its clock is wrong."""
    st.warning(
        "The process of this run died without an error: it was killed, or the machine went down. Saved work "
        "is kept.",
        icon=":material/help:",
    )
    if status.error:
        show_error(LieappError(status.error.get("message", ""), hint=status.error.get("hint", "")))


def show_ended(run: RunDirectory) -> None:
    """What an ended run shows, by its state."""
    state = run.state
    if state == "done":
        _done(run)
        return
    if state == "failed":
        _error(run)
    elif state == "lost":
        _lost(run.status())
    elif state == "cancelled":
        st.info("This run was cancelled. Saved work is kept.", icon=":material/stop_circle:")
    else:
        st.error(plain((run.status().error or {}).get("message", state)), icon=":material/broken_image:")
    if state in RESUMABLE:
        _resume(run)
    _leftovers(run)


def _done(run: RunDirectory) -> None:
    """The view of its result, by the kind of that."""
    try:
        found = run.summary()
    except RunError as error:
        st.error(plain(error.message), icon=":material/broken_image:")
        st.markdown(f":material/lightbulb: {advice(error.hint)}")
        show_files(run)
        return
    if found is None:
        st.warning("This run is done but has no summary.", icon=":material/help:")
        show_files(run)
    else:
        help_ = "Starts the cells again that have no result."
        if isinstance(found, Sweep) and found.level != "success" and st.button(
            "Do what is missing", icon=":material/resume:", help=help_
        ):
            _go_on(run)
        show_result(run, found)


def _error(run: RunDirectory) -> None:
    error = run.status().error or {}
    kind = str(error.get("type") or "Error")
    st.error(f"**{plain(kind)}**: {plain(error.get('message') or 'no message')}", icon=":material/error:")
    if error.get("hint"):
        st.markdown(f":material/lightbulb: {advice(error['hint'])}")


def _resume(run: RunDirectory) -> None:
    failing = fails_again(run)
    with st.container(horizontal=True):
        key, address = again(run)
        if st.button("Change settings", type="primary" if failing else "secondary", icon=":material/tune:"):
            st.switch_page(page(key), query_params=address)
        resumed = st.button("Resume", type="secondary" if failing else "primary", icon=":material/resume:")
    if failing:
        st.caption("Resume keeps the settings. It helps only if the plugin or its data have changed.")
    if resumed:
        _go_on(run)
    words = ["lieapp", str(run.known_config().get("kind", "discover")), "--resume", run.id]
    root = str(runs_root())
    words += [] if root == "runs" else ["--out", root]
    st.caption("Equivalent command:")
    st.code(shlex.join(words), language="bash", wrap_lines=True)


def _go_on(run: RunDirectory) -> None:
    try:
        resume(run)
    except (LieappError, OSError) as error:
        st.error(plain(error), icon=":material/error:")
    else:
        st.rerun()


def _leftovers(run: RunDirectory) -> None:
    """What was measured before the end, and the log, folded: the error above says what matters of it."""
    metrics = run.metrics()
    if kind_of(run) == SWEEP:
        _so_far(run)
        st.subheader("Cells")
        show_cells(run)
    if metrics:
        st.subheader("Results so far")
        with st.container(horizontal=True):
            show_curves(metrics)
    with st.expander("Log"):
        log_tail(run)


def _so_far(run: RunDirectory) -> None:
    """The table of the cells that have a result."""
    # without cells that can be read, what is below says so
    with contextlib.suppress(ResumeError):
        if (found := so_far(run)).has_results:
            show(sweep_document(found))


def again(run: RunDirectory) -> tuple[str, dict[str, str]]:
    """The page and the address of the form with a run's settings."""
    kind = kind_of(run)
    if kind == "truth":
        return "explore", {"run": run.id}
    return "discover", {"source": "grid", "from": run.id} if kind == SWEEP else {"again": run.id}


def fails_again(run: RunDirectory) -> bool:
    """Whether a run failed by an error that another try with the same settings meets too."""
    status = run.status()
    return status.state == "failed" and (status.error or {}).get("type") not in PASSING


def show_steps(run: RunDirectory, here: str = "run") -> None:
    """The links below the head of a finished run on the page `here`; nothing of checks and laws."""
    config = run.known_config()
    kind, plugin, domain = config.get("kind"), config.get("plugin"), config.get("domain")
    if not kind or kind in ("check", "classify", "laws"):
        return
    with st.container(horizontal=True):
        key, address = again(run)
        if key != here:
            link(key, "Run again with changes", "tune", **address)
        if kind == SWEEP:
            return
        link("compare", "Compare with…", "compare_arrows", runs=run.id)
        if kind == "truth":
            typed = {"source": "typed", "from": run.id}
            link("discover", "Discover in data", "travel_explore", **({"plugin": str(plugin)} if plugin else typed))
            return
        if kind == "discover" and (moved := _training(run, config)):
            link("discover", "Train on moved data", "model_training", **moved)
        # networks are trained on pictures, from which nothing is derived
        if domain is None and kind != "train":
            link("explore", "Derive", "function", plugin=str(plugin))


def _training(run: RunDirectory, config: Mapping[str, Any]) -> dict[str, str | list[str]]:
    """The address of the form for a training on data moved along a run's fields, with the data of the run.

    Empty where its plugin has no such training.
    """
    catalog = catalog_of(run)
    try:
        work = catalog.work(catalog.get(str(config.get("plugin"))), "augment")
    except LieappError:
        return {}
    settings = catalog.settings(work)
    ways = ("none", "truth" if work.domain is None else "affine", run.id)
    values = {"plugin": config["plugin"], "variants": ways}
    values |= {"data": config["data"]} if config.get("data") else {}
    return {**forms.address(work, settings, values), "like": run.id}
