"""What the solver works on: equations, functions left, the solution so far and the steps taken."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from copy import copy
from dataclasses import dataclass
from dataclasses import field as attribute
from itertools import combinations
from typing import Any, TypeVar

import sympy as sp
from sympy import QQ
from sympy.polys.matrices import DomainMatrix

from lieapp.equations.coefficients import CoefficientField, Element
from lieapp.equations.factors import named, vanishing_factors
from lieapp.lie.linear import Form, Key, Unknowns, lifted, primitive, substituted

T = TypeVar("T")

MAX_SETS = 8
"""Sets beyond which those with most in common are joined: that assumes more, and is shorter to read."""

Span = tuple[sp.Expr, ...]


def simplest(expressions: Sequence[sp.Expr]) -> Span:
    """A basis of the span in as few terms as elimination gives, the simplest first.

    Of independent monomials nothing is assumed that isn't assumed of any basis of their span.
    """
    rows = [sp.expand(e).as_coefficients_dict() for e in expressions]
    # what is complicated is eliminated first
    terms = sorted({t for row in rows for t in row}, key=_complexity, reverse=True)
    entries = [[QQ.from_sympy(sp.sympify(row[t])) for t in terms] for row in rows]
    reduced, pivots = DomainMatrix(entries, (len(rows), len(terms)), QQ).rref()
    found = []
    for row in reduced.to_Matrix().tolist()[: len(pivots)]:
        e = sp.Add(*(c * t for c, t in zip(row, terms, strict=True)))
        _, e = e.as_content_primitive()
        found.append(-e if e.could_extract_minus_sign() else e)
    return tuple(sorted(found, key=_complexity))


def fewest(spans: Sequence[Span]) -> list[Span]:
    """The same assumptions without spans inside of others, and joined while there are more than MAX_SETS."""
    left: list[Span] = []
    for span in sorted(spans, key=len, reverse=True):
        # not inside of one
        if not any(len(simplest([*span, *larger])) == len(larger) for larger in left):
            left.append(span)
    while len(left) > MAX_SETS:
        first, second = min(combinations(left, 2), key=lambda pair: len(simplest([*pair[0], *pair[1]])))
        left = fewest([*(s for s in left if s not in (first, second)), simplest([*first, *second])])
    return left


def _complexity(e: sp.Expr) -> tuple[int, int, str]:
    return (int(e.count_ops()), len(str(e)), str(e))


@dataclass(frozen=True)
class Step:
    """One exact step, for `--explain`: the rule, as "integrate" or "split", and what it was done to.

    `form` is the equation that was used up or found, and `parts` those that it was split into; or what a `function`
    is replaced by, which else is None.
    """

    rule: str
    form: Form
    function: int | None = None
    parts: tuple[Form, ...] = ()


@dataclass
class State:
    """The linear system in the middle of its solution.

    Args:
        field: where coefficients live.
        unknowns: all unknown functions with their arguments.
        equations: forms that must vanish, primitive.
        values: the sought components as forms in the functions that are left.
        nonzero: factors known not to vanish.
        assumed: expressions in parameters and arbitrary functions that were divided by.
        independent: sets of expressions with arbitrary functions that are assumed to be linearly independent.
        generic: parameters and functions at random values of which solutions were counted.
        formal: whether integrals that aren't elementary may stay as they are, ∫ f(t) dt; only when stuck.
        counting: whether solutions of large parts are counted first, which takes long in many variables.
    """

    field: CoefficientField
    unknowns: Unknowns
    equations: list[Form]
    values: list[Form]
    nonzero: tuple[sp.Expr, ...] = ()
    formal: bool = False
    counting: bool = True
    steps: list[Step] = attribute(default_factory=list)
    assumed: list[sp.Expr] = attribute(default_factory=list)
    independent: list[Span] = attribute(default_factory=list)
    generic: list[str] = attribute(default_factory=list)
    _tried: set[tuple] = attribute(default_factory=set)
    _signatures: set[frozenset] = attribute(default_factory=set)
    _derived: set[frozenset] = attribute(default_factory=set)
    _assumed_elements: set[Any] = attribute(default_factory=set)

    def __post_init__(self) -> None:
        equations, self.equations = self.equations, []
        self.add_equations(equations)

    def copy(self) -> State:
        """The same state, with a field and unknown functions of its own: what changes one leaves the other."""
        other = copy(self)
        other.field, other.unknowns = self.field.copy(), self.unknowns.copy()
        for name, value in vars(self).items():
            if isinstance(value, (list, set)):
                setattr(other, name, value.copy())
        return other

    def add_equations(self, forms: Iterable[Form]) -> int:
        """Take in equations, normalised; how many were new."""
        count = 0
        for form in forms:
            form, content = primitive(form, self.field)
            self._record_nonzero(content)
            signature = frozenset(form.items())
            if form and signature not in self._signatures:
                self._signatures.add(signature)
                # a new list: what a step began can be undone
                self.equations = [*self.equations, form]
                count += 1
        return count

    def add_consequence(self, form: Form, rule: str, *divisors: Element) -> bool:
        """Take in a consequence of the equations, unless it was derived before, and record how it was found."""
        signature = frozenset(primitive(form, self.field)[0].items())
        if signature in self._derived:
            return False
        self._derived.add(signature)
        if not self.add_equations([form]):
            return False
        for divisor in divisors:
            self.divide(divisor)
        self.steps.append(Step(rule, self.equations[-1]))
        return True

    def first_try(self, *what: Any) -> bool:
        """Whether this was not asked before; what failed once costs seconds and fails again."""
        key = (*what, self.formal)
        if key in self._tried:
            return False
        self._tried.add(key)
        return True

    def remove(self, form: Form) -> None:
        """Drop an equation that was used up."""
        self.equations = [e for e in self.equations if e is not form]
        self._signatures.discard(frozenset(form.items()))

    def settle(self, form: Form) -> None:
        """Don't derive an equation again, in place of which there is a better one."""
        self._derived.add(frozenset(form.items()))

    def lift(self) -> None:
        """Bring everything into the field as it is now, after new atoms came in."""
        self.equations = [lifted(e, self.field) for e in self.equations]
        self.values = [lifted(v, self.field) for v in self.values]
        self._signatures = {frozenset(e.items()) for e in self.equations}
        self._derived = {frozenset(lifted(dict(form), self.field).items()) for form in self._derived}

    def substitute(self, f: int, value: Form, rule: str) -> None:
        """Replace f by a form in other functions everywhere, and record it."""
        self.steps.append(Step(rule, value, f))
        touched = [e for e in self.equations if any(g == f for g, _ in e)]
        for e in touched:
            self.remove(e)
        self.add_equations(substituted(e, {f: value}, self.field, self.unknowns) for e in touched)
        self.values = [substituted(v, {f: value}, self.field, self.unknowns) for v in self.values]

    def use(self, equation: Form, key: Key, value: Form, rule: str) -> None:
        """Replace the function of a key by what an equation says of it, divided by the coefficient there.

        The equation is used up; it may be older than the newest atoms.
        """
        here = lifted(equation, self.field)
        self.divide(here[key])
        self.remove(next(e for e in self.equations if e == here))
        self.substitute(key[0], value, rule)

    def arguments(self, form: Form) -> frozenset[int]:
        """The variables that any function of the form depends on."""
        return frozenset().union(*(self.unknowns.arguments[f] for f, _ in form))

    def entire(self, form: Form, f: int) -> bool:
        """Whether f depends on every variable that occurs in the form, also in its coefficients."""
        own = self.unknowns.arguments[f]
        return own == self.arguments(form) and all(self.field.depends(c) <= own for c in form.values())

    def divide(self, element: Element) -> None:
        """Record a division, for `assumed_nonzero`."""
        self._record_nonzero(element.numer)

    def _record_nonzero(self, polynomial: Any) -> None:
        constants = {*range(len(self.field.variables), len(self.field.variables) + len(self.field.constants))}
        constants |= self.field.arbitrary()
        if polynomial in self._assumed_elements or not any(m[n] for m in polynomial for n in constants):
            return
        self._assumed_elements.add(polynomial)
        self.assume(polynomial.as_expr().xreplace(self.field.table.expressions()))

    def kept(self, work: Callable[[], T]) -> T:
        """What some work finds; if that is nothing, what it assumed is forgotten."""
        before = self.assumed, self.independent, self.generic, self._assumed_elements
        self.assumed, self.independent, self.generic = map(list, before[:3])
        self._assumed_elements = set(self._assumed_elements)
        found = work()
        if not found:
            self.assumed, self.independent, self.generic, self._assumed_elements = before
        return found

    def assume(self, expression: sp.Expr) -> None:
        """Record that an expression was divided by, if some parameter values make it vanish."""
        for factor in vanishing_factors(expression, self.field.constants, self.nonzero):
            if factor not in self.assumed and -factor not in self.assumed:
                self.assumed.append(-factor if factor.could_extract_minus_sign() else factor)

    def assume_independent(self, expressions: Iterable[sp.Expr]) -> None:
        """Record that expressions are assumed to be linearly independent."""
        self.independent = fewest([*self.independent, simplest([named(e)[0] for e in expressions])])

    def assume_generic(self, equations: Iterable[Form]) -> None:
        """Record that the solutions of equations were counted at random values of what they contain."""
        field = self.field
        first = len(field.variables)
        symbols = [*range(first, first + len(field.constants)), *sorted(field.arbitrary())]
        used = {n for e in equations for c in e.values() for m in c.numer for n in symbols if n < len(m) and m[n]}
        expressions = field.table.expressions()
        for n in sorted(used):
            symbol = field.field.symbols[n]
            e = expressions.get(symbol, symbol)
            function = e.expr if isinstance(e, sp.Derivative) else e
            name = str(function.func) if function.args else str(function)
            if name not in self.generic:
                self.generic.append(name)

    def assume_special(self, functions: sp.Basic) -> None:
        """Record parameters of special functions: for some these are elementary, or equal, and less independent."""
        names = sorted(str(s) for s in functions.free_symbols & set(self.field.constants))
        self.generic += [name for name in names if name not in self.generic]

    def take_assumptions(self, other: State) -> None:
        """Record what was assumed elsewhere."""
        self.assumed += [e for e in other.assumed if e not in self.assumed]
        self.independent = fewest([*self.independent, *other.independent])
        self.generic += [name for name in other.generic if name not in self.generic]


@dataclass
class Solution:
    """The outcome: `state.values` are the components, in constants and in functions with side conditions.

    `groups` are the functions left, grouped by the conditions that couple them, with those conditions; `finite`
    says for each whether its conditions leave only finitely many constants. `exhausted` is False when the number
    of steps ran out.
    """

    state: State
    constants: list[int]
    groups: list[tuple[list[int], list[Form]]]
    finite: list[bool]
    exhausted: bool = True

    def vectors(self) -> list[list[Element]]:
        """The components that belong to each constant."""
        field, zero = self.state.field, self.state.unknowns.zero
        return [[value.get((f, zero), field.zero) for value in self.state.values] for f in self.constants]


def form_sort_key(form: Form) -> tuple[int, int, Sequence[Any]]:
    """Short equations of low order first."""
    return (len(form), max((sum(K) for _, K in form), default=0), sorted(form))


def coupled(state: State) -> list[tuple[list[int], list[Form]]]:
    """The functions that occur in equations, grouped by the equations that couple them, with those equations."""
    groups: list[tuple[set[int], list[Form]]] = []
    for equation in state.equations:
        functions, equations = {f for f, _ in equation}, [equation]
        rest = []
        for group in groups:
            if group[0] & functions:
                functions |= group[0]
                equations = group[1] + equations
            else:
                rest.append(group)
        groups = [*rest, (functions, equations)]
    return [(sorted(functions), equations) for functions, equations in groups]
