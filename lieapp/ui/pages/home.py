"""Home: what this is, what is running, what was run last."""

from __future__ import annotations

import streamlit as st

from lieapp.ui.lists import run_rows, working
from lieapp.ui.navigation import newest_first, page, runs_root
from lieapp.ui.words import plain

# title, words, the page that opens ready to start, its plugin, label of the link
EXAMPLES = (
    (
        "Derive", "The heat equation: six symmetries and a family, proved, with their flows and reductions.",
        "explore", "heat", "Open heat, ready to derive",
    ),
    (
        "Discover in data", "Cylindrical Korteweg–de Vries: two symmetries, one with a square root of time.",
        "discover", "ckdv", "Open ckdv, ready to start",
    ),
    (
        "Discover in chaos", "Kuramoto–Sivashinsky: two translations and a boost, found in turbulent solutions.",
        "discover", "ks", "Open ks, ready to start",
    ),
)  # fmt: skip
LAST = 5


def show() -> None:
    """The whole page."""
    st.title("lieapp")
    st.markdown(
        "**Finds the continuous symmetries of data, and of equations.** A symmetry moves every solution to "
        "another solution; it is written as a vector field, such as "
        r"$2\sqrt{t+1}\,\partial_x + \frac{1}{\sqrt{t+1}}\,\partial_u$."
        "\n\n"
        "lieapp simulates solutions of an equation, learns such fields from them and the equation, derives them a "
        "second time from the equation by algebra, and says how well the two agree. "
        "What the words and symbols mean is on the [Help](help) page."
    )
    _examples()
    _work()
    _last()


def _examples() -> None:
    st.subheader("Start with an example")
    for column, (title, words, key, plugin, label) in zip(st.columns(len(EXAMPLES)), EXAMPLES, strict=True):
        with column, st.container(border=True, height="stretch"):
            st.markdown(f"**{title}**")
            st.markdown(words)
            st.page_link(page(key), label=label, icon=":material/play_arrow:", query_params={"plugin": plugin})


@st.fragment(run_every=3.0)
def _work() -> None:
    """Looks again by itself, so that the page needs no reload while something runs."""
    st.subheader("Running now")
    busy = working()
    if busy:
        run_rows(busy)
    else:
        st.caption("Nothing is running.")


def _last() -> None:
    st.subheader("Last runs")
    runs = newest_first()
    if not runs:
        st.info(
            f"No runs yet in {plain(runs_root())}. Start one on the Discover page, or type "
            "`lieapp discover --plugin ckdv` in a terminal: it appears here too.",
            icon=":material/inbox:",
        )
        return
    busy = {run.id for run in working()}
    run_rows([run for run in runs if run.id not in busy][:LAST])
    if len(runs) > LAST:
        st.page_link(page("runs"), label=f"All {len(runs)} runs", icon=":material/list:")


show()
