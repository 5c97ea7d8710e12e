import importlib.util
import json
import os
import socket
import time
from pathlib import Path
from types import ModuleType

import pytest

from lieapp.results.base import Result

streamlit_testing = pytest.importorskip("streamlit.testing.v1")

ROOT = Path(__file__).parents[2]
PLUGIN = '''"""Heat."""
import sympy as sp
from lieapp.api import PDE, hookimpl

t, x = sp.symbols("t x", real=True)
u = sp.Function("u")(t, x)

@hookimpl
def lieapp_domains():
    return [PDE(name="warm", title="Warm *bar*", equation=sp.Eq(u.diff(t), u.diff(x, 2)),
                region={t: (0, 1), x: (0, 1)}, points={t: 16, x: 16}, periodic=[x])]
'''


def _load(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / "tests" / "report" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


synthetic, results = _load("synthetic"), _load("made")


def _put_status(run: Path, state: str, **status: object) -> None:
    """Write status.json as a process in that state would have left it."""
    now = time.time()
    content = {
        "state": "running" if state == "lost" else state,
        # a number that no process has, on this machine: what is_lost looks at
        "pid": 2**22 + 1 if state == "lost" else os.getpid(),
        "host": socket.gethostname(),
        "stage": "discovery",
        "step": 12,
        "total": 60,
        "heartbeat": now - (100 if state == "lost" else 0),
        "created": now - 42,
        "finished": now - 2 if state in ("done", "failed", "cancelled") else None,
        **status,
    }
    (run / "status.json").write_text(json.dumps(content), encoding="utf-8")


@pytest.fixture
def runs(tmp_path, monkeypatch) -> Path:
    """An empty folder of runs that the app looks at; no process is started from the pages."""
    from lieapp.ui import jobs

    monkeypatch.setenv("LIEAPP_RUNS", str(tmp_path / "runs"))
    monkeypatch.delenv("LIEAPP_PLUGINS", raising=False)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(jobs, "ensure_runner", lambda root: None)
    monkeypatch.setattr(jobs, "start_now", lambda root, run_id: None)
    return tmp_path / "runs"


@pytest.fixture
def plugins(runs, tmp_path) -> Path:
    """./plugins with one plugin in it."""
    folder = tmp_path / "plugins"
    folder.mkdir()
    (folder / "warm.py").write_text(PLUGIN, encoding="utf-8")
    return folder


@pytest.fixture
def make_run(runs):
    """Make a run in any state; `count` tells several apart."""

    def make(state: str, *, count: int = 0, at_size: bool = False, **status: object) -> Path:
        name = f"2025010{1 + count % 9}T12{count % 60:02d}00Z-ckdv-abc{count:03d}"
        run = synthetic.write_run(runs, name, done=state == "done", at_size=at_size)
        if state in ("running", "failed", "cancelled", "lost"):
            lines = "".join(json.dumps(line) + "\n" for line in synthetic.metrics(12))
            (run / "metrics.jsonl").write_text(lines, encoding="utf-8")
            (run / "log.txt").write_text("stage data\nstage discovery\n", encoding="utf-8")
        _put_status(run, state, **status)
        return run

    return make


@pytest.fixture
def made() -> ModuleType:
    """Results of pictures, of trainings and of trainings on moved data."""
    return results


@pytest.fixture
def arrays() -> dict:
    """The arrays of a run's fields.safetensors."""
    return synthetic.fields()


@pytest.fixture
def make_background(runs, plugins):
    """Make a run of a derivation or a check in any state; of the plugin `warm` unless `typed` says else."""
    from lieapp.config import CheckConfig, TruthConfig
    from lieapp.registry.catalog import load_catalog
    from lieapp.runs.store.directory import RunDirectory

    def make(
        kind: str, state: str, *, summary: Result | dict | None = None, typed: dict | None = None, **status: object
    ):
        config = CheckConfig(plugin="warm") if kind == "check" else TruthConfig(**(typed or {"plugin": "warm"}))
        entry = None if typed else load_catalog().get("warm")
        run = RunDirectory.create(runs, config, getattr(config, "plugin", None) or "truth", entry=entry)
        _put_status(run.path, state, **status)
        if summary is not None:
            run.write_summary(summary)
        return run

    return make


@pytest.fixture
def open_page(runs):
    """Open a page of the app as a browser would, with an address."""

    def open_it(key: str, **address: str) -> "streamlit_testing.AppTest":
        app = streamlit_testing.AppTest.from_file(str(ROOT / "streamlit_app.py"), default_timeout=20)
        for name, value in address.items():
            app.query_params[name] = value
        app.switch_page(f"lieapp/ui/pages/{key}.py").run()
        assert not app.exception, app.exception
        return app

    return open_it


def words_of(app: "streamlit_testing.AppTest") -> str:
    """All text on the page, escapes of Markdown taken out."""
    kinds = (
        "title",
        "header",
        "subheader",
        "markdown",
        "caption",
        "info",
        "warning",
        "error",
        "success",
        "code",
    )
    parts = [element.value for kind in kinds for element in app.get(kind) if hasattr(element, "value")]
    return "\n".join(map(str, parts)).replace("\\", "")


@pytest.fixture
def words():
    """Reads a page's text."""
    return words_of
