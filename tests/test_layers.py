"""Dependencies point one way, and heavy libraries stay in their rooms (docs/architecture.md)."""

import ast
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "lieapp"

LEVELS = [
    {
        *("api", "arrays", "config", "config_augment", "config_laws", "config_pictures", "config_symbolic"),
        *("config_training", "config_types"),
        *("child", "derived", "document", "drawing", "errors", "extension", "keywords", "reading", "results"),
        *("interrupted", "progress", "settings", "__init__"),
    },
    {"equations", "lie", "numerics", "figures", "registry"},
    {"domains", "data"},
    {"methods", "compare"},
    {"runs/store"},
    {"pde", "pictures", "functions", "augment"},
    {"report"},
    {"runs", "given_data"},
    {"sweeps"},
    {"cli", "ui", "calls", "__main__"},
]
"""From the ground up; a room may import from those below it."""
LEVEL = {room: height for height, rooms in enumerate(LEVELS) for room in rooms}

BESIDE = {frozenset(pair) for pair in (("domains", "data"), ("pde", "augment"), ("pictures", "augment"))}
BESIDE |= {frozenset(("cli", "__main__"))}
"""Rooms of one level that may know each other."""

UPON = {("lie", "equations"), ("compare", "methods")}
"""Rooms of one level of which the first may know the second."""

BRIDGE = "numerics/codegen.py"
"""The one module that knows both SymPy and torch."""

DOOR = "derived.py"
"""What users call from Python stands here too: it loads `lie` when it is called."""

ROOMS_OF = {
    "torchvision": {"data", "pictures"},
    "timm": {"pictures"},
    "latex2mathml": {"report"},
    "matplotlib": {"figures"},
    "plotly": {"ui"},
    "streamlit": {"ui"},
    **{library: {"data"} for library in ("h5py", "h5netcdf", "xarray", "zarr")},
    "click": {"cli"},
    "pluggy": {"registry", "api"},
    **{library: {"sweeps"} for library in ("dask", "distributed")},
}
TORCH = ("torch", "torchvision", "torchdiffeq")
WITHOUT_TORCH = {"equations", "lie", "registry", *LEVELS[0]}


def modules() -> list[Path]:
    return sorted(path for path in PACKAGE.rglob("*.py") if "_plugins" not in path.parts)


def room(path: Path) -> str:
    return room_of(path.relative_to(PACKAGE).parts)


def room_of(parts: Sequence[str]) -> str:
    """A folder or file of the package; of runs/ what is kept stands below the kinds, who works on it above."""
    names = [name.removesuffix(".py") for name in parts]
    return "/".join(names[:2]) if "/".join(names[:2]) in LEVEL else names[0]


def imports(path: Path) -> Iterator[tuple[int, str]]:
    """Every imported name with its line, also those inside functions and for type checking only."""
    package = ("lieapp", *path.relative_to(PACKAGE).parts[:-1])
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(package[: len(package) - node.level + 1]) if node.level else ""
            origin = ".".join(filter(None, (base, node.module)))
            if origin == "lieapp":
                yield from ((node.lineno, f"lieapp.{alias.name}") for alias in node.names)
            else:
                yield node.lineno, origin


def violations(path: Path) -> Iterator[str]:
    here, name = room(path), path.relative_to(PACKAGE).as_posix()
    if name == "__init__.py":
        return  # names that are loaded when they are used
    for line, module in imports(path):
        top, _, rest = module.partition(".")
        place = f"{name}:{line} imports {module}"
        if top == "lieapp":
            there = room_of(rest.split(".")) or "__init__"
            there = there if there in LEVEL else "__init__"  # a name defined in the package itself
            beside = frozenset((here, there)) in BESIDE or (here, there) in UPON
            bridge = name in (BRIDGE, DOOR) and there in ("equations", "lie")
            if not (
                here == there or LEVEL[there] < LEVEL[here] or beside or bridge or not LEVEL[here] + LEVEL[there]
            ):
                yield f"{place}: {here} stands below {there}"
        elif top in TORCH and here in WITHOUT_TORCH:
            yield f"{place}: {here} never imports torch"
        elif top == "sympy" and here == "numerics" and name != BRIDGE:
            yield f"{place}: only {BRIDGE} knows SymPy"
        elif here not in ROOMS_OF.get(top, {here}):
            yield f"{place}: {top} stays in {', '.join(sorted(ROOMS_OF[top]))}"


def test_every_room_has_its_level():
    assert {room(path) for path in modules()} <= set(LEVEL)


def test_imports_point_one_way():
    found = [violation for path in modules() for violation in violations(path)]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    ("name", "text", "count"),
    [
        ("lie/a.py", "import torch", 1),
        ("lie/a.py", "def f():\n    from torch import nn", 1),
        ("lie/a.py", "from lieapp.numerics import grid", 1),
        ("lie/a.py", "from lieapp.equations.jets import JetSpace", 0),
        ("equations/a.py", "from lieapp.lie.truth import Truth", 1),
        ("numerics/a.py", "import sympy as sp", 1),
        ("numerics/codegen.py", "import sympy\nfrom lieapp.equations.jets import JetSpace", 0),
        ("numerics/grid.py", "from lieapp.equations.jets import JetSpace", 1),
        ("data/a.py", "from lieapp.domains.base import Domain\nfrom lieapp.runs.store.reporter import Reporter", 1),
        ("registry/a.py", "from lieapp.equations.equation import read_pde", 1),
        ("registry/a.py", "from lieapp import runs", 1),
        ("errors.py", "from lieapp.cli import main", 1),
        ("derived.py", "from lieapp.lie.stages import Truth\nfrom lieapp.domains import base", 1),
        ("runs/a.py", "import streamlit\nfrom ..cli import main", 2),
        ("runs/a.py", "from . import status\nfrom .status import Status\nfrom lieapp import __version__", 0),
    ],
)
def test_the_reader_of_imports_sees_a_violation(tmp_path, monkeypatch, name, text, count):
    monkeypatch.setattr("test_layers.PACKAGE", tmp_path / "lieapp")
    path = tmp_path / "lieapp" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    assert len(list(violations(path))) == count


def test_plugins_import_sympy_and_the_api_only():
    for path in sorted((ROOT / "plugins").glob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        found = {n.module for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)}
        found |= {alias.name for n in ast.walk(tree) if isinstance(n, ast.Import) for alias in n.names}
        known = {"sympy", "lieapp.api", "lieapp.functions", "random", "itertools"}
        assert found <= known, f"{path.name} imports {found}"
        assert len(path.read_text().splitlines()) <= 60, f"{path.name} is longer than 60 lines"


def test_no_file_is_past_400_lines():
    long = [path.name for path in modules() if len(path.read_text(encoding="utf-8").splitlines()) > 400]
    assert not long
