"""What a summary says in words and rows: the same for the terminal, the page and the report."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_DOWN, Decimal
from typing import Any

from lieapp.report.formula import field_text
from lieapp.report.material import finite

Summary = Mapping[str, Any]

STAGES = (
    "start", "data", "network", "weight", "truth", "discovery", "cross-check", "compare", "formulas", "finite",
    "report", "total",
)  # fmt: skip
"""The order in which stages are listed; others follow as they come."""


@dataclass(frozen=True)
class Slot:
    """One learned field and what is said about it.

    Args:
        interval: of eta over draws of the held-out trajectories, as text; empty where it isn't known.
    """

    number: int
    eta: float | None
    verdict: str
    words: str
    interval: str = ""


@dataclass(frozen=True)
class Derived:
    """One generator derived from the equation and how well the learned span holds it."""

    name: str
    field: dict[str, str]
    cosine: float | None


def slots(summary: Summary) -> list[Slot]:
    """The learned slots in their order."""
    rows, proved = [], all_proved(summary)
    for place, entry in enumerate(summary.get("generators") or [], start=1):
        eta, verdict = finite(entry.get("eta")), str(entry.get("verdict", ""))
        words = verdict_words(verdict, eta, proved)
        share = finite(entry.get("confidence"))
        if share is not None and share < 1:
            words += f" (in {100 * share:.0f} % of draws)"
        ends = [finite(end) for end in entry.get("eta_interval") or []]
        interval = " – ".join(number(end) for end in ends) if len(ends) == 2 else ""
        rows.append(Slot(int(entry.get("slot", place)), eta, verdict, words, interval))
    return rows


INTERVAL = "90 % of draws"
"""Head of the column of intervals: held-out trajectories are drawn anew, with repetition."""


def all_proved(summary: Summary) -> bool:
    """Whether the whole span of the exact slots was written down in formulas that were proved."""
    check = summary.get("formulas_check") or {}
    return 0 < int(check.get("dimension") or 0) == int(check.get("proved") or 0)


def verdict_words(verdict: str, eta: float | None, proved: bool = False) -> str:
    """A verdict as printed: nothing is called exact before the exact slots' span is proved."""
    if verdict == "exact":
        return "exact: in the proved span" if proved else "candidate: falls to the floor"
    if verdict == "approximate":
        return f"approximate: η is {number(eta)}"
    return "none: not a symmetry" if verdict == "none" else verdict


def derived(summary: Summary) -> list[Derived]:
    """The derived generators on the periodic domain."""
    return [
        Derived(
            str(entry.get("name", f"generator {place}")),
            {str(name): str(text) for name, text in (entry.get("field") or {}).items()},
            finite(entry.get("cosine")),
        )
        for place, entry in enumerate(summary.get("truth") or [], start=1)
    ]


MEMBERS = (
    "Learned fields may be members of a family as well, which aren't compared: each takes a slot, and the "
    "generators' cosines can then be lower; more slots leave room for both."
)
"""What to know about learned fields where there are families."""


def family(entry: Mapping[str, Any]) -> str:
    """A family with arbitrary functions in a line: "the family alpha ∂u for every alpha(t, x) where … = 0"."""
    functions = ", ".join(f"{name}({', '.join(args)})" for name, args in (entry.get("functions") or {}).items())
    conditions = "; ".join(f"{condition} = 0" for condition in entry.get("conditions") or [])
    field = field_text({str(name): str(text) for name, text in (entry.get("field") or {}).items()})
    return f"the family {field} for every {functions}{' where ' if conditions else ''}{conditions}"


@dataclass(frozen=True)
class Written:
    """A formula for learned fields and what is said about it.

    Args:
        leftover: of the invariance condition, as text; empty for what is proved.
    """

    field: dict[str, str] | None
    eta: float | None
    words: str
    proved: bool
    leftover: str


def written(summary: Summary) -> list[Written]:
    """The closed forms in their order, proved ones first."""
    rows = []
    for entry in summary.get("formulas") or []:
        field = entry.get("field")
        proved = bool(entry.get("proved"))
        named = {str(name): str(text) for name, text in field.items()} if field else None
        if proved:
            words = "proved"
        elif entry.get("slot"):
            words = f"slot {entry['slot']}, approximate" if named else f"slot {entry['slot']}: no formula fits"
        else:
            words = "refuted: not a symmetry exactly"
        rows.append(Written(named, finite(entry.get("eta")), words, proved, str(entry.get("leftover") or "")))
    return rows


def proof(summary: Summary) -> str:
    """How much was proved, in a sentence; empty where nothing was written down."""
    check = summary.get("formulas_check") or {}
    dimension, proved, known = (int(check.get(key) or 0) for key in ("dimension", "proved", "derived"))
    if not dimension:
        return ""
    what = "slots" if all_proved(summary) else "candidates"
    said = f"{proved} of {dimension} exact {what} written down and proved"
    if not known or not proved:
        return f"{said}."
    if check.get("same_span"):
        span = "they span exactly the derived generators"
    elif check.get("holds_derived"):
        span = f"they hold the {known} derived generators, and members of a family besides"
    else:
        span = f"their span is not that of the {known} derived generators"
    return f"{said}; {span}."


def sentence(summary: Summary) -> str:
    """The outcome in one sentence: "2 of 4 slots exact, proved; 2 derived; worst cosine 0.99998"."""
    if not summary:
        return "No summary was written; the run did not reach its end."
    if "sentence" in summary:  # of pictures, which have no formulas
        return str(summary["sentence"])
    found, total = int(summary.get("count") or 0), len(slots(summary))
    slots_of = f"{total} slot{'' if total == 1 else 's'}"
    if all_proved(summary):
        parts = [f"{found} of {slots_of} exact, proved"]
    else:
        parts = [f"{found} candidate{'' if found == 1 else 's'} exact of {slots_of}"]
    truth = derived(summary)
    if truth:
        parts.append(f"{len(truth)} derived")
        cosines = [row.cosine for row in truth if row.cosine is not None]
        if cosines:
            parts.append(f"worst cosine {cosine(min(cosines))}")
    else:
        parts.append("no derived generators to compare with")
    if summary.get("more"):
        parts.append("more may exist: every slot was filled")
    return "; ".join(parts)


def stage_seconds(summary: Summary) -> list[tuple[str, float]]:
    """Seconds per stage, in the order of work."""
    seconds = summary.get("seconds") or {}
    order = [*(s for s in STAGES[:-1] if s in seconds), *(s for s in seconds if s not in STAGES)]
    if "total" in seconds:
        order.append("total")
    return [(stage, value) for stage in order if (value := finite(seconds[stage])) is not None]


def cross_check(summary: Summary) -> str:
    """What the other method found, in a sentence."""
    check = summary.get("cross_check") or {}
    angle = finite(check.get("angle"))
    if angle is None:
        return "No cross-check by a second method was run."
    return f"The {check.get('method', 'other')} method finds the same span within {number(angle)} rad."


def subspace(summary: Summary) -> str:
    """The largest angle between the learned and the derived span, in a sentence."""
    angle = finite((summary.get("subspace") or {}).get("angle"))
    if angle is None:
        return ""
    learned, known = int(summary.get("count") or 0), len(derived(summary))
    size = "" if learned == known else f" (of {learned} and {known} dimensions; the smaller one is compared)"
    return f"Largest principal angle between the learned and the derived span{size}: {number(angle)} rad."


@dataclass(frozen=True)
class Convergence:
    """How a slot's η went as the basis or the features grew."""

    slot: int
    levels: list[float]
    etas: list[float]


def convergence(summary: Summary) -> list[Convergence]:
    """The convergence sequences, from `{"levels", "eta": [per slot]}` or a list with one object per slot."""
    entry = summary.get("convergence") or []
    if isinstance(entry, Mapping):
        levels = entry.get("levels") or []
        table: Sequence[Any] = entry.get("eta") or []
        entries = [{"slot": k, "levels": levels, "eta": etas} for k, etas in enumerate(table, start=1)]
    else:
        entries = [dict(e) for e in entry]
    found = []
    for place, item in enumerate(entries, start=1):
        etas = [_value(v) for v in item.get("eta") or []]
        levels = [_value(v) for v in item.get("levels") or range(1, len(etas) + 1)]
        found.append(Convergence(int(item.get("slot", place)), levels[: len(etas)], etas[: len(levels)]))
    return [c for c in found if c.etas]


def number(value: float | None) -> str:
    """Two digits, `3e-6` and `290` rather than `3e-06` and `2.9e+02`; a dash for what isn't there."""
    if value is None:
        return "–"
    if 10 <= abs(value) < 1e5:
        return f"{value:.0f}".replace("-", "−")
    mantissa, _, exponent = f"{value:.2g}".partition("e")
    # the true minus sign in front, as wide as a digit; the exponent stays copyable
    return mantissa.replace("-", "−") + (f"e{int(exponent)}" if exponent else "")


MOST_DECIMALS = 10
"""Of a cosine."""


def cosine(value: float | None, decimals: int = 5) -> str:
    """Cut rather than rounded, with as many decimals as it takes to tell what is missing to 1: 0.9999999976.

    An angle of 7e-5 then stands beside the cosine that it has. Ten decimals are the most: beyond them is round-off.
    """
    if value is None or not math.isfinite(value):
        return "–"
    # the shortest decimal number that is this float: exactly, .99998 is a little less
    exact = min(Decimal(repr(float(value))), Decimal(1))
    missing = 1 - exact
    shown = min(max(decimals, 1 - missing.adjusted()), MOST_DECIMALS) if 0 < missing < 1 else decimals
    whole, _, digits = f"{exact.quantize(Decimal(1).scaleb(-shown), ROUND_DOWN):f}".partition(".")
    return f"{whole}.{digits[:decimals]}{digits[decimals:].rstrip('0')}".replace("-", "−")


def _value(value: Any) -> float:
    number = finite(value)
    return float("nan") if number is None else number
