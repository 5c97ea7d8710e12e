"""The pages and their addresses, and the runs and plugins that an address names.

Each page is a file, so that a test or a link can open it by itself. What an address says can't lead out of the
folder of runs.
"""

from __future__ import annotations

import contextlib
import os
import re
import sys
from difflib import get_close_matches
from pathlib import Path

import streamlit as st
from streamlit.errors import StreamlitAPIException

from lieapp.errors import PluginError, UnknownPluginError
from lieapp.registry.catalog import Catalog, Entry, load_catalog
from lieapp.runs.store.directory import RunDirectory
from lieapp.ui.words import plain

FOLDER = Path(__file__).parent / "pages"

_PAGES = {
    "home": ("Home", ":material/home:"),
    "explore": ("Explore", ":material/function:"),
    "discover": ("Discover", ":material/travel_explore:"),
    "data": ("Data", ":material/upload_file:"),
    "run": ("Run", ":material/monitoring:"),
    "runs": ("Runs", ":material/list:"),
    "compare": ("Compare", ":material/compare_arrows:"),
    "plugins": ("Plugins", ":material/extension:"),
    "help": ("Help", ":material/help:"),
}
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,200}")

NEAREST = 3
"""Names offered at most."""

LONGEST = 100
"""Characters of a name from an address that are shown."""


def page(key: str) -> st.Page:
    """The page of that key, for links and for the menu."""
    title, icon = _PAGES[key]
    return st.Page(FOLDER / f"{key}.py", title=title, icon=icon, url_path=key, default=key == "home")


def menu() -> list[st.Page]:
    """All pages, in the order of the menu."""
    return [page(key) for key in _PAGES]


def show_address() -> None:
    """Have the browser show the address that the pages get: after a link to the same page it shows the old one.

    It would ask for that again at the next click.
    """
    if not st.query_params:
        st.query_params.clear()
    for key in st.query_params:
        # what is bound to a widget can't be written, and needn't: any other one brings the whole address
        with contextlib.suppress(StreamlitAPIException):
            st.query_params[key] = st.query_params.get_all(key)
            return


def link(key: str, label: str, icon: str = "", **address: str | list[str]) -> None:
    """A link that opens a page; its address can be sent to somebody else."""
    st.page_link(page(key), label=label, icon=f":material/{icon}:" if icon else None, query_params=address)


def runs_root() -> Path:
    """The folder of runs: `LIEAPP_RUNS`, else ./runs."""
    return Path(os.environ.get("LIEAPP_RUNS") or "runs")


def typed_plugins() -> Path:
    """The folder of plugin files that were made of typed equations to discover their symmetries."""
    return runs_root() / ".typed"


def catalog_of(run: RunDirectory | None = None) -> Catalog:
    """All plugins: those of typed equations too, and those that a run was started with."""
    folders = [folder for folder in (typed_plugins(),) if folder.is_dir()]
    return load_catalog(list(dict.fromkeys([*folders, *(run.plugin_folders() if run else [])])))


def may_write() -> bool:
    """Whether the app was started with --allow-writing: only then does a page write into ./plugins."""
    return "--allow-writing" in sys.argv[1:]


def find_run(run_id: str) -> RunDirectory | None:
    """The run of exactly that id, None if there is none.

    An id is a name, never a path: whoever opens an address must not reach other folders through it.
    """
    if not _ID.fullmatch(run_id):
        return None
    folder = runs_root() / run_id
    if folder.is_symlink() or not (folder / "config.json").is_file():
        return None
    return RunDirectory(folder)


def file_of(run: RunDirectory, name: str) -> Path | None:
    """A file of a run, None if there is none; a link isn't followed, for it may lead out of the folder of runs."""
    file = run.path / name
    outside = Path(name).name != name or file.is_symlink()
    return None if outside or not file.is_file() else file


def newest_first() -> list[RunDirectory]:
    """All runs; their names begin with the time they were made."""
    return RunDirectory.list(runs_root())[::-1]


def show_missing(catalog: Catalog, name: str, here: str) -> None:
    """Say why there is nothing of that name; links to nearly equal ones open the page `here`."""
    words = f"The plugin {name[:LONGEST]!r} can't be shown here."
    try:
        catalog.get(name)
    except UnknownPluginError:
        words = f"There is no plugin {name[:LONGEST]!r}."
    except PluginError as error:
        # its file is broken, or two files use the name
        words = error.message
    st.warning(plain(words), icon=":material/search_off:")
    with st.container(horizontal=True):
        for near in get_close_matches(name[:LONGEST], [entry.name for entry in catalog.entries], n=NEAREST):
            link(here, plain(near), plugin=near)
        link("plugins", "All plugins", "extension")


def choose_plugin(catalog: Catalog, here: str, usual: str = "") -> Entry | None:
    """The plugin of the address, or another one chosen; None if that can't be shown: no other stands in for it.

    Without one in the address it is `usual` if that is there, else the first.
    """
    titles = {entry.name: entry.title for entry in catalog.entries}
    names = list(titles)
    asked = st.query_params.get("plugin") or (usual if usual in names else names[0])
    if asked not in names:
        show_missing(catalog, asked, here)
    chosen: str | None = st.selectbox(
        "Plugin", names, index=names.index(asked) if asked in names else None, placeholder="Choose another",
        format_func=lambda name: f"{name}: {titles[name]}",
    )  # fmt: skip
    if chosen is None:
        return None
    # the address then opens this page as it stands
    st.query_params["plugin"] = chosen
    if asked not in names:
        st.rerun()
    return catalog.get(chosen)


def show_not_loaded(catalog: Catalog) -> None:
    """That some files are broken, where there are any."""
    if catalog.broken:
        names = ", ".join(broken.name for broken in catalog.broken)
        st.warning(f"Not loaded: {plain(names)}. The Plugins page says why.", icon=":material/warning:")


def show_no_plugin(what: str = "plugin") -> None:
    """That there is nothing to choose from."""
    st.info(f"No {what} was found.", icon=":material/extension_off:")


def show_no_runs(words: str = "There is no run yet.") -> None:
    """That the folder is empty, and where a run is started."""
    st.info(words, icon=":material/inbox:")
    link("discover", "Start one", "travel_explore")


def show_gone(run_id: str) -> None:
    """That an address names no run."""
    words = f"There is no run {plain(repr(run_id[:LONGEST]))} in this folder; it may have been deleted."
    st.warning(words, icon=":material/search_off:")
