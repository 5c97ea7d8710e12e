"""The derivation written out: leading derivatives, determining equations and every step of their solution.

Components are written ξ^x and φ^u (Olver 1993, eq. 2.18), functions that the solver brings in f1, f2, …, constants
c1, c2, …; derivatives as subscripts, `xi^x_tu`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import sympy as sp

from lieapp.equations.equation import System
from lieapp.equations.evolution import Evolution, evolution_form
from lieapp.equations.latex import ordered_latex
from lieapp.errors import EquationError
from lieapp.lie.deadline import Clock
from lieapp.lie.determining import DeterminingSystem
from lieapp.lie.linear import Form, Key
from lieapp.lie.solving import State, Step


class Notation:
    """Names of the unknown functions, and forms in them as expressions.

    Args:
        determining: whose components and coordinates are named.
    """

    def __init__(self, determining: DeterminingSystem) -> None:
        self.determining = determining
        self.field, self.unknowns = determining.field, determining.unknowns
        jets = determining.system.jets
        self._plain: dict[int, str] = {}
        self._latex: dict[int, str] = {}
        for k, (f, x) in enumerate(zip(determining.components, jets.coordinates, strict=True)):
            letter = "xi" if k < len(jets.independent) else "phi"
            self._plain[f] = f"{letter}^{x}"
            self._latex[f] = rf"\{letter}^{{{sp.latex(x)}}}"
        self._count = {"c": 0, "f": 0}
        self._short = all(len(str(v)) == 1 for v in self.field.variables)
        self._symbols: dict[sp.Symbol, str] = {}

    def name(self, f: int) -> str:
        """xi^x, f3 or c1; names are given in the order in which they are first asked for."""
        if f not in self._plain:
            letter = "f" if self.unknowns.arguments[f] else "c"
            self._count[letter] += 1
            self._plain[f] = f"{letter}{self._count[letter]}"
            self._latex[f] = f"{letter}_{{{self._count[letter]}}}"
        return self._plain[f]

    def arguments(self, f: int) -> list[str]:
        """The variables that a function depends on."""
        return [str(self.field.variables[v]) for v in sorted(self.unknowns.arguments[f])]

    def declared(self, f: int) -> str:
        """f1(t, x)"""
        inside = ", ".join(self.arguments(f))
        return self.name(f) + (f"({inside})" if inside else "")

    def written(self, f: int) -> str:
        """The name as LaTeX."""
        self.name(f)
        return self._latex[f]

    def expression(self, form: Form) -> sp.Expr:
        """A form with a symbol for each derivative."""
        terms = [self.field.expression(c) * self._symbol(key) for key, c in sorted(form.items())]
        return sp.Add(*terms)

    def text(self, form: Form) -> str:
        """A form in SymPy's syntax, with the names above."""
        return str(self.expression(form))

    def latex(self, form: Form) -> str:
        """A form as LaTeX."""
        expression = self.expression(form)
        return str(sp.latex(expression, symbol_names=self._symbols))

    def _symbol(self, key: Key) -> sp.Symbol:
        f, K = key
        name = self.name(f)
        letters = [v for v, n in zip(self.field.variables, K, strict=True) for _ in range(n)]
        below = ("" if self._short else "_").join(map(str, letters))
        symbol = sp.Symbol(name + (f"_{below}" if below else ""), real=True)
        if symbol not in self._symbols:
            script = " ".join(sp.latex(v) for v in letters)
            base = self._latex[f]
            if script and base.endswith("}") and "_{" in base:
                # f_{1} goes on below the line: f_{1, tx}
                self._symbols[symbol] = f"{base[:-1]}, {script}}}"
            else:
                self._symbols[symbol] = base + (f"_{{{script}}}" if script else "")
        return symbol


def explanation(
    determining: DeterminingSystem, state: State, moved: Mapping[sp.Symbol, sp.Expr] | None = None
) -> dict[str, Any]:
    """The object under `explain` in the JSON of `lieapp truth --explain`.

    `leading`: the derivatives that the system was solved for; `components`: the unknown functions; `determining`:
    the equations that they must satisfy (`= 0` understood); `steps`: what was done, in order; `solution`: the
    components in the functions and constants that are left, with the `conditions` on these. Formulas as `text` and
    as `latex`. `moved`, where a linear equation has a source: a solution of it for each unknown u; everything else
    is then said of the homogeneous equation, for u minus that solution.
    """
    notation = Notation(determining)
    system, leading = determining.system, determining.leading
    coordinates = system.jets.coordinates
    solved = [(system.jets.symbol(*jet), rule) for jet, rule in leading.rules.items()]
    return {
        "leading": [
            {"text": f"{s} = {rule}", "latex": f"{sp.latex(s)} = {ordered_latex(rule, system.jets)}"}
            for s, rule in solved
        ],
        "components": {notation.name(f): notation.arguments(f) for f in determining.components},
        "determining": [_formula(notation, form) for form in determining.equations],
        "steps": list(_steps(notation, state.steps)),
        "solution": {str(x): _formula(notation, value) for x, value in zip(coordinates, state.values, strict=True)},
        "conditions": [_formula(notation, form) for form in state.equations],
        "moved": {str(u): {"text": str(p), "latex": sp.latex(p)} for u, p in (moved or {}).items()},
    }


def statement(system: System, clock: Clock) -> dict[str, Any]:
    """What was asked: `equations` (`= 0` understood), the `jets` in them, and the `evolution` form.

    `no_evolution` is the reason why there is no such form, else empty. Formulas as `text` and as `latex`.
    """
    jets, found, reason = system.jets, None, ""
    try:
        found = clock.within(0.0, lambda: evolution_form(system), None)
        reason = "" if found else clock.told()
    except EquationError as error:
        reason = error.message
    rates = [] if found is None else _rates(found)
    occurring = jets.jets(sp.Tuple(*system.residuals))
    return {
        "equations": [{"text": str(r), "latex": ordered_latex(r, jets)} for r in system.residuals],
        "jets": list(map(str, occurring)),
        "evolution": [
            {"text": f"{u} = {f}", "latex": f"{sp.latex(u)} = {ordered_latex(f, jets)}"} for u, f in rates
        ],
        "no_evolution": reason,
    }


def _rates(form: Evolution) -> list[tuple[sp.Symbol, sp.Expr]]:
    """u_t and F for each unknown."""
    first = form.jets.raised(form.jets.zero, form.time)
    return [(form.jets.symbol(a, first), f) for a, f in enumerate(form.rhs)]


def _formula(notation: Notation, form: Form) -> dict[str, str]:
    return {"text": notation.text(form), "latex": notation.latex(form)}


def _steps(notation: Notation, steps: Iterable[Step]) -> Iterator[dict[str, Any]]:
    known = set(notation.determining.components)
    for step in steps:
        right = _formula(notation, step.form)
        if step.function is None:
            text, latex = f"{right['text']} = 0", f"{right['latex']} = 0"
        else:
            text = f"{notation.name(step.function)} = {right['text']}"
            latex = f"{notation.written(step.function)} = {right['latex']}"
        new = [f for f in dict.fromkeys(f for f, _ in step.form) if f not in known]
        known.update(new)
        yield {
            "rule": step.rule,
            "text": text,
            "latex": latex,
            "new": [notation.declared(f) for f in new],
            "parts": [_formula(notation, part) for part in step.parts],
        }
