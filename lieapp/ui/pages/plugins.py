"""Plugins: what was loaded, from where, what it says, what is broken; and a form that makes a new file."""

from __future__ import annotations

import streamlit as st

from lieapp.registry.catalog import Catalog, Entry, load_catalog
from lieapp.ui.drawing import formula
from lieapp.ui.equations import evolution_latex, system_latex
from lieapp.ui.help import tip
from lieapp.ui.missing import show_missing
from lieapp.ui.navigation import page
from lieapp.ui.plugin_check import show_check
from lieapp.ui.plugin_form import show_form, show_written
from lieapp.ui.plugin_origin import show_all, show_broken, show_origin
from lieapp.ui.words import plain

# no docstring below constants, the app would print it
THERE, NEW = "What is there", "A new one"


def show() -> None:
    """The whole page."""
    st.title("Plugins")
    st.markdown(
        "An equation is one Python file with a declaration in it. Put yours into `plugins/`; this page reads "
        "the files anew each time it is opened."
    )
    view = st.segmented_control(
        "View", [THERE, NEW], default=THERE, key="view", required=True, bind="query-params",
        label_visibility="collapsed",
    )  # fmt: skip
    if view == NEW:
        show_form()
        show_written()
    else:
        _there(load_catalog())


def _there(catalog: Catalog) -> None:
    for broken in catalog.broken:
        show_broken(broken)
    if not catalog.entries:
        st.info("No plugin was found.", icon=":material/extension_off:")
        return
    entry = _chosen(catalog)
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


def _chosen(catalog: Catalog) -> Entry | None:
    titles = {entry.name: entry.title for entry in catalog.entries}
    names = list(titles)
    asked = st.query_params.get("plugin", "")
    if asked and asked not in names:
        show_missing(catalog, asked, "plugins")
    index = names.index(asked) if asked in names else None if asked else 0
    name: str | None = st.selectbox(
        "Plugin", names, index=index, format_func=lambda n: f"{n}: {titles[n]}", placeholder="Choose another"
    )
    if name is None:
        return None
    st.query_params["plugin"] = name
    if asked and asked not in names:
        st.rerun()
    return catalog.get(name)


def _equation(entry: Entry) -> None:
    left, right = st.columns(2)
    with left:
        st.markdown("**Equation**")
        for latex in system_latex(entry.declaration):
            st.markdown(formula(rf"\displaystyle {latex}"))
    with right:
        st.markdown("**Evolution form**", help=tip("evolution"))
        forms = evolution_latex(entry.declaration)
        for latex in forms.formulas:
            st.markdown(formula(rf"\displaystyle {latex}"))
        if forms.error:
            st.caption(plain(forms.error))


def _links(entry: Entry, equation: bool) -> None:
    link = {"query_params": {"plugin": entry.name}}
    with st.container(horizontal=True):
        if equation:
            st.page_link(page("explore"), label="Derive its symmetries", icon=":material/function:", **link)
        st.page_link(page("discover"), label="Discover them in data", icon=":material/travel_explore:", **link)


show()
