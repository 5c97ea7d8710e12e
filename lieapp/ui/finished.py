"""What a finished run shows: its result in tabs, sliders along slots, where it came from; a derivation laid out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial
from pathlib import Path

import streamlit as st
from msgspec import UNSET

from lieapp import document as doc
from lieapp.drawing import Drawing, MissingError
from lieapp.extension import described, outcome
from lieapp.figures.charts import defect_chart, loss_chart
from lieapp.figures.material import Json
from lieapp.pde.document import opening, verdict
from lieapp.pde.document import sections as discovery_sections
from lieapp.pde.figures import figure, material_of, words_of
from lieapp.pde.fitted_document import fitted_verdict
from lieapp.pde.slider import defect_words, field_chart, orbit_at, read_orbit
from lieapp.pictures.document import COMPARISON, draw, field_at, pictures_at, read_moved
from lieapp.pictures.document import document as picture_document
from lieapp.pictures.figures import components
from lieapp.registry.catalog import load_catalog
from lieapp.report.documents import provenance_rows
from lieapp.report.questions_document import classify_document, laws_document, totals_drawn
from lieapp.report.truth_document import document as truth_document
from lieapp.results.base import Result
from lieapp.results.classification import ClassifyResult
from lieapp.results.discovery import EquationResult
from lieapp.results.laws import LawsResult
from lieapp.results.pictures import PictureDiscovery, Slot
from lieapp.results.sweep import Sweep
from lieapp.results.truth import TruthResult
from lieapp.runs.overview import compared
from lieapp.runs.store.directory import RunDirectory
from lieapp.sweeps.table import document as sweep_document
from lieapp.ui.help import popover, tip
from lieapp.ui.lists import downloaded, readable, show_files, show_link
from lieapp.ui.plots import show_drawing
from lieapp.ui.rendering import facts_block, log_tail, markdown, show, show_block
from lieapp.ui.sweeps import show_cells
from lieapp.ui.words import plain

Views = dict[str, Callable[[], None]]
"""What each tab shows."""

START = 0.2
"""The slider begins near this s: at 0 nothing would be moved."""

KEPT = 200
"""Rows of pictures kept in memory, 50 kB each."""

LARGEST = 12
"""Generators up to which the brackets are a table; more are listed."""


def show_result(run: RunDirectory, result: Result) -> None:
    """The outcome, tabs so that each view fits a screen, and the files; a derivation has a layout of its own."""
    if isinstance(result, TruthResult):
        show_derived(run)
        return
    if isinstance(result, ClassifyResult):
        show(classify_document(result))
        show_files(run)
        return
    if isinstance(result, LawsResult):
        show(laws_document(result, totals_drawn(result)))
        show_files(run)
        return
    if isinstance(result, Sweep):
        show(sweep_document(result))
        show_cells(run)
        show_files(run)
        return
    if isinstance(result, EquationResult):
        show(opening(result))
        views = _of_equation(run, result)
    else:
        show(outcome(result))
        views = _of_pictures(run, result) if isinstance(result, PictureDiscovery) else _of_other(run, result)
    views["Origin"] = lambda: _origin(run)
    # an open tab stands in the address, and only its content is made
    for tab, (name, view) in zip(st.tabs(list(views), key="view", bind="query-params"), views.items(), strict=True):
        if tab.open:
            with tab:
                view()
                # the slots' own link has what their widgets hold
                if name != "Slots":
                    show_link()
    show_files(run)


def _of_equation(run: RunDirectory, result: EquationResult) -> Views:
    """The sections of its document."""
    material = cache(partial(material_of, result, run.path))

    def draw(key: str) -> doc.Figure:
        return figure(key, result, material())

    def told(*keys: str) -> Callable[[], None]:
        return lambda: show(discovery_sections(result, draw, keys))

    identified: Views = {} if result.identified is None else {"Equation": told("identified")}
    return {
        "Comparison": told("slots", "inner", "formulas", "derived-table", "brackets", "check", "spectrum"),
        "Slots": lambda: _slots(run, result),
        "Fields": told("generators", "learned", "derived"),
        "Finite size": told("orbit", "finite"),
        "Training": told("convergence", "training", "loss"),
        **identified,
    }


def _of_pictures(run: RunDirectory, result: PictureDiscovery) -> Views:
    def figures() -> None:
        told = picture_document(result, draw(result, run.path))
        show(doc.section(told, *(figure.key for figure in result.figures)))

    return {
        "Comparison": lambda: show(doc.section(picture_document(result), *COMPARISON)),
        "Slots": lambda: _picture_slots(run, result),
        "Figures": figures,
        "Training": lambda: _training(run),
    }


def _of_other(run: RunDirectory, result: Result) -> Views:
    """Its document but for what stands elsewhere."""

    def shown() -> None:
        work = load_catalog(run.plugin_folders()).work_of_run(run.config())
        told = described(result) if work is None else work.document(result, work.draw(result, run.path))
        parts = [(head, own) for head, own in doc.sections(told) if head.key not in ("", "seconds")]
        show([block for head, own in parts for block in (head, *own)])

    return {"Result": shown, "Training": lambda: _training(run)}


def _origin(run: RunDirectory) -> None:
    """Seconds, provenance and log."""
    show(doc.seconds(compared(run).seconds))
    st.subheader("Provenance")
    facts_block(provenance_rows(run.provenance(), run.known_config()))
    st.subheader("Log")
    log_tail(run)


def _training(run: RunDirectory) -> None:
    if not show_curves(run.metrics()):
        st.caption("No training steps were recorded.")


def show_curves(metrics: Sequence[Json]) -> int:
    """The curves of defect and loss that there are, as the container puts them; how many."""
    drawn = 0
    for chart, title in ((defect_chart, "Defect of each slot"), (loss_chart, "Training loss")):
        try:
            show_drawing(chart(metrics), title)
            drawn += 1
        except MissingError:
            continue
    return drawn


def _chosen_slot(numbers: Sequence[int]) -> int:
    chosen = st.segmented_control(
        "Slot", numbers, default=numbers[0], required=True, key="slot", bind="query-params", help=tip("slot")
    )
    return chosen or numbers[0]


def _chosen_s(label: str, offered: Sequence[float], start: float) -> float:
    """The slider; s as the address has it, with the minus sign that people type."""
    s: float = st.select_slider(
        f"Flow parameter s ({label})", offered, value=start, key="s", bind="query-params",
        format_func="{:g}".format, help=tip("s"),
    )  # fmt: skip
    return s


@st.fragment
def _slots(run: RunDirectory, result: EquationResult) -> None:
    """Only this part is drawn anew when another slot is chosen; slot and s stand in the address."""
    numbers = [row.slot for row in result.generators]
    if not numbers:
        st.caption("There are no learned fields.")
        return
    slot = _chosen_slot(numbers)
    place = numbers.index(slot)
    st.markdown(plain(_said(result, place)))
    orbit = read_orbit(run.path, place, result.coordinates)
    if orbit is None:
        st.caption("There are no pictures of this slot: fields.safetensors is missing or lacks an array.")
        return
    st.subheader("Moved solution")
    _slider(run, result, place)
    st.subheader("The field")
    show_drawing(field_chart(orbit, f"slot {slot}"), "field")
    st.caption(words_of("learned")[1])


def _said(result: EquationResult, place: int) -> str:
    """Defect and verdict, and the derived generator that is nearest."""
    row, names = result.generators[place], [known.name for known in result.truth]
    said = verdict(row, result.all_proved) if result.fitted is None else fitted_verdict(row)
    words = f"η = {doc.number(row.eta)}: {said}."
    inner = result.inner[place] if place < len(result.inner) else []
    if names and len(inner) == len(names):
        value, name = max((abs(value or 0.0), name) for value, name in zip(inner, names, strict=True))
        words += f" Nearest derived generator: {name}, inner product {doc.cosine(value, 3)} up to sign."
    return words


@st.fragment
def _slider(run: RunDirectory, result: EquationResult, place: int) -> None:
    """The slider and what it moves: only this is drawn anew when it does."""
    orbit = read_orbit(run.path, place, result.coordinates)
    if orbit is None:
        # deleted since: the page says so
        st.rerun()
        return
    start = min(orbit.s, key=lambda s: (abs(abs(s) - START), -s))
    s = _chosen_s("scaled coordinates, no unit", orbit.s, start)
    k, slot, judged = orbit.s.index(s), result.generators[place].slot, result.generators[place].finite
    stamp = _stamp(run)
    if drawing := _pictures(run.path, stamp, place, k, result):
        show_drawing(drawing, "moved")
    if orbit.residual is None:
        st.caption("This run didn't evaluate fields at finite size, so there is no residual.")
    else:
        st.markdown(f"Defect at s = {s:g}: **{plain(defect_words(orbit, k, judged))}**")
        st.caption(words_of("finite-moved")[1], help=tip("finite_defect"))
    show_link(view="Slots", slot=slot, s=f"{s:g}")
    # where the slider goes next is drawn while this is looked at
    for near in {k - 1, k + 1} & set(range(len(orbit.s))):
        _pictures(run.path, stamp, place, near, result)


@st.cache_data(max_entries=KEPT, show_spinner=False)
def _pictures(folder: Path, stamp: tuple[int, ...], place: int, k: int, _result: EquationResult) -> Drawing | None:
    """What `orbit_at` draws, kept for as long as the files are those of the stamp; None where they are gone."""
    orbit = read_orbit(folder, place, _result.coordinates)
    row = _result.generators[place]
    return None if orbit is None else orbit_at(orbit, k, row.slot, row.finite)


def _stamp(run: RunDirectory) -> tuple[int, ...]:
    """Changes with the files that pictures are drawn from."""
    files = (run.path / name for name in ("summary.json", "fields.safetensors", "finite.safetensors"))
    return tuple(file.stat().st_mtime_ns if file.exists() else 0 for file in files)


@st.fragment
def _picture_slots(run: RunDirectory, result: PictureDiscovery) -> None:
    """Only this part is drawn anew when the slider moves."""
    rows = {row.slot: row for row in result.generators}
    numbers = list(rows)
    slot = _chosen_slot(numbers)
    parts = components(rows[slot].components)
    st.markdown(plain(f"Nearest: {rows[slot].nearest.name}" + (f"; {parts}" if parts else "")))
    found = read_moved(run.path, numbers.index(slot))
    if found is None:
        st.caption("There are no moved pictures: fields.safetensors is missing or lacks an array.")
        return
    s, moved = found
    value = _chosen_s("no unit", s, s[-1])
    show_drawing(pictures_at(s, moved, s.index(value), f"slot {slot}"), "moved")
    st.markdown(
        f"Features turn by **{_angle(result, rows[slot], value)}** at s = {value:g}, on all held-out pictures."
    )
    if drawing := field_at(run.path, numbers.index(slot)):
        st.subheader("The field")
        show_drawing(drawing, "field")
        st.caption(plain(result.figures[0].caption))
    show_link(view="Slots", slot=slot, s=f"{value:g}")


def _angle(result: PictureDiscovery, row: Slot, s: float) -> str:
    """The mean angle at s as the run measured it."""
    if s == 0:
        return "0 rad"
    for known, angle in zip(result.s, row.angles, strict=False):
        if angle is not None and abs(known - s) < 1e-5:
            return f"{angle:.3f} rad"
    return "an angle that was not measured"


def show_derived(run: RunDirectory) -> None:
    """Equation, symmetries, brackets, flows, reductions, the way there, and files; why where it can't be read."""
    if result := readable(run, TruthResult):
        _show_derivation(result)
    show_files(run)
    if result and result.latex is not UNSET:
        told = "As `aligned` blocks, for a paper"
        name = downloaded(run, "derivation.tex")
        st.download_button("LaTeX", result.latex, name, "text/plain", help=told, on_click="ignore")


def _show_derivation(result: TruthResult) -> None:
    shown = truth_document(result)
    _beside(doc.section(shown, "statement"), doc.section(shown, "evolution"))
    head, badge, terms = st.columns([3, 2, 1], vertical_alignment="center")
    with head:
        show(doc.sections(shown)[0][1])
    with badge:
        _certified(result)
    with terms:
        popover("generator", "families", "periodic", "certified", "assumed", "invariants")
    _beside(doc.section(shown, "symmetries"), doc.section(shown, "periodic"))
    if result.structure.brackets and len(result.generators) <= LARGEST:
        show([*doc.section(shown, "brackets")[:1], _brackets(result)])
        modulo = " modulo the families" if result.structure.modulo_families else ""
        st.caption(f"Row first, then column{modulo}; a dot is 0.")
    else:
        show(doc.section(shown, "brackets"))
    others = ("structure", "flows", "reductions", "completeness", "moving", "outputs", "beyond", "derivation")
    show(doc.section(shown, *others))
    for title, blocks in doc.sections(doc.section(shown, "determining", "steps", "general")):
        with st.expander(plain(title.text)):
            _listed(blocks)


def _beside(left: Sequence[doc.Block], right: Sequence[doc.Block]) -> None:
    """Two sections beside each other; one of them, or none, as it is."""
    if not (left and right):
        show([*left, *right])
        return
    for column, blocks in zip(st.columns(2), (left, right), strict=True):
        with column:
            show(blocks)


def _certified(result: TruthResult) -> None:
    if result.certified:
        words, icon, color = "certified complete", "verified", "green"
    elif result.unsolved:
        words, icon, color = "may be incomplete", "pending", "orange"
    else:
        words, icon, color = "not certified", "help", "orange"
    st.badge(words, icon=f":material/{icon}:", color=color, help=tip("certified"))


def _brackets(result: TruthResult) -> doc.Table:
    """[row, column]; below the diagonal the same with the other sign."""
    structure, count = result.structure, len(result.generators)
    cells = [[doc.Formula("0", r"\cdot")] * count for _ in range(count)]
    for (i, j, _), there, back in zip(
        structure.brackets, structure.brackets_shown, structure.opposite_shown, strict=True
    ):
        cells[i][j], cells[j][i] = there, back
    names = [doc.Formula(f"V{k}", f"V_{{{k}}}") for k in range(1, count + 1)]
    head = doc.Formula("[row, column]", r"[\,\cdot\,,\,\cdot\,]")
    rows = [[name, *row] for name, row in zip(names, cells, strict=True)]
    return doc.Table([doc.Column(head), *map(doc.Column, names)], rows)


def _listed(blocks: Sequence[doc.Block]) -> None:
    """Lines as one list: of hundreds of elements a page would be slow."""
    lines = [f"- {markdown(block.words)}" for block in blocks if isinstance(block, doc.Text) and not block.small]
    st.markdown("\n".join(lines))
    for block in blocks:
        if not isinstance(block, doc.Text) or block.small:
            show_block(block)
