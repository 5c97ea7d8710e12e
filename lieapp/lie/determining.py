"""Determining equations: pr V(Δᵏ) = 0 on solutions, split by the derivatives that remain free.

pr V(Δ) = ξⁱ ∂Δ/∂xⁱ + φᵃ_J ∂Δ/∂uᵃ_J vanishes modulo the system exactly when V generates symmetries (Olver
1993, Thm 2.31). The components ξ(x, u), φ(x, u) don't depend on derivatives, so each coefficient of the
remaining derivatives must vanish: linear homogeneous equations, kept as forms over the field of coefficients.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from dataclasses import field as attribute
from typing import Any

import sympy as sp

from lieapp.equations.coefficients import CoefficientField, Element, common_denominator, parted
from lieapp.equations.coincidences import coincidences
from lieapp.equations.equation import System
from lieapp.equations.factors import one_equation, without_products
from lieapp.equations.jets import Jet, JetSpace, MultiIndex
from lieapp.equations.leading import Leading, check_equations, solve_for_leading
from lieapp.equations.special import SPECIAL
from lieapp.lie.invariance import GeneralProlongation
from lieapp.lie.linear import Form, Key, Unknowns, add, lifted, primitive, substituted
from lieapp.lie.normal_form import Vector
from lieapp.lie.solving import State, solve
from lieapp.lie.solving.split import assume_independent
from lieapp.lie.solving.state import Span, fewest

HIGH = 8
"""Order from which the determining equations of an equation take long."""

Polynomials = dict[Key, Any]
"""A form whose coefficients are polynomials of the coefficients' ring."""


@dataclass
class DeterminingSystem:
    """Linear equations for the components of a symmetry: forms that must vanish, with coefficients in the field.

    `components` are the function ids of ξ¹ … ξᵖ, φ¹ … φ^q among the unknowns, `residuals` the left-hand sides
    that the equations come from: the system's, or those of its completion, which is solved for `leading`
    derivatives. `assumed_nonzero` was divided by; `independent` are sets of expressions with arbitrary functions of
    derivatives that are assumed to be linearly independent; `divided` are factors of the system's equations that
    were divided out and vanish for some functions or parameters.
    """

    system: System
    leading: Leading
    field: CoefficientField
    unknowns: Unknowns
    components: list[int]
    equations: list[Form]
    residuals: list[sp.Expr]
    assumed_nonzero: list[sp.Expr] = attribute(default_factory=list)
    independent: list[Span] = attribute(default_factory=list)
    divided: list[sp.Expr] = attribute(default_factory=list)

    def state(self, divisors: Sequence[sp.Expr] = ()) -> State:
        """What the solver starts with; `divisors`: further expressions that were divided by."""
        values = [self.unknowns.form(self.field, f) for f in self.components]
        state = State(self.field, self.unknowns, list(self.equations), values, self.system.nonzero)
        state.independent = fewest(self.independent)
        for divisor in dict.fromkeys([*self.assumed_nonzero, *divisors]):
            state.assume(divisor)
        atoms = (a.expression for a in self.field.table.atoms)
        state.assume_special(sp.Tuple(*(e for e in atoms if isinstance(e, SPECIAL))))
        return state

    def grown(self, state: State) -> DeterminingSystem:
        """The same equations, with the field and the unknown functions of a later state."""
        return replace(self, field=state.field, unknowns=state.unknowns)


def determining_equations(system: System, leading: Leading | None = None) -> DeterminingSystem:
    """The determining equations of the point symmetries of a system, its equations without what can be divided out.

    It is solved for its leading derivatives unless that was done.
    Raises EquationError if an equation is a product, or implies one by the others.
    """
    check_equations(system)
    system, divided = without_products(system)
    leading = leading or solve_for_leading(system)
    for implied in leading.implied:
        divided += [e for e in one_equation(implied, system)[1] if e not in divided]
    residuals = [system.jets.symbol(*jet) - rule for jet, rule in leading.rules.items()]
    residuals = [r.equation for r in leading.relations.values()] + [r for r in residuals if r != 0]
    if len(residuals) == len(system.residuals):
        # the same solutions, and usually without denominators
        residuals = list(system.residuals)
    order = max(1, system.jets.order(residuals))
    jet_field = _JetField(system, leading, residuals, order)
    coordinates = system.jets.coordinates
    coefficients = CoefficientField(coordinates, system.parameters)
    unknowns = Unknowns(len(coordinates))
    components = [unknowns.new(range(len(coordinates))) for _ in coordinates]
    # by arbitrary functions of derivatives
    parting = State(jet_field.field, unknowns, [], [], system.nonzero)
    conditions = list(map(jet_field.condition, jet_field.slopes))
    for part in (part for condition in conditions for part in jet_field.by_others(condition)):
        assume_independent(parting, part)
    equations, divided_by = primitive_parts(conditions, jet_field.field, len(coordinates), coefficients)
    divisors = [*leading.assumed_nonzero, *divided_by, *parting.assumed]
    return DeterminingSystem(
        system, leading, coefficients, unknowns, components, equations, residuals, divisors, parting.independent,
        divided,
    )  # fmt: skip


def quicker(system: System) -> str:
    """What makes the determining equations of a system quicker, each with ", or " before it."""
    order = system.jets.order(system.residuals)
    ways = [f"take fewer derivatives than {order}, since the equations grow fast with the order"] * (order >= HIGH)
    ways += ["put numbers in place of parameters"] * bool(system.parameters)
    ways += ["expand the equations"] * any(r != sp.expand(r) for r in system.residuals)
    return "".join(f", or {way}" for way in ways)


def slopes_of(residual: sp.Expr, jets: JetSpace) -> dict[Any, sp.Expr]:
    """∂Δ/∂xⁱ by position i and ∂Δ/∂uᵃ_J by (a, J), those that don't vanish."""
    slopes: dict[Any, sp.Expr] = {i: sp.diff(residual, x) for i, x in enumerate(jets.independent)}
    slopes |= {jet: sp.diff(residual, s) for s, jet in jets.jets(residual).items()}
    return {key: e for key, e in slopes.items() if e != 0}


def on_solutions(
    system: System, leading: Leading, residuals: Sequence[sp.Expr], asked: Iterable[Jet]
) -> tuple[CoefficientField, dict[Jet, sp.Expr], list[dict[Any, sp.Expr]]]:
    """The derivatives that are asked for and the slopes of each residual, on solutions.

    And a field for them, with the coordinates and then the derivatives that are left, or roots, as its variables.
    """
    jets = system.jets
    values = {jet: leading.with_roots(leading.normal(jet)) for jet in asked}
    slopes = [
        {key: leading.with_roots(leading.reduce(e)) for key, e in slopes_of(r, jets).items()} for r in residuals
    ]
    used = [*values.values(), *(e for s in slopes for e in s.values())]
    free = {s for e in used for s, (_, J) in jets.jets(e).items() if any(J)}
    variables = (*jets.coordinates, *sorted(free, key=jets.index), *leading.roots)
    field = CoefficientField(variables, system.parameters)
    leading.relate(field)
    field.elements(used)
    return field, values, slopes


class _JetField:
    """pr V(Δ) on solutions, with coefficients in the field of coordinates, free derivatives and atoms."""

    def __init__(self, system: System, leading: Leading, residuals: list[sp.Expr], order: int) -> None:
        self.jets = system.jets
        asked = {J for r in residuals for _, J in self.jets.jets(r).values()}
        self.prolongation = GeneralProlongation(self.jets, order, asked=asked)
        asked_jets = map(self.jets.index, self.prolongation.ring.symbols)
        self.field, values, slopes = on_solutions(system, leading, residuals, asked_jets)
        elements = list(map(self.field.element, values.values()))
        self.common = common_denominator(elements, self.field.field.ring.one)
        self.fractions = [n for n, e in enumerate(elements) if e.denom != 1]
        # over one denominator, so that products need no common divisors
        self.values = [
            e.numer * self.common.exquo(e.denom) if n in self.fractions else e.numer for n, e in enumerate(elements)
        ]
        self.slopes = [{key: self.field.element(e) for key, e in s.items()} for s in slopes]
        self._monomials: dict[MultiIndex, tuple[int, Any]] = {}

    def condition(self, slopes: dict[Any, Element]) -> Form:
        """pr V(Δ) on solutions, times a power of the common denominator of the rules and that of the slopes."""
        denominator = common_denominator(slopes.values(), self.field.field.ring.one)
        zero = (0,) * len(self.jets.coordinates)
        # by the power of the common denominator that is below
        layers: dict[int, Polynomials] = {}
        for key, slope in slopes.items():
            factor = slope.numer * denominator.exquo(slope.denom)
            if isinstance(key, int):
                add(layers.setdefault(0, {}), (key, zero), factor)
                continue
            for component, polynomial in self.prolongation.coefficient(*key).items():
                for power, value in self._on_solutions(polynomial).items():
                    add(layers.setdefault(power, {}), component, factor * value)
        result: Form = {}
        highest = max(layers, default=0)
        for power, layer in layers.items():
            scale = self.common ** (highest - power)
            for component, value in layer.items():
                add(result, component, self.field.field.raw_new(value * scale))
        return result

    def _on_solutions(self, polynomial: Any) -> dict[int, Any]:
        """Numerators, by the power of the common denominator."""
        total: dict[int, Any] = {}
        for monomial, c in polynomial.items():
            if monomial not in self._monomials:
                product = self.field.field.ring.one
                for n, e in enumerate(monomial):
                    if e:
                        product *= self.values[n] ** e
                self._monomials[monomial] = sum(monomial[n] for n in self.fractions), product
            power, product = self._monomials[monomial]
            total[power] = total.get(power, 0) + product * c
        return total

    def by_others(self, condition: Form) -> list[Form]:
        """What stands with each monomial in the derivatives that no arbitrary function contains; [] without one."""
        field = self.field
        inside = {v for n in field.arbitrary() for v in field.depends(field.field.gens[n])}
        first = len(self.jets.coordinates)
        if not any(v >= first for v in inside):
            return []
        others = [v for v in range(first, len(field.variables)) if v not in inside]
        parts: dict[tuple[int, ...], Form] = {}
        for key, c in primitive(condition, field)[0].items():
            for on, rest in parted(c.numer, others).items():
                parts.setdefault(on, {})[key] = field.field.raw_new(rest)
        return list(parts.values())


def primitive_parts(
    conditions: Iterable[Form], field: CoefficientField, first: int, target: CoefficientField
) -> tuple[list[Form], list[sp.Expr]]:
    """The equations that conditions fall apart into, as in `apart`, primitive and each once; what is divided by."""
    found: dict[frozenset[tuple[Key, Element]], Form] = {}
    divisors: list[sp.Expr] = []
    for condition in conditions:
        parts, divided = apart(condition, field, first, target)
        divisors += divided
        for part in parts:
            form, content = primitive(lifted(part, target), target)
            divisors.append(target.expression(content))
            if form:
                found.setdefault(frozenset(form.items()), form)
    return [lifted(form, target) for form in found.values()], divisors


def apart(
    condition: Form, field: CoefficientField, first: int, target: CoefficientField
) -> tuple[list[Form], list[sp.Expr]]:
    """The coefficients of the monomials in the variables from number `first` on, as forms over `target`.

    And what is assumed not to vanish: it was divided out, or monomials coincide where it vanishes.
    """
    condition, content = primitive(condition, field)
    others = range(first, len(field.variables))
    movers = set(field.movers(*others))
    ring, names = field.field.ring, field.table.expressions()
    pieces: list[tuple[tuple[int, ...], Any, tuple[int, ...], Any]] = []
    whole: set[tuple[int, ...]] = set()
    plain: dict[tuple[int, ...], Element] = {}
    for key, c in condition.items():
        for monomial, number in c.numer.items():
            on = tuple(monomial[n] for n in sorted(movers))
            whole.add(tuple(e if n in movers else 0 for n, e in enumerate(monomial)))
            rest = tuple(0 if n in movers else e for n, e in enumerate(monomial))
            pieces.append((on, key, rest, number))
            if rest not in plain:
                term = ring.from_dict({rest: ring.domain.one}).as_expr().xreplace(names)
                plain[rest] = target.element(term)
    divisors = [field.expression(content), *map(field.expression, coincidences(field, whole, others))]
    # only now: each new element may have made the field grow, and sums need one field
    plain = {rest: target.lift(c) for rest, c in plain.items()}
    parts: dict[tuple[int, ...], Form] = {}
    for on, key, rest, number in pieces:
        add(parts.setdefault(on, {}), key, plain[rest] * number)
    return [form for form in parts.values() if form], divisors


def affine_symmetries(determining: DeterminingSystem) -> list[Vector]:
    """A basis of the symmetries with ξ and φ affine in x and u: translations, scalings, rotations, Galilean boosts.

    Two thirds of the known generators are of this kind. They are what can always be told when the solver of the
    determining equations wasn't given the time to end.
    """
    field, unknowns = determining.field, determining.unknowns.copy()
    values: dict[int, Form] = {}
    for f in determining.components:
        values[f] = {(unknowns.new(()), unknowns.zero): c for c in (field.one, *field.field.gens[: unknowns.size])}
    # of higher order nothing is left
    low = ({key: c for key, c in e.items() if sum(key[1]) <= 1} for e in determining.equations)
    equations = [substituted(lifted(e, field), values, field, unknowns) for e in low]
    return solve(State(field, unknowns, equations, list(values.values()))).vectors()
