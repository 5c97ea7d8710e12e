"""Closed forms in a run: what of the learned fields could be written down, and what was proved of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import sympy as sp
from numpy.typing import NDArray

from lieapp.compare.brackets import rates
from lieapp.compare.closed_form.approximate import decimals, sketch
from lieapp.compare.closed_form.forms import Formula, closed_forms, holds, same_span
from lieapp.compare.closed_form.library import library, monomials
from lieapp.compare.closed_form.measure import Measured, measure
from lieapp.compare.closed_form.numbers import factors
from lieapp.compare.closed_form.rates import Part, parts
from lieapp.compare.closed_form.simple import simple_basis
from lieapp.compare.closed_form.solved import dependence, functions_of
from lieapp.compare.outcome import Outcome, promoted
from lieapp.config import DiscoverConfig
from lieapp.equations.equation import exact
from lieapp.lie.vector_field import Field, formula_of
from lieapp.methods.fields import Chosen
from lieapp.methods.result import SIZE, Discovery
from lieapp.methods.verdict import FALLEN, SMALL
from lieapp.pde.domain import PDEDataset, PDEDomain
from lieapp.pde.known import Derived
from lieapp.progress import Reporter
from lieapp.results.discovery import ClosedForm, FormulasCheck, Verdict

SLICES = 24
"""Held-out slices on which formulas are measured."""

LONGEST = 300
"""Characters of a leftover term that is still told."""

CLOSED = 0.1
"""Rest of the derivatives of an exact span up to which their rates are read."""

WITHIN = 0.02
"""Sine of its angle to the span of proved formulas up to which a learned field is one of these symmetries."""


MISSING = 0.1
"""Sine of its angle to simple formulas beyond which a field of a learned equation is sketched by itself."""


@dataclass(frozen=True)
class Written:
    """Formulas for the fields of a run.

    Args:
        forms: for the span of the candidates, the proved ones first.
        measured: the library and the learned fields on held-out data.
        functions: how many functions the library has.
        within: the slots in the span of the proved formulas.
        undecided: slots that these data can't decide, none of which is within.
        unmet: why there are such, if the data don't meet what a verdict needs.
        alone: whether both sets are windows of few trajectories, which decide no candidate.
    """

    forms: list[Formula]
    measured: Measured
    functions: int
    within: list[int] = field(default_factory=list)
    undecided: list[int] = field(default_factory=list)
    unmet: list[str] = field(default_factory=list)
    alone: bool = False

    @property
    def proved(self) -> list[Formula]:
        """Those that are symmetries, exactly."""
        return [form for form in self.forms if form.proved]

    def dimension(self, outcome: Outcome) -> int:
        """How many symmetries were found: exact slots, or proved formulas, of which one may be read from a slot
        that is near it only."""
        return max(len({*outcome.exact} - {*self.undecided}), len(self.proved))


def write_down(
    config: DiscoverConfig, domain: PDEDomain, data: PDEDataset, found: Discovery, outcome: Outcome,
    report: Reporter,
) -> tuple[Written, Outcome]:  # fmt: skip
    """Formulas, and the outcome in which every field that lies in the span of proved ones is exact.

    An ansatz that holds a field exactly from the first level on leaves no fall of eta to see, and a training may
    stand still at its end: then the proof decides.
    """
    if domain.fitted:
        coordinates, periodic = domain.system.jets.coordinates, domain.arguments.periodic
        functions = monomials(coordinates, periodic, config.formulas.library_degree)
        return Written([], _measured(functions, domain, data, found), len(functions), alone=data.alone), outcome
    written, within = None, list[int]()
    for functions, known in _libraries(config, domain, data, found, outcome):
        larger, more = _attempt(functions, known, domain, data, found, outcome, report)
        if written is None or len(larger.proved) > len(written.proved):
            written, within = larger, more
        if set(outcome.exact) <= set(within):
            break
    assert written is not None
    outcome = promoted(outcome, within)
    undecided = [n for n in outcome.exact if data.alone and n not in within]
    return replace(written, within=within, undecided=undecided), outcome


def _libraries(
    config: DiscoverConfig, domain: PDEDomain, data: PDEDataset, found: Discovery, outcome: Outcome
) -> Iterator[tuple[list[sp.Expr], list[Part]]]:  # fmt: skip
    """Libraries in turn, each for what the ones before it don't hold, with what is known of the span.

    First monomials and what the equation's coefficients bring, then the rates of the learned span, then what the
    determining equations have where they are restricted to components such as the learned ones.
    """
    degree, periodic = config.formulas.library_degree, domain.arguments.periodic
    yield library(domain.system, periodic, degree), []
    known = _rates(domain, data, found, outcome)
    yield library(domain.system, periodic, degree + 1, [f for part in known for f in part.functions]), known
    span = Chosen(found.fields, outcome.exact)
    if solved := functions_of(domain.system, dependence(domain, span, data.held_out.batches(SLICES, SIZE))):
        yield library(domain.system, periodic, degree, solved), known


def _rates(domain: PDEDomain, data: PDEDataset, found: Discovery, outcome: Outcome) -> list[Part]:
    """The parts of the exact span that are exponentials or waves in a coordinate that the equation doesn't name."""
    result = list[Part]()
    choices = factors(exact(v) for v in domain.declaration.parameters.values())
    for i, z in enumerate(domain.evolution.jets.independent):
        if domain.arguments.periodic[i] or any(f.has(z) for f in domain.evolution.rhs):
            continue
        span = Chosen(found.fields, outcome.exact)
        matrix, left = rates(span, i, data.held_out.batches(SLICES, SIZE))
        if left < CLOSED:
            result += parts(matrix.numpy(), data.scales.size[i], z, choices, left)
    return result


def _attempt(
    functions: list[sp.Expr], known: Sequence[Part], domain: PDEDomain, data: PDEDataset, found: Discovery,
    outcome: Outcome, report: Reporter,
) -> tuple[Written, list[int]]:  # fmt: skip
    """Formulas in a library, and the slots that lie in the span of the proved ones."""
    measured = _measured(functions, domain, data, found)
    eta = found.levels[-1].eta
    near = [n for n in outcome.slots if n in outcome.exact or eta[n] < FALLEN]
    forms: list[Formula] = []
    if near:
        values = [exact(v) for v in domain.declaration.parameters.values()]
        wide = [replace(part, weights=_among(part.weights, outcome.exact, near)) for part in known]
        forms = closed_forms(
            domain.system, measured, near, values, lambda n: report.progress(n, len(near), "proved"), wide
        )
    written = Written(forms, measured, len(functions), alone=data.alone)
    spanning = [(form.columns, form.coefficients) for form in written.proved]
    return written, [n for n in near if measured.sine(n, spanning) <= WITHIN]


def _measured(functions: list[sp.Expr], domain: PDEDomain, data: PDEDataset, found: Discovery) -> Measured:
    return measure(
        domain, functions, domain.system.jets.coordinates, data.scales, found.fields,
        lambda: data.held_out.batches(SLICES, SIZE),
    )  # fmt: skip


def _among(weights: NDArray[np.float64], exact: Sequence[int], near: Sequence[int]) -> NDArray[np.float64]:
    """Combinations of the exact slots as such of all that are near."""
    result = np.zeros((len(weights), len(near)))
    result[:, [near.index(n) for n in exact]] = weights
    return result


def written_forms(domain: PDEDomain, written: Written, outcome: Outcome) -> list[ClosedForm]:
    """The formulas found for exact fields, then what approximate ones look like.

    Of a learned equation simple ones that span those set apart, then what is left of these.
    """
    approximate = [n for n in outcome.slots if outcome.verdicts[n] == "approximate"]
    simple: list[ClosedForm] = []
    if domain.fitted:
        found = simple_basis(domain.system, written.measured, approximate)
        spanned = [(form.columns, form.coefficients) for form in found]
        simple = [_closed(form.field, "approximate", form.eta, ()) for form in found]
        approximate = [n for n in approximate if written.measured.sine(n, spanned) > MISSING]
    return [
        *map(_exact, written.forms), *simple, *(_approximate(domain, written.measured, n) for n in approximate)
    ]  # fmt: skip


def proof_of(domain: PDEDomain, written: Written, outcome: Outcome, truth: Derived) -> FormulasCheck:
    """How much of the exact span is proved, and whether that is what was derived."""
    proved = [form.field for form in written.proved]
    return FormulasCheck(
        dimension=written.dimension(outcome),
        proved=len(proved),
        derived=len(truth.formulas),
        same_span=same_span(domain.system, proved, truth.formulas),
        holds_derived=holds(domain.system, proved, truth.formulas),
    )


def missing_words(written: Written, outcome: Outcome) -> str:
    """What is said of exact fields without a formula; empty if all have one."""
    missing = len(outcome.exact) - len(written.forms)
    if missing <= 0:
        return ""
    if written.alone:
        fields = f"{missing} more field{' holds' if missing == 1 else 's hold'} on these data"
        return f"{fields} and can't be decided: windows of few trajectories aren't independent"
    return (
        f"{missing} of {len(outcome.exact)} exact fields have no formula in a library of {written.functions} "
        "functions; they are shown numerically; raise library_degree for more monomials"
    )


def _exact(form: Formula) -> ClosedForm:
    leftover = () if form.proved else tuple(map(sp.factor, form.leftover))
    verdict: Verdict = "exact" if form.proved else "approximate" if form.eta < SMALL else "none"
    return _closed(form.field, verdict, form.eta, leftover, proved=form.proved)


def _approximate(domain: PDEDomain, measured: Measured, slot: int) -> ClosedForm:
    found = sketch(domain.system, measured, slot, told=not domain.fitted)
    if found is None:
        return ClosedForm(field=None, verdict="approximate", proved=False, eta=None, slot=slot + 1)
    field = Field({c: decimals(e) for c, e in found.field.components.items()})
    return _closed(field, "approximate", found.eta, tuple(map(decimals, found.leftover)), slot=slot + 1)


def _closed(
    field: Field, verdict: Verdict, eta: float, leftover: Sequence[sp.Expr], proved: bool = False,
    slot: int | None = None,
) -> ClosedForm:  # fmt: skip
    """A formula with its leftover; those of several equations are separated by semicolons."""
    text = "; ".join(map(str, leftover))
    told = 0 < len(text) <= LONGEST
    return ClosedForm(
        field=field.as_json(), verdict=verdict, proved=proved, eta=eta, leftover=text if told else None, slot=slot,
        shown=field.formula(), leftover_shown=[formula_of(e) for e in leftover] if told else [],
    )  # fmt: skip
