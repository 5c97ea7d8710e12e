"""A derived algebra, from the JSON of `lieapp truth`: generators, families, what a periodic domain keeps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from lieapp.report.formula import expression_latex, field_latex
from lieapp.report.wording import completeness
from lieapp.ui.drawing import formula, table
from lieapp.ui.help import popover, tip
from lieapp.ui.words import duration, plain

Truth = Mapping[str, Any]


def show_truth(truth: Truth) -> None:
    """The algebra, its families, what a periodic domain keeps, and what was left open."""
    families = truth.get("families") or []
    modulo = " modulo the families" if families else ""
    head, badge, terms = st.columns([3, 2, 1], vertical_alignment="center")
    size, took = truth.get("dimension", "?"), duration(truth.get("seconds"))
    head.markdown(f"Dimension **{size}**{modulo}, derived in {took}")
    with badge:
        _certified(truth)
    with terms:
        popover("generator", "families", "periodic", "certified", "assumed")
    generators = truth.get("generators") or []
    names = [f"V_{{{k}}}" for k, _ in enumerate(generators, start=1)]
    variables = truth.get("periodic_in") or []
    whole, kept = st.columns(2) if variables else (st.container(), None)
    with whole:
        _fields(names, generators, "families only" if families else "There are no point symmetries.")
        for family in families:
            _family(family)
    if kept:
        with kept:
            _periodic(truth, generators, variables)
    _open_ends(truth)
    st.caption(plain(f"Every generator is proved; {completeness(truth)}."))


def _certified(truth: Truth) -> None:
    if truth.get("certified"):
        st.badge("certified complete", icon=":material/verified:", color="green", help=tip("certified"))
    elif truth.get("unsolved"):
        st.badge("may be incomplete", icon=":material/pending:", color="orange", help=tip("certified"))
    else:
        st.badge("not certified", icon=":material/help:", color="orange", help=tip("certified"))


def _fields(names: Sequence[str], fields: Sequence[Mapping[str, str]], none: str) -> None:
    if fields:
        rows = [(formula(name), formula(field_latex(field))) for name, field in zip(names, fields, strict=True)]
        table(("", "generator"), rows)
    else:
        st.caption(plain(none))


def _periodic(truth: Truth, generators: Sequence[Mapping[str, str]], variables: Sequence[str]) -> None:
    """What is kept; a generator of the whole algebra under its name there, combinations as W1, W2, …"""
    st.markdown(f"**Kept by a domain periodic in {plain(', '.join(map(str, variables)))}**", help=tip("periodic"))
    kept, names, new = truth.get("periodic") or [], [], 0
    for field in kept:
        same = [k for k, other in enumerate(generators, start=1) if other == field]
        new += not same
        names.append(f"V_{{{same[0]}}}" if same else f"W_{{{new}}}")
    families = truth.get("periodic_families") or []
    _fields(names, kept, "families only" if families else "none")
    if families != (truth.get("families") or []):
        for family in families:
            _family(family)
    elif families:
        st.caption("The families stay, with members that are periodic.")


def _family(family: Mapping[str, Any]) -> None:
    functions = ", ".join(
        formula(expression_latex(f"{name}({', '.join(arguments)})"))
        for name, arguments in (family.get("functions") or {}).items()
    )
    conditions = ", ".join(formula(expression_latex(str(c)) + " = 0") for c in family.get("conditions") or [])
    where = f" with {conditions}" if conditions else ""
    st.markdown(f"and, for every {functions}{where}, the family {formula(field_latex(family.get('field') or {}))}")


def _open_ends(truth: Truth) -> None:
    """What was left unsolved, and for which special parameters or functions there may be more."""
    if truth.get("unsolved"):
        st.warning("Left unsolved: there may be more symmetries.", icon=":material/pending:")
        st.code("\n".join(map(str, truth["unsolved"])), language="text", wrap_lines=True)
    if truth.get("assumed_nonzero"):
        st.markdown(f"Assumed not to vanish: {_listed(truth['assumed_nonzero'])}")
    for span in truth.get("assumed_independent") or []:
        st.markdown(f"Assumed linearly independent: {_listed(span)}")
    if truth.get("assumed_generic"):
        st.markdown(f"Assumed generic: {_listed(truth['assumed_generic'])}")


def _listed(expressions: Sequence[Any]) -> str:
    return ", ".join(formula(expression_latex(str(e))) for e in expressions)
