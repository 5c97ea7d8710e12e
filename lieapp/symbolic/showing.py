"""A derived truth as text for a terminal and as LaTeX for a notebook or a paper."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import sympy as sp

from lieapp.symbolic.families import Family
from lieapp.symbolic.fields import Field
from lieapp.symbolic.latex import ordered_latex

if TYPE_CHECKING:
    from lieapp.symbolic.truth import Truth


def truth_latex(truth: Truth, more: Sequence[str] = ()) -> str:
    r"""One `aligned` block (amsmath): the equations, V_1, V_2, …, families F_1, …, what is assumed or left open.

    `more`: rows to go on with.
    """
    return _aligned([*_rows(truth), *more])


def _aligned(rows: Sequence[str]) -> str:
    return "\\begin{aligned}\n" + " \\\\\n".join(rows) + "\n\\end{aligned}"


def _rows(truth: Truth) -> Iterator[str]:
    if truth.determining is not None:
        system = truth.determining.system
        for residual in system.residuals:
            yield f"& {ordered_latex(residual, system.jets)} = 0"
    yield from _algebra(truth.generators, truth.families)
    if (truth.periodic, truth.periodic_families) != (truth.generators, truth.families):
        yield r"& \text{a periodic domain keeps the span of}"
        yield from _algebra(truth.periodic, truth.periodic_families)
    for expression in truth.assumed_nonzero:
        yield rf"& {sp.latex(expression)} \neq 0"
    for span in truth.assumed_independent:
        yield rf"& {', '.join(map(sp.latex, span))} \text{{ linearly independent}}"
    if truth.assumed_generic:
        yield rf"& {', '.join(sp.latex(sp.Symbol(n)) for n in truth.assumed_generic)} \text{{ generic}}"
    if truth.unsolved:
        yield r"& \text{conditions are left unsolved: there may be more}"
    elif not truth.certified:
        yield r"& \text{not certified to be complete}"


def _algebra(generators: Sequence[Field], families: Sequence[Family]) -> Iterator[str]:
    for k, field in enumerate(generators, start=1):
        yield f"V_{{{k}}} &= {field.latex()}"
    for k, family in enumerate(families, start=1):
        where = ",\\; ".join(f"{sp.latex(condition)} = 0" for condition in family.conditions)
        yield (
            f"F_{{{k}}} &= {family.field.latex()}"
            + rf"\quad\text{{for every }} {_functions(family)}"
            + (rf"\text{{ with }} {where}" if where else "")
        )
    if not generators and not families:
        yield r"& \text{no point symmetries}"


def derivation_latex(explained: Mapping[str, Any]) -> str:
    """The derivation as one `aligned` block: leading derivatives, equations, steps, general symmetry."""
    rows = [
        rf"& {sp.latex(sp.Symbol(u))} - \left({formula['latex']}\right) \text{{ in place of the unknown}}"
        for u, formula in explained["moved"].items()
    ]
    rows += [rf"& {formula['latex']}" for formula in explained["leading"]]
    rows += [rf"& {formula['latex']} = 0" for formula in explained["determining"]]
    for number, step in enumerate(explained["steps"], start=1):
        new = "".join(rf",\; {_declared(text)}" for text in step["new"])
        rows.append(rf"&\text{{{number}. {step['rule']}: }} {step['latex']}{new}")
        rows += [rf"&\qquad {part['latex']} = 0" for part in step["parts"]]
    names = dict(zip(explained["solution"], explained["components"], strict=True))
    for x, formula in explained["solution"].items():
        letter, _, index = names[x].partition("^")
        rows.append(rf"\{letter}^{{{sp.latex(sp.Symbol(index))}}} &= {formula['latex']}")
    rows += [rf"& \text{{where }} {formula['latex']} = 0" for formula in explained["conditions"]]
    return _aligned(rows)


def _declared(text: str) -> str:
    """f1(t, x) as f_{1}(t, x)."""
    name, bracket, inside = text.partition("(")
    return f"{name[0]}_{{{name[1:]}}}{bracket}{inside}"


def _functions(family: Family) -> str:
    parts = []
    for name, arguments in family.functions.items():
        inside = ", ".join(sp.latex(sp.Symbol(a)) for a in arguments)
        parts.append(sp.latex(sp.Symbol(name)) + (f"({inside})" if inside else ""))
    return ", ".join(parts)


def truth_text(truth: Truth) -> str:
    """Several lines: the dimension, the generators, families and how complete that is."""
    modulo = " modulo the families" if truth.families else ""
    lines = [f"{truth.dimension} point symmetr{'y' if truth.dimension == 1 else 'ies'}{modulo}"]
    lines += [f"  V{k} = {field.text()}" for k, field in enumerate(truth.generators, start=1)]
    lines += [f"  {family}" for family in truth.families]
    lines += [f"  assumed not to vanish: {expression}" for expression in truth.assumed_nonzero]
    lines += [f"  assumed linearly independent: {', '.join(map(str, s))}" for s in truth.assumed_independent]
    lines += [f"  assumed generic: {', '.join(truth.assumed_generic)}"] if truth.assumed_generic else []
    lines += [f"  unsolved: {text}" for text in truth.unsolved]
    reason = "" if truth.certified else f" ({truth.certificate.reason})"
    lines.append("certified to be complete" if truth.certified else f"not certified to be complete{reason}")
    return "\n".join(lines)
