"""What is said of a given field as the result that commands, reports and pages read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import sympy as sp
from sympy.core.function import AppliedUndef

from lieapp.document import Formula
from lieapp.equations.factors import named
from lieapp.equations.printing import equation_of
from lieapp.lie.vector_field import formula_of
from lieapp.results.holding import HoldsResult

if TYPE_CHECKING:
    from lieapp.lie.given.holding import Case, Holding


def told(found: Holding) -> HoldsResult:
    """The result of a test."""
    result = HoldsResult(
        holds=found.holds,
        field=found.field.as_json(),
        unknowns=list(map(str, found.unknowns)),
        values=[_text(case) for case in found.cases],
        conditions=[list(map(str, case.conditions)) for case in found.cases],
        special=[_text(case) for case in found.special],
        special_conditions=[list(map(str, case.conditions)) for case in found.special],
        leftover=list(map(str, found.leftover)),
        assumed_nonzero=list(map(str, found.unexamined)),
        assumed_independent=[list(map(str, span)) for span in found.independent],
        seconds=round(found.seconds, 3),
        equation_shown=[equation_of(r, found.system.jets) for r in found.system.residuals],
        field_shown=found.field.formula(),
        values_shown=list(map(_shown, found.cases)),
        conditions_shown=[list(map(formula_of, case.conditions)) for case in found.cases],
        special_shown=list(map(_shown, found.special)),
        special_conditions_shown=[list(map(formula_of, case.conditions)) for case in found.special],
        leftover_shown=list(map(formula_of, found.leftover)),
        assumed_nonzero_shown=list(map(formula_of, found.unexamined)),
        assumed_independent_shown=[list(map(formula_of, span)) for span in found.independent],
    )
    result.sentence = sentence(result)
    return result


def sentence(result: HoldsResult) -> str:
    """ "a symmetry for a = -6", "no symmetry", …"""
    solutions = [_words(*pair) for pair in zip(result.values_shown, result.conditions_shown, strict=True)]
    special = [_words(*pair) for pair in zip(result.special_shown, result.special_conditions_shown, strict=True)]
    if result.holds:
        every = f" for every {', '.join(result.unknowns)}" if result.unknowns else ""
        text = "a symmetry" + (_either(solutions) if all(solutions) else every)
    elif result.holds is None:
        text = "not decided whether it is a symmetry"
    else:
        unless = f" for any {', '.join(result.unknowns)} unless it is 0" if result.unknowns else ""
        text = f"no symmetry{unless}"
    more = "; also" if result.holds else "; a symmetry"
    return text + (f"{more}{_either(special)}" if special else "")


def _either(cases: Sequence[str]) -> str:
    """ " for a = 1 or a = 2"."""
    return " or".join([cases[0], *(case.removeprefix(" for") for case in cases[1:])])


def _words(values: Sequence[Formula], conditions: Sequence[Formula]) -> str:
    """ " for a = 1 where f_t = 0"."""
    given = f" for {', '.join(f.text for f in values)}" if values else ""
    return given + (f" where {', '.join(f'{f.text} = 0' for f in conditions)}" if conditions else "")


def _text(case: Case) -> dict[str, str]:
    return {name: str(in_jets(value)) for name, value in case.told.items()}


def _shown(case: Case) -> list[Formula]:
    """`a = -6` for each value, functions with their arguments."""
    pairs: list[tuple[sp.Expr, sp.Expr]] = [*case.special.items(), *case.values.items()]
    return [_equal(e, in_jets(value)) for e, value in pairs]


def in_jets(e: sp.Expr) -> sp.Expr:
    """An expression with derivatives of functions written f_t; functions themselves keep their arguments."""
    found = {d: named(d)[0] for d in e.atoms(sp.Derivative)}
    return e.xreplace(found)


def _equal(e: sp.Expr, value: sp.Expr) -> Formula:
    name = e if isinstance(e, AppliedUndef) else sp.Symbol(str(e))
    return Formula(f"{name} = {value}", f"{sp.latex(name)} = {sp.latex(value)}")
