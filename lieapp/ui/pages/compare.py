"""Compare: several runs side by side, with the settings in which they differ."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from lieapp.document import cosines
from lieapp.errors import RunError
from lieapp.report import comparison
from lieapp.results.base import Compared
from lieapp.runs.overview import compared, differing, row
from lieapp.runs.store.directory import RunDirectory
from lieapp.ui.help import tip
from lieapp.ui.lists import show_link
from lieapp.ui.navigation import find_run, newest_first, show_no_runs
from lieapp.ui.plots import show_drawing
from lieapp.ui.rendering import formula, table
from lieapp.ui.words import duration, plain, sign, unbroken

# runs that can be chosen from, the newest; and chosen at a time, for their colours to be told apart
OFFERED, MOST = 200, 6


def show() -> None:
    """The whole page."""
    st.title("Compare runs")
    runs = newest_first()[:OFFERED]
    if not runs:
        show_no_runs()
        return
    chosen = _chosen(runs)
    if not chosen:
        st.caption("Choose two or more runs.")
        return
    letters = [f"run {place}" for place in range(1, len(chosen) + 1)]
    results = [_compared(run) for run in chosen]
    _results(chosen, results, letters)
    _settings(differing([run.known_config() for run in chosen]), letters)
    _generators(results, letters)
    _formulas(results, letters)
    _slots(results, letters)
    for drawing in comparison.figures(list(zip(letters, results, strict=True))):
        show_drawing(drawing, drawing.title)
    st.caption("Run numbers refer to the table. Lines differ in marker and colour.")
    show_link()


def _chosen(runs: Sequence[RunDirectory]) -> list[RunDirectory]:
    """The runs that the address names and that still exist."""
    facts = {run.id: row(run) for run in runs}
    asked = list(dict.fromkeys(st.query_params.get_all("runs")))
    gone = [run_id[:100] for run_id in asked if find_run(run_id) is None]
    if gone:
        st.warning(f"Not found: {plain(', '.join(gone[:MOST]))}.", icon=":material/search_off:")
    # an older run than those offered can still be asked for by an address
    facts |= {run.id: row(run) for run_id in asked if run_id not in facts and (run := find_run(run_id)) is not None}
    ids = st.multiselect(
        "Runs", list(facts), default=[run_id for run_id in asked if run_id in facts][:MOST], max_selections=MOST,
        # all at once are more than can be told apart
        select_all=False, key="chosen", placeholder="Choose runs",
        format_func=lambda run_id: _called(facts[run_id]),
    )  # fmt: skip
    # not bound: the address would have what the list shows instead of ids
    st.query_params["runs"] = ids
    return [run for run_id in ids if (run := find_run(run_id)) is not None]


def _compared(run: RunDirectory) -> Compared:
    """What is put beside other runs; nothing, with a warning, where it can't be read."""
    try:
        return compared(run)
    except RunError as error:
        st.warning(plain(error.message), icon=":material/broken_image:")
        return Compared()


def _called(facts: dict[str, Any]) -> str:
    """How a run is called in the list: what it is, then its id."""
    seed = "" if facts["seed"] is None else f"seed {facts['seed']}"
    parts = (facts["name"], facts["equation"] or facts["plugin"] or facts["kind"], facts["method"], seed)
    return f"{' · '.join(str(part) for part in parts if part)} · {facts['state']} · {facts['run']}"


def _results(runs: Sequence[RunDirectory], results: Sequence[Compared], names: Sequence[str]) -> None:
    columns = comparison.result_columns(results)
    st.subheader("Results", help=tip("cosine") if "worst cosine" in columns else None)
    cells = []
    for place, (name, run, found) in enumerate(zip(names, runs, results, strict=True)):
        link = f"[{name.replace(' ', '&nbsp;')}](run?run={run.id})"
        known = row(run)
        facts = (known["equation"] or known["plugin"], found.method, sign(known["state"]).word)
        shown = [unbroken(column[place]) for column in columns.values()]
        took = unbroken(duration(found.seconds.get("total")))
        cells.append([link, *(plain(fact or "–") for fact in facts), *shown, took])
    table(("", "plugin or equation", "method", "state", *map(plain, columns), "time"), cells)


def _slots(results: Sequence[Compared], names: Sequence[str]) -> None:
    """Of runs on pictures, what of each slot can be told beside the others."""
    rows = comparison.slots_table(results)
    if rows:
        st.subheader("Slots of pictures")
        table(("slot", *names), [[plain(cell) for cell in row] for row in rows])
        st.caption("Mean angle of the features over flow parameters, and the nearest named field with its cosine.")


def _settings(differ: dict[str, list[Any]], names: Sequence[str]) -> None:
    if len(names) < 2:
        return
    st.subheader("Settings that differ")
    rows = [[plain(key), *map(plain, values)] for key, values in comparison.differences(differ)]
    if rows:
        table(("setting", *names), rows)
    else:
        st.caption("These runs have the same settings.")


def _generators(results: Sequence[Compared], names: Sequence[str]) -> None:
    """The cosine of each derived generator in each run, where the runs have the same ones."""
    lists = {tuple(found.names) for found in results if found.names}
    if not lists:
        return
    st.subheader("Cosines", help=tip("cosine"))
    if len(lists) > 1:
        st.caption("These runs have different derived generators; the figure numbers them separately for each run.")
        return
    (known,) = lists
    shown = next(found.fields for found in results if found.names)
    fields = [formula(field.latex) for field in shown] or ["–"] * len(known)
    columns = [cosines(found.cosines or [None] * len(known)) for found in results]
    rows = [
        [f"{place + 1}", plain(name), field, *(column[place] for column in columns)]
        for place, (name, field) in enumerate(zip(known, fields, strict=True))
    ]
    table(("", "derived generator", "field", *names), rows)


def _formulas(results: Sequence[Compared], names: Sequence[str]) -> None:
    """The proved closed forms of each run."""
    rows = [
        (plain(name), ", ".join(formula(one.latex) for one in found.formulas))
        for name, found in zip(names, results, strict=True)
        if found.formulas
    ]
    if rows:
        st.subheader("Closed forms", help=tip("proved"))
        table(("", "proved"), rows)


show()
