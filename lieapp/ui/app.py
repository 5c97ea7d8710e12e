"""The app's entry: `streamlit run` on this file, or on streamlit_app.py, which only calls it."""

from __future__ import annotations

import streamlit as st

from lieapp.ui.navigation import menu, show_address
from lieapp.ui.rendering import CSS

# a picture of our own: Streamlit would ask a server of fonts for one of its icons; no docstring below it, which
# Streamlit would print on each page of the script that it runs
ICON = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24">'
    '<path fill="none" stroke="#b02a3a" stroke-width="2.6" d="M12 12c-2-3-4-5-6.5-5a5 5 0 0 0 0 10'
    'c2.5 0 4.5-2 6.5-5s4-5 6.5-5a5 5 0 0 1 0 10c-2.5 0-4.5-2-6.5-5z"/></svg>'
)


def main() -> None:
    """One rerun: choose the page that the address names and run it."""
    st.set_page_config(page_title="lieapp", page_icon=ICON, layout="wide")
    st.html(CSS)
    show_address()
    st.navigation(menu()).run()


if __name__ == "__main__":
    main()
