"""The algebra of derived symmetries: its brackets as a table, and what follows from them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from lieapp.report.formula import expression_latex
from lieapp.report.structure import bracket_lines, structure_words
from lieapp.ui.drawing import formula, table
from lieapp.ui.help import tip
from lieapp.ui.words import plain

LARGEST = 12
"""Generators up to which the brackets are a table; more are listed."""


def show_structure(truth: Mapping[str, Any]) -> None:
    """Brackets and structure; a sentence where there is nothing to say."""
    structure = truth.get("structure") or {}
    count = len(truth.get("generators") or [])
    st.subheader("Brackets", help=tip("bracket"))
    if not structure:
        st.caption("They were not worked out: the time ran out." if count else "There are no generators.")
        return
    if not structure.get("brackets"):
        st.caption("All brackets vanish.")
    elif count <= LARGEST:
        _bracket_table(structure, count)
    else:
        st.code("\n".join(bracket_lines(structure)), language="text", wrap_lines=True)
    words = structure_words(structure)
    if words:
        st.markdown(f"**Structure:** {plain('; '.join(words))}.", help=tip("structure"))


def _bracket_table(structure: Mapping[str, Any], count: int) -> None:
    """[row, column]; below the diagonal the same with the other sign."""
    cells = [[r"\cdot"] * count for _ in range(count)]
    for i, j, coefficients in structure["brackets"]:
        cells[i][j] = sum_latex(coefficients)
        cells[j][i] = sum_latex([_negative(str(c)) for c in coefficients])
    names = [formula(f"V_{{{k}}}") for k in range(1, count + 1)]
    rows = [(name, *map(formula, row)) for name, row in zip(names, cells, strict=True)]
    table((formula(r"[\,\cdot\,,\,\cdot\,]"), *names), rows)
    modulo = " modulo the families" if structure.get("modulo_families") else ""
    st.caption(f"Row first, then column{modulo}; a dot is 0.")


def sum_latex(coefficients: list[int | str]) -> str:
    """`[2, 0, "-nu"]` as 2 V_1 - ν V_3."""
    terms = []
    for k, c in enumerate(coefficients, start=1):
        latex = expression_latex(str(c))
        if latex == "0":
            continue
        if " + " in latex or " - " in latex:
            latex = rf"\left({latex}\right)"
        number = "" if latex == "1" else "-" if latex == "-1" else rf"{latex}\,"
        terms.append(f"{number}V_{{{k}}}")
    return " + ".join(terms).replace("+ -", "- ") or "0"


def _negative(text: str) -> str:
    """An expression with the other sign, simple where it is simple."""
    if text.startswith("-") and not any(sign in text[1:] for sign in "+-"):
        return text[1:]
    return f"-({text})" if any(sign in text for sign in "+-") else "0" if text == "0" else f"-{text}"
