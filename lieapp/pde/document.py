"""What is said of symmetries learned from data of an equation, on the terminal, in the report and in the app; the
same as a table, generators.csv, with formulas in SymPy's syntax.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TypeAlias

from lieapp.document import (
    Block,
    Column,
    Document,
    Draw,
    Heading,
    Notice,
    Text,
    cosine,
    cosines,
    joined,
    number,
    seconds,
    table,
    undrawn,
)
from lieapp.extension import outcome
from lieapp.methods.verdict import SMALL
from lieapp.pde.algebra_document import brackets, families
from lieapp.pde.figures import FINITE, NOTE, folds, judged, keys, size_table, words, words_of
from lieapp.pde.fitted_document import (
    LEFT_OUT,
    fitted_forms,
    fitted_notices,
    fitted_sentence,
    fitted_slots,
    learned_sides,
)
from lieapp.pde.identify.document import equation as equation_blocks
from lieapp.pde.identify.document import path as path_blocks
from lieapp.results.discovery import AtSize, ClosedForm, EquationResult, Extended, Slot
from lieapp.runs.store.files import write_atomic

APART = 0.1
"""Largest principal angle, in radians, up to which two methods' spans are called the same."""


def document(result: EquationResult, draw: Draw = undrawn) -> Document:
    """All that is said of a result; without `draw` the figures are empty."""
    return [*opening(result), *sections(result, draw, SECTIONS)]


def opening(result: EquationResult) -> list[Block]:
    """What stands before the first heading: the equation and the outcome."""
    told = outcome(result) if result.fitted is None else [*outcome(result), *fitted_notices(result)]
    if result.extended is not None:
        told.insert(1, Notice(extended_words(result.extended, len(result.truth)), "info"))
    return [*result.equation_shown, *told]


def extended_words(found: Extended, derived: int) -> str:
    """What the data show together with simulated trajectories, in one sentence."""
    fields = ", ".join(field.text for field in found.proved)
    left = found.count - len(found.proved)
    more = f"; {left} exact candidate{'' if left == 1 else 's'} without a proof" if left > 0 else ""
    return (
        f"With {found.trajectories} more trajectories simulated on the same box: {len(found.proved)} symmetries "
        f"found and proved, {derived} derived{': ' if fields else ''}{fields}{more}"
    )


def sections(result: EquationResult, draw: Draw, wanted: Iterable[str]) -> list[Block]:
    """The sections of these keys of `SECTIONS`; only their figures are drawn."""
    left_out = () if result.fitted is None else LEFT_OUT
    return [block for key in wanted if key not in left_out for block in SECTIONS[key](result, draw)]


def sentence(result: EquationResult) -> str:
    """The outcome in one sentence: "Found all 2 symmetries of the equation, each proved: ∂t, ∂x"."""
    if result.fitted is not None:
        return fitted_sentence(result)
    parts = [_found(result) if result.all_proved else _candidates(result)]
    endless = not result.truth and bool(result.families)
    if endless:
        parts.append("the equation has infinitely many symmetries, all of them with arbitrary functions")
    elif not result.truth:
        parts.append("no derived generators to compare with")
    if result.missed:
        missed = 100 * (result.misfit or 0.0)
        parts.append(f"but the data miss the equation by {missed:.0f} % of their change in time")
    if result.more and not endless:
        parts.append("more may exist: every slot was filled, take more slots")
    return "; ".join(parts)


def _found(result: EquationResult) -> str:
    """What was found and proved, and how much of what is known that is."""
    fields = [form.shown.text for form in result.formulas if form.proved and form.shown is not None]
    count, derived = len(fields), len(result.truth)
    listed = f"{'each ' if count > 1 else ''}proved: {', '.join(fields)}"
    if not derived:
        return f"Found {count} symmetr{'y' if count == 1 else 'ies'}, {listed}"
    if result.formulas_check.same_span:
        return f"Found {'the one symmetry' if count == 1 else f'all {count} symmetries'} of the equation, {listed}"
    if result.formulas_check.holds_derived:
        more = f"all {derived} symmetries of the equation and members of its families"
        return f"Found {more}, {count} fields, {listed}"
    return f"Found {count} symmetr{'y' if count == 1 else 'ies'}, {listed}; {derived} were derived"


def _candidates(result: EquationResult) -> str:
    """What was found where not all of it is proved."""
    total = len(result.generators)
    slots_of = f"{total} slot{'' if total == 1 else 's'}"
    parts = [f"{result.count} candidate{'' if result.count == 1 else 's'} exact of {slots_of}"]
    if undecided := sum(slot.undecided for slot in result.generators) if result.unmet else 0:
        parts.append(f"{undecided} undecided, since the data can't show it")
    if result.truth:
        parts.append(f"{len(result.truth)} derived")
        cosines = [row.cosine for row in result.truth if row.cosine is not None]
        parts += [f"worst cosine {cosine(min(cosines))}"] if cosines else []
    return "; ".join(parts)


def verdict(slot: Slot, proved: bool) -> str:
    """A verdict in words: nothing is called exact before the exact slots' span is `proved`."""
    said = {
        "exact": "exact: in the proved span" if proved else "candidate: falls to the floor",
        "approximate": f"approximate: η is {number(slot.eta)}",
        "none": "none: slow, not set apart" if _slow(slot) else "none: not a symmetry",
    }[slot.verdict]
    if slot.undecided:
        said = "undecided: falls, but unproved" if slot.verdict == "approximate" else "undecided: see the warning"
    share = slot.confidence
    return said if share is None or share == 1 else f"{said} (in {min(round(100 * share), 99)} % of draws)"


def _slow(slot: Slot) -> bool:
    """Whether η is small and yet nothing: no gap in the spectrum sets the field apart."""
    return slot.verdict == "none" and slot.eta is not None and slot.eta < SMALL


def _slots(result: EquationResult, draw: Draw) -> list[Block]:
    if result.fitted is not None:
        return fitted_slots(result)
    head = Heading("Learned slots", "slots", "verdict")
    if not result.generators:
        return [head, Text("There are no learned fields.", small=True)]
    farthest = max((abs(s) for _, row in judged(result) for s in row.s), default=0.0)
    columns: list[Column | str] = [
        Column("slot", number=True), Column("η", number=True), Column("90 % of draws", number=True), "verdict",
        f"defect up to |s| = {number(farthest)}",
    ]  # fmt: skip
    rows = [
        [
            str(slot.slot), number(slot.eta), " – ".join(map(number, slot.eta_interval or ())) or None,
            verdict(slot, result.all_proved), None if slot.finite is None else words(slot.finite),
        ]
        for slot in result.generators
    ]  # fmt: skip
    note = (
        "Exact slots lie in the span of the proved closed forms."
        if result.all_proved
        else "Here, exact means a candidate: η falls towards the floor as the ansatz grows; nothing is proved."
    )
    about = "η is the relative error that a moved solution accumulates over the time window, on held-out data."
    nearly = [] if result.simpler is None else [result.simpler.line()]
    return [head, table(columns, rows), *nearly, Text(" ".join([about, note, *_columns(result)]), small=True)]


def _columns(result: EquationResult) -> list[str]:
    """What the columns say that not every run has."""
    said = []
    if any(map(_slow, result.generators)):
        said.append(
            f"Slow: η is below {number(SMALL)}, but no gap in the spectrum sets the field apart from those above "
            "it: in so short a window many change little."
        )
    if any(slot.eta_interval for slot in result.generators):
        said.append("Draws: the held-out trajectories, resampled.")
    if judged(result):
        said.append(
            "Defect: the same error for solutions moved by s, its largest value; a field holds if it is below "
            f"{number(SMALL)}; % left: the share of grid points that could be judged, if less than half."
        )
    return said


def _forms(result: EquationResult, draw: Draw) -> list[Block]:
    if result.fitted is not None:
        return fitted_forms(result)
    head = Heading("Closed forms", "formulas", "proved")
    if not result.formulas:
        return [head, Text("There are no closed forms.", small=True)]
    columns: list[Column | str] = ["field", Column("η", number=True), "exact invariance condition", "leftover"]
    rows = [
        [form.shown, number(form.eta), _standing(form), joined(form.leftover_shown) or None]
        for form in result.formulas
    ]
    note = "η of the formula is measured on held-out data. Proved: it satisfies the exact invariance condition"
    if any(form.leftover_shown for form in result.formulas):
        note += "; leftover: the remainder of that condition for the others"
    return [head, Text(_proof(result)), table(columns, rows), Text(f"{note}.", small=True)]


def _standing(form: ClosedForm) -> str:
    """What the exact invariance condition says of a formula."""
    if form.proved:
        return "proved"
    if form.slot is not None:
        return f"slot {form.slot}, approximate" if form.shown else f"slot {form.slot}: no formula fits"
    return "refuted: not a symmetry exactly"


def _proof(result: EquationResult) -> str:
    """How much was proved, in a sentence."""
    check = result.formulas_check
    what = "slots" if result.all_proved else "candidates"
    said = f"{check.proved} of {check.dimension} exact {what} written as proved formulas"
    if not check.derived or not check.proved:
        return f"{said}."
    if check.same_span:
        span = "they span exactly the derived generators"
    elif check.holds_derived:
        span = f"they contain the {check.derived} derived generators, and also members of a family"
    else:
        span = f"their span is not that of the {check.derived} derived generators"
    return f"{said}; {span}."


def _derived(result: EquationResult, draw: Draw) -> list[Block]:
    blocks: list[Block] = [Heading("Derived from the equation", "derived-table", "cosine")]
    if result.truth:
        columns: list[Column | str] = ["generator", "field", Column("cosine", number=True)]
        near = cosines([row.cosine for row in result.truth])
        rows = [(row.name, row.shown, value) for row, value in zip(result.truth, near, strict=True)]
        blocks.append(table(columns, rows))
        told = "Cosine: length of the projection of the normalised derived field on the span of the exact slots."
        blocks.append(Text(f"{told} {_angle(result)}".strip(), small=True))
    elif not result.families:
        blocks.append(Text("No generators were derived for this run.", small=True))
    return [*blocks, *families(result)]


def _angle(result: EquationResult) -> str:
    """The largest angle between the learned and the derived span, in a sentence."""
    angle = result.subspace.angle
    if angle is None:
        return ""
    learned, known = result.count, len(result.truth)
    size = "" if learned == known else f" (of {learned} and {known} dimensions; the smaller one is compared)"
    return f"Largest principal angle between the learned and the derived span{size}: {number(angle)} rad."


def _check(result: EquationResult, draw: Draw) -> list[Block]:
    check, said = result.cross_check, "No cross-check by a second method was run."
    if check is not None:
        said = _agreement(check.method, check.angle, result.count, check.count)
    return [Heading("Cross-check", "check"), Text(said)]


def _agreement(method: str, angle: float | None, mine: int, theirs: int) -> str:
    """How near the other method's exact span is to this run's."""
    found = f"The {method} method finds {theirs or 'no'} exact candidate{'' if theirs == 1 else 's'}"
    if angle is None:
        return f"{found}, this one {mine or 'none'}."
    if angle > APART:
        far = f"the largest principal angle is {number(angle)} rad"
        return f"{found}, this one {mine}, and the spans differ: {far}."
    if mine != theirs:
        return f"{found}, this one {mine}; the smaller span lies in the larger one within {number(angle)} rad."
    return f"The {method} method finds the same span within {number(angle)} rad."


def _at_size(result: EquationResult, draw: Draw) -> list[Block]:
    """Fields at finite size; nothing in runs without that judgement. A terminal has the largest of the defects."""
    rows = judged(result)
    if not rows:
        return []
    notes = [Text(words, small=True) for words in (NOTE, folds(rows)) if words]
    head = Heading("At finite size", "finite", "finite_defect", pages_only=True)
    return [head, size_table(rows), *notes, *map(draw, FINITE)]


Section: TypeAlias = Callable[[EquationResult, Draw], list[Block]]


def _pictured(key: str) -> Section:
    """A figure under its own title."""
    return lambda result, draw: [Heading(words_of(key)[0], key, key), draw(key)]


def _if_proved(section: Section, *, proved: bool) -> Section:
    """A section of runs in which each exact slot is proved and generators were derived, or of all others."""

    def told(result: EquationResult, draw: Draw) -> list[Block]:
        return section(result, draw) if (result.all_proved and bool(result.truth)) == proved else []

    return told


def _trained(key: str) -> Section:
    """The same of a training: the method spectrum has none, and `convergence` shows its levels."""
    shown = _pictured(key)
    return lambda result, draw: [] if result.method == "spectrum" else shown(result, draw)


def _identified(result: EquationResult, draw: Draw) -> list[Block]:
    """How the equation was found, if nobody gave it."""
    if result.identified is None:
        return []
    if (learned := result.identified.learned) is not None:
        head = Heading("The equation, learned from the data", "identified")
        return [head, *learned_sides(learned), *path_blocks(result.identified)]
    return [Heading("The equation, identified from the data", "identified"), *equation_blocks(result.identified),
            *path_blocks(result.identified)]  # fmt: skip


SECTIONS: dict[str, Section] = {
    "identified": _identified,
    "slots": _slots,
    "formulas": _forms,
    "derived-table": _derived,
    "brackets": lambda result, draw: brackets(result),
    "check": _check,
    **{key: _pictured(key) for key in keys() if key not in (*FINITE, "loss", "training")},
    # in the proved basis once there is one
    "generators": _if_proved(_pictured("generators"), proved=True),
    "derived": _if_proved(_pictured("derived"), proved=False),
    "finite": _at_size,
    **{key: _trained(key) for key in ("loss", "training")},
    "seconds": lambda result, draw: seconds(result.seconds),
}
"""What each section says, in the order of the document."""


_SIZE = ("finite_defect", "finite_s", "finite_share", "finite_holds")
"""The largest defect of moved data, the flow parameter it belongs to, the share of nodes judged there."""


def write_csv(result: EquationResult, path: Path) -> None:
    """Write the file, whole or not at all. Raises OSError."""
    coordinates, text = result.coordinates, io.StringIO()
    writer = csv.writer(text)
    writer.writerow(["kind", "name", "eta", "verdict", "proved", "cosine", *_SIZE, *coordinates])
    for slot in result.generators:
        moved = [*_moved(slot.finite), *[""] * len(coordinates)]
        writer.writerow(["learned", f"slot {slot.slot}", _cell(slot.eta), slot.verdict, "", "", *moved])
    for place, form in enumerate(result.formulas, start=1):
        said = [f"formula {place}", _cell(form.eta), form.verdict, form.proved, ""]
        writer.writerow(["formula", *said, *_moved(None), *_parts(form.field or {}, coordinates)])
    for row in result.truth:
        said = [row.name, "", "", "", _cell(row.cosine)]
        writer.writerow(["derived", *said, *_moved(None), *_parts(row.field, coordinates)])
    write_atomic(path, text.getvalue().encode())


def _parts(field: dict[str, str], coordinates: list[str]) -> list[str]:
    return [field.get(name, "") for name in coordinates]


def _moved(row: AtSize | None) -> list[str]:
    """A line's cells under `_SIZE`."""
    if row is None or row.largest is None:
        return [""] * len(_SIZE)
    k, holds = row.largest, "" if row.holds is None else repr(row.holds)
    return [_cell(row.defect[k]), _cell(row.s[k]), _cell(row.share[k]), holds]


def _cell(value: float | None) -> str:
    return "" if value is None else repr(value)
