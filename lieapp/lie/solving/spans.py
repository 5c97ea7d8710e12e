"""Sets of expressions that are assumed to be linearly independent: in simplest form, and as few as possible."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import sympy as sp
from sympy import QQ
from sympy.polys.matrices import DomainMatrix

MAX_SETS = 8
"""Sets beyond which those with most in common are joined: that assumes more, and is shorter to read."""

Span = tuple[sp.Expr, ...]


def simplest(expressions: Sequence[sp.Expr]) -> Span:
    """A basis of the span in as few terms as elimination gives, the simplest first.

    Of independent monomials nothing is assumed that isn't assumed of any basis of their span.
    """
    rows = [sp.expand(e).as_coefficients_dict() for e in expressions]
    # what is complicated is eliminated first
    terms = sorted({t for row in rows for t in row}, key=_complexity, reverse=True)
    entries = [[QQ.from_sympy(sp.sympify(row[t])) for t in terms] for row in rows]
    reduced, pivots = DomainMatrix(entries, (len(rows), len(terms)), QQ).rref()
    found = []
    for row in reduced.to_Matrix().tolist()[: len(pivots)]:
        e = sp.Add(*(c * t for c, t in zip(row, terms, strict=True)))
        _, e = e.as_content_primitive()
        found.append(-e if e.could_extract_minus_sign() else e)
    return tuple(sorted(found, key=_complexity))


def fewest(spans: Sequence[Span]) -> list[Span]:
    """The same assumptions without spans inside of others, and joined while there are more than MAX_SETS."""
    left: list[Span] = []
    for span in sorted(spans, key=len, reverse=True):
        if not any(_inside(span, larger) for larger in left):
            left.append(span)
    while len(left) > MAX_SETS:
        first, second = min(combinations(left, 2), key=lambda pair: len(simplest([*pair[0], *pair[1]])))
        left = fewest([*(s for s in left if s not in (first, second)), simplest([*first, *second])])
    return left


def _inside(small: Span, large: Span) -> bool:
    return len(simplest([*small, *large])) == len(large)


def _complexity(e: sp.Expr) -> tuple[int, int, str]:
    return (int(e.count_ops()), len(str(e)), str(e))
