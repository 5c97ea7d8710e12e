"""A finished discovery on pictures: tables, a slider that moves pictures along a slot, figures, origin, files."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from lieapp.report.material import finite, read_json
from lieapp.report.picture_slider import angle_chart, field_at, pictures_at, read_moved
from lieapp.report.picture_tables import components, figures_of, tables, words_of
from lieapp.report.picture_words import WORDS
from lieapp.runs.directory import RunDirectory
from lieapp.ui.drawing import stored_figure, table
from lieapp.ui.help import tip
from lieapp.ui.run_files import show_files, show_link
from lieapp.ui.run_origin import show_origin, show_training
from lieapp.ui.run_slots import plain_number
from lieapp.ui.words import plain

Summary = dict[str, Any]


def is_of_pictures(summary: Summary) -> bool:
    """Whether a summary is that of a discovery on pictures."""
    return summary.get("domain") in WORDS


def show_pictures(run: RunDirectory, summary: Summary) -> None:
    """Tabs, as for equations; the open one stands in the address."""
    st.success(plain(summary.get("sentence", "Done.")), icon=":material/verified:")
    for words in summary.get("warnings") or []:
        st.warning(plain(words), icon=":material/warning:")
    views: dict[str, Callable[[], None]] = {
        "Comparison": lambda: _comparison(run, summary),
        "Slots": lambda: _slots(run),
        "Figures": lambda: _figures(run, summary),
        "Training": lambda: show_training(run),
        "Origin": lambda: show_origin(run),
    }
    for tab, view in zip(st.tabs(list(views), key="view", bind="query-params"), views.values(), strict=True):
        if tab.open:
            with tab:
                view()
    show_files(run)


def _comparison(run: RunDirectory, summary: Summary) -> None:
    for title, (heads, rows), note in tables(summary):
        st.subheader(title)
        table([plain(head) for head in heads], [[plain(cell) for cell in row] for row in rows])
        st.caption(plain(note))
    svg = angle_chart(summary)
    if svg:
        st.image(svg, alt="Angle of features over s")
    show_link()


@st.fragment
def _slots(run: RunDirectory) -> None:
    """Only this part is drawn anew when the slider moves."""
    summary = read_json(run.path / "summary.json")
    rows = dict(enumerate(summary.get("generators") or [], start=1))
    if not rows:
        st.caption("No learned fields were written.")
        return
    numbers = list(rows)
    slot = st.segmented_control(
        "Slot", numbers, default=numbers[0], required=True, key="slot", bind="query-params", help=tip("slot")
    ) or numbers[0]  # fmt: skip
    parts = components(rows[slot])
    st.markdown(plain(f"Nearest: {rows[slot]['nearest']['name']}" + (f"; {parts}" if parts else "")))
    found = read_moved(run.path, numbers.index(slot))
    if found is None:
        st.caption("The run left no moved pictures: fields.safetensors is missing or lacks an array.")
        return
    s, moved = found
    value = st.select_slider(
        "Flow parameter s (no unit)", s, value=s[-1], key="s", bind="query-params", help=tip("s"),
        format_func=plain_number,
    )  # fmt: skip
    st.image(pictures_at(s, moved, s.index(value), f"slot {slot}"), alt=f"Pictures moved along slot {slot}")
    st.markdown(
        f"Features turn by **{_angle(summary, rows[slot], value)}** at s = {value:g}, on all held-out pictures."
    )
    svg = field_at(run.path, numbers.index(slot), summary)
    if svg:
        st.subheader("The field")
        st.image(svg, alt=f"Field of slot {slot}")
        st.caption(plain(words_of(summary).figures[0].note))
    show_link(view="Slots", slot=slot, s=plain_number(value))


def _angle(summary: Summary, row: Summary, s: float) -> str:
    """The mean angle at s as the run measured it."""
    if s == 0:
        return "0 rad"
    for known, angle in zip(summary.get("s") or [], row.get("angles") or [], strict=False):
        if finite(angle) is not None and abs(known - s) < 1e-5:
            return f"{angle:.3f} rad"
    return "an angle that was not measured"


def _figures(run: RunDirectory, summary: Summary) -> None:
    """The figures that the run left, as images: nothing in a file of a run folder can then act."""
    for figure in figures_of(summary):
        svg = stored_figure(run.path, figure.key)
        if svg:
            st.subheader(figure.title)
            # the caption not as part of the image: that would be stretched to its width
            st.image(svg, alt=figure.title)
            if figure.note:
                st.caption(plain(figure.note))
    show_link()
