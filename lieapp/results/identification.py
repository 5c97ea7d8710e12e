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


class Identification(msgspec.Struct, kw_only=True, frozen=True):
    """The equation of data.

    Args:
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
