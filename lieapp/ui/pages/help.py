"""Help: each symbol and score with its formula, and the pages of docs/."""

from __future__ import annotations

import streamlit as st

from lieapp.ui import help as docs
from lieapp.ui.navigation import link
from lieapp.ui.words import plain


def show() -> None:
    """The whole page."""
    asked = st.query_params.get("doc", "")
    if not asked:
        _terms()
        return
    head, _, rest = docs.text(asked).partition("\n")
    st.title(head.removeprefix("# ").strip() or "Help")
    if head:
        st.markdown(rest)
        _others(asked)
    else:
        st.warning(f"There is no page {plain(repr(asked[:100]))}.", icon=":material/search_off:")
    link("help", "Symbols and scores", "help")


def _terms() -> None:
    st.title("Help")
    st.markdown("Meaning of symbols and scores; the documentation has details and examples.")
    _others("")
    st.subheader("Symbols and scores")
    wanted = st.text_input("Search", key="wanted", max_chars=60, live=True, icon=":material/search:").casefold()
    found = [told for told in docs.TERMS.values() if wanted in told.rpartition(" [")[0].casefold()]
    for told in found:
        st.markdown(told)
    if not found:
        st.caption("No match.")


def _others(name: str) -> None:
    found = [other for other in docs.names() if other not in (name, docs.TERMS_PAGE)]
    with st.expander(f"Documentation: {len(found)} {'more ' if name else ''}pages", expanded=not name):
        for other in found:
            link("help", plain(docs.title(other)), "description", doc=other)


show()
