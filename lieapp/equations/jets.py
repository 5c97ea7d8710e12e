"""Jet coordinates uᵃ_J and total derivatives Dᵢ = ∂/∂xⁱ + Σ uᵃ_{J+i} ∂/∂uᵃ_J (Olver 1993, ch. 2.3).

A multi-index J counts derivatives per independent variable: with variables (t, x) the jet u_xxx is (0, 3).
Jets are plain real symbols named as in the command line's grammar, `u_txx`; `multi_index` reads such letters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import reduce
from operator import le
from typing import TypeVar

import sympy as sp

MultiIndex = tuple[int, ...]
T = TypeVar("T")
Jet = tuple[int, MultiIndex]
"""(a, J) of uᵃ_J."""


def raised(J: MultiIndex, i: int, by: int = 1) -> MultiIndex:
    """J with more derivatives in xⁱ, or fewer."""
    return (*J[:i], J[i] + by, *J[i + 1 :])


def directions(J: MultiIndex) -> Iterator[int]:
    """The positions of the variables by which ∂_J differentiates, one after the other."""
    return (i for i, count in enumerate(J) for _ in range(count))


def multi_indices(size: int, order: int) -> list[MultiIndex]:
    """All multi-indices of a given order."""
    if size == 1:
        return [(order,)]
    return [(k, *rest) for k in range(order, -1, -1) for rest in multi_indices(size - 1, order - k)]


def divides(J: MultiIndex, K: MultiIndex) -> bool:
    """Whether ∂_K is a derivative of ∂_J."""
    return all(map(le, J, K))


def jet_name(name: str, variables: Sequence[sp.Symbol], J: MultiIndex) -> str:
    """`u_txx`, with _ between the variables if some have longer names; dummies aren't differentiated by."""
    letters = [str(variables[i]) for i in directions(J)]
    short = all(len(str(x)) == 1 for x in variables if not isinstance(x, sp.Dummy))
    return name + ("_" + ("" if short else "_").join(letters) if letters else "")


@dataclass(frozen=True)
class JetSpace:
    """The symbols x¹ … xᵖ of the variables, the names of u¹ … u^q, and the jet symbols made from them on demand."""

    independent: tuple[sp.Symbol, ...]
    dependent: tuple[str, ...]
    _symbols: dict[tuple[int, MultiIndex], sp.Symbol] = field(default_factory=dict, repr=False, compare=False)
    _jets: dict[sp.Symbol, tuple[int, MultiIndex]] = field(default_factory=dict, repr=False, compare=False)

    raised = staticmethod(raised)

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
            self._symbols[key] = sp.Symbol(jet_name(self.dependent[a], self.independent, J), real=True)
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

    def total_derivative(self, expression: sp.Expr, i: int) -> sp.Expr:
        """Dᵢ of an expression on the jet space."""
        result = sp.diff(expression, self.independent[i])
        for s, (a, J) in self.jets(expression).items():
            result += self.symbol(a, raised(J, i)) * sp.diff(expression, s)
        return result

    def total_derivatives(self, expression: sp.Expr, J: MultiIndex) -> sp.Expr:
        """D_J of an expression: Dᵢ applied Jᵢ times for each i."""
        return reduce(self.total_derivative, directions(J), expression)

    def from_below(self, known: dict[Jet, T], jet: Jet, total: Callable[[T, int], T]) -> T:
        """What belongs to a derivative: Dᵢ, `total`, of what belongs to the one below it, kept in `known`."""
        if jet not in known:
            a, J = jet
            i = max(k for k, n in enumerate(J) if n)
            known[jet] = total(self.from_below(known, (a, raised(J, i, -1)), total), i)
        return known[jet]

    def order(self, expressions: Iterable[sp.Expr]) -> int:
        """The highest order |J| among the jets of the expressions."""
        return max((sum(J) for e in expressions for _, J in self.jets(e).values()), default=0)


class AmbiguousError(ValueError):
    """Letters that can be read as different derivatives."""


def multi_index(letters: str, variables: Sequence[str]) -> MultiIndex | None:
    """How often each variable occurs in `txx` or `time_x`; None if something else does.

    Raises AmbiguousError if names of variables put together are the name of another: `xx` beside `x`.
    """
    found = sorted(readings(letters, variables))
    if len(found) > 1:
        named = ([(x, n) for x, n in zip(variables, J, strict=True) if n] for J in found)
        words = (" and ".join(f"{x}, {n} times" if n > 1 else x for x, n in pairs) for pairs in named)
        raise AmbiguousError(f"{letters!r} can mean the derivative with respect to {' or '.join(words)}")
    return found[0] if found else None


def readings(letters: str, variables: Sequence[str]) -> set[MultiIndex]:
    """Ways to read the letters as variables, with or without `_` between them: all, or two if there are more."""
    zero = (0,) * len(variables)
    # the readings of what stands before each place
    before: list[set[MultiIndex]] = [{zero}] + [set() for _ in letters]
    for place, letter in enumerate(letters):
        if letter == "_":
            before[place + 1] |= before[place]
        for i, variable in enumerate(variables):
            if letters.startswith(variable, place):
                end = place + len(variable)
                before[end] = set(sorted({*before[end], *(raised(J, i) for J in before[place])})[:2])
    return before[-1] - {zero}
