"""What can be done next with a run that has ended: links that open forms filled with its settings."""

from __future__ import annotations

import streamlit as st

from lieapp.runs.store.directory import RunDirectory
from lieapp.ui.navigation import config_of, link

PASSING = ("FileError", "MemoryLackError", "RunError")
"""Errors that may be gone at the next try; any other one comes again with the same settings."""


def again(run: RunDirectory) -> tuple[str, dict[str, str]]:
    """The page and the address of the form with a run's settings."""
    derived = config_of(run).get("kind") == "truth"
    return ("explore", {"run": run.id}) if derived else ("discover", {"again": run.id})


def fails_again(run: RunDirectory) -> bool:
    """Whether a run failed by an error that another try with the same settings meets too."""
    status = run.status()
    return status.state == "failed" and (status.error or {}).get("type") not in PASSING


def show_steps(run: RunDirectory, here: str = "run") -> None:
    """The links below the head of a finished run on the page `here`; nothing of a self-check."""
    config = config_of(run)
    kind, plugin, domain = config.get("kind"), config.get("plugin"), config.get("domain")
    if not kind or kind == "check":
        return
    with st.container(horizontal=True):
        key, address = again(run)
        if key != here:
            link(key, "Run again with changes", "tune", **address)
        link("compare", "Compare with…", "compare_arrows", runs=run.id)
        if kind == "truth":
            typed = {"source": "typed", "from": run.id}
            link("discover", "Discover in data", "travel_explore", **({"plugin": str(plugin)} if plugin else typed))
            return
        if kind == "discover" and domain in (None, "images"):
            prefix, ways = ("augment", "none, truth") if domain is None else ("augmentimages", "none, affine")
            moved = {"command": "augment", f"{prefix}-variants": f"{ways}, {run.id}", "like": run.id}
            link("discover", "Train on moved data", "model_training", plugin=str(plugin), **moved)
        if domain is None:
            link("explore", "Derive", "function", plugin=str(plugin))
