"""What Streamlit's style lacks: figures and tables wider than a telephone scroll inside their own box."""

from __future__ import annotations

import streamlit as st

CSS = """<style>
[data-testid="stMarkdownContainer"] table { display: block; overflow-x: auto; width: fit-content; max-width: 100%; }
@media (max-width: 640px) {
  [data-testid="stImageContainer"] { overflow-x: auto; justify-content: flex-start; }
  [data-testid="stImageContainer"] img { max-width: none !important; min-width: max-content; flex: none; }
}
</style>"""
"""Text in a figure of 900 pixels that is shrunk to 350 can't be read."""


def add_style() -> None:
    """Put it on the page, once for each rerun."""
    st.html(CSS)
