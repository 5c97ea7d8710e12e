"""The pipeline behind `lieapp discover` for maps: samples, fields, formulas."""

from __future__ import annotations

from lieapp.errors import ConfigError
from lieapp.functions.declaration import Function
from lieapp.functions.kind import DiscoverFunctionsConfig
from lieapp.functions.result import FunctionResult, sentence
from lieapp.functions.spans import EXACT, Span, find
from lieapp.functions.values import Values, monomials, values_of
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

MOST = 4000
"""Unknown coefficients at most: the eigenproblem then takes a minute."""


def execute(config: DiscoverFunctionsConfig, declaration: Function, session: Session) -> FunctionResult:
    """Do a run. Raises LieappError for what the declaration or the settings don't allow."""
    session.begin()
    sought = config.sought or declaration.sought
    unknowns = len(monomials(len(declaration.variables), config.degree)) * len(declaration.variables)
    if unknowns > MOST:
        raise ConfigError(
            f"{declaration.name}: fields of degree {config.degree} have {unknowns} coefficients; at most {MOST}.",
            hint="Lower degree.",
        )
    learn, judge = session.timed("data", lambda: _samples(declaration, config, unknowns))
    span = session.timed("discovery", lambda: find(learn, judge, config.degree, sought))
    written = session.timed("formulas", lambda: write_down(declaration, span, judge, sought))
    module = session.timed("module", lambda: _module(declaration, span, learn, judge, config.degree, sought))
    result = FunctionResult(
        run=str(session.directory.path),
        plugin=config.plugin,
        title=declaration.title,
        warnings=session.report.warnings,
        sought=sought,
        degree=config.degree,
        dimension=len(span.eta),
        coordinates=[str(v) for v in declaration.variables],
        count=span.count,
        more=span.count == len(span.eta),
        generators=[
            Slot(slot=k + 1, eta=eta, verdict=_verdict(eta))
            for k, eta in enumerate(span.eta[: span.count + NEXT].tolist())
        ],
        formulas=list(map(_form, written)),
        spectrum=Spectrum(method="spectrum", eta=span.eta.tolist(), gap_after=span.count or None),
        module=[field.as_json() for field in module],
        module_shown=[field.formula() for field in module],
        has_formulas=bool(declaration.expressions),
    )
    result.sentence, result.seconds = sentence(result), session.stopwatch.seconds()
    return result


def _samples(declaration: Function, config: DiscoverFunctionsConfig, unknowns: int) -> tuple[Values, Values]:
    """To find fields on and to judge them on."""
    outputs = values_of(declaration, 8, config.seed).y.shape[1]
    count = max(config.samples, -(-ROWS * unknowns // outputs) + outputs)
    return values_of(declaration, count, config.seed), values_of(declaration, count, config.seed + 1)


def _module(
    declaration: Function, span: Span, learn: Values, judge: Values, degree: int, sought: str
) -> list[Field]:
    generators = module_generators(span, judge, learn, degree, sought)
    if generators is None:
        return []
    written = write_down(declaration, Span(span.terms, span.eta[: len(generators)] * 0, generators), judge, sought)
    fields = [row.field for row in written if row.field is not None]
    return fields if len(fields) == len(written) else []


def _form(row: WrittenField) -> ClosedForm:
    field = row.field
    return ClosedForm(
        field=None if field is None else field.as_json(),
        verdict=_verdict(row.eta),
        proved=row.proved,
        eta=row.eta,
        shown=None if field is None else field.formula(),
    )


def _verdict(eta: float) -> Verdict:
    return "exact" if eta <= EXACT else "approximate" if eta < SMALL else "none"
