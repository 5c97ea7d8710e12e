"""A derived truth as text for a terminal and as LaTeX for a notebook or a paper."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import sympy as sp

from lieapp.symbolic.families import Family
from lieapp.symbolic.latex import ordered_latex

if TYPE_CHECKING:
    from lieapp.symbolic.truth import Truth


def truth_latex(truth: Truth) -> str:
    r"""One `aligned` block (amsmath): the equations, V_1, V_2, …, families and what is assumed or left open."""
    rows = list(_rows(truth))
    return "\\begin{aligned}\n" + " \\\\\n".join(rows) + "\n\\end{aligned}"


def _rows(truth: Truth) -> Iterator[str]:
    if truth.determining is not None:
        system = truth.determining.system
        for residual in system.residuals:
            yield f"& {ordered_latex(residual, system.jets)} = 0"
    for k, field in enumerate(truth.generators, start=1):
        yield f"V_{{{k}}} &= {field.latex()}"
    for family in truth.families:
        yield f"V_{{{_functions(family)}}} &= {family.field.latex()}"
        for condition in family.conditions:
            yield rf"& \text{{where }} {sp.latex(condition)} = 0"
    if truth.periodic != truth.generators:
        kept = [f"V_{{{k}}} &= {field.latex()}" for k, field in enumerate(truth.periodic, start=1)]
        yield r"& \text{of these, a periodic domain keeps " + ("the span of}" if kept else "none}")
        yield from kept
    for expression in truth.assumed_nonzero:
        yield rf"& {sp.latex(expression)} \neq 0"
    if not truth.generators and not truth.families:
        yield r"& \text{no point symmetries}"
    if truth.unsolved:
        yield r"& \text{conditions are left unsolved: there may be more}"
    elif not truth.certified:
        yield r"& \text{not certified to be complete}"


def derivation_latex(explained: Mapping[str, Any]) -> str:
    """The derivation as one `aligned` block: determining equations, steps, general symmetry."""
    rows = [rf"& {formula['latex']} = 0" for formula in explained["determining"]]
    for number, step in enumerate(explained["steps"], start=1):
        rows.append(rf"&\text{{{number}. }} {step['latex']}")
        rows += [rf"&\qquad {part['latex']} = 0" for part in step["parts"]]
    return "\\begin{aligned}\n" + " \\\\\n".join(rows) + "\n\\end{aligned}"


def _functions(family: Family) -> str:
    return ", ".join(sp.latex(sp.Symbol(name)) for name in family.functions)


def truth_text(truth: Truth) -> str:
    """Several lines: the dimension, the generators, families and how complete that is."""
    modulo = " modulo the families" if truth.families else ""
    lines = [f"{truth.dimension} point symmetr{'y' if truth.dimension == 1 else 'ies'}{modulo}"]
    lines += [f"  V{k} = {field.text()}" for k, field in enumerate(truth.generators, start=1)]
    for family in truth.families:
        functions = ", ".join(f"{name}({', '.join(args)})" for name, args in family.functions.items())
        where = "; ".join(f"{condition} = 0" for condition in family.conditions)
        lines.append(f"  {family.field.text()} for every {functions}" + (f" where {where}" if where else ""))
    lines += [f"  assumed not to vanish: {expression}" for expression in truth.assumed_nonzero]
    lines += [f"  unsolved: {text}" for text in truth.unsolved]
    reason = "" if truth.certified else f" ({truth.certificate.reason})"
    lines.append("certified to be complete" if truth.certified else f"not certified to be complete{reason}")
    return "\n".join(lines)
