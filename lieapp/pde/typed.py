"""A typed equation on data in files, as a plugin file: what runs, resumes and users take it from."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from pathlib import Path

from lieapp.config_types import FileData
from lieapp.data.own import OwnAxis, grids_of, periodic_in, typed_value
from lieapp.equations.equation import System, in_decimals
from lieapp.equations.evolution import evolution_form, time_variable
from lieapp.equations.parsing import parse_system
from lieapp.equations.plugin_file import Draft, plugin_text
from lieapp.equations.printing import learned_equation
from lieapp.errors import TYPED, ParseError, UsageError, refused

FOLDER = ".equations"
"""Beside the runs: runs of typed equations take their plugins from here."""

DERIVATIVE = re.compile(r"\b([A-Za-z][A-Za-z0-9]*)_([a-z]+)\b")


def plugin_of(
    equations: Sequence[str], data: FileData, root: Path, independent: Sequence[str] = (),
    dependent: Sequence[str] = (), fitted: float | None = None,
) -> tuple[str, Path]:  # fmt: skip
    """The name of the plugin of a typed equation, and the folder of its file, which is written.

    Args:
        equations: in jet notation, `u_t + u*u_x + u_xxx`; constants have their values in `data.parameter`.
        root: the folder of runs.
        independent, dependent: the variables and unknowns; else those that derivatives are written with.
        fitted: of right sides learned from data, see `api.PDE`.

    Raises what reading the equation and the files raises, UsageError if no file is given.
    """
    system, draft = draft_of(equations, data, independent, dependent, fitted)
    evolution_form(system)
    text, folder = plugin_text(system, draft), root / FOLDER
    with refused(UsageError, f"{folder} can't be written", "Give --out another folder."):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{draft.name}.py").write_text(text, encoding="utf-8")
    return draft.name, folder


def draft_of(
    equations: Sequence[str], data: FileData, independent: Sequence[str] = (), dependent: Sequence[str] = (),
    fitted: float | None = None,
) -> tuple[System, Draft]:
    """A typed equation and its declaration on the grids of files. Arguments and errors are those of `plugin_of`."""
    if not data.files:
        raise UsageError("--equation needs data.", hint="Give --data FILE, or a plugin, whose data are simulated.")
    found = [match for text in equations for match in DERIVATIVE.findall(text)]
    unknowns = list(dependent) or list(dict.fromkeys(name for name, _ in found))
    letters = sorted({letter for _, letters in found for letter in letters}, key=lambda x: (x != "t", x))
    values = {name: str(value) for name, value in map(typed_value, data.parameter)}
    try:
        system = parse_system(
            equations, list(independent) or letters, unknowns, list(values), typed=fitted is None
        )  # fmt: skip
    except ParseError as error:
        if "' is not declared" in error.message:
            name = error.message.split("'")[1]
            error.hint = (
                f"A constant has its value by --parameter {name}:0.1; an unknown has an equation of its own, with "
                "its derivative in time."
            )
        raise
    time = time_variable(system)
    variables = [str(x) for x in system.jets.independent]
    grids = grids_of(data, system.jets.dependent, (variables[time], *variables[:time], *variables[time + 1 :]))
    region = {name: _ends(name, grids) for name in variables}
    points = {axis.name: len(axis.points) for axis in grids[0]}
    title = "; ".join(f"{residual} = 0" for residual in system.residuals)
    known = repr((title, sorted(values.items()), region, points))
    if fitted is not None:
        evolution = evolution_form(system)
        title = "; ".join(learned_equation(evolution, a).text for a in range(len(evolution.rhs)))
        system = in_decimals(system)
    return system, Draft(
        name=TYPED + hashlib.sha256(known.encode()).hexdigest()[:8],
        title=title,
        region=region,
        points={name: points[name] for name in variables},
        periodic=tuple(periodic_in(grids)),
        values=values,
        fitted=fitted,
    )


def _ends(name: str, grids: Sequence[Sequence[OwnAxis]]) -> tuple[float, float]:
    axes = [axis for axes in grids for axis in axes if axis.name == name]
    if name in periodic_in(grids):
        first = axes[0]
        return float(first.points[0]), float(first.points[0] + (first.period or 0.0))
    return float(min(axis.points[0] for axis in axes)), float(max(axis.points[-1] for axis in axes))
