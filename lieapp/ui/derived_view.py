"""All that a derivation found, in the order in which one reads it: from the JSON of `lieapp truth`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from lieapp.runs.directory import RunDirectory
from lieapp.ui.consequences_view import show_flows, show_reductions
from lieapp.ui.derivation_view import show_derivation, show_statement
from lieapp.ui.places import file_of
from lieapp.ui.structure_view import show_structure
from lieapp.ui.truth_view import show_truth
from lieapp.ui.words import plain


def show_derived(truth: Mapping[str, Any]) -> None:
    """Equation, symmetries, brackets, flows, reductions, and the way there; what wasn't asked for is left out.

    A result of another form, from a later version or another hand, is shown as far as it can be read.
    """
    try:
        _show(truth)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        st.error(
            f"The rest of this result can't be read: {plain(repr(error)[:300])}", icon=":material/broken_image:"
        )
        st.caption("It may be of another version of lieapp. The files below have all of it.")


def _show(truth: Mapping[str, Any]) -> None:
    explained = truth.get("explain") or {}
    if explained.get("equations"):
        show_statement(explained)
    st.subheader("Symmetries")
    show_truth(truth)
    show_structure(truth)
    show_flows(truth)
    show_reductions(truth)
    if explained:
        show_derivation(explained)


def show_derived_files(run: RunDirectory, truth: Mapping[str, Any]) -> None:
    """The result to take away, as JSON and as LaTeX."""
    st.subheader("Files")
    with st.container(horizontal=True):
        if file := file_of(run, "summary.json"):
            told = "The JSON of `lieapp truth --json`"
            # read when it is asked for, not at every rerun
            st.download_button(
                "JSON", file.read_bytes, f"{run.id}.json", "application/json", help=told, on_click="ignore"
            )
        if truth.get("latex"):
            latex, told = str(truth["latex"]), "As `aligned` blocks, for a paper"
            st.download_button("LaTeX", latex, f"{run.id}.tex", "text/plain", help=told, on_click="ignore")
