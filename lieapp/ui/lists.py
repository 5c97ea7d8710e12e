"""Runs as rows: a link, what was run, its state and what came out."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import streamlit as st

from lieapp.runs.overview import row
from lieapp.runs.store.directory import RunDirectory
from lieapp.ui.drawing import state_badge
from lieapp.ui.navigation import link_to_run
from lieapp.ui.words import WORKING, ago, duration, plain, sign

LONGEST_NAME = 34
"""Characters of typed equations that stand for their run."""


def run_rows(runs: Sequence[RunDirectory]) -> None:
    """One row for each run, newest first as given."""
    now = time.time()
    for run in runs:
        _row(run, row(run), now)


def working(runs: Sequence[RunDirectory], most: int) -> list[RunDirectory]:
    """Runs that wait or are worked on, among the newest `most`: looking at all would cost a second."""
    return [run for run in runs[:most] if run.state in WORKING]


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
    typed = [text for text in run.config().get("equation") or [] if isinstance(text, str)]
    name = "; ".join(typed) or str(facts["kind"] or run.id)
    return name if len(name) <= LONGEST_NAME else f"{name[:LONGEST_NAME]}…"


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
