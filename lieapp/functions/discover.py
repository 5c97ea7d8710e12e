"""The pipeline behind `lieapp discover` for maps: samples, fields, formulas."""

from __future__ import annotations

from lieapp.errors import DataError
from lieapp.functions.declaration import Function
from lieapp.functions.kind import DiscoverFunctionsConfig, coefficients
from lieapp.functions.result import FunctionResult, sentence
from lieapp.functions.spans import EXACT, Span, find
from lieapp.functions.values import Values, values_of
from lieapp.functions.written import WrittenField, module_generators, write_down
from lieapp.lie.vector_field import Field
from lieapp.results.discovery import ClosedForm, Slot, Spectrum, Verdict
from lieapp.runs.store.session import Session

ROWS = 3
"""Residuals for each unknown coefficient at least."""

NEXT = 2
"""Fields beyond the exact ones that are listed."""

SMALL = 0.1
"""Largest η of an approximate field."""


def execute(config: DiscoverFunctionsConfig, declaration: Function, session: Session) -> FunctionResult:
    """Do a run. Raises LieappError for what the declaration or the settings don't allow."""
    session.begin()
    sought = config.sought or declaration.sought
    unknowns = coefficients(declaration, config.degree)
    learn, judge = session.timed("data", lambda: _samples(declaration, config, unknowns))
    span = session.timed("discovery", lambda: find(learn, judge, config.degree, sought))
    written = session.timed("formulas", lambda: write_down(declaration, span, judge, sought))
    module = session.timed("module", lambda: _module(declaration, span, learn, judge, config.degree, sought))
    # where there is a formula, what it doesn't prove is undecided
    proved = sum(row.proved for row in written)
    exact = proved if declaration.expressions else span.count
    result = FunctionResult(
        run=str(session.directory.path),
        plugin=config.plugin,
        title=declaration.title,
        warnings=session.report.warnings,
        sought=sought,
        degree=config.degree,
        dimension=len(span.eta),
        coordinates=[str(v) for v in declaration.variables],
        count=exact,
        more=exact == len(span.eta),
        generators=[
            Slot(slot=k + 1, eta=eta, verdict=_verdict(eta, k < exact))
            for k, eta in enumerate(span.eta[: span.count + NEXT].tolist())
        ],
        formulas=[_form(row, bool(declaration.expressions)) for row in written],
        spectrum=Spectrum(method="spectrum", eta=span.eta.tolist(), gap_after=exact or None),
        module=[field.as_json() for field in module],
        module_shown=[field.formula() for field in module],
        has_formulas=bool(declaration.expressions),
    )
    if exact < span.count:
        session.report.warn(
            f"{span.count - exact} more are exact to round-off but undecided: the formula doesn't prove them. "
            "Either their coefficients aren't recognised as exact numbers, or they are only near-symmetries"
        )
    result.warnings = session.report.warnings
    result.sentence, result.seconds = sentence(result), session.stopwatch.seconds()
    return result


def _samples(declaration: Function, config: DiscoverFunctionsConfig, unknowns: int) -> tuple[Values, Values]:
    """To find fields on and to judge them on. Raises DataError for fewer samples than the fields need."""
    count = max(config.samples, ROWS * unknowns)
    learn, judge = (values_of(declaration, count, config.seed + k) for k in range(2))
    if learn.x.shape == judge.x.shape and bool((learn.x == judge.x).all()):
        # a file has the same ones for every seed
        halves = [slice(k, None, 2) for k in range(2)]
        learn, judge = (Values(learn.x[part], learn.y[part], learn.jacobian[part]) for part in halves)
    residuals = len(learn.x) * learn.y.shape[1]
    if residuals < unknowns + learn.y.shape[1] ** 2:
        raise DataError(
            f"{declaration.name}: {len(learn.x)} samples don't determine {unknowns} coefficients.",
            hint="Give more samples, or lower degree.",
        )
    return learn, judge


def _module(
    declaration: Function, span: Span, learn: Values, judge: Values, degree: int, sought: str
) -> list[Field]:
    generators = module_generators(span, judge, learn, degree, sought)
    if generators is None:
        return []
    written = write_down(declaration, Span(span.terms, span.eta[: len(generators)] * 0, generators), judge, sought)
    fields = [row.field for row in written if row.field is not None]
    return fields if len(fields) == len(written) else []


def _form(row: WrittenField, has_formulas: bool) -> ClosedForm:
    field = row.field
    return ClosedForm(
        field=None if field is None else field.as_json(),
        verdict=_verdict(row.eta, row.proved or not has_formulas),
        proved=row.proved,
        eta=row.eta,
        shown=None if field is None else field.formula(),
    )


def _verdict(eta: float, exact: bool) -> Verdict:
    return "exact" if exact and eta <= EXACT else "approximate" if eta < SMALL else "none"
