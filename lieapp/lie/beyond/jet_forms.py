"""Linear forms in unknown functions of variables and derivatives, with total derivatives on solutions.

Dᵢ = ∂/∂xⁱ + Σ uᵃ_{J+i} ∂/∂uᵃ_J acts on the coefficients and, by the chain rule, on functions f(x, u, …, u_K).
Derivatives that a system determines are replaced by its rules. What results is split by the derivatives that no
function depends on.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import sympy as sp

from lieapp.equations.coefficients import CoefficientField, Element
from lieapp.equations.jets import MultiIndex, directions, multi_indices, raised
from lieapp.equations.leading import Leading
from lieapp.lie.linear import Form, Unknowns, add


def arguments(leading: Leading, order: int) -> list[sp.Symbol]:
    """The derivatives up to an order that are free on solutions, the unknowns first."""
    jets = leading.jets
    found = [
        (a, J)
        for m in range(order + 1)
        for a in range(len(jets.dependent))
        for J in reversed(multi_indices(len(jets.independent), m))
    ]
    return [jets.symbol(*jet) for jet in found if not leading.is_principal(jet)]


class JetForms:
    """Forms in functions of the independent variables and the derivatives `own`, on solutions.

    Of them and of the `coefficients`, which are free of principal derivatives, D_J can be taken for each J that
    divides one of `asked`.
    """

    def __init__(
        self,
        leading: Leading,
        parameters: Sequence[sp.Symbol],
        own: Sequence[sp.Symbol],
        asked: Iterable[MultiIndex],
        coefficients: Iterable[sp.Expr] = (),
    ) -> None:
        self.leading, self.jets = leading, leading.jets
        self.size = len(self.jets.independent) + len(own)
        coefficients = list(coefficients)
        first = set(own).union(*(self.jets.jets(c) for c in coefficients))
        self.raised: dict[tuple[sp.Symbol, int], sp.Expr] = {}
        found = self._closure(first, asked)
        rest = sorted(found - set(own), key=lambda s: (sum(self.jets.index(s)[1]), self.jets.index(s)))
        self.field = CoefficientField((*self.jets.independent, *own, *rest), parameters)
        # all atoms, before any element is kept
        self.field.elements([*coefficients, *self.raised.values()])
        self.unknowns = Unknowns(self.size)
        self._rates: dict[tuple[int, int], Element] = {}

    def _closure(self, first: set[sp.Symbol], asked: Iterable[MultiIndex]) -> set[sp.Symbol]:
        """The symbols in D_J of the first ones, for all J that are asked for and those on the way."""
        reached = {self.jets.zero: first}

        def reach(J: MultiIndex) -> set[sp.Symbol]:
            if J not in reached:
                i = max(k for k, n in enumerate(J) if n)
                below = reach(raised(J, i, -1))
                for s in below:
                    if (s, i) not in self.raised:
                        a, K = self.jets.index(s)
                        self.raised[s, i] = self.leading.normal((a, raised(K, i)))
                reached[J] = below.union(*(self.jets.jets(self.raised[s, i]) for s in below))
            return reached[J]

        return set().union(first, *map(reach, asked))

    def rate(self, v: int, i: int) -> Element:
        """Dᵢ of a variable of the field."""
        p = len(self.jets.independent)
        if v < p:
            return self.field.one if v == i else self.field.zero
        if (v, i) not in self._rates:
            self._rates[v, i] = self.field.element(self.raised[self.field.variables[v], i])
        return self._rates[v, i]

    def product(self, a: Element, b: Element) -> Element:
        """a b, without a search for common divisors if there are none."""
        if a.denom == 1 and b.denom == 1:
            return self.field.reduce(self.field.field.raw_new(a.numer * b.numer))
        return a * b

    def total_of(self, c: Element, i: int) -> Element:
        """Dᵢ of a coefficient."""
        result = self.field.zero
        for v in self.field.depends(c):
            slope = self.field.diff(c, v)
            if slope:
                result += self.product(slope, self.rate(v, i))
        return result

    def total(self, form: Form, i: int) -> Form:
        """Dᵢ of a form."""
        result: Form = {}
        for (f, K), c in form.items():
            add(result, (f, K), self.total_of(c, i))
            for v in self.unknowns.arguments[f]:
                rate = self.rate(v, i)
                if rate:
                    add(result, (f, raised(K, v)), self.product(c, rate))
        return result

    def totals(self, form: Form, J: MultiIndex, known: dict[MultiIndex, Form] | None = None) -> Form:
        """D_J of a form; derivatives in lower variables first, as the field was made for."""
        known = {} if known is None else known
        known.setdefault(self.jets.zero, form)
        here = self.jets.zero
        for i in directions(J):
            above = raised(here, i)
            if above not in known:
                known[above] = self.total(known[here], i)
            here = above
        return known[here]

    def times(self, c: Element, form: Form) -> Form:
        """c · form."""
        return {key: value for key, d in form.items() if (value := self.product(c, d))}
