"""A finished run that is no discovery: its document, or whatever its summary holds; curves, origin and files."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import streamlit as st

from lieapp.document import sections
from lieapp.report.documents import document_of
from lieapp.report.parts import outcome
from lieapp.results.base import Result
from lieapp.runs.directory import RunDirectory
from lieapp.ui.drawing import facts_block, stored_figure, table
from lieapp.ui.rendering import show
from lieapp.ui.run_files import show_files, show_link
from lieapp.ui.run_origin import show_origin, show_training
from lieapp.ui.words import plain

TOLD = ("sentence", "warnings", "run", "plugin", "title", "seconds", "result", "schema")
"""Keys that are shown elsewhere on the page."""

ROWS = 100
"""Lines of a table at most; the rest stands in the JSON."""


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
    """Its document but for what stands elsewhere; of a kind that has none, whatever the summary holds."""
    told = sections(document_of(result, partial(stored_figure, run.path)))
    blocks = [block for head, own in told if head.key not in ("", "seconds") for block in (head, *own)]
    if blocks:
        show(blocks)
    else:
        _whatever(run, run.summary() or {})
    show_link()


def _whatever(run: RunDirectory, summary: dict[str, Any]) -> None:
    facts = [(key.replace("_", " "), str(value)) for key, value in summary.items() if _is_fact(key, value)]
    if facts:
        facts_block(facts)
    for title, rows in _tables(summary):
        st.subheader(title)
        heads = list(dict.fromkeys(key for row in rows for key in row))
        table(
            [plain(head) for head in heads],
            [[plain(_cell(row.get(head))) for head in heads] for row in rows[:ROWS]],
        )
        if len(rows) > ROWS:
            st.caption(f"{ROWS} of {len(rows)} lines.")
    # names are those of files that are there; their content is shown as images only
    for file in sorted((run.path / "figures").glob("*.svg")):
        svg = stored_figure(run.path, file.stem)
        if svg:
            st.subheader(plain(file.stem.replace("_", " ").replace("-", " ").capitalize()))
            st.image(svg, alt=file.stem)


def _is_fact(key: str, value: Any) -> bool:
    return key not in TOLD and isinstance(value, (str, int, float, bool))


def _tables(summary: dict[str, Any]) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Lists of flat objects."""
    for key, value in summary.items():
        if isinstance(value, list) and value and all(isinstance(row, dict) for row in value):
            rows = [{k: v for k, v in row.items() if not isinstance(v, (list, dict))} for row in value]
            if any(rows):
                yield key.replace("_", " ").capitalize(), rows


def _cell(value: Any) -> str:
    if value is None:
        return "–"
    return f"{value:.4g}" if isinstance(value, float) else str(value)
