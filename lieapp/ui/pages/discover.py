"""Discover: choose plugin and settings, see the command line that does the same, start."""

from __future__ import annotations

from typing import Any

import msgspec
import streamlit as st

from lieapp.config import DiscoverConfig
from lieapp.errors import LieappError
from lieapp.registry.catalog import Catalog, load_catalog
from lieapp.ui import forms, jobs
from lieapp.ui.navigation import open_run, page
from lieapp.ui.places import runs_root
from lieapp.ui.words import plain

# settings that are always shown, the rest being folded; no docstring, the app would print it
COMMON = ("method", "slots", "seed")


def show() -> None:
    """The whole page."""
    st.title("Discover")
    st.markdown("Learn symmetries from simulated solutions and compare them with the derived ones.")
    catalog = load_catalog()
    if catalog.broken:
        names = ", ".join(broken.name for broken in catalog.broken)
        st.warning(
            f"Not loaded: {plain(names)}. The Plugins page says why.",
            icon=":material/warning:",
        )
    if not catalog.entries:
        st.info("No plugin was found.", icon=":material/extension_off:")
        return
    plugin = _plugin(catalog)
    values = {"plugin": plugin, **_settings()}
    _start(catalog, values)


def _plugin(catalog: Catalog) -> str:
    titles = {entry.name: entry.title for entry in catalog.entries}
    names = list(titles)
    asked = st.query_params.get("plugin", "ckdv")
    if asked not in names:
        if "plugin" in st.query_params:
            st.warning(f"There is no plugin {plain(repr(asked))}.", icon=":material/search_off:")
        asked = names[0]
    chosen: str = st.selectbox(
        "Equation", names, index=names.index(asked), format_func=lambda name: f"{name}: {titles[name]}"
    )
    # the address then opens this form as it stands
    st.query_params["plugin"] = chosen
    return chosen


def _settings() -> dict[str, Any]:
    settings = forms.fields(DiscoverConfig)
    values = {}
    shown = [name for name in COMMON if name in settings]
    for column, name in zip(st.columns(len(shown)), shown, strict=True):
        with column:
            values[name] = forms.ask(settings[name])
    with st.expander("More settings"):
        for name, setting in settings.items():
            if name not in shown:
                values[name] = forms.ask(setting)
    return values


def _start(catalog: Catalog, values: dict[str, Any]) -> None:
    defaults = {name: setting.default for name, setting in forms.fields(DiscoverConfig).items()}
    st.caption("The same on a terminal:")
    st.code(forms.command_line("discover", values, defaults, runs_root()), language="bash", wrap_lines=True)
    if not st.button("Start", type="primary", icon=":material/play_arrow:"):
        st.caption("The run is a process of its own: it goes on if you close this page.")
        return
    try:
        config = msgspec.convert(values, DiscoverConfig)
        run_id = jobs.start(config, values["plugin"], catalog)
    except msgspec.ValidationError as error:
        st.error(f"These settings don't fit: {plain(error)}", icon=":material/error:")
    except LieappError as error:
        st.error(f"{plain(error.message)} {plain(error.hint)}", icon=":material/error:")
        st.page_link(page("plugins"), label="Plugins")
    else:
        open_run(run_id)


show()
