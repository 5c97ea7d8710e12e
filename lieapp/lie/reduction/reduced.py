"""What a reduction gives: new variables, the ansatz, the reduced equations, or why there are none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import sympy as sp

from lieapp.equations.equation import System
from lieapp.equations.jets import JetSpace
from lieapp.equations.latex import ordered_latex


@dataclass(frozen=True)
class Reduction:
    """A system reduced by one generator, proved by substitution.

    Args:
        kind: "similarity", invariant solutions with one variable fewer; "order", an ODE of one order less;
            "" if there is none.
        jets: the new variables and unknowns.
        variables: each new independent variable in the old coordinates.
        ansatz: for "similarity" each old unknown in old variables and new unknowns; for "order" each first
            derivative of an old unknown, and new unknowns that are functions of the old coordinates alone.
        residuals: the reduced equations in jet notation, = 0 understood.
        parameters: symbols that stay free.
        assumed_nonzero: what was divided by.
        reason: why there is no reduction; empty if there is one.
    """

    kind: str = ""
    jets: JetSpace | None = None
    variables: Mapping[str, sp.Expr] = field(default_factory=dict)
    ansatz: Mapping[str, sp.Expr] = field(default_factory=dict)
    residuals: tuple[sp.Expr, ...] = ()
    parameters: tuple[sp.Symbol, ...] = ()
    assumed_nonzero: tuple[sp.Expr, ...] = ()
    reason: str = ""

    def __bool__(self) -> bool:
        return not self.reason

    @property
    def functions(self) -> tuple[sp.Expr, ...]:
        """The new unknowns as functions, w1(z), …"""
        return (
            () if self.jets is None else tuple(sp.Function(n)(*self.jets.independent) for n in self.jets.dependent)
        )

    @property
    def equations(self) -> tuple[sp.Expr, ...]:
        """The reduced equations with SymPy functions and derivatives, = 0 understood."""
        return tuple(self._as_functions(e) for e in self.residuals)

    @property
    def system(self) -> System:
        """The reduced equations as a system that can be reduced further. Raises ValueError if there is none."""
        if self.jets is None or not self.residuals:
            raise ValueError(f"there is no reduced system: {self.reason or 'every function solves it'}")
        return System(self.jets, self.residuals, self.parameters, name="reduced equation")

    def _as_functions(self, expression: sp.Expr) -> sp.Expr:
        if self.jets is None:
            return expression
        values = {}
        for s, (a, J) in self.jets.jets(expression).items():
            pairs = [(z, n) for z, n in zip(self.jets.independent, J, strict=True) if n]
            values[s] = sp.Derivative(self.functions[a], *pairs) if pairs else self.functions[a]
        return expression.xreplace(values)

    def as_json(self) -> dict[str, Any]:
        """`{"kind": "similarity", "variables": {"z": "x/sqrt(t)"}, "ansatz": {"u": "w"}, "equations": […], …}`"""
        names = () if self.jets is None else tuple(map(str, self.jets.independent))
        unknowns = () if self.jets is None else self.jets.dependent
        return {
            "kind": self.kind,
            "variables": {name: str(value) for name, value in self.variables.items()},
            "functions": {name: list(names) for name in unknowns},
            "ansatz": {name: str(value) for name, value in self.ansatz.items()},
            "equations": [str(e) for e in self.residuals],
            "assumed_nonzero": [str(e) for e in self.assumed_nonzero],
            "reason": self.reason,
        }

    def text(self) -> str:
        """One line for each of variables, ansatz, equations: `z = x/sqrt(t)`, `u = w`, `w_zz + z*w_z/2 = 0`."""
        if self.reason:
            return f"no reduction: {self.reason}"
        lines = [f"{name} = {value}" for name, value in self.variables.items() if str(value) != name]
        lines += [f"{name} = {value}" for name, value in self.ansatz.items()]
        lines += [f"{e} = 0" for e in self.residuals] or ["every function solves it"]
        return "\n".join(lines)

    def latex(self) -> str:
        r"""The same as an `aligned` block of LaTeX, derivatives written as indices."""
        if self.reason or self.jets is None:
            return rf"\text{{{self.text()}}}"
        return "\\begin{aligned}\n" + " \\\\\n".join(self.latex_rows()) + "\n\\end{aligned}"

    def latex_rows(self) -> list[str]:
        """The rows of that block."""
        if self.jets is None:
            return []
        lines = [f"{name} &= {sp.latex(value)}" for name, value in self.variables.items() if str(value) != name]
        lines += [f"{sp.latex(sp.Symbol(name))} &= {sp.latex(value)}" for name, value in self.ansatz.items()]
        lines += [f"{ordered_latex(e, self.jets)} &= 0" for e in self.residuals]
        return lines
