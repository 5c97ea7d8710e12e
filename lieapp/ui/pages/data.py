"""Data: a file of the user's own, what it holds, and a discovery of the symmetries of an equation in it."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import streamlit as st

from lieapp.data.inspection import Inspected, arrays, inspect, measured, opening
from lieapp.data.opening import readers_of, stamp
from lieapp.data.own import names
from lieapp.errors import LieappError
from lieapp.extension import Reader
from lieapp.registry.catalog import Catalog, Entry
from lieapp.settings import load_config
from lieapp.ui import forms, navigation
from lieapp.ui.plugin_views import system_latex
from lieapp.ui.rendering import errors_shown, show, show_error, show_formulas
from lieapp.ui.starting import show_start
from lieapp.ui.uploads import LARGEST, kept, seen
from lieapp.ui.words import plain

# keys of the address, other than on Discover: an address loses the keys of a page's widgets when that is left
FILES, MAP, OWN = "file", "map", "own-"
READ = ("data.every", "data.window", "data.samples", "data.drop_nan", "data.parameter")
COMMON = ("method", "slots", "seed")
# where the address is kept while other pages are looked at, and the last upload that was taken
KEPT, TAKEN = "data_form", "data_taken"


def show_page() -> None:
    """The whole page."""
    # the browser's Back leads to the page without its address
    if not st.query_params and KEPT in st.session_state:
        st.switch_page(navigation.page("data"), query_params=st.session_state[KEPT])
    st.title("Data")
    st.markdown("Find symmetries of an equation in your own data. A file holds solutions on a grid.")
    files = _files()
    if not files:
        st.caption("MATLAB, NumPy, HDF5, netCDF, zarr and text are read. [Help](help?doc=data) says how.")
        return
    catalog = navigation.catalog_of()
    navigation.show_not_loaded(catalog)
    # the file is shown with the names of the equation, which is chosen below
    above = st.container()
    st.subheader("Equation")
    entry = _equation(catalog)
    with above:
        found = _inspected(files, entry, catalog)
    st.session_state[KEPT] = st.query_params.to_dict()
    if found is not None and entry is not None:
        _run(files, entry, catalog)


def _files() -> list[str]:
    """The files of the address; others can be typed or uploaded."""
    asked = st.query_params.get(FILES, "")
    left, right = st.columns(2)
    with left, st.form("place", border=False):
        text = st.text_input(
            "File", asked, key=f"path {asked}", max_chars=forms.LONGEST, placeholder="/home/me/KdV.mat",
            help="A path on the machine that runs lieapp. Commas separate several files of one kind.",
        )  # fmt: skip
        opened = st.form_submit_button("Open", icon=":material/folder_open:")
    upload = right.file_uploader(
        f"Or upload one, up to {LARGEST} MB", max_upload_size=LARGEST,
        help="A copy is kept in the folder of runs. Larger files can be opened by their path.",
    )  # fmt: skip
    with errors_shown():
        if opened:
            _open([str(Path(part).expanduser().absolute()) for part in forms.split(text)])
        if upload is not None and upload.file_id != st.session_state.get(TAKEN):
            place = kept(upload.name, upload.getvalue())
            st.session_state[TAKEN] = upload.file_id
            _open([str(place)])
    files = forms.split(asked)
    for file in files:
        seen(Path(file))
    return files


def _open(files: Sequence[str]) -> None:
    """Look at other files: the mapping was that of the last ones."""
    st.query_params.pop(MAP, None)
    st.query_params[FILES] = forms.joined(files)
    st.rerun()


def _equation(catalog: Catalog) -> Entry | None:
    """The equation that is chosen; none is until somebody does, for a file doesn't say which it solves."""
    titles = {entry.name: entry.title for entry in catalog.equations}
    asked = st.query_params.get("plugin", "")
    if asked and asked not in titles:
        navigation.show_missing(catalog, asked, "data")
    chosen: str | None = st.selectbox(
        "The data solve", list(titles), index=list(titles).index(asked) if asked in titles else None,
        format_func=lambda name: f"{name}: {titles[name]}", placeholder="Choose an equation",
    )  # fmt: skip
    if chosen is None:
        carried = {key: st.query_params[key] for key in (FILES, MAP) if key in st.query_params}
        navigation.link("discover", "Type another one", "edit", source="typed", **carried)
        st.caption("Isn't it known? This finds it, if the data decide it:")
        st.code(_identifying(), language="bash", wrap_lines=True)
        return None
    st.query_params["plugin"] = chosen
    entry = catalog.get(chosen)
    show_formulas(system_latex(entry.declaration))
    values = ", ".join(f"{name} = {value}" for name, value in entry.declaration.parameters.items())
    if values:
        st.caption(plain(f"With {values}, unless other values are given below."))
    return entry


def _identifying() -> str:
    """The command that finds the equation of the files."""
    words = [word for file in forms.split(st.query_params.get(FILES, "")) for word in ("--data", file)]
    mapping = st.query_params.get(MAP, "")
    return shlex.join(["lieapp", "identify", *words, *(("--map", mapping) if mapping else ())])


def _inspected(files: Sequence[str], entry: Entry | None, catalog: Catalog) -> Inspected | None:
    """Show what one of the files holds, and its mapping; None if it can't be used as it is."""
    mapping = st.query_params.get(MAP, "")
    file = _chosen(files)
    try:
        with st.spinner(plain(f"Reading {file} …"), show_time=True):
            found = _look(file, mapping, entry, readers_of(catalog))
    except LieappError as error:
        show_error(error)
        # of a file that can't be read there is nothing to correct
        if mapping or "--map" in f"{error.message} {error.hint}":
            _correct(mapping, "", "")
        return None
    show(opening(found))
    asked = found.result.questions
    _correct(mapping, found.result.mapping, asked[0].mapping if asked else "")
    show(measured(found))
    with st.expander(f"The {len(found.result.arrays)} arrays of the file", expanded=bool(asked)):
        show(arrays(found))
    return None if asked else found


def _chosen(files: Sequence[str]) -> str:
    """The file that is shown, of several."""
    if len(files) == 1:
        return files[0]
    file: str = st.selectbox(
        f"Shown of {len(files)} files", files, key=f"shown {forms.joined(files)}",
        help="All are read in the same way, with the same mapping.",
    )  # fmt: skip
    return file


def _look(file: str, mapping: str, entry: Entry | None, readers: list[Reader]) -> Inspected:
    """With the names of the equation; without, where the file has others: below it is said what doesn't fit."""
    at = stamp(Path(file))
    if entry is not None:
        try:
            return _read(file, at, mapping, names(entry.declaration), readers)
        except LieappError:
            pass
    return _read(file, at, mapping, (None, None), readers)


# a widget that changes draws the page anew: the file is the same
@st.cache_resource(max_entries=8, show_spinner=False)
def _read(file: str, at: tuple[int, int], mapping: str, named: Any, _readers: list[Reader]) -> Inspected:
    unknowns, variables = named
    return inspect(file, mapping, unknowns, variables, _readers)


def _correct(mapping: str, understood: str, suggested: str) -> None:
    """The mapping to correct. What the file leaves open is only suggested: it counts once it is taken."""
    shown = mapping or suggested or understood
    with st.form("mapping"):
        text = st.text_input(
            "Which array is what (--map)", shown, key=f"map {shown}", max_chars=forms.LONGEST,
            placeholder="u=usol(x,t), x=x, t=tt",
            help="Each unknown with its dimensions in the order of the array, and the points of each axis. "
            "Trajectories are the dimension `sample`.",
        )  # fmt: skip
        if not st.form_submit_button("Use this mapping", icon=":material/check:"):
            return
    st.query_params[MAP] = text.strip()
    if not text.strip() or (text.strip() == understood and not mapping):
        del st.query_params[MAP]
    st.rerun()


def _run(files: Sequence[str], entry: Entry, catalog: Catalog) -> None:
    """What is read, the main settings, what the run costs, and Start."""
    work = entry.works()[0]
    config = catalog.settings(work)
    usual = msgspec.to_builtins(load_config(config, plugin=entry.name))
    typed = work.typed(entry.name, {"data": list(files), "map": st.query_params.get(MAP)})
    defaults = msgspec.to_builtins(load_config(config, plugin=entry.name, **typed))
    known, flat = forms.settings(config), dict(forms.leaves(defaults))
    asked = {}
    for members in (READ if entry.declaration.parameters else READ[:-1], COMMON):
        for column, path in zip(st.columns(len(members)), members, strict=True):
            with column:
                asked[path] = forms.ask(known[path], flat[path], OWN)
    values = forms.laid_over(defaults, asked)
    navigation.link("discover", "All settings", "tune", **forms.address(work, config, values))
    with st.spinner("Checking the files …", show_time=True):
        show_start(catalog, entry, work, usual, values)


show_page()
