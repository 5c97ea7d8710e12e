"""A vector field in physical coordinates, as formulas: V = Σ components[c] ∂_c."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import sympy as sp

from lieapp.document import Formula


@dataclass(frozen=True, eq=True, repr=False)
class Field:
    """A generator.

    Args:
        components: an expression for each coordinate name, independent variables first.
    """

    components: dict[str, sp.Expr]

    def as_json(self) -> dict[str, str]:
        """`{"t": "0", "x": "2*sqrt(t+1)", …}`, SymPy syntax."""
        return {name: str(value) for name, value in self.components.items()}

    def text(self) -> str:
        """One line: `2*sqrt(t + 1) d_x + 1/sqrt(t + 1) d_u`."""
        return _sum(self.components, str, "d_{}", " ")

    def latex(self) -> str:
        r"""`2 \sqrt{t + 1}\,\partial_{x} + …`"""
        return _sum(self.components, sp.latex, r"\partial_{{{}}}", r"\,")

    def formula(self) -> Formula:
        """Both forms, as results carry them: on a terminal `2*sqrt(t + 1) ∂x + 1/sqrt(t + 1) ∂u`."""
        return Formula(_sum(self.components, str, "∂{}", " "), self.latex())

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return self.text()

    def _repr_latex_(self) -> str:
        return rf"$\displaystyle {self.latex()}$"


def formula_of(expression: sp.Expr) -> Formula:
    """An expression in both forms."""
    return Formula(str(expression), sp.latex(expression))


def combination(coefficients: Sequence[sp.Expr]) -> Formula:
    """A sum of generators: `2 V1 - nu V3`."""
    numbered = {str(k): c for k, c in enumerate(coefficients, start=1)}
    return Formula(_sum(numbered, str, "V{}", " "), _sum(numbered, sp.latex, "V_{{{}}}", r"\,"))


def _sum(components: dict[str, sp.Expr], write: type | object, basis: str, space: str) -> str:
    parts: list[str] = []
    for name, value in components.items():
        if value == 0:
            continue
        negative = bool(value.could_extract_minus_sign())
        size = -value if negative else value
        written = "" if size == 1 else write(size)  # type: ignore[operator]
        if written and size.is_Add:
            written = rf"\left({written}\right)" if write is sp.latex else f"({written})"
        sign = (" - " if negative else " + ") if parts else ("-" if negative else "")
        parts.append(sign + written + (space if written else "") + basis.format(name))
    return "".join(parts) or "0"
