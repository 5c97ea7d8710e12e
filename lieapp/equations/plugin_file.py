"""A plugin file made from a typed equation: the text that a user would have written."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import sympy as sp

from lieapp.api import PDE
from lieapp.equations.equation import System
from lieapp.equations.jets import JetSpace
from lieapp.equations.parsing import parse_expression
from lieapp.equations.printing import code_name, python_code
from lieapp.errors import LieappError, PluginError, refused

FOLDER = Path("plugins")
"""Where the app writes plugin files, if it was started so."""

TAKEN = ("sp", "PDE", "hookimpl", "lieapp_domains")
"""Names that the file itself uses."""


@dataclass(frozen=True)
class Draft:
    """What is declared besides the equation; a parameter's value is a text that is exact: `1/100` or `0.01`.

    Args:
        fitted: see `api.PDE`.
    """

    name: str
    title: str
    region: Mapping[str, tuple[float, float]]
    points: Mapping[str, int]
    periodic: tuple[str, ...] = ()
    values: Mapping[str, str] = field(default_factory=dict)
    fitted: float | None = None


def plugin_text(system: System, draft: Draft) -> str:
    """The file. Raises PluginError, GridError or EquationError where a declaration would be refused."""
    _check(system, draft)
    jets = system.jets
    variables = [str(x) for x in jets.independent]
    residuals = [f"sp.Eq({python_code(r, jets)}, 0)" for r in system.residuals]
    lines = [
        f'"""{_heading(draft.title)}."""',
        "",
        "import sympy as sp",
        "",
        "from lieapp.api import PDE, hookimpl",
        "",
        _symbols(variables),
        *(f'{code_name(str(p))} = sp.Symbol("{p}", {_assumption(p)}=True)' for p in system.parameters),
        *(f'{code_name(u)} = sp.Function("{u}")({", ".join(map(code_name, variables))})' for u in jets.dependent),
        "",
        f"{_identifier(draft.name)} = PDE(",
        f"    name={_quoted(draft.name)},",
        f"    title={_quoted(draft.title)},",
        *_equations(residuals),
        f"    region={_mapping((x, f'({_number(a)}, {_number(b)})') for x, (a, b) in draft.region.items())},",
        f"    points={_mapping(draft.points.items())},",
        *([f"    periodic=[{', '.join(map(code_name, draft.periodic))}],"] if draft.periodic else []),
        *([f"    parameters={_values(draft)},"] if system.parameters else []),
        *([f"    fitted={draft.fitted:.2g},"] if draft.fitted is not None else []),
        ")",
        "",
        "",
        "@hookimpl",
        "def lieapp_domains():",
        f"    return [{_identifier(draft.name)}]",
        "",
    ]
    return "\n".join(lines)


def write(text: str, name: str, folder: Path = FOLDER) -> Path:
    """Put a file into a folder. Raises PluginError if there is another of that name, or it can't be written."""
    file = folder / f"{name}.py"
    # the name is checked by `plugin_text`; here again, for a path is made of it
    if not re.fullmatch(r"[a-z0-9-][a-z0-9_-]*", name):
        raise PluginError(
            f"name={name!r} isn't a valid file name.",
            hint="Use lower-case letters, digits, _ and -; files whose names begin with _ are no plugins.",
        )
    with refused(PluginError, f"{file} can't be written", "Download it instead."):
        folder.mkdir(parents=True, exist_ok=True)
        try:
            with file.open("x", encoding="utf-8") as stream:
                stream.write(text)
        except FileExistsError:
            raise PluginError(f"{file} already exists.", hint="Choose another name, or remove that file.") from None
    return file


def _check(system: System, draft: Draft) -> None:
    """Raises what a declaration with these values raises, and PluginError for names that the file uses."""
    named = [*map(str, system.jets.independent), *system.jets.dependent, *map(str, system.parameters)]
    taken = [name for name in named if code_name(name) in (*TAKEN, _identifier(draft.name))]
    if taken:
        raise PluginError(f"the name {taken[0]!r} is used by the file itself.", hint="Choose another name.")
    if system.functions:
        raise PluginError(
            f"simulated data need explicit formulas, but {next(iter(system.functions))} is arbitrary.",
            hint="Replace it by a formula, or use the Explore page.",
        )
    for parameter in map(str, system.parameters):
        _exact(parameter, draft.values.get(parameter, ""))
    symbols = {str(x): x for x in system.jets.independent}
    functions = {u: sp.Function(u)(*system.jets.independent) for u in system.jets.dependent}
    PDE(
        name=draft.name,
        title=draft.title,
        equation=[sp.Eq(functions[u].diff(system.jets.independent[0]), 0) for u in functions],
        region={symbols[x]: interval for x, interval in draft.region.items()},
        points={symbols[x]: n for x, n in draft.points.items()},
        periodic=[symbols[x] for x in draft.periodic],
    )


def _exact(parameter: str, text: str) -> Any:
    """The number that a text is, by the whitelist parser. Raises PluginError for anything else."""
    try:
        return parse_expression(text, {}, typed=True)
    except LieappError as error:
        raise PluginError(
            f"{parameter} has the value {text!r}, which isn't a number.", hint=error.hint or "Write 0.01 or 1/100."
        ) from None


def _values(draft: Draft) -> str:
    nothing = JetSpace((), ())
    return _mapping((name, python_code(_exact(name, text), nothing)) for name, text in draft.values.items())


def _mapping(pairs: Iterable[tuple[str, object]]) -> str:
    return f"{{{', '.join(f'{code_name(name)}: {value}' for name, value in pairs)}}}"


def _symbols(names: list[str]) -> str:
    function, end = ("symbols", ", real=True)") if len(names) > 1 else ("Symbol", ", real=True)")
    return f'{", ".join(map(code_name, names))} = sp.{function}("{" ".join(names)}"{end}'


def _equations(residuals: list[str]) -> list[str]:
    if len(residuals) == 1:
        return [f"    equation={residuals[0]},"]
    return ["    equation=[", *(f"        {residual}," for residual in residuals), "    ],"]


def _heading(title: str) -> str:
    """A title inside a docstring, which it can't end."""
    return "".join(c for c in title if c.isprintable() and c not in '"\\').strip().rstrip(".") or "An equation"


def _quoted(text: str) -> str:
    """A Python string in double quotes where that is possible."""
    plain = repr(text)
    return f'"{plain[1:-1]}"' if plain[0] == "'" and '"' not in plain else plain


def _identifier(name: str) -> str:
    """A variable for the declaration, none that the file uses."""
    word = name.replace("-", "_")
    free = word.isidentifier() and not keyword.iskeyword(word) and word not in TAKEN
    return word if free else f"pde_{word}"


def _assumption(parameter: sp.Symbol) -> str:
    """The strongest thing known of a parameter that SymPy has a word for."""
    return next((word for word in ("positive", "negative") if getattr(parameter, f"is_{word}")), "real")


def _number(value: float) -> str:
    return f"{value:.0f}" if value == int(value) and abs(value) < 1e15 else repr(float(value))
