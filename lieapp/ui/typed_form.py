"""Fields for typed equations, read while one types: formulas beside them, errors with a caret under the column."""

from __future__ import annotations

import streamlit as st

from lieapp.ui.help import tip
from lieapp.ui.reader import LISTS, Reading, Typed, joined, read, split
from lieapp.ui.rendering import show_error, show_formulas

EXAMPLES = {
    "Korteweg–de Vries": Typed(("u_t + u*u_x + u_xxx",), ("t", "x"), ("u",), periodic=("x",)),
    "Heat": Typed(("u_t = u_xx",), ("t", "x"), ("u",)),
    "Diffusion with any conductivity k(u)": Typed(
        ("u_t = k*u_xx + k_u*u_x**2",), ("t", "x"), ("u",), function=("k:u",)
    ),
    "Korteweg–de Vries with any power": Typed(
        ("u_t + u**n*u_x + u_xxx",), ("t", "x"), ("u",), parameter=("n:positive, n != 1, n != 2",)
    ),
    "Cubic Schrödinger, two unknowns": Typed(
        ("v_t + w_xx + (v**2 + w**2)*w", "w_t - v_xx - (v**2 + w**2)*v"), ("t", "x"), ("v", "w")
    ),
    "Wave in the plane": Typed(("u_tt = u_xx + u_yy",), ("t", "x", "y"), ("u",)),
    "Boundary layer (Blasius), an ODE": Typed(("u_xxx + u*u_xx",), ("x",), ("u",)),
}
"""Equations to begin with, one of each kind: a parameter, a function, a system, more variables, an ODE."""

FIRST = "Korteweg–de Vries"

MOST_CHARACTERS = 4000
"""Of one equation; the parser takes no more either."""

FIELD_CHARACTERS = 300
"""Of any other field."""

MOST_EQUATIONS = 8

MOST_COLUMNS = 5
"""Fields beside one another."""

FIELDS = {
    "independent": ("Variables", "t, x", "Names separated by commas; `t`, or else the first one, is time."),
    "dependent": ("Unknowns", "u", "Names of the unknown functions, separated by commas."),
    "parameter": (
        "Parameters", "nu:positive; g, g != 3",
        "Free constants, with assumptions: `nu`, `nu:positive`, `g:positive, g != 3`. "
        "Separate several by semicolons.",
    ),
    "function": (
        "Arbitrary functions", "k:u",
        "A name and what it depends on: `k:u`, `k:x,u`, `f:u_x`; its derivatives are `k_u`, `k_xu`. `F:s` is "
        "written with any argument, as F(x - t). `k_u != 0` excludes functions. Separate several by semicolons.",
    ),
    "periodic": (
        "Periodic in", "x",
        "Variables in which solutions are periodic. Only symmetries compatible with this are kept.",
    ),
    "moving": (
        "Moving parameters", "nu",
        "Parameters that symmetries may move too; the dimensionless groups follow. Separate several by commas.",
    ),
    "output": (
        "Outputs", "c*x",
        "What is measured of an ODE's solutions: which parameters it determines. Separate several by semicolons.",
    ),
}  # fmt: skip
"""Label, placeholder and explanation of each field but the equations."""


def ask(start: Typed, version: str, fields: tuple[str, ...] = tuple(FIELDS)) -> tuple[Typed, Reading]:
    """Ask for equations and their names, and show what was understood.

    Args:
        start: what the fields hold at first.
        version: other fields begin anew under another version; a widget keeps what it showed first.
        fields: which of `FIELDS` are asked for.
    """
    # once: what was typed is there again after a look at another page
    if not {_key("rows", version), _key("equation0", version)} <= set(st.session_state):
        _fill(start, version)
    st.selectbox(
        "Example", list(EXAMPLES), index=None, placeholder="choose an example",
        key=_key("example", version), on_change=_take, args=(version,),
    )  # fmt: skip
    equations, places = _equations(version)
    values = {"equation": equations}
    rows = [fields[k : k + MOST_COLUMNS] for k in range(0, len(fields), MOST_COLUMNS)]
    columns = [column for row in rows for column in st.columns(len(row))]
    for name, column in zip(fields, columns, strict=True):
        label, placeholder, told = FIELDS[name]
        with column:
            text = st.text_input(
                label, key=_key(name, version), placeholder=placeholder, max_chars=FIELD_CHARACTERS,
                help=told, live=True, persist_state="session",
            )  # fmt: skip
        values[name] = split(name, text)
    typed = Typed(**values)
    reading = read(typed)
    _understood(reading, places)
    return typed, reading


def _equations(version: str) -> tuple[tuple[str, ...], list[int]]:
    """The equations that aren't empty, and the row of each."""
    rows = st.session_state[_key("rows", version)]
    texts = [
        st.text_input(
            "Equation" if rows == 1 else f"Equation {row + 1}", key=_key(f"equation{row}", version), live=True,
            max_chars=MOST_CHARACTERS, help=tip("jets"), placeholder="u_t + u*u_x + u_xxx", persist_state="session",
        )
        for row in range(rows)
    ]  # fmt: skip
    with st.container(horizontal=True):
        st.button("Add equation", icon=":material/add:", type="tertiary", key=_key("more", version),
                  on_click=_change, args=(version, 1), disabled=rows >= MOST_EQUATIONS)  # fmt: skip
        st.button("Remove equation", icon=":material/remove:", type="tertiary", key=_key("less", version),
                  on_click=_change, args=(version, -1), disabled=rows == 1)  # fmt: skip
    places = [row for row, text in enumerate(texts) if text.strip()]
    return tuple(texts[row].strip() for row in places), places


def _understood(reading: Reading, places: list[int]) -> None:
    """The formulas, or what can't be read and where."""
    if reading.error is None:
        show_formulas(reading.latex)
        return
    several = len(places) > 1 and reading.place is not None
    show_error(reading.error, f"Equation {places[reading.place or 0] + 1}, " if several else "")


def _key(name: str, version: str) -> str:
    return f"typed_{name}_{version}"


def _fill(values: Typed, version: str) -> None:
    st.session_state[_key("rows", version)] = min(max(len(values.equation), 1), MOST_EQUATIONS)
    for row in range(MOST_EQUATIONS):
        text = values.equation[row] if row < len(values.equation) else ""
        st.session_state[_key(f"equation{row}", version)] = text[:MOST_CHARACTERS]
    for name in LISTS[1:]:
        st.session_state[_key(name, version)] = joined(name, getattr(values, name))[:FIELD_CHARACTERS]


def _take(version: str) -> None:
    chosen = st.session_state[_key("example", version)]
    if chosen in EXAMPLES:
        _fill(EXAMPLES[chosen], version)


def _change(version: str, by: int) -> None:
    key = _key("rows", version)
    st.session_state[key] = min(max(st.session_state[key] + by, 1), MOST_EQUATIONS)
