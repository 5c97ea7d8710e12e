"""The top of a run's page: which equation, which settings, which state."""

from __future__ import annotations

import time
from typing import Any

import streamlit as st

from lieapp.errors import RunError
from lieapp.runs.store.directory import RunDirectory
from lieapp.ui.drawing import state_badge
from lieapp.ui.words import ago, plain

_SHOWN = ("method", "slots", "seed")

LONGEST = 120
"""Characters of typed equations in a title."""


def show_head(run: RunDirectory) -> None:
    """Title, state and main settings, which are there from the first moment of a run."""
    config = config_of(run)
    status = run.status()
    st.title(plain(title_of(run, config)))
    settings = [f"{key} {config[key]}" for key in _SHOWN if config.get(key) is not None]
    what = " ".join(str(config[key]) for key in ("kind", "plugin") if config.get(key))
    words = [what or "run", *settings, ago(status.created, time.time()), run.id]
    with st.container(horizontal=True, vertical_alignment="center"):
        state_badge(status.state if config else "unreadable")
        st.caption(plain(" · ".join(words)))


def title_of(run: RunDirectory, config: dict[str, Any]) -> str:
    """The title of what was declared, the same in every state; of a typed equation the equation."""
    title = _found(run) or _declared(run)
    typed = "; ".join(text for text in config.get("equation") or [] if isinstance(text, str))
    name = str(title or config.get("plugin") or typed or config.get("kind") or run.id)
    return name if len(name) <= LONGEST else f"{name[:LONGEST]}…"


def _found(run: RunDirectory) -> str:
    """The title as the result has it; empty before there is one."""
    try:
        found = run.summary()
    except RunError:
        return ""
    return found.title if found else ""


def _declared(run: RunDirectory) -> str:
    """The title as provenance.json keeps it from the first moment on; empty in runs of before it did."""
    try:
        return str((run.provenance().get("plugin") or {}).get("title") or "")
    except (RunError, AttributeError):
        return ""


def config_of(run: RunDirectory) -> dict[str, Any]:
    """The run's settings; empty if they can't be read."""
    try:
        return run.config()
    except RunError:
        return {}
