"""Compare: several runs side by side, with the settings in which they differ."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from lieapp.errors import RunError
from lieapp.report import comparison as figures
from lieapp.report import wording
from lieapp.results.base import Result, read_result
from lieapp.runs.directory import RunDirectory
from lieapp.runs.overview import comparison, row
from lieapp.ui.drawing import table
from lieapp.ui.help import tip
from lieapp.ui.navigation import page
from lieapp.ui.places import find_run, newest_first
from lieapp.ui.run_files import show_link
from lieapp.ui.words import duration, plain, sign, unbroken

# runs that can be chosen from, the newest; and chosen at a time, for their colours to be told apart
OFFERED, MOST = 200, 6


def show() -> None:
    """The whole page."""
    st.title("Compare runs")
    runs = newest_first()[:OFFERED]
    if not runs:
        st.info("There is no run yet.", icon=":material/inbox:")
        st.page_link(page("discover"), label="Start one", icon=":material/travel_explore:")
        return
    chosen = _chosen(runs)
    if not chosen:
        st.caption("Choose two runs or more, of one plugin or of several.")
        return
    document = comparison(chosen)
    letters = [f"run {place}" for place in range(1, len(chosen) + 1)]
    summaries = [run.summary() or {} for run in chosen]
    found = [_found(run) for run in chosen]
    _results(document["runs"], found, letters)
    _settings(document["differ"], letters)
    _generators(summaries, letters)
    _slots(found, letters)
    _figures(list(zip(letters, summaries, strict=True)), list(zip(letters, found, strict=True)))
    show_link()


def _found(run: RunDirectory) -> Result:
    """Its result; an empty one where there is none, or where it can't be read."""
    try:
        return read_result(run.path) or Result()
    except RunError:
        return Result()


def _chosen(runs: Sequence[RunDirectory]) -> list[RunDirectory]:
    """The runs that the address names and that still exist."""
    facts = {run.id: row(run) for run in runs}
    asked = list(dict.fromkeys(st.query_params.get_all("runs")))
    gone = [run_id[:100] for run_id in asked if find_run(run_id) is None]
    if gone:
        st.warning(f"No longer there: {plain(', '.join(gone[:MOST]))}.", icon=":material/search_off:")
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


def _called(facts: dict[str, Any]) -> str:
    """How a run is called in the list: what it is, then its id."""
    parts = [
        facts["plugin"] or facts["kind"],
        facts["method"],
        facts["seed"] is not None and f"seed {facts['seed']}",
    ]
    return f"{' · '.join(str(part) for part in parts if part)} · {facts['state']} · {facts['run']}"


def _results(rows: Sequence[dict[str, Any]], found: Sequence[Result], names: Sequence[str]) -> None:
    columns = figures.result_columns(rows, found)
    st.subheader("Results", help=tip("cosine") if "worst cosine" in columns else None)
    cells = []
    for place, (name, one) in enumerate(zip(names, rows, strict=True)):
        link = f"[{name.replace(' ', '&nbsp;')}](run?run={one['run']})"
        facts = (one["plugin"], one["method"], sign(one["state"]).word)
        said = [unbroken(column[place]) for column in columns.values()]
        cells.append([link, *(plain(fact or "–") for fact in facts), *said, unbroken(duration(one["seconds"]))])
    table(("", "plugin", "method", "state", *map(plain, columns), "time"), cells)


def _slots(found: Sequence[Result], names: Sequence[str]) -> None:
    """Of runs on pictures, what of each slot can be told beside the others."""
    rows = figures.slots_table(found)
    if rows:
        st.subheader("Slots of pictures")
        table(("slot", *names), [[plain(cell) for cell in row] for row in rows])
        st.caption("How far features turn, mean over flow parameters; the nearest named field and its cosine.")


def _settings(differ: dict[str, list[Any]], names: Sequence[str]) -> None:
    if len(names) < 2:
        return
    st.subheader("Settings that differ")
    rows = [[plain(key), *map(plain, values)] for key, values in figures.differences(differ)]
    if rows:
        table(("setting", *names), rows)
    else:
        st.caption("These runs have the same settings.")


def _generators(summaries: Sequence[dict[str, Any]], names: Sequence[str]) -> None:
    """The cosine of each derived generator in each run, where the runs have the same ones."""
    derived = [wording.derived(summary) for summary in summaries]
    lists = {tuple(known.name for known in rows) for rows in derived if rows}
    if not lists:
        return
    st.subheader("Cosines", help=tip("cosine"))
    if len(lists) > 1:
        st.caption("The derived generators of these runs are not the same; the figure numbers them in each.")
        return
    (known,) = lists
    rows = []
    for place, name in enumerate(known):
        rows.append(
            [f"{place + 1}", plain(name), *(wording.cosine(own[place].cosine) if own else "–" for own in derived)]
        )
    table(("", "derived generator", *names), rows)


def _figures(runs: figures.Named, found: Sequence[tuple[str, Result]]) -> None:
    """Defects, cosines and seconds; what no run has is left out."""
    drawn = [
        ("Defect of each slot", figures.eta_figure(runs)),
        ("What of each derived generator is missed", figures.cosine_figure(runs)),
        ("How far each slot turns the features", figures.angle_figure(found)),
        ("Seconds per stage", figures.seconds_figure(runs)),
    ]
    for title, svg in drawn:
        if svg:
            st.image(svg, alt=title)
    st.caption("Runs are numbered as in the table. Every line has a mark of its own besides its colour.")


show()
