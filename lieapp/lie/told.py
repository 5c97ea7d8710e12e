"""A derived truth and the way to it as the result that commands, reports and pages read, written by SymPy.

In a derivation components are written ξ^x and φ^u (Olver 1993, eq. 2.18), functions that the solver brings in f1,
f2, …, constants c1, c2, …; derivatives as subscripts, `xi^x_tu`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec
import sympy as sp
from msgspec import UNSET

from lieapp.document import Formula
from lieapp.equations.equation import System
from lieapp.equations.evolution import evolution_form
from lieapp.equations.factors import spelled
from lieapp.equations.jets import JetSpace, directions, jet_name
from lieapp.equations.printing import equation_of, ordered_latex
from lieapp.errors import EquationError
from lieapp.lie.consequences import Flow, Reduced
from lieapp.lie.cut import beginning, left_out, shortened
from lieapp.lie.deadline import Clock
from lieapp.lie.determining import DeterminingSystem
from lieapp.lie.families import Family
from lieapp.lie.linear import Form, Key
from lieapp.lie.parameters.told import sentence_of, told_moving
from lieapp.lie.solving import Step
from lieapp.lie.vector_field import formula_of
from lieapp.results import truth as results

if TYPE_CHECKING:
    from lieapp.lie.beyond.hierarchy import Generalised, Hierarchy
    from lieapp.lie.truth import Truth


class Notation:
    """Names of the unknown functions of determining equations, and forms in them as expressions."""

    def __init__(self, determining: DeterminingSystem) -> None:
        self.determining = determining
        self.field, self.unknowns = determining.field, determining.unknowns
        jets = determining.system.jets
        self._names: dict[int, Formula] = {}
        for k, (f, x) in enumerate(zip(determining.components, jets.coordinates, strict=True)):
            letter = "xi" if k < len(jets.independent) else "phi"
            self._names[f] = Formula(f"{letter}^{x}", rf"\{letter}^{{{sp.latex(x)}}}")
        self._count = {"c": 0, "f": 0}
        self._symbols: dict[sp.Symbol, str] = {}

    def name(self, f: int) -> Formula:
        """xi^x, f3 or c1; names are given in the order in which they are first asked for."""
        if f not in self._names:
            letter = "f" if self.unknowns.arguments[f] else "c"
            self._count[letter] += 1
            n = self._count[letter]
            self._names[f] = Formula(f"{letter}{n}", f"{letter}_{{{n}}}")
        return self._names[f]

    def arguments(self, f: int) -> list[str]:
        """The variables that a function depends on."""
        return [str(self.field.variables[v]) for v in sorted(self.unknowns.arguments[f])]

    def formula(self, form: Form) -> Formula:
        """A form with a symbol for each derivative, in SymPy's syntax and as LaTeX."""
        terms = [self.field.expression(c) * self._symbol(key) for key, c in sorted(form.items())]
        expression = spelled(sp.Add(*terms))
        return Formula(str(expression), str(sp.latex(expression, symbol_names=self._symbols)))

    def _symbol(self, key: Key) -> sp.Symbol:
        f, K = key
        name = self.name(f)
        symbol = sp.Symbol(jet_name(name.text, self.field.variables, K), real=True)
        if symbol not in self._symbols:
            script = " ".join(sp.latex(self.field.variables[v]) for v in directions(K))
            base = name.latex
            if script and base.endswith("}") and "_{" in base:
                # f_{1} goes on below the line: f_{1, tx}
                self._symbols[symbol] = f"{base[:-1]}, {script}}}"
            else:
                self._symbols[symbol] = base + (f"_{{{script}}}" if script else "")
        return symbol


def explanation(truth: Truth, asked: Mapping[str, Any]) -> results.Explanation:
    """How a truth was derived; `asked` as `statement` gives it.

    `leading`: the derivatives that the system was solved for; `components`: the unknown functions; `determining`:
    the equations that they must satisfy (`= 0` understood); `steps`: what was done, in order; `solution`: the
    components in the functions and constants that are left, with the `conditions` on these; `left_out`: which of
    these lists are too long to be told whole. `moved`, where a linear
    equation has a source: a solution of it for each unknown u; everything else is then said of the homogeneous
    equation, for u minus that solution.
    """
    determining, state = (truth.moved or truth).determining, (truth.moved or truth).state
    notation, jets, kept = Notation(determining), determining.system.jets, determining.leading.relations
    moved = {str(u): formula_of(p) for u, p in (truth.moved.by if truth.moved else {}).items()}
    components = {notation.name(f).text: notation.arguments(f) for f in determining.components}
    equations = list(map(notation.formula, determining.equations))
    steps = list(_steps(notation, state.steps))
    solution = list(map(notation.formula, state.values))
    conditions = list(map(notation.formula, state.equations))
    lists: dict[str, Sequence[msgspec.Struct]] = {
        "determining equations": equations, "steps": steps, "conditions": conditions,
    }  # fmt: skip
    return results.Explanation(
        **asked,
        leading=[
            _equal(sp.S.Zero, kept[jet].equation, jets) if jet in kept else _equal(jets.symbol(*jet), rule, jets)
            for jet, rule in determining.leading.rules.items()
        ],
        components=components,
        determining=beginning(equations),
        steps=beginning(steps),
        solution=dict(zip(map(str, jets.coordinates), solution, strict=True)),
        conditions=beginning(conditions),
        left_out=[said for what, found in lists.items() for said in left_out(what, found)],
        moved=moved,
        jets_shown=list(map(named, asked["jets"])),
        components_shown=[called(name, arguments) for name, arguments in components.items()],
        solution_shown=[
            Formula(f"{name} = {value.text}", f"{named(name).latex} = {value.latex}")
            for name, value in zip(components, solution, strict=True)
        ],
        moved_shown=[
            Formula(f"{u} - ({p.text})", rf"{named(u).latex} - \left({p.latex}\right)") for u, p in moved.items()
        ],
    )


def statement(system: System, clock: Clock) -> dict[str, Any]:
    """What was asked: `equations` (`= 0` understood), the `jets` in them, and the `evolution` form.

    `no_evolution` is the reason why there is no such form, else empty.
    """
    jets, found, reason = system.jets, None, ""
    try:
        found = clock.within(0.0, lambda: evolution_form(system), None)
        reason = "" if found else clock.told()
    except EquationError as error:
        reason = error.message
    rates = [] if found is None else found.rates()
    return {
        "equations": [Formula(str(r), ordered_latex(r, jets)) for r in system.residuals],
        "jets": list(map(str, jets.jets(sp.Tuple(*system.residuals)))),
        "evolution": [_equal(u, f, jets) for u, f in rates],
        "no_evolution": reason,
    }


def _equal(symbol: sp.Symbol, value: sp.Expr, jets: JetSpace) -> Formula:
    return Formula(f"{symbol} = {spelled(value)}", f"{sp.latex(symbol)} = {ordered_latex(value, jets)}")


def _steps(notation: Notation, steps: Iterable[Step]) -> Iterator[results.StepResult]:
    known = set(notation.determining.components)
    for step in steps:
        right = notation.formula(step.form)
        text, latex = f"{right.text} = 0", f"{right.latex} = 0"
        if step.function is not None:
            left = notation.name(step.function)
            text, latex = f"{left.text} = {right.text}", f"{left.latex} = {right.latex}"
        fresh = [f for f in dict.fromkeys(f for f, _ in step.form) if f not in known]
        known.update(fresh)
        new = [called(notation.name(f).text, notation.arguments(f)) for f in fresh]
        parts = list(map(notation.formula, step.parts))
        yield results.StepResult(
            rule=step.rule, text=text, latex=latex, new=[f.text for f in new], parts=parts, new_shown=new
        )


def told(truth: Truth, periodic_in: Sequence[str] = ()) -> results.TruthResult:
    """The result of a derivation, without what follows from its generators and the way to them."""
    system = truth.system
    result = results.TruthResult(
        dimension=truth.dimension,
        infinite=truth.infinite,
        generators=[field.as_json() for field in truth.generators],
        families=[_family(family) for family in truth.families],
        unsolved=shortened(truth.unsolved),
        assumed_nonzero=list(map(str, truth.assumed_nonzero)),
        assumed_independent=[list(map(str, span)) for span in truth.assumed_independent],
        assumed_generic=list(truth.assumed_generic),
        certified=truth.certified,
        certificate=truth.certificate,
        periodic=[field.as_json() for field in truth.periodic],
        periodic_families=[_family(family) for family in truth.periodic_families],
        structure=truth.structure or results.StructureResult(),
        moving=told_moving(truth.moving, truth.identified),
        seconds=round(truth.seconds, 3),
        periodic_in=list(periodic_in),
        equation_shown=[equation_of(r, system.jets) for r in system.residuals],
        generators_shown=[field.formula() for field in truth.generators],
        periodic_shown=[field.formula() for field in truth.periodic],
        assumed_nonzero_shown=list(map(formula_of, truth.assumed_nonzero)),
        assumed_independent_shown=[list(map(formula_of, span)) for span in truth.assumed_independent],
        assumed_generic_shown=list(map(named, truth.assumed_generic)),
    )
    if truth.sought:
        result.sought = results.SoughtResult(
            classes=list(truth.sought.classes),
            generators=[field.as_json() for field in truth.sought.generators],
            integrals=list(map(str, truth.sought.integrals)),
            generators_shown=[field.formula() for field in truth.sought.generators],
            integrals_shown=list(map(formula_of, truth.sought.integrals)),
        )
    if truth.hierarchy:
        result.generalised, result.beyond = told_beyond(truth.hierarchy)
    result.sentence = sentence(result)
    return result


def told_beyond(found: Hierarchy) -> tuple[list[results.GeneralisedResult], results.BeyondResult]:
    """The symmetries of `lieapp truth --order`, and what else is said of them."""
    return [_generalised(one, found.names) for one in found.symmetries], results.BeyondResult(
        order=found.order,
        sought=found.sought,
        general=found.general,
        certified=found.certified,
        certificate=found.certificate,
        families=list(map(_family, found.families)),
        unsolved=shortened(found.unsolved),
        seconds=round(found.seconds, 3),
        brackets=None
        if found.brackets is None
        else [(i, j, None if c is None else list(map(str, c))) for i, j, c in found.brackets],
        assumed_nonzero=list(map(str, found.assumed_nonzero)),
        assumed_nonzero_shown=list(map(formula_of, found.assumed_nonzero)),
    )


def _generalised(one: Generalised, names: Sequence[str]) -> results.GeneralisedResult:
    shown = [formula_of(q) for q in one.characteristic]
    return results.GeneralisedResult(
        characteristic={u: str(q) for u, q in zip(names, one.characteristic, strict=True)},
        order=one.order,
        kind=one.kind,
        proved=one.proved,
        field=None if one.field is None else one.field.as_json(),
        characteristic_shown=[
            Formula(f"Q^{u} = {f.text}", f"Q^{{{sp.latex(sp.Symbol(u))}}} = {f.latex}")
            for u, f in zip(names, shown, strict=True)
        ],
        field_shown=None if one.field is None else one.field.formula(),
    )


def sentence(result: results.TruthResult) -> str:
    """The outcome in one sentence: "4 symmetries, 3 kept if periodic in x; certified"."""
    if result.sought is not results.UNSET:
        said = f"infinitely many symmetries; {len(result.sought.generators)} in the classes that were sought"
        return said + (sentence_of(result.moving) if result.moving is not UNSET else "")
    count, families = result.dimension, len(result.families)
    said = f"{count} symmetr{'y' if count == 1 else 'ies'}"
    if families:
        said += f" modulo {families} famil{'y' if families == 1 else 'ies'}"
    if result.periodic_in:
        said += f", {len(result.periodic)} kept if periodic in {', '.join(result.periodic_in)}"
    said += "; certified" if result.certified else "; not certified"
    if result.moving is not UNSET:
        said += sentence_of(result.moving)
    if result.unsolved:
        said += "; equations are left unsolved"
    if result.generalised is not UNSET and result.beyond is not UNSET:
        more = [one.kind for one in result.generalised if one.kind != "point"]
        told = [f"{more.count(kind)} {kind}" for kind in dict.fromkeys(more)]
        said += f"; {' and '.join(told) or 'none'} beyond point symmetries up to order {result.beyond.order}"
        if not (result.beyond.certified and result.beyond.general):
            said += f", {words_of(result.beyond.certified, result.beyond.general)}"
    return said


def words_of(certified: bool, general: bool) -> str:
    """Whether there are no others in the class, and which class that is."""
    if not certified:
        return "not certified"
    return "certified" if general else "certified among polynomials"


def _family(family: Family) -> results.FamilyResult:
    return results.FamilyResult(
        **family.as_json(),
        functions_shown=[called(name, arguments) for name, arguments in family.functions.items()],
        conditions_shown=list(map(formula_of, family.conditions)),
        shown=family.field.formula(),
    )


def told_flow(found: Flow) -> results.FlowResult:
    """The flow of one generator."""
    moved = {} if found.values is None else {c: e for c, e in found.values.items() if str(e) != c}
    return results.FlowResult(
        flow=None if found.values is None else {c: str(e) for c, e in found.values.items()},
        domain=list(map(str, found.domain)),
        reason=found.reason,
        flow_shown=[_between(c, e, "->", r"\mapsto") for c, e in moved.items()],
        domain_shown=list(map(formula_of, found.domain)),
    )


def told_reduced(both: Reduced) -> results.ReducedResult:
    """Invariants of one generator, and the reduction by it."""
    one, found = both.invariants, both.reduction
    invariants = results.InvariantsResult(
        invariants=list(map(str, one.expressions)),
        similarity=one.similarity,
        reason=one.reason,
        invariants_shown=list(map(formula_of, one.expressions)),
    )
    jets = found.jets
    known = found.as_json()
    reduction = results.ReductionResult(
        **known,
        variables_shown=[_between(z, e) for z, e in found.variables.items() if str(e) != z],
        functions_shown=[called(name, arguments) for name, arguments in known["functions"].items()],
        ansatz_shown=[_between(u, e) for u, e in found.ansatz.items()],
        equations_shown=[Formula(str(e), ordered_latex(e, jets)) for e in found.residuals] if jets else [],
        assumed_nonzero_shown=list(map(formula_of, found.assumed_nonzero)),
    )
    return results.ReducedResult(invariants=invariants, reduction=reduction)


def named(name: str) -> Formula:
    """A name by itself: `epsilon`."""
    return formula_of(sp.Symbol(name))


def called(name: str, arguments: Iterable[str]) -> Formula:
    """`alpha(t, x)`; the name alone without arguments."""
    inside = [named(argument) for argument in arguments if argument]
    text, latex = (", ".join(parts) for parts in ((a.text for a in inside), (a.latex for a in inside)))
    return Formula(name + (f"({text})" if text else ""), named(name).latex + (f"({latex})" if latex else ""))


def _between(name: str, value: sp.Expr, sign: str = "=", command: str = "=") -> Formula:
    """`u = w/t` or `t -> t + s`."""
    return Formula(f"{name} {sign} {value}", f"{named(name).latex} {command} {sp.latex(value)}")
