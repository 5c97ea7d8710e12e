"""Sweeps on pages: a form for the file of a grid, and the cells of one that runs."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Sequence

import streamlit as st

from lieapp.errors import LieappError, ResumeError
from lieapp.runs.store.directory import RunDirectory
from lieapp.runs.store.status import ACTIVE, Status
from lieapp.sweeps.kept import read_cells
from lieapp.sweeps.place import cores
from lieapp.sweeps.resolve import Plan
from lieapp.sweeps.spec import SEED, SweepConfig, parse_sweep, said, text_of
from lieapp.ui import jobs
from lieapp.ui.navigation import link, page, runs_root
from lieapp.ui.rendering import errors_shown, show_error, state_badge, table
from lieapp.ui.words import WORKING, plain, sign, step_of

EXAMPLE = """[grid]
plugin = ["ckdv", "ks"]
seed = [0, 1]

[set]
method = "spectrum"
"""

NAME = "grid"
"""What a sweep is called unless it is given another name."""

LONGEST = 200_000
"""Characters of a file."""

MOST_PROCESSES = 64

ENDS = ("done", "failed", "cancelled", "lost", *ACTIVE)
"""States of cells, in the order in which they are counted."""

MOST_AT_WORK, MOST_ROWS = 16, 100
"""Cells at work, and rows of the grid, that are shown."""


def show_form(earlier: SweepConfig | None, version: str) -> None:
    """The file of a grid, how many processes work on it, and the button that starts it.

    Args:
        earlier: what the fields hold at first; an example without it.
        version: other fields begin anew under another version.
    """
    first = earlier.text[:LONGEST] if earlier else EXAMPLE
    st.markdown(
        "A sweep is a grid of runs, one for each combination of the values in `[grid]`. One table shows what they "
        "found, with the spread over seeds."
    )
    text = st.text_area(
        "Sweep file", first, height=240, max_chars=LONGEST, key=f"grid_text_{version}", persist_state="session",
        help="TOML: [grid] lists the values of settings that differ, [set] has settings that all runs share.",
    )  # fmt: skip
    left, right = st.columns(2)
    name = left.text_input("Name", earlier.name if earlier else NAME, max_chars=60, key=f"grid_name_{version}")
    count = right.number_input(
        "Processes", 1, MOST_PROCESSES, min(cores(), MOST_PROCESSES), key=f"grid_processes_{version}",
        help="So many runs of the grid are worked on at the same time.",
    )  # fmt: skip
    config = None
    try:
        config = parse_sweep(text, name.strip() or NAME, f"local:{count}")
    except LieappError as error:
        show_error(error)
    if config is not None:
        _show_command(config, text)
    link("help", "Keys of the file", "help", doc="command-line")
    started = st.button("Start", type="primary", icon=":material/play_arrow:", disabled=config is None)
    if started and config is not None:
        with errors_shown(), st.spinner("Checking every cell"):
            st.switch_page(page("run"), query_params={"run": jobs.start_sweep(config)})
    st.caption("Every cell is checked before the first one begins. The sweep continues if you close this page.")


def _show_command(config: SweepConfig, text: str) -> None:
    runs = "1 run" if config.size == 1 else f"{config.size} runs"
    st.caption(f"The grid has {runs}. Equivalent command, with this file:")
    words = ["lieapp", "sweep", f"{config.name}.toml", "--on", config.on]
    words += [] if str(runs_root()) == "runs" else ["--out", str(runs_root())]
    st.code(shlex.join(words), language="bash", wrap_lines=True)
    st.download_button(
        "Download the file", text, f"{config.name}.toml", "application/toml", icon=":material/download:",
        on_click="ignore",
    )  # fmt: skip


def show_cells(run: RunDirectory) -> None:
    """How many cells of a sweep ended and how, those at work, and the state of each."""
    try:
        plans = read_cells(run)
    except ResumeError as error:
        st.caption(plain(error.message))
        return
    runs = [RunDirectory(run.path.parent / plan.run) for plan in plans]
    found = [one.status() if one.path.exists() else None for one in runs]
    states = Counter(status.state for status in found if status is not None)
    counts = [f"**{states[name]}** {sign(name).word}" for name in dict.fromkeys([*ENDS, *states]) if states[name]]
    missing = "waiting" if run.state in WORKING else "not begun"
    counts += [f"**{found.count(None)}** {missing}"] if None in found else []
    st.markdown(f"{' · '.join(counts)}, of {len(plans)} cells")
    busy = [k for k, status in enumerate(found) if status is not None and status.state in ACTIVE]
    # in a container, so that the expander below keeps its place, and stays open
    with st.container():
        for k in busy[:MOST_AT_WORK]:
            if (status := found[k]) is not None:
                _at_work(plans[k], runs[k], status)
        if len(busy) > MOST_AT_WORK:
            st.caption(f"{len(busy) - MOST_AT_WORK} more are at work.")
    with st.expander("All cells"):
        _table(plans, found, missing)


def _at_work(plan: Plan, run: RunDirectory, status: Status) -> None:
    with st.container(border=True):
        name, state, stage = st.columns([6, 2, 5], vertical_alignment="center")
        with name:
            link("run", plain(said(plan.key)), run=run.id)
        with state:
            state_badge(status.state)
        step = f", {step_of(status)}" if status.step else ""
        stage.markdown(plain(f"{status.stage or 'starting'}{step}"))


def _table(plans: Sequence[Plan], found: Sequence[Status | None], missing: str) -> None:
    """A row for the cells that differ in their seed only, each a link to its run.

    Args:
        missing: the word for cells without one.
    """
    rows: dict[tuple[str, ...], list[str]] = {}
    heads = list(dict.fromkeys(name for plan in plans for name in plan.key if name != SEED))
    for plan, status in zip(plans, found, strict=True):
        word = missing if status is None else sign(status.state).word
        seed = f"{plan.key[SEED]}: " if SEED in plan.key else ""
        told = plain(f"{seed}{word}")
        key = tuple(plain(text_of(plan.key.get(name, ""))) for name in heads)
        rows.setdefault(key, []).append(told if status is None else f"[{told}](run?run={plan.run})")
    last = "seed: state" if any(SEED in plan.key for plan in plans) else "state"
    table([*map(plain, heads), last], [[*key, ", ".join(cells)] for key, cells in [*rows.items()][:MOST_ROWS]])
    if len(rows) > MOST_ROWS:
        st.caption(f"{MOST_ROWS} of {len(rows)} rows.")
