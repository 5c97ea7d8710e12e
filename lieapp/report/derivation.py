"""A derivation told line by line: the same for the terminal and the page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

RULES = {
    "vanish": "it vanishes",
    "integrate": "integrated",
    "particular solution": "a solution of the equation with its source, by which everything is moved",
    "split": "the coefficients of independent functions vanish one by one",
    "eliminate": "solved for a function that is not differentiated",
    "linear ODE": "solved as a linear ordinary differential equation",
    "decouple": "coupled equations taken apart",
    "count": "a count modulo primes leaves no solution but 0",
    "ansatz": "an ansatz holds as many solutions as a count modulo primes allows",
    "formal integral": "integrated; the integral stays as it is",
    "reduce": "reduced by the other equations",
    "differentiate": "divided by a coefficient and differentiated",
    "cross-differentiate": "two ways to one derivative must agree",
}
"""What each rule of the solver does, in words; others are named as they are."""


def lines(explained: Mapping[str, Any]) -> Iterator[tuple[str, bool]]:
    """Each line, and whether it is a heading."""
    for unknown, solution in (explained.get("moved") or {}).items():
        yield f"For {unknown} - ({solution['text']}), which solves the equations without their sources", True
    yield "Solved for its leading derivatives", True
    yield from ((f"  {formula['text']}", False) for formula in explained["leading"])
    functions = ", ".join(f"{name}({', '.join(args)})" for name, args in explained["components"].items())
    yield f"Determining equations for {functions}", True
    yield from ((f"  {formula['text']} = 0", False) for formula in explained["determining"])
    yield f"Solution in {len(explained['steps'])} steps", True
    for number, step in enumerate(explained["steps"], start=1):
        new = f"  with {', '.join(step['new'])}" if step["new"] else ""
        yield f"  {number}. {step['text']}{new}  ({RULES.get(step['rule'], step['rule'])})", False
        yield from ((f"       {part['text']} = 0", False) for part in step["parts"])
    yield "The general symmetry", True
    yield from ((f"  component {x}: {formula['text']}", False) for x, formula in explained["solution"].items())
    yield from ((f"  where {formula['text']} = 0", False) for formula in explained["conditions"])
