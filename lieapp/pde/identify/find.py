"""The equation of trajectories: attempts in order, the one that explains the data, and what they can't tell."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import sympy as sp

from lieapp.data.trajectories import Trajectories
from lieapp.equations.printing import ordered_terms
from lieapp.errors import DataError, UsageError
from lieapp.lie.vector_field import Field, typed_field
from lieapp.pde.identify.attempt import SYMMETRY, Attempt
from lieapp.pde.identify.candidates import ROWS, library, too_few, typed_terms, written
from lieapp.pde.identify.elimination import NEAR
from lieapp.pde.identify.part import BETTER, EXPLAINED, Found, Measured, Part
from lieapp.pde.identify.restricted import in_words
from lieapp.pde.identify.sources import beside_source
from lieapp.pde.identify.windows import Windows, jets_of
from lieapp.progress import Reporter, SilentReporter
from lieapp.results.identification import Identification, Identified, PathStep, Term

TOLD = 8
"""Largest set on the path whose terms are listed."""

ORDER, DEGREE = 6, 5
"""Highest order and degree that can be asked for."""

UNSURE = 0.2
"""Spreads above this share of a coefficient are told of."""

ROUGH = 5e-3
"""Errors above this that noise doesn't explain are told of."""


@dataclass(frozen=True)
class Wanted:
    """What is tried.

    Args:
        order: the highest number of derivatives of a term in space.
        degree: its degree in the unknowns and their derivatives.
        terms: typed candidates, in place of all.
        explicit: variables that multiply candidates.
        symmetries: fields that the equation has to keep, `t*d_x + d_u`.
    """

    order: int = 4
    degree: int = 3
    terms: tuple[str, ...] = ()
    explicit: tuple[str, ...] = ()
    symmetries: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Raises UsageError for numbers out of range, and what is no number."""
        for name, most in (("order", ORDER), ("degree", DEGREE)):
            value = getattr(self, name)
            if not isinstance(value, int) or not 1 <= value <= most:
                raise UsageError(
                    f"{name} is {value!r}; it must be a whole number from 1 to {most}.",
                    hint=f"The default is {getattr(Wanted, name)}.",
                )


def named(texts: Sequence[str]) -> tuple[str, ...]:
    """Texts in a list, or between commas as on the command line."""
    return tuple(part.strip() for part in texts.split(",")) if isinstance(texts, str) else tuple(texts)


def identify(
    pieces: Sequence[Trajectories], wanted: Wanted, names: Sequence[str] = (), report: Reporter | None = None
) -> Identification:  # fmt: skip
    """The equations u_t = Σ c T, or u_tt = Σ c T, that trajectories solve.

    Args:
        names: of the pieces, for what is said of them.

    Raises DataError for data from which none can be told, UsageError for terms that aren't, and for fields that no
    candidate keeps.
    """
    began, report = time.perf_counter(), report or SilentReporter()
    report.stage("equation")
    jets = jets_of(pieces[0])
    typed = typed_terms(wanted.terms, jets)
    fields = [typed_field(text, jets, SYMMETRY) for text in wanted.symmetries]
    _check_explicit(wanted.explicit, [str(x) for x in jets.independent])
    windows = Windows(pieces, jets, max(wanted.order, jets.order(typed)))
    report.progress(1, 4, f"{windows.count} windows")
    if windows.count < ROWS * len(typed):
        raise too_few(windows.count, len(typed))
    candidates, left_out = (typed, "") if typed else _library(windows, wanted, wanted.explicit)
    attempt = Attempt(windows, candidates, fields=fields)
    _check_moving(attempt.measured)
    report.progress(2, 4, f"{len(candidates)} candidates")
    attempt, notes = _best(attempt, windows, wanted, candidates, fields)
    report.progress(3, 4, f"{attempt.error:.1g} of the change is left")
    undecided = _undecided(attempt, names, bool(typed))
    equations = [] if undecided else [e for part in attempt.parts for e in _identified(part)]
    equations.sort(key=lambda e: jets.dependent.index(e.unknown))
    notes += [left_out] if left_out else []
    notes += [_kept(attempt, fields)] if fields else []
    for equation in equations:
        if equation.error > max(ROUGH, EXPLAINED * equation.noise):
            notes.append(
                f"{equation.left} = … leaves {_percent(equation.error)} of {equation.left}, more than the noise "
                f"explains ({_percent(equation.noise)}): the data are inexact, or a small term is missing"
            )
        elif equation.error > ROUGH:
            seen = _percent(float(np.sqrt(NEAR**2 - 1)) * equation.error)
            notes.append(f"terms of less than about {seen} of {equation.left} can't be seen at this noise")
        unsure = [term for term in equation.terms if term.spread > UNSURE * abs(term.coefficient)]
        notes += [
            f"the coefficient of {term.term} in {equation.left} = … isn't sure: {term.coefficient:.2g}, with a "
            f"spread of {term.spread:.1g}" for term in unsure
        ]  # fmt: skip
    return Identification(
        files=[], equations=equations, path=_path(attempt), undecided=undecided, notes=notes,
        candidates=attempt.measured.names, windows=windows.count, symmetries=[field.formula() for field in fields],
        variables=[str(x) for x in windows.jets.independent],
        sentence=_sentence(equations, undecided), command="", seconds=time.perf_counter() - began,
        inexpressible=attempt.inexpressible,
    )  # fmt: skip


def _library(
    windows: Windows, wanted: Wanted, explicit: Sequence[str], powers: int = 1
) -> tuple[list[sp.Expr], str]:
    return library(windows.jets, wanted.order, wanted.degree, windows.count, explicit, powers)


def _check_explicit(explicit: Sequence[str], variables: Sequence[str]) -> None:
    """Raises UsageError for what is no variable."""
    for name in explicit:
        if name not in variables:
            raise UsageError(
                f"--explicit {name}: there is no variable {name!r}; there are {', '.join(variables)}.",
                hint=f"For example --explicit {variables[0]}.",
            )


def _check_moving(measured: Measured) -> None:
    """Raises DataError for unknowns that don't change in time."""
    windows = measured.windows
    for left, target, name in zip(measured.lefts, measured.targets.T, windows.jets.dependent, strict=True):
        size = max(float(piece.values.abs().max()) for piece in windows.pieces)
        volume = float(np.abs(windows.columns([sp.S.One])).max())
        span = max(float(piece.time[-1] - piece.time[0]) for piece in windows.pieces)
        if np.abs(target).max() <= 1e-10 * size * volume / span:
            raise DataError(
                f"{name} doesn't change in time: {left} is 0 up to rounding.",
                hint="Give data of solutions that move.",
            )


def _best(
    attempt: Attempt, windows: Windows, wanted: Wanted, candidates: Sequence[sp.Expr], fields: Sequence[Field]
) -> tuple[Attempt, list[str]]:  # fmt: skip
    """The first attempt unless it fails or drifts and another doesn't; with what is said of that."""
    if not attempt.failing and not attempt.drifting:
        return attempt, []
    t, hint = str(windows.jets.independent[0]), ""
    tries = [((t,), 1), ((t,), 2), (_open(windows), 1)] if attempt.failing else [((t,), 1), ((t,), 2)]
    for more, powers in tries:
        if wanted.terms or not set(more) - set(wanted.explicit):
            continue
        try:
            library = _library(windows, wanted, (*wanted.explicit, *more), powers)[0]
            other = Attempt(windows, library, fields=fields)
        except DataError:
            continue  # too few windows for so many candidates
        named, left = ", ".join(more), _percent(attempt.error)
        if _better(other, attempt):
            return other, [f"without an explicit {named} {left} of the change are left"]
        if other.error <= BETTER * attempt.error:
            left = _percent(other.error)
            hint = f"with an explicit {named} the best leave {left}: a coefficient changes in {named}"
    if attempt.failing and not fields:
        sources = [beside_source(part) for part in attempt.failing]
        if all(sources):  # such data solve equations of second order too, but those are consequences
            return attempt, [*filter(None, [hint]), *sources]
        other = Attempt(windows, candidates, 2)
        if _better(other, attempt):
            first, second = attempt.measured.lefts[0], other.measured.lefts[0]
            return other, [f"{second} is explained, {first} isn't ({_percent(attempt.error)} are left)"]
    return attempt, [hint] if hint else []


def _open(windows: Windows) -> tuple[str, ...]:
    """Axes of space that aren't periodic in any piece."""
    axes = zip(*(piece.grid.axes for piece in windows.pieces), strict=True)
    return tuple(several[0].name for several in axes if not any(axis.periodic for axis in several))


def _better(other: Attempt, attempt: Attempt) -> bool:
    return other.error <= BETTER * attempt.error and not other.failing and not other.drifting


def _undecided(attempt: Attempt, names: Sequence[str], typed: bool) -> list[str]:
    """Sentences on what the data can't tell; one kind alone, as it explains the others."""
    windows = attempt.measured.windows
    t = windows.jets.independent[0]
    told = []
    for part in attempt.parts:
        apart = part.apart()
        if apart:
            pairs = zip(names or [f"part {n}" for n in range(1, len(apart) + 1)], apart, strict=True)
            told.append(
                "the files solve different equations: "
                f"{'; '.join(f'{part.left} = {text} in {name}' for name, text in pairs)}; identify them one by one"
            )
    if told:
        return told
    for part, drift in attempt.drifting:
        told.append(
            f"the coefficient of {drift.term} in {part.left} = … drifts from {drift.first:.3g} to {drift.last:.3g} "
            f"in {t}: the equation has an explicit {t}, and none of second degree in {t} fits; take a shorter "
            f"--window {t}=…, or give candidates by --terms, such as {t}**3*{drift.term}"
        )
    if told:
        return told
    for part in attempt.failing:
        told.append(_failure(part))
    if told:
        return told
    for part in attempt.parts:
        for term, others in part.alternatives():
            alike = "proportional" if len(others) == 1 else "dependent"
            what = f"{term} and {' + '.join(others)} apart: they are {alike} there, as far as can be seen"
            told.append(
                f"in {part.left} = … the data can't tell {what if others else f'whether {term} is there'}; give "
                "more data, or more varied ones, or fewer candidates by --terms"
            )
        if not told and not typed and part.travels():
            moved = [part.names[k] for k in part.step.kept]
            told.append(
                f"{part.left} and {' + '.join(moved)} are proportional: the data are one shape that travels "
                "unchanged, which solves many equations; give other trajectories too, or --terms "
                f"{','.join(moved)} to take it"
            )
    return told


def _failure(part: Part) -> str:
    """Why a change isn't explained."""
    left, level = part.left, part.measured.windows.noise
    least = min(step.error for step in part.path)
    if part.hidden:
        return (
            f"noise hides the equation of {left}: it is about {_percent(level)} of the values, and the best terms "
            f"leave {_percent(least)} of {left}; average the data, or give more trajectories"
        )
    count = len(part.measured.candidates)
    leave = "this candidate: it leaves" if count == 1 else f"these {count} candidates: the best of them leave"
    return (
        f"no equation is made of {leave} {_percent(least)} of {left}, noise explains {_percent(part.noise)}; "
        f"try --order, --degree, --explicit or --terms"
    )


def _kept(attempt: Attempt, fields: Sequence[Field]) -> str:
    """How much the symmetries leave to be found."""
    names, left = attempt.measured.names, sum(len(part.tied.combinations) for part in attempt.parts)
    said = f"{left} combination{'' if left == 1 else 's'} of {len(names)} candidates keep{'s' if left == 1 else ''}"
    kept = f"{said} {', '.join(field.formula().text for field in fields)}"
    fixed = [
        f"{attempt.measured.lefts[a]} contains {in_words(row, names)} then"
        for part in attempt.parts for a, row in zip(part.unknowns, part.tied.fixed, strict=True) if any(row)
    ]  # fmt: skip
    return "; ".join([kept, *fixed])


def _identified(part: Part) -> list[Identified]:
    """The equations of the unknowns of a part."""
    measured, found = part.measured, []
    jets, names = measured.windows.jets, measured.names
    for a in part.unknowns:
        own, left = part.terms(a), str(measured.lefts[a])
        ordered = ordered_terms(sp.Add(*(measured.candidates[term.candidate] for term in own)), jets)
        order = [written(e, jets) for e in ordered]
        own.sort(key=lambda term: order.index(names[term.candidate]))
        text = left + "".join(_written(term, names[term.candidate]) for term in own)
        terms = [
            Term(
                names[term.candidate], term.coefficient, term.spread,
                None if term.meant is None else str(term.meant), part.share(a, term),
            )
            for term in own
        ]  # fmt: skip
        found.append(Identified(jets.dependent[a], left, terms, text, part.step.error, part.noise))
    return found


def _written(term: Found, name: str) -> str:
    """The term on the left side, ` + u*u_x` for a coefficient of -1."""
    sign = "-" if term.written.is_positive else "+"
    number = str(abs(term.written))
    if re.fullmatch(r"\d+/\d+", number):
        decimal = f"{float(Fraction(number)):.12g}"
        number = decimal if Fraction(decimal) == Fraction(number) else number  # 0.1 rather than 1/10
    parts = [part for part in (number, name) if part != "1"]
    return f" {sign} {'*'.join(parts) or '1'}"


def _path(attempt: Attempt) -> list[PathStep]:
    found = []
    for part in attempt.parts:
        unknown = ", ".join(attempt.measured.windows.jets.dependent[a] for a in part.unknowns)
        for step, after in zip(part.path, [*part.path[1:], None], strict=True):
            lost = set(step.kept) - set(after.kept) if after else set()
            found.append(PathStep(
                unknown=unknown, left=part.left, terms=len(step.kept), error=step.error,
                dropped=part.names[lost.pop()] if lost else None,
                kept=[part.names[k] for k in step.kept] if len(step.kept) <= TOLD else [],
                chosen=step == part.step,
            ))  # fmt: skip
    return found


def _sentence(equations: Sequence[Identified], undecided: Sequence[str]) -> str:
    if not equations:
        return f"No equation is claimed: {undecided[0]}."
    said = "; ".join(f"{e.text} = 0, which leaves {_percent(e.error)} of {e.left}" for e in equations)
    return f"The data solve {said}."


def _percent(share: float) -> str:
    """Per cent, two digits."""
    return f"{100 * share:.0f} %" if share >= 0.1 else f"{100 * share:.1g} %"
