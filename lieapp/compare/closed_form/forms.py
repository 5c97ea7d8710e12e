"""Closed forms of a learned span, each put to the exact invariance condition.

The sparsest elements of the span in the library are found numerically, their coefficients recognised as exact
numbers, and the field so written down is substituted into the invariance condition: proved or refuted. Of each
proved one the leading column is left out for those that follow, which makes the basis a row echelon.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, product

import numpy as np
import sympy as sp
import torch

from lieapp.compare.closed_form.measure import Measured
from lieapp.compare.closed_form.numbers import factors, numbers
from lieapp.compare.closed_form.rates import Part
from lieapp.compare.closed_form.sparse import Candidate, Columns, candidates
from lieapp.equations.coefficients import CoefficientField
from lieapp.equations.equation import System
from lieapp.lie.invariance import defect
from lieapp.lie.normal_form import coordinates_in
from lieapp.lie.vector_field import Field

TERMS = 4
"""Most terms of a formula that is searched for."""

READINGS = 24
"""Ways to read one combination's coefficients as exact numbers."""

LOOKED_AT = 80
"""Combinations of one number of terms that are read, those closest to the span."""

ATTEMPTS = 3
"""Readings of one combination that are put to the proof."""

SPREADS = 6.0
"""Estimated uncertainties within which a coefficient is read."""

EXACT = 1e-5
"""eta up to which a formula is put to the proof: numerically exact symmetries come out far below."""

PLACES, NULL = 8, 1e-9
"""Random jets beside one for each column, and singular values below which a combination is none."""

CLEAR = 1e-3
"""Sine within which a formula that isn't proved is still told as what a field looks like."""


@dataclass(frozen=True)
class Formula:
    """A field as a formula, and what the exact invariance condition says of it.

    Args:
        field: the formula in physical coordinates.
        proved: whether it is a symmetry, exactly.
        leftover: what is left of the invariance condition, one expression for each equation.
        eta: of the formula on held-out data.
        columns, coefficients: the same as a combination of library columns.
    """

    field: Field
    proved: bool
    leftover: tuple[sp.Expr, ...]
    eta: float
    columns: tuple[int, ...]
    coefficients: tuple[float, ...]


def closed_forms(
    system: System,
    measured: Measured,
    chosen: Sequence[int],
    parameters: Iterable[sp.Expr] = (),
    progress: Callable[[int], None] = lambda found: None,
    parts: Sequence[Part] = (),
) -> list[Formula]:
    """Independent formulas for the span of the learned fields, the proved ones first.

    There are fewer than fields where the library holds no formula for some of them.

    Args:
        measured: the library and the learned fields on held-out data.
        chosen: the learned fields that span what formulas are sought for.
        parameters: numbers that coefficients may be multiples of.
        parts: subspaces of the span of which it is known which functions their fields are made of.
    """
    search = _Search(system, measured, chosen, parameters)
    for part in parts:
        search.search(measured.span(chosen, part.weights), measured.made_of(part.functions), progress)
    search.search(None, range(len(search.columns.gram)), progress)
    proved = sorted(search.proved, key=lambda form: len(form.columns))
    return proved if len(proved) == search.dimension else proved + search.refuted()


@dataclass(frozen=True)
class _Reading:
    """A combination with exact coefficients, and its eta."""

    candidate: Candidate
    values: tuple[sp.Expr, ...]
    eta: float


class _Search:
    def __init__(
        self,
        system: System,
        measured: Measured,
        chosen: Sequence[int],
        parameters: Iterable[sp.Expr],
    ) -> None:
        self.system, self.measured, self.columns = system, measured, measured.span(chosen)
        self.names = [str(x) for x in system.jets.coordinates]
        self.dimension = len(self.columns.within)
        self.taken: set[int] = set()
        self.proved: list[Formula] = []
        self.doubtful: list[_Reading] = []
        self.choices = factors(parameters)

    def search(self, span: Columns | None, made_of: Sequence[int], progress: Callable[[int], None]) -> None:
        """Prove what can be proved of a span made of these columns; of the whole one if None."""
        missing = self.dimension - len(self.proved) if span is None else len(span.within)
        for group in self._groups(span, made_of):
            for candidate in group[:LOOKED_AT]:
                if not missing:
                    return
                if self.proves(candidate):
                    missing -= 1
                    progress(len(self.proved))

    def _groups(self, span: Columns | None, made_of: Sequence[int]) -> Iterator[list[Candidate]]:
        """Candidates of one, two, … terms; columns that lead a proved formula don't come again."""
        for terms in range(1, TERMS + 1):
            allowed = torch.tensor([k for k in made_of if k not in self.taken])
            yield next(islice(candidates(span or self.columns, terms, allowed), terms - 1, None), [])

    def proves(self, candidate: Candidate) -> bool:
        """Whether a reading of the combination passes the exact invariance condition.

        Only those are put to it that may be symmetries as far as the data tell, the best first.
        """
        if self.taken.intersection(candidate.columns):
            return False
        readings = sorted(self._read(candidate), key=lambda reading: reading.eta)
        for reading in readings[:ATTEMPTS]:
            if reading.eta > EXACT:
                break
            formula = self._judged(reading)
            if formula.proved:
                if self._falls_apart(candidate.columns):
                    return False
                self.proved.append(formula)
                self.taken.add(self._leading(candidate))
                self._sharpen(formula)
                return True
        if candidate.sine <= CLEAR:
            self.doubtful += readings[:1]
        return False

    def _falls_apart(self, columns: Sequence[int]) -> bool:
        """Whether these columns hold several symmetries: then their sum with coefficients read off is no answer.

        The invariance condition is linear in the field: its leftovers, column by column, at random jets are a
        matrix whose null space are the symmetries among the combinations.
        """
        if len(columns) == 1:
            return False
        ones = [[sp.Integer(int(k == j)) for k in range(len(columns))] for j in range(len(columns))]
        rests = [defect(self.system, self.measured.components_of(columns, one)) for one in ones]
        symbols = sorted({s for rest in rests for e in rest for s in e.free_symbols}, key=str)
        drawn = np.random.default_rng(0).uniform(0.5, 1.5, (len(columns) + PLACES, len(symbols)))
        values = np.array([
            [complex(rest[a].evalf(subs=dict(zip(symbols, place, strict=True)))).real for rest in rests]
            for place in drawn for a in range(len(rests[0]))
        ])  # fmt: skip
        size = np.linalg.norm(values, axis=0)
        sizes = np.linalg.svd(values[:, size > 0] / size[size > 0], compute_uv=False)
        return len(columns) - int((sizes > NULL).sum()) > 1

    def refuted(self) -> list[Formula]:
        """The simplest formulas for what is left of the span, which the proof refused.

        Those that imitate proved ones are left out: functions such as t and exp(t) add up to almost a constant.
        """
        result: list[Formula] = []
        taken = set(self.taken)
        for reading in self.doubtful:
            if (
                len(self.proved) + len(result) < self.dimension
                and not taken.intersection(reading.candidate.columns)
                and not self._imitates(reading.candidate)
            ):
                result.append(self._judged(reading))
                taken.add(self._leading(reading.candidate))
        return result

    def _imitates(self, candidate: Candidate) -> bool:
        """Whether the proved formulas span a combination, but for an angle that counts as none."""
        proved = [(form.columns, form.coefficients) for form in self.proved]
        return self.measured.beyond((candidate.columns, candidate.coefficients), proved) <= CLEAR**2

    def _judged(self, reading: _Reading) -> Formula:
        field = self._field(reading.candidate.columns, reading.values)
        leftover = defect(self.system, field.components)
        proved = all(e == 0 for e in leftover)
        columns = reading.candidate.columns
        own = self.measured.of_columns(columns, reading.values)
        return Formula(field, proved, leftover, reading.eta, columns, tuple(own))

    def _sharpen(self, formula: Formula) -> None:
        """Put the proved field in place of the learned direction next to it: its error troubles no other."""
        gram, within = self.columns.gram, self.columns.within
        columns = list(formula.columns)
        exact = torch.tensor(formula.coefficients, dtype=gram.dtype)
        exact = exact / (exact @ gram[columns][:, columns] @ exact).sqrt()
        shadow = within[:, columns] @ exact
        # an orthonormal basis of what is orthogonal to its shadow
        rest = torch.linalg.svd(shadow[None])[2][1:]
        self.columns = Columns(gram, torch.cat([rest @ within, (gram[columns].T @ exact)[None]]))

    def _leading(self, candidate: Candidate) -> int:
        """The column that carries most of a combination."""
        return max(zip(map(abs, candidate.coefficients), candidate.columns, strict=True))[1]

    def _read(self, candidate: Candidate) -> Iterator[_Reading]:
        """The combination with exact coefficients, relative to the one that is known best."""
        scale = self.measured.scale[list(candidate.columns)].tolist()
        physical = [x * s for x, s in zip(candidate.coefficients, scale, strict=True)]
        best = min(range(len(physical)), key=lambda k: candidate.spread[k])
        options = []
        for k, value in enumerate(physical):
            spread = SPREADS * (candidate.spread[k] + candidate.spread[best])
            ratio = value / physical[best]
            options.append([sp.S.One] if k == best else numbers(ratio, min(spread, 0.3), self.choices))
        for values in islice(product(*options), READINGS):
            own = self.measured.of_columns(candidate.columns, values)
            yield _Reading(candidate, values, self.measured.eta(candidate.columns, own))

    def _field(self, columns: Sequence[int], coefficients: Sequence[sp.Expr]) -> Field:
        down = sp.Integer(1)
        for value in coefficients:
            down = sp.ilcm(down, sp.denom(value)) if value.is_Rational else down
        components = self.measured.components_of(columns, [value * down for value in coefficients])
        first = next(e for e in components.values() if e != 0)
        if first.could_extract_minus_sign():
            components = {name: -e for name, e in components.items()}
        return Field(dict.fromkeys(self.names, sp.S.Zero) | components)


def same_span(system: System, first: Sequence[Field], second: Sequence[Field]) -> bool:
    """Whether two lists of fields span the same space, exactly."""
    return holds(system, first, second) and holds(system, second, first)


def holds(system: System, span: Sequence[Field], fields: Sequence[Field]) -> bool:
    """Whether fields lie in the span of others, exactly."""
    field = CoefficientField(system.jets.coordinates, system.parameters)
    rows = [[field.element(e) for e in f.components.values()] for f in (*span, *fields)]
    rows = [[field.lift(c) for c in row] for row in rows]
    return not fields or None not in coordinates_in(rows[: len(span)], rows[len(span) :], field)
