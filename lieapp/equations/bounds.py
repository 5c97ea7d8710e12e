"""How large a typed expression may be, counted on its syntax tree before SymPy builds anything of it.

SymPy asks every function and power for its sign, and so for that of all inside it: each level more takes several
times as long, so that a line of text can take hours. Measured on expressions drawn at random, those within these
bounds are read in less than a second.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

MAX_LENGTH = 4000
"""Characters."""
MAX_PARTS = 500
"""Names and numbers."""
MAX_DEPTH = 40
"""Parentheses, signs, functions and powers inside one another."""
MAX_NESTING = 8
"""What functions, powers and quotients inside one another add up to, each by its `_rank`."""
MAX_WORK = 200
"""The sum of 2**(n - 1) over all of them, where n is what they and those inside add up to."""

RANKS = "functions and roots count 2, other powers and quotients 1"
DEEP = "Write it with fewer parentheses inside one another."
INSIDE = "Put a parameter, such as a, or an arbitrary function, such as k(u), in place of what stands inside."
LONG = "Give each equation of a system by itself; a plugin file holds longer ones."


@dataclass(frozen=True)
class Excess:
    """What is too large: the node that errors point to, the problem, and the next step."""

    node: ast.AST
    problem: str
    hint: str


def excess(tree: ast.expr) -> Excess | None:
    """What of an expression is more than may be read; None if nothing is."""
    depth: dict[ast.AST, int] = {}
    nesting: dict[ast.AST, int] = {}
    parts, work = 0, 0
    for node in _inside_out(tree):
        inner = [child for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr)]
        # a sum or product of many is one level: it is read from left to right
        depth[node] = max((depth[c] + (c is not getattr(node, "left", None)) for c in inner), default=0)
        rank = _rank(node)
        # a quotient's numerator isn't inside it
        above = node.left if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div) else None
        own = rank + max((nesting[c] for c in inner if c is not above), default=0)
        nesting[node] = max(own, nesting[above] if above else 0)
        work += 2 ** (own - 1) if rank else 0
        parts += isinstance(node, (ast.Name, ast.Constant))
        if depth[node] > MAX_DEPTH:
            return Excess(node, f"this is nested too deeply; {MAX_DEPTH} levels are the most", DEEP)
        if nesting[node] > MAX_NESTING:
            words = f"this is nested too deeply: it counts {nesting[node]}, and {MAX_NESTING} is the most"
            return Excess(node, f"{words}; {RANKS}", INSIDE)
        if work > MAX_WORK:
            words = f"this is nested too deeply or too often: it counts {work} up to here, {MAX_WORK} is the most"
            return Excess(node, words, INSIDE)
        if parts > MAX_PARTS:
            return Excess(node, f"more than {MAX_PARTS} names and numbers stand up to here", LONG)
    return None


def _inside_out(tree: ast.expr) -> Iterator[ast.expr]:
    """Every expression after those inside it, from left to right; without recursion, as sums may be long."""
    waiting: list[tuple[ast.expr, bool]] = [(tree, False)]
    while waiting:
        node, ready = waiting.pop()
        if ready:
            yield node
            continue
        waiting.append((node, True))
        inner = [child for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr)]
        waiting.extend((child, False) for child in reversed(inner))


def _rank(node: ast.expr) -> int:
    """2 for a function or root, 1 for a power or quotient of more than names and numbers, 0 for all else."""
    if isinstance(node, ast.Call):
        return 0 if isinstance(node.func, ast.Name) and node.func.id == "Rational" else 2
    if not isinstance(node, ast.BinOp):
        return 0
    if isinstance(node.op, ast.Pow):
        exponent = node.right.operand if isinstance(node.right, ast.UnaryOp) else node.right
        if not (isinstance(exponent, ast.Constant) and isinstance(exponent.value, int)):
            return 2
        return 0 if isinstance(node.left, (ast.Name, ast.Constant)) else 1
    below = node.right
    simple = isinstance(below, (ast.Name, ast.Constant)) or (
        isinstance(below, ast.BinOp) and isinstance(below.op, ast.Pow)
    )
    return int(isinstance(node.op, ast.Div) and not simple)
