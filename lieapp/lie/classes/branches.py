"""The branches of a classification: special equations of a class, with their symmetries, and what is still open."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from dataclasses import field as attribute

import sympy as sp
from sympy.core.function import AppliedUndef

from lieapp.equations.equation import System
from lieapp.lie.families import Family
from lieapp.lie.vector_field import Field

Where = dict[sp.Expr, sp.Expr]
"""Parameters and functions k(u) with their special values."""


@dataclass(frozen=True)
class Branch:
    """An equation of the class, with its symmetries.

    Args:
        where: what is special; empty for the whole class.
        more: generators that span all of them, together with those of the branch before.
        families: with arbitrary functions; `infinite` if there are any.
        assumed: the conditions that may lead on, in jet notation.
        before: the number of the branch that it is special in; None for the first.
        late: whether its derivation ended because the time was over.
    """

    where: Where
    system: System
    generators: tuple[Field, ...] = ()
    more: tuple[Field, ...] = ()
    families: tuple[Family, ...] = ()
    certified: bool = False
    unsolved: tuple[str, ...] = ()
    assumed: tuple[sp.Expr, ...] = ()
    spans: tuple[tuple[sp.Expr, ...], ...] = ()
    generic: tuple[str, ...] = ()
    before: int | None = None
    late: bool = False

    @property
    def dimension(self) -> int:
        """The number of generators, modulo the families."""
        return len(self.generators)

    @property
    def infinite(self) -> bool:
        """Whether there are families with arbitrary functions."""
        return bool(self.families)

    def conditions(self) -> list[str]:
        """`n = -4/3`, `k = exp(u)`."""
        return [f"{called(e)} = {value}" for e, value in self.where.items()]

    def size(self) -> str:
        """ "4", "6 + families"."""
        return f"{self.dimension}{' + families' if self.infinite else ''}"

    def covers(self, other: Branch) -> bool:
        """Whether it is a more general one with as many symmetries."""
        if (self.dimension, len(self.families)) != (other.dimension, len(other.families)):
            return False
        return covers(self.where, other.where, self.system.parameters)

    def gains(self, before: Branch) -> bool:
        """Whether there are more symmetries than before."""
        size = (len(self.families), self.dimension)
        return size > (len(before.families), before.dimension) and not (
            before.infinite and not self.infinite
        )


def called(e: sp.Expr) -> str:
    """k of k(u), and names themselves."""
    return str(e.func.__name__) if isinstance(e, AppliedUndef) else str(e)


@dataclass
class Open:
    """What is still to be done for a condition of a branch; `shown` is the number of the branch told last.

    First the condition is solved. Each solution for a function k is `raw`, with constants of integration, until
    these are put in normal form. Then the special equation is `ready` to be derived.
    """

    branch: Branch
    shown: int
    condition: sp.Expr
    raw: tuple[AppliedUndef, sp.Expr] | None = None
    ready: tuple[Where, System] | None = None

    @property
    def whole(self) -> bool:
        """Whether the whole class is to be derived once more."""
        return self.ready is not None and not self.ready[0]

    @property
    def told(self) -> str:
        """In words."""
        if self.whole:
            return "the whole class"
        if self.ready is not None:
            where = ", ".join(f"{called(e)} = {value}" for e, value in self.ready[0].items())
            return where or "the whole class"
        if self.raw is not None:
            return f"{called(self.raw[0])} = {self.raw[1]}"
        where = f" where {', '.join(self.branch.conditions())}" if self.branch.where else ""
        return f"{self.condition} = 0{where}"


@dataclass(repr=False)
class Classification:
    """The branches found so far; `pending` is what the budget didn't suffice for.

    Args:
        left: what couldn't be solved, in words.
        excluded: special values that make the equation another kind of equation.
        seen: the special values that were derived, as text.
    """

    system: System
    branches: list[Branch] = attribute(default_factory=list)
    pending: list[Open] = attribute(default_factory=list)
    left: list[str] = attribute(default_factory=list)
    excluded: list[str] = attribute(default_factory=list)
    seen: set[str] = attribute(default_factory=set)
    seconds: float = 0.0

    def __repr__(self) -> str:
        """A line for each branch, and what is left."""
        lines = [f"{', '.join(b.conditions()) or 'any'}: {b.size()}" for b in self.branches]
        lines += [f"left: {text}" for text in [*self.left, *(o.told for o in self.pending)]]
        return "\n".join(lines)

    def tidy(self) -> None:
        """Leave out branches that a more general one with the same symmetries covers; each after its parent."""
        used = {b.before for b in self.branches} | {o.shown for o in self.pending}
        covered = {
            n for n, b in enumerate(self.branches)
            if n not in used and any(
                k != n and g.covers(b) and not (n < k and b.covers(g)) for k, g in enumerate(self.branches)
            )
        }  # fmt: skip
        order: list[int] = []
        for n, branch in enumerate(self.branches):
            if n not in covered:
                # after the last of its parent's branches
                family = [k for k in order if k == branch.before or self.branches[k].before == branch.before]
                order.insert(order.index(family[-1]) + 1 if branch.before else len(order), n)
        place = {n: k for k, n in enumerate(order)}
        self.branches = [
            replace(b, before=None if b.before is None else place[b.before])
            for b in (self.branches[n] for n in order)
        ]
        for o in self.pending:
            o.shown = place[o.shown]


def covers(general: Where, special: Where, parameters: Sequence[sp.Symbol]) -> bool:
    """Whether the special values are the general ones for some values of the parameters."""
    return matched(general, special, parameters) is not None


def matched(
    general: Where, special: Where, parameters: Sequence[sp.Symbol]
) -> dict[sp.Symbol, sp.Expr] | None:
    """Values of the parameters for which the general values are the special ones; None if there are none."""
    if general and general.items() <= special.items():
        return {}
    if general.keys() != special.keys() or not general:
        return None
    wild = {p: sp.Wild(p.name, exclude=[*(x for e in general for x in e.args)]) for p in parameters}
    found: dict[sp.Expr, sp.Expr] = {}
    for e, value in general.items():
        match = special[e].match(value.xreplace(wild).xreplace(found))
        if match is None:
            return None
        found |= match
    if any(sp.simplify(v.xreplace(wild).xreplace(found) - special[e]) != 0 for e, v in general.items()):
        return None
    return {p: found[w] for p, w in wild.items() if w in found}
