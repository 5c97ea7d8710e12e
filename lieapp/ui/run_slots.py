"""One slot of a discovery: its field, and a slider that moves a held-out solution along it."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from lieapp.document import cosine, number
from lieapp.pde.document import verdict
from lieapp.pde.figures import words_of
from lieapp.pde.slider import defect_words, field_chart, orbit_at, read_orbit
from lieapp.results.discovery import EquationResult
from lieapp.runs.store.directory import RunDirectory
from lieapp.ui.help import tip
from lieapp.ui.run_files import show_link
from lieapp.ui.words import plain

START = 0.2
"""The slider begins near this s: at 0 nothing would be moved."""

KEPT = 200
"""Rows of pictures kept in memory, 50 kB each."""


@st.fragment
def show_slots(run: RunDirectory, result: EquationResult) -> None:
    """Only this part is drawn anew when another slot is chosen; slot and s stand in the address."""
    numbers = [row.slot for row in result.generators]
    if not numbers:
        st.caption("No learned fields were written.")
        return
    chosen = st.segmented_control(
        "Slot", numbers, default=numbers[0], required=True, key="slot", bind="query-params", help=tip("slot")
    )
    slot = chosen or numbers[0]
    place = numbers.index(slot)
    st.markdown(plain(_said(result, place)))
    orbit = read_orbit(run.path, place, result.coordinates)
    if orbit is None:
        st.caption("The run left no pictures of this slot: fields.safetensors is missing or lacks an array.")
        return
    st.subheader("The solution, moved")
    _slider(run, result, place)
    st.subheader("The field")
    st.image(field_chart(orbit, f"slot {slot}"), alt=f"Field of slot {slot}")
    st.caption(words_of("learned")[1])


def _said(result: EquationResult, place: int) -> str:
    """Defect and verdict, and the derived generator that is nearest."""
    row, names = result.generators[place], [known.name for known in result.truth]
    words = f"η = {number(row.eta)}: {verdict(row, result.all_proved)}."
    inner = result.inner[place] if place < len(result.inner) else []
    if names and len(inner) == len(names):
        value, name = max((abs(value or 0.0), name) for value, name in zip(inner, names, strict=True))
        words += f" Nearest derived generator: {name}, inner product {cosine(value, 3)} up to sign."
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
    s: float = st.select_slider(
        "Flow parameter s (scaled coordinates, no unit)", orbit.s, value=start, key="s", bind="query-params",
        format_func=plain_number, help=tip("s"),
    )  # fmt: skip
    k, slot, judged = orbit.s.index(s), result.generators[place].slot, result.generators[place].finite
    stamp = _stamp(run)
    for pictures in _pictures(run.path, stamp, place, k, result):
        for column, svg, what in zip(
            st.columns(3), pictures, ("Solution", "Moved solution", "Residual"), strict=False
        ):
            column.image(svg, alt=f"{what}, slot {slot}, s = {s:g}")
    if orbit.residual is None:
        st.caption("Fields of this run were not judged at finite size, so there is no residual beside.")
    else:
        st.markdown(f"Defect at s = {plain_number(s)}: **{plain(defect_words(orbit, k, judged))}**")
        st.caption(words_of("finite-moved")[1], help=tip("finite_defect"))
    show_link(view="Slots", slot=slot, s=plain_number(s))
    # where the slider goes next is drawn while this is looked at
    for near in {k - 1, k + 1} & set(range(len(orbit.s))):
        _pictures(run.path, stamp, place, near, result)


@st.cache_data(max_entries=KEPT, show_spinner=False)
def _pictures(folder: Path, stamp: tuple[int, ...], place: int, k: int, _result: EquationResult) -> list[list[str]]:
    """What `orbit_at` draws, kept for as long as the files are those of the stamp; nothing where they are gone."""
    orbit = read_orbit(folder, place, _result.coordinates)
    row = _result.generators[place]
    return [] if orbit is None else orbit_at(orbit, k, row.slot, row.finite)


def _stamp(run: RunDirectory) -> tuple[int, ...]:
    """Changes with the files that pictures are drawn from."""
    files = (run.path / name for name in ("summary.json", "fields.safetensors", "finite.safetensors"))
    return tuple(file.stat().st_mtime_ns if file.exists() else 0 for file in files)


def plain_number(s: float) -> str:
    """As the address has it: with the minus sign that people type."""
    return f"{s:g}"
