"""A form that turns a typed equation into a plugin file."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from lieapp.errors import LieappError
from lieapp.ui.examples import EXAMPLES, FIRST
from lieapp.ui.navigation import page
from lieapp.ui.places import may_write
from lieapp.ui.plugin_file import Draft, write
from lieapp.ui.reader import plugin_file_text
from lieapp.ui.typed import Typed
from lieapp.ui.typed_form import ask, show_error
from lieapp.ui.words import plain

FIELDS = ("independent", "dependent", "parameter", "periodic")
FIRST_LENGTH, FIRST_POINTS = 10.0, 128


@st.fragment
def show_form() -> None:
    """Equation, name and grid; the file they make, to download, or to write where that is allowed."""
    st.markdown(
        "Fill this in, and take the file that comes out. Put into a folder `plugins/`, it is a plugin like any "
        "other: its data, symmetries and pictures are made from it."
    )
    typed, reading = ask(EXAMPLES[FIRST], "new", FIELDS)
    if reading.error is not None:
        return
    try:
        draft = _draft(typed, reading.parameters)
        text = plugin_file_text(typed, draft)
    except LieappError as error:
        show_error(error)
        return
    st.code(text, language="python")
    with st.container(horizontal=True):
        st.download_button("Download", text, f"{draft.name}.py", "text/x-python", icon=":material/download:",
                           type="primary", on_click="ignore")  # fmt: skip
        if may_write():
            st.button("Write into plugins/", icon=":material/save:", on_click=_write, args=(text, draft.name))
    if not may_write():
        st.caption("Started with `lieapp app --allow-writing`, the app can put it into `plugins/` itself.")


def _draft(typed: Typed, parameters: Sequence[str]) -> Draft:
    left, right = st.columns(2)
    name = left.text_input("Name", "my_equation", max_chars=40, key="new_name", live=True, persist_state="session",
                           help="What is typed after `--plugin`: lower-case letters, digits, _ and -.")  # fmt: skip
    title = right.text_input(
        "Title", "My equation", max_chars=80, key="new_title", live=True, persist_state="session"
    )
    region, points = {}, {}
    for x in typed.independent:
        first, last, count = st.columns(3)
        region[x] = (
            first.number_input(f"{plain(x)} from", value=0.0, format="%g", key=f"new_from_{x}"),
            last.number_input(f"{plain(x)} to", value=FIRST_LENGTH, format="%g", key=f"new_to_{x}"),
        )
        points[x] = int(
            count.number_input(f"Points in {plain(x)}", 8, 100_000, FIRST_POINTS, key=f"new_points_{x}")
        )
    values = {
        p: st.text_input(f"Value of {plain(p)}", "1", max_chars=60, key=f"new_value_{p}", live=True)
        for p in parameters
    }
    return Draft(name, title, region, points, typed.periodic, values)


def _write(text: str, name: str) -> None:
    # asked again here: a click may come from a page that was drawn before a restart
    if not may_write():
        return
    try:
        file = write(text, name)
    except LieappError as error:
        st.toast(plain(f"{error.message} {error.hint}"), icon=":material/error:")
    else:
        st.toast(plain(f"{file} was written."), icon=":material/check:")
        st.session_state["written"] = name


def show_written() -> None:
    """A link to what was written last."""
    name = st.session_state.get("written")
    if name:
        st.page_link(page("plugins"), label=f"Open {plain(name)}", icon=":material/extension:",
                     query_params={"plugin": name})  # fmt: skip
