"""One slot of a discovery: its field, and a slider that moves a held-out solution along it."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from lieapp.report import wording
from lieapp.report.figures import words_of
from lieapp.report.material import read_json
from lieapp.report.slider import Orbit, defect_words, field_chart, orbit_at, read_orbit
from lieapp.report.wording import Summary
from lieapp.runs.directory import RunDirectory
from lieapp.ui.help import tip
from lieapp.ui.run_files import show_link
from lieapp.ui.words import plain

START = 0.2
"""The slider begins near this s: at 0 nothing would be moved."""

KEPT = 200
"""Rows of pictures kept in memory, 50 kB each."""


@st.fragment
def show_slots(run: RunDirectory) -> None:
    """Only this part is drawn anew when another slot is chosen; slot and s stand in the address."""
    summary = read_json(run.path / "summary.json")
    numbers = [row.number for row in wording.slots(summary)]
    if not numbers:
        st.caption("No learned fields were written.")
        return
    chosen = st.segmented_control(
        "Slot", numbers, default=numbers[0], required=True, key="slot", bind="query-params", help=tip("slot")
    )
    slot = chosen or numbers[0]
    _said(summary, slot)
    orbit = _orbit(run, summary, slot)
    if orbit is None:
        st.caption("The run left no pictures of this slot: fields.safetensors is missing or lacks an array.")
        return
    st.subheader("The solution, moved")
    _slider(run, slot)
    st.subheader("The field")
    st.image(field_chart(orbit, f"slot {slot}"), alt=f"Field of slot {slot}")
    st.caption(words_of("learned")[1])


def _orbit(run: RunDirectory, summary: Summary, slot: int) -> Orbit | None:
    numbers = [row.number for row in wording.slots(summary)]
    return read_orbit(run.path, numbers.index(slot), [str(name) for name in summary.get("coordinates") or []])


def _said(summary: Summary, slot: int) -> None:
    """Defect and verdict, and the derived generator that is nearest."""
    rows = wording.slots(summary)
    place, row = next((k, row) for k, row in enumerate(rows) if row.number == slot)
    words = f"η = {wording.number(row.eta)}: {row.words}."
    names = [known.name for known in wording.derived(summary)]
    inner = summary.get("inner") or []
    if names and place < len(inner) and len(inner[place]) == len(names):
        value, name = max(zip(map(abs, inner[place]), names, strict=True))
        words += f" Nearest derived generator: {name}, inner product {wording.cosine(value, 3)} up to sign."
    st.markdown(plain(words))


@st.fragment
def _slider(run: RunDirectory, slot: int) -> None:
    """The slider and what it moves: only this is drawn anew when it does."""
    summary = read_json(run.path / "summary.json")
    orbit = _orbit(run, summary, slot)
    if orbit is None:
        # deleted since: the page says so
        st.rerun()
        return
    start = min(orbit.s, key=lambda s: (abs(abs(s) - START), -s))
    s: float = st.select_slider(
        "Flow parameter s (scaled coordinates, no unit)", orbit.s, value=start, key="s", bind="query-params",
        format_func=plain_number, help=tip("s"),
    )  # fmt: skip
    k = orbit.s.index(s)
    stamp = _stamp(run)
    for pictures in _pictures(run.path, stamp, slot, k):
        for column, svg, what in zip(
            st.columns(3), pictures, ("Solution", "Moved solution", "Residual"), strict=False
        ):
            column.image(svg, alt=f"{what}, slot {slot}, s = {s:g}")
    if orbit.residual is None:
        st.caption("Fields of this run were not judged at finite size, so there is no residual beside.")
    else:
        st.markdown(f"Defect at s = {plain_number(s)}: **{plain(defect_words(orbit, k, slot, summary))}**")
        st.caption(words_of("finite-moved")[1], help=tip("finite_defect"))
    show_link(view="Slots", slot=slot, s=plain_number(s))
    # where the slider goes next is drawn while this is looked at
    for near in {k - 1, k + 1} & set(range(len(orbit.s))):
        _pictures(run.path, stamp, slot, near)


@st.cache_data(max_entries=KEPT, show_spinner=False)
def _pictures(folder: Path, stamp: tuple[int, ...], slot: int, k: int) -> list[list[str]]:
    """What `orbit_at` draws, kept for as long as the files are those of the stamp; nothing where they are gone."""
    summary = read_json(folder / "summary.json")
    orbit = _orbit(RunDirectory(folder), summary, slot)
    return [] if orbit is None else orbit_at(orbit, k, slot, summary)


def _stamp(run: RunDirectory) -> tuple[int, ...]:
    """Changes with the files that pictures are drawn from."""
    files = (run.path / name for name in ("summary.json", "fields.safetensors", "finite.safetensors"))
    return tuple(file.stat().st_mtime_ns if file.exists() else 0 for file in files)


def plain_number(s: float) -> str:
    """As the address has it: with the minus sign that people type."""
    return f"{s:g}"
