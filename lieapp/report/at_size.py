"""What a summary says of fields at finite size: held-out data moved along them, and the defect of what came out."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lieapp.compare.verdict import SMALL
from lieapp.report.charts import Line, line_chart
from lieapp.report.material import finite
from lieapp.report.wording import Summary, number, slots

FEW = 0.02
"""Share of nodes below which a flow parameter has no say in `holds`; as in `runs.finite`, a room above."""

ROWS = 4
"""Most rows of pictures of moved solutions."""

NOTHING = "no data left"

NOTE = (
    "Held-out solutions were moved along each learned field to the flow parameters s, and the finite defect "
    "rms(Rₛ − R₀) / (|s| rms Q), R being the equation's residual, is the relative error of the change that was "
    f"made; it tends to η as s → 0. A field holds if that is below {number(SMALL)} at every s that leaves enough "
    "nodes; undecided is a larger one where the moved grid is partly folded, or that unmoved solutions have too "
    "by the same differences. Where less than half of the nodes could be judged, their share stands beside."
)


@dataclass(frozen=True)
class AtSize:
    """One slot; lists go along `s`, what isn't there is None."""

    slot: int
    eta: float | None
    exact: bool
    s: list[float]
    defect: list[float | None]
    share: list[float | None]
    folded: list[float | None]
    holds: bool | None

    @property
    def largest(self) -> int | None:
        """Place of the largest defect among flow parameters that have a say."""
        seen = [(d, k) for k, d in enumerate(self.defect) if d is not None and (self.share[k] or 0) >= FEW]
        return max(seen)[1] if seen else None

    @property
    def farthest(self) -> int:
        """Place of the largest |s|, of those with data left if there are any."""
        left = [k for k, d in enumerate(self.defect) if d is not None] or range(len(self.s))
        return max(left, key=lambda k: (abs(self.s[k]), self.s[k]))

    @property
    def said(self) -> str:
        """Whether it holds, as one word."""
        return "–" if self.largest is None else {True: "yes", False: "no", None: "undecided"}[self.holds]


def at_size(summary: Summary) -> list[AtSize]:
    """The slots that were judged; none in runs without that judgement."""
    rows = []
    for row, entry in zip(slots(summary), summary.get("generators") or [], strict=True):
        judged = entry.get("finite")
        if not isinstance(judged, Mapping):
            continue
        s = [value for v in judged.get("s") or [] if (value := finite(v)) is not None]
        if not s:
            continue
        defect, share, folded = (_along(s, judged.get(key)) for key in ("defect", "share", "folded"))
        holds = judged.get("holds")
        holds = holds if isinstance(holds, bool) else None
        rows.append(AtSize(row.number, row.eta, row.verdict == "exact", s, defect, share, folded, holds))
    return rows


def cell(row: AtSize, place: int, of: str = "of nodes") -> str:
    """A defect, with the share of nodes where it is less than half."""
    defect, share = row.defect[place], row.share[place]
    if defect is None:
        return NOTHING
    return number(defect) + (f" ({_percent(share)} {of})" if share is not None and share < 0.5 else "")


def words(row: AtSize) -> str:
    """Whether the field holds and its largest defect, in few words: a terminal is 80 columns wide."""
    if row.largest is None:
        return NOTHING
    said = {"yes": "holds", "no": "fails", "undecided": "undecided"}[row.said]
    return f"{said}: {cell(row, row.largest, 'left')}"


def size_table(rows: Sequence[AtSize]) -> tuple[list[str], list[list[str]]]:
    """Heading and rows of the table slot x s."""
    line = sorted({s for row in rows for s in row.s})
    head = ["slot", *(f"s = {number(s)}" for s in line), "holds"]
    cells = []
    for row in rows:
        values = [cell(row, row.s.index(s)) if s in row.s else "–" for s in line]
        cells.append([str(row.slot), *values, row.said])
    return head, cells


def folds(rows: Sequence[AtSize]) -> str:
    """Where the moved grid was folded, in a sentence."""
    worst = [(row.slot, max((f for f in row.folded if f is not None), default=0.0)) for row in rows]
    parts = [f"slot {slot}, up to {_percent(share)} of the nodes" for slot, share in worst if share > 0]
    return f"The moved grid is folded in part: {'; '.join(parts)}." if parts else ""


def size_chart(rows: Sequence[AtSize]) -> str:
    """The defects over s, with η where s is 0."""
    lines = []
    for row in rows:
        points = [(s, math.nan if d is None else d, False) for s, d in zip(row.s, row.defect, strict=True)]
        points.append((0.0, math.nan if row.eta is None else row.eta, True))
        x, y, linear = zip(*sorted(points), strict=True)
        lines.append(Line(f"slot {row.slot}", x, y, [k for k, hollow in enumerate(linear) if hollow]))
    label = "flow parameter s (scaled coordinates, no unit)"
    title = "Defect of solutions moved to s"
    return line_chart(lines, label, "defect (no unit)", title, log=True, whole=False, symbols=True)


def pictured(rows: Sequence[AtSize]) -> list[int]:
    """Places of the slots that are drawn: the exact ones and the best of the others."""
    exact = [k for k, row in enumerate(rows) if row.exact]
    others = [k for k, row in enumerate(rows) if not row.exact][:1]
    return [*exact[: ROWS - len(others)], *others]


def _along(s: Sequence[float], values: Any) -> list[float | None]:
    """As many numbers as there are flow parameters."""
    found = [finite(v) for v in values or []][: len(s)]
    return [*found, *[None] * (len(s) - len(found))]


def _percent(share: float) -> str:
    return "under 1 %" if 0 < share < 0.01 else f"{100 * share:.0f} %"
