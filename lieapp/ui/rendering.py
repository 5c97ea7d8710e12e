"""A document on a page of the app: what it says, in Streamlit's elements."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from lieapp.document import (
    Block,
    Cell,
    Column,
    Document,
    Figure,
    Formula,
    Heading,
    Notice,
    Table,
    Text,
    Words,
    inline,
)
from lieapp.ui.help import TERMS, tip
from lieapp.ui.words import advice, enclosed, plain, unbroken

ICONS = {"success": "verified", "info": "info", "warning": "warning", "error": "error"}


def show(document: Document) -> None:
    """Every block below the one before it."""
    for block in document:
        show_block(block)


def show_block(block: Block) -> None:
    """One block. Text that isn't lieapp's own can't act: Markdown shows it as it is."""
    match block:
        case Heading():
            tips = [tip(term) for term in block.term.split() if term in TERMS]
            st.subheader(plain(block.text), help="\n\n".join(tips) or None)
        case Text():
            (st.caption if block.small else st.markdown)(markdown(block.words))
        case Formula():
            st.latex(enclosed(block.latex))
        case Notice():
            kinds = {"success": st.success, "info": st.info, "warning": st.warning, "error": st.error}
            kinds[block.level](markdown(block.words), icon=f":material/{ICONS[block.level]}:")
        case Table():
            _table(block)
        case Figure():
            picture(block)


def markdown(words: Words, write: Callable[[str], str] = advice) -> str:
    """A line as Markdown, its formulas between dollars, what is to be typed as code."""
    return "".join(write(part) if isinstance(part, str) else f"${enclosed(part.latex)}$" for part in inline(words))


def picture(shown: Figure, *, caption: bool = True) -> None:
    """A figure, or the sentence in its place.

    As an image, not as part of the page: nothing in an SVG file of a run folder can then act.
    """
    if shown.svg:
        st.image(shown.svg, alt=shown.title)
        if caption and shown.caption:
            st.caption(plain(shown.caption))
    else:
        st.caption(plain(shown.note))


def _table(block: Table) -> None:
    head = [markdown(column.head) for column in block.columns]
    # an empty head of a Markdown table ends it
    lines = [head, ["--:" if column.number else "---" for column in block.columns]]
    lines += [[_cell(column, cell) for column, cell in zip(block.columns, row, strict=True)] for row in block.rows]
    st.markdown("\n".join(f"| {' | '.join(line)} |" for line in lines))


def _cell(column: Column, cell: Cell) -> str:
    if cell in (None, ""):
        return "–"
    return unbroken(cell) if column.number and isinstance(cell, str) else markdown(cell, plain)
