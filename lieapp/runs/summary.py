"""The result of a discovery on an equation, made from what its stages found."""

from __future__ import annotations

from pathlib import Path

from lieapp.compare.outcome import Outcome
from lieapp.compare.verdict import gap_after
from lieapp.config import DiscoverConfig
from lieapp.domains.pde import PDEDomain
from lieapp.methods.result import Discovery
from lieapp.report.discovery_document import sentence
from lieapp.results.discovery import (
    Convergence,
    CrossCheck,
    DerivedField,
    EquationResult,
    Slot,
    Spectrum,
    Subspace,
)
from lieapp.runs.formulas import Written, proof_of, written_forms
from lieapp.runs.truth import Derived


def result_of(
    config: DiscoverConfig, run: Path, domain: PDEDomain, found: Discovery, check: Discovery | None, truth: Derived,
    written: Written, outcome: Outcome, warnings: list[str],
) -> EquationResult:  # fmt: skip
    """Everything but the judgement at finite size and the seconds."""
    shown = domain.shown()
    result = EquationResult(
        run=str(run),
        plugin=config.plugin,
        title=domain.declaration.title,
        warnings=warnings,
        method=config.method,
        count=len(outcome.exact),
        more=bool(outcome.slots) and len(outcome.exact) == len(outcome.slots),
        generators=[_slot(found, outcome, n) for n in outcome.slots],
        spectrum=_spectrum(found, check),
        truth=[
            DerivedField(name=name, field=field, cosine=cosine, shown=formula.formula())
            for name, field, cosine, formula in zip(
                truth.names, truth.fields, outcome.cosines, truth.formulas, strict=True
            )
        ],
        subspace=Subspace(angle=outcome.angle),
        cross_check=_cross_check(check, outcome),
        equation_latex=",\\quad ".join(equation.latex for equation in shown),
        equation_shown=shown,
        coordinates=list(domain.components),
        inner=outcome.inner.tolist(),
        truth_eta=outcome.eta[outcome.true].tolist(),
        convergence=[
            Convergence(slot=n + 1, levels=[level.label for level in found.levels], eta=[*found.sequence(n)])
            for n in outcome.slots
        ],
        grows=found.grows,
        families=truth.families,
        formulas=written_forms(domain, written, outcome),
        formulas_check=proof_of(domain, written, outcome, truth),
    )
    result.sentence = sentence(result)
    return result


def _slot(found: Discovery, outcome: Outcome, n: int) -> Slot:
    row = Slot(slot=n + 1, eta=found.levels[-1].eta[n], verdict=outcome.verdicts[n])
    if outcome.confidence is not None:
        sure = outcome.confidence[n]
        row.eta_interval, row.confidence = (sure.low, sure.high), sure.share
    return row


def _spectrum(found: Discovery, check: Discovery | None) -> Spectrum:
    """Of the fixed bases where they were solved: a network's features change from run to run."""
    shown = check if check is not None and check.method == "spectrum" else found
    return Spectrum(method=shown.method, eta=[*shown.spectrum], gap_after=gap_after(shown.spectrum))


def _cross_check(check: Discovery | None, outcome: Outcome) -> CrossCheck | None:
    if check is None:
        return None
    return CrossCheck(
        method=check.method,
        angle=outcome.cross_angle,
        count=len(outcome.others_exact),
        eta=[*check.levels[-1].eta],
    )
