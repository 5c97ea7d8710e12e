"""Whether an algebraic atom is independent of those beside it, so that they hide no relation.

The square of sqrt(1 - sin(x))*sqrt(1 + sin(x)) is that of cos(x): taken as independent they would hide symmetries.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product
from math import prod
from typing import NoReturn, Protocol, TypeVar

import sympy as sp
from mpmath import mp

from lieapp.equations.residues import Algebraic, is_proper
from lieapp.errors import EquationError

T = TypeVar("T", bound="Expressed")

MAX_BASIS = 24
"""Products of irrational numbers in which another one is sought."""

DIGITS = 120
MAX_INTEGER = 10**8


class Expressed(Algebraic, Protocol):
    """An atom with what it stands for."""

    @property
    def expression(self) -> sp.Expr: ...


def known_value(
    atom: Expressed, others: Sequence[Expressed], variables: tuple[sp.Symbol, ...], constants: tuple[sp.Symbol, ...]
) -> sp.Expr | None:
    """A number that is a combination of others; None if an atom is independent of others.

    Raises EquationError where that isn't known, ZeroDivisionError for a root of 0.
    """
    if _is_independent(atom, others, variables, constants):
        return None
    value = _number_in(atom, others)
    if value is not None and vanishes(value**atom.degree - atom.power, others):
        return value
    if vanishes(atom.power, others):
        raise ZeroDivisionError
    _refuse(atom, others)


def check_independent(
    atom: Expressed, others: Sequence[Expressed], variables: tuple[sp.Symbol, ...], constants: tuple[sp.Symbol, ...]
) -> None:
    """Raises EquationError unless an atom is proved to be independent of others, which don't contain it."""
    if not _is_independent(atom, others, variables, constants):
        _refuse(atom, others)


def _is_independent(
    atom: Expressed, others: Sequence[Expressed], variables: tuple[sp.Symbol, ...], constants: tuple[sp.Symbol, ...]
) -> bool:
    if not atom.degree or _are_plain([*others, atom], variables + constants):
        return True
    return is_proper(atom, others, variables)


def without(atom: T, atoms: Iterable[T]) -> list[T]:
    """The atoms that neither are one of them nor contain it; each stands behind those that it contains."""
    above, found = {atom.symbol}, []
    for other in atoms:
        if other.symbol in above or (other.degree and other.power.free_symbols & above):
            above.add(other.symbol)
        else:
            found.append(other)
    return found


def vanishes(rational: sp.Expr, atoms: Sequence[Expressed]) -> bool:
    """Whether a rational expression in atoms is 0 by their relations."""
    numerator = sp.numer(sp.together(rational))
    for atom in reversed(atoms):
        if atom.degree and numerator.has(atom.symbol):
            relation = atom.symbol**atom.degree - atom.power
            numerator = sp.numer(sp.together(sp.rem(numerator, relation, atom.symbol)))
    return bool(sp.expand(numerator) == 0)


def _are_plain(atoms: Iterable[Expressed], free: Sequence[sp.Symbol]) -> bool:
    """Whether atoms are independent as they are.

    Roots of polynomials without atoms are, which are irreducible, roots of one atom, and cos beside sin.
    """
    plain: set[sp.Symbol] = set()
    for atom in atoms:
        waves = isinstance(atom.expression, sp.cos)
        if atom.degree > 1 and not (waves or atom.power in plain or atom.power.free_symbols <= {*free}):
            return False
        # one that a finer atom replaced may be a square by now
        plain |= {atom.symbol} if atom.degree != 1 else set()
    return True


def _number_in(atom: Expressed, others: Iterable[Expressed]) -> sp.Expr | None:
    """A candidate for an irrational number as a combination of products of others with rational coefficients.

    None if there is none with small ones. The relation is one of numbers of many digits.
    """
    numbers = [a for a in others if a.degree > 1 and a.expression.is_number]
    if not atom.expression.is_number or prod(a.degree for a in numbers) > MAX_BASIS:
        return None
    exponents = list(product(*(range(a.degree) for a in numbers)))
    with mp.workdps(DIGITS):
        values = [mp.mpf(str(sp.N(a.expression, DIGITS + 10))) for a in numbers]
        basis = [mp.fprod(v**e for v, e in zip(values, es, strict=True)) for es in exponents]
        own = mp.mpf(str(sp.N(atom.expression, DIGITS + 10)))
        found = mp.pslq([own, *basis], maxcoeff=MAX_INTEGER, maxsteps=10**5)
    if not found or not found[0]:
        return None
    monomials = (sp.Mul(*(a.symbol**e for a, e in zip(numbers, es, strict=True))) for es in exponents)
    return sp.Add(*(sp.Rational(-c, found[0]) * m for c, m in zip(found[1:], monomials, strict=True)))


def _refuse(atom: Expressed, others: Iterable[Expressed]) -> NoReturn:
    """Raises the EquationError for an atom that isn't independent."""
    beside = [str(a.expression) for a in others if a.degree > 1]
    raise EquationError(
        f"{atom.expression} may depend on other functions beside it: {', '.join(beside) or 'those inside it'}.",
        hint="Write it in these: sqrt(1 - sin(x))*sqrt(1 + sin(x)) is cos(x) or -cos(x).",
    )
