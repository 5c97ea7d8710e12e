"""What several pages draw: tables, stored figures, a run's state and log."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import streamlit as st

from lieapp.document import Draw, Figure
from lieapp.runs.store.directory import RunDirectory
from lieapp.ui.places import file_of
from lieapp.ui.words import enclosed, sign


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """A table of Markdown cells; text from files has to be `plain` already."""
    lines = [" | ".join(head), " | ".join("---" for _ in head), *(" | ".join(row) for row in rows)]
    st.markdown("\n".join(f"| {line} |" for line in lines))


def facts_block(facts: Sequence[tuple[str, str]]) -> None:
    """Names and values, to copy; long ones such as a sha256 wrap where a table would be cut off."""
    width = max((len(name) for name, _ in facts), default=0)
    text = "\n".join(f"{name:{width}}  {value}" for name, value in facts)
    st.code(text or "nothing was recorded", language="text", wrap_lines=True)


def formula(latex: str) -> str:
    """A formula inside a line or a table's cell."""
    return f"${enclosed(latex)}$"


def state_badge(state: str) -> None:
    """The state as a word with an icon; its meaning under the pointer."""
    shown = sign(state)
    st.badge(shown.word, icon=shown.icon, color=shown.colour, help=shown.meaning or None)


def stored_figure(folder: Path, key: str) -> str:
    """A figure as the run left it in figures/; empty where there is none."""
    try:
        text = (folder / "figures" / f"{key}.svg").read_text(encoding="utf-8")
    except (OSError, ValueError):
        return ""
    # with the blank: Streamlit takes anything else for the name of a file
    return text if text.startswith("<svg ") else ""


def stored(folder: Path) -> Draw:
    """The figures that a run left, for its document."""
    return lambda key: Figure(key, "", svg=stored_figure(folder, key))


LAST_BYTES = 6000
"""How much of the end of a log is shown."""


def log_tail(run: RunDirectory) -> None:
    """The last lines of log.txt."""
    file = file_of(run, "log.txt")
    text = "" if file is None else _end_of(file)
    if text.strip():
        st.code(text, language="text", wrap_lines=True, height=260 if text.count("\n") > 9 else "content")
    else:
        st.caption("Nothing was logged yet.")


def _end_of(file: Path) -> str:
    try:
        with file.open("rb") as stream:
            stream.seek(0, 2)
            stream.seek(max(stream.tell() - LAST_BYTES, 0))
            return stream.read().decode("utf-8", errors="replace")
    except OSError:
        return ""
