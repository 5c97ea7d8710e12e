"""Closed forms in a run: what of the learned fields could be written down, and what was proved of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sympy as sp

from lieapp.compare.closed_form.approximate import decimals, sketch
from lieapp.compare.closed_form.forms import Formula, closed_forms, same_span
from lieapp.compare.closed_form.library import library
from lieapp.compare.closed_form.measure import Measured, measure
from lieapp.compare.outcome import Outcome
from lieapp.compare.verdict import SMALL
from lieapp.config import DiscoverConfig
from lieapp.discovery.result import SIZE, Discovery
from lieapp.domains.pde import Dataset, PDEDomain
from lieapp.progress import Reporter
from lieapp.runs.truth import Derived
from lieapp.symbolic.equation import exact

SLICES = 24
"""Held-out slices on which formulas are measured."""

LONGEST = 300
"""Characters of a leftover term that is still told."""


def formulas_of(
    config: DiscoverConfig,
    domain: PDEDomain,
    data: Dataset,
    found: Discovery,
    outcome: Outcome,
    truth: Derived,
    report: Reporter,
) -> dict[str, Any]:
    """The keys `formulas` and `formulas_check` of the summary.

    Each of `formulas` has `field` (null where the library holds none), `verdict`, `proved`, `eta` of the formula on
    held-out data, `leftover` of the invariance condition, and the `slot` that an approximate one belongs to.
    `formulas_check`: `dimension` of the exact span, how many are `proved`, whether they span the `derived` ones.
    """
    functions = library(domain.system, domain.periodic, config.library_degree)
    measured = measure(
        domain, functions, domain.system.jets.coordinates, data.scales, found.fields,
        lambda: data.held_out.batches(SLICES, SIZE),
    )  # fmt: skip
    forms: list[Formula] = []
    if outcome.exact:
        values = [exact(v) for v in domain.declaration.parameters.values()]
        forms = closed_forms(
            domain.system, measured, outcome.exact, values,
            lambda n: report.progress(n, len(outcome.exact), "proved"),
        )  # fmt: skip
    proved = [form for form in forms if form.proved]
    missing = len(outcome.exact) - len(forms)
    if missing > 0:
        report.warn(
            f"{missing} of {len(outcome.exact)} exact fields have no formula in a library of {len(functions)} "
            "functions; they are drawn as numbers; raise library_degree for more monomials"
        )
    rows = [_exact_row(form) for form in forms]
    rows += [_approximate_row(domain, measured, n) for n in outcome.slots if outcome.verdicts[n] == "approximate"]
    check: dict[str, Any] = {"dimension": len(outcome.exact), "proved": len(proved), "derived": len(truth.formulas)}
    check["same_span"] = same_span(domain.system, [form.field for form in proved], truth.formulas)
    return {"formulas": rows, "formulas_check": check}


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
