"""A classification as the result that commands, reports and pages read, and one that is gone on with from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import sympy as sp

from lieapp.document import Formula
from lieapp.equations.arbitrary import Composed, child
from lieapp.equations.declarations import functions_of as declared
from lieapp.equations.equation import System
from lieapp.equations.factors import named
from lieapp.equations.jets import multi_indices
from lieapp.equations.parsing import parse_expression
from lieapp.equations.printing import equation_of
from lieapp.errors import RunError
from lieapp.lie.classes.branches import Branch, Classification, Open, Where, called
from lieapp.lie.classes.classification import functions_of
from lieapp.lie.classes.special_values import specialised
from lieapp.lie.families import Family
from lieapp.lie.given.told import in_jets
from lieapp.lie.told import called as applied
from lieapp.lie.vector_field import Field, formula_of
from lieapp.results.classification import BranchResult, ClassifyResult, OpenCondition, SpecialEquation
from lieapp.results.truth import FamilyResult


def told(found: Classification) -> ClassifyResult:
    """The result of a classification."""
    open_ = [_open(o, found.system) for o in found.pending]
    left = [*found.left, *(f"not yet: {o.told}" for o in found.pending)]
    branches = [_branch(b, found.system) for b in found.branches]
    return ClassifyResult(
        sentence=sentence(found),
        branches=branches,
        left=left,
        excluded=list(found.excluded),
        pending=open_,
        seen=sorted(found.seen),
        seconds=round(found.seconds, 3),
        equation_shown=[equation_of(r, found.system.jets) for r in found.system.residuals],
    )


def sentence(found: Classification) -> str:
    """ "4 special cases with more symmetries; nothing is left"."""
    count = len(found.branches) - 1
    said = f"{count or 'no'} special case{'' if count == 1 else 's'} with more symmetries"
    if found.pending:
        open_ = len(found.pending)
        return f"{said}; not complete, {open_} condition{' was' if open_ == 1 else 's were'} not examined in time"
    if found.left:
        return f"{said}; {len(found.left)} condition{' was' if len(found.left) == 1 else 's were'} not solved"
    return said


def _branch(branch: Branch, system: System) -> BranchResult:
    return BranchResult(
        conditions=branch.conditions(),
        parent=branch.before,
        where=_where(branch.where),
        parameters=_parameters(branch.system, system),
        dimension=branch.dimension,
        infinite=branch.infinite,
        generators=list(map(_field, branch.generators)),
        more=list(map(_field, branch.more)) if branch.before is not None else [],
        families=list(map(_family, branch.families)),
        certified=branch.certified,
        unsolved=list(branch.unsolved),
        conditions_shown=[_equal(e, value) for e, value in branch.where.items()],
        generators_shown=[field.formula() for field in branch.generators],
        more_shown=[field.formula() for field in branch.more] if branch.before is not None else [],
    )


def _open(o: Open, system: System) -> OpenCondition:
    return OpenCondition(
        equation=_special(o.branch.where, o.branch.system, system),
        branch=o.shown,
        condition=str(o.condition),
        raw={} if o.raw is None else {called(o.raw[0]): str(o.raw[1])},
        ready=None if o.ready is None else _special(*o.ready, system),
    )


def _special(where: Where, here: System, system: System) -> SpecialEquation:
    return SpecialEquation(where=_where(where), parameters=_parameters(here, system))


def _parameters(here: System, system: System) -> list[str]:
    """The constants that special functions brought in."""
    return [str(p) for p in here.parameters if p not in system.parameters]


def _where(where: Where) -> dict[str, str]:
    return {called(e): str(value) for e, value in where.items()}


def _field(field: Field) -> dict[str, str]:
    return {name: str(in_jets(e)) for name, e in field.components.items()}


def _family(family: Family) -> FamilyResult:
    return FamilyResult(
        functions={name: list(arguments) for name, arguments in family.functions.items()},
        conditions=[str(in_jets(c)) for c in family.conditions],
        field=_field(family.field),
        functions_shown=[applied(name, arguments) for name, arguments in family.functions.items()],
        conditions_shown=list(map(formula_of, family.conditions)),
        shown=family.field.formula(),
    )


def _equal(e: sp.Expr, value: sp.Expr) -> Formula:
    return Formula(f"{called(e)} = {value}", f"{sp.latex(sp.Symbol(called(e)))} = {sp.latex(value)}")


class _Names(dict[str, sp.Expr]):
    """Any name as itself: what lieapp wrote is read again."""

    def get(self, key: str, default: object = None) -> sp.Expr:
        """The symbol of that name."""
        return self.setdefault(key, sp.Symbol(key, real=True))


def begun(system: System, result: ClassifyResult) -> Classification:
    """A classification that ended early, as it was. Raises RunError if it can't be read."""
    work = Classification(system, left=list(result.left), excluded=list(result.excluded), seen={*result.seen})
    work.left = [text for text in result.left if not text.startswith("not yet: ")]
    work.seconds = result.seconds
    reader = _Reader(system)
    try:
        work.branches = [reader.branch(b) for b in result.branches]
        work.pending = [reader.open(o) for o in result.pending]
    except Exception as error:
        raise RunError(f"the classification can't be gone on with: {error}.", hint="Start it again.") from None
    return work


class _Reader:
    """Reads expressions of a result."""

    def __init__(self, system: System) -> None:
        self.system, self.functions = system, functions_of(system)

    def expression(self, text: str) -> sp.Expr:
        """An expression in coordinates, parameters, functions and names of arbitrary functions."""
        names = _Names({str(s): s for s in (*self.system.jets.coordinates, *self.system.parameters)})
        typed = [f"{name}:{','.join(arguments)}" for name, arguments in self.system.functions.items()]
        functions = declared(typed, self.system.jets)[0]
        for k in functions.values():
            orders = (K for n in range(1, 9 if len(k.args) == 1 else 5) for K in multi_indices(len(k.args), n))
            names |= {} if isinstance(k, Composed) else {str(named(e)[0]): e for K in orders for e in [child(k, K)]}
        return parse_expression(text, names, functions, integrals=True)

    def special(self, where: dict[str, str], parameters: Sequence[str]) -> tuple[Where, System]:
        """Special values, and the equation with them."""
        named_ = {**{str(p): p for p in self.system.parameters}, **self.functions}
        values: Where = {named_[name]: self.expression(text) for name, text in where.items()}
        new = tuple(sp.Symbol(name, real=True) for name in parameters)
        wide = replace(self.system, parameters=(*self.system.parameters, *new))
        found = specialised(wide, values) if values else wide
        if found is None:
            raise ValueError(f"{where} is no equation")
        return values, found

    def field(self, components: dict[str, str]) -> Field:
        """A generator."""
        return Field({name: self.expression(text) for name, text in components.items()})

    def branch(self, told: BranchResult) -> Branch:
        """A branch."""
        where, system = self.special(told.where, told.parameters)
        families = tuple(
            Family({n: tuple(a) for n, a in f.functions.items()}, tuple(map(self.expression, f.conditions)),
                   self.field(f.field))
            for f in told.families
        )  # fmt: skip
        generators, more = (tuple(map(self.field, fields)) for fields in (told.generators, told.more))
        return Branch(where, system, generators, more, families, told.certified, tuple(told.unsolved),
                      before=told.parent)  # fmt: skip

    def open(self, told: OpenCondition) -> Open:
        """A condition; functions and their derivatives are symbols there."""
        where, system = self.special(told.equation.where, told.equation.parameters)
        raw = [(self.functions[name], self.expression(text)) for name, text in told.raw.items()]
        ready = None if told.ready is None else self.special(told.ready.where, told.ready.parameters)
        condition = named(self.expression(told.condition))[0]
        return Open(Branch(where, system), told.branch, condition, raw[0] if raw else None, ready)
