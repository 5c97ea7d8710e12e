"""The algebra of the symmetries in words: from the key `structure` of `lieapp truth --json`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

MOST_BRACKETS = 40
"""Brackets that are listed."""


def bracket_lines(structure: Mapping[str, Any]) -> list[str]:
    """`[V1, V4] = 2 V1` for each bracket that doesn't vanish; generators are counted from 1."""
    brackets = structure.get("brackets") or []
    lines = [f"[V{i + 1}, V{j + 1}] = {_sum(c)}" for i, j, c in brackets[:MOST_BRACKETS]]
    if len(brackets) > MOST_BRACKETS:
        lines.append(f"and {len(brackets) - MOST_BRACKETS} more brackets, in --json")
    return lines


def structure_words(structure: Mapping[str, Any]) -> list[str]:
    """Lines on the algebra, as "solvable, not nilpotent" or "centre: V3"; generators are counted from 1.

    Nothing is said of what couldn't be decided.
    """
    if not structure:
        return []
    if not structure["closed"]:
        return ["The brackets don't close: more symmetries than were found."]
    if structure["killing"] is None:
        told = "don't form" if structure["ideal"] is False else "could not be shown to form"
        return [f"brackets hold modulo the families, which {told} an ideal"] if structure["modulo_families"] else []
    if not structure["killing"]:
        return []
    lines = [_properties(structure)]
    if structure.get("modulo_families"):
        lines.append("brackets hold modulo the families")
    if not structure["abelian"]:
        series = structure["derived_series"] or []
        lines += [f"centre: {_span(structure['center'])}"] if structure["center"] is not None else []
        if not structure["perfect"]:
            lines += [f"derived algebra: {_span(series[0])}"] if series else []
        lines += _parts(structure)
    if structure["assumed_nonzero"]:
        lines.append(f"where nonzero: {', '.join(structure['assumed_nonzero'])}")
    return [line for line in lines if line]


def _properties(structure: Mapping[str, Any]) -> str:
    if structure["abelian"]:
        return "abelian"
    if structure["nilpotent"]:
        return "nilpotent, not abelian"
    if structure["solvable"]:
        return "solvable" if structure["nilpotent"] is None else "solvable, not nilpotent"
    if structure["semisimple"]:
        kind = (structure["levi"] or {}).get("type")
        return "semisimple" + (f": {kind}" if kind else "")
    return "" if structure["solvable"] is None else "not solvable" + (", perfect" if structure["perfect"] else "")


def _parts(structure: Mapping[str, Any]) -> list[str]:
    if structure["nilpotent"] or structure["semisimple"]:
        return []
    lines = []
    levi = structure["levi"]
    if levi and levi["factor"]:
        kind = f"{levi['type']} spanned by " if levi["type"] else ""
        lines.append(f"Levi factor: {kind}{_span(levi['factor'])}; radical: {_span(levi['radical'])}")
    if structure["nilradical"] is not None:
        lines.append(f"nilradical: {_span(structure['nilradical'])}")
    return lines


def _span(vectors: list[list[int | str]]) -> str:
    return ", ".join(_sum(v) for v in vectors) or "0"


def _sum(vector: list[int | str]) -> str:
    parts: list[str] = []
    for k, c in enumerate(vector, start=1):
        if c == 0:
            continue
        text = str(c)
        negative = text.startswith("-") and not any(s in text[1:] for s in "+- ")
        size = text[1:] if negative else text
        if any(s in size for s in "+- "):
            size = f"({size})"
        sign = (" - " if negative else " + ") if parts else ("-" if negative else "")
        parts.append(f"{sign}{'' if size == '1' else size + ' '}V{k}")
    return "".join(parts)
