"""A plugin on pages: its place, its equation, its self-check; broken files; a form that makes a new one."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import streamlit as st
import sympy as sp

from lieapp.config import CheckConfig
from lieapp.equations.equation import read_pde
from lieapp.equations.evolution import evolution_form
from lieapp.equations.plugin_file import Draft, write
from lieapp.equations.printing import ordered_latex
from lieapp.errors import LieappError, PluginError
from lieapp.registry.catalog import Catalog, Entry
from lieapp.registry.loader import SHIPPED
from lieapp.registry.modules import Broken
from lieapp.report.documents import check_document
from lieapp.results.check import CheckResult
from lieapp.ui import jobs
from lieapp.ui.at_work import show_unfinished, wait_for
from lieapp.ui.help import tip
from lieapp.ui.lists import readable
from lieapp.ui.navigation import catalog_of, link, may_write, page, typed_plugins
from lieapp.ui.reader import Typed, plugin_file_text
from lieapp.ui.rendering import errors_shown, facts_block, show, table
from lieapp.ui.typed_form import EXAMPLES, FIRST, ask
from lieapp.ui.words import WORKING, plain

LARGEST = 200_000
"""Bytes of a file up to which it is shown, or its broken line looked up."""

USUAL = 120.0
"""Seconds that the bar of progress reaches its end in; checks have no limit."""

FIELDS = ("independent", "dependent", "parameter", "periodic")
FIRST_LENGTH, FIRST_POINTS = 10.0, 128


def show_broken(broken: Broken) -> None:
    """A file that was not loaded, its error, and the line between its neighbours."""
    place = f"{broken.name}, line {broken.line}" if broken.line else broken.name
    with st.container(border=True):
        st.error(f"**{plain(place)}** was not loaded: {plain(broken.error)}", icon=":material/broken_image:")
        lines = _around(broken)
        if lines:
            st.code(lines, language="text")


def _around(broken: Broken) -> str:
    if broken.line is None:
        return ""
    first = max(broken.line - 3, 0)
    shown = _text(broken.file).splitlines()[first : broken.line + 2]
    return "\n".join(
        f"{'>' if number == broken.line else ' '} {number:4d}  {line[:160]}"
        for number, line in enumerate(shown, start=first + 1)
    )


def show_origin(entry: Entry) -> None:
    """File, source, hooks and fingerprint; the file's text, folded."""
    st.subheader("Source", help=tip("sha256"))
    facts = [
        ("file", _place(entry)),
        ("found by", entry.source),
        ("hooks", ", ".join(entry.hooks)),
        ("sha256", entry.sha256),
    ]
    facts_block(facts)
    text = _text(entry.file)
    if text:
        with st.expander("The file"):
            st.code(text, language="python", height=400 if text.count("\n") > 18 else "content")


def _place(entry: Entry) -> str:
    """The file; of a shipped one without the folder that lieapp is in."""
    if entry.file is None:
        return "an installed package"
    return f"{entry.file.parent.name}/{entry.file.name}" if entry.source == SHIPPED else str(entry.file)


def _text(file: Path | None) -> str:
    try:
        if file is None or file.stat().st_size > LARGEST:
            return ""
        return file.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def show_all(catalog: Catalog) -> None:
    """Every plugin in a line."""
    with st.expander(f"All {len(catalog.entries)} plugins"):
        rows = [(e.name, e.title, e.source, ", ".join(e.hooks), _place(e)) for e in catalog.entries]
        table(("name", "title", "found by", "hooks", "file"), [list(map(plain, row)) for row in rows])


def system_latex(declaration: Any) -> list[str]:
    """Each equation in jet notation, u_{xx} for the second derivative; as declared where it can't be read."""
    try:
        system = read_pde(declaration)
        return [f"{ordered_latex(residual, system.jets)} = 0" for residual in system.residuals]
    except LieappError:
        equations = declaration.equation
        return [sp.latex(e) for e in (equations if isinstance(equations, (list, tuple)) else [equations])]


def evolution_latex(declaration: Any) -> list[str]:
    """u_t = F for every unknown. Raises LieappError where there is no such form."""
    form = evolution_form(read_pde(declaration))
    return [f"{sp.latex(rate)} = {ordered_latex(rhs, form.jets)}" for rate, rhs in form.rates()]


def show_check(entry: Entry, catalog: Catalog) -> None:
    """The last self-check of exactly this file, and a button for another."""
    st.subheader("Self-check", help=tip("self_check"))
    run = jobs.latest("check", entry)
    if run is not None and run.state in WORKING:
        wait_for(run, USUAL)
        return
    if run is not None:
        if run.state != "done":
            show_unfinished(run)
        elif result := readable(run, CheckResult):
            show(check_document(result))
    label = "Check" if run is None else "Check again"
    told = "Runs in a separate process; it continues if you leave."
    if st.button(label, icon=":material/fact_check:", help=told):
        with errors_shown():
            jobs.start(CheckConfig(plugin=entry.name), entry, catalog)
            st.rerun()


@st.fragment
def show_form() -> None:
    """Equation, name and grid; the file they make, to download, or to write where that is allowed."""
    st.markdown("Fill in the form and download the file. In a folder `plugins/`, it is a plugin like any other.")
    made = _ask_file(EXAMPLES[FIRST], "new", "my_equation")
    if made is None:
        return
    draft, text = made
    st.code(text, language="python")
    with st.container(horizontal=True):
        st.download_button("Download", text, f"{draft.name}.py", "text/x-python", icon=":material/download:",
                           type="primary", on_click="ignore")  # fmt: skip
        if may_write():
            st.button("Write into plugins/", icon=":material/save:", on_click=_write, args=(text, draft.name))
    if not may_write():
        st.caption("If you start the app with `lieapp app --allow-writing`, it can save the file into `plugins/`.")


@st.fragment
def show_typed(start: Typed, version: str) -> None:
    """Equation, name and grid of an equation whose symmetries are to be discovered, and a button that goes on."""
    folder = typed_plugins()
    free = next(f"equation{n}" for n in itertools.count(1) if not (folder / f"equation{n}.py").exists())
    made = _ask_file(start, version, free)
    if made is None:
        return
    draft, text = made
    with st.expander("The plugin file"):
        st.code(text, language="python")
    if not st.button("Continue", type="primary", icon=":material/arrow_forward:"):
        st.caption("The next step is the settings of the run.")
        return
    file = folder / f"{draft.name}.py"
    others = {e.name for e in catalog_of().entries if e.file is None or e.file.resolve() != file.resolve()}
    with errors_shown():
        if draft.name in others:
            raise PluginError(f"there is already a plugin {draft.name!r}.", hint="Choose another name.")
        if _text(file) != text:
            write(text, draft.name, folder)
        carried = {key: value for key, value in st.query_params.items() if key in ("file", "map")}
        target = page("data" if carried else "discover")
        st.switch_page(target, query_params={"plugin": draft.name, **carried})


def _ask_file(start: Typed, version: str, name: str) -> tuple[Draft, str] | None:
    """What is declared and the file; None, with the reason said, where there is none."""
    typed, reading = ask(start, version, FIELDS)
    if reading.error is not None:
        return None
    with errors_shown():
        draft = _draft(typed, reading.parameters, version, name)
        return draft, plugin_file_text(typed, draft)
    return None


def _draft(typed: Typed, parameters: Sequence[str], version: str, usual: str) -> Draft:
    left, right = st.columns(2)
    name = left.text_input(
        "Name", usual, max_chars=40, key=f"{version}_name_{usual}", live=True, persist_state="session",
        help="Name for `--plugin`: lower-case letters, digits, _ and -.",
    )  # fmt: skip
    title = right.text_input(
        "Title", "My equation", max_chars=80, key=f"{version}_title", live=True, persist_state="session"
    )
    region, points = {}, {}
    for x in typed.independent:
        first, last, count = st.columns(3)
        region[x] = (
            first.number_input(f"{plain(x)} from", value=0.0, format="%g", key=f"{version}_from_{x}"),
            last.number_input(f"{plain(x)} to", value=FIRST_LENGTH, format="%g", key=f"{version}_to_{x}"),
        )
        points[x] = int(
            count.number_input(f"Points in {plain(x)}", 8, 100_000, FIRST_POINTS, key=f"{version}_points_{x}")
        )
    values = {
        p: st.text_input(f"Value of {plain(p)}", "1", max_chars=60, key=f"{version}_value_{p}", live=True)
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
        link("plugins", f"Open {plain(name)}", "extension", plugin=name)
