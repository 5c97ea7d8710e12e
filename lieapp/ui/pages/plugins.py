"""Plugins: what was loaded, from where, what it says, what is broken; and a form that makes a new file."""

from __future__ import annotations

import streamlit as st

from lieapp.errors import LieappError
from lieapp.registry.catalog import Catalog, Entry
from lieapp.ui import plugin_views
from lieapp.ui.help import tip
from lieapp.ui.navigation import catalog_of, choose_plugin, link, show_no_plugin
from lieapp.ui.rendering import show_formulas
from lieapp.ui.words import plain

# no docstring below constants, the app would print it
THERE, NEW = "Available", "New plugin"


def show() -> None:
    """The whole page."""
    st.title("Plugins")
    st.markdown(
        "An equation is one Python file with a declaration. Put yours into `plugins/`; this page rereads the "
        "files whenever you open it."
    )
    view = st.segmented_control(
        "View", [THERE, NEW], default=THERE, key="view", required=True, bind="query-params",
        label_visibility="collapsed",
    )  # fmt: skip
    if view == NEW:
        plugin_views.show_form()
        plugin_views.show_written()
    else:
        _there(catalog_of())


def _there(catalog: Catalog) -> None:
    for broken in catalog.broken:
        plugin_views.show_broken(broken)
    if not catalog.entries:
        show_no_plugin()
        return
    entry = choose_plugin(catalog, "plugins")
    if entry is None:
        plugin_views.show_all(catalog)
        return
    st.header(plain(entry.title))
    if entry in catalog.equations:
        _equation(entry)
    else:
        what = plain(entry.kind.words[1].capitalize())
        st.markdown(f"{what}, of which symmetries are sought. Nothing can be derived for them.")
    with st.container(horizontal=True):
        if entry in catalog.equations:
            link("explore", "Derive its symmetries", "function", plugin=entry.name)
        link("discover", "Discover them in data", "travel_explore", plugin=entry.name)
    plugin_views.show_origin(entry)
    plugin_views.show_check(entry, catalog)
    plugin_views.show_all(catalog)


def _equation(entry: Entry) -> None:
    left, right = st.columns(2)
    with left:
        st.markdown("**Equation**")
        show_formulas(plugin_views.system_latex(entry.declaration))
    with right:
        st.markdown("**Evolution form**", help=tip("evolution"))
        try:
            show_formulas(plugin_views.evolution_latex(entry.declaration))
        except LieappError as error:
            st.caption(plain(f"{error.message} {error.hint}".strip()))


show()
