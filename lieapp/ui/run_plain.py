"""A finished run that is no discovery: its sentence, numbers, tables, figures, origin and files."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import streamlit as st

from lieapp.document import section
from lieapp.report.check_document import document
from lieapp.results.check import CheckResult
from lieapp.runs.directory import RunDirectory
from lieapp.ui.background_view import readable
from lieapp.ui.drawing import facts_block, stored_figure, table
from lieapp.ui.rendering import show
from lieapp.ui.run_augment import show_augment
from lieapp.ui.run_files import show_files, show_link
from lieapp.ui.run_head import config_of
from lieapp.ui.run_origin import show_origin, show_training
from lieapp.ui.run_train import show_train
from lieapp.ui.words import plain

TOLD = ("result", "schema", "sentence", "warnings", "run", "plugin", "title", "seconds")
"""Keys that are shown elsewhere on the page."""

ROWS = 100
"""Lines of a table at most; the rest stands in the JSON."""


def show_plain(run: RunDirectory, summary: dict[str, Any]) -> None:
    """Tabs, as for other kinds."""
    st.success(plain(summary.get("sentence") or "Done."), icon=":material/verified:")
    for words in summary.get("warnings") or []:
        st.warning(plain(words), icon=":material/warning:")
    views = {
        "Result": _result,
        "Training": lambda run, _: show_training(run),
        "Origin": lambda run, _: show_origin(run),
    }
    for tab, view in zip(st.tabs(list(views), key="view", bind="query-params"), views.values(), strict=True):
        if tab.open:
            with tab:
                view(run, summary)
    show_files(run)


def _result(run: RunDirectory, summary: dict[str, Any]) -> None:
    """The view of its kind; of a kind that has none, whatever the summary holds."""
    if summary.get("kind") == "augment":
        show_augment(run, summary)
    elif config_of(run).get("kind") == "train":
        show_train(run, summary)
    elif config_of(run).get("kind") == "check":
        if result := readable(run, CheckResult):
            show(section(document(result), "checks"))
    else:
        _whatever(run, summary)


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
    show_link()


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
