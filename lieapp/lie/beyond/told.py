"""Conservation laws as the result that commands, reports and pages read."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import sympy as sp
from sympy.core.function import AppliedUndef

from lieapp.document import Formula
from lieapp.equations.factors import spelled
from lieapp.equations.printing import equation_of
from lieapp.lie.told import called, words_of
from lieapp.lie.vector_field import formula_of
from lieapp.results.laws import ActionResult, LawResult, LawsResult

if TYPE_CHECKING:
    from lieapp.lie.beyond.laws import Law, Laws


def told_laws(found: Laws) -> LawsResult:
    """The result of `lieapp laws`."""
    result = LawsResult(
        laws=[_law(law, found.variable) for law in found.laws],
        families=[_law(law, found.variable) for law in found.families],
        variable=found.variable,
        order=found.order,
        sought=found.sought,
        general=found.general,
        certified=found.certified,
        certificate=found.certificate,
        unsolved=list(found.unsolved),
        left_out=found.left_out,
        assumed_nonzero=list(map(str, found.assumed_nonzero)),
        lagrangian=None if found.lagrangian is None else str(found.lagrangian),
        seconds=round(found.seconds, 3),
        equation_shown=[equation_of(r, found.system.jets) for r in found.system.residuals],
        assumed_nonzero_shown=list(map(formula_of, found.assumed_nonzero)),
        lagrangian_shown=None if found.lagrangian is None else formula_of(found.lagrangian),
    )
    if found.actions is not None:
        result.actions = [
            ActionResult(
                characteristic=list(map(_text, q)),
                images=[None if image is None else list(map(str, image)) for image in images],
                characteristic_shown=list(map(formula_of, q)),
            )
            for q, images in zip(found.actions.symmetries, found.actions.images, strict=True)
        ]
        result.generating = None if found.actions.generating is None else list(found.actions.generating)
    result.sentence = sentence_of(result)
    return result


def sentence_of(result: LawsResult) -> str:
    """ "3 conservation laws with multipliers up to order 2; certified", or "certified among polynomials"."""
    count, families = len(result.laws), len(result.families)
    text = f"{count} conservation law{'' if count == 1 else 's'}"
    if families:
        text += f" and {families} famil{'y' if families == 1 else 'ies'}"
    text += f" with multipliers up to order {result.order}"
    text += f"; {words_of(result.certified, result.general)}"
    return text + ("; something is left unsolved" if result.unsolved else "")


def _law(law: Law, variable: str) -> LawResult:
    functions = {str(f.func): list(map(str, f.args)) for f in law.functions}
    return LawResult(
        multiplier=list(map(_text, law.multiplier)),
        density=None if law.density is None else _text(law.density),
        flux=None if law.flux is None else {x: _text(e) for x, e in law.flux.items()},
        order=law.order,
        proved=law.proved,
        symmetry=None if law.symmetry is None else law.symmetry.as_json(),
        functions=functions,
        conditions=list(map(_text, law.conditions)),
        multiplier_shown=list(map(formula_of, law.multiplier)),
        symmetry_shown=None if law.symmetry is None else law.symmetry.formula(),
        density_shown=None if law.density is None else component("T", variable, law.density),
        flux_shown=[component("X", x, e) for x, e in (law.flux or {}).items()],
        functions_shown=[called(name, arguments) for name, arguments in functions.items()],
        conditions_shown=_conditions(law.conditions),
    )


def component(letter: str, x: str, value: sp.Expr) -> Formula:
    """`T = u**2/2`, and of fluxes `X^x = …`."""
    shown = formula_of(value)
    if letter == "T":
        return Formula(f"T = {shown.text}", f"T = {shown.latex}")
    return Formula(f"X^{x} = {shown.text}", f"X^{{{sp.latex(sp.Symbol(x))}}} = {shown.latex}")


def _conditions(conditions: Iterable[sp.Expr]) -> list[Formula]:
    shown = map(formula_of, conditions)
    return [Formula(f"{f.text} = 0", f"{f.latex} = 0") for f in shown]


def _text(expression: sp.Expr) -> str:
    """In jet notation, derivatives of arbitrary functions too."""
    return str(spelled(expression) if expression.atoms(AppliedUndef, sp.Derivative) else expression)
