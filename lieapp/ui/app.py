"""The app's entry: `streamlit run` on this file, or on streamlit_app.py, which only calls it."""

from __future__ import annotations

import streamlit as st

from lieapp.ui.navigation import menu
from lieapp.ui.rendering import CSS


def main() -> None:
    """One rerun: choose the page that the address names and run it."""
    st.set_page_config(page_title="lieapp", page_icon=":material/all_inclusive:", layout="wide")
    st.html(CSS)
    st.navigation(menu()).run()


if __name__ == "__main__":
    main()
