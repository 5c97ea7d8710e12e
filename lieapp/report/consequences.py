"""Flows, invariants and reductions line by line: from the JSON of `lieapp truth --flows --reductions`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any


def lines(document: Mapping[str, Any]) -> Iterator[tuple[str, bool]]:
    """Each line, and whether it is a heading."""
    if document.get("flows"):
        yield f"Finite flows, exp({document['parameter']} V)", True
        for number, row in enumerate(document["flows"], start=1):
            yield f"  V{number}: {flow_words(row)}", False
    if document.get("reductions"):
        yield "Invariants and reductions", True
        for number, row in enumerate(document["reductions"], start=1):
            yield from ((line, False) for line in _reduced(number, row))


def flow_words(row: Mapping[str, Any]) -> str:
    """`t -> t*exp(2*s), x -> x*exp(s)`: the coordinates that move, and where the flow is defined."""
    if row["flow"] is None:
        return str(row["reason"])
    moved = [f"{name} -> {text}" for name, text in row["flow"].items() if text != name]
    where = " and ".join(f"{text} > 0" for text in row["domain"])
    return (", ".join(moved) or "nothing moves") + (f"   where {where}" if where else "")


def _reduced(number: int, row: Mapping[str, Any]) -> Iterator[str]:
    found = row["invariants"]
    told = ", ".join(found["invariants"]) or f"none: {found['reason']}"
    yield f"  V{number}: invariants {told}"
    reduction = row["reduction"]
    if reduction["reason"]:
        yield f"      no reduction: {reduction['reason']}"
        return
    yield f"      {ansatz_words(reduction)}"
    yield from (f"      {equation} = 0" for equation in reduction["equations"])
    if reduction["assumed_nonzero"]:
        yield f"      where nonzero: {', '.join(reduction['assumed_nonzero'])}"


def ansatz_words(reduction: Mapping[str, Any]) -> str:
    """`u = t**(-1/2)*w, w(z), z = x/sqrt(t)`"""
    ansatz = ", ".join(f"{name} = {text}" for name, text in reduction["ansatz"].items())
    functions = ", ".join(f"{name}({', '.join(args)})" for name, args in reduction["functions"].items())
    variables = ", ".join(f"{name} = {text}" for name, text in reduction["variables"].items() if name != text)
    return ";  ".join(part for part in (ansatz, functions, variables) if part)
