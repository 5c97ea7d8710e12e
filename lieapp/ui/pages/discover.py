"""Discover: choose plugin and settings, see the command line that does the same, start."""

from __future__ import annotations

from typing import Any

import msgspec
import streamlit as st

from lieapp.config import DiscoverConfig, load_config
from lieapp.errors import LieappError
from lieapp.registry.catalog import Catalog, load_catalog
from lieapp.ui import forms, jobs
from lieapp.ui.navigation import open_run, page
from lieapp.ui.places import runs_root
from lieapp.ui.words import plain

# settings that are always shown, the rest being folded; no docstring, the app would print it
COMMON = ("preset", "method", "slots", "seed")


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
    if not catalog.equations:
        st.info("No plugin was found.", icon=":material/extension_off:")
        return
    plugin = _plugin(catalog)
    defaults, values = _settings(plugin)
    _start(catalog, defaults, values)


def _plugin(catalog: Catalog) -> str:
    titles = {entry.name: entry.title for entry in catalog.equations}
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


def _settings(plugin: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """What the preset gives, and what the form has instead."""
    settings = forms.fields(DiscoverConfig)
    columns = dict(zip(COMMON, st.columns(len(COMMON)), strict=True))
    with columns["preset"]:
        preset = forms.ask(settings["preset"], settings["preset"].default)
    defaults = msgspec.to_builtins(load_config(DiscoverConfig, plugin=plugin, preset=preset))
    values = dict(defaults)
    # other defaults need other widgets: a widget keeps what it showed first
    version = "" if preset == settings["preset"].default else f"_{preset}"
    for name in COMMON[1:]:
        with columns[name]:
            values[name] = forms.ask(settings[name], defaults[name], version)
    with st.expander("More settings"):
        for name, setting in settings.items():
            if name not in COMMON:
                values[name] = forms.ask(setting, defaults[name], version)
    return {**defaults, "preset": settings["preset"].default}, values


def _start(catalog: Catalog, defaults: dict[str, Any], values: dict[str, Any]) -> None:
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
