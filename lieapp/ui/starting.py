"""The end of a form: the command line that does the same, the cost, and the button that starts the run."""

from __future__ import annotations

from typing import Any

import msgspec
import streamlit as st

from lieapp.errors import LieappError
from lieapp.extension import Work
from lieapp.registry.catalog import Catalog, Entry
from lieapp.ui import forms, jobs, navigation
from lieapp.ui.rendering import show_error
from lieapp.ui.words import advice, duration, plain


def show_start(
    catalog: Catalog, entry: Entry, work: Work, defaults: dict[str, Any], values: dict[str, Any]
) -> None:
    """The command line, what is wrong with the settings or what they cost, and Start."""
    st.caption("Equivalent command:")
    folders = [folder for folder in catalog.folders if entry.file and entry.file.resolve().parent == folder]
    line = forms.command_line(work.command, values, defaults, navigation.runs_root(), folders)
    st.code(line, language="bash", wrap_lines=True)
    try:
        config = jobs.checked(work, values, catalog)
        _cost(work, config, entry)
    except LieappError as error:
        config = None
        show_error(error)
    if not st.button("Start", type="primary", icon=":material/play_arrow:", disabled=config is None):
        st.caption("The run is a separate process: it continues if you close this page.")
    elif config is not None:
        try:
            run_id = jobs.start(config, entry, catalog)
        except LieappError as error:
            st.error(f"{plain(error.message)} {advice(error.hint)}", icon=":material/error:")
        else:
            st.switch_page(navigation.page("run"), query_params={"run": run_id})


def _cost(work: Work, config: msgspec.Struct, entry: Entry) -> None:
    """Time and memory that the run will take, as far as that is known."""
    for words in work.costs(config, entry.declaration):
        st.warning(plain(words), icon=":material/timer:")
    said, found, took = [], work.estimate(config, entry.declaration), jobs.took(config)
    if found is not None:
        seconds, memory = found
        about = duration(float(f"{seconds:.2g}"))
        said.append(f"Estimate: {about} and {memory / 1e9:.1f} GB of memory on one core.")
    if took is not None:
        said.append(f"The last run with this method took {duration(took)}.")
    if said:
        st.caption(plain(" ".join(said)))
