"""How an algebra was derived: equation, jets, determining equations and every step of their solution."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from lieapp.report.derivation import RULES
from lieapp.report.formula import expression_latex
from lieapp.ui.drawing import formula
from lieapp.ui.help import tip
from lieapp.ui.words import plain

MOST = 60
"""Equations and steps that a page shows; all of them are in the file to download."""

Formulas = Sequence[Mapping[str, str]]


def show_statement(explained: Mapping[str, Any]) -> None:
    """The equations, what they are solved for, and their jets."""
    left, right = st.columns(2)
    with left:
        st.markdown("**Equation**", help=tip("jets"))
        for row in explained.get("equations") or []:
            st.markdown(formula(rf"\displaystyle {row['latex']} = 0"))
        jets = explained.get("jets") or []
        if jets:
            listed = ", ".join(formula(expression_latex(str(jet))) for jet in jets)
            st.caption(f"Jets: {listed}")
    with right:
        st.markdown("**Evolution form**", help=tip("evolution"))
        for row in explained.get("evolution") or []:
            st.markdown(formula(rf"\displaystyle {row['latex']}"))
        if explained.get("no_evolution"):
            st.caption(plain(f"none: {explained['no_evolution']}"))


def show_derivation(explained: Mapping[str, Any]) -> None:
    """Determining equations and steps, folded."""
    st.subheader("Derivation", help=tip("determining"))
    for unknown, solution in (explained.get("moved") or {}).items():
        st.markdown(
            f"Of {formula(expression_latex(str(unknown)))} minus {formula(solution['latex'])}, which solves the "
            "equations with their source, so that what follows is homogeneous."
        )
    _leading(explained.get("leading") or [])
    _determining(explained)
    _steps(explained.get("steps") or [])
    _solution(explained)


def _leading(rows: Formulas) -> None:
    if rows:
        st.markdown(f"Solved for its leading derivatives: {', '.join(formula(row['latex']) for row in rows)}")


def _determining(explained: Mapping[str, Any]) -> None:
    rows: Formulas = explained.get("determining") or []
    with st.expander(f"{len(rows)} determining equations"):
        unknown = ", ".join(f"{name}({', '.join(args)})" for name, args in explained["components"].items())
        st.caption(plain(f"for {unknown}"))
        st.markdown("\n".join(f"- {formula(row['latex'] + ' = 0')}" for row in rows[:MOST]))
        _rest(len(rows))


def _steps(steps: Sequence[Mapping[str, Any]]) -> None:
    with st.expander(f"Solved in {len(steps)} steps"):
        lines = []
        for number, step in enumerate(steps[:MOST], start=1):
            new = f", new: {plain(', '.join(step['new']))}" if step["new"] else ""
            why = plain(RULES.get(step["rule"], step["rule"]))
            lines.append(f"{number}. {formula(step['latex'])}{new} :gray[{why}]")
            lines += [f"    - {formula(part['latex'] + ' = 0')}" for part in step["parts"][:MOST]]
        st.markdown("\n".join(lines))
        _rest(len(steps))


def _solution(explained: Mapping[str, Any]) -> None:
    with st.expander("The general symmetry"):
        names = dict(zip(explained["solution"], explained["components"], strict=True))
        lines = []
        for coordinate, row in explained["solution"].items():
            letter = r"\xi" if names[coordinate].startswith("xi") else r"\varphi"
            head = f"{letter}^{{{expression_latex(str(coordinate))}}}"
            lines.append(f"- {formula(f'{head} = ' + row['latex'])}")
        lines += [f"- where {formula(row['latex'] + ' = 0')}" for row in explained["conditions"]]
        st.markdown("\n".join(lines))


def _rest(count: int) -> None:
    if count > MOST:
        st.caption(f"and {count - MOST} more, in the file to download")
