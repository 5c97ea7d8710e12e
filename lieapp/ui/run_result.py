"""A finished discovery on an equation: its document in tabs, the slots' slider, where it came from, the files."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial

import streamlit as st

from lieapp.document import Figure
from lieapp.figures.material import read_material
from lieapp.pde.document import Draw, opening, sections
from lieapp.pde.figures import figure, words_of
from lieapp.results.discovery import EquationResult
from lieapp.runs.store.directory import RunDirectory
from lieapp.ui.drawing import stored_figure
from lieapp.ui.rendering import show
from lieapp.ui.run_files import show_files, show_link
from lieapp.ui.run_origin import show_origin
from lieapp.ui.run_slots import show_slots


def show_result(run: RunDirectory, result: EquationResult) -> None:
    """Tabs, so that each view fits a screen."""
    show(opening(result))
    draw = _stored(run, result)
    views: dict[str, Callable[[], None]] = {
        "Comparison": lambda: _sections(
            result, draw, "slots", "inner", "formulas", "derived-table", "check", "spectrum"
        ),
        "Slots": lambda: show_slots(run, result),
        "Fields": lambda: _sections(result, draw, "learned", "derived"),
        "Finite size": lambda: _sections(result, draw, "orbit", "finite"),
        "Training": lambda: _sections(result, draw, "convergence", "training", "loss"),
        "Origin": lambda: show_origin(run),
    }
    # an open tab stands in the address, and only its content is made
    tabs = st.tabs(list(views), key="view", bind="query-params")
    for tab, view in zip(tabs, views.values(), strict=True):
        if tab.open:
            with tab:
                view()
    show_files(run)


def _stored(run: RunDirectory, result: EquationResult) -> Draw:
    """Figures as the run left them in figures/, drawn anew where a file is missing."""
    material = cache(partial(read_material, run.path))

    def draw(key: str) -> Figure:
        svg = stored_figure(run.path, key)
        return Figure(key, *words_of(key), svg=svg) if svg else figure(key, result, material())

    return draw


def _sections(result: EquationResult, draw: Draw, *keys: str) -> None:
    show(sections(result, draw, keys))
    show_link()
