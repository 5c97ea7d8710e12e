import importlib.util
import pickle
from pathlib import Path
from types import ModuleType

import pytest

from lieapp.figures.files import svg
from lieapp.report import page


def _load(name: str) -> ModuleType:
    # by path: tests are no package, and the pages' tests use the same files
    spec = importlib.util.spec_from_file_location(name, Path(__file__).with_name(f"{name}.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def drawn():
    """Drawings that were made, by their content: reports of synthetic runs differ in one or two."""
    return dict[bytes, str]()


@pytest.fixture(autouse=True)
def _drawn_once(drawn, monkeypatch):
    def once(drawing):
        key = pickle.dumps(drawing)
        if key not in drawn:
            drawn[key] = svg(drawing)
        return drawn[key]

    monkeypatch.setattr(page, "svg", once)


@pytest.fixture(scope="session")
def synthetic() -> ModuleType:
    """The builder of synthetic runs."""
    return _load("synthetic")


@pytest.fixture(scope="session")
def made() -> ModuleType:
    """Results of pictures, of trainings and of trainings on moved data."""
    return _load("made")


@pytest.fixture
def judged_run(synthetic, tmp_path) -> Path:
    """A finished run whose fields were judged at finite size."""
    return synthetic.write_run(tmp_path / "runs", at_size=True)


@pytest.fixture
def run(synthetic, tmp_path) -> Path:
    """A finished run."""
    return synthetic.write_run(tmp_path / "runs")
