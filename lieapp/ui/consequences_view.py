"""What follows from each generator: its finite flow, its invariants, the equation reduced by it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from lieapp.report.formula import expression_latex
from lieapp.ui.drawing import formula, table
from lieapp.ui.help import tip
from lieapp.ui.words import plain


def show_flows(truth: Mapping[str, Any]) -> None:
    """A row for each generator: where the coordinates go, and where that holds."""
    rows = truth.get("flows") or []
    if not rows:
        return
    st.subheader("Finite flows", help=tip("flow"))
    parameter = expression_latex(str(truth.get("parameter", "s")))
    somewhere = any(row["domain"] for row in rows)
    cells = []
    for number, row in enumerate(rows, start=1):
        name = formula(rf"e^{{{parameter} V_{{{number}}}}}")
        cells.append((name, _moved(row), *([_domain(row)] if somewhere else [])))
    table(("", "sends", *(["where"] if somewhere else [])), cells)


def _moved(row: Mapping[str, Any]) -> str:
    if row["flow"] is None:
        return plain(row["reason"])
    moved = [
        formula(rf"{expression_latex(name)} \mapsto {expression_latex(text)}")
        for name, text in row["flow"].items()
        if text != name
    ]
    return ", ".join(moved) or "nothing moves"


def _domain(row: Mapping[str, Any]) -> str:
    return " and ".join(formula(f"{expression_latex(text)} > 0") for text in row["domain"]) or "everywhere"


def show_reductions(truth: Mapping[str, Any]) -> None:
    """For each generator its invariants, the ansatz and the reduced equations."""
    rows = truth.get("reductions") or []
    if not rows:
        return
    st.subheader("Invariants and reductions", help=tip("reduction"))
    for number, row in enumerate(rows, start=1):
        with st.container(border=True):
            name, told = st.columns([1, 8])
            name.markdown(formula(f"V_{{{number}}}"))
            with told:
                _reduced(row)


def _reduced(row: Mapping[str, Any]) -> None:
    found, reduction = row["invariants"], row["reduction"]
    if found["invariants"]:
        st.markdown(f"Invariants {_all(found['invariants'])}", help=tip("invariants"))
    else:
        st.caption(plain(f"No invariants: {found['reason']}"))
    if reduction["reason"]:
        st.caption(plain(f"No reduction: {reduction['reason']}"))
        return
    st.markdown(f"Ansatz {_ansatz(reduction)}")
    equations = [formula(rf"\displaystyle {expression_latex(text)} = 0") for text in reduction["equations"]]
    st.markdown(f"Reduced to {', '.join(equations)}" if equations else "Every function solves it.")
    if reduction["assumed_nonzero"]:
        st.caption(f"where nonzero: {_all(reduction['assumed_nonzero'])}")


def _ansatz(reduction: Mapping[str, Any]) -> str:
    """`u = w/t, w = w(z), z = x/t`, each part a formula."""
    new = {name: text for name, text in reduction["variables"].items() if text != name}
    parts = [f"{expression_latex(name)} = {expression_latex(text)}" for name, text in reduction["ansatz"].items()]
    for name, arguments in reduction["functions"].items():
        called = expression_latex(f"{name}({', '.join(arguments)})")
        parts.append(f"{expression_latex(name)} = {called}")
    parts += [f"{expression_latex(name)} = {expression_latex(text)}" for name, text in new.items()]
    return ", ".join(map(formula, parts))


def _all(texts: Sequence[str]) -> str:
    return ", ".join(formula(expression_latex(text)) for text in texts)
