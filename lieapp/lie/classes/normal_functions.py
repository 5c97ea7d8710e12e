"""Special functions with constants of integration, up to scalings and translations, as few constants as can be."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import sympy as sp

from lieapp.equations.equation import INFINITE, System
from lieapp.errors import EquationError
from lieapp.lie.classes.equivalences import USUAL, reachable
from lieapp.lie.classes.special_functions import Constants, UnsolvedError, asked, constants_in, tidy

EXPONENTS = ("n", "m", "p", "q")
FACTORS = ("a", "b", "c", "d", "e", "g", "h")
"""Names of the constants that are left."""

With = Callable[[sp.Expr, Sequence[sp.Symbol]], System | None]
"""The system with a function in place, and its constants among the parameters; None where there is none."""


def normal_functions(
    y: sp.Expr, x: sp.Symbol, parameters: Sequence[sp.Symbol], within: With
) -> Iterator[sp.Expr]:
    """The functions that `y` stands for: constants that transformations move are 0 or 1; the `parameters` stay.

    Where 0 can't be reached from 1, both are told.
    """
    y = independent_constants(y, x, constants_in(y, [x, *parameters]))
    used = constants_in(y, [x, *parameters])
    fixed = [c for c in used if any(c in e.exp.free_symbols for e in y.atoms(sp.Pow) if e.base.has(x))]
    free = [c for c in used if c not in fixed]
    system = within(y, used)
    if system is None:
        return
    try:
        found = reachable(system, free) if free else None
    except EquationError:
        found = None
    if found is None:
        yield y
        return
    constant, values = found
    special = {value: y.subs(constant, value) for value in USUAL}
    reached = next((value for value in values if not special[value].has(*INFINITE)), None)
    if reached is None:
        yield y
        return
    for value in dict.fromkeys((reached, *(v for v in USUAL if v not in values))):
        if not special[value].has(*INFINITE):
            yield from normal_functions(tidy(special[value]), x, parameters, within)


@dataclass
class _Slots:
    """The places in a function of x where constants stand, in turn filled with constants of their own.

    Two places may be filled independently where their gradients by the constants are independent.
    """

    constants: Sequence[sp.Symbol]
    fresh: Constants
    rows: list[list[sp.Expr]] = field(default_factory=list)
    filled: dict[sp.Expr, sp.Expr] = field(default_factory=dict)

    def fill(self, e: sp.Expr) -> sp.Expr:
        """What stands in place of an expression in the constants. Raises UnsolvedError if nothing does."""
        if not e.free_symbols & {*self.constants}:
            return e
        e = asked(sp.cancel, e)
        if e in self.filled:
            return self.filled[e]
        row = [sp.diff(e, c) for c in self.constants]
        if asked(sp.Matrix([*self.rows, row]).rank, simplify=True) > len(self.rows):
            self.rows.append(row)
            self.filled[e] = self.fresh.new()
            return self.filled[e]
        for other, value in self.filled.items():
            for sign in (1, -1):
                rest = asked(sp.cancel, e - sign * other)
                if not rest.free_symbols & {*self.constants}:
                    return rest + sign * value
        known = [sp.numer(sp.together(other - value)) for other, value in self.filled.items()]
        for solved in asked(sp.solve, known, self.constants, dict=True):
            value = asked(sp.cancel, e.subs(solved))
            if not value.free_symbols & {*self.constants}:
                return value
        raise UnsolvedError

    exponent = fill


@dataclass
class _Numbers:
    """The numbers in a function of x but exponents, in turn replaced by constants, equal ones by equal ones."""

    fresh: Constants
    filled: dict[sp.Expr, sp.Expr] = field(default_factory=dict)

    def fill(self, e: sp.Expr) -> sp.Expr:
        """The constant in place of a number."""
        if e not in self.filled:
            self.filled[e] = self.fresh.new()
        return self.filled[e]

    def exponent(self, e: sp.Expr) -> sp.Expr:
        """Exponents stay."""
        return e


def loosened(y: sp.Expr, x: sp.Symbol) -> sp.Expr:
    """A function with constants in place of factors and shifts. Raises UnsolvedError for one of another form."""
    numbers, factors = _Numbers(Constants()), Constants([sp.Symbol("C1000", real=True)])
    return sp.Add(*(factors.new() * _shaped(term, x, numbers)[1] for term in _terms(y, x)))


def independent_constants(y: sp.Expr, x: sp.Symbol, constants: Sequence[sp.Symbol]) -> sp.Expr:
    """The same functions with as few and as simple constants as they depend on."""
    slots = _Slots(constants, Constants(list(constants)))
    try:
        terms = [_shaped(term, x, slots) for term in _terms(y, x)]
        # simple ones first, in which others are then written
        for factor in sorted((factor for factor, _ in terms), key=lambda e: e.count_ops()):
            slots.fill(factor)
        return sp.Add(*(slots.fill(factor) * rest for factor, rest in terms))
    except UnsolvedError:
        return y


def _shaped(term: sp.Expr, x: sp.Symbol, slots: _Slots | _Numbers) -> tuple[sp.Expr, sp.Expr]:
    """The constant factor of a term, and the rest of powers (x + b)**n, exponentials and what else there is."""
    factor, rest = term.as_independent(x, as_Add=False)
    parts: list[sp.Expr] = []
    for part in sp.Mul.make_args(asked(sp.powsimp, rest)):
        base, power = part.as_base_exp()
        if base == sp.E:
            slope = sp.diff(power, x)
            if x in slope.free_symbols:
                raise UnsolvedError
            factor *= sp.exp(power.subs(x, 0))
            parts.append(sp.exp(slots.fill(slope) * x))
        elif base.is_polynomial(x):
            for one, times in asked(sp.factor_list, base, x)[1]:
                if asked(sp.degree, one, x) != 1:
                    raise UnsolvedError
                parts.append((x + slots.fill(one.subs(x, 0) / one.coeff(x))) ** slots.exponent(times * power))
                factor *= one.coeff(x) ** (times * power)
            factor *= asked(sp.factor_list, base, x)[0] ** power
        elif base.is_Function and len(base.args) == 1 and sp.diff(base.args[0], x) == 1:
            parts.append(base.func(x + slots.fill(base.args[0].subs(x, 0))) ** power)
        else:
            raise UnsolvedError
    return factor, sp.Mul(*parts)


def _terms(y: sp.Expr, x: sp.Symbol) -> list[sp.Expr]:
    """Terms with different functions of x."""
    found: dict[sp.Expr, sp.Expr] = {}
    for term in sp.Add.make_args(sp.expand(y, power_exp=False, power_base=False, log=False, multinomial=False)):
        factor, rest = term.as_independent(x, as_Add=False)
        found[rest] = found.get(rest, sp.S.Zero) + factor
    return [factor * rest for rest, factor in found.items()]


def renamed(y: sp.Expr, x: sp.Symbol, parameters: Sequence[sp.Symbol], taken: Sequence[str]) -> sp.Expr:
    """With constants named n in exponents and a elsewhere, in the simplest of a few ways to write exponents."""
    used = constants_in(y, [x, *parameters])
    names = {str(s) for s in y.free_symbols if s not in used} | {*taken}
    for c in used:
        inside = any(c in e.exp.free_symbols for e in y.atoms(sp.Pow) if e.base.has(x))
        letters = EXPONENTS if inside else FACTORS
        free = (n for n in (*letters, *(f"{letters[0]}{k}" for k in range(1, 99))) if n not in names)
        new = sp.Symbol(next(free), real=True)
        names.add(new.name)
        ways = (new, new - 1, new - 2, 1 / new, -new, 1 / (new - 1)) if inside else (new,)
        y = min((tidy(y.subs(c, way)) for way in ways), key=lambda e: (e.count_ops(), len(str(e))))
    return y
