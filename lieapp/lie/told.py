"""A derived truth as the result that commands, reports and pages read; what is shown is written here, by SymPy."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec
import sympy as sp

from lieapp.document import Formula
from lieapp.equations.latex import equation_of, ordered_latex
from lieapp.lie.consequences import Flow, Reduced
from lieapp.lie.families import Family
from lieapp.lie.reduction.invariants import Invariants
from lieapp.lie.reduction.reduced import Reduction
from lieapp.lie.truth import Truth
from lieapp.lie.vector_field import formula_of
from lieapp.results.truth import (
    CertificateResult,
    Explanation,
    FamilyResult,
    FlowResult,
    InvariantsResult,
    ReducedResult,
    ReductionResult,
    StructureResult,
    TruthResult,
)


def told(truth: Truth, periodic_in: Sequence[str] = ()) -> TruthResult:
    """The result of a derivation, without what follows from its generators and the way to them."""
    system = truth.system
    result = TruthResult(
        dimension=truth.dimension,
        infinite=truth.infinite,
        generators=[field.as_json() for field in truth.generators],
        families=[_family(family) for family in truth.families],
        unsolved=list(truth.unsolved),
        assumed_nonzero=list(map(str, truth.assumed_nonzero)),
        assumed_independent=[list(map(str, span)) for span in truth.assumed_independent],
        assumed_generic=list(truth.assumed_generic),
        certified=truth.certified,
        certificate=CertificateResult(**truth.certificate.as_json()),
        periodic=[field.as_json() for field in truth.periodic],
        periodic_families=[_family(family) for family in truth.periodic_families],
        structure=truth.structure or StructureResult(),
        seconds=round(truth.seconds, 3),
        periodic_in=list(periodic_in),
        equation_shown=[equation_of(r, system.jets) for r in system.residuals],
        generators_shown=[field.formula() for field in truth.generators],
        periodic_shown=[field.formula() for field in truth.periodic],
        assumed_nonzero_shown=list(map(formula_of, truth.assumed_nonzero)),
        assumed_independent_shown=[list(map(formula_of, span)) for span in truth.assumed_independent],
        assumed_generic_shown=list(map(named, truth.assumed_generic)),
    )
    result.sentence = sentence(result)
    return result


def sentence(result: TruthResult) -> str:
    """The outcome in one sentence: "4 symmetries, 3 kept if periodic in x; certified"."""
    count, families = result.dimension, len(result.families)
    said = f"{count} symmetr{'y' if count == 1 else 'ies'}"
    if families:
        said += f" modulo {families} famil{'y' if families == 1 else 'ies'}"
    if result.periodic_in:
        said += f", {len(result.periodic)} kept if periodic in {', '.join(result.periodic_in)}"
    said += "; certified" if result.certified else "; not certified"
    if result.unsolved:
        said += "; equations are left unsolved"
    return said


def _family(family: Family) -> FamilyResult:
    return FamilyResult(
        functions={name: list(arguments) for name, arguments in family.functions.items()},
        conditions=list(map(str, family.conditions)),
        field=family.field.as_json(),
        functions_shown=[_called(name, arguments) for name, arguments in family.functions.items()],
        conditions_shown=list(map(formula_of, family.conditions)),
        shown=family.field.formula(),
    )


def told_flow(found: Flow) -> FlowResult:
    """The flow of one generator."""
    moved = {} if found.values is None else {c: e for c, e in found.values.items() if str(e) != c}
    return FlowResult(
        flow=None if found.values is None else {c: str(e) for c, e in found.values.items()},
        domain=list(map(str, found.domain)),
        reason=found.reason,
        flow_shown=[_between(c, e, "->", r"\mapsto") for c, e in moved.items()],
        domain_shown=list(map(formula_of, found.domain)),
    )


def told_reduced(found: Reduced) -> ReducedResult:
    """Invariants of one generator, and the reduction by it."""
    return ReducedResult(invariants=_invariants(found.invariants), reduction=_reduction(found.reduction))


def _invariants(found: Invariants) -> InvariantsResult:
    return InvariantsResult(
        invariants=list(map(str, found.expressions)),
        similarity=found.similarity,
        reason=found.reason,
        invariants_shown=list(map(formula_of, found.expressions)),
    )


def _reduction(found: Reduction) -> ReductionResult:
    jets = found.jets
    arguments = list(map(str, jets.independent)) if jets else []
    return ReductionResult(
        **found.as_json(),
        variables_shown=[_between(z, e) for z, e in found.variables.items() if str(e) != z],
        functions_shown=[_called(name, arguments) for name in (jets.dependent if jets else ())],
        ansatz_shown=[_between(u, e) for u, e in found.ansatz.items()],
        equations_shown=[Formula(str(e), ordered_latex(e, jets)) for e in found.residuals] if jets else [],
        assumed_nonzero_shown=list(map(formula_of, found.assumed_nonzero)),
    )


def told_explanation(statement: Mapping[str, Any], derivation: Mapping[str, Any]) -> Explanation:
    """The two parts of `explain` as one."""
    result = msgspec.convert({**statement, **derivation}, Explanation)
    result.jets_shown = list(map(named, result.jets))
    result.components_shown = [_called(name, arguments) for name, arguments in result.components.items()]
    result.moved_shown = [
        Formula(f"{u} - ({p.text})", rf"{named(u).latex} - \left({p.latex}\right)") for u, p in result.moved.items()
    ]
    result.solution_shown = [
        Formula(f"{name} = {value.text}", f"{named(name).latex} = {value.latex}")
        for name, value in zip(result.components, result.solution.values(), strict=True)
    ]
    for step in result.steps:
        step.new_shown = [_called(name, inside.rstrip(")").split(", ")) for name, _, inside in
                          (new.partition("(") for new in step.new)]  # fmt: skip
    return result


def named(name: str) -> Formula:
    """A name by itself: `epsilon`."""
    return formula_of(sp.Symbol(name))


def _called(name: str, arguments: Iterable[str]) -> Formula:
    """`alpha(t, x)`; the name alone without arguments."""
    inside = [named(argument) for argument in arguments if argument]
    text, latex = (", ".join(parts) for parts in ((a.text for a in inside), (a.latex for a in inside)))
    return Formula(name + (f"({text})" if text else ""), named(name).latex + (f"({latex})" if latex else ""))


def _between(name: str, value: sp.Expr, sign: str = "=", command: str = "=") -> Formula:
    """`u = w/t` or `t -> t + s`."""
    return Formula(f"{name} {sign} {value}", f"{named(name).latex} {command} {sp.latex(value)}")
