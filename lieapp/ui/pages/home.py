"""Home: what this is, what is running, what was run last."""

from __future__ import annotations

import streamlit as st

from lieapp.ui.lists import run_rows, working
from lieapp.ui.navigation import link, newest_first, runs_root
from lieapp.ui.words import plain

# title, words, the page that opens ready to start, its address, label of the link
EXAMPLES = (
    (
        "Derive", "The heat equation: six symmetries and a family, proved, with their flows and reductions.",
        "explore", {"plugin": "heat"}, "Open heat",
    ),
    (
        "Discover in data", "Cylindrical Korteweg–de Vries: two symmetries, one with a square root of time.",
        "discover", {"plugin": "ckdv"}, "Open ckdv",
    ),
    (
        "Discover in chaos", "Kuramoto–Sivashinsky: two translations and a boost, found in turbulent solutions.",
        "discover", {"plugin": "ks"}, "Open ks",
    ),
    (
        "Pictures", "Handwritten digits: plane fields that leave a network's features unchanged.",
        "discover", {"plugin": "images", "discoverimages-data": "digits"}, "Open images",
    ),
    (
        "Colours", "Changes of colour, such as brightness, that leave a network's features unchanged.",
        "discover", {"plugin": "colors"}, "Open colors",
    ),
    (
        "Train on moved data",
        "A neural operator for Korteweg–de Vries, trained on solutions moved along symmetries.",
        "discover", {"plugin": "kdv", "command": "augment"}, "Open kdv",
    ),
    (
        "A map", "The Minkowski norm: six fields that leave it invariant, rotations and boosts.",
        "discover", {"plugin": "lorentz"}, "Open lorentz",
    ),
    (
        "Your own equation", "Type it, then derive its symmetries or discover them in simulated data.",
        "discover", {"source": "typed"}, "Type an equation",
    ),
)  # fmt: skip
LAST, COLUMNS = 5, 4


def show() -> None:
    """The whole page."""
    st.title("lieapp")
    st.markdown(
        "**Finds the continuous symmetries of equations, pictures and maps.** A symmetry of an equation moves "
        "every solution to another solution. It is written as a vector field, such as "
        r"$2\sqrt{t+1}\,\partial_x + \frac{1}{\sqrt{t+1}}\,\partial_u$."
        "\n\n"
        "lieapp simulates solutions of an equation, or reads yours, and learns such fields from them. It also "
        "derives them by algebra and reports how well the two agree. The [Help](help) page explains terms and "
        "symbols."
    )
    _examples()
    _work()
    _last()


def _examples() -> None:
    st.subheader("Start with an example")
    for start in range(0, len(EXAMPLES), COLUMNS):
        row = EXAMPLES[start : start + COLUMNS]
        for column, (title, words, key, address, label) in zip(st.columns(COLUMNS), row, strict=False):
            with column, st.container(border=True, height="stretch"):
                st.markdown(f"**{title}**")
                st.markdown(words)
                link(key, label, "play_arrow", **address)
    link("data", "Open a file with your own data", "upload_file")


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
    st.subheader("Recent runs")
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
        link("runs", f"All {len(runs)} runs", "list")


show()
