"""Symmetries of first-order ODEs, of which there are infinitely many: those of stated classes, and first integrals.

y' = ω(x, y) has the symmetry f D for every f(x, y), where D = ∂x + ω ∂y, and any other times every function of the
first integrals. What is useful is the characteristic Q = η - ω ξ, which multiples of D don't change: 1/Q is an
integrating factor (Lie 1874; Olver 1993, thm 2.48), and the quotient of two is a first integral. In each class the
determining equations are linear in unknown numbers or in functions of one variable.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product

import sympy as sp
from sympy.core.function import AppliedUndef

from lieapp.equations.coefficients import CoefficientField
from lieapp.equations.equation import System
from lieapp.errors import EquationError
from lieapp.lie.deadline import Clock
from lieapp.lie.determining import DeterminingSystem
from lieapp.lie.invariance import defect
from lieapp.lie.linear import Form, Unknowns, lifted, substituted
from lieapp.lie.normal_form import Row, echelon, expression_of, rows_of
from lieapp.lie.solving import State, solve
from lieapp.lie.vector_field import Field

MOST = 80
"""Numbers that are sought in one class."""

SECONDS = 4.0
"""For one class, and for one integral."""

Ansatz = Callable[[DeterminingSystem, CoefficientField, Unknowns], list[Form]]
"""The components of a class as forms in unknown numbers or functions."""


@dataclass(frozen=True)
class Sought:
    """What was found in the classes that were sought, independent modulo multiples of D.

    `integrals` are constant on every solution, verified by D(I) = 0.
    """

    classes: tuple[str, ...]
    generators: tuple[Field, ...]
    integrals: tuple[sp.Expr, ...] = ()


def has_infinitely_many(system: System) -> bool:
    """Whether the equations are ordinary ones of first order."""
    return len(system.jets.independent) == 1 and system.jets.order(system.residuals) == 1


def sought(determining: DeterminingSystem, clock: Clock) -> Sought:
    """The symmetries in each class, each proved, and integrals that follow from them."""
    system = determining.system
    jets = system.jets
    rates = [determining.leading.normal((a, (1,))) for a in range(len(jets.dependent))]
    found: list[Field] = []
    names = []
    for name, ansatz in _classes(system, rates):
        names.append(name)
        own = Clock(min(SECONDS, clock.left(clock.reserve)))
        found += own.within(0.0, partial(_in_class, determining, ansatz), [])
    own = Clock(min(SECONDS, clock.left(clock.reserve)))
    nothing: list[Field] = []
    kept = own.within(0.0, partial(_independent, system, rates, found), nothing)
    proved = [f for f in kept if not any(e != 0 for e in defect(system, f.components, determining.leading))]
    none: list[sp.Expr] = []
    integrals = own.within(0.0, partial(_integrals, system, rates, proved), none) if len(rates) == 1 else none
    return Sought(tuple(names), tuple(proved), tuple(integrals))


def _classes(system: System, rates: Sequence[sp.Expr]) -> Iterator[tuple[str, Ansatz]]:
    (x,), unknowns = system.jets.independent, system.jets.coordinates[1:]
    size = len(unknowns) + 1
    degree = next(d for d in (3, 2, 1) if d == 1 or size * sp.binomial(size + d, d) <= MOST)
    ys = ", ".join(map(str, unknowns))
    yield f"polynomials of degree {degree} in {x}, {ys}", partial(_polynomials, degree)
    if size > 2:
        yield f"no ∂{x}; ∂{ys.replace(', ', ', ∂')} with what is affine in {ys}, its coefficients functions of {x}", _affine
        return
    (y,) = unknowns
    for moving, fixed, k in ((y, x, 1), (x, y, 0)):
        powers = _powers(rates[0], moving)
        told = ", ".join(map(str, powers))
        yield f"∂{moving} with combinations of {told}, their coefficients functions of {fixed}", partial(_products, k, powers)


def _powers(rate: sp.Expr, y: sp.Symbol) -> list[sp.Expr]:
    """1, y, y², y³ and what else the equation has of y alone."""
    parts = [term.as_independent(y, as_Add=False)[1] for term in sp.Add.make_args(sp.expand(rate))]
    own = [p for p in parts if p.free_symbols == {y} and not p.has(AppliedUndef)]
    return list(dict.fromkeys([*(y**k for k in range(4)), *own]))


def _polynomials(
    degree: int, determining: DeterminingSystem, field: CoefficientField, unknowns: Unknowns
) -> list[Form]:
    size = len(determining.components)
    monomials = [e for e in product(range(degree + 1), repeat=size) if sum(e) <= degree]
    terms = [sp.Mul(*(v**k for v, k in zip(field.variables, e, strict=True))) for e in monomials]
    elements = field.elements(terms)
    return [{(unknowns.new(()), unknowns.zero): c for c in elements} for _ in range(size)]


def _affine(determining: DeterminingSystem, field: CoefficientField, unknowns: Unknowns) -> list[Form]:
    size = len(determining.components)
    elements = [field.one, *field.field.gens[1:size]]
    return [{}, *({(unknowns.new((0,)), unknowns.zero): c for c in elements} for _ in range(size - 1))]


def _products(
    k: int, powers: Sequence[sp.Expr], determining: DeterminingSystem, field: CoefficientField, unknowns: Unknowns
) -> list[Form]:
    components: list[Form] = [{}, {}]
    components[k] = {(unknowns.new((1 - k,)), unknowns.zero): c for c in field.elements(list(powers))}
    return components


def _in_class(determining: DeterminingSystem, ansatz: Ansatz) -> list[Field]:
    field, unknowns = determining.field.copy(), determining.unknowns.copy()
    components = [lifted(c, field) for c in ansatz(determining, field, unknowns)]
    values = dict(zip(determining.components, components, strict=True))
    equations = [substituted(lifted(e, field), values, field, unknowns) for e in determining.equations]
    state = State(field, unknowns, equations, components, determining.system.nonzero)
    solution = solve(state)
    names = [str(s) for s in determining.system.jets.coordinates]
    base = solution.state.field
    return [
        Field({n: expression_of(base.lift(c), base) for n, c in zip(names, vector, strict=True)})
        for vector in solution.vectors()
    ]


def _characteristics(rates: Sequence[sp.Expr], field: Field) -> list[sp.Expr]:
    first, *others = field.components.values()
    return [e - rate * first for e, rate in zip(others, rates, strict=True)]


def _independent(system: System, rates: Sequence[sp.Expr], fields: Sequence[Field]) -> list[Field]:
    """Without multiples of D, and with one of those that differ by such a multiple: the simplest."""
    base = CoefficientField(system.jets.coordinates, system.parameters)
    ordered = sorted(dict.fromkeys(map(_text, fields)), key=lambda text: (len(text), text))
    by_text = {_text(f): f for f in fields}
    vectors = []
    chosen = [by_text[text] for text in ordered]
    for field in chosen:
        vectors.append(base.elements(_characteristics(rates, field)))
    vectors = [[base.lift(c) for c in v] for v in vectors]
    rows, _ = rows_of(vectors, base) if vectors else ([], None)
    kept: list[Field] = []
    known: list[Row] = []
    for field, row in zip(chosen, rows, strict=True):
        larger = echelon([*known, row], base)
        if len(larger) > len(known):
            known = [r for _, r in larger]
            kept.append(field)
    return kept


def _text(field: Field) -> str:
    return field.text()


def _integrals(system: System, rates: Sequence[sp.Expr], fields: Sequence[Field]) -> list[sp.Expr]:
    """Q₁/Q₂ if that isn't constant; else ∫ dy/Q - ∫ (ω/Q + ∂/∂x ∫ dy/Q) dx."""
    x, y = system.jets.coordinates
    found = [sp.factor(_characteristics(rates, f)[0]) for f in fields]
    for k, first in enumerate(found):
        for second in found[k + 1 :]:
            quotient = sp.factor(first / second)
            if _is_integral(system, rates[0], quotient):
                return [quotient]
    for q in found:
        along = sp.integrate(1 / q, y)
        rest = sp.simplify(-rates[0] / q - sp.diff(along, x))
        if rest.has(y):
            continue
        total = along + sp.integrate(rest, x)
        for candidate in (sp.simplify(sp.exp(total)) if total.has(sp.log) else total, total):
            if _is_integral(system, rates[0], candidate):
                return [candidate]
    return []


def _is_integral(system: System, rate: sp.Expr, candidate: sp.Expr) -> bool:
    """Whether D(I) = 0, exactly, and I isn't a constant."""
    x, y = system.jets.coordinates
    if candidate.has(sp.Integral) or not candidate.free_symbols & {x, y}:
        return False
    base = CoefficientField((x, y), system.parameters)
    try:
        return not base.element(sp.diff(candidate, x) + rate * sp.diff(candidate, y))
    except EquationError:
        return False
