"""Functions of fewer variables in place of those that are polynomials in a variable.

Where ∂ᵥⁿ f = 0 follows from the equations, f = Σ vᵏ gₖ for k < n with gₖ that don't depend on v, and these are
gₖ = Σⱼ (-v)ʲ ∂ᵥʲ⁺ᵏ f / (j! k!) for j + k < n: solutions f and solutions g correspond to each other. The equations
of the g fall apart by powers of v, and more of them have one term only. Generalised symmetries depend on many
derivatives, but on most of them as polynomials: only functions of few variables are left to count.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import factorial

from lieapp.equations.coefficients import CoefficientField
from lieapp.lie.certificate.consequences import with_short_derivatives
from lieapp.lie.certificate.counting import Vanishing, check_time, order_of
from lieapp.lie.linear import Form, Key, Unknowns, combined, differentiated, reduced, substituted


class Parts:
    """Equations for the functions that others, the components of solutions, are made of.

    `vanishing` are derivatives of them that vanish; the equations of several terms that are left are the `rest`.
    `known` has the value of each in the solutions that are known, `replaced` the sums that the last `split` put in
    place of functions.
    """

    def __init__(
        self,
        equations: Iterable[Form],
        known: Mapping[int, Form],
        field: CoefficientField,
        unknowns: Unknowns,
        deadline: float,
    ) -> None:
        self.field, self.unknowns, self.known = field, unknowns.copy(), dict(known)
        self.replaced: dict[int, Form] = {}
        self._deadline = deadline
        self._take(equations)

    @property
    def functions(self) -> list[int]:
        """The functions that are left."""
        return list(self.known)

    @property
    def order(self) -> int:
        """The highest order of the rest."""
        return max(map(order_of, self.rest), default=1)

    def split(self) -> bool:
        """Replace each function that is a polynomial in a variable; whether there is one."""
        field, unknowns = self.field, self.unknowns
        values = self.replaced = {}
        for f in self.functions:
            check_time(self._deadline)
            power = _power(f, self.vanishing)
            if power is None:
                continue
            moved, n = power
            parts = [unknowns.new(unknowns.arguments[f] - moved) for _ in range(n)]
            whole, v = self.known.pop(f), min(moved)
            values[f] = {(g, unknowns.zero): field.field.gens[v] ** k for k, g in enumerate(parts)}
            self.known |= zip(parts, _coefficients(whole, v, n, field, unknowns), strict=True)
        if values:
            self._take(substituted(e, values, field, unknowns) for e in (*self.rest, *self._single()))
        return bool(values)

    def take_vanishing(self, found: Iterable[Key]) -> None:
        """Take in that ∂_K f = 0 for each (f, K)."""
        for f, K in sorted(found, key=lambda key: sum(key[1])):
            if not self.vanishing.has(f, K):
                self.vanishing.add(f, K)
        self._take([*self.rest, *self._single()])

    def whole(self) -> Vanishing:
        """The derivatives that vanish, by variables that functions don't depend on too."""
        whole = Vanishing()
        for f in self.known:
            for K in self.vanishing.least.get(f, ()):
                whole.add(f, K)
            whole.without_others(f, self.unknowns)
        return whole

    def _take(self, equations: Iterable[Form]) -> None:
        self.rest, self.vanishing = with_short_derivatives([e for e in equations if e], self.field, self.unknowns)

    def _single(self) -> list[Form]:
        return [{(f, K): self.field.one} for f, Ks in self.vanishing.least.items() for K in Ks]


def _power(f: int, vanishing: Vanishing) -> tuple[frozenset[int], int] | None:
    """A variable v, the highest, and the least n with ∂ᵥⁿ f = 0; all variables for which n is 1, if there are such.

    n = 0 if f itself vanishes, and no variable if there is none.
    """
    powers = {max(range(len(K)), key=K.__getitem__): sum(K) for K in vanishing.least.get(f, ()) if max(K) == sum(K)}
    if not powers:
        return None
    n = min(powers.values())
    moved = [v for v, m in powers.items() if m == n]
    return frozenset(moved if n == 1 else [max(moved)]), n


def _coefficients(f: Form, v: int, n: int, field: CoefficientField, unknowns: Unknowns) -> list[Form]:
    """gₖ for k < n, for a form f."""
    slopes = [f]
    for _ in range(n - 1):
        slopes.append(differentiated(slopes[-1], v, field, unknowns))
    down = -field.field.gens[v]
    inverse = [field.one / factorial(k) for k in range(n)]
    return [
        reduced(combined(*((down**j * inverse[j] * inverse[k], slopes[j + k]) for j in range(n - k))), field)
        for k in range(n)
    ]
