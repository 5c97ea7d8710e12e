"""The files of a run to download, and the address of the view that is open."""

from __future__ import annotations

from urllib.parse import urlencode

import streamlit as st

from lieapp.runs.store.directory import RunDirectory
from lieapp.ui.places import file_of

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
