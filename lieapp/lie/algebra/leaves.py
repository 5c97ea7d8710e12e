"""The numbers and parameters that expressions are built from with + - * / and integer powers."""

from __future__ import annotations

import sympy as sp


class Leaves:
    """What expressions are made of: radicals, roots of parameters and other functions and numbers."""

    def __init__(self) -> None:
        self.radicals: set[sp.Expr] = set()
        self.roots: dict[sp.Symbol, int] = {}
        self.opaque: set[sp.Expr] = set()

    def collect(self, e: sp.Expr) -> None:
        """Take in the leaves of an expression."""
        if e.is_Rational:
            return
        if e.is_Add or e.is_Mul:
            for a in e.args:
                self.collect(a)
        elif e.is_Symbol:
            self._root(e, 1)
        elif e.is_Pow and e.exp.is_Integer:
            self.collect(e.base)
        elif e.is_Pow and e.exp.is_Rational and e.base.is_Symbol:
            self._root(e.base, int(e.exp.q))
        elif e.is_Pow and e.exp.is_Rational and e.base.is_Rational and e.base > 0:
            self.radicals.add(e)
        else:
            self.opaque.add(e)

    def _root(self, p: sp.Symbol, q: int) -> None:
        self.roots[p] = sp.ilcm(self.roots.get(p, 1), q)
