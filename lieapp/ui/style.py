"""What Streamlit's style lacks: wide tables scroll in their own box, figures fit the window, text can be read."""

from __future__ import annotations

import streamlit as st

CAPTION = 0.76
"""Opacity of captions; Streamlit's .6 leaves less than 4.5 of contrast on white."""

TOKENS = {
    "comment, prolog, doctype, cdata, punctuation": ("#5c6066", "#b8bcc6"),
    "keyword, tag, function, class-name, selector": ("#0b5cad", "#7cb7ff"),
    "attr-name, property, variable": ("#00647a", "#63d2ee"),
    "boolean, constant, symbol": ("#176b33", "#5fd38a"),
    "number, regex": ("#0b665a", "#58d1bd"),
    "string, char, attr-value": ("#17692c", "#6fd68c"),
    "operator, entity, decorator, atrule": ("#8f4700", "#ffb072"),
}
"""Colours of the words of a code block in the light and in the dark theme."""

ON_PRIMARY = ("#ffffff", "#171614")
"""Text on primary buttons and chosen names in both themes: the dark primary colour is light, to be read as text."""


def _token(names: str, light: str, dark: str) -> str:
    places = ", ".join(f'[data-testid="stCode"] code .token.{name}' for name in names.split(", "))
    return f"{places} {{ color: light-dark({light}, {dark}) !important; }}"


CSS = f"""<style>
[data-testid="stMarkdownContainer"] table {{
  display: block; overflow-x: auto; width: fit-content; max-width: 100%; }}
[data-testid="stImageContainer"] img {{ max-width: 100%; height: auto; }}
[data-testid="stCaptionContainer"] {{ opacity: {CAPTION} !important; }}
[data-testid="stBaseButton-primary"], [data-testid="stMultiSelect"] [data-tag] * {{
  color: light-dark({", ".join(ON_PRIMARY)}) !important; }}
{chr(10).join(_token(names, *colours) for names, colours in TOKENS.items())}
</style>"""


def add_style() -> None:
    """Put it on the page, once for each rerun."""
    st.html(CSS)
