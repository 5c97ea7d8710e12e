"""Where a plugin comes from, and what is wrong with files that could not be loaded."""

from __future__ import annotations

import streamlit as st

from lieapp.registry.catalog import Catalog, Entry
from lieapp.registry.modules import Broken
from lieapp.registry.sources import SHIPPED
from lieapp.ui.drawing import facts_block, table
from lieapp.ui.help import tip
from lieapp.ui.words import plain

LARGEST = 200_000
"""Bytes of a file up to which it is shown, or its broken line looked up."""


def show_broken(broken: Broken) -> None:
    """A file that was not loaded, its error, and the line between its neighbours."""
    place = f"{broken.name}, line {broken.line}" if broken.line else broken.name
    with st.container(border=True):
        st.error(f"**{plain(place)}** was not loaded: {plain(broken.error)}", icon=":material/broken_image:")
        lines = _around(broken)
        if lines:
            st.code(lines, language="text")


def _around(broken: Broken) -> str:
    if broken.file is None or broken.line is None:
        return ""
    try:
        if broken.file.stat().st_size > LARGEST:
            return ""
        lines = broken.file.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return ""
    first = max(broken.line - 3, 0)
    shown = lines[first : broken.line + 2]
    return "\n".join(
        f"{'>' if number == broken.line else ' '} {number:4d}  {line[:160]}"
        for number, line in enumerate(shown, start=first + 1)
    )


def show_origin(entry: Entry) -> None:
    """File, source, hooks and fingerprint; the file's text, folded."""
    st.subheader("Where it comes from", help=tip("sha256"))
    facts = [
        ("file", _place(entry)),
        ("found by", entry.source),
        ("hooks", ", ".join(entry.hooks)),
        ("sha256", entry.sha256),
    ]
    facts_block(facts)
    text = _text(entry)
    if text:
        with st.expander("The file"):
            st.code(text, language="python", height=400 if text.count("\n") > 18 else "content")


def _place(entry: Entry) -> str:
    """The file; of a shipped one without the folder that lieapp is in."""
    if entry.file is None:
        return "an installed package"
    return f"{entry.file.parent.name}/{entry.file.name}" if entry.source == SHIPPED else str(entry.file)


def _text(entry: Entry) -> str:
    try:
        if entry.file is None or entry.file.stat().st_size > LARGEST:
            return ""
        return entry.file.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def show_all(catalog: Catalog) -> None:
    """Every plugin in a line."""
    with st.expander(f"All {len(catalog.entries)} plugins"):
        rows = [
            (plain(e.name), plain(e.title), plain(e.source), plain(", ".join(e.hooks)), plain(_place(e)))
            for e in catalog.entries
        ]
        table(("name", "title", "found by", "hooks", "file"), rows)
