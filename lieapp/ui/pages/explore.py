"""Explore: the symmetries of an equation, derived: a plugin's, or one that is typed. The derivation is a run."""

from __future__ import annotations

import contextlib
import shlex
from pathlib import Path
from typing import Any

import streamlit as st

from lieapp import document as doc
from lieapp.config import TruthConfig
from lieapp.config_symbolic import HoldsConfig, LawsConfig
from lieapp.errors import LieappError
from lieapp.registry.catalog import Catalog, Entry
from lieapp.report.questions_document import holds_document
from lieapp.runs.store.directory import RunDirectory
from lieapp.ui import jobs, navigation, rendering
from lieapp.ui.at_work import show_steps, show_unfinished, wait_for
from lieapp.ui.finished import show_derived
from lieapp.ui.help import tip
from lieapp.ui.plugin_views import system_latex
from lieapp.ui.reader import LISTS, tested, typed_of
from lieapp.ui.rendering import errors_shown, show_error, show_formulas, state_badge
from lieapp.ui.typed_form import EXAMPLES, FIELD_CHARACTERS, FIRST, ask
from lieapp.ui.words import WORKING, plain

# no docstrings below constants, the app would print them
PLUGIN, TYPED = "A plugin", "Typed"
EQUATION = ("plugin", "equation", "independent", "dependent", "parameter", "function")
BUDGET, LONGEST, MOST_ORDER = 60.0, 3600.0, 12
# seconds beyond the budget: loading, and telling the result
SPARE = 10.0
# the process that reads what is typed ends a test a little later
TEST_SECONDS = 4.5


def show() -> None:
    """The whole page."""
    st.title("Explore")
    st.markdown("Derive and prove all point symmetries of an equation, with their algebra, flows and reductions.")
    run = _asked()
    version, config = (run.id, run.known_config()) if run else ("", {})
    left = _left(version, config)
    _form(version, config, left)
    if run and not left:
        _result(run)


def _left(version: str, config: dict[str, Any]) -> bool:
    """Whether the form asks for another equation than that of the result, which then isn't shown below it."""
    plugin = config.get("plugin")
    source = st.session_state.get(f"source_{version}")
    name = st.session_state.get(f"plugin_{version}")
    if not version or source is None:
        return False
    return source != (PLUGIN if plugin else TYPED) or (source == PLUGIN and name not in (None, plugin))


def _asked() -> RunDirectory | None:
    """The derivation of the address; of a plugin's address the last one of exactly this file."""
    run_id, name = st.query_params.get("run", ""), st.query_params.get("plugin", "")
    if not run_id:
        # of a name that means nothing the form says so
        with contextlib.suppress(LieappError):
            return jobs.latest("truth", navigation.catalog_of().get(name)) if name else None
        return None
    run = navigation.find_run(run_id)
    if run is None:
        navigation.show_gone(run_id)
        return None
    if jobs.kind_of(run) != "truth":
        st.info("That run isn't a derivation.", icon=":material/search_off:")
        navigation.link("run", "Open it", run=run.id)
        return None
    return run


# of its own, so that typing draws only the form anew
@st.fragment
def _form(version: str, config: dict[str, Any], left: bool) -> None:
    name = str(config.get("plugin") or st.query_params.get("plugin") or "")
    source = st.segmented_control(
        "Equation", [PLUGIN, TYPED], default=PLUGIN if name else TYPED, key=f"source_{version}",
        required=True, label_visibility="collapsed",
    )  # fmt: skip
    if source == PLUGIN:
        catalog, entry = _plugin(version, name)
        asked: dict[str, Any] | None = {"plugin": entry.name} if entry else None
    else:
        catalog, entry = Catalog([], []), None
        first = typed_of(config) if config.get("equation") else EXAMPLES[FIRST]
        typed, reading = ask(first, version)
        asked = typed.settings() if reading.error is None else None
    if _left(version, config) != left:
        st.rerun()
    more = _options(version, config)
    if st.button("Derive", type="primary", icon=":material/function:", disabled=asked is None, key=f"go_{version}"):
        _start({**(asked or {}), **more}, entry, catalog)
    if asked:
        with st.expander("Equivalent command"):
            st.code(command_line({**asked, **more}, navigation.runs_root()), language="bash", wrap_lines=True)


def _plugin(version: str, name: str) -> tuple[Catalog, Entry | None]:
    catalog = navigation.catalog_of()
    names = {entry.name: entry.title for entry in catalog.equations}
    navigation.show_not_loaded(catalog)
    if not names:
        navigation.show_no_plugin("plugin with an equation")
        return catalog, None
    unknown = st.empty()
    index = list(names).index(name) if name in names else None if name else 0
    chosen: str | None = st.selectbox(
        "Plugin", list(names), index=index, format_func=lambda n: f"{n}: {names[n]}", key=f"plugin_{version}",
        placeholder="Choose another",
    )  # fmt: skip
    if chosen is None:
        with unknown.container():
            _unknown(catalog, name)
        return catalog, None
    entry = catalog.get(chosen)
    show_formulas(system_latex(entry.declaration))
    navigation.link("plugins", f"Source of {plain(chosen)}", "extension", plugin=chosen)
    return catalog, entry


def _unknown(catalog: Catalog, name: str) -> None:
    """Of an address, and no equation."""
    kinds = {entry.name: entry.kind for entry in catalog.entries}
    if name in kinds:
        words = f"{plain(name)} isn't an equation: nothing can be derived for {plain(kinds[name].words[1])}."
        st.warning(words, icon=":material/search_off:")
    else:
        navigation.show_missing(catalog, name, "explore")


def _options(version: str, config: dict[str, Any]) -> dict[str, Any]:
    """What else is wanted, and for how long."""
    asked = {"flows": "Finite flows", "reductions": "Reductions", "explain": "Derivation"}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        budget = st.number_input(
            "Budget in seconds", 1.0, LONGEST, min(max(config.get("budget") or BUDGET, 1.0), LONGEST), 10.0,
            format="%g", key=f"budget_{version}", help=tip("budget"), width=160,
        )  # fmt: skip
        wanted = {
            key: st.checkbox(label, bool(config.get(key, True)), key=f"{key}_{version}")
            for key, label in asked.items()
        }
        first = config.get("order")
        order: int | None = st.number_input(
            "Generalised up to order", 0, MOST_ORDER, None if first is None else min(max(first, 0), MOST_ORDER),
            key=f"order_{version}",
            help=tip("generalised"), width=200, placeholder="none",
        )  # fmt: skip
    return {**wanted, "budget": float(budget), "latex": True, "order": order}


def _start(values: dict[str, Any], entry: Entry | None, catalog: Catalog) -> None:
    with errors_shown():
        run_id = jobs.start(TruthConfig(**values), entry, catalog)
        st.switch_page(navigation.page("explore"), query_params={"run": run_id})


def command_line(values: dict[str, Any], root: Path) -> str:
    """What to type for the same derivation; its run then appears here."""
    words = ["lieapp", "truth"]
    if values.get("plugin"):
        words += ["--plugin", values["plugin"]]
    for name in LISTS:
        entries = values.get(name) or []
        several = name in ("equation", "parameter", "function", "output")
        words += [part for entry in entries for part in (f"--{name}", entry)] if several else []
        words += [f"--{name}", ",".join(entries)] if entries and not several else []
    words += [f"--{flag}" for flag in ("flows", "reductions", "explain") if values.get(flag)]
    words += [] if values.get("order") is None else ["--order", str(values["order"])]
    words += [] if values["budget"] == BUDGET else ["--budget", f"{values['budget']:g}"]
    return shlex.join([*words, "--out", str(root)])


def _result(run: RunDirectory) -> None:
    st.divider()
    config, status = run.known_config(), run.status()
    with st.container(horizontal=True, vertical_alignment="center"):
        if status.state not in WORKING:
            state_badge(status.state)
        st.caption(plain(str(config.get("plugin") or "; ".join(typed_of(config).equation))[:300]))
        navigation.link("run", "This run", run=run.id)
    if status.state in WORKING:
        wait_for(run, float(config.get("budget") or BUDGET) + SPARE)
        return
    if status.state != "done":
        show_unfinished(run)
        return
    show_steps(run, "explore")
    show_derived(run)
    _laws(run, config)
    _field(run, config)


@st.fragment
def _laws(run: RunDirectory, config: dict[str, Any]) -> None:
    """The conservation laws of the same equation, as a run of their own."""
    st.subheader("Conservation laws", help=tip("law"))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        order = st.number_input(
            "Highest order of derivatives in multipliers", 0, MOST_ORDER, 2, key=f"laws_{run.id}", width=320
        )
        wanted = st.button("Derive laws", icon=":material/balance:", key=f"laws_go_{run.id}")
    if wanted:
        asked = {key: config[key] for key in EQUATION if config.get(key)}
        with errors_shown():
            catalog = navigation.catalog_of()
            entry = catalog.get(str(config["plugin"])) if config.get("plugin") else None
            run_id = jobs.start(LawsConfig(**asked, order=int(order)), entry, catalog)
            st.switch_page(navigation.page("run"), query_params={"run": run_id})


@st.fragment
def _field(run: RunDirectory, config: dict[str, Any]) -> None:
    """A box for a field of one's own: whether it is a symmetry of the same equation."""
    st.subheader("Is this field a symmetry?", help=tip("generator"))
    text = st.text_input(
        "Field", key=f"field_{run.id}", placeholder="x: a*t, u: 1", max_chars=FIELD_CHARACTERS,
        help="`x: a*t, u: 1` or `a*t*d_x + d_u`. Other names are unknown constants, `f(t)` an unknown function; "
        "both are solved for.",
    )  # fmt: skip
    if not text.strip():
        return
    equation = {key: config[key] for key in EQUATION if config.get(key)}
    asked = HoldsConfig(**equation, field=text, budget=TEST_SECONDS)
    found = tested(asked, run.plugin_folders())
    if found.error is not None:
        show_error(found.error)
    elif found.result is not None:
        told = holds_document(found.result)
        rendering.show([*doc.sections(told)[0][1], *doc.section(told, "values", "parameters", "leftover")])


show()
