"""What `lieapp discover` found of an equation."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

from lieapp.document import Formula, Text, joined, number
from lieapp.results.base import Compared, Result
from lieapp.results.identification import Identification
from lieapp.results.truth import FamilyResult

FLOOR = 1e-7
"""eta at round-off: derived generators come out between 1e-12 and 1e-8 on the shipped equations."""

Verdict: TypeAlias = Literal["exact", "approximate", "none"]

FEW = 0.02
"""Share of nodes below which a flow parameter says nothing."""


class AtSize(msgspec.Struct, kw_only=True):
    """One learned field at finite size: lists go along `s`.

    Args:
        s: flow parameters, in scaled coordinates.
        defect: of data moved to s; None where no node is left.
        share: of the nodes that were judged.
        folded: share of those in the time window where the moved grid is folded.
        unmoved: what unmoved data have in the place of the defect.
        holds: whether the field is a symmetry at every s with enough nodes; None where nothing tells.
    """

    s: list[float]
    defect: list[float | None]
    share: list[float]
    folded: list[float]
    unmoved: list[float | None]
    holds: bool | None

    def __post_init__(self) -> None:
        lists = (self.s, self.defect, self.share, self.folded, self.unmoved)
        if not self.s or len({len(part) for part in lists}) > 1:
            raise ValueError("defect, share, folded and unmoved have an entry for each of one s or more")

    @property
    def largest(self) -> int | None:
        """Place of the largest defect among flow parameters that have a say."""
        seen = [(d, k) for k, d in enumerate(self.defect) if d is not None and self.share[k] >= FEW]
        return max(seen)[1] if seen else None

    @property
    def farthest(self) -> int:
        """Place of the largest |s|, of those with data left if there are any."""
        left = [k for k, d in enumerate(self.defect) if d is not None] or range(len(self.s))
        return max(left, key=lambda k: (abs(self.s[k]), self.s[k]))


class Slot(msgspec.Struct, kw_only=True):
    """One learned field.

    Args:
        slot: its number, from 1.
        eta: its defect on held-out data.
        eta_interval: ends of the 90 % interval over draws of the held-out trajectories; None with too few.
        confidence: share of the draws with this verdict.
        finite: None where it wasn't judged at finite size.
        undecided: whether the data can't show that it is a symmetry, and no formula is proved: windows of few
            trajectories, or what `EquationResult.unmet` says; of a learned equation, whether those learned from
            halves of the trajectories don't set it apart.
        eta_halves: of a learned equation, the larger defect under those learned from halves of the trajectories.
    """

    slot: int
    eta: float | None
    verdict: Verdict
    eta_interval: tuple[float | None, float | None] | None = None
    confidence: float | None = None
    finite: AtSize | None = None
    undecided: bool = False
    eta_halves: float | None = None


class ClosedForm(msgspec.Struct, kw_only=True):
    """A formula for learned fields.

    Args:
        field: a component for each coordinate; None where the library holds no formula.
        proved: whether it fulfils the invariance condition, exactly.
        eta: of the formula on held-out data.
        leftover: of the invariance condition, for each equation; None if nothing or too much to be told.
        slot: that an approximate one belongs to.
    """

    field: dict[str, str] | None
    verdict: Verdict
    proved: bool
    eta: float | None
    leftover: str | None = None
    slot: int | None = None
    shown: Formula | None = None
    leftover_shown: list[Formula] = []


class FormulasCheck(msgspec.Struct, kw_only=True):
    """What was proved of the formulas.

    Args:
        dimension: of the exact slots' span.
        proved: how many formulas are.
        derived: how many generators were derived.
        same_span: whether the proved formulas span the derived generators; `holds_derived`: whether they hold them.
    """

    dimension: int = 0
    proved: int = 0
    derived: int = 0
    same_span: bool = False
    holds_derived: bool = False


class DerivedField(msgspec.Struct, kw_only=True):
    """A generator derived from the equation; `cosine`: how much of it the exact slots' span holds."""

    name: str
    field: dict[str, str]
    cosine: float | None
    shown: Formula


class Spectrum(msgspec.Struct, kw_only=True):
    """The defect of every direction of a basis, ascending, and after how many the largest gap lies."""

    method: str = ""
    eta: list[float | None] = []
    gap_after: int | None = None


class Subspace(msgspec.Struct, kw_only=True):
    """The largest principal angle between the learned and the derived span, in radians."""

    angle: float | None = None


class CrossCheck(msgspec.Struct, kw_only=True):
    """What the other method found: the angle between both spans, how many are exact, their defects."""

    method: str
    angle: float | None
    count: int
    eta: list[float | None]


class Convergence(msgspec.Struct, kw_only=True):
    """How a slot's defect went, level by level."""

    slot: int
    levels: list[int]
    eta: list[float | None]


MISSED = 0.5
"""Misfit from which on the outcome says so: the equation's symmetries may not be the data's."""


class Extended(msgspec.Struct, kw_only=True):
    """What a user's data show together with simulated trajectories of the same equation and box.

    Args:
        trajectories: how many were simulated.
        count: exact fields; `proved`: the formulas of those that were proved.
        angle: between their span and that of the derived generators, in radians.
    """

    trajectories: int
    count: int
    proved: list[Formula] = []
    angle: float | None = None


class Bracket(msgspec.Struct, kw_only=True):
    """[Vᵢ, Vⱼ] of the derived generators i, j, counted from 1, in their basis: exact and of the learned span."""

    first: int
    second: int
    derived: list[float]
    learned: list[float]
    shown: Formula | None = None

    @property
    def difference(self) -> float:
        """The largest difference of a learned constant from the derived one."""
        return max(abs(a - b) for a, b in zip(self.derived, self.learned, strict=True))


class Structure(msgspec.Struct, kw_only=True):
    """The structure constants of the exact span beside the derived ones.

    Args:
        left: what of the learned brackets lies outside the span, relative to the largest.
    """

    brackets: list[Bracket] = []
    left: float = 0.0


class Superposition(msgspec.Struct, kw_only=True):
    """Members φ(t, x) ∂u, φ a solution, of a linear homogeneous equation, taken out before fields are counted.

    Args:
        count: how many were found exact in a basis; `members`: those that were written down and proved.
    """

    count: int
    members: list[Formula] = []


class Simpler(msgspec.Struct, kw_only=True):
    """A simpler equation that the data nearly solve.

    Args:
        left_out: the terms of the right-hand sides that hardly count, `share`: by how much they change solutions in
            the time window, relative to their spread.
    """

    equation: list[Formula]
    left_out: list[Formula]
    share: float

    def line(self) -> Text:
        """In a line: "In this window solutions are nearly those of u_t + u u_x = 0: u_xx changes them by .03 …"."""
        equations, left = joined(self.equation, "; "), joined(self.left_out)
        verb, size = "changes" if len(self.left_out) == 1 else "change", number(self.share)
        end = f" {verb} them by {size} of their spread at most. Slow fields may be symmetries of that equation."
        return Text(["In this window solutions are nearly those of ", *equations, ": ", *left, end])


class EquationResult(Result, tag_field="result", tag="discovery", kw_only=True):
    """Symmetries learned from data of an equation, beside the derived ones.

    Args:
        count: how many slots are exact; `more`: whether all are, so that there may be further ones.
        truth: the derived generators that periodic data keep; `families` with arbitrary functions aren't compared.
        coordinates: names, independent ones first.
        inner: slot x derived generator, of normalised fields in scaled coordinates.
        truth_eta: the defect of each derived generator on held-out data.
        grows: what the levels of `convergence` count.
        structure: brackets, where the exact slots span the derived generators.
        superposition: of a linear homogeneous equation, whose fields are counted modulo adding solutions.
        identified: how the equation was found in the data, if nobody gave it.
        simpler: an equation that the data nearly solve, where slots are slow; None if there is none.
        fitted: of an equation learned from these data, what it leaves on held-out trajectories, relative; nothing
            is derived from it or proved.
        unmet: conditions of a verdict that the data don't meet, in words: without a proof it is undecided then.
        misfit: what data from elsewhere leave of the equation, relative to their change in time; None if unknown.
        seconds: of each stage in the order of work, and in all.
    """

    method: str = ""
    seconds: dict[str, float] = {}
    count: int = 0
    more: bool = False
    generators: list[Slot] = []
    spectrum: Spectrum = msgspec.field(default_factory=Spectrum)
    truth: list[DerivedField] = []
    subspace: Subspace = msgspec.field(default_factory=Subspace)
    cross_check: CrossCheck | None = None
    equation_latex: str = ""
    equation_shown: list[Formula] = []
    coordinates: list[str] = []
    inner: list[list[float | None]] = []
    truth_eta: list[float | None] = []
    convergence: list[Convergence] = []
    grows: str = ""
    families: list[FamilyResult] = []
    formulas: list[ClosedForm] = []
    formulas_check: FormulasCheck = msgspec.field(default_factory=FormulasCheck)
    extended: Extended | None = None
    structure: Structure | None = None
    superposition: Superposition | None = None
    identified: Identification | None = None
    unmet: list[str] = []
    misfit: float | None = None
    fitted: float | None = None
    simpler: Simpler | None = None

    @property
    def apart(self) -> list[Slot]:
        """The slots of a learned equation that a gap sets apart, as far as the data determine it."""
        return [row for row in self.generators if row.verdict == "approximate" and not row.undecided]

    @property
    def all_proved(self) -> bool:
        """Whether the whole span of the exact slots was written down in formulas that were proved."""
        return 0 < self.formulas_check.dimension == self.formulas_check.proved

    @property
    def level(self) -> Literal["success", "info"]:
        """A success if a slot is exact, and the data solve the equation."""
        return "success" if self.count and not self.missed else "info"

    @property
    def missed(self) -> bool:
        """Whether the data leave so much of the equation that it isn't theirs, or noise hides that it is."""
        return self.misfit is not None and self.misfit > MISSED

    def compared(self) -> Compared:
        return Compared(
            method=self.method,
            count=self.count,
            names=[row.name for row in self.truth],
            fields=[row.shown for row in self.truth],
            formulas=[form.shown for form in self.formulas if form.proved and form.shown],
            cosines=[row.cosine for row in self.truth],
            angle=self.subspace.angle,
            etas=[row.eta for row in self.generators],
            seconds=self.seconds,
        )
