"""A finished discovery: the verdict, the tables, the pictures, where it came from, the files."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from lieapp.report import wording
from lieapp.report.at_size import at_size
from lieapp.report.figures import FINITE
from lieapp.report.html import provenance_rows
from lieapp.report.material import Material, read_material
from lieapp.runs.directory import RunDirectory
from lieapp.ui.drawing import (
    at_size_table,
    facts_block,
    formula_table,
    log_tail,
    picture,
    run_figure,
    slot_table,
    table,
    truth_table,
)
from lieapp.ui.words import plain

FILES = {
    "report.html": ("Report", "text/html"),
    "summary.json": ("Summary (JSON)", "application/json"),
    "generators.csv": ("Generators (CSV)", "text/csv"),
    "fields.safetensors": ("Fields (safetensors)", "application/octet-stream"),
    "finite.safetensors": ("Moved data (safetensors)", "application/octet-stream"),
}


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
        "Fields": _fields,
        "Moved solution": _moved,
        "Training": _training,
        "Origin": _origin,
    }
    for tab, view in zip(st.tabs(list(views)), views.values(), strict=True):
        with tab:
            view(material, run)
    _downloads(run)


def _comparison(material: Material, run: RunDirectory) -> None:
    left, right = st.columns(2)
    with left:
        st.subheader("Learned slots")
        slot_table(material.summary)
        st.subheader("Closed forms")
        formula_table(material.summary)
        st.subheader("Derived from the equation")
        truth_table(material.summary)
        for words in (wording.subspace(material.summary), wording.cross_check(material.summary)):
            st.caption(plain(words))
    with right:
        st.subheader("Learned against derived")
        picture(run_figure(material, "inner"))
    st.subheader("Spectrum")
    picture(run_figure(material, "spectrum"))


def _fields(material: Material, run: RunDirectory) -> None:
    for key in ("learned", "derived"):
        shown = run_figure(material, key)
        st.subheader(shown.title)
        picture(shown)


def _moved(material: Material, run: RunDirectory) -> None:
    picture(run_figure(material, "orbit"))
    if at_size(material.summary):
        st.subheader("At finite size")
        # over the whole width: in a narrow cell the exponents of the defects would be broken off
        at_size_table(material.summary)
        for key in FINITE:
            picture(run_figure(material, key))


def _training(material: Material, run: RunDirectory) -> None:
    for key in ("convergence", "training", "loss"):
        picture(run_figure(material, key))


def _origin(material: Material, run: RunDirectory) -> None:
    seconds = wording.stage_seconds(material.summary)
    if seconds:
        st.subheader("Seconds per stage")
        table(("stage", "seconds"), [(plain(stage), f"{value:.2f}") for stage, value in seconds])
    st.subheader("Provenance")
    facts_block(provenance_rows(material))
    st.subheader("Log")
    log_tail(run)


def _downloads(run: RunDirectory) -> None:
    st.subheader("Files")
    present = [name for name in FILES if (run.path / name).is_file()]
    if not present:
        st.caption("The run left no files.")
        return
    for column, name in zip(st.columns(len(present)), present, strict=True):
        label, mime = FILES[name]
        column.download_button(
            label,
            # read when it is asked for, not at every rerun
            data=(run.path / name).read_bytes,
            file_name=f"{run.id}-{name}",
            mime=mime,
            icon=":material/download:",
            on_click="ignore",
            width="stretch",
        )
