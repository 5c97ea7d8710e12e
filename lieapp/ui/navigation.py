"""The pages and their addresses. Each is a file, so that a test or a link can open it by itself."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

FOLDER = Path(__file__).parent / "pages"

_PAGES = {
    "home": ("Home", ":material/home:"),
    "explore": ("Explore", ":material/function:"),
    "discover": ("Discover", ":material/travel_explore:"),
    "run": ("Run", ":material/monitoring:"),
    "runs": ("Runs", ":material/list:"),
    "compare": ("Compare", ":material/compare_arrows:"),
    "plugins": ("Plugins", ":material/extension:"),
    "help": ("Help", ":material/help:"),
}


def page(key: str) -> st.Page:
    """The page of that key, for links and for the menu."""
    title, icon = _PAGES[key]
    return st.Page(FOLDER / f"{key}.py", title=title, icon=icon, url_path=key, default=key == "home")


def menu() -> list[st.Page]:
    """All pages, in the order of the menu."""
    return [page(key) for key in _PAGES]


def link_to_run(run_id: str, label: str) -> None:
    """A link that opens a run; its address can be sent to somebody else."""
    st.page_link(page("run"), label=label, query_params={"run": run_id})


def open_run(run_id: str) -> None:
    """Leave this page for a run's."""
    st.switch_page(page("run"), query_params={"run": run_id})
