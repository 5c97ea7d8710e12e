"""A finished discovery on pictures: tables, a slider that moves pictures along a slot, figures, origin, files."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from lieapp.document import section
from lieapp.extension import outcome
from lieapp.pictures.document import COMPARISON, document, field_at, pictures_at, read_moved
from lieapp.pictures.figures import components
from lieapp.results.pictures import PictureDiscovery, Slot
from lieapp.runs.store.directory import RunDirectory
from lieapp.ui.drawing import stored
from lieapp.ui.help import tip
from lieapp.ui.rendering import show
from lieapp.ui.run_files import show_files, show_link
from lieapp.ui.run_origin import show_origin, show_training
from lieapp.ui.run_slots import plain_number
from lieapp.ui.words import plain


def show_pictures(run: RunDirectory, result: PictureDiscovery) -> None:
    """Tabs, as for equations; the open one stands in the address."""
    show(outcome(result))
    views: dict[str, Callable[[], None]] = {
        "Comparison": lambda: _comparison(result),
        "Slots": lambda: _slots(run, result),
        "Figures": lambda: _figures(run, result),
        "Training": lambda: show_training(run),
        "Origin": lambda: show_origin(run),
    }
    for tab, view in zip(st.tabs(list(views), key="view", bind="query-params"), views.values(), strict=True):
        if tab.open:
            with tab:
                view()
    show_files(run)


def _comparison(result: PictureDiscovery) -> None:
    show(section(document(result), *COMPARISON))
    show_link()


@st.fragment
def _slots(run: RunDirectory, result: PictureDiscovery) -> None:
    """Only this part is drawn anew when the slider moves."""
    rows = {row.slot: row for row in result.generators}
    numbers = list(rows)
    slot = st.segmented_control(
        "Slot", numbers, default=numbers[0], required=True, key="slot", bind="query-params", help=tip("slot")
    ) or numbers[0]  # fmt: skip
    parts = components(rows[slot].components)
    st.markdown(plain(f"Nearest: {rows[slot].nearest.name}" + (f"; {parts}" if parts else "")))
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
        f"Features turn by **{_angle(result, rows[slot], value)}** at s = {value:g}, on all held-out pictures."
    )
    svg = field_at(run.path, numbers.index(slot))
    if svg:
        st.subheader("The field")
        st.image(svg, alt=f"Field of slot {slot}")
        st.caption(plain(result.figures[0].caption))
    show_link(view="Slots", slot=slot, s=plain_number(value))


def _angle(result: PictureDiscovery, row: Slot, s: float) -> str:
    """The mean angle at s as the run measured it."""
    if s == 0:
        return "0 rad"
    for known, angle in zip(result.s, row.angles, strict=False):
        if angle is not None and abs(known - s) < 1e-5:
            return f"{angle:.3f} rad"
    return "an angle that was not measured"


def _figures(run: RunDirectory, result: PictureDiscovery) -> None:
    """The figures that the run left."""
    told = document(result, stored(run.path))
    show(section(told, *(figure.key for figure in result.figures)))
    show_link()
