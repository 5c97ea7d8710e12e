"""Closed forms in a run: what of the learned fields could be written down, and what was proved of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import sympy as sp

from lieapp.compare.closed_form.approximate import decimals, sketch
from lieapp.compare.closed_form.forms import Formula, closed_forms, holds, same_span
from lieapp.compare.closed_form.library import library
from lieapp.compare.closed_form.measure import Measured, measure
from lieapp.compare.outcome import Outcome, promoted
from lieapp.compare.verdict import FALLEN, SMALL
from lieapp.config import DiscoverConfig
from lieapp.discovery.result import SIZE, Discovery
from lieapp.domains.pde import PDEDataset, PDEDomain
from lieapp.progress import Reporter
from lieapp.runs.truth import Derived
from lieapp.symbolic.equation import exact

SLICES = 24
"""Held-out slices on which formulas are measured."""

LONGEST = 300
"""Characters of a leftover term that is still told."""

WITHIN = 0.02
"""Sine of its angle to the span of proved formulas up to which a learned field is one of these symmetries."""


@dataclass(frozen=True)
class Written:
    """Formulas for the fields of a run.

    Args:
        forms: for the span of the candidates, the proved ones first.
        measured: the library and the learned fields on held-out data.
        functions: how many functions the library has.
    """

    forms: list[Formula]
    measured: Measured
    functions: int

    @property
    def proved(self) -> list[Formula]:
        """Those that are symmetries, exactly."""
        return [form for form in self.forms if form.proved]


def write_down(
    config: DiscoverConfig, domain: PDEDomain, data: PDEDataset, found: Discovery, outcome: Outcome,
    report: Reporter,
) -> tuple[Written, Outcome]:  # fmt: skip
    """Formulas, and the outcome in which every field that lies in the span of proved ones is exact.

    An ansatz that holds a field exactly from the first level on leaves no fall of eta to see, and a training may
    stand still at its end: then the proof decides.
    """
    functions = library(domain.system, domain.arguments.periodic, config.library_degree)
    measured = measure(
        domain, functions, domain.system.jets.coordinates, data.scales, found.fields,
        lambda: data.held_out.batches(SLICES, SIZE),
    )  # fmt: skip
    eta = found.levels[-1].eta
    near = [n for n in outcome.slots if n in outcome.exact or eta[n] < FALLEN]
    forms: list[Formula] = []
    if near:
        values = [exact(v) for v in domain.declaration.parameters.values()]
        forms = closed_forms(
            domain.system, measured, near, values, lambda n: report.progress(n, len(near), "proved")
        )
    written = Written(forms, measured, len(functions))
    spanning = [(form.columns, form.coefficients) for form in written.proved]
    return written, promoted(outcome, [n for n in near if measured.sine(n, spanning) <= WITHIN])


def formulas_json(domain: PDEDomain, written: Written, outcome: Outcome, truth: Derived) -> dict[str, Any]:
    """The keys `formulas` and `formulas_check` of the summary.

    Each of `formulas` has `field` (null where the library holds none), `verdict`, `proved`, `eta` of the formula on
    held-out data, `leftover` of the invariance condition, and the `slot` that an approximate one belongs to.
    `formulas_check`: `dimension` of the exact span, how many are `proved`, whether they span the `derived` ones,
    or at least hold them.
    """
    rows = [_exact_row(form) for form in written.forms]
    rows += [
        _approximate_row(domain, written.measured, n) for n in outcome.slots if outcome.verdicts[n] == "approximate"
    ]
    proved = [form.field for form in written.proved]
    check = {
        "dimension": len(outcome.exact),
        "proved": len(proved),
        "derived": len(truth.formulas),
        "same_span": same_span(domain.system, proved, truth.formulas),
        "holds_derived": holds(domain.system, proved, truth.formulas),
    }
    return {"formulas": rows, "formulas_check": check}


def missing_words(written: Written, outcome: Outcome) -> str:
    """What is said of exact fields without a formula; empty if all have one."""
    missing = len(outcome.exact) - len(written.forms)
    if missing <= 0:
        return ""
    return (
        f"{missing} of {len(outcome.exact)} exact fields have no formula in a library of {written.functions} "
        "functions; they are drawn as numbers; raise library_degree for more monomials"
    )


def _exact_row(form: Formula) -> dict[str, Any]:
    verdict = "exact" if form.proved else "approximate" if form.eta < SMALL else "none"
    return {
        "field": form.field.as_json(),
        "verdict": verdict,
        "proved": form.proved,
        "eta": form.eta,
        "leftover": None if form.proved else _told([sp.factor(e) for e in form.leftover]),
        "slot": None,
    }


def _approximate_row(domain: PDEDomain, measured: Measured, slot: int) -> dict[str, Any]:
    found = sketch(domain.system, measured, slot)
    return {
        "field": None if found is None else {c: str(decimals(e)) for c, e in found.field.components.items()},
        "verdict": "approximate",
        "proved": False,
        "eta": None if found is None else found.eta,
        "leftover": None if found is None else _told([decimals(e) for e in found.leftover]),
        "slot": slot + 1,
    }


def _told(leftover: Sequence[sp.Expr]) -> str | None:
    """Those of several equations separated by semicolons."""
    text = "; ".join(map(str, leftover))
    return text if len(text) <= LONGEST else None
