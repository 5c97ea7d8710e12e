"""Solving a system for leading derivatives, and replacing them and all their derivatives.

A ranking orders the derivatives; each equation is solved for its highest one, linearly or by a root, or kept as a
relation for it, and then its derivatives are solved for those of the highest one, linearly. Where two
equations lead with derivatives of one unknown, the difference of their cross derivatives is a further equation
(Riquier, Janet), so that hidden conditions such as the pressure equation of an incompressible flow are found.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import permutations
from math import inf
from typing import NoReturn

import sympy as sp
from sympy.core.function import AppliedUndef

from lieapp.equations.arbitrary import Composed
from lieapp.equations.coefficients import CoefficientField
from lieapp.equations.equation import System
from lieapp.equations.factors import spelled
from lieapp.equations.jets import Jet, JetSpace, divides
from lieapp.equations.roots import MAX_DEGREE, Relation, check_one_branch, relation_of, solved_for
from lieapp.errors import DeclarationError, EquationError


def check_equations(system: System) -> None:
    """Raises EquationError for an equation that is identically zero or impossible; DeclarationError for an unknown
    in none, and where no derivative occurs.

    Whether an equation is zero is decided with all relations, as sin² + cos² = 1.
    """
    count = len(system.residuals)
    used: set[int] = set()
    for n, residual in enumerate(system.residuals, start=1):
        which = f"equation {n} of {count}" if count > 1 else "the equation"
        left = without_vanishing(residual, system)
        if left == 0:
            raise EquationError(
                f"{system.name}: {which}, {residual} = 0, is identically zero.",
                hint="It holds for every function and says nothing; leave it out or correct it.",
            )
        found = system.jets.jets(left)
        if not found:
            raise EquationError(
                f"{system.name}: {which}, {residual} = 0, contains no unknown.",
                hint="Write it in the unknowns and their derivatives, or leave it out.",
            )
        used |= {a for a, _ in found.values()}
    missing = [u for a, u in enumerate(system.jets.dependent) if a not in used]
    if missing:
        raise DeclarationError(
            f"{system.name}: the unknown {missing[0]} occurs in no equation.",
            hint=f"Leave {missing[0]} out of the unknowns, or add the equation that determines it.",
        )
    if system.jets.order(system.residuals) == 0:
        raise DeclarationError(
            f"{system.name}: no derivative occurs; it is no differential equation.",
            hint=f"Derivatives are written {system.jets.symbol(0, (*system.jets.zero[1:], 1))}.",
        )


def without_vanishing(expression: sp.Expr, system: System) -> sp.Expr:
    """The expression itself, 0 if it vanishes identically, or a form of it without jets that cancel."""
    found = system.jets.jets(expression)
    if expression.is_polynomial(*expression.free_symbols):
        return sp.expand(expression)
    field = CoefficientField((*system.jets.independent, *found), system.parameters)
    normal = field.expression(field.element(expression))
    if normal == 0 or len(system.jets.jets(normal)) < len(found):
        return normal
    return expression


HOW = ("linear", "root", "relation")
"""How equations are solved for their leading derivatives."""
MAX_EQUATIONS = 24
"""Equations in a completed system beyond which a ranking is given up."""
EFFORTS = (250, 2_500, 50_000)
"""Sizes of all expressions together at which a ranking is given up: the next one if no ranking gets by with one."""
BULKY = 4
"""How many times as much as another one a ranking may spend, and its rules be as large, to be preferred to it."""


class TooLargeError(Exception):
    """The expressions of a ranking add up to more than its effort."""


@dataclass
class Leading:
    """Equations solved for their leading derivatives uᵃ_J = R.

    `rules` have R for each leading derivative, free of leading derivatives and their derivatives, or the derivative
    itself where the equation is one of the `relations`, kept as it is; `assumed_nonzero`
    are coefficients that were divided by, `implied` equations that the given ones imply together, before they were
    solved. `effort` is what may still be spent, in sizes of expressions, and `spent` what it took.
    """

    jets: JetSpace
    rules: dict[Jet, sp.Expr] = field(default_factory=dict)
    relations: dict[Jet, Relation] = field(default_factory=dict)
    assumed_nonzero: list[sp.Expr] = field(default_factory=list)
    implied: list[sp.Expr] = field(default_factory=list)
    effort: float = inf
    spent: float = 0
    _normal: dict[Jet, sp.Expr] = field(default_factory=dict)

    @property
    def size(self) -> int:
        """Of all rules together."""
        return sum(map(size_of, self.rules.values()))

    def is_principal(self, jet: Jet) -> bool:
        """Whether a derivative is a leading one or a derivative of one."""
        return self._rule(jet) is not None

    def normal(self, jet: Jet) -> sp.Expr:
        """A principal derivative in terms of the others."""
        if jet not in self._normal:
            rule = self._rule(jet)
            if rule is None:
                return self.jets.symbol(*jet)
            if rule == jet:
                self._normal[jet] = self.rules[rule]
            else:
                a, J = jet
                i = next(k for k in reversed(range(len(J))) if J[k] > rule[1][k])
                lower = (a, self.jets.raised(J, i, -1))
                if lower in self.relations:
                    self._normal[jet] = self.reduce(self._slope(self.relations[lower], self.jets.symbol(*jet), i))
                else:
                    self._normal[jet] = self.reduce(self.jets.total_derivative(self.normal(lower), i))
        return self._normal[jet]

    def _slope(self, relation: Relation, symbol: sp.Symbol, i: int) -> sp.Expr:
        """Dᵢp = `symbol` from Dᵢ F = 0 of a relation F = 0."""
        total = self.jets.total_derivative(relation.equation, i)
        slope = sp.diff(relation.equation, relation.derivative)
        return -sp.expand(total - slope * symbol) / slope

    def with_roots(self, expression: sp.Expr) -> sp.Expr:
        """With each derivative that a relation is kept for in terms of its root."""
        return expression.xreplace({r.derivative: r.value for r in self.relations.values()})

    @property
    def roots(self) -> tuple[sp.Symbol, ...]:
        """Those of the relations: variables of a field of coefficients beside the jets."""
        return tuple(r.root for r in self.relations.values())

    def relate(self, to: CoefficientField) -> None:
        """The relations as those of a field, where these roots are variables."""
        for relation in self.relations.values():
            to.relate(relation.root, relation.degree, relation.power)

    def reduce(self, expression: sp.Expr) -> sp.Expr:
        """An expression on solutions: no principal derivative is left."""
        found = {s: j for s, j in self.jets.jets(expression).items() if self.is_principal(j)}
        if not found:
            return expression
        return self.canonical(expression.xreplace({s: self.normal(j) for s, j in found.items()}))

    def canonical(self, expression: sp.Expr) -> sp.Expr:
        """One fraction in lowest terms; polynomials in the jets are only expanded. Raises TooLargeError."""
        if self.effort < inf:
            self.effort -= size_of(expression, int(self.effort))
            if self.effort <= 0:
                raise TooLargeError
        found = [s for s, (_, J) in self.jets.jets(expression).items() if any(J)]
        expanded = sp.expand(expression)
        if not found or expanded.is_polynomial(*found):
            return expanded
        return sp.cancel(sp.together(expression))

    def _rule(self, jet: Jet) -> Jet | None:
        a, J = jet
        return next(((b, K) for b, K in self.rules if a == b and divides(K, J)), None)


def solve_for_leading(system: System) -> Leading:
    """The system solved for leading derivatives in the ranking that divides by the simplest coefficients.

    Equations linear in their leading derivatives are looked for first; else one branch of a root is taken; else
    equations that are polynomial in their leading derivatives are kept as relations.
    Raises EquationError when no ranking gives such equations, and when the system is inconsistent,
    underdetermined, or fixes an unknown without derivatives.
    """
    check_equations(system)
    for residual in system.residuals:
        if system.jets.order([residual]) == 0:
            _refuse_constraint(residual, system)
    solved = next((found for how in HOW if (found := _least(system, how))), None)
    if solved is None:
        raise EquationError(
            f"{system.name}: the equations can't be solved for leading derivatives.",
            hint="Declare functions of derivatives as f:s, with a letter of its own, and write f(u_x)."
            if any(map(any, (J for _, J in _arguments(system))))
            else "Solve the equation for one of its highest derivatives, or differentiate it once.",
        )
    jets = system.jets
    for (a, J), value in solved.rules.items():
        if not any(J):
            u = jets.dependent[a]
            raise EquationError(
                f"{system.name}: the equations say {u} = {value}, without a derivative of {u}.",
                hint=f"Put this in place of {u} everywhere and leave {u} out of the unknowns.",
            )
    # of a system completed by its integrability conditions (Riquier; Seiler 2010, *Involution*, ch. 9)
    determined = {a for a, _ in solved.rules}
    if free := [u for a, u in enumerate(jets.dependent) if a not in determined]:
        variables = ", ".join(map(str, jets.independent))
        raise EquationError(
            f"{system.name}: the system is underdetermined: {' and '.join(free)} may be any function of "
            f"{variables}.",
            hint="Add the missing equation, or declare what is given as a function of a variable: k:x.",
        )
    return solved


def _refuse_constraint(residual: sp.Expr, system: System) -> NoReturn:
    """Raises EquationError for an equation without derivatives, with what to put in place of an unknown."""
    hint = "Describe the points that it allows by a parameter, and make this the unknown."
    found = [(solved_for(residual, u), u) for u in reversed(list(system.jets.jets(residual)))]
    known = [(not alone[2], not alone[1].is_number, alone[0], u) for alone, u in found if alone is not None]
    if known:
        root, _, value, u = min(known, key=lambda one: one[:2])
        branch = ", one branch of it," if root else ""
        hint = f"Put {value}{branch} in place of {u} everywhere, and leave {u} out of the unknowns."
    raise EquationError(
        f"{system.name}: {spelled(residual)} = 0 is an algebraic constraint: it has no derivatives of unknowns.",
        hint=hint,
    )


def _least(system: System, how: str) -> Leading | None:
    """With the least effort that suffices."""
    for effort in EFFORTS:
        with suppress(TooLargeError):
            return _best(system, how, effort)
    return None


def _best(system: System, how: str, effort: int) -> Leading | None:
    """The best of all rankings that no more than an effort is spent on. Raises TooLargeError if all need more."""
    given_up = False
    found: list[tuple[int, bool, Leading]] = []
    # space before time in orderly ones, time first otherwise
    places = range(len(system.jets.independent))
    candidates = [(order, True) for order in permutations(reversed(places))]
    candidates += [(order, False) for order in permutations(places)]
    for variables, orderly in candidates:
        try:
            solved = solve_ranked(system, variables, orderly, how, effort)
        except TooLargeError:
            given_up = True
            continue
        if solved is None:
            continue
        found.append((_most(solved), not orderly, solved))
        effort = min(effort, max(EFFORTS[0], BULKY * int(solved.spent)))
        if orderly and not found[-1][0] and len(solved.rules) == len(system.residuals):
            break
    if given_up and not found:
        raise TooLargeError
    smallest = min((solved.size for *_, solved in found), default=0)

    def score(one: tuple[int, bool, Leading]) -> tuple[int, ...]:
        # dividing by derivatives costs most; then large rules, cross derivatives, high derivatives of the rules
        most, mixed, solved = one
        return most > 3, solved.size > BULKY * smallest, len(solved.rules), mixed, most, solved.size

    return min(found, key=score)[2] if found else None


def _most(solved: Leading) -> int:
    """The most that is assumed by what was divided by."""
    return max((_weight(c, solved.jets) for c in solved.assumed_nonzero), default=0)


def solve_ranked(
    system: System, variables: Sequence[int], orderly: bool, how: str, effort: float = inf
) -> Leading | None:
    """With a ranking, an order of the derivatives that differentiation respects.

    `variables` are positions, the most important first; an orderly one compares |J| before anything else. `how` is
    one of HOW; each allows those before it. None if that doesn't do.
    Raises TooLargeError if it takes more than the effort.
    """

    def rank(found: tuple[sp.Symbol, Jet]) -> tuple[int, ...]:
        a, J = found[1]
        return (sum(J) if orderly else 0, *(J[i] for i in variables), -a)

    arguments = _arguments(system)
    solved = Leading(system.jets, effort=effort)
    queue = sorted(system.residuals, key=sp.count_ops)
    seen = 0
    while queue:
        seen += 1
        if seen > MAX_EQUATIONS:
            return None
        given = queue.pop(0)
        reduced = solved.reduce(given)
        equation = sp.numer(solved.canonical(reduced))
        equation = without_vanishing(equation, system)
        if equation == 0:
            continue
        found = system.jets.jets(equation)
        if not found:
            raise EquationError(
                f"{system.name}: the equations are inconsistent: they imply "
                f"{1 if equation.is_number else equation} = 0.",
                hint="They have no solution; leave out or correct the equation that contradicts the others.",
            )
        if reduced not in system.residuals:
            solved.implied.append(equation)
        symbol, lead = max(found.items(), key=rank)
        alone = solved_for(equation, symbol)
        kept = relation_of(equation, symbol) if alone is None and how == HOW[2] else None
        if kept:
            solved.relations[lead] = kept
            alone = symbol, sp.diff(equation, symbol), True
        if alone is None or not (alone[2] or how != HOW[0]):
            return None
        if any(a == lead[0] for a, _ in solved.relations) and any(a == lead[0] for a, _ in solved.rules):
            # no differences of cross derivatives with a relation
            return None
        value, divisor, linear = alone
        if not linear:
            check_one_branch(equation, symbol, system.jets, system.name)
        rule = solved.canonical(value)
        if not rule.is_Symbol and any(a == lead[0] and divides(lead[1], J) for a, J in arguments):
            # the derivative of f(u_x) in u_x can't be written at another place
            return None
        if not divisor.is_Rational:
            solved.assumed_nonzero.append(sp.factor(divisor))
        displaced = [j for j in solved.rules if j[0] == lead[0] and divides(lead[1], j[1])]
        queue += [system.jets.symbol(*j) - solved.rules.pop(j) for j in displaced]
        solved._normal.clear()
        # differences of the two expressions for the least common derivative of two leading ones
        total = solved.jets.total_derivatives
        for (a, K), other in solved.rules.items():
            if a == lead[0]:
                up = tuple(max(k - j, 0) for j, k in zip(lead[1], K, strict=True))
                down = tuple(max(j - k, 0) for j, k in zip(lead[1], K, strict=True))
                queue.append(total(rule, up) - total(other, down))
        solved.rules[lead] = rule
        for j in list(solved.rules):
            solved.rules[j] = solved.reduce(solved.rules[j])
            solved._normal.clear()
    solved.spent, solved.effort = effort - solved.effort, inf
    return solved


def _arguments(system: System) -> set[Jet]:
    """What arbitrary functions are of: but for those that are written at any expression."""
    functions = {f for r in system.residuals for f in r.atoms(AppliedUndef) if not isinstance(f, Composed)}
    return {jet for f in functions for jet in system.jets.jets(f).values()}


def _weight(coefficient: sp.Expr, jets: JetSpace) -> int:
    """What is assumed by dividing: 0 nothing, 1 on coordinates, 2 on parameters, 3 on u, 4 on derivatives."""
    if coefficient.is_number or coefficient.is_positive or coefficient.is_negative:
        return 0
    found = jets.jets(coefficient)
    if not found:
        return 1 if coefficient.free_symbols & set(jets.independent) else 2
    return 3 if all(not any(J) for _, J in found.values()) else 4


def size_of(expression: sp.Expr, most: int | None = None) -> int:
    """Names, numbers and operations, a power of a sum counted as its factors; counted only up to `most`."""
    total = 0
    waiting = [expression]
    while waiting and (most is None or total <= most):
        e = waiting.pop()
        times = min(abs(int(e.exp)), MAX_DEGREE) if e.is_Pow and e.exp.is_Integer and e.base.is_Add else 1
        waiting += e.args * times
        total += 1
    return total
