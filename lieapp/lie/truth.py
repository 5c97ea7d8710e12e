"""What is derived of a system: its point symmetries, as JSON, as text for a terminal and as LaTeX for a paper."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from dataclasses import field as attribute
from typing import Any

import msgspec
import sympy as sp

from lieapp.equations.equation import System, as_expression, exact
from lieapp.equations.free_equations import SAME
from lieapp.equations.printing import aligned, ordered_latex
from lieapp.errors import EquationError, UsageError
from lieapp.lie.beyond.hierarchy import Hierarchy
from lieapp.lie.consequences import free_name, taken_by
from lieapp.lie.deadline import Clock
from lieapp.lie.determining import DeterminingSystem
from lieapp.lie.families import Family
from lieapp.lie.inhomogeneous import Moved
from lieapp.lie.parameters import told as told_moving
from lieapp.lie.parameters.identifiable import Identified
from lieapp.lie.parameters.moving import Moving
from lieapp.lie.reduction.flows import combined, flow, invariants
from lieapp.lie.reduction.reduce import reduce
from lieapp.lie.reduction.target import Reduction
from lieapp.lie.solving import State
from lieapp.lie.sought import Sought
from lieapp.lie.told import called, explanation, statement, told
from lieapp.lie.vector_field import Field, formula_of
from lieapp.results.truth import CertificateResult, Explanation, StructureResult

Generator = int | Field | Mapping[int, Any]
"""How one is given: 1 is V1, {1: 1, 2: c} is V1 + c V2."""

HINT = "Give its number as printed (1 for V1), a field, or a combination such as {1: 1, 2: c}."

UNASKED = {"equations": [], "jets": [], "evolution": [], "no_evolution": ""}
"""What LaTeX leaves out of a derivation."""


def chosen(truth: Truth, generator: Generator) -> Field:
    """The field that is meant. Raises EquationError or UsageError for what is none of this truth's."""
    if isinstance(generator, Mapping):
        if not generator:
            raise UsageError("the combination is empty.", hint=HINT)
        fields = [_numbered(truth, number) for number in generator]
        found = combined(fields, [_constant(truth, c) for c in generator.values()])
    elif isinstance(generator, Field):
        found = _own(truth, generator)
    else:
        found = _numbered(truth, generator)
    if all(value == 0 for value in found.components.values()):
        raise EquationError("the field is 0 everywhere.", hint="Give a generator that moves something.")
    return found


def parameter_named(truth: Truth, field: Field, wanted: object) -> str:
    """The name of a flow's parameter. Raises UsageError for one that is no name, or is taken."""
    taken = taken_by(truth.system) | {str(s) for value in field.components.values() for s in value.free_symbols}
    if wanted is None:
        return free_name(taken)
    name = str(wanted) if isinstance(wanted, (str, sp.Symbol)) else ""
    if not name.isidentifier() or name in taken:
        raise UsageError(
            f"parameter is {wanted!r}; it must be a name that the equation doesn't use.",
            hint="Leave it out, or write parameter='s'.",
        )
    return name


def _numbered(truth: Truth, number: Any) -> Field:
    if isinstance(number, bool) or not isinstance(number, (int, sp.Integer)):
        raise UsageError(f"{number!r} is no generator.", hint=HINT)
    if not 1 <= number <= len(truth.fields):
        raise EquationError(
            f"There is no V{number}; there are {len(truth.fields)} generators.",
            hint="Count them from 1, as they are printed.",
        )
    return truth.fields[int(number) - 1]


def _own(truth: Truth, field: Field) -> Field:
    """Raises EquationError for a field in other coordinates, or in other symbols of the same names."""
    names = {name for one in (*truth.generators, field) for name in one.components}
    if truth.generators and set(field.components) != names:
        raise EquationError(
            f"{field} is no field in {', '.join(truth.generators[0].components)}.",
            hint="Give a field of this equation, or a combination of its generators such as {1: 1, 2: c}.",
        )
    for value in field.components.values():
        _check_symbols(truth, value)
    return field


def _constant(truth: Truth, coefficient: Any) -> sp.Expr:
    """Raises EquationError for a coefficient that is no real constant."""
    found = as_expression(coefficient, "the combination")
    if isinstance(coefficient, bool) or not isinstance(found, sp.Expr) or found.has(sp.nan, sp.oo, sp.zoo, -sp.oo):
        raise EquationError(f"{coefficient!r} is no coefficient.", hint=HINT)
    found = exact(found)
    _check_symbols(truth, found)
    inside = {str(s) for s in truth.system.jets.coordinates} & {str(s) for s in found.free_symbols}
    if inside or found.is_extended_real is False or not found.is_commutative:
        raise EquationError(
            f"the coefficient {found} is no real constant.",
            hint="Combine generators with numbers and with symbols that are not coordinates: {1: 1, 2: c}.",
        )
    return found


def _check_symbols(truth: Truth, expression: sp.Expr) -> None:
    """Raises EquationError for a symbol named as one of the equation's that is another one."""
    known = {s.name: s for s in (*truth.system.jets.coordinates, *truth.system.parameters)}
    for symbol in sorted(expression.free_symbols, key=str):
        if known.get(symbol.name, symbol) != symbol:
            raise EquationError(f"two different symbols are named {symbol.name}.", hint=SAME)


@dataclass(frozen=True, repr=False)
class Truth:
    """What was derived.

    The generators and families are proved symmetries. If `certified` an independent count says that there are
    no others: complete for generic parameters, up to a negligible probability. Else the certificate has the
    reason, and that there are no others rests on the solver alone.

    `flow`, `invariants` and `reduction` work on one generator. It is given by its number as printed, 1 for V1, as a
    field, or as a combination: {1: 1, 2: c} is V1 + c V2, where c is a number or a constant symbol. They raise
    EquationError or UsageError for what is none of these.

    Args:
        determining: the equations that were solved.
        state: the solver's last state: its steps, and the general symmetry in what is left free.
        moved: what was solved in place of a linear equation with a source.
        sought: of first-order ODEs, which have infinitely many, those of stated classes.
        generators: a basis in normal form, without members of the families.
        families: generators with arbitrary functions and their side conditions.
        unsolved: conditions that weren't solved, and what the time didn't suffice for; the dimension is then a
            lower bound.
        certificate: the bounds of the independent count, and why they prove nothing if they don't.
        periodic: the generators that a domain with the asked periodic variables keeps; all without such variables.
        periodic_families: likewise.
        structure: brackets and what follows from them; None if the budget didn't suffice.
        moving: symmetries that move parameters as well, with dimensionless groups; None unless some are to move.
        identified: what outputs determine of parameters and initial values; None without outputs.
        hierarchy: generalised and contact symmetries up to an order; None unless that is asked for.
        seconds: how long it took.
    """

    determining: DeterminingSystem
    state: State
    moved: Moved | None = None
    sought: Sought | None = None
    generators: tuple[Field, ...] = ()
    families: tuple[Family, ...] = ()
    unsolved: tuple[str, ...] = ()
    certificate: CertificateResult = attribute(default_factory=CertificateResult)
    periodic: tuple[Field, ...] = ()
    periodic_families: tuple[Family, ...] = ()
    structure: StructureResult | None = None
    moving: Moving | None = None
    identified: Identified | None = None
    hierarchy: Hierarchy | None = None
    seconds: float = 0.0

    @property
    def system(self) -> System:
        """The equations whose symmetries these are."""
        return self.determining.system

    @property
    def dimension(self) -> int:
        """The number of generators, modulo the families."""
        return len(self.generators)

    @property
    def fields(self) -> tuple[Field, ...]:
        """V1, V2, … as they are printed: the generators, or what was sought where there are infinitely many."""
        return self.sought.generators if self.sought else self.generators

    @property
    def infinite(self) -> bool:
        """Whether there are families with arbitrary functions."""
        return bool(self.families)

    @property
    def assumed_nonzero(self) -> tuple[sp.Expr, ...]:
        """Expressions in the parameters that were divided by."""
        return tuple(dict.fromkeys([*self.determining.divided, *self.state.assumed]))

    @property
    def assumed_independent(self) -> tuple[tuple[sp.Expr, ...], ...]:
        """Sets of expressions with arbitrary functions that are assumed linearly independent."""
        return tuple(self.state.independent)

    @property
    def assumed_generic(self) -> tuple[str, ...]:
        """Parameters and functions at random values of which solutions were counted."""
        return tuple(self.state.generic)

    @property
    def certified(self) -> bool:
        """Whether the certificate says that there are no other symmetries."""
        return self.certificate.certified

    def flow(self, generator: Generator, parameter: str | None = None) -> dict[str, sp.Expr] | None:
        """The finite transformation exp(s V): coordinate -> expression; None if no closed form was found.

        The parameter is the name of s; one that the equation doesn't use if None.
        """
        field = chosen(self, generator)
        return flow(field, parameter_named(self, field, parameter))

    def invariants(self, generator: Generator) -> tuple[sp.Expr, ...]:
        """Functionally independent I with V(I) = 0, similarity variables first."""
        return tuple(invariants(self.system.jets, chosen(self, generator)).expressions)

    def reduction(self, generator: Generator) -> Reduction:
        """The system reduced by a generator; of two translations {1: 1, 2: c} gives travelling waves."""
        return reduce(self.system, chosen(self, generator))

    def explain(self, asked: Mapping[str, Any] | None = None) -> Explanation:
        """The determining equations and every step of their solution; `asked` as `told.statement` gives it."""
        return explanation(self, asked or statement(self.system, Clock()))

    def latex(self, explain: bool = False, more: Sequence[str] = ()) -> str:
        r"""One `aligned` block (amsmath): the equations, V_1, V_2, …, families F_1, …, what is assumed or left.

        With `explain` after one of its derivation. `more`: further rows, as those of flows and reductions.
        """
        return (derivation_latex(explanation(self, UNASKED)) + "\n" if explain else "") + aligned(
            [*_rows(self), *more]
        )

    def __repr__(self) -> str:
        """Several lines: the dimension, the generators, families and how complete that is."""
        modulo = " modulo the families" if self.families else ""
        lines = [f"{self.dimension} point symmetr{'y' if self.dimension == 1 else 'ies'}{modulo}"]
        if self.sought:
            lines = ["infinitely many point symmetries, as every first-order ordinary equation has"]
            lines.append("these classes were sought:")
            lines += [f"  {name}" for name in self.sought.classes]
        lines += [f"  V{k} = {field.text()}" for k, field in enumerate(self.fields, start=1)]
        lines += [f"  constant on solutions: {e}" for e in self.sought.integrals] if self.sought else []
        lines += [f"  {family}" for family in self.families] if not self.sought else []
        lines += [f"  assumed not to vanish: {expression}" for expression in self.assumed_nonzero]
        lines += [f"  assumed linearly independent: {', '.join(map(str, s))}" for s in self.assumed_independent]
        lines += [f"  assumed generic: {', '.join(self.assumed_generic)}"] if self.assumed_generic else []
        lines += [f"  unsolved: {text}" for text in self.unsolved]
        reason = "" if self.certified else f" ({self.certificate.reason})"
        if not self.sought:
            lines.append("certified to be complete" if self.certified else f"not certified to be complete{reason}")
        lines += told_moving.lines(self.moving, self.identified)
        return "\n".join(lines)

    def _repr_latex_(self) -> str:
        return rf"$\displaystyle {self.latex()}$"

    def as_json(self) -> dict[str, Any]:
        """The object of `lieapp truth --json`."""
        document: dict[str, Any] = msgspec.to_builtins(told(self))
        return document


def _rows(truth: Truth) -> Iterator[str]:
    for residual in truth.system.residuals:
        yield f"& {ordered_latex(residual, truth.system.jets)} = 0"
    yield from _algebra(truth.fields, () if truth.sought else truth.families)
    if truth.sought:
        yield r"& \text{and infinitely many more}"
        yield from (rf"& {sp.latex(e)} = \text{{constant on solutions}}" for e in truth.sought.integrals)
    if truth.hierarchy:
        for one in truth.hierarchy.symmetries:
            if one.kind != "point":
                inside = ", ".join(map(sp.latex, one.characteristic))
                yield rf"& Q = {inside} \quad \text{{({one.kind}, order {one.order})}}"
    if (truth.periodic, truth.periodic_families) != (truth.generators, truth.families):
        yield r"& \text{a periodic domain keeps the span of}"
        yield from _algebra(truth.periodic, truth.periodic_families)
    for expression in truth.assumed_nonzero:
        yield rf"& {sp.latex(expression)} \neq 0"
    for span in truth.assumed_independent:
        yield rf"& {', '.join(map(sp.latex, span))} \text{{ linearly independent}}"
    if truth.assumed_generic:
        yield rf"& {', '.join(sp.latex(sp.Symbol(n)) for n in truth.assumed_generic)} \text{{ generic}}"
    if truth.unsolved:
        yield r"& \text{conditions are left unsolved: there may be more}"
    elif not truth.certified:
        yield r"& \text{not certified to be complete}"
    yield from told_moving.rows(truth.moving, truth.identified)


def _algebra(generators: Sequence[Field], families: Sequence[Family]) -> Iterator[str]:
    for k, field in enumerate(generators, start=1):
        yield f"V_{{{k}}} &= {field.latex()}"
    for k, family in enumerate(families, start=1):
        where = ",\\; ".join(f"{formula_of(condition).latex} = 0" for condition in family.conditions)
        functions = ", ".join(called(name, inside).latex for name, inside in family.functions.items())
        yield (
            f"F_{{{k}}} &= {family.field.latex()}"
            + rf"\quad\text{{for every }} {functions}"
            + (rf"\text{{ with }} {where}" if where else "")
        )
    if not generators and not families:
        yield r"& \text{no point symmetries}"


def derivation_latex(explained: Explanation) -> str:
    """The derivation as one `aligned` block: leading derivatives, equations, steps, general symmetry."""
    rows = [
        rf"& {sp.latex(sp.Symbol(u))} - \left({formula.latex}\right) \text{{ in place of the unknown}}"
        for u, formula in explained.moved.items()
    ]
    rows += [rf"& {formula.latex}" for formula in explained.leading]
    rows += [rf"& {formula.latex} = 0" for formula in explained.determining]
    for number, step in enumerate(explained.steps, start=1):
        # f1(t, x) as f_{1}(t, x)
        new = "".join(re.sub(r"^(\w)(\w*)", r",\\; \1_{\2}", text) for text in step.new)
        rows.append(rf"&\text{{{number}. {step.rule}: }} {step.latex}{new}")
        rows += [rf"&\qquad {part.latex} = 0" for part in step.parts]
    for name, formula in zip(explained.components, explained.solution.values(), strict=True):
        letter, _, index = name.partition("^")
        rows.append(rf"\{letter}^{{{sp.latex(sp.Symbol(index))}}} &= {formula.latex}")
    rows += [rf"& \text{{where }} {formula.latex} = 0" for formula in explained.conditions]
    rows += [rf"& \text{{{said}}}" for said in explained.left_out]
    return aligned(rows)
