"""Small sweeps in a folder of their own: cells are maps, whose runs take a second."""

import pytest

from lieapp.sweeps.kept import create
from lieapp.sweeps.resolve import resolve
from lieapp.sweeps.spec import read_sweep

MINE = """
import sympy as sp
from lieapp.api import hookimpl
from lieapp.functions import Function

x, y = sp.symbols("x y", real=True)

@hookimpl
def lieapp_domains():
    return [Function(name="mine", title="My map", variables=[x, y], expression=x**2 + y**2)]
"""


@pytest.fixture
def write(tmp_path, monkeypatch):
    """Write a sweep's file in an empty working folder; its path."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("LIEAPP_PLUGINS", raising=False)

    def file(text: str, name: str = "grid.toml"):
        (tmp_path / name).write_text(text)
        return tmp_path / name

    return file


@pytest.fixture
def begun(write, tmp_path):
    """The folder of a sweep that was just created, and its settings."""

    def begin(text: str):
        config = read_sweep(write(text))
        out = tmp_path / "runs"
        return create(config, resolve(config, "grid.toml", out), out), config

    return begin


@pytest.fixture
def mine(write, tmp_path):
    """A plugin file in ./plugins."""
    (tmp_path / "plugins").mkdir()
    (tmp_path / "plugins" / "mine.py").write_text(MINE)
    return tmp_path / "plugins" / "mine.py"
