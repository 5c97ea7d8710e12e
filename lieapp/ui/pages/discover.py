"""Discover: choose plugin and settings, see the command line that does the same, start."""

from __future__ import annotations

from typing import Any

import msgspec
import streamlit as st

from lieapp.errors import LieappError
from lieapp.extension import Work
from lieapp.registry.catalog import Catalog, load_catalog
from lieapp.settings import load_config
from lieapp.ui import forms, jobs
from lieapp.ui.help import popover
from lieapp.ui.lists import show_queue
from lieapp.ui.navigation import choose_plugin, page, runs_root, show_no_plugin, show_not_loaded
from lieapp.ui.words import advice, plain

# the plugin of an address without one
FIRST = "ckdv"
# words of trainings on moved data
AUGMENT = ("variant", "rollout", "nmse", "renew", "pool")


def show() -> None:
    """The whole page."""
    st.title("Discover")
    st.markdown("Learn symmetries from data of a plugin, and compare them with what is known of it.")
    catalog = load_catalog()
    show_not_loaded(catalog)
    if not catalog.entries:
        show_no_plugin()
        return
    entry = choose_plugin(catalog, "discover", FIRST)
    if entry is None:
        return
    work = _work(entry.works())
    if work.command == "augment":
        popover(*AUGMENT, label="Words")
    defaults, values = _settings(work, catalog.settings(work), entry.name)
    _start(catalog, work, defaults, values)
    show_queue()


def _work(offered: list[Work]) -> Work:
    """What to do; not asked where there is but one thing."""
    if len(offered) == 1:
        st.query_params.pop("command", None)
        return offered[0]
    by_command = {work.command: work for work in offered}
    asked = st.query_params.get("command", "")
    chosen = st.segmented_control(
        "What to do", list(by_command), default=asked if asked in by_command else offered[0].command, required=True,
        format_func=lambda command: by_command[command].words, key="what",
    )  # fmt: skip
    st.query_params["command"] = chosen
    return by_command[chosen]


def _settings(work: Work, config: type[msgspec.Struct], plugin: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """What the preset gives, and what the form has instead."""
    prefix, usual, preset = forms.address_prefix(config), next(iter(work.presets), None), None
    if usual is not None:
        text = "quick: seconds to minutes. paper: the published method with its own settings, hours to days."
        preset = st.segmented_control(
            "Preset", work.presets, default=usual, required=True, key=f"{prefix}preset", help=text,
            bind="query-params",
        )  # fmt: skip
        # other defaults need other widgets: a widget keeps what it showed first
        prefix += "" if preset == usual else f"{preset}-"
    defaults = msgspec.to_builtins(load_config(config, plugin=plugin, preset=preset))
    values = forms.laid_over(defaults, forms.ask_all(config, defaults, prefix))
    return {**defaults, **({"preset": usual} if usual else {})}, values


def _start(catalog: Catalog, work: Work, defaults: dict[str, Any], values: dict[str, Any]) -> None:
    st.caption("The same on a terminal:")
    line = forms.command_line(work.command, values, defaults, runs_root())
    st.code(line, language="bash", wrap_lines=True)
    if not st.button("Start", type="primary", icon=":material/play_arrow:"):
        st.caption("The run is a process of its own: it goes on if you close this page.")
        return
    try:
        run_id = jobs.start(work, values, catalog)
    except LieappError as error:
        st.error(f"{plain(error.message)} {advice(error.hint)}", icon=":material/error:")
        st.page_link(page("plugins"), label="Plugins")
    else:
        st.switch_page(page("run"), query_params={"run": run_id})


show()
