"""A derived truth, from the JSON of `lieapp truth`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from lieapp.report.formula import expression_latex, field_latex
from lieapp.report.structure import bracket_lines, structure_words
from lieapp.report.wording import completeness
from lieapp.ui.drawing import formula, table
from lieapp.ui.words import duration, plain


def show_truth(truth: Mapping[str, Any], periodic: Sequence[str]) -> None:
    """The algebra, its families, what a domain periodic in some variables keeps, and what was left open."""
    families = truth.get("families") or []
    modulo = " modulo the families below" if families else ""
    st.markdown(
        f"Dimension **{truth.get('dimension', '?')}**{modulo}; derived in {duration(truth.get('seconds'))}."
    )
    whole, kept = st.columns(2)
    with whole:
        st.markdown("**On an unbounded domain**")
        _fields(truth.get("generators") or [])
    with kept:
        if periodic:
            st.markdown(f"**Kept by a domain periodic in {plain(', '.join(periodic))}**")
            _fields(truth.get("periodic") or [])
    for family in families:
        _family(family)
    for key, words in (("unsolved", "Left unsolved"), ("assumed_nonzero", "Assumed not to vanish")):
        if truth.get(key):
            latex = ", ".join(formula(expression_latex(str(e))) for e in truth[key])
            st.markdown(f"{words}: {latex}")
    for span in truth.get("assumed_independent") or []:
        st.markdown(f"Assumed linearly independent: {', '.join(formula(expression_latex(str(e))) for e in span)}")
    if truth.get("assumed_generic"):
        st.markdown(f"Assumed generic: {', '.join(formula(expression_latex(n)) for n in truth['assumed_generic'])}")
    _algebra(truth.get("structure") or {})
    st.caption(plain(f"Every generator is proved; {completeness(truth)}."))


def _algebra(structure: Mapping[str, Any]) -> None:
    """Brackets and what follows from them."""
    words, brackets = structure_words(structure), bracket_lines(structure)
    if words:
        st.markdown(f"Algebra: {plain('; '.join(words))}.")
    if brackets:
        with st.expander("Brackets"):
            st.code("\n".join(brackets), language="text")


def _fields(fields: Sequence[Mapping[str, str]]) -> None:
    if fields:
        rows = [(str(place), formula(field_latex(field))) for place, field in enumerate(fields, start=1)]
        table(("", "generator"), rows)
    else:
        st.caption("none")


def _family(family: Mapping[str, Any]) -> None:
    functions = ", ".join(
        plain(f"{name}({', '.join(arguments)})") for name, arguments in (family.get("functions") or {}).items()
    )
    conditions = ", ".join(formula(expression_latex(str(c)) + " = 0") for c in family.get("conditions") or [])
    where = f" with {conditions}" if conditions else ""
    st.markdown(f"For every {functions}{where}: {formula(field_latex(family.get('field') or {}))}")
