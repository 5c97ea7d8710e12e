"""A finished discovery: the verdict, the tables, the pictures, where it came from, the files."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from lieapp.report import wording
from lieapp.report.at_size import at_size
from lieapp.report.figures import FINITE
from lieapp.report.material import Material, read_material
from lieapp.runs.directory import RunDirectory
from lieapp.ui.drawing import (
    at_size_table,
    formula_table,
    picture,
    run_figure,
    slot_table,
    truth_table,
)
from lieapp.ui.help import tip
from lieapp.ui.run_files import show_files, show_link
from lieapp.ui.run_origin import show_origin
from lieapp.ui.run_slots import show_slots
from lieapp.ui.words import plain


def show_result(run: RunDirectory) -> None:
    """Tabs, so that each view fits a screen."""
    material = read_material(run.path)
    summary = material.summary
    latex = summary.get("equation_latex") or []
    for line in [latex] if isinstance(latex, str) else latex:
        st.latex(str(line))
    if summary:
        st.success(plain(wording.sentence(summary)), icon=":material/verified:")
    else:
        st.warning("This run is done but has no summary.", icon=":material/help:")
    for words in summary.get("warnings") or []:
        st.warning(plain(words), icon=":material/warning:")
    views: dict[str, Callable[[Material, RunDirectory], None]] = {
        "Comparison": _comparison,
        "Slots": _slots,
        "Fields": _fields,
        "Finite size": _moved,
        "Training": _training,
        "Origin": _origin,
    }
    # an open tab stands in the address, and only its content is made
    tabs = st.tabs(list(views), key="view", bind="query-params")
    for tab, view in zip(tabs, views.values(), strict=True):
        if tab.open:
            with tab:
                view(material, run)
    show_files(run)


def _slots(material: Material, run: RunDirectory) -> None:
    show_slots(run)


def _comparison(material: Material, run: RunDirectory) -> None:
    summary = material.summary
    left, right = st.columns(2)
    with left:
        st.subheader("Learned slots", help=tip("verdict"))
        slot_table(summary)
    with right:
        st.subheader("Learned against derived", help=tip("inner"))
        picture(run_figure(material, "inner"))
    st.subheader("Closed forms", help=tip("proved"))
    formula_table(summary)
    st.subheader("Derived from the equation", help=tip("cosine"))
    truth_table(summary)
    for words in (wording.subspace(summary), wording.cross_check(summary)):
        st.caption(plain(words))
    st.subheader("Spectrum", help=tip("spectrum"))
    picture(run_figure(material, "spectrum"))
    show_link()


def _fields(material: Material, run: RunDirectory) -> None:
    for key in ("learned", "derived"):
        shown = run_figure(material, key)
        st.subheader(shown.title)
        picture(shown)
    show_link()


def _moved(material: Material, run: RunDirectory) -> None:
    picture(run_figure(material, "orbit"))
    if at_size(material.summary):
        st.subheader("At finite size")
        # over the whole width: in a narrow cell the exponents of the defects would be broken off
        at_size_table(material.summary)
        for key in FINITE:
            picture(run_figure(material, key))
    show_link()


def _training(material: Material, run: RunDirectory) -> None:
    for key in ("convergence", "training", "loss"):
        picture(run_figure(material, key))
    show_link()


def _origin(material: Material, run: RunDirectory) -> None:
    show_origin(run)
