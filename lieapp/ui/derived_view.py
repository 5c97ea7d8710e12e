"""A derivation's result, laid out: columns, a table of brackets, the way to it folded."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st
from msgspec import UNSET

from lieapp.document import Block, Column, Formula, Table, Text, section, sections
from lieapp.report.truth_document import document
from lieapp.results.truth import TruthResult
from lieapp.runs.directory import RunDirectory
from lieapp.ui.finished import readable, show_files
from lieapp.ui.help import popover, tip
from lieapp.ui.rendering import markdown, show, show_block
from lieapp.ui.words import plain

LARGEST = 12
"""Generators up to which the brackets are a table; more are listed."""


def show_derived(run: RunDirectory) -> None:
    """Equation, symmetries, brackets, flows, reductions, the way there, and files; why where it can't be read."""
    if result := readable(run, TruthResult):
        _show(result)
    show_files(run)
    if result and result.latex is not UNSET:
        told = "As `aligned` blocks, for a paper"
        st.download_button("LaTeX", result.latex, f"{run.id}.tex", "text/plain", help=told, on_click="ignore")


def _show(result: TruthResult) -> None:
    shown = document(result)
    _beside(section(shown, "statement"), section(shown, "evolution"))
    head, badge, terms = st.columns([3, 2, 1], vertical_alignment="center")
    with head:
        show(sections(shown)[0][1])
    with badge:
        _certified(result)
    with terms:
        popover("generator", "families", "periodic", "certified", "assumed", "invariants")
    _beside(section(shown, "symmetries"), section(shown, "periodic"))
    if result.structure.brackets and len(result.generators) <= LARGEST:
        show([*section(shown, "brackets")[:1], _brackets(result)])
        modulo = " modulo the families" if result.structure.modulo_families else ""
        st.caption(f"Row first, then column{modulo}; a dot is 0.")
    else:
        show(section(shown, "brackets"))
    show(section(shown, "structure", "flows", "reductions", "completeness", "derivation"))
    for title, blocks in sections(section(shown, "determining", "steps", "general")):
        with st.expander(plain(title.text)):
            _listed(blocks)


def _beside(left: Sequence[Block], right: Sequence[Block]) -> None:
    """Two sections beside each other; one of them, or none, as it is."""
    if not (left and right):
        show([*left, *right])
        return
    for column, blocks in zip(st.columns(2), (left, right), strict=True):
        with column:
            show(blocks)


def _certified(result: TruthResult) -> None:
    if result.certified:
        st.badge("certified complete", icon=":material/verified:", color="green", help=tip("certified"))
    elif result.unsolved:
        st.badge("may be incomplete", icon=":material/pending:", color="orange", help=tip("certified"))
    else:
        st.badge("not certified", icon=":material/help:", color="orange", help=tip("certified"))


def _brackets(result: TruthResult) -> Table:
    """[row, column]; below the diagonal the same with the other sign."""
    structure, count = result.structure, len(result.generators)
    cells = [[Formula("0", r"\cdot")] * count for _ in range(count)]
    for (i, j, _), there, back in zip(
        structure.brackets, structure.brackets_shown, structure.opposite_shown, strict=True
    ):
        cells[i][j], cells[j][i] = there, back
    names = [Formula(f"V{k}", f"V_{{{k}}}") for k in range(1, count + 1)]
    head = Formula("[row, column]", r"[\,\cdot\,,\,\cdot\,]")
    rows = [[name, *row] for name, row in zip(names, cells, strict=True)]
    return Table([Column(head), *map(Column, names)], rows)


def _listed(blocks: Sequence[Block]) -> None:
    """Lines as one list: of hundreds of elements a page would be slow."""
    lines = [f"- {markdown(block.words)}" for block in blocks if isinstance(block, Text) and not block.small]
    st.markdown("\n".join(lines))
    for block in blocks:
        if not isinstance(block, Text) or block.small:
            show_block(block)
