"""Total derivatives, the Euler operator and random jets on solutions, written anew to judge lieapp's own.

Of lieapp there is only the name of each derivative as a symbol. Values are exact where expressions are rational,
else numbers of 60 digits.
"""

from itertools import chain
from random import Random

import sympy as sp

DIGITS = 60
SMALL = sp.Float("1e-35")
"""What rounding leaves of a sum that vanishes, relative to its largest term."""


def total(expression, jets, i):
    """Dᵢ = ∂/∂xⁱ + Σ u_{J+i} ∂/∂u_J."""
    found = sp.diff(expression, jets.independent[i])
    for s in jets.jets(sp.sympify(expression)):
        a, J = jets.index(s)
        found += sp.diff(expression, s) * jets.symbol(a, tuple(n + (k == i) for k, n in enumerate(J)))
    return found


def totals(expression, jets, J):
    """D_J."""
    for i in chain.from_iterable([k] * n for k, n in enumerate(J)):
        expression = total(expression, jets, i)
    return expression


def euler(expression, jets, a):
    """Σ_J (-D)_J ∂L/∂uᵃ_J."""
    found = sp.S.Zero
    for s in jets.jets(expression):
        b, J = jets.index(s)
        if b == a:
            found += (-1) ** sum(J) * totals(sp.diff(expression, s), jets, J)
    return found


class RandomJet:
    """Random positive values of variables, parameters and jets, which solve the equations if some are given.

    Args:
        jets: the names of derivatives.
        equations: expressions that vanish.
        solved_for: the derivative for which each equation is solved.
        seed: of the values.
    """

    def __init__(self, jets, equations=(), solved_for=(), seed=0):
        self.jets, self.random, self.values = jets, Random(seed), {}
        self.rules = {}
        for equation, s in zip(equations, solved_for, strict=True):
            (solution,) = sp.solve(equation, s)
            self.rules[jets.index(s)] = solution

    def value(self, s):
        """Of a symbol."""
        if s not in self.values:
            self.values[s] = self._new(s)
        return self.values[s]

    def _new(self, s):
        if s in self.jets.jets(s):
            a, J = self.jets.index(s)
            for (b, K), rule in self.rules.items():
                if a == b and all(m >= n for m, n in zip(J, K, strict=True)):
                    return self.of(totals(rule, self.jets, tuple(m - n for m, n in zip(J, K, strict=True))))
        return sp.Rational(self.random.randint(1, 60), self.random.randint(30, 60))

    def of(self, expression):
        """The value of an expression."""
        value = expression.xreplace({s: self.value(s) for s in expression.free_symbols})
        return value if value.is_Rational else sp.N(value, DIGITS)

    def vanishes(self, expression):
        """Whether the terms of an expression add up to zero here."""
        terms = [self.of(e) for e in sp.Add.make_args(expression)]
        left = abs(sum(terms))
        return left == 0 or left <= SMALL * max(map(abs, terms))


def rank(vectors, numbers):
    """The dimension of a span over the constants; `numbers` are the values of parameters.

    Products of powers and functions of the jets are independent, and so the terms of expanded expressions count.
    """
    rows = []
    for vector in vectors:
        terms = {}
        for k, e in enumerate(vector):
            for part in sp.Add.make_args(sp.expand(sp.sympify(e).xreplace(numbers))):
                c, rest = part.as_coeff_Mul()
                terms[k, rest] = terms.get((k, rest), 0) + c
        rows.append({key: c for key, c in terms.items() if c})
    return _rank(rows)


def _rank(rows):
    place = {key: n for n, key in enumerate(dict.fromkeys(chain.from_iterable(rows)))}
    pivots = {}
    for row in rows:
        while row:
            key = min(row, key=place.__getitem__)
            if key not in pivots:
                pivots[key] = row
                break
            other, factor = pivots[key], row[key] / pivots[key][key]
            new = {k: row.get(k, 0) - factor * other.get(k, 0) for k in {**row, **other}}
            row = {k: c for k, c in new.items() if c}
    return len(pivots)


def orders(vectors, jets, numbers):
    """The orders of a basis that has as many elements of each order up to m, for every m, as the span allows."""
    top = max((jets.order(v) for v in vectors), default=0)
    upto = []
    for m in range(top + 1):
        above = {s for v in vectors for s in jets.jets(sp.Tuple(*v)) if sum(jets.index(s)[1]) > m}
        slopes = [tuple(sp.diff(e, s) for s in sorted(above, key=str) for e in v) for v in vectors]
        upto.append(len(vectors) - rank(slopes, numbers))
    return [m for m in range(top + 1) for _ in range(upto[m] - (upto[m - 1] if m else 0))]
