"""Runs as rows, those that wait or work, and the head of a run's own page: what was run, its state, its files."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode

import streamlit as st

from lieapp.errors import RunError
from lieapp.results.base import Kind, result_of
from lieapp.runs.overview import equation_of, row
from lieapp.runs.store.directory import RunDirectory
from lieapp.runs.store.status import Status
from lieapp.ui.navigation import config_of, file_of, link_to_run, newest_first
from lieapp.ui.rendering import state_badge
from lieapp.ui.words import WORKING, ago, duration, plain, sign

LONGEST_NAME, LONGEST_TITLE = 34, 120
"""Characters of typed equations that stand for their run in a list, and on its page."""

LOOKED_AT = 40
"""How many of the newest runs are asked whether they wait or work: asking all would cost a second."""

FILES = {
    "report.html": ("Report", "text/html", "One file that opens offline and prints"),
    "summary.json": ("JSON", "application/json", "Everything that was found, as `--json` prints it"),
    "generators.csv": ("CSV", "text/csv", "Slots, closed forms and derived generators, a line each"),
    "fields.safetensors": ("Fields", "application/octet-stream", "Learned and derived fields as arrays"),
    "finite.safetensors": ("Moved data", "application/octet-stream", "A solution moved along each slot"),
    "learned.safetensors": ("Functions", "application/octet-stream", "The learned fields as functions"),
    "network.safetensors": ("Network", "application/octet-stream", "The trained network"),
    "table.csv": ("Table", "text/csv", "What was measured, a line each"),
}
"""Files that a run may have: what the button says, type, and what is in them."""


def run_rows(runs: Sequence[RunDirectory]) -> None:
    """One row for each run, newest first as given."""
    now = time.time()
    for run in runs:
        _row(run, row(run), now)


def working() -> list[RunDirectory]:
    """Runs that wait or are worked on, among the newest."""
    return [run for run in newest_first()[:LOOKED_AT] if run.state in WORKING]


def _row(run: RunDirectory, facts: dict[str, Any], now: float) -> None:
    with st.container(border=True):
        name, state, outcome = st.columns([5, 2, 6], vertical_alignment="center")
        with name:
            link_to_run(run.id, f"**{plain(_name(run, facts))}**")
            method = " ".join(filter(None, (facts["kind"], facts["method"])))
            method = f"{method} · " if method else ""
            seed = f"seed {facts['seed']} · " if facts["seed"] is not None else ""
            st.caption(plain(f"{method}{seed}{ago(facts['created'], now)}"), help=f"run {plain(run.id)}")
        with state:
            state_badge(facts["state"])
        with outcome:
            st.markdown(plain(_outcome(run, facts)))


def _name(run: RunDirectory, facts: dict[str, Any]) -> str:
    """The plugin, or the equations that were typed."""
    if facts["plugin"] or facts["state"] == "unreadable":
        return str(facts["plugin"] or run.id)
    return _short(str(facts["equation"] or facts["kind"] or run.id), LONGEST_NAME)


def _short(name: str, longest: int) -> str:
    return name if len(name) <= longest else f"{name[:longest]}…"


def _outcome(run: RunDirectory, facts: dict[str, Any]) -> str:
    state, took = facts["state"], duration(facts["seconds"])
    if state == "done":
        found = run.summary()
        return f"{(found and found.sentence) or 'finished'} ({took})"
    if state in ("starting", "running"):
        total = f" of {facts['total']}" if facts["total"] else ""
        step = f", step {facts['step']}{total}" if facts["step"] else ""
        return f"{facts['stage'] or 'starting'}{step}, for {took}"
    error = facts["error"] or {}
    return str(error.get("message") or "") if state in ("failed", "unreadable") and error else sign(state).meaning


@st.fragment(run_every=3.0)
def show_queue() -> None:
    """Runs that wait or work; nothing where there are none."""
    busy = working()
    if busy:
        st.subheader("Working and waiting")
        st.caption("Runs start one after another, in the order in which they were asked for.")
        run_rows(busy)


def before(run: RunDirectory) -> list[RunDirectory]:
    """The runs that are worked on or that have waited longer than this one, the next one first."""
    since = run.status().created
    busy = [other for other in working() if other.id != run.id]
    states = [(other, other.status()) for other in busy]
    ahead = [(s.state == "queued", s.created, o) for o, s in states if s.state != "queued" or s.created <= since]
    return [other for _, _, other in sorted(ahead, key=lambda entry: entry[:2])]


def show_head(run: RunDirectory, status: Status) -> None:
    """Title, state and main settings, which are there from the first moment of a run."""
    config = config_of(run)
    st.title(plain(title_of(run, config)))
    settings = [f"{key} {config[key]}" for key in ("method", "slots", "seed") if config.get(key) is not None]
    what = " ".join(str(config[key]) for key in ("kind", "plugin") if config.get(key))
    words = [what or "run", *settings, ago(status.created, time.time()), run.id]
    with st.container(horizontal=True, vertical_alignment="center"):
        state_badge(status.state if config else "unreadable")
        st.caption(plain(" · ".join(words)))


def title_of(run: RunDirectory, config: dict[str, Any]) -> str:
    """The title of what was declared, the same in every state; of a typed equation the equation."""
    name = str(_title(run) or config.get("plugin") or equation_of(config) or config.get("kind") or run.id)
    return _short(name, LONGEST_TITLE)


def _title(run: RunDirectory) -> str:
    """As the result has it, else as provenance.json keeps it from the first moment on; empty in runs of before."""
    with contextlib.suppress(RunError):
        if (found := run.summary()) and found.title:
            return found.title
    with contextlib.suppress(RunError, AttributeError):
        return str((run.provenance().get("plugin") or {}).get("title") or "")
    return ""


def show_files(run: RunDirectory) -> None:
    """A button for each file that is there."""
    st.subheader("Files")
    present = {name: file for name in FILES if (file := file_of(run, name))}
    if not present:
        st.caption("The run left no files.")
        return
    with st.container(horizontal=True):
        for name, file in present.items():
            label, mime, text = FILES[name]
            st.download_button(
                label,
                # read when it is asked for, not at every rerun
                data=file.read_bytes,
                file_name=f"{run.id}-{name}",
                mime=mime,
                icon=":material/download:",
                on_click="ignore",
                help=f"{name}: {text}",
            )


def show_link(**view: object) -> None:
    """The address of this very view, to copy; whoever uses the same app sees the same.

    `view` is what widgets hold now: the address line may be a moment behind them.
    """
    with st.popover("Link to this view", icon=":material/link:", type="tertiary"):
        shown = {key: st.query_params.get_all(key) for key in st.query_params} | view
        st.code(f"{st.context.url or 'run'}?{urlencode(shown, doseq=True)}", language=None, wrap_lines=True)


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
