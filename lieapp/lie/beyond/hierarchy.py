"""The generalised symmetries of a system up to an order: which of them are point or contact symmetries, and proofs.

A point symmetry ξ ∂x + φ ∂u has the characteristic Q = φ - ξ u_x; on solutions it may be of higher order: ∂t of KdV
has u u_x + u_xxx. Contact symmetries have a Q(x, u, u₁) in first derivatives alone, and one unknown; those with
several unknowns are point symmetries (Bäcklund; Olver 1993, ch. 5.1, thm 5.20).
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

import sympy as sp

from lieapp.equations.coefficients import CoefficientField
from lieapp.equations.equation import System
from lieapp.equations.jets import multi_indices
from lieapp.equations.leading import Leading, solve_for_leading
from lieapp.errors import EquationError, LieappError, UsageError
from lieapp.lie.beyond.algebra import Commutator, commutators, vectors_of
from lieapp.lie.beyond.generalised import generalised_equations, solved_leading
from lieapp.lie.beyond.polynomial import PolynomialSpace, polynomial_characteristics
from lieapp.lie.beyond.space import Found, Space, find, solution_space
from lieapp.lie.deadline import Clock
from lieapp.lie.families import Family, family_of, modulo_families
from lieapp.lie.invariance import characteristic, characteristic_defect
from lieapp.lie.normal_form import Vector, coordinates_in, expression_of, relations
from lieapp.lie.vector_field import Field
from lieapp.results.truth import CertificateResult

MOST = 16
"""Symmetries up to which all commutators are told."""

SHARE = 0.25
"""Of the time that is left, for contact symmetries."""


@dataclass(frozen=True)
class Generalised:
    """A symmetry by its characteristic Qᵃ on solutions, and its differential order there.

    Point symmetries have their `field`. If `proved`, the linearised equations vanish on solutions.
    """

    characteristic: tuple[sp.Expr, ...]
    order: int
    kind: Literal["point", "contact", "generalised"]
    proved: bool
    field: Field | None = None


@dataclass(frozen=True)
class Hierarchy:
    """All symmetries with characteristics up to an order, modulo families; point symmetries first.

    `general` if the class has all functions, not polynomials alone. `names` are those of the unknowns. `brackets`
    are i, j and the coefficients of [Qᵢ, Qⱼ] where it doesn't vanish, None in place of coefficients if it isn't in
    the span, as its order is higher; None if the time didn't suffice. Where one of `assumed_nonzero` vanishes there
    may be more symmetries.
    """

    order: int
    names: tuple[str, ...]
    symmetries: tuple[Generalised, ...]
    families: tuple[Family, ...]
    sought: str
    general: bool
    certificate: CertificateResult
    unsolved: tuple[str, ...]
    seconds: float
    brackets: tuple[Commutator, ...] | None = None
    assumed_nonzero: tuple[sp.Expr, ...] = ()

    @property
    def certified(self) -> bool:
        """Whether there are no others in the class."""
        return self.certificate.certified and not self.unsolved


def check_order(system: System, order: int) -> None:
    """Raises UsageError for an order at which symmetries of an ODE are any functions of first integrals."""
    if isinstance(order, bool) or not isinstance(order, int) or order < 0:
        raise UsageError(f"the order is {order!r}.", hint="Give a whole number from 0 on, as order=3.")
    top = system.jets.order(system.residuals)
    if len(system.jets.independent) == 1 and order > top - 2:
        raise UsageError(
            f"{system.name}: an ordinary differential equation of order {top} has infinitely many symmetries of "
            f"order {max(top - 1, 0)}: any functions of its first integrals.",
            hint=f"Give an order up to {top - 2}." if top > 1 else "Leave the order out.",
        )


def generalised_symmetries(system: System, order: int, points: Sequence[Field], clock: Clock) -> Hierarchy:
    """The symmetries of differential order up to `order`; `points`, the proved point symmetries, are told apart.

    Raises EquationError, UsageError and BudgetError.
    """
    started, names = time.perf_counter(), system.jets.dependent
    check_order(system, order)
    leading = solved_leading(system)
    general = f"characteristics of differential order up to {order}"
    make, polynomial = partial(generalised_equations, system, order), partial(_polynomials, system, order)
    found = find(system, make, polynomial, general, clock)
    space, unsolved = found.space, list(found.open)
    named: list[Named] = [
        ("point", _on_solutions(characteristic(system.jets, one.components), leading), one) for one in points
    ]
    named += [("contact", _on_solutions(q, leading), None) for q in _contact(system, clock)]
    chosen = clock.within(0.0, partial(_chosen, system, found, named, order), list[Named]())
    if found.basis and not chosen:
        unsolved.append(clock.told())
    proved: list[Generalised] = []
    for kind, q, point in chosen:
        left = clock.within(0.0, partial(characteristic_defect, system, q, leading), None)
        if left is not None and any(e != 0 for e in left):
            raise EquationError(
                f"{system.name}: the derived characteristic {q} leaves {left} in the linearised equations.",
                hint="This is a fault of the solver; please report the equation.",
            )
        # point symmetries are proved already, also where the time is over
        proved.append(Generalised(q, system.jets.order(q), kind, left is not None or point is not None, point))
    families: tuple[Family, ...] = ()
    if space is not None:
        field, unknowns = space.state.field, space.state.unknowns
        families = tuple(family_of(group, field, unknowns, system.jets.unknowns) for group in space.groups)
    clock.note("commutators")
    basis = [one.characteristic for one in proved]
    brackets: list[Commutator] | None = None
    if len(basis) <= MOST:
        brackets = clock.within(0.0, partial(commutators, system, basis, leading), None)
    return Hierarchy(
        order,
        names,
        tuple(proved),
        families,
        found.sought,
        found.general,
        found.certificate,
        tuple(unsolved),
        time.perf_counter() - started,
        None if brackets is None else tuple(brackets),
        space.assumed if space is not None else (),
    )


Named = tuple[Literal["point", "contact", "generalised"], tuple[sp.Expr, ...], Field | None]


def _polynomials(system: System, order: int, clock: Clock) -> PolynomialSpace:
    return polynomial_characteristics(system, order, clock=clock)


def _on_solutions(q: Sequence[sp.Expr], leading: Leading) -> tuple[sp.Expr, ...]:
    return tuple(leading.reduce(sp.expand(e)) for e in q)


def _contact(system: System, clock: Clock) -> list[tuple[sp.Expr, ...]]:
    """Characteristics in first derivatives alone; none where first derivatives aren't free, or of several unknowns.

    Of equations of first order every symmetry of order 1 is a contact symmetry, infinitely many.
    """
    if len(system.jets.dependent) > 1:
        return []
    try:
        leading = solve_for_leading(system)
        if any(leading.is_principal((0, J)) for J in multi_indices(len(system.jets.independent), 1)):
            return []
        part = clock.part(SHARE)
        return solution_space(generalised_equations(system, 1, leading), part).expressions()
    except LieappError:
        return []


def _chosen(system: System, found: Found, named: Sequence[Named], order: int) -> list[Named]:
    """A basis of the span modulo the families: those that have a name first, where they are of the order."""
    pool = _of_order(system, named, order)
    pool += [("generalised", q, None) for q in found.basis]
    vectors, field = vectors_of(system, [one[1] for one in pool])
    groups = found.space.groups if found.space is not None else ()
    whole = vectors[len(pool) - len(found.basis) :]
    kept: list[Named] = []
    basis: list[Vector] = []
    for one, v in zip(pool, vectors, strict=True):
        if basis and coordinates_in(basis, [v], field)[0] is not None:
            continue
        if found.space is not None and groups and _in_families([*basis, v], field, found.space):
            continue
        if found.general and not groups and coordinates_in(whole, [v], field)[0] is None:
            raise EquationError(
                f"{system.name}: the {one[0]} symmetry with the characteristic {one[1]} isn't among those derived.",
                hint="This is a fault of the solver; please report the equation.",
            )
        basis.append(v)
        kept.append((one[0], tuple(expression_of(c, field) for c in v), one[2]))
    return kept


def _in_families(vectors: Sequence[Vector], field: CoefficientField, space: Space) -> bool:
    """Whether the last vector is one of the others modulo the families."""
    own = space.state.field
    inside = [[own.element(field.expression(c)) for c in v] for v in vectors]
    return len(modulo_families(inside, space.groups, own, space.state.unknowns)) < len(vectors)


def _of_order(system: System, named: Sequence[Named], order: int) -> list[Named]:
    """Those of the order, and combinations of the others in which all higher derivatives cancel."""
    jets = system.jets
    inside = [one for one in named if jets.order(one[1]) <= order]
    others = [one for one in named if jets.order(one[1]) > order]
    found = jets.jets(sp.Tuple(*(e for _, q, _ in others for e in q)))
    high = [s for s, (_, J) in found.items() if sum(J) > order]
    slopes, field = vectors_of(system, [[sp.diff(e, s) for s in high for e in one[1]] for one in others])
    for row in relations(slopes, field) if others else []:
        terms = [(others[k], expression_of(c, field)) for (k, _), c in sorted(row.items())]
        q = tuple(sp.expand(sp.Add(*(c * one[1][a] for one, c in terms))) for a in range(len(jets.dependent)))
        inside.append((_kind([one for one, _ in terms]), q, _sum([(one[2], c) for one, c in terms])))
    return sorted(inside, key=lambda one: one[0] != "point")


def _kind(named: Sequence[Named]) -> Literal["point", "contact", "generalised"]:
    return "point" if all(kind == "point" for kind, _, _ in named) else "contact"


def _sum(terms: Sequence[tuple[Field | None, sp.Expr]]) -> Field | None:
    """The combination of fields; None if one is missing."""
    fields = [(one.components, c) for one, c in terms if one is not None]
    if len(fields) < len(terms):
        return None
    return Field({name: sp.expand(sp.Add(*(c * e[name] for e, c in fields))) for name in fields[0][0]})
