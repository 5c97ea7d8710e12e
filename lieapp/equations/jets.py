"""Jet coordinates uᵃ_J and total derivatives Dᵢ = ∂/∂xⁱ + Σ uᵃ_{J+i} ∂/∂uᵃ_J (Olver 1993, ch. 2.3).

A multi-index J counts derivatives per independent variable: with variables (t, x) the jet u_xxx is (0, 3).
Jets are plain real symbols named as in the command line's grammar, `u_txx`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import sympy as sp

MultiIndex = tuple[int, ...]


@dataclass(frozen=True)
class JetSpace:
    """Names of the variables and unknowns, and the jet symbols made from them on demand.

    Args:
        independent: the symbols x¹ … xᵖ.
        dependent: the names of u¹ … u^q.
    """

    independent: tuple[sp.Symbol, ...]
    dependent: tuple[str, ...]
    _symbols: dict[tuple[int, MultiIndex], sp.Symbol] = field(default_factory=dict, repr=False, compare=False)
    _jets: dict[sp.Symbol, tuple[int, MultiIndex]] = field(default_factory=dict, repr=False, compare=False)

    @property
    def zero(self) -> MultiIndex:
        """The multi-index of the undifferentiated unknown."""
        return (0,) * len(self.independent)

    @property
    def unknowns(self) -> tuple[sp.Symbol, ...]:
        """The jets of order 0, u¹ … u^q."""
        return tuple(self.symbol(a, self.zero) for a in range(len(self.dependent)))

    @property
    def coordinates(self) -> tuple[sp.Symbol, ...]:
        """What a point generator moves: x¹ … xᵖ, u¹ … u^q."""
        return (*self.independent, *self.unknowns)

    def symbol(self, a: int, J: MultiIndex) -> sp.Symbol:
        """The jet symbol uᵃ_J."""
        key = (a, tuple(J))
        if key not in self._symbols:
            letters = [str(x) for x, count in zip(self.independent, J, strict=True) for _ in range(count)]
            short = all(len(str(x)) == 1 for x in self.independent)
            suffix = ("" if short else "_").join(letters)
            name = self.dependent[a] + ("_" + suffix if letters else "")
            self._symbols[key] = sp.Symbol(name, real=True)
            self._jets[self._symbols[key]] = key
        return self._symbols[key]

    def index(self, symbol: sp.Symbol) -> tuple[int, MultiIndex]:
        """(a, J) of a jet symbol; KeyError for anything else."""
        return self._jets[symbol]

    def is_jet(self, symbol: sp.Symbol) -> bool:
        """Whether the symbol is a jet of this space that was made by `symbol`."""
        return symbol in self._jets

    def jets(self, expression: sp.Expr) -> dict[sp.Symbol, tuple[int, MultiIndex]]:
        """The jets that an expression contains, in a fixed order."""
        found = [s for s in expression.free_symbols if s in self._jets]
        return {s: self._jets[s] for s in sorted(found, key=lambda s: (self._jets[s][0], self._jets[s][1]))}

    def raised(self, J: MultiIndex, i: int) -> MultiIndex:
        """J with one more derivative in xⁱ."""
        return (*J[:i], J[i] + 1, *J[i + 1 :])

    def total_derivative(self, expression: sp.Expr, i: int) -> sp.Expr:
        """Dᵢ of an expression on the jet space."""
        result = sp.diff(expression, self.independent[i])
        for s, (a, J) in self.jets(expression).items():
            result += self.symbol(a, self.raised(J, i)) * sp.diff(expression, s)
        return result

    def total_derivatives(self, expression: sp.Expr, J: MultiIndex) -> sp.Expr:
        """D_J of an expression: Dᵢ applied Jᵢ times for each i."""
        for i, count in enumerate(J):
            for _ in range(count):
                expression = self.total_derivative(expression, i)
        return expression

    def order(self, expressions: Iterable[sp.Expr]) -> int:
        """The highest order |J| among the jets of the expressions."""
        return max((sum(J) for e in expressions for _, J in self.jets(e).values()), default=0)
