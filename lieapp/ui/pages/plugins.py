"""Plugins: what was loaded, from where, what it says, and what is broken."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from lieapp.registry.catalog import Catalog, Entry, load_catalog
from lieapp.registry.modules import Broken
from lieapp.ui import truths
from lieapp.ui.drawing import facts_block, table
from lieapp.ui.equations import evolution_latex, system_latex
from lieapp.ui.navigation import page
from lieapp.ui.places import runs_root
from lieapp.ui.truth_view import show_truth
from lieapp.ui.words import plain

# bytes of a file up to which the broken line is looked up; no docstring, the app would print it
LARGEST = 200_000


def show() -> None:
    """The whole page."""
    st.title("Plugins")
    st.markdown(
        "An equation is one Python file with a declaration in it. Put yours into `plugins/`; this page reads "
        "the files anew each time it is opened."
    )
    catalog = load_catalog()
    for broken in catalog.broken:
        _broken(broken)
    if not catalog.entries:
        st.info("No plugin was found.", icon=":material/extension_off:")
        return
    entry = _chosen(catalog)
    if entry in catalog.equations:
        _equation(entry)
        _truth(entry)
    else:
        _pictures(entry)
    _origin(entry)
    _all(catalog)


def _broken(broken: Broken) -> None:
    place = f"{broken.name}, line {broken.line}" if broken.line else broken.name
    with st.container(border=True):
        st.error(f"**{plain(place)}** was not loaded: {plain(broken.error)}", icon=":material/broken_image:")
        lines = _around(broken)
        if lines:
            st.code(lines, language="text")


def _around(broken: Broken) -> str:
    """The broken line between its neighbours."""
    if broken.file is None or broken.line is None:
        return ""
    try:
        if broken.file.stat().st_size > LARGEST:
            return ""
        lines = broken.file.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return ""
    first = max(broken.line - 3, 0)
    shown = lines[first : broken.line + 2]
    return "\n".join(
        f"{'>' if number == broken.line else ' '} {number:4d}  {line[:160]}"
        for number, line in enumerate(shown, start=first + 1)
    )


def _chosen(catalog: Catalog) -> Entry:
    names = [entry.name for entry in catalog.entries]
    titles = {entry.name: entry.title for entry in catalog.entries}
    asked = st.query_params.get("plugin", "")
    index = names.index(asked) if asked in names else 0
    name = st.selectbox("Plugin", names, index=index, format_func=lambda n: f"{n}: {titles[n]}")
    st.query_params["plugin"] = name
    return catalog.get(name)


def _equation(entry: Entry) -> None:
    st.header(entry.title)
    left, right = st.columns(2)
    with left:
        st.markdown("**Equation**")
        for latex in system_latex(entry.declaration):
            st.latex(latex)
    with right:
        st.markdown("**Evolution form**")
        forms = evolution_latex(entry.declaration)
        for latex in forms.formulas:
            st.latex(latex)
        if forms.error:
            st.caption(plain(forms.error))
    st.page_link(
        page("discover"),
        label=f"Discover symmetries of {entry.name}",
        icon=":material/travel_explore:",
        query_params={"plugin": entry.name},
    )


def _pictures(entry: Entry) -> None:
    st.header(entry.title)
    st.markdown("Pictures, in whose plane symmetries are sought. On a terminal:")
    st.code(f"lieapp discover --plugin {entry.name}", language="bash")


def _truth(entry: Entry) -> None:
    st.subheader("Symmetries derived from the equation")
    folder = truths.place(runs_root(), entry.name, entry.sha256)
    found = truths.read(folder)
    if found.state == "running":
        _wait(folder)
        return
    if found.state == "done":
        show_truth(found.truth, [str(variable) for variable in entry.declaration.periodic])
    elif found.state == "failed":
        st.error(plain(found.error.get("message", "")), icon=":material/error:")
        if found.error.get("hint"):
            st.caption(plain(found.error["hint"]))
    label = "Derive" if found.state == "none" else "Derive again"
    if st.button(label, icon=":material/function:", help=f"A process of its own, at most {truths.BUDGET:g} s"):
        truths.start(folder, entry.name)
        st.rerun()


@st.fragment(run_every=0.7)
def _wait(folder: Path) -> None:
    found = truths.read(folder)
    if found.state != "running":
        st.rerun()
    share = min(found.seconds / truths.BUDGET, 1.0)
    st.progress(share, text=f"deriving for {found.seconds:.0f} s of at most {truths.BUDGET:g} s")


def _origin(entry: Entry) -> None:
    st.subheader("Where it comes from")
    facts = [
        ("file", str(entry.file or "an installed package")),
        ("found by", entry.source),
        ("hooks", ", ".join(entry.hooks)),
        ("sha256", entry.sha256),
    ]
    facts_block(facts)


def _all(catalog: Catalog) -> None:
    with st.expander(f"All {len(catalog.entries)} plugins"):
        rows = [(plain(e.name), plain(e.title), plain(e.source), plain(e.file or "")) for e in catalog.entries]
        table(("name", "title", "found by", "file"), rows)


show()
