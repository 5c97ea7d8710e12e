"""Runs as rows, those that wait or work, and the head of a run's own page: what was run, its state, its files."""

from __future__ import annotations

import contextlib
import re
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import streamlit as st

from lieapp.errors import TYPED, RunError
from lieapp.results.base import Kind, result_of
from lieapp.runs.overview import equation_of, row
from lieapp.runs.store.directory import RunDirectory
from lieapp.runs.store.label import delete, label_of, write_label
from lieapp.runs.store.status import Status
from lieapp.ui.jobs import files_of
from lieapp.ui.navigation import file_of, link, newest_first
from lieapp.ui.rendering import errors_shown, state_badge
from lieapp.ui.words import WORKING, ago, duration, plain, sign

LONGEST_NAME, LONGEST_TITLE = 34, 120
"""Characters of typed equations that stand for their run in a list, and on its page."""

TOLD = ("failed", "unreadable", "lost")
"""States that their run's error explains."""

LOOKED_AT = 40
"""How many of the newest runs are asked whether they wait or work: asking all would cost a second."""

FILES = {
    "report.html": ("Report", "text/html", "One file to read offline or print"),
    "summary.json": ("JSON", "application/json", "All results, as printed by `--json`"),
    "generators.csv": ("CSV", "text/csv", "One line per slot, closed form and derived generator"),
    "fields.safetensors": ("Fields", "application/octet-stream", "Learned and derived fields as arrays"),
    "finite.safetensors": ("Moved data", "application/octet-stream", "A solution moved along each slot"),
    "learned.safetensors": ("Functions", "application/octet-stream", "The learned fields as functions"),
    "network.safetensors": ("Network", "application/octet-stream", "The trained network"),
    "cells.csv": ("CSV", "text/csv", "One line per cell"),
    "table.csv": ("Table", "text/csv", "Metrics, one line per record"),
}
"""Files that a run may have: what the button says, type, and what is in them."""


def run_rows(runs: Sequence[RunDirectory], edited: bool = False) -> None:
    """One row for each run, newest first as given; `edited` with a button that names or deletes it."""
    now = time.time()
    for run in runs:
        _row(run, row(run), now, edited)


def working() -> list[RunDirectory]:
    """Runs that wait or are worked on, among the newest."""
    return [run for run in newest_first()[:LOOKED_AT] if run.state in WORKING]


def matches(facts: dict[str, Any], text: str, state: str | None, kind: str | None) -> bool:
    """Whether a run is looked for by its words, its state and its kind."""
    keys = ("run", "name", "note", "plugin", "equation", "method", "kind")
    words = " ".join(str(facts[key] or "") for key in keys).casefold()
    return text.casefold() in words and state in (None, facts["state"]) and kind in (None, facts["kind"])


@st.dialog("Name, note, delete")
def edit(run: RunDirectory) -> None:
    """Write on a run, or delete its folder: a box is ticked first, then the button works."""
    label = label_of(run)
    name = st.text_input("Name", label.name, max_chars=80, placeholder=run.id)
    note = st.text_area("Note", label.note, max_chars=1000)
    saved = st.button("Save", type="primary", icon=":material/save:")
    st.divider()
    working = run.state in WORKING
    words = "A queued or active run can't be deleted. Cancel it first." if working else None
    sure = st.checkbox("Delete this run with all its files", disabled=working, help=words)
    deleted = st.button("Delete for good", icon=":material/delete:", disabled=not sure)
    with errors_shown():
        if saved:
            write_label(run, name, note)
        if deleted:
            delete(run)
        if saved or deleted:
            st.rerun()


def _row(run: RunDirectory, facts: dict[str, Any], now: float, edited: bool) -> None:
    with st.container(border=True):
        name, state, outcome, *last = st.columns([5, 2, 6, *([1] if edited else [])], vertical_alignment="center")
        with name:
            link("run", f"**{plain(_name(run, facts))}**", run=run.id)
            named = facts["plugin"] if facts["name"] else None
            method = " ".join(filter(None, (named, facts["kind"], facts["method"])))
            method = f"{method} · " if method else ""
            seed = f"seed {facts['seed']} · " if facts["seed"] is not None else ""
            st.caption(plain(f"{method}{seed}{ago(facts['created'], now)}"), help=f"run {plain(run.id)}")
        with state:
            state_badge(facts["state"])
        with outcome:
            st.markdown(plain(_outcome(run, facts)))
            if facts["note"]:
                st.caption(plain(facts["note"]))
        for column in last:
            if column.button("", icon=":material/edit:", key=f"edit_{run.id}", help="Name, note, delete"):
                edit(run)


def _name(run: RunDirectory, facts: dict[str, Any]) -> str:
    """The name it was given, else the plugin, or the equations that were typed."""
    if facts["name"]:
        return str(facts["name"])
    if facts["state"] == "unreadable" or (facts["plugin"] and not facts["equation"]):
        return str(facts["plugin"] or run.id)
    if facts["kind"] == "sweep":
        return _short(title_of(run, run.known_config()), LONGEST_NAME)
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
    return str(error.get("message") or "") if state in TOLD and error else sign(state).meaning


@st.fragment(run_every=3.0)
def show_queue() -> None:
    """Runs that wait or work; nothing where there are none."""
    busy = working()
    if busy:
        st.subheader("Active and queued")
        st.caption("Runs execute one at a time, in the order they were started.")
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
    config = run.known_config()
    st.title(plain(title_of(run, config)))
    # method and slots are those of point symmetries
    own = ("method", "slots") if config.get("sought", "symmetries") == "symmetries" else ("sought",)
    settings = [f"{key} {config[key]}" for key in (*own, "seed") if config.get(key) is not None]
    # of a typed equation the title says which it is
    known = [str(config[key]) for key in ("kind", "plugin") if config.get(key)]
    what = " ".join(word for word in known if not word.startswith(TYPED))
    # this part of the page isn't drawn anew while the run works, which says how long it takes itself
    age = [] if status.state in WORKING else [ago(status.created, time.time())]
    words = [what or "run", *_named(files_of(config)), *settings, *age, run.id]
    with st.container(horizontal=True, vertical_alignment="center"):
        state_badge(status.state if config else "unreadable")
        st.caption(plain(" · ".join(words)))
        if st.button("", icon=":material/edit:", type="tertiary", help="Name, note, delete"):
            edit(run)
    if note := label_of(run).note:
        st.caption(plain(note))


def _named(files: Sequence[str]) -> list[str]:
    """The name of the first file, and how many more there are."""
    more = f" and {len(files) - 1} more" if len(files) > 1 else ""
    return [Path(file).name + more for file in files[:1]]


def title_of(run: RunDirectory, config: dict[str, Any]) -> str:
    """The name it was given, else the title of what was declared; of a typed equation the equation."""
    # a sweep's result has the same title
    sweep = f"Sweep {config['name']}" if config.get("kind") == "sweep" and config.get("name") else ""
    given = label_of(run).name or sweep or _title(run) or config.get("plugin") or equation_of(config)
    return _short(str(given or config.get("kind") or run.id), LONGEST_TITLE)


def _title(run: RunDirectory) -> str:
    """As the result has it, else as provenance.json keeps it from the first moment on; empty in runs of before."""
    with contextlib.suppress(RunError):
        if (found := run.summary()) and found.title:
            return found.title
    origin = run.origin().plugin
    return origin.title if origin else ""


def show_files(run: RunDirectory) -> None:
    """A button for each file that is there."""
    st.subheader("Files")
    present = {name: file for name in FILES if (file := file_of(run, name))}
    if not present:
        st.caption("This run has no files.")
        return
    with st.container(horizontal=True):
        for name, file in present.items():
            label, mime, text = FILES[name]
            st.download_button(
                label,
                # read when it is asked for, not at every rerun
                data=file.read_bytes,
                file_name=downloaded(run, name),
                mime=mime,
                icon=":material/download:",
                on_click="ignore",
                help=f"{name}: {text}",
            )
        with st.popover("Load in Python", icon=":material/code:", type="tertiary"):
            st.code(snippet(run, present), language="python")


def downloaded(run: RunDirectory, name: str) -> str:
    """What a file is called where it is sent: `lieapp-kdv-3f2a1b-fields.safetensors`."""
    return f"lieapp-{re.sub(r'^[0-9]{8}T[0-9]{6}Z-', '', run.id)}-{name}"


def snippet(run: RunDirectory, present: Iterable[str]) -> str:
    """Python that opens the run where it lies, and its files where they were downloaded."""
    names = list(present)
    arrays = [name for name in names if name.endswith(".safetensors") and name != "learned.safetensors"]
    lines = ["import lieapp", "", f"run = lieapp.open_run({str(run.path)!r})", "print(run.sentence)"]
    if "summary.json" in names:
        lines += ["", "import json", "", f'result = json.load(open("{downloaded(run, "summary.json")}"))']
    if arrays:
        lines += ["", "from safetensors.numpy import load_file", ""]
        lines += [f'{name.split(".")[0]} = load_file("{downloaded(run, name)}")' for name in arrays]
    return "\n".join(lines)


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
