"""A plugin that an address names and that can't be shown: why, what is called nearly so, where to look."""

from __future__ import annotations

from difflib import get_close_matches

import streamlit as st

from lieapp.errors import PluginError, UnknownPluginError
from lieapp.registry.catalog import Catalog
from lieapp.ui.navigation import page
from lieapp.ui.words import plain

NEAREST = 3
"""Names offered at most."""

LONGEST = 100
"""Characters of a name from an address that are shown."""


def show_missing(catalog: Catalog, name: str, here: str) -> None:
    """Say why there is nothing of that name.

    Args:
        here: the page that links to nearly equal names open.
    """
    st.warning(plain(reason(catalog, name)), icon=":material/search_off:")
    with st.container(horizontal=True):
        for near in get_close_matches(name[:LONGEST], [entry.name for entry in catalog.entries], n=NEAREST):
            st.page_link(page(here), label=plain(near), query_params={"plugin": near})
        st.page_link(page("plugins"), label="All plugins", icon=":material/extension:")


def reason(catalog: Catalog, name: str) -> str:
    """Why `Catalog.get` refuses a name: its file is broken, two files use it, or there is none."""
    try:
        catalog.get(name)
    except UnknownPluginError:
        return f"There is no plugin {name[:LONGEST]!r}."
    except PluginError as error:
        return error.message
    return f"The plugin {name[:LONGEST]!r} can't be shown here."
