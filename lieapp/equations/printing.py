"""Expressions on jets as a plugin file has them: `u.diff(t) + u*u.diff(x) + sp.Rational(1, 3)*u`."""

from __future__ import annotations

import sympy as sp
from sympy.printing.str import StrPrinter

from lieapp.equations.jets import JetSpace
from lieapp.equations.latex import ordered_terms


class _Code(StrPrinter):
    """SymPy's own syntax, with `sp.` before its names and exact fractions; jets as derivatives."""

    def __init__(self, jets: JetSpace) -> None:
        super().__init__()
        self._jets = jets

    def _print_Symbol(self, expr: sp.Symbol) -> str:  # noqa: N802
        if not self._jets.is_jet(expr):
            return str(expr.name)
        a, J = self._jets.index(expr)
        named = zip(self._jets.independent, J, strict=True)
        inside = ", ".join(str(x) if n == 1 else f"{x}, {n}" for x, n in named if n)
        return self._jets.dependent[a] + (f".diff({inside})" if inside else "")

    def _print_Rational(self, expr: sp.Rational) -> str:  # noqa: N802
        return str(expr.p) if expr.q == 1 else f"sp.Rational({expr.p}, {expr.q})"

    _print_Half = _print_Rational  # noqa: N815

    def _print_Pow(self, expr: sp.Pow, rational: bool = False) -> str:  # noqa: N802
        if expr.exp == sp.S.Half:
            return f"sp.sqrt({self._print(expr.base)})"
        if expr.exp == -sp.S.Half:
            return f"1/sp.sqrt({self._print(expr.base)})"
        found: str = super()._print_Pow(expr, rational=rational)
        return found

    def _print_Function(self, expr: sp.Function) -> str:  # noqa: N802
        return f"sp.{expr.func.__name__}({', '.join(map(self._print, expr.args))})"

    def _print_Pi(self, expr: sp.Expr) -> str:  # noqa: N802
        return "sp.pi"

    def _print_Exp1(self, expr: sp.Expr) -> str:  # noqa: N802
        return "sp.E"


def python_code(expression: sp.Expr, jets: JetSpace) -> str:
    """Python that gives the expression, where its names are defined: `u = sp.Function("u")(t, x)`."""
    printer = _Code(jets)
    terms = [printer.doprint(term) for term in ordered_terms(expression, jets)]
    return " + ".join(terms).replace("+ -", "- ")
