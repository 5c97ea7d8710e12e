"""Commutators of generalised symmetries, and how symmetries act on conservation laws.

[Q, R] = pr Q(R) - pr R(Q) with pr Q = Σ D_J Qᵃ ∂/∂uᵃ_J (Olver 1993, Prop. 5.15). A symmetry maps solutions to
solutions, and so a law with the density T to one with pr Q(T). Of an evolution system, with Λ and Q free of time
derivatives, its multiplier is pr Q(Λ) + Q'*(Λ), with the adjoint of the linearised Q: pr Q(Δ) = Q'(Δ) on all u.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import sympy as sp

from lieapp.equations.coefficients import CoefficientField, Element
from lieapp.equations.equation import System
from lieapp.equations.jets import Jet, JetSpace
from lieapp.equations.leading import Leading
from lieapp.equations.variational import adjoint
from lieapp.lie.beyond.jet_forms import JetForms
from lieapp.lie.normal_form import Vector, coordinates_in, expression_of

Coordinates = tuple[sp.Expr, ...]
"""Coefficients in a basis."""

Commutator = tuple[int, int, "Coordinates | None"]
"""i, j and the coefficients of [Qᵢ, Qⱼ] in the Q; None if it isn't in their span."""


def prolonged(q: Sequence[sp.Expr], expression: sp.Expr, jets: JetSpace) -> sp.Expr:
    """pr Q of an expression: Σ D_J Qᵃ ∂/∂uᵃ_J."""
    known = {(a, jets.zero): e for a, e in enumerate(q)}
    slopes = {jet: sp.diff(expression, s) for s, jet in jets.jets(expression).items()}
    return sp.Add(
        *(slope * jets.from_below(known, jet, jets.total_derivative) for jet, slope in slopes.items() if slope != 0)
    )


def commutators(system: System, basis: Sequence[Sequence[sp.Expr]], leading: Leading) -> list[Commutator]:
    """[Qᵢ, Qⱼ] for i < j on solutions, where it doesn't vanish there, for Q in derivatives that are free."""
    jets = system.jets
    flat = [e for q in basis for e in q]
    own = sorted({s for e in flat for s in jets.jets(e)}, key=jets.index)
    forms = JetForms(leading, system.parameters, own, {jets.index(s)[1] for s in own}, flat)
    field = forms.field
    places = {jets.index(s): field.variables.index(s) for s in own}
    vectors = [[field.element(e) for e in q] for q in basis]
    slopes = [[{jet: d for jet, v in places.items() if (d := field.diff(e, v))} for e in q] for q in vectors]
    known: list[dict[Jet, Element]] = [{(a, jets.zero): e for a, e in enumerate(q)} for q in vectors]

    def applied(i: int, j: int, a: int) -> Element:
        """pr Qᵢ(Qⱼ)."""
        terms = ((jets.from_below(known[i], jet, forms.total_of), slope) for jet, slope in slopes[j][a].items())
        return sum((forms.product(moved, slope) for moved, slope in terms), field.zero)

    numbers = range(len(system.jets.dependent))
    pairs = list(combinations(range(len(basis)), 2))
    values = [[field.reduce(applied(i, j, a) - applied(j, i, a)) for a in numbers] for i, j in pairs]
    kept = [(pair, value) for pair, value in zip(pairs, values, strict=True) if any(value)]
    found = _coefficients(vectors, [value for _, value in kept], field)
    return [(i, j, c) for ((i, j), _), c in zip(kept, found, strict=True)]


def moved(q: Sequence[sp.Expr], multiplier: Sequence[sp.Expr], jets: JetSpace) -> tuple[sp.Expr, ...]:
    """The multiplier of the law that a symmetry makes of another, for an evolution system."""
    back = adjoint(q, multiplier, jets)
    return tuple(sp.expand(prolonged(q, m, jets) + e) for m, e in zip(multiplier, back, strict=True))


def coordinates(
    system: System, basis: Sequence[Sequence[sp.Expr]], vectors: Sequence[Sequence[sp.Expr]]
) -> list[Coordinates | None]:
    """The coefficients of vectors in a basis; None for one that isn't in its span."""
    found, field = vectors_of(system, [*basis, *vectors])
    return _coefficients(found[: len(basis)], found[len(basis) :], field)


def _coefficients(
    basis: Sequence[Vector], vectors: Sequence[Vector], field: CoefficientField
) -> list[Coordinates | None]:
    rows = coordinates_in(basis, vectors, field) if vectors else []
    numbers = range(len(basis))
    return [
        None if row is None else tuple(expression_of(row.get((k, ()), field.zero), field) for k in numbers)
        for row in rows
    ]


def vectors_of(
    system: System, expressions: Sequence[Sequence[sp.Expr]]
) -> tuple[list[Vector], CoefficientField]:
    """The vectors over a field of coefficients with the variables and all derivatives in them, and that field."""
    jets = system.jets
    inside = {s for v in expressions for e in v for s in jets.jets(e)}
    field = CoefficientField((*jets.independent, *sorted(inside, key=jets.index)), system.parameters)
    field.elements([e for v in expressions for e in v])
    return [[field.element(e) for e in v] for v in expressions], field


def generating(count: int, actions: Sequence[Coordinates]) -> list[int]:
    """Numbers of laws from which symmetries make all others.

    `actions` are the images of laws 0, 1, … under one symmetry after the other, as coefficients in the laws.
    """
    images: list[list[Coordinates]] = [list(actions[k::count]) for k in range(count)]
    chosen: list[int] = []
    span = sp.Matrix(0, count, [])
    for k in reversed(range(count)):
        unit = sp.Matrix([[int(k == n) for n in range(count)]])
        if _rank(span.col_join(unit)) == span.rows:
            continue
        chosen.append(k)
        span = _closed(span.col_join(unit), images)
    return sorted(chosen)


def _rank(rows: sp.Matrix) -> int:
    return int(rows.rank(simplify=True))


def _closed(span: sp.Matrix, images: Sequence[Sequence[Coordinates]]) -> sp.Matrix:
    """The smallest span with these rows that every symmetry maps into itself."""
    count = len(images)
    symmetries = [sp.Matrix([images[k][n] for k in range(count)]) for n in range(len(images[0]) if images else 0)]
    while True:
        before = span.rows
        for matrix in symmetries:
            for row in (span * matrix).tolist():
                wider = span.col_join(sp.Matrix([row]))
                if _rank(wider) > span.rows:
                    span = wider
        if span.rows == before:
            return span
