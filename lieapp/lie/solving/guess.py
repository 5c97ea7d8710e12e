"""Solutions of a coupled part by an ansatz: polynomials in the variables and in the atoms met so far.

Complete where as many are found as Taylor coefficients modulo a prime can be free. Where they are fewer, those
found are kept beside the part that stays unsolved: what is known to be a symmetry isn't lost. Constants that a
condition couples with arbitrary functions are taken out of it: with one solution α = p of α_t - α_xx + 1 = 0 in
closed form, α = p c + β leaves c free in α_t - α_xx + c = 0, and β_t - β_xx = 0.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from itertools import pairwise, product
from random import Random

from sympy.core.function import AppliedUndef

from lieapp.equations.coefficients import Element
from lieapp.equations.residues import BadPointError
from lieapp.lie.certificate.counting import (
    Columns,
    TooLargeError,
    check_size,
    expanded,
    order_of,
    without_vanishing,
)
from lieapp.lie.certificate.taylor import Point
from lieapp.lie.linear import Form, Unknowns, add, combined, raised, substituted
from lieapp.lie.normal_form import Row, echelon
from lieapp.lie.solving.complete import is_finite
from lieapp.lie.solving.eliminate import eliminate
from lieapp.lie.solving.integrate import one_term
from lieapp.lie.solving.split import split
from lieapp.lie.solving.state import State, Step, coupled

FURTHER = 8
"""Orders of expansion tried beyond that of the equations."""

INFINITE = 5
"""Orders tried when no expansion says that there are finitely many solutions."""

SECONDS = 3.0
"""After which counting a part is given up."""

LARGE = 16
"""Monomials in the coefficients of an equation from which on counting is quicker than solving."""

MAX_CONSTANTS = 80
"""Coefficients of an ansatz."""

DERIVED = 2
"""Times that sources are differentiated for an ansatz."""

MAX_SOLUTIONS = 4
"""Solutions of a large part that are worth an ansatz before it is solved step by step."""


def count_and_guess(state: State) -> bool:
    """Solve a part whose equations are large and whose solutions are few and simple, or none."""
    for functions, equations in coupled(state) if state.counting else ():
        # consequences that were added don't change the solutions
        if not large(state, equations) or not state.first_try("count", *functions):
            continue
        most = agreed(state, functions, equations)
        if most is None or most > MAX_SOLUTIONS:
            continue
        ordinary = len(frozenset().union(*map(state.arguments, equations))) == 1
        for degree in (1, 2, 3) if ordinary else (1,):
            found = ansatz(state, functions, equations, degree) if most else []
            if len(found) == most:
                _settle(state, functions, equations, found)
                return True
    return False


def guess(state: State) -> bool:
    """When nothing else is left: solve a part by an ansatz, or keep the solutions of it that are found."""
    for functions, equations in coupled(state):
        if not is_finite(state, functions, equations) or not state.first_try(
            "guess", frozenset(frozenset(e.items()) for e in equations)
        ):
            continue
        most = agreed(state, functions, equations)
        if most is None:
            continue
        found: list[dict[int, Element]] = []
        for degree in (1, 2, 3):
            found = ansatz(state, functions, equations, degree) or found
            if len(found) == most:
                _settle(state, functions, equations, found)
                return True
        for f, part in _combinations(state, functions, found).items():
            whole = combined((state.field.one, part), (state.field.one, state.unknowns.form(state.field, f)))
            state.values = [substituted(v, {f: whole}, state.field, state.unknowns) for v in state.values]
    return False


def ansatz(
    state: State, functions: list[int], equations: list[Form], degree: int, factors: Sequence[Element] = ()
) -> list[dict[int, Element]]:
    """Independent solutions whose functions are polynomials of a degree in their variables and atoms.

    With `factors` these times polynomials in the variables alone.
    """
    field, own = state.field, Unknowns(state.unknowns.size)
    values: dict[int, Form] = {}
    for f in functions:
        monomials = dict.fromkeys(_monomials(state, f, degree, factors))
        values[f] = {(own.new(()), own.zero): m for m in monomials}
    if sum(map(len, values.values())) > MAX_CONSTANTS:
        return []
    sub = State(field, own, [], list(values.values()), state.nonzero)
    # the short equations first: few coefficients are left when the long ones come
    for equation in sorted(equations, key=lambda e: sum(len(c.numer) for c in e.values())):
        sub.add_equations([substituted(equation, dict(zip(functions, sub.values, strict=True)), field, own)])
        while sub.equations and (split(sub, arbitrary=True) or one_term(sub) or eliminate(sub)):
            pass
        if sub.equations:
            return []
    for divisor in sub.assumed:
        # of arbitrary functions the count says nothing more than that they are generic
        if divisor.free_symbols <= set(field.constants):
            state.assume(divisor)
    free = sorted({c for value in sub.values for c, _ in value})
    return [
        {f: value.get((c, own.zero), field.zero) for f, value in zip(functions, sub.values, strict=True)}
        for c in free
    ]


def around_sources(
    state: State, functions: list[int], equations: list[Form], degree: int
) -> list[dict[int, Element]]:
    """Solutions by undetermined coefficients: terms of the sources and of their derivatives times polynomials.

    Sources are the coefficients of constants; the equations are divided by those of the highest derivatives.
    """
    terms: dict[Element, None] = {}
    for equation in equations:
        pivot = equation[max(equation, key=lambda key: (sum(key[1]), key))]
        for (f, _), c in equation.items():
            if not state.unknowns.arguments[f]:
                terms |= dict.fromkeys(_terms(state, c / pivot))
    for _ in range(DERIVED):
        for term in list(terms):
            for v in sorted(state.field.depends(term)):
                terms |= dict.fromkeys(_terms(state, state.field.diff(term, v)))
    return ansatz(state, functions, equations, degree, tuple(terms)) if terms else []


def _terms(state: State, element: Element) -> list[Element]:
    """The monomials of the numerator over the denominator, without numbers."""
    field = state.field
    element = field.reduce(element)
    below = field.field.raw_new(element.denom)
    return [field.field.raw_new(field.field.ring.from_dict({m: 1})) / below for m in element.numer]


def _monomials(state: State, f: int, degree: int, factors: Sequence[Element]) -> Iterator[Element]:
    """Products of the variables of f and of atoms in these alone, up to a total degree.

    Functions of one variable may also have poles: there the exponents are of either sign. With `factors` products
    of the variables times one of these.
    """
    field, own = state.field, state.unknowns.arguments[f]
    limits = dict.fromkeys(sorted(own), degree)
    for atom in () if factors else field.table.atoms:
        usable = atom.degree != 1 and atom.derivatives and not atom.expression.has(AppliedUndef)
        if usable and {field.variables.index(v) for v in atom.derivatives} <= own:
            limits[field.position[atom.symbol]] = min(atom.degree - 1, degree) if atom.degree else degree
    algebraic = {field.position[a.symbol] for a in field.table.atoms if a.degree}
    poles = len(own) == 1 and not factors
    ranges = [range(-top if poles and n not in algebraic else 0, top + 1) for n, top in limits.items()]
    for exponents in product(*ranges):
        if sum(map(abs, exponents)) <= degree:
            monomial = field.one
            for n, e in zip(limits, exponents, strict=True):
                monomial *= field.field.gens[n] ** e
            multiples = factors if own and factors else (field.one,)
            yield from (monomial * factor for factor in multiples if field.depends(factor) <= own)


def _settle(state: State, functions: list[int], equations: list[Form], found: list[dict[int, Element]]) -> None:
    state.assume_generic(equations)
    state.steps.append(Step("count", equations[0]))
    values = _combinations(state, functions, found)
    for f in functions:
        state.substitute(f, values.get(f, {}), "ansatz" if found else "vanish")


def _combinations(state: State, functions: list[int], found: list[dict[int, Element]]) -> dict[int, Form]:
    """Σ cₖ pₖ with new constants cₖ for each function, those that don't vanish."""
    constants = [state.unknowns.new(()) for _ in found]
    zero = state.unknowns.zero
    result = {
        f: {(c, zero): solution[f] for c, solution in zip(constants, found, strict=True) if solution[f]}
        for f in functions
    }
    return {f: form for f, form in result.items() if form}


TRIES = ((ansatz, 1), (around_sources, 1), (ansatz, 2), (around_sources, 2), (ansatz, 3), (ansatz, 4))


def free_constants(state: State) -> bool:
    """Take the constants out of one group of functions, if the ansatz finds a solution for each of them."""
    for functions, equations in coupled(state):
        constants = [f for f in functions if not state.unknowns.arguments[f]]
        if not constants or len(constants) == len(functions) or is_finite(state, functions, equations):
            continue
        if not state.first_try("constants", *functions):
            continue
        for method, degree in TRIES:
            found = method(state, functions, equations, degree)
            # the first solutions whose values of the constants are independent
            rows: list[Row] = [{(k, ()): s[c] for k, s in enumerate(found) if s[c]} for c in constants]
            chosen = [found[k] for (k, _), _ in echelon(rows, state.field)]
            if len(chosen) < len(constants):
                continue
            new = [state.unknowns.new(()) for _ in chosen]
            for f in functions:
                value: Form = {}
                if f not in constants:
                    value = state.unknowns.form(state.field, state.unknowns.new(state.unknowns.arguments[f]))
                for c, solution in zip(new, chosen, strict=True):
                    add(value, (c, state.unknowns.zero), solution[f])
                state.substitute(f, value, "particular solution")
            return True
    return False


def large(state: State, equations: list[Form]) -> bool:
    """Whether counting the solutions of coupled equations is quicker than solving them."""
    sizes = [sum(len(c.numer) for c in e.values()) for e in equations]
    ordinary = len(frozenset().union(*map(state.arguments, equations))) == 1
    return max(sizes) >= LARGE or (ordinary and sum(sizes) >= LARGE)


def agreed(state: State, functions: list[int], equations: list[Form]) -> int | None:
    """The bound of the number of independent solutions on which two primes and points agree; None if they don't."""
    first, second = (_bound(state, functions, equations, Random(seed)) for seed in (1, 2))
    return first if first == second else None


def _bound(state: State, functions: list[int], equations: list[Form], random: Random) -> int | None:
    """An upper bound of the number of independent solutions; None if unknown."""
    field, unknowns = state.field, state.unknowns
    size = len(field.variables)
    constant = [
        {(f, raised(unknowns.zero, v)): field.one}
        for f in functions
        for v in set(range(size)) - unknowns.arguments[f]
    ]
    rest, known = without_vanishing([*equations, *constant])
    lowest = max(map(order_of, rest), default=1)
    least: int | None = None
    deadline = time.perf_counter() + SECONDS
    try:
        for order in range(lowest, lowest + FURTHER + 1):
            check_size(len(functions), size, order)
            columns = Columns(Point(field, order + 2, random), functions)
            orders = expanded(rest, order, columns, known, deadline).free()
            found = next((a for a, b in pairwise(orders) if a == b), None)
            least = found if least is None else min(least, found) if found is not None else least
            if least == 0 or (least is None and order >= lowest + INFINITE):
                break
    except (BadPointError, TooLargeError):
        return least
    return least
