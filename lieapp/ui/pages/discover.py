"""Discover: choose plugin and settings, or a grid of them, see the command line that does the same, start."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
import streamlit as st

from lieapp.extension import Work
from lieapp.runs.store.directory import RunDirectory
from lieapp.settings import load_config
from lieapp.sweeps.spec import SweepConfig
from lieapp.ui import forms, navigation
from lieapp.ui.help import popover
from lieapp.ui.lists import show_queue
from lieapp.ui.plugin_views import show_typed
from lieapp.ui.reader import typed_of
from lieapp.ui.rendering import errors_shown
from lieapp.ui.starting import show_start
from lieapp.ui.sweeps import show_form as show_grid
from lieapp.ui.typed_form import EXAMPLES
from lieapp.ui.typed_form import FIRST as FIRST_EQUATION
from lieapp.ui.words import plain

# the plugin of an address without one
FIRST = "ckdv"
# words of trainings on moved data
AUGMENT = ("variant", "rollout", "nmse", "renew", "pool")
TYPED, GRID = "typed", "grid"
# where the address of the form is kept while other pages are looked at
KEPT = "discover_form"
# what the Data page has under other keys than own-…
OF_DATA = {"plugin": "plugin", "data.files": "file", "data.map": "map"}


def show() -> None:
    """The whole page."""
    # the browser's Back leads to the page without its address
    if not st.query_params and KEPT in st.session_state:
        st.switch_page(navigation.page("discover"), query_params=st.session_state[KEPT])
    st.title("Discover")
    st.markdown("Learn symmetries from data and compare them with the derived ones.")
    if "again" in st.query_params:
        _again(st.query_params["again"])
    source = st.query_params.get("source")
    if source in (TYPED, GRID):
        navigation.link("discover", "Choose a plugin instead", "extension", plugin=FIRST)
    run = navigation.find_run(st.query_params.get("from", ""))
    if source == GRID:
        _of_grid(run)
        st.session_state[KEPT] = st.query_params.to_dict()
    elif source == TYPED:
        typed = typed_of(run.known_config()) if run else EXAMPLES[FIRST_EQUATION]
        show_typed(typed, f"discover{run.id if run else ''}")
        st.session_state[KEPT] = st.query_params.to_dict()
    else:
        with st.container(horizontal=True):
            navigation.link("discover", "Type an equation instead", "edit", source=TYPED)
            navigation.link("discover", "Run a grid of settings", "grid_on", source=GRID)
        _of_plugin()
    show_queue()


def _of_grid(run: RunDirectory | None) -> None:
    """The form of a sweep, with the content of another one's file if the address names it."""
    earlier = None
    with errors_shown():
        earlier = run.config_as(SweepConfig) if run else None
    show_grid(earlier, run.id if run else "")


def _again(run_id: str) -> None:
    """Open the form with the settings of a run; why where that can't be done."""
    run = navigation.find_run(run_id)
    if run is None:
        navigation.show_gone(run_id)
        return
    catalog, config = navigation.catalog_of(run), run.known_config()
    work = catalog.work_of_run(config)
    if work is None or not config.get("plugin"):
        st.warning(f"No plugin is available for {plain(run.id)}.", icon=":material/search_off:")
        return
    address = forms.address(work, catalog.settings(work), config)
    st.switch_page(navigation.page("discover"), query_params={**address, **_like(run)})


def _like(run: RunDirectory | None) -> dict[str, str]:
    """The part of an address that has plugins of a run found again, where they lie elsewhere."""
    return {"like": run.id} if run and run.plugin_folders() else {}


def _of_plugin() -> None:
    like = navigation.find_run(st.query_params.get("like", ""))
    catalog = navigation.catalog_of(like)
    navigation.show_not_loaded(catalog)
    if not catalog.entries:
        navigation.show_no_plugin()
        return
    entry = navigation.choose_plugin(catalog, "discover", FIRST)
    if entry is None:
        return
    if not entry.works():
        st.info(f"Nothing can be learned from {plain(entry.name)}.", icon=":material/block:")
        return
    work = _work(entry.works())
    if work.command == "augment":
        popover(*AUGMENT, label="Words")
    config = catalog.settings(work)
    defaults, values = _settings(work, config, entry.name)
    address = forms.address(work, config, values)
    st.session_state[KEPT] = {**address, **_like(like)}
    _look_at_data(address, forms.address_prefix(config))
    show_start(catalog, entry, work, defaults, values)


def _look_at_data(address: Mapping[str, str | list[str]], prefix: str) -> None:
    """A link to the page of the files in an address. Its settings have a prefix, those of discoveries none."""
    own = {key.removeprefix(prefix): value for key, value in address.items() if key != "command"}
    if "data.files" in own:
        own = {key: value for key, value in own.items() if not prefix or key in OF_DATA or key.startswith("data.")}
        told = {OF_DATA.get(key, f"own-{key}"): value for key, value in own.items()}
        navigation.link("data", "Look at the data", "upload_file", **told)


def _work(offered: list[Work]) -> Work:
    """What to do; not asked where there is but one thing."""
    if len(offered) == 1:
        st.query_params.pop("command", None)
        return offered[0]
    by_command = {work.command: work for work in offered}
    asked = st.query_params.get("command", "")
    chosen = st.segmented_control(
        "Task", list(by_command), default=asked if asked in by_command else offered[0].command, required=True,
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


show()
