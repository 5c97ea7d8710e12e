"""What a derivation found, as a document: equation, algebra, brackets, what follows from it, and the way to it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import UNSET

from lieapp.document import Block, Cell, Column, Formula, Heading, Notice, Table, Text, Words, joined, table
from lieapp.extension import outcome
from lieapp.report.moving_document import moving_blocks
from lieapp.results.truth import (
    BeyondResult,
    Explanation,
    GeneralisedResult,
    ReducedResult,
    SoughtResult,
    StepResult,
    StructureResult,
    TruthResult,
    zero,
)

MOST = 60
"""Equations and steps of a derivation that a page shows; all of them are in summary.json."""

MOST_BRACKETS = 40
"""Brackets that are listed."""

RULES = {
    "vanish": "it vanishes",
    "integrate": "integrated",
    "particular solution": "a particular solution of the equation with its source, used as an offset",
    "split": "the coefficients of independent functions vanish separately",
    "eliminate": "solved for a function that is not differentiated",
    "linear ODE": "solved as a linear ordinary differential equation",
    "decouple": "coupled equations separated",
    "count": "a count modulo primes leaves no solution but 0",
    "vanishing": "it is 0 at two random points, modulo a prime each",
    "ansatz": "an ansatz contains as many solutions as a count modulo primes allows",
    "formal integral": "integrated; the integral is left unevaluated",
    "reduce": "reduced by the other equations",
    "differentiate": "divided by a coefficient and differentiated",
    "cross-differentiate": "mixed derivatives must agree",
}
"""What each rule of the solver does, in words; others are named as they are."""


def document(result: TruthResult, most: int | None = MOST) -> list[Block]:
    """Every section; those of what wasn't asked for are left out.

    Args:
        most: equations and steps of the derivation that are shown; all if None.
    """
    blocks = [*outcome(result), *_statement(result), *_symmetries(result), *_periodic(result)]
    blocks += [*_brackets(result), *_structure(result.structure)]
    if result.flows is not UNSET:
        blocks += _flows(result)
    if result.reductions is not UNSET:
        blocks += _reductions(result.reductions)
    blocks += _completeness(result)
    if result.moving is not UNSET:
        blocks += moving_blocks(result.moving)
    if result.generalised is not UNSET and result.beyond is not UNSET:
        blocks += _beyond(result.generalised, result.beyond)
    if result.explain is not UNSET:
        blocks += _derivation(result.explain, most)
    return blocks


def _beyond(found: Sequence[GeneralisedResult], beyond: BeyondResult) -> Iterator[Block]:
    """The characteristics by their kind and order, families, and whether there are no others."""
    yield Heading("Generalised symmetries", "beyond", "generalised")
    rows: list[list[Cell]] = [
        [joined(one.characteristic_shown), f"{one.order}", one.kind, one.field_shown] for one in found
    ]
    if rows:
        yield table(["characteristic on solutions", "order", "kind", "field"], rows)
    for family in beyond.families:
        where = joined(map(zero, family.conditions_shown))
        functions = joined(family.functions_shown)
        yield Text(["with ", *functions, *([" where ", *where] if where else []), ": ", family.shown])
    reason = "; ".join(beyond.unsolved) or beyond.certificate.reason
    proofs = "" if all(one.proved for one in found) else " Not all are proved."
    others = "no others" if rows or beyond.families else "none"
    said = f"certified: there are {others}" if beyond.certified else f"not certified: {reason}"
    yield Text(f"Sought: {beyond.sought}; {said}.{proofs}", small=True)
    if beyond.assumed_nonzero_shown:
        yield Text(["assumed not to vanish: ", *joined(beyond.assumed_nonzero_shown)], small=True)


def _statement(result: TruthResult) -> Iterator[Block]:
    """The equations; if the derivation is told, their jets and their evolution form too."""
    yield Heading("Equation", "statement", "jets")
    yield from result.equation_shown
    if result.explain is UNSET:
        return
    if result.explain.jets:
        yield Text(["Jets: ", *joined(result.explain.jets_shown)], small=True)
    yield Heading("Evolution form", "evolution", "evolution")
    yield from result.explain.evolution
    if result.explain.no_evolution:
        yield Text(f"none: {result.explain.no_evolution}", small=True)


def _sought(result: TruthResult, found: SoughtResult) -> list[Block]:
    """Infinitely many, those of the classes that were sought, and what is constant on every solution."""
    names = [_generator(k) for k, _ in enumerate(found.generators, start=1)]
    lines: list[Words] = ["Infinitely many, as every first-order ordinary equation has. These classes were sought:"]
    lines += [f"- {name}" for name in found.classes]
    fields = _fields(names, found.generators_shown, "None in these classes.")
    constant = [Text(["constant on every solution: ", e]) for e in found.integrals_shown]
    return [Heading("Symmetries", "symmetries", "generator"), *map(Text, lines), fields, *constant]


def _symmetries(result: TruthResult) -> list[Block]:
    if result.sought is not UNSET:
        return _sought(result, result.sought)
    names = [_generator(k) for k, _ in enumerate(result.generators, start=1)]
    none = "Families only." if result.families else "There are no point symmetries."
    title = f"Symmetries, dimension {result.dimension}{' modulo the families' if result.infinite else ''}"
    fields = _fields(names, result.generators_shown, none)
    return [Heading(title, "symmetries", "generator"), fields, *(found.line() for found in result.families)]


def _periodic(result: TruthResult) -> Iterator[Block]:
    """What is kept; a generator of the whole algebra under its name there, combinations as W1, W2, …"""
    if not result.periodic_in:
        return
    yield Heading(f"Kept by a domain periodic in {', '.join(result.periodic_in)}", "periodic", "periodic")
    names, new = [], 0
    for field in result.periodic:
        same = field in result.generators
        new += not same
        names.append(_generator(result.generators.index(field) + 1) if same else _generator(new, "W"))
    families = result.periodic_families
    yield _fields(names, result.periodic_shown, "Families only." if families else "None.")
    if families != result.families:
        yield from (found.line() for found in families)
    elif families:
        yield Text("The families remain, restricted to periodic members.")


def _fields(names: Sequence[Formula], fields: Sequence[Formula], none: str) -> Block:
    return Table([Column(""), Column("generator")], list(zip(names, fields, strict=True))) if fields else Text(none)


def _brackets(result: TruthResult) -> Iterator[Block]:
    structure = result.structure
    if not result.generators and (structure.closed is None or result.sought is not UNSET):
        return
    yield Heading("Brackets", "brackets", "bracket")
    if structure.closed is None:
        yield Text("Not computed: the time limit was reached.")
        return
    for (i, j, _), value in list(zip(structure.brackets, structure.brackets_shown, strict=True))[:MOST_BRACKETS]:
        yield Text([_equal(Formula(f"[V{i + 1}, V{j + 1}]", rf"[V_{{{i + 1}}}, V_{{{j + 1}}}]"), value)])
    if not structure.brackets and structure.closed:
        yield Text("All brackets vanish.")
    if (rest := len(structure.brackets) - MOST_BRACKETS) > 0:
        yield Text(f"and {rest} more brackets, in the JSON")


def _structure(structure: StructureResult) -> list[Block]:
    lines = structure_words(structure)
    return [Heading("Structure", "structure", "structure"), *map(Text, lines)] if lines else []


def structure_words(structure: StructureResult) -> list[Words]:
    """Lines on the algebra, as "solvable, not nilpotent" or "centre: V3". Nothing of what couldn't be decided."""
    if structure.closed is None:
        return []
    if not structure.closed:
        return ["The brackets don't close: there are more symmetries than those found."]
    if structure.killing is None:
        told = "don't form" if structure.ideal is False else "could not be shown to form"
        return [f"brackets hold modulo the families, which {told} an ideal"] if structure.modulo_families else []
    if not structure.killing:
        return []
    lines: list[Words] = [_properties(structure)]
    if structure.modulo_families:
        lines.append("brackets hold modulo the families")
    if not structure.abelian:
        lines += [["centre: ", *_span(structure.center_shown)]] if structure.center is not None else []
        if structure.derived_series and not structure.perfect:
            lines.append(["derived algebra: ", *_span(structure.derived_algebra_shown)])
        lines += _parts(structure)
    if structure.assumed_nonzero:
        lines.append(["where nonzero: ", *joined(structure.assumed_nonzero_shown)])
    return [line for line in lines if line]


def _properties(structure: StructureResult) -> str:
    if structure.abelian:
        return "abelian"
    if structure.nilpotent:
        return "nilpotent, not abelian"
    if structure.solvable:
        return "solvable" if structure.nilpotent is None else "solvable, not nilpotent"
    if structure.semisimple:
        kind = structure.levi.type if structure.levi else None
        return "semisimple" + (f": {kind}" if kind else "")
    return "" if structure.solvable is None else "not solvable" + (", perfect" if structure.perfect else "")


def _parts(structure: StructureResult) -> Iterator[Words]:
    if structure.nilpotent or structure.semisimple:
        return
    levi = structure.levi
    if levi and levi.factor:
        kind = f"{levi.type} spanned by " if levi.type else ""
        yield [f"Levi factor: {kind}", *_span(levi.factor_shown), "; radical: ", *_span(levi.radical_shown)]
    if structure.nilradical is not None:
        yield ["nilradical: ", *_span(structure.nilradical_shown)]


def _span(vectors: Sequence[Formula]) -> list[str | Formula]:
    return joined(vectors) or ["0"]


def _flows(result: TruthResult) -> list[Block]:
    """Where the coordinates go, and where that holds."""
    s = result.parameter_shown or Formula("s", "s")
    flows = result.flows or []
    somewhere = any(flow.domain for flow in flows)
    rows: list[list[Cell]] = []
    for number, flow in enumerate(flows, start=1):
        moved: Words = joined(flow.flow_shown) or "nothing moves" if flow.flow is not None else flow.reason
        where: Words = joined((_positive(e) for e in flow.domain_shown), " and ") or ("everywhere" * somewhere)
        rows.append([Formula(f"V{number}", rf"e^{{{s.latex} V_{{{number}}}}}"), moved, where])
    head = Heading(f"Finite flows, exp({s.text} V)", "flows", "flow")
    return [head, table(["", "sends", "where"], rows)] if rows else []


def _reductions(rows: Sequence[ReducedResult]) -> list[Block]:
    """For each generator its invariants, the ansatz and the reduced equations."""
    lines = [Text([_generator(number), ": ", *_reduced(row)]) for number, row in enumerate(rows, start=1)]
    return [Heading("Invariants and reductions", "reductions", "reduction"), *lines] if lines else []


def _reduced(row: ReducedResult) -> list[str | Formula]:
    found, reduction = row.invariants, row.reduction
    line = ["invariants ", *(joined(found.invariants_shown) or [f"none, {found.reason}"]), "; "]
    if reduction.reason:
        return [*line, f"no reduction: {reduction.reason}"]
    ansatz = joined([*reduction.ansatz_shown, *reduction.functions_shown, *reduction.variables_shown])
    equations = joined(map(zero, reduction.equations_shown))
    reduced = [" reduces the equation to ", *equations] if equations else [" solves it for every function"]
    where = ["; where nonzero: ", *joined(reduction.assumed_nonzero_shown)] if reduction.assumed_nonzero else []
    return [*line, *ansatz, *reduced, *where]


def _completeness(result: TruthResult) -> Iterator[Block]:
    """What was left unsolved, for which special parameters or functions there may be more, and the certificate."""
    yield Heading("Completeness", "completeness", "certified")
    if result.unsolved:
        yield Notice("Some conditions are left unsolved: there may be more symmetries.", "warning")
        yield from (Text(f"left unsolved: {text}") for text in result.unsolved)
    yield from map(Text, assumptions(result))
    if result.sought is not UNSET:
        yield Text(f"Each one is proved; all others solve an equation as hard as this one. {result.seconds:.1f} s")
        return
    found = bool(result.generators or result.families)
    said = completeness(result)
    words = f"Each one is proved; {said}" if found else said[0].upper() + said[1:]
    yield Text(f"{words}. {result.seconds:.1f} s")


def assumptions(result: TruthResult) -> Iterator[Words]:
    """What is assumed of parameters and arbitrary functions, line by line."""
    if result.assumed_nonzero:
        yield ["assumed not to vanish: ", *joined(result.assumed_nonzero_shown)]
    for span in result.assumed_independent_shown:
        yield ["assumed linearly independent: ", *joined(span)]
    if result.assumed_generic:
        note = " (solutions were counted at random values; special ones may have more)"
        yield ["assumed generic: ", *joined(result.assumed_generic_shown), note]


def completeness(result: TruthResult) -> str:
    """Whether a derived algebra is all there is, in words."""
    if result.certified:
        return "certified: there are no others for generic parameters, up to a negligible probability"
    reason = result.certificate.reason
    return "that there are no others isn't certified independently" + (f" ({reason})" if reason else "")


def _derivation(told: Explanation, most: int | None) -> Iterator[Block]:
    yield Heading("Derivation", "derivation", "determining")
    for moved in told.moved_shown:
        yield Text(["For ", moved, ", which solves the equations without their sources"])
    if told.leading:
        yield Text(["Solved for its leading derivatives: ", *joined(told.leading)])
    count = len(told.determining)
    yield Heading(f"{count} determining equation{'' if count == 1 else 's'}", "determining")
    yield Text(["for ", *joined(told.components_shown)])
    yield from (Text([zero(equation)]) for equation in told.determining[:most])
    yield from _rest(len(told.determining), most)
    yield Heading(f"Solved in {len(told.steps)} steps", "steps")
    yield from (Text(_step(number, step, most)) for number, step in enumerate(told.steps[:most], start=1))
    yield from _rest(len(told.steps), most)
    yield Heading("The general symmetry", "general")
    yield from (Text([part]) for part in told.solution_shown)
    yield from (Text(["where ", zero(condition)]) for condition in told.conditions)
    yield from (Notice(said, "warning") for said in told.left_out)


def _step(number: int, step: StepResult, most: int | None) -> list[str | Formula]:
    """`4. f2 = c1 + c2*t with c1, c2 (integrated)`, and into which equations one falls."""
    new = [" with ", *joined(step.new_shown)] if step.new else []
    parts = [": ", *joined(map(zero, step.parts[:most]))] if step.parts else []
    return [f"{number}. ", step.shown, *new, f" ({RULES.get(step.rule, step.rule)})", *parts]


def _rest(count: int, most: int | None) -> Iterator[Block]:
    if most is not None and count > most:
        yield Text(f"and {count - most} more, in the JSON", small=True)


def _generator(number: int, letter: str = "V") -> Formula:
    return Formula(f"{letter}{number}", f"{letter}_{{{number}}}")


def _positive(expression: Formula) -> Formula:
    return Formula(f"{expression.text} > 0", f"{expression.latex} > 0")


def _equal(left: Formula, right: Formula) -> Formula:
    return Formula(f"{left.text} = {right.text}", f"{left.latex} = {right.latex}")
