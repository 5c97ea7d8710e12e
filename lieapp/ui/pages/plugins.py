"""Plugins: what was loaded, from where, what it says, what is broken; and a form that makes a new file."""

from __future__ import annotations

import streamlit as st

from lieapp.errors import LieappError
from lieapp.registry.catalog import Catalog, Entry
from lieapp.ui.help import tip
from lieapp.ui.navigation import catalog_of, choose_plugin, page, show_no_plugin
from lieapp.ui.plugin_views import (
    evolution_latex,
    show_all,
    show_broken,
    show_check,
    show_form,
    show_origin,
    show_written,
    system_latex,
)
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
        show_form()
        show_written()
    else:
        _there(catalog_of())


def _there(catalog: Catalog) -> None:
    for broken in catalog.broken:
        show_broken(broken)
    if not catalog.entries:
        show_no_plugin()
        return
    entry = choose_plugin(catalog, "plugins")
    if entry is None:
        show_all(catalog)
        return
    st.header(plain(entry.title))
    if entry in catalog.equations:
        _equation(entry)
    else:
        what = plain(entry.kind.words[1].capitalize())
        st.markdown(f"{what}, of which symmetries are sought. Nothing can be derived for them.")
    _links(entry, entry in catalog.equations)
    show_origin(entry)
    show_check(entry, catalog)
    show_all(catalog)


def _equation(entry: Entry) -> None:
    left, right = st.columns(2)
    with left:
        st.markdown("**Equation**")
        show_formulas(system_latex(entry.declaration))
    with right:
        st.markdown("**Evolution form**", help=tip("evolution"))
        try:
            show_formulas(evolution_latex(entry.declaration))
        except LieappError as error:
            st.caption(plain(f"{error.message} {error.hint}".strip()))


def _links(entry: Entry, equation: bool) -> None:
    link = {"query_params": {"plugin": entry.name}}
    with st.container(horizontal=True):
        if equation:
            st.page_link(page("explore"), label="Derive its symmetries", icon=":material/function:", **link)
        st.page_link(page("discover"), label="Discover them in data", icon=":material/travel_explore:", **link)


show()
