"""Expressions on jets in writing, in the order in which one writes an equation, and as a plugin file has them."""

from __future__ import annotations

import keyword
from collections.abc import Callable, Iterable

import sympy as sp
from sympy.printing.str import StrPrinter

from lieapp.document import Formula
from lieapp.equations.evolution import Evolution
from lieapp.equations.factors import spelled
from lieapp.equations.jets import JetSpace, MultiIndex


def equation_of(residual: sp.Expr, jets: JetSpace) -> Formula:
    """`residual = 0` in both forms."""
    return Formula(f"{_ordered(residual, jets, str)} = 0", f"{ordered_latex(residual, jets)} = 0")


def learned_equation(evolution: Evolution, a: int) -> Formula:
    """`u_t = F(u, u_x, u_xx)` in both forms: a right side of many numbers by what it is a function of."""
    left, f = evolution.rates()[a]
    name = "F" if len(evolution.rhs) == 1 else f"F_{a + 1}"
    jets = [*evolution.jets.jets(f)]
    text = f"{left} = {name}({', '.join(map(str, jets))})"
    return Formula(text, f"{sp.latex(left)} = {name}({', '.join(map(sp.latex, jets))})")


def ordered_latex(expression: sp.Expr, jets: JetSpace) -> str:
    """LaTeX with terms in the order of `ordered_terms`."""
    return _ordered(expression, jets, sp.latex)


def _ordered(expression: sp.Expr, jets: JetSpace, write: Callable[[sp.Expr], str]) -> str:
    # SymPy multiplies 2 (t + 1) out by itself; here it goes back
    terms = [sp.factor_terms(term, fraction=True) for term in ordered_terms(spelled(expression), jets)]
    return " + ".join(map(write, terms)).replace("+ - ", "- ").replace("+ -", "- ")


def ordered_terms(expression: sp.Expr, jets: JetSpace) -> list[sp.Expr]:
    """The terms of a sum as one writes an equation: u_t, rising derivatives, undifferentiated terms."""

    def rank(term: sp.Expr) -> tuple[bool, bool, int, str]:
        orders = [J for _, J in jets.jets(term).values()]
        order = max((sum(J) for J in orders), default=0)
        # the evolution variable is the first by custom
        return not any(J[0] for J in orders), order == 0, order, str(term)

    return sorted(sp.Add.make_args(expression), key=rank)


def aligned(rows: Iterable[str]) -> str:
    """A block of LaTeX (amsmath)."""
    return "\\begin{aligned}\n" + " \\\\\n".join(rows) + "\n\\end{aligned}"


def code_of(a: int, J: MultiIndex, jets: JetSpace) -> str:
    """`u.diff(t, x, 2)`."""
    named = zip(jets.independent, J, strict=True)
    inside = ", ".join(code_name(str(x)) + (f", {n}" if n > 1 else "") for x, n in named if n)
    return code_name(jets.dependent[a]) + (f".diff({inside})" if inside else "")


def code_name(name: str) -> str:
    """A name as Python has it: `lambda_`."""
    return f"{name}_" if keyword.iskeyword(name) else name


class _Code(StrPrinter):
    """SymPy's own syntax, with `sp.` before its names and exact fractions; jets as derivatives."""

    def __init__(self, jets: JetSpace) -> None:
        super().__init__()
        self._jets = jets

    def _print_Symbol(self, expr: sp.Symbol) -> str:  # noqa: N802
        if not self._jets.is_jet(expr):
            return code_name(expr.name)
        return code_of(*self._jets.index(expr), self._jets)

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


def sum_of(terms: Iterable[sp.Expr]) -> Formula:
    """A sum in both forms, its terms in the given order."""
    terms = list(terms)
    text, latex = (
        " + ".join(map(write, terms)).replace("+ -", "- ") or "0" for write in (str, sp.latex)
    )  # fmt: skip
    return Formula(text, latex)
