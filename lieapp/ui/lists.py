"""Runs as rows: a link, what was run, its state and what came out."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import streamlit as st

from lieapp.report import wording
from lieapp.runs.directory import RunDirectory
from lieapp.runs.overview import row
from lieapp.ui.drawing import state_badge
from lieapp.ui.navigation import link_to_run
from lieapp.ui.words import WORKING, ago, duration, plain, sign


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
            link_to_run(run.id, f"**{plain(facts['plugin'] or facts['kind'] or run.id)}**")
            method = f"{facts['method']} · " if facts["method"] else ""
            seed = f"seed {facts['seed']} · " if facts["seed"] is not None else ""
            st.caption(plain(f"{method}{seed}{ago(facts['created'], now)}"), help=f"run {plain(run.id)}")
        with state:
            state_badge(facts["state"])
        with outcome:
            st.markdown(plain(_outcome(run, facts)))


def _outcome(run: RunDirectory, facts: dict[str, Any]) -> str:
    state, took = facts["state"], duration(facts["seconds"])
    if state == "done":
        words = wording.sentence(run.summary() or {}) if facts["kind"] == "discover" else "finished"
        return f"{words} ({took})"
    if state in ("starting", "running"):
        total = f" of {facts['total']}" if facts["total"] else ""
        step = f", step {facts['step']}{total}" if facts["step"] else ""
        return f"{facts['stage'] or 'starting'}{step}, for {took}"
    error = facts["error"] or {}
    return str(error.get("message") or "") if state == "failed" else sign(state).meaning
