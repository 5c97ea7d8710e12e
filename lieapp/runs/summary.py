"""summary.json of a discovery: the JSON contract, and what the report draws besides."""

from __future__ import annotations

from typing import Any

from lieapp.compare.outcome import Outcome
from lieapp.compare.verdict import gap_after
from lieapp.discovery.result import Discovery
from lieapp.domains.pde import PDEDomain
from lieapp.runs.truth import Derived


def summary_of(
    domain: PDEDomain, found: Discovery, check: Discovery | None, truth: Derived, outcome: Outcome
) -> dict[str, Any]:
    """Everything but the run's own name, settings, seconds and warnings."""
    last = found.levels[-1]
    return {
        "count": len(outcome.exact),
        "more": bool(outcome.slots) and len(outcome.exact) == len(outcome.slots),
        "generators": [
            {"slot": n + 1, "eta": last.eta[n], "verdict": outcome.verdicts[n], **_sure(outcome, n)}
            for n in outcome.slots
        ],
        "spectrum": _spectrum(found, check),
        "truth": [
            {"name": name, "field": field, "cosine": cosine}
            for name, field, cosine in zip(truth.names, truth.fields, outcome.cosines, strict=True)
        ],
        "subspace": {"angle": outcome.angle},
        "cross_check": _cross_check(check, outcome),
        "title": domain.declaration.title,
        "equation_latex": domain.latex(),
        "coordinates": list(domain.components),
        "inner": outcome.inner.tolist(),
        "truth_eta": outcome.eta[outcome.true].tolist(),
        "convergence": [
            {"slot": n + 1, "levels": [level.label for level in found.levels], "eta": found.sequence(n)}
            for n in outcome.slots
        ],
        "grows": found.grows,
        "families": truth.families,
    }


def _sure(outcome: Outcome, n: int) -> dict[str, Any]:
    """The 90 % interval of eta and the share of draws with this verdict; null with too few trajectories."""
    if outcome.confidence is None:
        return {"eta_interval": None, "confidence": None}
    sure = outcome.confidence[n]
    return {"eta_interval": [sure.low, sure.high], "confidence": sure.share}


def _spectrum(found: Discovery, check: Discovery | None) -> dict[str, Any]:
    """Of the fixed bases where they were solved: a network's features change from run to run."""
    shown = check if check is not None and check.method == "spectrum" else found
    return {"method": shown.method, "eta": shown.spectrum, "gap_after": gap_after(shown.spectrum)}


def _cross_check(check: Discovery | None, outcome: Outcome) -> dict[str, Any] | None:
    if check is None:
        return None
    return {
        "method": check.method,
        "angle": outcome.cross_angle,
        "count": len(outcome.others_exact),
        "eta": check.levels[-1].eta,
    }
