"""The top of a run's page: which equation, which settings, which state."""

from __future__ import annotations

import time
from typing import Any

import streamlit as st

from lieapp.errors import RunError
from lieapp.runs.directory import RunDirectory
from lieapp.ui.drawing import state_badge
from lieapp.ui.words import ago, plain

_SHOWN = ("method", "slots", "seed")


def show_head(run: RunDirectory) -> None:
    """Title, state and main settings, which are there from the first moment of a run."""
    config = config_of(run)
    status = run.status()
    name = config.get("plugin") or config.get("kind") or run.id
    summary = run.summary() or {}
    st.title(plain(summary.get("title") or name))
    settings = [f"{key} {config[key]}" for key in _SHOWN if config.get(key) is not None]
    words = [f"{config.get('kind', '')} {name}", *settings, ago(status.created, time.time()), run.id]
    with st.container(horizontal=True, vertical_alignment="center"):
        state_badge(status.state if config else "unreadable")
        st.caption(plain(" · ".join(words)))


def config_of(run: RunDirectory) -> dict[str, Any]:
    """The run's settings; empty if they can't be read."""
    try:
        return run.config()
    except RunError:
        return {}
