"""What `lieapp identify` finds; the struct is its JSON."""

from __future__ import annotations

import msgspec

from lieapp.document import Formula


class Term(msgspec.Struct, frozen=True):
    """A term of the right side.

    Args:
        term: a monomial, `u*u_x`.
        spread: standard deviation of the coefficient over resampled windows.
        exact: the number that is meant, if it is one within the spread.
        share: size of the term over that of the left side.
    """

    term: str
    coefficient: float
    spread: float
    exact: str | None
    share: float


class Identified(msgspec.Struct, frozen=True):
    """The equation of one unknown, `left` = Σ coefficient · term.

    Args:
        text: the same as `--equation` takes it.
        error: relative error on held-out windows; `noise`: what the noise of the data makes of it.
    """

    unknown: str
    left: str
    terms: list[Term]
    text: str
    error: float
    noise: float


class PathStep(msgspec.Struct, frozen=True):
    """A set of terms on the way from all candidates to none.

    Args:
        terms: their number; `kept`: they themselves, for small sets.
        error: relative error on held-out windows.
        dropped: the term that the next step leaves out.
        chosen: whether the equation has these terms.
    """

    unknown: str
    left: str
    terms: int
    error: float
    dropped: str | None
    kept: list[str]
    chosen: bool


class LearnedSide(msgspec.Struct, kw_only=True, frozen=True):
    """The right side of one unknown, learned from trajectories.

    Args:
        left: u_t; `shown`: what the right side is a function of, `u_t = F(u, u_x, u_xx)`.
        form: what it is made of, "a network of 24 neurons".
        text: the equation as `--equation` has it, with all its numbers.
        error: what it leaves of u_t on held-out trajectories, relative.
    """

    unknown: str
    left: str
    form: str
    shown: str
    text: str
    error: float


class Learned(msgspec.Struct, kw_only=True, frozen=True):
    """Right sides learned from trajectories where no short equation is known.

    Args:
        trajectories: to learn from; `held_out`: to judge on.
        halves: the same equations learned from two halves of the trajectories: how far they are determined.
        explained: share of what is left on held-out trajectories that t and the variables of space explain.
    """

    sides: list[LearnedSide]
    trajectories: int
    held_out: int
    halves: list[list[str]]
    explained: float

    @property
    def error(self) -> float:
        """The largest of all unknowns."""
        return max(side.error for side in self.sides)


class Identification(msgspec.Struct, kw_only=True, frozen=True):
    """The equation of data.

    Args:
        inexpressible: whether nothing but the candidates is why there is no equation: no short one is made of them.
        learned: right sides that were learned in place of one.
        equations: one for each unknown; empty if the data don't decide it.
        undecided: what the data can't tell, and why; empty if there is an equation that can be relied on.
        notes: what else must be known.
        candidates: all terms that were tried.
        windows: so many integrals were taken.
        symmetries: given fields, which the equation keeps.
        variables: time first.
        command: what to type next.
        file: the plugin file that was written.
    """

    files: list[str]
    equations: list[Identified]
    path: list[PathStep]
    undecided: list[str]
    notes: list[str]
    candidates: list[str]
    windows: int
    variables: list[str]
    sentence: str
    command: str
    symmetries: list[Formula] = []
    file: str | None = None
    seconds: float = 0.0
    inexpressible: bool = False
    learned: Learned | None = None

    @property
    def unknowns(self) -> list[str]:
        """Of the equations, or of what was learned in their place."""
        sides = self.equations if self.learned is None else self.learned.sides
        return [side.unknown for side in sides]
