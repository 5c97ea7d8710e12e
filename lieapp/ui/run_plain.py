"""A finished run that is no discovery: its document, or what all results say; curves, origin and files."""

from __future__ import annotations

from collections.abc import Iterator

import streamlit as st

from lieapp.document import Figure, sections
from lieapp.extension import described, outcome
from lieapp.registry.catalog import load_catalog
from lieapp.results.base import Result
from lieapp.runs.resume import plugin_folders
from lieapp.runs.store.directory import RunDirectory
from lieapp.ui.drawing import stored, stored_figure
from lieapp.ui.rendering import show
from lieapp.ui.run_files import show_files, show_link
from lieapp.ui.run_origin import show_origin, show_training


def show_plain(run: RunDirectory, result: Result) -> None:
    """Tabs, as for other kinds."""
    show(outcome(result))
    views = {
        "Result": _result,
        "Training": lambda run, _: show_training(run),
        "Origin": lambda run, _: show_origin(run),
    }
    for tab, view in zip(st.tabs(list(views), key="view", bind="query-params"), views.values(), strict=True):
        if tab.open:
            with tab:
                view(run, result)
    show_files(run)


def _result(run: RunDirectory, result: Result) -> None:
    """Its document but for what stands elsewhere, and the figures that it doesn't show."""
    work = load_catalog(plugin_folders(run)).work_of_run(run.config())
    told = sections((described if work is None else work.document)(result, stored(run.path)))
    blocks = [block for head, own in told if head.key not in ("", "seconds") for block in (head, *own)]
    drawn = {block.key for block in blocks if isinstance(block, Figure)}
    show([*blocks, *(figure for figure in _figures(run) if figure.key not in drawn)])
    show_link()


def _figures(run: RunDirectory) -> Iterator[Figure]:
    """Of a kind that isn't installed; names are those of files that are there, shown as images only."""
    for file in sorted((run.path / "figures").glob("*.svg")):
        title = file.stem.replace("_", " ").replace("-", " ").capitalize()
        yield Figure(file.stem, title, title, stored_figure(run.path, file.stem))
