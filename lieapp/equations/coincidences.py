"""For which parameters monomials that are independent in general become dependent: x^k and x where k = 1.

Products of powers, exponentials and roots are linearly dependent where two of them are proportional, that is where
their quotient has no slope: (x^a)'/x^a = a/x. A sine and a cosine are exponentials with imaginary slopes. Two
logarithms coincide, up to a constant, where their slopes do. (Ostrowski 1946; Kolchin 1968.)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations, product

import sympy as sp

from lieapp.equations.coefficients import CoefficientField, Element, parted

MAX_PAIRS = 400
"""Pairs of monomials that are compared."""

Monomial = tuple[int, ...]


def coincidences(field: CoefficientField, monomials: Iterable[Monomial], variables: Sequence[int]) -> list[Element]:
    """What must not vanish, so that monomials in what moves with the variables are independent.

    The monomials are exponents of all of the field's generators; what comes back depends on parameters alone.
    """
    movers = field.movers(*variables)
    found = _Slopes(field, variables, [n for n in movers if any(m[n] for m in monomials)])
    if not found.special:
        return []
    conditions: dict[Element, None] = {}
    for first, second in list(combinations(sorted(set(monomials)), 2))[:MAX_PAIRS]:
        conditions |= dict.fromkeys(found.of_pair(first, second))
    conditions |= dict.fromkeys(found.of_single())
    return list(conditions)


class _Slopes:
    """The logarithmic slopes of generators in several variables, and where those of two monomials agree."""

    def __init__(self, field: CoefficientField, variables: Sequence[int], used: Sequence[int]) -> None:
        self.field, self.variables = field, variables
        expressions = {field.position[a.symbol]: a.expression for a in field.table.atoms}
        constants = set(field.constants)
        self.special = {n for n in used if n in expressions and expressions[n].free_symbols & constants}
        circular = {n for n in used if isinstance(expressions.get(n), (sp.sin, sp.cos))}
        self.real: dict[int, list[Element]] = {}
        self.waves: dict[sp.Expr, list[Element]] = {}
        self.wave_of: dict[int, sp.Expr] = {}
        self.primitive: dict[int, list[Element]] = {}
        powers = {n: expressions[n].as_base_exp() for n in self.special if expressions[n].is_Pow}
        self.sums = {n: (b, e) for n, (b, e) in powers.items() if b.is_Add and e.free_symbols}
        for n in used if self.special else ():
            gen = field.field.gens[n]
            slopes = [field.diff(gen, v) for v in variables]
            if n in circular:
                argument = expressions[n].args[0]
                self.wave_of[n] = argument
                self.waves[argument] = [field.element(sp.diff(argument, field.variables[v])) for v in variables]
            elif isinstance(expressions.get(n), (sp.log, sp.Integral)):
                self.primitive[n] = slopes
            else:
                self.real[n] = [field.reduce(s / gen) for s in slopes]

    def of_pair(self, first: Monomial, second: Monomial) -> list[Element]:
        """Where the quotient of two monomials is constant, for every frequency that they have."""
        difference = {n: a - b for n, (a, b) in enumerate(zip(first, second, strict=True)) if a != b}
        moved = [n for n in self.special if first[n] or second[n]]
        if not moved or any(n in difference for n in self.primitive):
            return []
        zero = self.field.zero
        if self.sums.keys() & difference.keys():
            return self._of_sums(first, second, difference)
        real = [
            sum((e * self.real[n][k] for n, e in difference.items() if n in self.real), zero)
            for k in range(len(self.variables))
        ]
        degrees = {w: sum(first[n] + second[n] for n, own in self.wave_of.items() if own == w) for w in self.waves}
        found = []
        for counts in product(*(range(-d, d + 1, 2) for d in degrees.values())):
            imaginary = [
                sum((c * self.waves[w][k] for w, c in zip(degrees, counts, strict=True)), zero)
                for k in range(len(self.variables))
            ]
            found += self._vanishing([*real, *imaginary])
        return found

    def _of_sums(self, first: Monomial, second: Monomial, difference: dict[int, int]) -> list[Element]:
        """(x + k)ⁿ is a combination of powers of x where n is a natural number, no more than theirs."""
        degree = max(first[v] + second[v] for v in self.variables)
        found = []
        for base in dict.fromkeys(b for n, (b, _) in self.sums.items() if n in difference):
            own = {n: e for n, (b, e) in self.sums.items() if b == base}
            exponent = sp.Add(*(difference[n] * e for n, e in own.items() if n in difference))
            others = [n for n in difference if n not in own and n not in self.variables and n in self.real]
            rest = [difference[n] * slope for n in others for slope in self.real[n]]
            for i in range(-degree, degree + 1):
                found += self._vanishing([self.field.element(exponent + i), *rest])
        return found

    def of_single(self) -> list[Element]:
        """Where a sine or a logarithm is constant, or two logarithms agree."""
        found = [c for n in self.special & self.primitive.keys() for c in self._vanishing(self.primitive[n])]
        waves = (self.waves[self.wave_of[n]] for n in self.special & self.wave_of.keys())
        found += [c for slopes in waves for c in self._vanishing(slopes)]
        for n, m in combinations(self.primitive, 2):
            if {n, m} & self.special:
                pairs = zip(self.primitive[n], self.primitive[m], strict=True)
                found += self._vanishing([a - b for a, b in pairs])
        return found

    def _vanishing(self, slopes: Sequence[Element]) -> list[Element]:
        """An expression in the parameters that vanishes wherever all slopes do, if they do anywhere."""
        field = self.field
        movers = field.movers(*range(len(field.variables)))
        coefficients = [
            rest for s in slopes for rest in parted(field.reduce(s).numer, movers).values() if rest
        ]
        if not coefficients or any(c.is_ground for c in coefficients):
            return []
        common = coefficients[0]
        for c in coefficients[1:]:
            common = common.gcd(c)
        rest = [c.exquo(common) for c in coefficients]
        found = [] if common.is_ground else [field.field.raw_new(common)]
        several = {n for c in rest for m in c for n, e in enumerate(m) if e}
        if len(several) > 1 and not any(c.is_ground for c in rest):
            found.append(field.field.raw_new(min(rest, key=len)))
        return found
