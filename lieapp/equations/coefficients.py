"""The differential field of coefficients ℚ(x, u, parameters)(atoms), exact and quick.

Elements are SymPy's sparse fractions over ℤ. The field grows when an expression brings a new atom;
elements made before are brought along by `lift`. An element is zero when its numerator vanishes modulo
the atoms' relations.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from copy import copy
from functools import reduce
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef
from sympy.polys.orderings import grevlex

from lieapp.equations.atoms import AtomTable
from lieapp.equations.jets import raised
from lieapp.equations.quotients import QuotientField
from lieapp.errors import EquationError

Element = Any
"""A `quotients.Quotient` of the field."""


class FunctionOrderError(EquationError):
    """A derivative of an arbitrary function beyond those that have atoms."""


class CoefficientField:
    """Q(variables, constants, atoms) with the derivations ∂/∂v for the variables; constants are parameters."""

    def __init__(self, variables: Sequence[sp.Symbol], constants: Sequence[sp.Symbol] = ()) -> None:
        self.variables = tuple(variables)
        self.constants = tuple(constants)
        self.table = AtomTable(self.variables, self.constants)
        self.roots: tuple[tuple[sp.Symbol, int, sp.Expr], ...] = ()
        self._build()

    def copy(self) -> CoefficientField:
        """The same field, which grows on its own."""
        other = copy(self)
        other.table = self.table.copy()
        return other

    def _build(self) -> None:
        atoms = self.table.atoms
        symbols = (*self.variables, *self.constants, *(a.symbol for a in atoms))
        self.field = QuotientField(symbols, grevlex)
        self.position = {s: i for i, s in enumerate(self.field.symbols)}
        self.one, self.zero = self.field.one, self.field.zero
        self._rates: dict[int, list[tuple[int, Element]]] = {v: [] for v in range(len(self.variables))}
        self._relations: list[tuple[int, int, Any]] = []
        for atom in atoms:
            n = self.position[atom.symbol]
            for v, rate in atom.derivatives.items():
                value = None if rate is sp.nan else self.field.from_expr(rate)
                self._rates[self.variables.index(v)].append((n, value))
            if atom.degree:
                self._relations.append((n, atom.degree, self.field.from_expr(atom.power).numer))
        self._movers = [[v, *(n for n, _ in rates)] for v, rates in self._rates.items()]
        # replaced atoms first, the oldest first; then roots, the newest first
        replaced = [r for r in self._relations if r[1] == 1]
        own = [(self.position[s], n, self.field.from_expr(power).numer) for s, n, power in self.roots]
        known = {self.position[a.symbol] for a in atoms if not {s for s, _, _ in self.roots} & a.derivatives.keys()}
        others = [r for r in reversed(self._relations) if r[1] > 1]
        # atoms of a root contain it, and its own relation contains other atoms
        self._relations = [*replaced, *(r for r in others if r[0] not in known), *own]
        self._relations += [r for r in others if r[0] in known]

    def relate(self, variable: sp.Symbol, degree: int, power: sp.Expr) -> None:
        """From now on variable**degree is `power`, a polynomial of lower degree in the variable."""
        self.element(power)
        self.roots += ((variable, degree, self.table.rational(power)),)
        self._build()

    def element(self, expression: sp.Expr | int) -> Element:
        """The element of an expression; new atoms make the field grow.

        Raises EquationError for what isn't supported, or divides by 0; then the field stays as it is.
        """
        before, count, whole = self.table.mark(), len(self.table.atoms), sp.sympify(expression, strict=True)
        try:
            rational = self.table.rational(whole)
            fresh = self.table.atoms[count:]
            if any(rate.has(sp.zoo) for atom in fresh for rate in atom.derivatives.values()):
                raise ZeroDivisionError
            if len(self.field.symbols) < len(self.variables) + len(self.constants) + len(self.table.atoms):
                self._build()
            return self.reduce(self.field.new(*self._fraction(rational)))
        except (EquationError, ZeroDivisionError) as error:
            self.table.back_to(before)
            self._build()
            if isinstance(error, EquationError):
                raise
            raise EquationError(
                f"{whole} divides by 0.", hint="Write an equation whose denominators don't vanish identically."
            ) from None

    def _fraction(self, e: sp.Expr) -> tuple[Any, Any]:
        """Numerator and denominator of a rational expression: one common divisor at the end, not one per term."""
        ring = self.field.ring
        if e.is_Rational:
            return ring(int(e.p)), ring(int(e.q))
        if e.is_Add:
            parts = [self._fraction(a) for a in e.args]
            common = ring.one
            for d in dict.fromkeys(d for _, d in parts):
                common = common.lcm(d)
            total = ring.zero
            for n, d in parts:
                total += n if d == common else n * common.exquo(d)
            return total, common
        if e.is_Mul:
            numer, denom = ring.one, ring.one
            for n, d in (self._fraction(a) for a in e.args):
                numer, denom = numer * n, denom * d
            return numer, denom
        if e.is_Pow and e.exp.is_Integer:
            n, d = self._fraction(e.base)
            power = int(e.exp)
            return (n**power, d**power) if power > 0 else (d**-power, n**-power)
        if e in (sp.zoo, sp.nan):
            raise ZeroDivisionError
        return ring.gens[self.position[e]], ring.one

    def elements(self, expressions: Iterable[sp.Expr]) -> list[Element]:
        """Elements of several expressions, all in the same (grown) field."""
        return [self.lift(e) for e in [self.element(x) for x in expressions]]

    def lift(self, element: Element) -> Element:
        """An element made before the field grew, as an element of the field now."""
        if element.field is self.field or element.field == self.field:
            return element
        pad = (0,) * (self.field.ngens - element.field.ngens)
        ring = self.field.ring
        numer = ring.from_dict({(*m, *pad): c for m, c in element.numer.items()})
        denom = ring.from_dict({(*m, *pad): c for m, c in element.denom.items()})
        return self.field.raw_new(numer, denom)

    def expression(self, element: Element) -> sp.Expr:
        """The SymPy expression of an element."""
        return element.as_expr().xreplace(self.table.expressions())

    def diff(self, element: Element, v: int) -> Element:
        """∂/∂v with the chain rule through the atoms; v is a position in `variables`."""
        # it may be older than the newest atoms
        element = self.lift(element)
        result = element.slope(v)
        for n, rate in self._rates[v]:
            slope = element.slope(n)
            if slope:
                if rate is None:
                    raise FunctionOrderError("An arbitrary function is differentiated more often than foreseen.")
                result += slope * rate
        return self.reduce(result) if self._relations else result

    def reduce(self, element: Element) -> Element:
        """The element with its numerator and denominator in normal form modulo the relations of the atoms."""
        if not self._relations:
            return element
        numer, denom = self.reduce_polynomial(element.numer), self.reduce_polynomial(element.denom)
        for n, degree, power in self._relations:
            # a bare root below the line goes above it: 1/r = r^(k-1)/p
            low = min((m[n] for m in denom), default=0)
            if low:
                r = self.field.ring.gens[n]
                # or, of several terms, 1/r = (r^k - p(r) + p(0))/(r p(0))
                whole = [m for m in power if m[n]]
                factor = (r**degree - self._terms(power, whole)).exquo(r) ** low if whole else r ** (degree - low)
                numer, denom = self.reduce_polynomial(numer * factor), self.reduce_polynomial(denom * factor)
        return self.field.new(numer, denom) if numer else self.zero

    def _terms(self, polynomial: Any, monomials: Iterable[tuple[int, ...]]) -> Any:
        return self.field.ring.from_dict({m: polynomial[m] for m in monomials})

    def reduce_polynomial(self, polynomial: Any) -> Any:
        """A polynomial modulo the relations."""
        for n, degree, power in self._relations:
            while any(m[n] >= degree for m in polynomial):
                ring = polynomial.ring
                low = {m: c for m, c in polynomial.items() if m[n] < degree}
                high = {raised(m, n, -degree): c for m, c in polynomial.items() if m[n] >= degree}
                polynomial = ring.from_dict(low) + ring.from_dict(high) * power
        return polynomial

    def depends(self, element: Element) -> set[int]:
        """Positions of the variables that an element depends on, also through atoms."""
        return {v for v in range(len(self.variables)) if self.involves(element, v)}

    def involves(self, element: Element, v: int) -> bool:
        """Whether an element depends on variable v."""
        # it may be older than the newest atoms
        element = self.lift(element)
        gens = self._movers[v]
        return any(m[n] for part in (element.numer, element.denom) for m in part for n in gens)

    def movers(self, *variables: int) -> list[int]:
        """Positions of the generators that depend on some variables: these themselves and atoms."""
        return list(dict.fromkeys(n for v in variables for n in self._movers[v]))

    def arbitrary(self) -> set[int]:
        """Positions of the generators that are arbitrary functions or their derivatives."""
        return {
            self.position[a.symbol]
            for a in self.table.atoms
            if isinstance(a.expression, (AppliedUndef, sp.Derivative))
        }


def parted(polynomial: Any, movers: Container[int]) -> dict[tuple[int, ...], Any]:
    """What stands with each monomial in some generators, given by their positions."""
    parts: dict[tuple[int, ...], dict[tuple[int, ...], Any]] = {}
    for m, number in polynomial.items():
        on = tuple(e if n in movers else 0 for n, e in enumerate(m))
        parts.setdefault(on, {})[tuple(0 if n in movers else e for n, e in enumerate(m))] = number
    return {on: polynomial.ring.from_dict(part) for on, part in parts.items()}


def common_denominator(elements: Iterable[Element], one: Any) -> Any:
    """The least common multiple of denominators, one without any."""
    return reduce(lambda common, c: common if c.denom == 1 else common.lcm(c.denom), elements, one)


def coprime(elements: Sequence[Element]) -> list[Any]:
    """Polynomials without a common factor in the proportions of the elements, which aren't all zero."""
    ring = elements[0].field.ring
    denominator = common_denominator(elements, ring.one)
    cleared = [c.numer * denominator.exquo(c.denom) for c in elements]
    content = reduce(lambda common, p: common.gcd(p), cleared, ring.zero)
    return [p.exquo(content) for p in cleared]
