"""Solving a system for leading derivatives, and replacing them and all their derivatives.

A ranking orders the derivatives; each equation is solved for its highest one. Where two equations lead
with derivatives of one unknown, the difference of their cross derivatives is a further equation (Riquier,
Janet), so that hidden conditions such as the pressure equation of an incompressible flow are found.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import permutations

import sympy as sp

from lieapp.equations.equation import System
from lieapp.equations.jets import JetSpace, MultiIndex
from lieapp.equations.solvable import check_one_branch, solved_for
from lieapp.equations.wellposed import check_determined, check_differential, check_equations, without_vanishing
from lieapp.errors import EquationError

Jet = tuple[int, MultiIndex]
MAX_EQUATIONS = 24
"""Equations in a completed system beyond which a ranking is given up."""


@dataclass(frozen=True)
class Ranking:
    """An order of the derivatives that differentiation respects.

    Args:
        variables: positions of the variables, the most important first.
        orderly: compare |J| before anything else.
    """

    variables: tuple[int, ...]
    orderly: bool

    def key(self, jet: Jet) -> tuple[int, ...]:
        """Sort key; a higher key ranks higher."""
        a, J = jet
        front = (sum(J),) if self.orderly else ()
        return (*front, *(J[i] for i in self.variables), -a)


@dataclass
class Leading:
    """Equations solved for their leading derivatives uᵃ_J = R.

    Args:
        jets: the jet space.
        ranking: the ranking used.
        rules: R for each leading derivative, free of leading derivatives and their derivatives.
        assumed_nonzero: coefficients that were divided by.
        implied: equations that the given ones imply together, before they were solved.
    """

    jets: JetSpace
    ranking: Ranking
    rules: dict[Jet, sp.Expr] = field(default_factory=dict)
    assumed_nonzero: list[sp.Expr] = field(default_factory=list)
    implied: list[sp.Expr] = field(default_factory=list)
    _normal: dict[Jet, sp.Expr] = field(default_factory=dict)

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
                lower = (*J[:i], J[i] - 1, *J[i + 1 :])
                self._normal[jet] = self.reduce(self.jets.total_derivative(self.normal((a, lower)), i))
        return self._normal[jet]

    def reduce(self, expression: sp.Expr) -> sp.Expr:
        """An expression on solutions: no principal derivative is left."""
        found = {s: j for s, j in self.jets.jets(expression).items() if self.is_principal(j)}
        if not found:
            return expression
        return _canonical(expression.xreplace({s: self.normal(j) for s, j in found.items()}), self.jets)

    def _rule(self, jet: Jet) -> Jet | None:
        a, J = jet
        for b, K in self.rules:
            if a == b and all(n >= k for n, k in zip(J, K, strict=True)):
                return (b, K)
        return None


def solve_for_leading(system: System) -> Leading:
    """The system solved for leading derivatives in the ranking that divides by the simplest coefficients.

    Equations linear in their leading derivatives are looked for first; else one branch of a root is taken.
    Raises EquationError when no ranking gives such equations, and when the system is inconsistent,
    underdetermined, or fixes an unknown without derivatives.
    """
    check_equations(system)
    solved = _best(system, roots=False) or _best(system, roots=True)
    if solved is None:
        raise EquationError(
            f"{system.name}: the equations can't be solved for leading derivatives.",
            hint="Solve the equation for one of its highest derivatives, or differentiate it once.",
        )
    check_differential(solved.rules, solved.rules.values(), system.jets, system.name)
    check_determined(solved.rules, system.jets, system.name)
    return solved


def _best(system: System, roots: bool) -> Leading | None:
    best: tuple[tuple[int, ...], Leading] | None = None
    for n, ranking in enumerate(_rankings(system)):
        solved = _solve(system, ranking, roots)
        if solved is None:
            continue
        weights = [_weight(c, system.jets) for c in solved.assumed_nonzero]
        # dividing by derivatives costs most; then cross derivatives; then high derivatives of the rules
        score = (
            max(weights, default=0) > 3,
            len(solved.rules),
            not ranking.orderly,
            max(weights, default=0),
            n,
        )
        if best is None or score < best[0]:
            best = (score, solved)
        if score[:4] == (False, len(system.residuals), False, 0):
            break
    return best and best[1]


def _rankings(system: System) -> Iterator[Ranking]:
    """Candidates; space before time in orderly ones, time first otherwise."""
    p = len(system.jets.independent)
    for orderly in (True, False):
        for order in permutations(reversed(range(p)) if orderly else range(p)):
            yield Ranking(order, orderly)


def _solve(system: System, ranking: Ranking, roots: bool) -> Leading | None:
    solved = Leading(system.jets, ranking)
    queue = sorted(system.residuals, key=sp.count_ops)
    seen = 0
    while queue:
        seen += 1
        if seen > MAX_EQUATIONS:
            return None
        given = queue.pop(0)
        reduced = solved.reduce(given)
        equation = sp.numer(_canonical(reduced, system.jets))
        equation = without_vanishing(equation, system)
        if equation == 0:
            continue
        found = system.jets.jets(equation)
        if not found:
            raise EquationError(
                f"{system.name}: the equations are inconsistent: they imply {_told(equation)}.",
                hint="They have no solution; leave out or correct the equation that contradicts the others.",
            )
        if reduced not in system.residuals:
            solved.implied.append(equation)
        symbol, lead = max(found.items(), key=lambda item: ranking.key(item[1]))
        alone = solved_for(equation, symbol)
        if alone is None or not (alone.linear or roots):
            return None
        if not alone.linear:
            check_one_branch(equation, symbol, system.jets, system.name)
        rule = _canonical(alone.value, system.jets)
        if not _is_one(alone.divisor):
            solved.assumed_nonzero.append(sp.factor(alone.divisor))
        displaced = [j for j in solved.rules if j[0] == lead[0] and _divides(lead[1], j[1])]
        queue += [system.jets.symbol(*j) - solved.rules.pop(j) for j in displaced]
        solved._normal.clear()
        queue += [_cross(solved, lead, rule, j) for j in solved.rules if j[0] == lead[0]]
        solved.rules[lead] = rule
        for j in list(solved.rules):
            solved.rules[j] = solved.reduce(solved.rules[j])
            solved._normal.clear()
    return solved


def _cross(solved: Leading, lead: Jet, rule: sp.Expr, other: Jet) -> sp.Expr:
    """Difference of the two expressions for the least common derivative of two leading ones."""
    top = tuple(max(a, b) for a, b in zip(lead[1], other[1], strict=True))
    up = tuple(a - b for a, b in zip(top, lead[1], strict=True))
    down = tuple(a - b for a, b in zip(top, other[1], strict=True))
    total = solved.jets.total_derivatives
    return total(rule, up) - total(solved.rules[other], down)


def _told(equation: sp.Expr) -> str:
    """What an equation without unknowns says: 1 = 0 for every number."""
    return "1 = 0" if equation.is_number else f"{equation} = 0"


def _divides(J: MultiIndex, K: MultiIndex) -> bool:
    return all(a <= b for a, b in zip(J, K, strict=True))


def _is_one(coefficient: sp.Expr) -> bool:
    return bool(coefficient.is_Rational)


def _weight(coefficient: sp.Expr, jets: JetSpace) -> int:
    """What is assumed by dividing: 0 nothing, 1 on coordinates, 2 on parameters, 3 on u, 4 on derivatives."""
    if coefficient.is_number or coefficient.is_positive or coefficient.is_negative:
        return 0
    found = jets.jets(coefficient)
    if not found:
        return 1 if coefficient.free_symbols & set(jets.independent) else 2
    return 3 if all(not any(J) for _, J in found.values()) else 4


def _canonical(expression: sp.Expr, jets: JetSpace) -> sp.Expr:
    """One fraction in lowest terms; polynomials in the jets are only expanded."""
    found = [s for s, (_, J) in jets.jets(expression).items() if any(J)]
    expanded = sp.expand(expression)
    if not found or expanded.is_polynomial(*found):
        return expanded
    return sp.cancel(sp.together(expression))
